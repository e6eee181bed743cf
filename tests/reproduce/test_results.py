"""The results file, how numbers agree, the page and the docs that are made of it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner
from html_page import Page

from microagg.cli import cli
from microagg.errors import FileProblem, InvalidOption
from microagg.reproduce import EXPERIMENTS, reproduce_all
from microagg.reproduce.agreement import (
    IN_OUR_RANGE,
    IN_PRINTED_RANGE,
    UNKNOWN,
    agreement,
    by_reason,
    disagreements,
    printed_tables,
    reason_of,
)
from microagg.reproduce.comparison import Printed, PrintedComparison, ResultTable, compare_values
from microagg.reproduce.deviations import deviations
from microagg.reproduce.docs import PAGES, make_pages, publish
from microagg.reproduce.everything import read_drawings
from microagg.reproduce.page import render_results
from microagg.reproduce.results import ExperimentResult, read_results, write_results

DOCS = Path(__file__).parents[2] / "docs"


def compared(ours: float, dataset="census", method="Concorde - MHM", k=3, least=math.nan, most=math.nan, **more):
    entry = Printed(dataset, method, k, 100.0, least, most, "a paper, Table 1")
    return compare_values(entry, [ours, *more.pop("others", [])], 0.02, **more)


def result(*comparisons: PrintedComparison) -> ExperimentResult:
    table = ResultTable("More <of> it", ("method", "loss"), (("MDAV", "5.69"),))
    return ExperimentResult({"seeds": 2, "ks": (3, 4)}, comparisons, (table,), ("hm2-census-3.svg",), ("no sea.",))


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    results = {"hm2": result(compared(101.0), compared(90.0, k=4)), "rcs": ExperimentResult({}, (), (), (), ())}
    write_results(tmp_path / "results.json", results)
    again = read_results(tmp_path / "results.json")
    assert list(again) == ["hm2", "rcs"]
    assert again["hm2"].settings == {"seeds": 2, "ks": (3, 4)}
    assert again["hm2"].tables == results["hm2"].tables
    assert repr(again) == repr(results)
    assert len(json.loads((tmp_path / "results.json").read_text())["hm2"]["comparisons"]) == 2


def test_files_that_hold_no_results_are_refused(tmp_path: Path) -> None:
    assert read_results(tmp_path / "nothing.json") == {}
    for text in ("no json", '{"hm2": {}}', '{"hm2": {"settings": {}, "comparisons": [{"k": 3}]}}', "[1]"):
        (tmp_path / "other.json").write_text(text)
        with pytest.raises(FileProblem, match="does not hold results"):
            read_results(tmp_path / "other.json")


@pytest.mark.parametrize(
    ("ours", "kind"), [(100.0, "close"), (101.9, "close"), (97.9, "near"), (109.9, "near"), (89.0, "far"), (200, "far")]
)
def test_better_than_printed_is_no_agreement(ours: float, kind: str) -> None:
    assert agreement(compared(ours)) == kind


def test_tables_count_what_agrees() -> None:
    rows = [compared(ours, k=k) for k, ours in enumerate((100.0, 105.0, 150.0), start=3)]
    other = compared(100.0, measure="seconds")
    first, second = printed_tables({"hm2": result(*rows, other)})
    assert (first.close, first.near, len(first.comparisons)) == (1, 2, 3)
    assert (second.measure, second.close) == ("seconds", 1)
    (whole,) = printed_tables({"hm2": result(rows[0], compared(150.0, dataset="eia"))})
    assert [(dataset, part.close, part.near) for dataset, part in whole.by_dataset] == [("census", 1, 1), ("eia", 0, 0)]


def test_reasons_go_from_the_known_to_the_guess() -> None:
    """What is declared for a row counts before what ranges tell, and these before a guess about the whole table."""
    hm2, compress = EXPERIMENTS["hm2"], EXPERIMENTS["compress"]
    assert "best of several gamma" in reason_of(hm2, compared(80.0, method="V-MDAV", least=70.0, most=130.0))
    assert reason_of(hm2, compared(80.0, least=70.0, most=130.0)) == IN_PRINTED_RANGE
    assert reason_of(hm2, compared(80.0, others=[130.0])) == IN_OUR_RANGE
    assert reason_of(hm2, compared(80.0)) == UNKNOWN
    assert reason_of(compress, compared(80.0)).startswith("Perhaps")


def test_everything_that_is_off_is_listed_with_its_reason() -> None:
    rows = [compared(100.0), compared(120.0, k=4), compared(70.0, k=5), compared(90.0, method="V-MDAV")]
    listed = disagreements({"hm2": result(*rows)}, EXPERIMENTS)
    assert [(one.method, one.cells) for one in listed] == [
        ("Concorde - MHM", "k = 4 (+20.0%), k = 5 (-30.0%)"),
        ("V-MDAV", "k = 3 (-10.0%)"),
    ]
    assert list(by_reason(listed)) == [UNKNOWN, listed[1].reason]


def test_deviations_are_those_that_are_declared() -> None:
    listed = deviations(EXPERIMENTS)
    assert len({text for _, text in listed}) == len(listed)
    for experiment in EXPERIMENTS.values():
        texts = [text for who, text in listed if f"experiment {experiment.name}" in who.split(", ")]
        assert set(texts) == set(experiment.deviations)


def test_the_page_shows_every_number_and_escapes_what_it_shows() -> None:
    rows = [compared(101.0), compared(120.0, k=4), compared(105.0, method="a <b> & c")]
    drawing = '<svg width="10" height="20"><title>census, k = 3</title></svg>'
    text = render_results({"hm2": result(*rows)}, EXPERIMENTS, {"hm2-census-3.svg": drawing})
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert text.count('<td class="cell close"') == 1
    assert text.count('<td class="cell near"') == 1
    assert text.count('<td class="cell far"') == 1
    assert "a &lt;b&gt; &amp; c" in text
    assert "<b>" not in text
    assert 'alt="census, k = 3" width="10" height="20"' in text
    assert "no sea." in text
    assert "<script" not in text
    for experiment in EXPERIMENTS.values():
        assert experiment.name in text


def test_pages_of_the_docs_are_made_of_their_results_file() -> None:
    """So that they cannot go stale: whoever changes a page by hand, or what an experiment says, hears of it here."""
    pages = make_pages(read_results(DOCS / "published.json"), EXPERIMENTS)
    assert set(pages) == {f"{page}.md" for page in PAGES}
    for name, text in pages.items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, f"run `microagg reproduce all --docs docs` for {name}"


def test_every_experiment_has_a_page_that_exists() -> None:
    assert {experiment.page for experiment in EXPERIMENTS.values()} <= set(PAGES)


def test_publishing_keeps_what_was_not_run(tmp_path: Path) -> None:
    publish({"hm2": result(compared(101.0))}, EXPERIMENTS, tmp_path)
    publish({"rcs": result(compared(102.0, method="MDAV"))}, EXPERIMENTS, tmp_path)
    assert list(read_results(tmp_path / "published.json")) == ["hm2", "rcs"]
    page = (tmp_path / "published.md").read_text()
    assert "| census | Concorde - MHM | 1 | 101.00 / 100.00 |" in page
    assert "| census | MDAV | 1 | 102.00 / 100.00 |" in page


def test_everything_runs_and_goes_on_where_it_stopped(tmp_path: Path, named_data: None) -> None:
    """All experiments, shortly; and once more without running anything."""
    fractions: list[float] = []
    names: list[str] = []
    first = reproduce_all(
        EXPERIMENTS, tmp_path, quick=True, progress=fractions.append, begun=lambda one: names.append(one.name)
    )
    assert names == list(EXPERIMENTS)
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1.0)
    for name, outcome in first.items():
        assert outcome.skipped == ()
        assert outcome.comparisons or outcome.figures, name
        assert set(outcome.figures) <= set(read_drawings(first, tmp_path))
    runs = {path.name: path.read_bytes() for path in tmp_path.glob("*-runs.csv")}
    result = CliRunner().invoke(cli, ["reproduce", "all", "--quick", "-o", str(tmp_path), "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    assert sum(table["numbers"] for table in told["tables"]) == sum(len(one.comparisons) for one in first.values())
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*-runs.csv")} == runs
    assert repr(read_results(tmp_path / "results.json")) == repr(first)
    assert (tmp_path / "index.html").read_text().startswith("<!doctype html>")


def test_what_lacks_its_data_is_skipped_and_the_page_says_why(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MICROAGG_DATA", str(tmp_path / "nothing"))
    shown = CliRunner().invoke(
        cli, ["reproduce", "all", "--quick", "--experiments", "categorical", "-o", str(tmp_path / "out")]
    )
    assert shown.exit_code == 0, shown.output
    assert "categorical: not all was run." in shown.output
    page = (tmp_path / "out" / "index.html").read_text()
    assert "MICROAGG_DATA has no " in page
    assert str(tmp_path) not in page


def test_what_cannot_be_asked_for(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="experiments must be some of hm2"):
        reproduce_all(EXPERIMENTS, tmp_path, names=["alchemy"])
    short = CliRunner().invoke(cli, ["reproduce", "all", "--quick", "--docs", str(tmp_path), "-o", str(tmp_path)])
    assert isinstance(short.exception, InvalidOption)


def test_one_experiment_leaves_out_what_is_not_at_hand_unless_it_is_named(tmp_path: Path, named_data: None) -> None:
    arguments = ["reproduce", "rcs", "-k", "3", "--methods", "MDAV", "-o", str(tmp_path)]
    told = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).output)
    assert [row["dataset"] for row in told["rows"]] == ["census"]
    assert "barcelona.csv is not in" in told["skipped"][0]
    assert "not run: barcelona.csv is not in" in CliRunner().invoke(cli, arguments).output
    CliRunner().invoke(cli, [*arguments, "--docs", str(tmp_path)])
    assert [row.method for row in read_results(tmp_path / "published.json")["rcs"].comparisons] == ["MDAV"]
    assert "microagg reproduce rcs --methods MDAV -k 3" in (tmp_path / "published.md").read_text()
    assert str(tmp_path) not in (tmp_path / "published.md").read_text()
    named = CliRunner().invoke(cli, [*arguments, "--datasets", "census,madrid"])
    assert isinstance(named.exception, FileProblem)
