"""Streams of random numbers for kernels: the same for the same seed, round and purpose."""

from __future__ import annotations

import numpy as np

_MASK = 2**64 - 1


def splitmix(x: int) -> int:
    """Mix the 64 bits of a number (Steele, Lea and Flood 2014).

    >>> splitmix(0) == 0xE220A8397B1DCDAF
    True
    """
    x = (x + 0x9E3779B97F4A7C15) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def stream(seed: int, turn: int, purpose: int) -> np.uint64:
    """Give the stream of a purpose in a round.

    >>> len({stream(1, 2, 0), stream(1, 2, 0), stream(1, 2, 1)})
    2
    """
    return np.uint64(splitmix(splitmix(seed) ^ (turn * 4 + purpose)))
