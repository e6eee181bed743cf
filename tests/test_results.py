"""Tables of figures in the docs say what the one file of results says."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
spec = importlib.util.spec_from_file_location("benchmark_results", ROOT / "benchmarks" / "results.py")
results = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = results
spec.loader.exec_module(results)


@pytest.mark.parametrize("name", results.TABLES)
def test_docs_hold_the_figures_of_the_file(name):
    """The pages disagreed about the bounds while each was written by hand."""
    page, table = results.TABLES[name]
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert results.put_in(text, name, table(results.read())) == text, "run: python benchmarks/results.py"


class Asked(dict):
    """Figures that note which of them a table shows."""

    def __init__(self, figures):
        super().__init__(figures)
        self.shown = set()

    def get(self, key, default=None):
        self.shown.add(key)
        return super().get(key, default)

    def __getitem__(self, key):
        self.shown.add(key)
        return super().__getitem__(key)


def test_every_figure_of_the_file_stands_in_a_table():
    """A benchmark that names a figure otherwise than its table does would leave the old one in the docs."""
    figures = Asked(results.read())
    for _, table in results.TABLES.values():
        table(figures)
    assert set(figures) - figures.shown == set()


def test_a_figure_that_is_measured_again_replaces_the_old_one(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("figure,data,k,value,source\nmdav,census,3,5.7,then\n", encoding="utf-8")
    results.record([results.Figure("mdav", "census", "3", "5.6922", "now")], path)
    results.record([results.Figure("mdav", "census", "4", "7.4947", "now")], path)
    assert [(row.k, row.value, row.source) for row in results.read(path).values()] == [
        ("3", "5.6922", "now"),
        ("4", "7.4947", "now"),
    ]


def test_what_was_lowest_stays_known_when_other_columns_come_in(tmp_path):
    path = tmp_path / "results.csv"
    rows = [
        '"best, 30 s",census,3,4.70,then',
        '"best, 60 s",census,3,4.66,then',
        '"best, 60 s",census,4,6.04,then',
        "mdav,census,3,5.7,then",
    ]
    path.write_text("\n".join(["figure,data,k,value,source", *rows, ""]), encoding="utf-8")
    results.retire_searches([("census", "3")], path)
    results.record([results.Figure("best, 30 CPU s", "census", "3", "4.68", "now")], path)
    results.retire_searches([("census", "3")], path)
    assert {(row.figure, row.k, row.value) for row in results.read(path).values()} == {
        ("former best: loss %", "3", "4.66"),
        ("former best: in", "3", "60 s"),
        ("best, 60 s", "4", "6.04"),
        ("mdav", "3", "5.7"),
    }


def test_marks_that_are_missing_are_named():
    with pytest.raises(SystemExit, match="lowest-loss"):
        results.put_in("no table here", "lowest-loss", "| a |")


def test_no_search_is_below_what_is_proven_nor_above_mdav():
    """A figure that was copied to the wrong row would most likely break this order."""
    figures = results.read()
    searches = [row for name, row in figures.items() if results.is_search(name[0])]
    assert len({(row.data, row.k) for row in searches}) == 24
    for row in searches:
        bound = results.value(figures, "lower bound", row.data, int(row.k))
        assert float(bound or 0) <= float(row.value) < float(figures["mdav", row.data, row.k].value)
        assert row.source
