"""What every method in METHODS must do, in one body."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import oracles
import pytest
from checks import Fractions, assert_partition, groups
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.base.ranges import within_range
from microagg.errors import InfeasibleK, InvalidData, InvalidOption, NotKAnonymousWarning
from microagg.partition import METHODS, partition

KERNELS = {"mdav": oracles.mdav, "vmdav": oracles.vmdav, "cbfs": oracles.cbfs, "md": oracles.md}
ORACLES = {**KERNELS, "mst": oracles.mst, "tfrp": oracles.tfrp, "dba": oracles.dba}
"""Methods whose labels are defined step by step; the optimal ones are compared by what they reach, in their files."""

SLOW_ORACLES = {"md": 130, "mst": 70, "dba": 90}
"""Oracles that look at everything again for every group: how many records they are given."""

N_PATHS = {"mf_tsp": 300}
"""Methods that find a path from each record: how many records they are given where others take thousands."""
QUICK = {name: {"path_options": {"kicks": 2000}} for name in ("hm2", "compress", "rearrangement")}
"""Options with which a path through thousands of records takes less than a second."""

OF_ANY_SIZE = {name: m for name, m in METHODS.items() if m.most_records is None}
every_method = pytest.mark.parametrize("method", OF_ANY_SIZE)
in_any_order = pytest.mark.parametrize("method", [n for n, m in OF_ANY_SIZE.items() if not m.depends_on_row_order])
defined_by_steps = pytest.mark.parametrize("method", ORACLES)
in_a_kernel = pytest.mark.parametrize("method", KERNELS)


def run(X: npt.ArrayLike, k: int, method: str, **options: Any) -> np.ndarray:
    """Partition without the warning that `individual` is there to give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotKAnonymousWarning)
        return partition(X, k, method=method, **{**METHODS[method].repeatable, **options})


def columns_of(labels: np.ndarray) -> list[np.ndarray]:
    """The partitions in the labels: one, or one for each column."""
    return list(labels.T) if labels.ndim == 2 else [labels]


def assert_partitions(labels: np.ndarray, n_records: int, k: int) -> None:
    for column in columns_of(labels):
        assert_partition(column, n_records, k)


def gaussian(n: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, m))


def grid(n: int, m: int, side: int, seed: int = 0) -> np.ndarray:
    """Whole numbers 0..side-1: ties everywhere."""
    return np.random.default_rng(seed).integers(0, side, size=(n, m)).astype(float)


@every_method
@pytest.mark.parametrize(("n", "k"), [(2, 2), (5, 5), (9, 5), (14, 5), (15, 5), (100, 3), (101, 7), (1000, 50)])
def test_sizes_and_numbers_of_groups(method: str, n: int, k: int) -> None:
    """n = k, n < 2k, n < 3k and more: every group has at least k, and numbers have no gaps."""
    assert_partitions(run(gaussian(n, 3), k, method), n, k)


@in_any_order
def test_permuted_rows_give_permuted_groups(method: str) -> None:
    """Without ties, the order of the records in the file does not matter."""
    X = gaussian(500, 4)
    order = np.random.default_rng(1).permutation(len(X))
    plain, permuted = run(X, 4, method), run(X[order], 4, method)
    for before, after in zip(columns_of(plain[order]), columns_of(permuted), strict=True):
        assert groups(before) == groups(after)


@every_method
def test_duplicates(method: str) -> None:
    X = np.repeat(gaussian(60, 3), 5, axis=0)
    assert_partitions(run(X, 3, method), 300, 3)


@every_method
def test_constant_columns_change_nothing(method: str) -> None:
    """A column in which all agree cannot tell records apart."""
    X = gaussian(200, 3)
    padded = np.column_stack([X[:, :1], np.full(200, 7.5), X[:, 1:], np.full(200, -1e9)])
    plain, constant = run(X, 3, method), run(padded, 3, method)
    assert_partitions(constant, 200, 3)
    if plain.ndim == 1 and method != "univariate" and not METHODS[method].depends_on_row_order:
        np.testing.assert_array_equal(plain, constant)


@every_method
def test_all_records_equal(method: str) -> None:
    assert_partitions(run(np.ones((300, 4)), 7, method), 300, 7)


@every_method
def test_input_is_only_read(method: str) -> None:
    """Read-only and Fortran-ordered matrices, lists and float32 are taken as they are, and left as they were."""
    X = gaussian(120, 3).astype(np.float32).astype(np.float64)
    expected = run(X, 4, method)
    frozen = X.copy()
    frozen.setflags(write=False)
    for same in (frozen, np.asfortranarray(X), X.tolist(), X.astype(np.float32)):
        np.testing.assert_array_equal(run(same, 4, method), expected)
    np.testing.assert_array_equal(frozen, X)


@every_method
@pytest.mark.parametrize("data", ["gaussian", "grid"])
def test_equal_on_any_number_of_threads(method: str, data: str) -> None:
    n = N_PATHS.get(method, 3000)
    X = gaussian(n, 5) if data == "gaussian" else grid(n, 5, 4)
    one, *others = (run(X, 3, method, threads=threads, **QUICK.get(method, {})) for threads in (1, 2, 3))
    for labels in others:
        np.testing.assert_array_equal(labels, one)


@every_method
def test_same_call_gives_same_labels(method: str) -> None:
    X = gaussian(400, 3)
    np.testing.assert_array_equal(run(X, 3, method, seed=1), run(X, 3, method, seed=1))


@every_method
def test_progress_rises_to_the_end(method: str) -> None:
    """Every method tells on the way how far it is, and that it has ended."""
    told = Fractions()
    run(gaussian(N_PATHS.get(method, 2000), 3), 3, method, progress=told, **QUICK.get(method, {}))
    told.assert_rises()
    assert told[-1] == 1.0


@defined_by_steps
@pytest.mark.parametrize("k", [2, 3, 5, 11])
@pytest.mark.parametrize("m", [1, 2, 5, 13, 20])
def test_equals_oracle_without_ties(method: str, m: int, k: int) -> None:
    X = gaussian(SLOW_ORACLES.get(method, 250), m, seed=k)
    np.testing.assert_array_equal(run(X, k, method), ORACLES[method](X, k))


@defined_by_steps
@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize(("m", "side"), [(1, 5), (2, 4), (3, 3), (6, 2), (13, 3)])
def test_equals_oracle_with_ties(method: str, m: int, side: int, k: int) -> None:
    X = grid(min(SLOW_ORACLES.get(method, 150), 150), m, side, seed=k)
    np.testing.assert_array_equal(run(X, k, method), ORACLES[method](X, k))


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("values", [[0.1, 0.3], [0.0, 0.1, 0.7], [1.0]])
def test_equals_oracle_where_most_records_are_equal(values: list[float], k: int) -> None:
    """Whole blocks of equal records, which are measured once and passed over by their lowest row."""
    X = np.random.default_rng(k).choice(values, size=(700, 2))
    np.testing.assert_array_equal(run(X, k, "mdav"), ORACLES["mdav"](X, k))


@defined_by_steps
@pytest.mark.parametrize(
    "stretch",
    [
        lambda X: X + 1e9,
        lambda X: X * 1e-12 + 1.0,
        lambda X: X * 10.0 ** np.arange(-15, 16, 10)[: X.shape[1]],
        lambda X: np.exp(6 * X),
        lambda X: np.where(np.arange(len(X))[:, None] % 50 == 0, X * 1e12, X),
        lambda X: X * 1e-170,
        lambda X: X * 1e-300,
        lambda X: X * 1e160,
        lambda X: np.round(X, 1) * 1e-9 + (np.arange(len(X)) % 3)[:, None],
        lambda X: np.where(X > 0, 5e-324, -1e-310),
    ],
    ids=[
        "offset",
        "dense",
        "scales",
        "skewed",
        "outliers",
        "tiny",
        "tiniest",
        "huge",
        "clusters",
        "subnormal",
    ],
)
def test_equals_oracle_where_digits_are_scarce(method: str, stretch: Callable[[np.ndarray], np.ndarray]) -> None:
    """Whatever filters candidates in fewer digits must never decide; numbers that cannot be squared are scaled."""
    X = stretch(gaussian(min(SLOW_ORACLES.get(method, 150), 150), 4))
    np.testing.assert_array_equal(run(X, 3, method), ORACLES[method](within_range(X), 3))


@defined_by_steps
def test_records_that_left_far_off(method: str) -> None:
    """The last to remain differ by 1e-120; what lies farthest from a record 1e9 away that has left is still exact."""
    X = np.zeros((33, 3))
    X[[0, 4, 12, 24], [2, 1, 2, 2]] = [-6e8, -7e8, 4e8, -4e8]
    X[[15, 30], 0] = 5e-120
    np.testing.assert_array_equal(run(X, 3, method), ORACLES[method](X, 3))


@defined_by_steps
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_equals_oracle_on_anything(method: str, data: st.DataObject) -> None:
    n, m = data.draw(st.integers(2, 40)), data.draw(st.integers(1, 4))
    k = data.draw(st.integers(2, n))
    values = data.draw(
        st.sampled_from([st.integers(-2, 2).map(float), st.floats(-1e6, 1e6), st.floats(-1, 1, width=16)])
    )
    X = data.draw(arrays(np.float64, (n, m), elements=values))
    labels = run(X, k, method)
    assert_partitions(labels, n, k)
    np.testing.assert_array_equal(labels, ORACLES[method](within_range(X), k))


@every_method
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_groups_of_k_on_anything(method: str, data: st.DataObject) -> None:
    n, m = data.draw(st.integers(2, 60)), data.draw(st.integers(1, 3))
    k = data.draw(st.integers(2, n))
    X = data.draw(arrays(np.float64, (n, m), elements=st.floats(-1e9, 1e9)))
    assert_partitions(run(X, k, method), n, k)


@every_method
@pytest.mark.parametrize("k", [-1, 0, 1, 6, 2.0, True, "3"])
def test_k_that_cannot_be(method: str, k: Any) -> None:
    with pytest.raises(InfeasibleK, match="k must be"):
        run(gaussian(5, 2), k, method)


@every_method
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, np.nan], [2.0, 3.0]], "record 0, column 1"),
        ([[1.0, 2.0], [np.inf, 3.0]], "record 1, column 0"),
        (np.empty((0, 2)), "at least one record"),
        (np.empty((2, 0)), "at least one column"),
        ([1.0, 2.0], "2 dimensions"),
        ([["a"], ["b"]], "numbers only"),
    ],
)
def test_data_that_cannot_be_used(method: str, X: npt.ArrayLike, message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        run(X, 2, method)


@every_method
def test_unknown_option_is_refused(method: str) -> None:
    with pytest.raises(InvalidOption, match="cannot honour the option 'colour'"):
        run(gaussian(9, 2), 3, method, colour="blue")


def test_unknown_method_names_those_that_exist() -> None:
    with pytest.raises(InvalidOption, match="mdav, vmdav, cbfs, md, mst, tfrp, dba, univariate, individual, "):
        partition(gaussian(9, 2), 3, method="nosuch")


@in_a_kernel
@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_threads_that_cannot_be(method: str, threads: Any) -> None:
    with pytest.raises(InvalidOption, match="threads must be"):
        run(gaussian(9, 2), 3, method, threads=threads)


@in_a_kernel
@pytest.mark.parametrize("threads", [1, 3])
def test_a_kernel_can_be_interrupted(method: str, threads: int) -> None:
    """What progress raises comes out of the kernel, which is how Ctrl-C does, and threads are gone by then."""

    class Stop(Fractions):
        def __call__(self, fraction: float) -> None:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        run(gaussian(5_000, 4), 2, method, threads=threads, progress=Stop())
    assert_partitions(run(gaussian(100, 4), 2, method, threads=threads), 100, 2)
