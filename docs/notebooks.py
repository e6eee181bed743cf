"""Makes a notebook of each tutorial: its words and the lines behind `>>>`, without what they print. `conf.py` calls it.

The pages are run as tests (doctest); the notebooks are for those who want to go on from there.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

TUTORIALS = ("tutorial", "tutorial-scientist", "tutorial-researcher", "tutorial-operator")
BLOCK = re.compile(r"```python\n(.*?)```\n", re.DOTALL)


def lines_of(block: str) -> str:
    """Give the program in a block of examples."""
    return "\n".join(line[4:] for line in block.splitlines() if line.startswith((">>> ", "... ", "...")))


def cells_of(page: str) -> list[dict[str, object]]:
    """Cut a page into cells, words and code in turn."""
    cells: list[dict[str, object]] = []
    for number, part in enumerate(BLOCK.split(page)):
        text = (
            lines_of(part) if number % 2 else re.sub(r"^:::.*?^:::\n", "", part, flags=re.DOTALL | re.MULTILINE).strip()
        )
        if not text:
            continue
        kind = (
            {"cell_type": "code", "execution_count": None, "outputs": []} if number % 2 else {"cell_type": "markdown"}
        )
        cells.append({**kind, "id": f"cell-{len(cells)}", "metadata": {}, "source": text.splitlines(keepends=True)})
    return cells


def notebook_of(page: str) -> dict[str, object]:
    """Make a notebook of a page."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells_of(page), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def write(docs: Path) -> None:
    """Write the notebooks of all tutorials, for the pages to link to."""
    folder = docs / "_generated" / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    for name in TUTORIALS:
        notebook = notebook_of((docs / f"{name}.md").read_text(encoding="utf-8"))
        (folder / f"{name}.ipynb").write_text(json.dumps(notebook, indent=1) + "\n", encoding="utf-8")
