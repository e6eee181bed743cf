"""What workers need: our own code, NumPy and Arrow."""

from __future__ import annotations

import json
import subprocess
import sys

from cluster_people import PLAN, write_people

RELEASE = """
import json, sys

ABSENT = ("duckdb", "jinja2", "rich", "click", "narwhals", "pandas", "polars", "sklearn", "scipy")


class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Blocked())
import microagg as ma

source, target, plan = sys.argv[1:]
release = ma.anonymize_file(source, target, engine="serial", **json.loads(plan))
print(release.k_anonymous, [name for name in ABSENT if name in sys.modules])
"""


def test_neither_duckdb_nor_what_reports_need_is_needed(tmp_path):
    """A whole release, of the driver and all that workers do, where none of it is installed."""
    (tmp_path / "people").mkdir()
    write_people(tmp_path / "people")
    done = subprocess.run(
        [sys.executable, "-c", RELEASE, tmp_path / "people", tmp_path / "released", json.dumps(PLAN)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "True []", done.stderr
