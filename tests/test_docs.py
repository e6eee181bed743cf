"""The site is whole: pictures of everything, notebooks that are the pages, links that lead somewhere."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import microagg as ma
from microagg.report.charts import CHARTS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

import gallery  # noqa: E402
import notebooks  # noqa: E402

PAGES = [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md"))]
PAGES = [page for page in PAGES if not {"_generated", "_build"} & set(page.parts)]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def anchors_of(page: Path) -> set[str]:
    """Give the names of a page's headings, as links write them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    """Those to other sites are not followed: tests need no network."""
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in LINK.findall(text):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors_of(target), link


def test_every_page_can_be_found_from_the_front():
    index = (DOCS / "index.md").read_text(encoding="utf-8") + (DOCS / "reference.md").read_text(encoding="utf-8")
    listed = {
        line.strip() for block in re.findall(r"```{toctree}\n(.*?)```", index, re.DOTALL) for line in block.split()
    }
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES if page.is_relative_to(DOCS)}
    assert pages - listed == {"index"}


@pytest.mark.parametrize("name", ma.METHODS)
def test_every_method_has_a_picture_of_true_groups(name):
    X, labels = gallery.group(ma.METHODS[name])
    counts = np.bincount(labels)
    assert counts.min() >= gallery.K
    drawn = gallery.draw_method(ma.METHODS[name])
    assert drawn.count("<circle") == len(X) + len(counts)


def test_every_chart_has_words():
    assert set(gallery.WORDS) == set(CHARTS)


@pytest.mark.parametrize("name", notebooks.TUTORIALS)
def test_a_notebook_has_every_line_of_its_page(name):
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    cells = notebooks.cells_of(page)
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    ast.parse(code)
    assert code.count("\n") + 1 >= page.count("\n>>> ") + page.count("\n... ")
    assert ">>>" not in code
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert f"_generated/notebooks/{name}.ipynb" in page


def test_a_notebook_runs():
    """The pages run as doctests; that what was made of them runs too is tried once."""
    cells = notebooks.cells_of((DOCS / "tutorial-researcher.md").read_text(encoding="utf-8"))
    space: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), space)  # noqa: S102
    assert isinstance(space["bound"], ma.LowerBound)
