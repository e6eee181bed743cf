"""The files around the code agree with it: versions, commands, what the workflows call."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import microagg as ma

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "packaging"))

from check_release import problems  # noqa: E402
from sbom import bill  # noqa: E402

TARGETS = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_every_place_that_tells_the_version_tells_the_same():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    assert citation["version"] == recipe["context"]["version"] == ma.__version__


def test_the_recipe_needs_what_the_package_needs():
    """Conda's packages are named by hand: one that is forgotten is missed at the first release that needs it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    needed = {text.replace(">=", " >=") for text in project["dependencies"] if ";" not in text}
    named = {text.removeprefix("python-") for text in recipe["requirements"]["run"] if not text.startswith("python ")}
    assert named == needed


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_may_do_little_and_call_what_exists(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert set(job.get("permissions", {})) <= {"contents", "id-token", "pages"}
        words = job.get("strategy", {}).get("matrix", {}).get("what", [])
        commands = [f"make {word}" for word in words] + [step["run"] for step in job["steps"] if "run" in step]
        called = {match for command in commands for match in re.findall(r"\bmake ([a-z-]+)", command)}
        assert called <= TARGETS
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"] == {"persist-credentials": False}


def test_ci_runs_what_a_machine_at_home_runs():
    assert ".ci/run" in (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    called = set(re.findall(r"^make ([a-z-]+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"lint", "types", "contracts", "test", "docs", "wheel"} <= called <= TARGETS


def test_nothing_is_published_before_it_is_ready(tmp_path):
    """A tag of another version, a version that the changelog does not know, an owner who is nobody."""
    (tmp_path / "src" / "microagg").mkdir(parents=True)
    (tmp_path / "packaging").mkdir()
    (tmp_path / "src" / "microagg" / "__init__.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "pyproject.toml").write_text('[project.urls]\nSource = "https://github.com/somebody/microagg"\n')
    (tmp_path / "CITATION.cff").write_text("version: 1.2.3\n")
    (tmp_path / "CHANGELOG.md").write_text("## 1.2.3\n")
    assert problems(tmp_path, "v1.2.3") == []
    assert problems(tmp_path, "v1.2.4") == ["the tag is v1.2.4, but the version is 1.2.3."]
    (tmp_path / "CHANGELOG.md").write_text("## Unreleased\nhttps://github.com/OWNER/microagg\n")
    (tmp_path / "CITATION.cff").write_text("version: 1.0\n")
    said = problems(tmp_path, None)
    for word in ("CHANGELOG.md: still", "nothing of 1.2.3", "is of version 1.0"):
        assert any(word in line for line in said)
    assert len(said) == 3
    (tmp_path / "pyproject.toml").write_text('[project.urls]\nSource = "https://github.com/OWNER/microagg"\n')
    assert "[project.urls] still says OWNER" in problems(tmp_path, None)[0]


def test_the_bill_names_what_is_linked_in_with_versions_and_licences():
    content = bill("1.2.3")
    assert content["bomFormat"] == "CycloneDX"
    assert content["metadata"]["component"]["purl"] == "pkg:pypi/microagg@1.2.3"
    parts = {part["name"]: part for part in content["components"]}
    assert set(parts) == {"nanobind", "robin_map"}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", part["version"]) for part in parts.values())
    named = {entry["ref"] for entry in content["dependencies"]}
    assert {ref for entry in content["dependencies"] for ref in entry["dependsOn"]} <= named
    assert content == bill("1.2.3")
    assert content["serialNumber"] != bill("1.2.4")["serialNumber"]


def test_licences_of_all_that_is_linked_in_are_there():
    files = {path.stem for path in (ROOT / "licenses").glob("*.txt")}
    assert files == {part["name"] for part in bill("1")["components"]}


def test_the_container_does_not_run_as_root():
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    last = [line for line in lines if line.startswith(("FROM", "USER", "ENTRYPOINT"))][-3:]
    assert last[0].startswith("FROM")
    assert last[1].split()[1] not in {"root", "0"}
    assert last[2] == 'ENTRYPOINT ["microagg"]'


def test_what_is_not_ours_is_not_in_the_repository():
    """Data and papers lie beside the repository and may not be copied into it."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no checkout")
    names = listed.stdout.split()
    assert not [
        name for name in names if name.startswith(("shared/", "data/", "seeds/")) or name.endswith((".so", ".whl"))
    ]
