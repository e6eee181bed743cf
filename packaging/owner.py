"""Say who owns the repository wherever it is asked: python packaging/owner.py NAME (a user or organisation)."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOBODY = "OWNER"
_SAYS = re.compile(rf"(?<=github\.com/){NOBODY}\b|\b{NOBODY}(?=\.github\.io)|(?<=recipe-maintainers: \[){NOBODY}\b")


def places(root: Path) -> list[Path]:
    """Give the files in which nobody is named yet."""
    files = [
        root / "pyproject.toml",
        root / "CITATION.cff",
        *sorted(root.glob("*.md")),
        *sorted(root.glob("docs/*.md")),
    ]
    files += [*sorted(root.glob("packaging/**/*.yaml")), *sorted(root.glob(".github/**/*.*"))]
    return [path for path in files if path.is_file() and _SAYS.search(path.read_text(encoding="utf-8"))]


def name_owner(root: Path, name: str) -> list[Path]:
    """Put a name where nobody is named, and give the files that were changed."""
    if not re.fullmatch(r"[A-Za-z0-9](-?[A-Za-z0-9])*", name):
        raise ValueError(f"not a name of a user or organisation on GitHub: {name!r}")
    changed = places(root)
    for path in changed:
        path.write_text(_SAYS.sub(name, path.read_text(encoding="utf-8")), encoding="utf-8")
    return changed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(*(path.relative_to(ROOT) for path in name_owner(ROOT, sys.argv[1])), sep="\n")
