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
from owner import name_owner  # noqa: E402
from pin_actions import pin  # noqa: E402
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
    (tmp_path / "CHANGELOG.md").write_text("## Unreleased\n")
    (tmp_path / "CITATION.cff").write_text("version: 1.0\n")
    assert problems(tmp_path, None) == [
        "CHANGELOG.md tells nothing of 1.2.3.",
        "CITATION.cff is of version 1.0, not of 1.2.3.",
    ]


def test_an_owner_is_named_in_one_place_and_nothing_is_published_before(tmp_path):
    """The tree as it is here, copied: nobody owns it until one command has said who."""
    names = ["pyproject.toml", "CITATION.cff", "CHANGELOG.md", "docs/stability.md", "packaging/conda/recipe.yaml"]
    for name in [*names, "src/microagg/__init__.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    changed = {path.relative_to(tmp_path).as_posix() for path in name_owner(tmp_path, "some-body")}
    assert changed <= {*names}
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert not [url for url in project["urls"].values() if "OWNER" in url]
    assert not [line for line in problems(tmp_path, None) if "OWNER" in line]
    (tmp_path / "docs" / "stability.md").write_text("https://OWNER.github.io/microagg/")
    assert "docs/stability.md: still says OWNER" in problems(tmp_path, None)[0]
    with pytest.raises(ValueError, match="not a name"):
        name_owner(tmp_path, "some body")


def test_actions_are_pinned_to_commits_and_asked_for_again_by_their_tags(tmp_path):
    asked = []

    def look_up(repository, tag):
        asked.append((repository, tag))
        return f"{len(asked):040x}"

    text = "      - uses: actions/checkout@v4\n      - uses: github/codeql-action/init@v3\n"
    once = pin(text, look_up)
    assert once.splitlines()[0] == f"      - uses: actions/checkout@{1:040x}  # v4"
    again = pin(once, look_up)
    assert again.splitlines()[1] == f"      - uses: github/codeql-action/init@{4:040x}  # v3"
    assert asked == [("actions/checkout", "v4"), ("github/codeql-action", "v3")] * 2
    workflows = tmp_path / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (tmp_path / "src" / "microagg").mkdir(parents=True)
    for name in ("src/microagg/__init__.py", "CHANGELOG.md", "CITATION.cff", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (workflows / "ci.yml").write_text(text)
    assert any("not pinned by commit: actions/checkout, github/codeql" in line for line in problems(tmp_path, None))
    (workflows / "ci.yml").write_text(once)
    assert not any("pinned" in line for line in problems(tmp_path, None))


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


def test_the_container_copies_what_is_there_and_calls_what_the_package_has(tmp_path, run):
    """There may be nothing to build an image with, so its lines are held against the project."""
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    stages = re.findall(r"^FROM \S+ AS (\S+)$", text, re.MULTILINE)
    for stage, source in re.findall(r"^COPY (?:--from=(\S+) )?(\S+) \S+$", text, re.MULTILINE):
        assert stage in stages if stage else (ROOT / source).exists()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(re.findall(r"/source\[(\w+)\]", text)) <= set(project["optional-dependencies"])
    assert set(re.findall(r"python:(\d\.\d+)-", text)) == {"3.12"}
    for called in re.findall(r"^# (?:podman|docker) run .*? microagg (.+)$", text, re.MULTILINE):
        words = called.split()
        command = words[: 2 if words[0] == "survey" else 1]
        told = run(*command, "--help")[1]
        assert all(word in told for word in words if word.startswith("-")), called


def test_what_is_not_ours_is_not_in_the_repository():
    """Data and papers lie beside the repository and may not be copied into it."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no checkout")
    names = listed.stdout.split()
    assert not [
        name for name in names if name.startswith(("shared/", "data/", "seeds/")) or name.endswith((".so", ".whl"))
    ]
