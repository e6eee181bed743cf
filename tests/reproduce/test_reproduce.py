"""The papers' experiments: printed tables, runs that are kept, comparisons and drawings."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from microagg import reproduce as module
from microagg.cli import cli
from microagg.errors import FileProblem, InvalidOption
from microagg.reproduce import EXPERIMENTS, reproduce
from microagg.reproduce.boxes import loss_boxes
from microagg.reproduce.charts import Series, scatter
from microagg.reproduce.comparison import Printed, compare_values, printed
from microagg.reproduce.correlation import coefficient, trend
from microagg.reproduce.correlation import compare as compare_coefficients
from microagg.reproduce.experiment import Experiment, Reason
from microagg.reproduce.gps import SURROGATE
from microagg.reproduce.grid import Run, compare_losses, grid
from microagg.reproduce.rows import read_rows
from microagg.reproduce.tables import to_markdown

every_experiment = pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
GRIDS = [experiment for experiment in EXPERIMENTS.values() if experiment.row is Run]
TABLES = sorted(path.stem for path in (Path(module.__file__).parent / "printed").glob("*.csv"))


class Counting:
    """A solver that counts its calls; the seed gives the order of the records."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, tuple[int, ...]]] = []

    def __call__(self, X: np.ndarray, ks: Sequence[int], seed: int) -> Iterator[tuple[int, np.ndarray, float]]:
        self.calls.append((seed, tuple(ks)))
        order = np.random.default_rng(seed).permutation(len(X))
        for k in ks:
            labels = np.empty(len(X), dtype=np.int64)
            labels[order] = np.minimum(np.arange(len(X)) // k, len(X) // k - 1)
            yield k, labels, 10.0 + seed


def small(solver: Counting) -> Experiment[Run]:
    return grid(
        name="hm2",
        title="a small one",
        source="nowhere",
        datasets=("companies", "patients"),
        ks=(2, 3),
        solvers={"MDAV": solver, "lk - MHM": solver},
        fixed=frozenset({"MDAV"}),
        tolerance=0.1,
        draw=loss_boxes("hm2"),
    )


@pytest.mark.parametrize("name", TABLES)
def test_printed_tables_can_be_read(name: str) -> None:
    entries = printed(name)
    assert entries
    assert all(entry.average > 0 and entry.source for entry in entries)
    keys = [(entry.dataset, entry.method, entry.k) for entry in entries]
    assert len(keys) == len(set(keys))
    for entry in entries:
        if not math.isnan(entry.least):
            assert entry.least <= entry.average <= entry.most


@pytest.mark.parametrize("experiment", GRIDS, ids=lambda experiment: experiment.name)
def test_every_method_that_is_run_was_printed(experiment: Experiment[Run]) -> None:
    """But for what goes beyond the papers; so that no row is lost over the spelling of a name."""
    known = {(entry.dataset, entry.method, entry.k) for entry in printed(experiment.name)}
    for dataset in experiment.setting("names").default:
        for k in experiment.setting("ks").default:
            for method in experiment.setting("methods").default:
                if experiment.name != "correlation" and "oriented" not in method and dataset != SURROGATE:
                    assert (dataset, method, k) in known


def test_fixed_methods_are_methods() -> None:
    """A misspelt one would be run for every seed without anybody noticing."""
    with pytest.raises(ValueError, match="magic is fixed"):
        grid(
            name="hm2",
            title="a misspelt one",
            source="nowhere",
            datasets=("companies",),
            ks=(2,),
            solvers={"MDAV": Counting()},
            fixed=frozenset({"magic"}),
            tolerance=0.1,
            draw=loss_boxes("hm2"),
        )


@every_experiment
def test_every_experiment_says_what_it_is(experiment: Experiment[Any]) -> None:
    """The page and the docs are made of these: a key that rows lack, or a quick setting that is refused, breaks it."""
    assert experiment.title
    assert experiment.source
    assert set(experiment.key) <= {field.name for field in fields(experiment.row)}
    assert experiment.choose(experiment.quick)
    assert len({setting.name for setting in experiment.settings}) == len(experiment.settings)


def test_runs_are_kept_and_not_repeated(tmp_path: Path) -> None:
    solver = Counting()
    reproduce(small(solver), tmp_path, names=["companies"], seeds=3, threads=1)
    assert sorted(solver.calls) == [(0, (2, 3)), (0, (2, 3)), (1, (2, 3)), (2, (2, 3))]
    solver.calls.clear()
    reproduce(small(solver), tmp_path, names=["companies"], seeds=3)
    assert solver.calls == []
    reproduce(small(solver), tmp_path, names=["companies"], seeds=4, ks=[2, 4], threads=1)
    assert sorted(solver.calls) == [(0, (4,)), (0, (4,)), (1, (4,)), (2, (4,)), (3, (2, 4))]


def test_a_line_that_was_cut_short_is_run_again(tmp_path: Path) -> None:
    solver = Counting()
    reproduce(small(solver), tmp_path, names=["companies"], seeds=2, ks=[3], methods=["lk - MHM"])
    kept = tmp_path / "hm2-runs.csv"
    whole = kept.read_text()
    kept.write_text(whole[:-9])
    solver.calls.clear()
    reproduce(small(solver), tmp_path, names=["companies"], seeds=2, ks=[3], methods=["lk - MHM"])
    assert len(solver.calls) == 1
    assert len(read_rows(kept, Run)) == 2


def test_runs_hold_the_loss_of_the_labels(tmp_path: Path) -> None:
    reproduce(small(Counting()), tmp_path, names=["patients"], seeds=2, ks=[3], methods=["lk - MHM"])
    runs = sorted(read_rows(tmp_path / "hm2-runs.csv", Run), key=lambda run: run.seed)
    assert [(run.dataset, run.k, run.seed, run.path_length) for run in runs] == [
        ("patients", 3, 0, 10.0),
        ("patients", 3, 1, 11.0),
    ]
    assert all(0 < run.information_loss < 100 and run.seconds >= 0 for run in runs)


def test_a_file_that_holds_no_runs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hm2-runs.csv").write_text("name,age\nada,36\n")
    with pytest.raises(FileProblem, match="does not hold runs"):
        reproduce(small(Counting()), tmp_path, seeds=1)


def test_means_least_and_most_stand_beside_the_printed_ones() -> None:
    entry = Printed("census", "lk - MHM", 3, 5.0, 4.0, 6.0, "somewhere")
    row = compare_values(entry, [6.0, 6.4], 0.02)
    assert (row.ours, row.ours_least, row.ours_most, row.seeds) == (6.2, 6.0, 6.4, 2)
    assert row.difference_percent == pytest.approx(24.0)
    assert not row.inside
    assert compare_values(entry, [6.11], 0.02).inside
    assert compare_values(entry, [3.93], 0.02).inside
    assert not compare_values(entry, [3.91], 0.02).inside
    alone = Printed("census", "MDAV", 3, 5.0, math.nan, math.nan, "somewhere")
    assert compare_values(alone, [5.14], 0.03).inside
    assert not compare_values(alone, [5.16], 0.03).inside


def test_markdown_has_a_column_for_each_k_and_marks_what_is_outside() -> None:
    entries = [Printed("eia", "MDAV", k, 0.5, math.nan, math.nan, "somewhere") for k in (3, 4)]
    rows = [compare_values(entry, [value], 0.02) for entry, value in zip(entries, (0.501, 0.6), strict=True)]
    assert to_markdown(rows).splitlines() == [
        "| dataset | method | seeds | k = 3 | k = 4 |",
        "|---|---|---|---|---|",
        "| eia | MDAV | 1 | 0.5010 / 0.5000 | **0.6000 / 0.5000** |",
    ]
    several = compare_values(entries[0], [0.4, 0.6], 0.02)
    assert to_markdown([several]).splitlines()[-1] == "| eia | MDAV | 2 | 0.5000 ± 0.1414 / 0.5000 |"


PATH_METHODS = [name for name in EXPERIMENTS["hm2"].setting("methods").allowed if name not in ("MDAV", "V-MDAV")]


@pytest.mark.parametrize("method", PATH_METHODS)
def test_census_is_inside_what_was_printed(tmp_path: Path, named_data: None, method: str) -> None:
    """Maya-Lopez 2023, Table 4.2: the mean of a few seeds lies in the printed range widened by 2 percent."""
    result = reproduce(EXPERIMENTS["hm2"], tmp_path, names=["census"], methods=[method], seeds=3, threads=1)
    rows = result.comparisons
    assert [row.k for row in rows] == [3, 4, 5, 6]
    assert [row.k for row in rows if not row.inside] == []


def test_comparison_takes_the_runs_that_were_printed() -> None:
    runs = [Run("census", "MDAV", 3, 0, 5.7, math.nan, 0.1), Run("census", "unheard of", 3, 0, 5.7, math.nan, 0.1)]
    rows = compare_losses(EXPERIMENTS["hm2"], runs)
    assert [(row.dataset, row.method, row.k, row.printed, row.ours) for row in rows] == [
        ("census", "MDAV", 3, 5.6922, 5.7)
    ]


def test_correlation_is_pearsons() -> None:
    lengths, losses = np.random.default_rng(0).normal(size=(2, 9)) + 20
    runs = [
        Run("census", "x", 3, i, loss, length, 0.0)
        for i, (length, loss) in enumerate(zip(lengths, losses, strict=True))
    ]
    centred = (lengths - lengths.mean()) @ (losses - losses.mean())
    expected = centred / (9 * lengths.std() * losses.std())
    assert coefficient(runs) == pytest.approx(expected)
    (row,) = compare_coefficients(EXPERIMENTS["correlation"], runs)
    assert row.printed == 0.48
    assert row.ours == pytest.approx(expected)


def test_trends_are_least_squares_and_heuristics_stand_alone_too() -> None:
    """Figs. 4.27 to 4.29: one drawing for each heuristic with k = 3, and its coefficient in a table."""
    random = np.random.default_rng(1)
    runs = [
        Run("census", method, k, seed, 5.0 + random.random(), base + random.random(), 0.0)
        for method, base in (("lk - MHM", 10.0), ("Nearest Neighbour - MHM", 20.0))
        for k in (3, 4)
        for seed in range(5)
    ]
    mine = [run for run in runs if (run.method, run.k) == ("lk - MHM", 3)]
    lengths, losses = (np.array([getattr(run, name) for run in mine]) for name in ("path_length", "information_loss"))
    design = np.column_stack([np.ones(5), lengths])
    expected = np.linalg.lstsq(design, losses, rcond=None)[0]
    for x, y in trend("t", mine).points:
        assert y == pytest.approx(expected[0] + expected[1] * x)
    experiment = EXPERIMENTS["correlation"]
    drawings = experiment.draw(runs)
    assert set(drawings) == {
        "correlation-census-3.svg",
        "correlation-census-3-lk.svg",
        "correlation-census-3-nearest-neighbour.svg",
        "correlation-census-4.svg",
    }
    assert all(drawing.count("<polyline") == 1 for drawing in drawings.values())
    (table,) = experiment.further(runs)
    assert table.rows[0][:3] == ("census", "lk - MHM", f"{coefficient(mine):.2f}")


def test_made_up_trips_are_told_beside_what_is_printed() -> None:
    runs = [Run(SURROGATE, "MDAV", 3, 0, 2.5, math.nan, 0.1)]
    runs += [Run(SURROGATE, "lk - MHM", 3, seed, 2.0 + seed, 9.0, 0.1) for seed in range(2)]
    experiment = EXPERIMENTS["hm2"]
    assert experiment.compare(experiment, runs) == []
    (table,) = experiment.further(runs)
    assert SURROGATE in table.title
    assert table.rows == (("MDAV", "2.5"), ("lk - MHM", "2.5 ± 0.71"))
    assert any("no dataset of the papers" in note for note in experiment.notes)


def test_drawings_are_well_formed_and_show_every_method() -> None:
    runs = [Run("census", m, 3, s, 5.0 + s, 9.0, 0.1) for m in ("MDAV", "a <b> & c") for s in range(4)]
    (drawing,) = loss_boxes("hm2")(runs).values()
    root = ElementTree.fromstring(drawing)  # noqa: S314
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"MDAV", "a <b> & c"} <= set(texts)
    points = ElementTree.fromstring(scatter("t", "x", "y", [Series("one", ((1.0, 1.0),))]))  # noqa: S314
    assert len(list(points.iter("{http://www.w3.org/2000/svg}circle"))) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["atlantis"]}, "dataset must be one of companies, patients"),
        ({"methods": ["magic"]}, "method must be one of MDAV"),
        ({"seeds": 0}, "seeds must be"),
    ],
)
def test_options_that_cannot_be(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        reproduce(small(Counting()), tmp_path, **options)  # type: ignore[arg-type]


def test_command_prints_one_json_object_and_writes_table_and_drawing(tmp_path: Path, named_data: None) -> None:
    out = tmp_path / "out"
    arguments = ["reproduce", "hm2", "--datasets", "census", "--methods", "MDAV,Nearest Neighbour - MHM"]
    result = CliRunner().invoke(cli, [*arguments, "-k", "3", "--seeds", "2", "-o", str(out), "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.output)["rows"]
    assert [(row["method"], row["seeds"]) for row in rows] == [("MDAV", 1), ("Nearest Neighbour - MHM", 2)]
    assert rows[0]["ours"] == pytest.approx(5.6922, abs=5e-5)
    assert rows[0]["printed_least"] is None
    with (out / "hm2.csv").open(newline="") as file:
        assert [row["method"] for row in csv.DictReader(file)] == ["MDAV", "Nearest Neighbour - MHM"]
    assert (out / "hm2-census-3.svg").read_text().startswith("<svg")


def test_command_refuses_k_that_is_no_number(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["reproduce", "rcs", "-k", "three", "-o", str(tmp_path)])
    assert result.exit_code != 0
    assert "whole numbers" in str(result.exception)


def test_what_has_no_data_is_an_error_or_is_said(tmp_path: Path) -> None:
    """Half of an experiment that could be run is worth more than none, where everything is run at once."""
    missing = FileProblem("the sea is not in the folder.")

    def load(name: str) -> np.ndarray:
        if name == "patients":
            raise missing
        return np.random.default_rng(0).normal(size=(9, 2))

    experiment = grid(
        name="hm2",
        title="a half one",
        source="nowhere",
        datasets=("companies", "patients"),
        ks=(2,),
        solvers={"MDAV": Counting()},
        fixed=frozenset({"MDAV"}),
        tolerance=0.1,
        draw=loss_boxes("hm2"),
        load=load,
    )
    with pytest.raises(FileProblem, match="the sea"):
        reproduce(experiment, tmp_path / "strict")
    result = reproduce(experiment, tmp_path / "lenient", skip_missing=True)
    assert [row.dataset for row in result.rows] == ["companies"]
    assert result.skipped == ("the sea is not in the folder.",)


def test_progress_counts_what_is_missing(tmp_path: Path) -> None:
    experiment, fractions = small(Counting()), []
    reproduce(experiment, tmp_path, names=["companies"], ks=[2], seeds=2, threads=1)
    reproduce(experiment, tmp_path, names=["companies"], ks=[2], seeds=4, threads=1, progress=fractions.append)
    assert fractions == [0.5, 1.0]


def test_unknown_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="hm2 has no setting 'ratios'; it has names, methods, ks, seeds"):
        reproduce(small(Counting()), tmp_path, ratios=[0.1])


def test_reasons_belong_to_numbers() -> None:
    entry = Printed("census", "MDAV", 7, 11.6688, math.nan, math.nan, "somewhere")
    row = compare_values(entry, [11.5979], 0.001)
    assert Reason("always").explains(row)
    assert Reason("for these", datasets=("eia", "census"), methods=("MDAV",), ks=(7, 8)).explains(row)
    for other in (Reason("", datasets=("eia",)), Reason("", methods=("V-MDAV",)), Reason("", ks=(3,))):
        assert not other.explains(row)
