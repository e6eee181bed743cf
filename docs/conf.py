"""Sphinx: the site is built from these pages, the docstrings, and what the registries say."""

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import gallery
import notebooks

from microagg import METHODS, METRICS, RISKS, __version__, risk, utility

project = "microagg"
author = "The microagg developers"
copyright = f"2026, {author}"
release = version = __version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "_generated"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "microagg"
pygments_dark_style = "github-dark"
myst_enable_extensions = ["colon_fence", "attrs_block"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"


def _table(headings: list[str], rows: list[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def _range(measure: Any) -> str:
    ends = ["∞" if end == float("inf") else f"{end:g}" for end in (measure.lowest, measure.highest)]
    return f"{ends[0]} to {ends[1]} {measure.unit}".strip()


def _better(measure: Any) -> str:
    return "lower" if measure.lower_is_better else "higher"


def _write_tables() -> None:
    """Write the tables of methods and measures, from the registries that the program itself uses."""
    folder = Path(__file__).parent / "_generated"
    folder.mkdir(exist_ok=True)
    methods = [
        [
            f"`{m.name}`",
            f"**{m.title}**: {m.summary}",
            ", ".join(f"`{option}={value}`" for option, value in m.options.items()),
            m.steps,
            m.reference,
        ]
        for m in METHODS.values()
    ]
    headings = ["name", "what it does", "options", "steps", "published in"]
    (folder / "methods.md").write_text(_table(headings, methods), encoding="utf-8")
    more_risks = {name: measure for name, measure in risk.MEASURES.items() if name not in RISKS}
    more_metrics = {name: measure for name, measure in utility.MEASURES.items() if name not in METRICS}
    tables = (("metrics", METRICS), ("risks", RISKS), ("more_risks", more_risks), ("more_metrics", more_metrics))
    for name, measures in tables:
        rows = [
            [f"`{m.name}`", f"**{m.title}**: {m.summary}", _range(m), _better(m), m.reference]
            for m in measures.values()
        ]
        text = _table(["name", "what it says", "range", "better", "published in"], rows)
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


_write_tables()


def _close_examples(app: Any, doctree: Any) -> None:
    """Show no empty line at the end of an example: doctest needs it in the page, readers do not."""
    from docutils.nodes import Text, literal_block  # tests read this file without the packages of the docs

    for block in doctree.findall(literal_block):
        # Sphinx takes a block whose source differs from its text for one that is not to be highlighted.
        block.rawsource = block.astext().rstrip("\n")
        block.children = [Text(block.rawsource)]


def _number_references(app: Any, doctree: Any, docname: str) -> None:
    """Show [1] where numpydoc made [R4cb5d6a70f23-1] of it, to tell the references of one page apart."""
    from docutils.nodes import Text

    for text in list(doctree.findall(Text)):
        if re.fullmatch(r"\[?R[0-9a-f]{12}-\d+\]?", text):
            text.parent.replace(text, Text(re.sub("R[0-9a-f]{12}-", "", text)))


def setup(app: Any) -> None:
    """Draw the gallery and make the notebooks, when Sphinx builds the site."""
    app.connect("doctree-read", _close_examples)
    app.connect("doctree-resolved", _number_references)
    gallery.write(Path(__file__).parent / "_generated")
    notebooks.write(Path(__file__).parent)
