"""Kernels write into arrays that Python allocates: sizes that do not agree must be an error, never a write elsewhere.

The wrong calls run in a process of their own: a crash ends that one, and is told apart from an exception.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from microagg import _core

N, M, K = 12, 3, 3
FUNCTIONS = sorted(name for name, value in vars(_core).items() if callable(value) and not inspect.isclass(value))


def good_calls() -> dict[str, dict[str, Any]]:
    """Arguments by name with which each kernel runs, on a few records."""
    X = np.random.default_rng(0).normal(size=(N, M))
    labels = np.arange(N) // K
    new = np.zeros(N, dtype=np.int64)
    partition = {"X": X, "k": K, "labels": new.copy(), "progress": None}
    threaded = {**partition, "threads": 2}
    improved = {**threaded, "labels": labels.copy(), "seed": 0}
    path = {"X": X, "order": np.arange(N), "progress": None}
    space = {
        "shapes": np.array([[0, 2, 2], [1, 3, 3], [2, 2, 3]]),
        "tables": np.array([1, 0, 1, 2, 0, 4, 4, 0, 2, 2]),
        "codes": np.array([[0, 1, 0, 1], [0, 1, 2, 2], [0, 0, 1, 1]]),
        "counts": np.array([3, 3, 3, 3]),
        "k": K,
        "progress": None,
    }
    patterns = {
        "original": X,
        "columns": np.ascontiguousarray(X[:4].T),
        "counts": np.full(4, 3),
        "reach": np.full(M, 0.5),
        "threads": 2,
        "progress": None,
    }
    promises = _core.Promises(
        np.arange(N)[:, None] // 6, np.array([2]), np.array([6, 6]), np.array([[0, 0]]), np.array([[2.0, 0.0]])
    )
    promised = {**partition, "promises": promises, "labels": labels.copy()}
    return {
        "repair_promises": {**promised, "seed": 0, "threads": 2},
        "merge_until_kept": {name: value for name, value in promised.items() if name != "k"},
        "k_anonymity_first": {**promised, "labels": new.copy()},
        "one_of_each": {"X": X, "parts": np.arange(N) % K, "labels": new.copy(), "progress": None},
        "nearest_bound": {
            **{"X": X, "k": K, "neighbours": 6, "rounds": 2, "seconds": 1.0},
            **{"prices": np.zeros(N), "threads": 2, "progress": None},
        },
        "price_groups": {
            **{
                "X": X,
                "k": K,
                "prices": np.ones(N),
                "cut_records": np.array([[0, 1, 2], [3, 4, 5]]),
                "multiples": np.ones((2, 3), dtype=np.int64),
                "divisors": np.full(2, 2),
                "penalties": np.ones(2),
                "together": np.array([[0, 1], [2, 3]]),
                "apart": np.array([[4, 5], [6, 7]]),
            },
            **{"tolerance": 1e-9, "per_seed": 2, "nodes": 100, "every": False, "threads": 2, "progress": None},
        },
        "group_means": {"X": X, "labels": labels, "weights": np.ones(N), "means": np.zeros((N // K, M))},
        "equal_rows": {"keys": np.arange(N * M).reshape(N, M) % 2, "classes": new.copy()},
        "adjoin": {
            **{"X": X, "n_base": 9, "k": K, "split": _core.Split.end, "inertia": True, "moving": True},
            **{"search": _core.Search.auto, "labels": labels.copy(), "progress": None},
        },
        "closest_groups": {
            **{"X": X, "labels": labels[:9].copy(), "first": 9},
            **{"closest": np.zeros((3, 2), dtype=np.int64), "progress": None},
        },
        "mdav": dict(threaded),
        "cbfs": dict(threaded),
        "md": dict(threaded),
        "vmdav": {**threaded, "gamma": 0.2, "seeds": _core.Seeds.single},
        "cut_order": {**partition, "order": np.arange(N)},
        "cut_sorted": {"values": np.sort(X[:, 0]), "k": K, "labels": new.copy()},
        "exact_partition": dict(partition),
        "mondrian": {**partition, "strict": True},
        "semantic_mdav": {
            **{**space, "whole_tuples": True, "recompute": True, "weighted": True},
            "labels": new[:4].copy(),
        },
        "mdav_generic": {**space, "labels": new.copy()},
        "k_modes": {**space, "initial": np.array([0, 3]), "most_rounds": 5, "labels": new[:4].copy()},
        "semantic_mondrian": {
            **{**space, "rule": 0, "literal": False, "ranks": np.array([0, 1, 0, 1, 2, 0, 1])},
            "labels": new[:4].copy(),
        },
        "mixed_search": {
            **{**space, "neighbours": 2, "exhaustive": 10, "rounds": 2, "joint": False, "threads": 2},
            **{"weights": np.ones(3), "means": np.array([False, True, False]), "labels": np.arange(N) % 4},
        },
        "mixed_start": {
            **{**space, "threads": 2, "weights": np.ones(3), "means": np.array([False, True, False])},
            "labels": new.copy(),
        },
        "mixed_exchange": {
            **{**space, "neighbours": 2, "exhaustive": 10, "rounds": 2, "sweeps": 3.0, "heat": 0.4, "seed": 0},
            **{"threads": 2, "weights": np.ones(3), "means": np.array([False, True, False])},
            "labels": np.arange(N) % 4,
        },
        "mixed_costs": {
            **{name: space[name] for name in ("shapes", "tables", "codes", "counts")},
            **{"weights": np.ones(3), "means": np.array([False, True, False])},
            **{"home": np.array([0, 1, 2]), "other": np.array([3, 1]), "x": 1},
        },
        "refine_local": {**improved, "max_passes": 2, "time_limit": 1.0},
        "near_neighbours": {"X": X, "count": 4, "seed": 0, "threads": 2, "rows": np.zeros(4 * N, dtype=np.int64)},
        "pair_up": {"X": X, "seed": 0, "threads": 2, "labels": new.copy(), "prices": np.zeros(N)},
        "start_groups": {"X": X, "k": K, "threads": 2, "labels": new.copy()},
        "partition_fast": {**threaded, "sweeps": 3, "longest": 3, "passes": 1, "seed": 0},
        "exchange": {
            **{"X": X, "k": K, "sweeps": 3, "heat": 0.2, "n_near": 4, "seed": 0, "threads": 2},
            "labels": labels.copy(),
        },
        "chains": {"X": X, "k": K, "longest": 3, "n_near": 4, "threads": 2, "labels": labels.copy()},
        "cheapest_swap": {"own": X[:3].copy(), "others": X[3:].copy(), "x": 1, "in_single": False},
        "nearest_neighbours": {
            **{"X": X, "count": 4, "threads": 2, "rows": np.zeros((N, 4), dtype=np.int64)},
            **{"distances": np.zeros((N, 4)), "progress": None},
        },
        "nearest_neighbour_path": {**path, "start": 2, "threads": 2},
        "nearest_neighbour_paths": {
            **{"X": X, "first": 4, "threads": 2, "orders": np.zeros((8, N), dtype=np.int64), "progress": None},
        },
        "best_nearest_neighbour_path": {**path, "firsts": np.arange(3), "lasts": np.arange(3) + 1, "threads": 2},
        "insertion_path": {**path, "rule": 2, "dummy": 0, "start": 1, "priority": np.arange(N + 1)},
        "greedy_edge_path": {**path, "threads": 2},
        "improve_path": {
            **{**path, "neighbours": 5, "exchange": 3, "depth": 5, "kicks": 10, "seed": 0, "seconds": 5.0},
            **{"cap": 2.0, "from_greedy": False, "from_start": False, "threads": 2},
        },
        "path_in_cells": {
            **{**path, "neighbours": 5, "exchange": 3, "depth": 5, "kicks": 10, "seed": 0, "seconds": 5.0},
            **{"cap": 2.0, "cell": 4, "threads": 2},
        },
        "held_karp_bound": {"X": X, "start": N, "upper": 100.0, "steps": 3, "progress": None},
        "link_records": {
            **{"original": X, "released": X[:4].copy(), "classes": labels, "counts": np.full(4, 3)},
            **{"threads": 2, "progress": None, "ties": new.copy()},
        },
        "count_patterns": {**patterns, "totals": np.zeros(8, dtype=np.int64)},
        "link_by_patterns": {**patterns, "classes": labels, "ranks": np.arange(8), "ties": new.copy()},
    }


FILLED = {
    "nearest_bound": {"prices"},
    "group_means": {"means"},
    "equal_rows": {"classes"},
    "closest_groups": {"closest"},
    "near_neighbours": {"rows"},
    "pair_up": {"labels", "prices"},
    "nearest_neighbours": {"rows", "distances"},
    "nearest_neighbour_path": {"order"},
    "nearest_neighbour_paths": {"orders"},
    "best_nearest_neighbour_path": {"order"},
    "insertion_path": {"order"},
    "greedy_edge_path": {"order"},
    "improve_path": {"order"},
    "path_in_cells": {"order"},
    "mixed_costs": set(),
    "link_records": {"ties"},
    "count_patterns": {"totals"},
    "link_by_patterns": {"ties"},
}
"""The arrays that a kernel may write into; the labels where it is not named."""


def array_changes(array: np.ndarray) -> dict[str, np.ndarray]:
    """The same array with another size or type."""
    other = np.float64 if array.dtype != np.float64 else np.int64
    changes = {
        "a row less": array[:-1].copy(),
        "a row more": np.concatenate([array, array[-1:]]),
        "no rows": array[:0].copy(),
        "another type": array.astype(other),
        "half the bytes": array.astype(np.float32 if array.dtype == np.float64 else np.int32),
        "another dimension": array[None].copy(),
        "with gaps": np.repeat(array, 2, axis=0)[::2],
    }
    if array.ndim == 2:
        changes["a column less"] = array[:, :-1].copy()
        changes["a column more"] = np.concatenate([array, array[:, -1:]], axis=1)
        changes["no columns"] = array[:, :0].copy()
        changes["by columns"] = np.asfortranarray(array)
    return changes


# What is another question rather than a wrong one: sizes that this argument alone sets.
FREE = {
    *(("cheapest_swap", group, f"a row {change}") for group in ("own", "others") for change in ("less", "more")),
    *(
        ("price_groups", pairs, change)
        for pairs in ("together", "apart")
        for change in ("a row less", "a row more", "no rows")
    ),
    *(("mixed_costs", group, f"a row {change}") for group in ("home", "other") for change in ("less", "more")),
    ("closest_groups", "labels", "a row less"),  # the first records have groups: how many is free
    ("closest_groups", "labels", "a row more"),
    ("closest_groups", "closest", "a column less"),  # how many groups are asked for
    ("closest_groups", "closest", "a column more"),
    ("nearest_neighbour_paths", "orders", "a row less"),  # how many starts
    ("nearest_neighbour_paths", "orders", "no rows"),
    ("equal_rows", "keys", "a column less"),  # how many columns
    ("equal_rows", "keys", "a column more"),
    ("equal_rows", "keys", "no columns"),
    ("k_modes", "initial", "a row less"),  # how many clusters to begin with
    ("k_modes", "initial", "a row more"),
    ("held_karp_bound", "X", "a row more"),  # the start, which meant none, is a row then
    ("count_patterns", "original", "a row less"),  # how many records are compared
    ("count_patterns", "original", "a row more"),
}


def only_columns(call: dict[str, Any], name: str, change: str) -> bool:
    """Whether nothing else depends on the number of columns of X."""
    return name == "X" and change in {"a column less", "a column more"} and "means" not in call


def number_changes(array: np.ndarray) -> dict[str, np.ndarray]:
    """Numbers that point outside, in arrays of positions."""
    beyond, below = array.copy(), array.copy()
    beyond.flat[-1], below.flat[-1] = 10**6, -1
    return {"a position beyond": beyond, "a position below": below}


POSITIONS = {
    ("price_groups", "cut_records"),
    ("price_groups", "multiples"),
    ("price_groups", "divisors"),
    ("price_groups", "together"),
    ("price_groups", "apart"),
    ("group_means", "labels"),
    ("closest_groups", "labels"),
    ("cut_order", "order"),
    ("improve_path", "order"),
    ("best_nearest_neighbour_path", "firsts"),
    ("best_nearest_neighbour_path", "lasts"),
    ("insertion_path", "priority"),
    ("semantic_mdav", "codes"),
    ("mdav_generic", "codes"),
    ("k_modes", "codes"),
    ("k_modes", "initial"),
    ("semantic_mondrian", "codes"),
    ("mixed_search", "codes"),
    ("mixed_search", "labels"),
    ("mixed_exchange", "codes"),
    ("mixed_exchange", "labels"),
    ("mixed_start", "codes"),
    ("mixed_costs", "codes"),
    ("mixed_costs", "home"),
    ("mixed_costs", "other"),
    ("refine_local", "labels"),
    ("repair_promises", "labels"),
    ("merge_until_kept", "labels"),
    ("one_of_each", "parts"),
    ("exchange", "labels"),
    ("chains", "labels"),
    ("link_records", "classes"),
    ("link_by_patterns", "classes"),
}
# Whole numbers that a kernel takes for granted: with these it would read or write elsewhere, or never end.
NUMBERS = {
    "k": (0, N + 1),
    "threads": (0,),
    "n_base": (0, N + 1),
    "first": (N + 1,),
    "start": (N + 1,),
    "rule": (-1, 9),
    "dummy": (-1, 9),
    "exchange": (1, 4),
    "per_seed": (0,),
    "most_rounds": (0,),
}


def wrong_calls(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of one kernel that must be refused, with what is wrong in each."""
    call = good_calls()[name]
    for argument, value in call.items():
        changes: dict[str, Any] = {}
        if isinstance(value, np.ndarray):
            changes = {
                change: array
                for change, array in array_changes(value).items()
                if (name, argument, change) not in FREE and not only_columns(call, argument, change)
            }
            if (name, argument) in POSITIONS:
                changes |= number_changes(value)
        elif argument in NUMBERS:
            changes = {f"{number}": number for number in NUMBERS[argument]}
        for change, changed in changes.items():
            yield f"{argument}: {change}", {**good_calls()[name], argument: changed}


def outcome(function: Callable[..., Any], call: dict[str, Any]) -> str:
    """How a call ended, as a word."""
    try:
        function(**call)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return "no error"


def report() -> None:
    """Write how each wrong call ended, one line of JSON each: before it, and after it."""
    for name in FUNCTIONS:
        for change, call in wrong_calls(name):
            sys.stdout.write(json.dumps([name, change]))
            sys.stdout.flush()
            sys.stdout.write(f"\t{outcome(getattr(_core, name), call)}\n")


def test_every_kernel_is_called() -> None:
    """A new binding must be listed here, or nobody would look at its sizes."""
    assert sorted(good_calls()) == FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_that_agree_are_taken(name: str) -> None:
    """What is refused below must be refused for what is wrong with it, not for the rest of the call.

    A kernel that is called in the right way gives something back or fills what it is there to fill, and reads the rest.
    """
    before, call = good_calls()[name], good_calls()[name]
    result = getattr(_core, name)(**call)
    arrays = {argument for argument, value in call.items() if isinstance(value, np.ndarray)}
    changed = {argument for argument in arrays if not np.array_equal(before[argument], call[argument])}
    assert result is not None or changed
    assert changed <= FILLED.get(name, {"labels"})


def test_arguments_that_disagree_are_errors() -> None:
    """Never a crash and never a silent copy: a process of its own ends well, and every call ended in an exception."""
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)
    calls = [line.split("\t") for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"after {calls[-1:]}: {done.stderr[-2000:]}"
    assert len(calls) == sum(len(list(wrong_calls(name))) for name in FUNCTIONS)
    assert [call for call, ended in calls if ended not in {"TypeError", "ValueError"}] == []


@pytest.mark.parametrize("rows", [np.array([N]), np.array([-1])], ids=["beyond", "below"])
def test_seen_groups_refuse_rows_that_are_not_there(rows: np.ndarray) -> None:
    """Keys of records are looked up by row."""
    seen = _core.SeenGroups(good_calls()["mdav"]["X"], 10)
    with pytest.raises(ValueError, match="rows must hold numbers of at least 0 and below 12"):
        seen.add(rows)
    with pytest.raises(ValueError, match="rows must hold numbers"):
        seen.within(rows)
    with pytest.raises(ValueError, match="labels must hold 12 numbers"):
        seen.note(np.arange(N - 1))
    with pytest.raises(ValueError, match="labels must hold numbers"):
        seen.note(np.concatenate([np.zeros(N - 1, dtype=np.int64), rows]))


def test_groups_smaller_than_k_are_refused_by_searches() -> None:
    """They make room for n / k groups and one more."""
    for name in ("chains", "refine_local"):
        call = {**good_calls()[name], "labels": np.arange(N)}
        with pytest.raises(ValueError, match="labels must be groups of at least 3 records; one has 1"):
            getattr(_core, name)(**call)


def test_an_empty_group_has_no_mean() -> None:
    """Its first record would be looked for outside the data."""
    call = {**good_calls()["group_means"], "labels": np.repeat([0, 1, 3, 3], K)}
    with pytest.raises(ValueError, match="labels must number groups without gaps; no record has label 2"):
        _core.group_means(**call)


if __name__ == "__main__":
    report()
