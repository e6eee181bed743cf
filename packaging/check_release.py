"""Refuse to publish what is not ready: python packaging/check_release.py [TAG], or make release-check TAG=v1.2.3."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from owner import NOBODY, places
from pin_actions import USES, is_pinned, workflows

ROOT = Path(__file__).resolve().parents[1]


def problems(root: Path, tag: str | None) -> list[str]:
    """Say what keeps this tree from being published under a tag such as v1.0.0."""
    said = []
    waiting = [str(path.relative_to(root)) for path in places(root)]
    if waiting:
        said.append(f"{', '.join(waiting)}: still says {NOBODY}. Run: python packaging/owner.py NAME")
    loose = {
        match["action"]
        for path in workflows(root)
        for match in USES.finditer(path.read_text(encoding="utf-8"))
        if not is_pinned(match["ref"])
    }
    if loose:
        said.append(f"not pinned by commit: {', '.join(sorted(loose))}. Run: python packaging/pin_actions.py")
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
