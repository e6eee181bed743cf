"""Two stages against one run: what is measured, kept, compared with print and drawn."""

from __future__ import annotations

import json
import math
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from microagg.cli import cli
from microagg.errors import FileProblem, InvalidOption
from microagg.incremental import planner, two_stage
from microagg.partition import partition
from microagg.reproduce import incremental as experiment
from microagg.reproduce import reproduce, stages
from microagg.reproduce.incremental_figures import FIGURES, draw
from microagg.reproduce.plain_mdav import plain_mdav
from microagg.reproduce.rows import read_rows
from microagg.utility import sse

VARIANTS = list(experiment.VARIANTS)


def run(folder, **settings):
    return list(reproduce(stages.EXPERIMENT, folder, **settings).rows)


SMALL = {"names": ["gaussian5", "census3"], "ks": [5], "ratios": [0.1, 0.5], "records": 400}


@pytest.mark.parametrize("n", [3, 5, 6, 8, 9, 40, 300])
def test_plain_mdav_is_mdav(n):
    """Every tail: one group, two groups, and the loop."""
    X = np.random.default_rng(n).normal(size=(n, 3))
    np.testing.assert_array_equal(plain_mdav(X, 3), partition(X, 3))


def test_plain_mdav_groups_a_record_with_itself():
    """More than k equal records: the one that was chosen is in its own group, as in mdav."""
    X = np.array([[0.0]] * 9 + [[1.0]] * 9 + [[5.0]] * 4)
    np.testing.assert_array_equal(plain_mdav(X, 3), partition(X, 3))


@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("ratio", [0.05, 0.146, 0.3, 0.5, 0.9])
def test_plain_stages_compute_quadratically_many_distances(k, ratio):
    """Counted, not timed: (1-nu)^2 + nu^2 of the distances of one run, within a hundredth."""
    X = experiment.load("gaussian5", 3000, seed=0)

    def counted(*parts):
        numbers = []
        for part in parts:
            plain_mdav(part, k, told=numbers.append)
        return sum(numbers)

    n_base = round(3000 * (1 - ratio))
    relative = counted(X[:n_base], X[n_base:]) / counted(X)
    assert relative == pytest.approx(planner.relative_time(ratio), rel=0.01)


def test_the_fastest_of_several_runs_counts(monkeypatch):
    """By a clock of our own: the runs take 5, 3 and 4 seconds."""
    moments = iter([0.0, 5.0, 10.0, 13.0, 20.0, 24.0])
    monkeypatch.setattr(experiment.time, "process_time", lambda: next(moments))
    assert experiment._timed(lambda: "labels", 3) == ("labels", 3.0)


def test_growth_is_that_of_two_stages(tmp_path):
    """Measured from stages that run one by one, it is what `two_stage` costs; the plain variant costs the same."""
    rows = run(tmp_path, **SMALL, variants=["2MDAV", "nearest end inertia", "nearest moving end", "plain 2MDAV"])
    assert len(rows) == 2 * 2 * 4
    X = experiment.load("census3", 400, seed=0)
    options = {
        "2MDAV": {},
        "plain 2MDAV": {},
        "nearest moving end": {"rest": "nearest_moving"},
        "nearest end inertia": {"rest": "nearest", "rest_options": {"split": "end", "inertia": True}},
    }
    for row in (row for row in rows if row.dataset == "census3"):
        n_base = round(400 * (1 - row.ratio))
        expected = sse(X, two_stage(X, 5, n_base, **options[row.variant])) / sse(X, partition(X, 5)) - 1
        assert row.growth == pytest.approx(100 * expected, abs=1e-9)


@pytest.mark.parametrize(("variant", "rest"), [("nearest end", "nearest"), ("nearest moving end", "nearest_moving")])
def test_refined_variants_are_held_to_a_refined_run(variant, rest, tmp_path):
    rows = run(tmp_path, **{**SMALL, "names": ["gaussian5"]}, variants=[f"{variant} + local"])
    X = experiment.load("gaussian5", 400, seed=0)
    for row in rows:
        got = two_stage(X, 5, round(400 * (1 - row.ratio)), rest=rest, refine="local")
        assert row.growth == pytest.approx(100 * (sse(X, got) / sse(X, partition(X, 5, refine="local")) - 1), abs=1e-9)


def test_times_are_relative_to_one_run():
    row = experiment.StageRun("gaussian5", 400, 5, 0, "2MDAV", 0.5, 8.0, 2.0, 1.0, 3.0, 1)
    assert (row.base_time, row.rest_time, row.relative_time) == (0.25, 0.125, 0.375)


def test_runs_are_kept(tmp_path, monkeypatch):
    """What was run is read again, a line that was cut short is run again, and only what is missing is run."""
    kept = tmp_path / "incremental-runs.csv"
    rows = run(tmp_path, **SMALL, variants=["2MDAV"])
    assert read_rows(kept, experiment.StageRun) == rows
    kept.write_bytes(kept.read_bytes()[:-5])
    again = run(tmp_path, **SMALL, variants=["2MDAV"])
    assert [row.growth for row in again] == [row.growth for row in rows]
    monkeypatch.setattr(experiment, "measure", None)
    assert run(tmp_path, **SMALL, variants=["2MDAV"]) == again


def test_what_is_not_allowed(tmp_path):
    with pytest.raises(InvalidOption, match="dataset must be one of gaussian5"):
        run(tmp_path, names=["iris"])
    with pytest.raises(InvalidOption, match="variant must be one of 2MDAV"):
        run(tmp_path, variants=["3MDAV"])
    for wrong in (0.0, 1.0, 0.001):
        with pytest.raises(InvalidOption, match="leave at least k=10 of 1000 to each stage"):
            run(tmp_path, ks=[10], records=1000, ratios=[wrong])
    (tmp_path / "incremental-runs.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FileProblem, match="does not hold runs"):
        run(tmp_path, **SMALL)


def test_example_of_section_vi_b():
    """The planner's numbers need no runs; those of distortion are missing without."""
    claims = experiment.claims([])
    assert [claim.inside for claim in claims[:4]] == [True] * 4
    assert all(math.isnan(claim.ours) and not claim.inside for claim in claims[4:9])
    assert claims[9].ours == pytest.approx(100, abs=1.0)
    assert [claim.inside for claim in claims[10:]] == [True] * 3, "what section IV-B says of zeta_-"


def test_claims_take_the_runs_they_speak_of():
    def made(variant, ratio, growth, seconds=(1.0, 0.5, 0.1), k=10):
        return experiment.StageRun("gaussian15", 50_000, k, 0, variant, ratio, *seconds, growth, 1)

    quadratic = made("plain 2MDAV", 0.5, 0.0, (1.0, 0.25, 0.275))
    rows = [made("2MDAV", 0.1, 4.5), made("2MDAV", 0.1, 9.0, k=100), made("nearest end", 0.1, 9.0), quadratic]
    claims = experiment.claims(rows)[4:9]
    assert [claim.inside for claim in claims] == [True, False, False, False, True]
    assert (claims[0].ours, claims[3].ours) == (4.5, 9.0)
    assert claims[4].ours == pytest.approx(105.0)


def test_figures(tmp_path):
    """Every figure of the paper, for both families, with a curve for each variant."""
    rows = run(tmp_path, **{**SMALL, "ks": [10], "names": ["gaussian5", "gaussian15"]}, variants=VARIANTS)
    drawings = draw(rows)
    assert set(drawings) == {f"incremental-{figure.number}-gaussian.svg" for figure in FIGURES}
    for figure in FIGURES:
        root = ElementTree.fromstring(drawings[f"incremental-{figure.number}-gaussian.svg"])  # noqa: S314 - ours
        lines = root.findall(".//{http://www.w3.org/2000/svg}polyline")
        theory = [line for line in lines if line.get("stroke-dasharray")]
        widths = 2 if figure.every_width else 1
        assert len(lines) - len(theory) == len(figure.variants) * widths
        assert all(len(line.get("points").split()) == 2 for line in lines if line not in theory)


def test_command(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    arguments = ["reproduce", "incremental", "-o", str(tmp_path), "--datasets", "gaussian15", "--records", "500"]
    arguments += ["-k", "5", "--ratios", "0.1,0.3", "--variants", "2MDAV,nearest end"]
    shown = CliRunner().invoke(cli, arguments)
    assert shown.exit_code == 0, shown.output
    assert f"{100 * planner.optimal_ratio(5.0):.4f}" in shown.output
    found = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).output)
    assert [(row["variant"], row["ratio"]) for row in found["rows"]] == [
        ("2MDAV", 0.1),
        ("nearest end", 0.1),
        ("2MDAV", 0.3),
        ("nearest end", 0.3),
    ]
    assert (tmp_path / "incremental.csv").read_text().count("\n") == 5
    wrong = CliRunner().invoke(cli, [*arguments, "--ratios", "a tenth"])
    assert isinstance(wrong.exception, InvalidOption)
