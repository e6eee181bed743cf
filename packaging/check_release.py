"""Refuse to publish what is not ready: python packaging/check_release.py [TAG]"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def problems(root: Path, tag: str | None) -> list[str]:
    """Say what keeps this tree from being published under a tag such as v1.0.0."""
    said = []
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if any("OWNER" in url for url in project["urls"].values()):
        said.append("pyproject.toml: [project.urls] still says OWNER; put the owner of the repository there.")
    files = [*root.glob("*.md"), root / "CITATION.cff", *(root / "packaging").rglob("*.yaml")]
    waiting = [path.name for path in files if "github.com/OWNER" in path.read_text(encoding="utf-8")]
    if waiting:
        said.append(f"{', '.join(sorted(waiting))}: still says OWNER.")
    source = (root / "src" / "microagg" / "__init__.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    version = match[1] if match else "?"
    if tag is not None and tag != f"v{version}":
        said.append(f"the tag is {tag}, but the version is {version}.")
    if f"## {version}" not in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        said.append(f"CHANGELOG.md tells nothing of {version}.")
    cited = re.search(r"^version: (\S+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    if cited is None or cited[1] != version:
        said.append(f"CITATION.cff is of version {cited[1] if cited else '?'}, not of {version}.")
    return said


if __name__ == "__main__":
    sys.exit("\n".join(problems(ROOT, sys.argv[1] if len(sys.argv) > 1 else None)))
