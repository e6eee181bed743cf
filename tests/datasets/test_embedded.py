"""The small tables are typed right: their known optima and losses come out of them, and of nothing nearby."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import oracles
import pytest

from microagg.datasets import load

KNOWN = [
    ("companies", [{1, 2, 3, 10}, {4, 5, 9}, {6, 7, 8, 11}], 0.340218),
    ("patients", [{1, 5, 9}, {2, 3, 6}, {4, 7, 8}], 0.364145),
]


def partitions(records: list[int], k: int) -> Iterator[list[list[int]]]:
    """Every partition into groups of at least k: the first record's group is chosen, then the rest is cut."""
    if not records:
        yield []
        return
    first, rest = records[0], records[1:]
    for mask in range(1 << len(rest)):
        group = [first, *(r for j, r in enumerate(rest) if mask >> j & 1)]
        left = [r for j, r in enumerate(rest) if not mask >> j & 1]
        if len(group) >= k and (not left or len(left) >= k):
            for others in partitions(left, k):
                yield [group, *others]


def standardised(name: str) -> np.ndarray:
    X = load(name).X
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def labels_of(groups: list) -> np.ndarray:
    labels = np.empty(sum(map(len, groups)), dtype=np.int64)
    for g, group in enumerate(groups):
        labels[list(group)] = g
    return labels


@pytest.mark.parametrize(("name", "optimum", "loss"), KNOWN)
def test_known_optimum_has_its_known_loss(name: str, optimum: list[set[int]], loss: float) -> None:
    Z = standardised(name)
    labels = labels_of([{row - 1 for row in group} for group in optimum])
    assert oracles.sse(Z, labels) / (Z**2).sum() == pytest.approx(loss, abs=5e-7)


@pytest.mark.parametrize(("name", "optimum", "loss"), KNOWN)
def test_no_other_partition_is_as_good(name: str, optimum: list[set[int]], loss: float) -> None:
    Z = standardised(name)
    best = min(partitions(list(range(len(Z))), 3), key=lambda groups: oracles.sse(Z, labels_of(groups)))
    assert {frozenset(row + 1 for row in group) for group in best} == {frozenset(group) for group in optimum}
