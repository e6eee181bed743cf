"""Names in the package are unique, so that a reader who meets one knows what it is."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

COUNTERPART = "files/windows.py"
"""Stands in for files/posix.py, under the same names."""
SOURCE = Path(__file__).resolve().parents[1] / "src" / "microagg"


def test_no_two_classes_share_a_name():
    """`Facts` was a survey's state here and a report's content there; an import or a traceback did not say which."""
    names = Counter(
        node.name
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).as_posix() != COUNTERPART
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []
