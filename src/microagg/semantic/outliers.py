"""Records that resemble nobody: rare tuples far from every frequent one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.semantic.attribute import UNIT, Attribute, compress

BLOCK = 1 << 22
"""How many distances are held at a time."""


@dataclass(frozen=True)
class Outliers:
    """What becomes of records that resemble nobody.

    Attributes
    ----------
    suppressed : array of n bool
        The records to leave out.
    hosts : array of int
        Of the records that stay, in their order: the place of the record whose group each one joins. That is its own,
        save for outliers that are not suppressed; theirs is the first record of the nearest tuple that k records share.
    """

    suppressed: BoolArray
    hosts: IntArray


def find_outliers(X: FloatArray, k: int, attributes: Sequence[Attribute], *, beyond: float, limit: float) -> Outliers:
    """Find records of tuples that fewer than k records share, far from all that k share.

    The distance is the mean over columns, each from 0 to 1. Tuples farther than `beyond` from the nearest tuple of at
    least k records are suppressed, the farthest first, as long as they are no more than the share `limit` of all
    records.

    >>> from microagg.semantic.attribute import nominal
    >>> X = np.array([[0, 0], [0, 0], [0, 1], [1, 1]], dtype=float)
    >>> columns = [nominal(["a", "b"]), nominal(["c", "d"])]
    >>> find_outliers(X, 2, columns, beyond=0.6, limit=0.3).suppressed.tolist()
    [False, False, False, True]
    >>> find_outliers(X, 2, columns, beyond=0.4, limit=0.3).hosts.tolist()
    [0, 1, 0]
    """
    if isinstance(limit, bool) or not 0 <= limit < 1:
        raise InvalidOption(f"suppress must be a share of the records from 0 up to but not 1; got {limit!r}.")
    if isinstance(beyond, bool) or not 0 <= beyond <= 1:
        raise InvalidOption(f"beyond must be a distance from 0 to 1; got {beyond!r}.")
    tuples = compress(X, k, [attribute.weighing(1.0) for attribute in attributes])
    rare, frequent = np.flatnonzero(tuples.counts < k), np.flatnonzero(tuples.counts >= k)
    if not len(frequent):
        raise InvalidOption(
            f"outliers are told by how far they lie from tuples that at least {k} records share; there are none. Leave "
            "suppress and outliers out, or use fewer or coarser columns."
        )
    tables = np.split(tuples.tables, np.cumsum([_size(shape) for shape in tuples.shapes])[:-1])
    far, host = np.empty(len(rare)), np.empty(len(rare), dtype=np.int64)
    step = max(1, BLOCK // len(frequent))
    for begin in range(0, len(rare), step):
        block = rare[begin : begin + step]
        total = np.zeros((len(block), len(frequent)))
        for shape, table, codes in zip(tuples.shapes, tables, tuples.codes, strict=True):
            total += _distances(shape, table, codes[block], codes[frequent])
        far[begin : begin + step] = total.min(axis=1) / (UNIT * len(attributes))
        host[begin : begin + step] = frequent[total.argmin(axis=1)]
    order = np.argsort(-far, kind="stable")
    order = order[far[order] > beyond]
    allowed = np.cumsum(tuples.counts[rare[order]]) <= limit * len(X)
    suppressed: BoolArray = np.isin(tuples.tuple_of, rare[order[allowed]])
    stay = np.flatnonzero(~suppressed)
    first = np.full(tuples.n_tuples, -1)
    first[tuples.tuple_of[stay][::-1]] = np.arange(len(stay))[::-1]
    hosts = np.arange(len(stay))
    host_of = np.full(tuples.n_tuples, -1)
    host_of[rare[order[~allowed]]] = first[host[order[~allowed]]]
    joins = host_of[tuples.tuple_of[stay]]
    hosts[joins >= 0] = joins[joins >= 0]
    return Outliers(suppressed, hosts)


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
