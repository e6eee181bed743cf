"""Records that resemble nobody: rare tuples far from every frequent one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.arrays import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.semantic.attribute import UNIT, Attribute, compress

BLOCK = 1 << 22
"""How many distances are held at a time."""


def find_outliers(X: FloatArray, k: int, attributes: Sequence[Attribute], *, beyond: float, limit: float) -> BoolArray:
    """Say which records to suppress: those of tuples that fewer than k records share, far from all that k share.

    The distance is the mean over columns, each from 0 to 1. Tuples farther than `beyond` from the nearest tuple of at
    least k records are suppressed, the farthest first, as long as they are no more than the share `limit` of all
    records. Those that are left go to groups like all others.

    >>> from microagg.semantic.attribute import nominal
    >>> X = np.array([[0, 0], [0, 0], [0, 1], [1, 1]], dtype=float)
    >>> columns = [nominal(["a", "b"]), nominal(["c", "d"])]
    >>> find_outliers(X, 2, columns, beyond=0.6, limit=0.3).tolist()
    [False, False, False, True]
    """
    if isinstance(limit, bool) or not 0 <= limit < 1:
        raise InvalidOption(f"suppress must be a share of the records from 0 up to but not 1; got {limit!r}.")
    if isinstance(beyond, bool) or not 0 <= beyond <= 1:
        raise InvalidOption(f"beyond must be a distance from 0 to 1; got {beyond!r}.")
    tuples = compress(X, k, [attribute.weighing(1.0) for attribute in attributes])
    rare, frequent = np.flatnonzero(tuples.counts < k), np.flatnonzero(tuples.counts >= k)
    if not len(frequent):
        raise InvalidOption(
            f"suppress needs tuples that at least {k} records share, to tell what is far from them; there are none. "
            "Leave it out, or use fewer or coarser columns."
        )
    tables = np.split(tuples.tables, np.cumsum([_size(shape) for shape in tuples.shapes])[:-1])
    far = np.empty(len(rare))
    step = max(1, BLOCK // len(frequent))
    for begin in range(0, len(rare), step):
        block = rare[begin : begin + step]
        total = np.zeros((len(block), len(frequent)))
        for shape, table, codes in zip(tuples.shapes, tables, tuples.codes, strict=True):
            total += _distances(shape, table, codes[block], codes[frequent])
        far[begin : begin + step] = total.min(axis=1) / (UNIT * len(attributes))
    order = np.argsort(-far, kind="stable")
    order = order[far[order] > beyond]
    allowed = np.cumsum(tuples.counts[rare[order]]) <= limit * len(X)
    gone: BoolArray = np.isin(tuples.tuple_of, rare[order[allowed]])
    return gone


def _size(shape: IntArray) -> int:
    measure, values, candidates = (int(part) for part in shape)
    return (1, values, values * candidates)[measure]


def _distances(shape: IntArray, table: IntArray, first: IntArray, second: IntArray) -> FloatArray:
    measure, values, candidates = (int(part) for part in shape)
    if measure == 0:
        unequal: FloatArray = (first[:, None] != second) * float(table[0])
        return unequal
    if measure == 1:
        places = table.astype(np.float64)
        return np.abs(places[first][:, None] - places[second])
    square: FloatArray = table.reshape(candidates, values)[np.ix_(second, first)].T.astype(np.float64)
    return square
