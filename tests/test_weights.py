"""Survey weights: nobody's value may be read off a weighted mean, in either engine, whatever the weights are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.aggregate import count_dominated, release_values
from microagg.base.groups import LARGEST_SHARE, bounded_weights, dominated_groups, group_means
from microagg.errors import InvalidData
from microagg.semantic import Hierarchy, hierarchical, nominal, ordinal
from microagg.semantic.centroid import group_centroids

WEIGHTS = st.one_of(
    st.floats(0.0, 10.0),
    st.sampled_from([0.0, 5e-324, 1e-300, 1.0, 1e300, 1e308, 1.7e308]),
)


def by_cells(data: pd.DataFrame, folder: Path, k: int, **asked: Any) -> tuple[pd.DataFrame, ma.Release]:
    source, target = folder / "in.parquet", folder / "out.parquet"
    data.to_parquet(source)
    release = ma.anonymize_file(source, target, k, memory="1KB", **asked)
    return pd.read_parquet(target), release


@st.composite
def strata(draw: st.DrawFn) -> tuple[int, pd.DataFrame]:
    """Strata of k to 2k-1 records: each of them is one group, whatever the values are."""
    k = draw(st.integers(2, 4))
    sizes = draw(st.lists(st.integers(k, 2 * k - 1), min_size=1, max_size=4))
    n = sum(sizes)
    return k, pd.DataFrame({
        "stratum": np.repeat(np.arange(len(sizes)), sizes),
        "a": draw(st.lists(st.floats(-1e3, 1e3), min_size=n, max_size=n)),
        "w": draw(st.lists(WEIGHTS, min_size=n, max_size=n)),
    })  # fmt: skip


ASKED: dict[str, Any] = {"quasi": ["a"], "by": "stratum", "weights": "w"}


@given(case=strata(), data=st.data())
def test_no_record_has_more_than_half_of_its_groups_value(case: tuple[int, pd.DataFrame], data: st.DataObject) -> None:
    """Moving one record by d moves what is released by d/2 at most: the (1, 50%) dominance rule, seen from outside."""
    k, frame = case
    row = data.draw(st.integers(0, len(frame) - 1))
    step = data.draw(st.sampled_from([-4096.0, 1.0, 512.0, 1e6]))
    before = ma.anonymize(frame, k, **ASKED).data["a"]
    moved = frame.copy()
    moved.loc[row, "a"] += step
    after = ma.anonymize(moved, k, **ASKED).data["a"]
    change = np.abs(after - before)
    assert change[row] <= LARGEST_SHARE * abs(step) * (1 + 1e-9) + 1e-9
    others = frame["stratum"] != frame["stratum"][row]
    assert not change[others].any()


@settings(max_examples=10)
@given(case=strata(), data=st.data())
def test_the_same_cell_by_cell(tmp_path_factory, case: tuple[int, pd.DataFrame], data: st.DataObject) -> None:
    """One rule for both engines: the released values and what is said of the weights agree."""
    k, frame = case
    whole = ma.anonymize(frame, k, **ASKED)
    cells, release = by_cells(frame, tmp_path_factory.mktemp("folder"), k, **ASKED)
    np.testing.assert_allclose(cells["a"], whole.data["a"], rtol=1e-12, atol=1e-12)
    assert [note for note in release.warnings if "weight" in note] == [
        note for note in whole.warnings if "weight" in note
    ]


@pytest.mark.parametrize(
    "weights", [[1, 0, 0, 0, 0], [100, 1, 1, 1, 1], [1e308, 1e-308, 0, 0, 0], [5e-324, 0, 0, 0, 0]]
)
def test_a_dominant_record_counts_like_the_others(tmp_path, weights: list[float]) -> None:
    """With [1, 0, 0, 0, 0] the exact value of one person was released."""
    data = pd.DataFrame({"a": [17.0, 40.0, 50.0, 60.0, 70.0], "w": np.array(weights, dtype=float)})
    release = ma.anonymize(data, 5, quasi=["a"], weights="w", exact_means=True)
    assert release.data["a"].tolist() == [pytest.approx(data["a"].mean())] * 5
    said = "Groups in which one record has more than half of the weight, or all weights are 0: 1 (5 records)."
    assert any(note.startswith(said) for note in release.warnings)
    cells, by_cell = by_cells(data, tmp_path, 5, quasi=["a"], weights="w", exact_means=True)
    assert cells["a"].tolist() == release.data["a"].tolist()
    assert any(note.startswith(said) for note in by_cell.warnings)


def test_exactly_half_is_allowed() -> None:
    X, labels = np.array([[0.0], [4.0], [8.0]]), np.zeros(3, dtype=np.int64)
    assert group_means(X, labels, np.array([1.0, 1.0, 2.0])).item() == 5.0
    assert group_means(X, labels, np.array([1.0, 1.0, 2.1])).item() == 4.0
    assert not dominated_groups(labels, np.array([1.0, 1.0, 2.0])).any()


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1e308] * 4, 4.0),
        ([5e-324] * 4, 4.0),
        ([0.0] * 4, 4.0),
        ([1.7e308, 1.7e308, 0.0, 0.0], 2.0),
        ([1e-300, 1e-300, 2e-300, 0.0], 3.5),
    ],
)
def test_weights_of_any_size(weights: list[float], expected: float) -> None:
    """Sums of 1e308 are infinite and products of 5e-324 are 0: only the ratios of weights may count."""
    X = np.array([[1.0], [3.0], [5.0], [7.0]])
    assert group_means(X, np.zeros(4, dtype=np.int64), np.array(weights)).item() == pytest.approx(expected)


@given(st.lists(WEIGHTS, min_size=2, max_size=12), st.integers(0, 2**32 - 1))
def test_bounded_weights_are_proportional_or_equal(weights: list[float], seed: int) -> None:
    labels = np.unique(np.random.default_rng(seed).integers(0, 3, len(weights)), return_inverse=True)[1].astype(
        np.int64
    )
    given = np.array(weights)
    bounded = bounded_weights(labels, given)
    for group in range(labels.max() + 1):
        mine, its = bounded[labels == group], given[labels == group]
        assert mine.sum() > 0.0
        if dominated_groups(labels, given)[group]:
            assert (mine == 1.0).all()
        else:
            assert mine.max() <= LARGEST_SHARE * mine.sum() * (1 + 1e-12)
            np.testing.assert_allclose(mine / mine.max(), its / its.max(), rtol=1e-12, atol=1e-300)


TREE = Hierarchy.from_edges([("dog", "canine"), ("wolf", "canine"), ("canine", "animal"), ("cat", "animal")])


@pytest.mark.parametrize(
    "attribute", [nominal(["a", "b", "c"]), ordinal(["a", "b", "c"]), hierarchical(TREE, ["dog", "wolf", "cat"])]
)
def test_a_dominant_record_does_not_choose_the_category(attribute) -> None:
    """A mode, a median or a semantic centroid of which one record has most of the weight is that record's category."""
    codes, labels = np.array([2, 0, 0, 0, 1]), np.zeros(5, dtype=np.int64)
    plain = group_centroids(codes, labels, attribute)
    assert plain[0] != 2
    for weights in ([100.0, 1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0], [1e308, 1e300, 0.0, 0.0, 1.0], [0.0] * 5):
        assert group_centroids(codes, labels, attribute, weights=np.array(weights)) == plain
    heavy = group_centroids(codes, labels, attribute, weights=np.array([0.0, 0.0, 0.0, 1.0, 1.0]))
    assert heavy[0] in (0, attribute.code.get("canine", 0)), "weights within the rule still count"


@pytest.mark.parametrize(
    "asked", [{"suppress": 0.2, "beyond": 0.3}, {"outliers": "join", "beyond": 0.3}, {"missing": "drop"}]
)
def test_groups_that_lost_or_took_in_records(asked: dict[str, Any]) -> None:
    """The rule holds for the groups as they are released, after suppression, joins and dropped records."""
    data = pd.DataFrame(
        {"c": [*"aaaabbbb", "z"], "a": [1.0] * 4 + [9.0] * 4 + [5.0], "w": [9.0, 1, 1, 1, 1, 1, 1, 1, 50]}
    )
    if "missing" in asked:
        data.loc[8, "a"] = np.nan
    release = ma.anonymize(data, 4, quasi=["c", "a"], weights="w", exact_means=True, **asked)
    original = data["a"].iloc[: len(release.data)]
    assert len(original) == (9 if "outliers" in asked else 8)
    for group in range(int(release.labels.max()) + 1):
        rows = release.labels == group
        weights = data["w"].iloc[: len(original)][rows]
        if weights.max() > LARGEST_SHARE * weights.sum():
            weights = weights * 0 + 1.0
            assert any("more than half of the weight" in note for note in release.warnings)
        expected = np.average(original[rows], weights=weights)
        assert release.data["a"][rows].tolist() == [pytest.approx(expected)] * int(rows.sum())


@pytest.mark.filterwarnings("ignore::microagg.errors.NotKAnonymousWarning")
def test_columns_that_are_grouped_alone() -> None:
    data = pd.DataFrame({"a": [1.0, 2.0, 8.0, 9.0], "b": [1.0, 8.0, 2.0, 9.0], "w": [5.0, 1.0, 1.0, 1.0]})
    release = ma.anonymize(data, 2, quasi=["a", "b"], weights="w", method="individual", exact_means=True)
    assert release.data["a"].tolist() == [1.5, 1.5, 8.5, 8.5]
    assert any("all weights are 0: 2 (3 records)" in note for note in release.warnings)
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert count_dominated(labels, data["w"].to_numpy()) == (2, 3)


def test_the_weight_column_is_said_to_be_released(tmp_path) -> None:
    """A weight that few share names its record as well as an identifier does."""
    data = pd.DataFrame({"a": np.arange(12.0), "w": [1.0] * 6 + [2.0] * 3 + [3.0, 4.0, 5.0]})
    said = (
        "The weight column 'w' is released as it is: 3 of 12 records have a weight that fewer than k = 3 records share"
    )
    release = ma.anonymize(data, 3, quasi=["a"], weights="w")
    assert sum(note.startswith(said) and "Round the weights" in note for note in release.warnings) == 1
    assert sum(note.startswith(said) for note in by_cells(data, tmp_path, 3, quasi=["a"], weights="w")[1].warnings) == 1
    shared = ma.anonymize(data.assign(w=1.0), 3, quasi=["a"], weights="w")
    assert (
        "The weight column 'w' is released as it is: every weight is shared by at least k = 3 records."
        in shared.warnings
    )
    assert not any("weight" in note for note in ma.anonymize(data[["a"]], 3).warnings)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, -np.inf])
def test_weights_that_cannot_be_are_refused_by_both_engines(tmp_path, bad: float) -> None:
    data = pd.DataFrame({"a": np.arange(8.0), "w": [1.0] * 5 + [bad] + [1.0] * 2})
    with pytest.raises(InvalidData, match="weights must be finite and at least 0; record 6"):
        ma.anonymize(data, 3, quasi=["a"], weights="w")
    with pytest.raises(InvalidData, match="weights must be finite and at least 0; record 6"):
        by_cells(data, tmp_path, 3, quasi=["a"], weights="w")
    assert not (tmp_path / "out.parquet").exists()


def test_released_values_are_the_bounded_means() -> None:
    X, labels = np.array([[1.0], [3.0], [10.0], [30.0]]), np.array([0, 0, 1, 1])
    assert release_values(X, labels, weights=np.array([1.0, 1.0, 9.0, 1.0])).ravel().tolist() == [2.0, 2.0, 20.0, 20.0]
