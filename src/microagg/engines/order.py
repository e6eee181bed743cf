"""The order of released rows, where it must tell nothing."""

from __future__ import annotations

import secrets

import numpy as np


def secret_random() -> np.random.Generator:
    """Give random numbers that follow from nothing that is known: not from the seed, which reports print."""
    return np.random.default_rng(secrets.randbits(256))


def secret_number() -> int:
    """Give a number that nobody knows, for random numbers that several workers draw."""
    return secrets.randbits(128)
