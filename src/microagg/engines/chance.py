"""Numbers that follow from the row of a record, or from its values, and from nothing else: not from how records lie.

A record is drawn into a sample, or falls to one side of a cut, by the number of its row: the same one in whatever
chunks, parts or order records come. Records that are equal have equal fingerprints wherever they lie.

References
----------
G. L. Steele, D. Lea, C. H. Flood. Fast splittable pseudorandom number generators. OOPSLA (2014) 453-472.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from microagg.base.types import FloatArray, IntArray

SAMPLE, TIES, AGAIN, TOSS, GROUPS = 0, 1, 1_000, 2_000, 3_000
"""What a number is for: each use has its own, as records that were drawn by one all have low ones. AGAIN and TOSS are
followed by a round."""

Words = npt.NDArray[np.uint64]

GOLDEN = 0x9E3779B97F4A7C15
LARGEST = 2**64 - 1


def mixed(words: Words) -> Words:
    """Scatter whole numbers over all 64 bits; different ones stay different."""
    with np.errstate(over="ignore"):
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    scattered: Words = words ^ (words >> np.uint64(31))
    return scattered


def chances(rows: IntArray, seed: int, use: int) -> FloatArray:
    """Give each row a number from 0 to below 1.

    >>> chances(np.array([0, 1, 2]), 0, SAMPLE).round(3).tolist()
    [0.883, 0.432, 0.026]
    """
    start = int(mixed(np.array([(seed * GOLDEN + use) & LARGEST], dtype=np.uint64))[0])
    with np.errstate(over="ignore"):
        words = (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(GOLDEN) + np.uint64(start)
    uniform: FloatArray = (mixed(words) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return uniform


def fingerprints(columns: Sequence[Words]) -> Words:
    """Give each record two words of 64 bits that are equal where all its words are: shape (n, 2).

    Two of a billion different records have the same ones with a chance of 1 in 10^20.

    >>> both = fingerprints([np.array([1, 1, 2], dtype=np.uint64), np.array([5, 5, 5], dtype=np.uint64)])
    >>> both.shape, bool((both[0] == both[1]).all()), bool((both[0] == both[2]).any())
    ((3, 2), True, False)
    """
    sides = []
    with np.errstate(over="ignore"):
        for salt in (0x243F6A8885A308D3, 0x13198A2E03707344):
            words = np.full(len(columns[0]), salt, dtype=np.uint64)
            for column in columns:
                words = mixed(words * np.uint64(GOLDEN) + mixed(column ^ np.uint64(salt)))
            sides.append(words)
    return np.column_stack(sides)


def words_of(values: FloatArray) -> Words:
    """Give numbers as words that are equal where the numbers are: 0 and -0 are, and so are missing ones.

    >>> words = words_of(np.array([0.0, -0.0, np.nan, float("nan")]))
    >>> bool(words[0] == words[1]), bool(words[2] == words[3])
    (True, True)
    """
    plain = np.where(np.isnan(values), np.nan, values) + 0.0
    return np.ascontiguousarray(plain).view(np.uint64)
