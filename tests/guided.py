"""Fuzzing that is guided by which code it reaches: python tests/guided.py KIND SECONDS [FOLDER]

KIND is `text` (CSV and its like), `hierarchy`, `plan`, `survey`, `arrays` (records, k and method, through the door into
the kernels) or `all`, in turn. Reading either works or says in one line what is wrong; groups have at least k records.
What a run found worth keeping is kept in FOLDER/KIND, and the next run begins there. Guided is the Python code; kernels
are driven by values, and `make sanitize` looks into them. Needs atheris (Linux): pip install atheris. Each kind runs in
a process of its own, in 4 GiB of memory.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["microagg", "tomllib"]):
    import numpy as np

    import microagg as ma
    from microagg import io
    from microagg.errors import MicroaggError
    from microagg.partition import METHODS
    from microagg.plan import load_plan
    from microagg.semantic import read_hierarchy
    from microagg.survey.definition import Definition

    USED = (ma.partition, ma.information_loss)  # imported when used: here, to be instrumented

from mutating import CSV, TEXTS

MEMORY = 4 << 30
LONGEST = 4096
QUICK = ["mdav", "vmdav", "cbfs", "md", "mst", "tfrp", "dba", "univariate", "hm2", "npn_mhm", "mondrian", "exact"]


def file_reader(suffixes: tuple[str, ...], read: Callable[[Path], object]) -> Callable[[bytes], None]:
    """Give a function that reads bytes as a file; their first byte chooses how its name ends."""
    folder = Path(tempfile.mkdtemp())

    def attempt(data: bytes) -> None:
        if not data:
            return
        path = folder / f"file{suffixes[data[0] % len(suffixes)]}"
        path.write_bytes(data[1:])
        read(path)

    return attempt


def read_text(path: Path) -> None:
    """Read a table and look at all its columns; `make fuzz` makes releases of such files."""
    table = io.read(path)
    for name in table.names:
        table.storage(name)
        table.categories(name)


def group_arrays(data: bytes) -> None:
    """Group whatever floats the bytes say: at least k to a group, numbers without gaps."""
    source = atheris.FuzzedDataProvider(data)
    method = QUICK[source.ConsumeIntInRange(0, len(QUICK) - 1)]
    k, m = source.ConsumeIntInRange(0, 6), source.ConsumeIntInRange(1, 3)
    if source.ConsumeBool():
        values = [source.ConsumeFloat() for _ in range(source.ConsumeIntInRange(0, 40))]
    else:  # few different values: ties everywhere
        values = [float(source.ConsumeIntInRange(-2, 2)) for _ in range(source.ConsumeIntInRange(0, 60))]
    X = np.array(values[: len(values) // m * m], dtype=np.float64).reshape(-1, m)
    limit = METHODS[method].most_records
    if limit is not None and len(X) > min(limit, 14):
        return
    labels = ma.partition(X, k, method=method, **METHODS[method].repeatable)
    counts = np.bincount(labels)
    assert len(labels) == len(X)
    assert counts.min() >= k
    loss = ma.information_loss(X, labels)
    assert 0.0 <= loss <= 100.0 + 1e-9


KINDS: dict[str, Callable[[bytes], None]] = {
    "text": file_reader((".csv", ".tsv", ".txt", ".csv.gz"), read_text),
    "hierarchy": file_reader((".json", ".csv", ".yaml"), read_hierarchy),
    "plan": file_reader((".toml",), load_plan),
    "survey": file_reader((".toml",), Definition.read),
    "arrays": group_arrays,
}
SEEDS = {
    "text": [b"\0" + CSV.encode(), b"\1" + CSV.replace(",", "\t").encode(), b"\0" + CSV.encode("utf-16")],
    "hierarchy": [b"\0" + TEXTS["hierarchy.json"][0].encode(), b"\1" + TEXTS["hierarchy.csv"][0].encode()],
    "plan": [b"\0" + TEXTS["plan.toml"][0].encode()],
    "survey": [b"\0" + TEXTS["survey.toml"][0].encode()],
    "arrays": [bytes(range(200)), b"\1" * 100],
}


def one_input(kind: str) -> Callable[[bytes], None]:
    """Try an input: a result is fine, and so is a refusal of one line."""

    def attempt(data: bytes) -> None:
        try:
            KINDS[kind](data)
        except MicroaggError as refusal:
            if "\n" in str(refusal):
                raise

    return attempt


def main() -> int:
    """Run one kind here, or all of them, each in its own process."""
    kind, seconds = sys.argv[1], int(sys.argv[2])
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp())
    if kind == "all":
        commands = [[sys.executable, __file__, each, str(seconds // len(KINDS)), str(folder)] for each in KINDS]
        return max(subprocess.run(command, check=False).returncode for command in commands)
    warnings.simplefilter("ignore")
    corpus = folder / kind
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[kind]):
        (corpus / f"seed{number}").write_bytes(seed)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=60", "-rss_limit_mb=4096", "-verbosity=1"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={corpus}-", str(corpus)], one_input(kind))
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
