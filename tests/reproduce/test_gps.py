"""The GPS tables of the thesis: read where they are, and asked for where they are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from microagg.errors import FileProblem
from microagg.reproduce import EXPERIMENTS, reproduce
from microagg.reproduce.gps import SURROGATE, load_records


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MICROAGG_DATA", str(tmp_path))
    monkeypatch.setenv("MICROAGG_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_a_city_is_read_and_standardised(folder: Path) -> None:
    X = np.random.default_rng(0).normal(41.0, 0.1, size=(40, 6))
    np.savetxt(folder / "madrid.csv", X, delimiter=",", header="a,b,c,d,e,f")
    expected = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    np.testing.assert_allclose(load_records("madrid"), expected, atol=1e-9)


def test_made_up_trips_stand_in_for_a_city(folder: Path) -> None:
    X = load_records(SURROGATE)
    assert X.shape == (959, 60)
    np.testing.assert_allclose(X.std(axis=0, ddof=1), 1.0)


def test_paths_take_the_cities(folder: Path) -> None:
    X = np.random.default_rng(0).normal(41.0, 0.1, size=(40, 6))
    np.savetxt(folder / "tarraco.csv", X, delimiter=",", header="a,b,c,d,e,f")
    result = reproduce(EXPERIMENTS["hm2"], folder / "out", names=["tarraco"], methods=["MDAV"], ks=[3])
    assert [(row.dataset, row.k) for row in result.comparisons] == [("tarraco", 3)]


@pytest.mark.parametrize("name", ["hm2", "correlation", "rcs"])
def test_cities_and_made_up_trips_are_run_unless_others_are_named(name: str) -> None:
    """Cities without a table are left out by the runner, which says so; nothing else is called after them."""
    names = EXPERIMENTS[name].setting("names").default
    assert {SURROGATE, "barcelona", "madrid"} <= set(names)


def test_a_city_that_is_not_there_is_asked_for(folder: Path) -> None:
    with pytest.raises(FileProblem, match=r"barcelona\.csv is not in .* name the folder in the environment variable"):
        load_records("barcelona")


def test_a_table_that_holds_no_numbers_is_refused(folder: Path) -> None:
    (folder / "madrid.csv").write_text("name\nada\n", encoding="utf-8")
    with pytest.raises(FileProblem, match="lines of numbers"):
        load_records("madrid")


def test_random_cluster_shuffling_takes_the_cities(folder: Path) -> None:
    """What can be run of Table 6.1 is run; the page says what is missing."""
    np.savetxt(
        folder / "madrid.csv", np.random.default_rng(0).normal(size=(40, 6)), delimiter=",", header="a,b,c,d,e,f"
    )
    methods = ("MDAV", "MDAV-RCS 0 x 0", "MDAV-RCS 0.1 x 10 (best kept)")
    result = reproduce(
        EXPERIMENTS["rcs"],
        folder / "out",
        names=("barcelona", "madrid"),
        methods=methods,
        ks=(3,),
        seeds=2,
        skip_missing=True,
    )
    assert {(row.dataset, row.method) for row in result.comparisons} == {("madrid", method) for method in methods}
    assert [problem[:13] for problem in result.skipped] == ["barcelona.csv"]
