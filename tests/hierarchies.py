"""Small hierarchies that tests of several rooms use."""

from __future__ import annotations

import numpy as np

from microagg.semantic import Hierarchy

ANIMALS = Hierarchy.from_edges(
    [("wolf", "canine"), ("dog", "canine"), ("canine", "animal"), ("cat", "animal"), ("tabby", "cat")]
)
PERSON = Hierarchy.from_edges(
    [
        ("clerk", "person"),
        ("guard", "person"),
        ("person", "organism"),
        ("person", "cause"),
        ("organism", "living"),
        ("living", "entity"),
        ("cause", "entity"),
    ]
)
"""A graph that is no tree: two ways up from person, of different length."""


def random_hierarchy(seed: int, n: int, extra: int = 0) -> Hierarchy:
    """A random tree, with some edges more."""
    rng = np.random.default_rng(seed)
    edges = [(str(i), str(rng.integers(0, i))) for i in range(1, n)]
    edges += [(str(i), str(rng.integers(0, i))) for i in rng.integers(1, n, extra)]
    return Hierarchy.from_edges(edges)
