"""How different two names of a hierarchy are: Wu and Palmer's similarity, for pairs and as a matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.types import FloatArray
from microagg.errors import InvalidData, InvalidOption
from microagg.semantic.hierarchy import Hierarchy

FORMS = ("steps", "depths")
MOST_DISTANCES = 50_000_000
"""A matrix with more entries than this is refused: 400 MB."""


def similarity(hierarchy: Hierarchy, first: str, second: str, *, form: str = "steps") -> float:
    """Give the similarity of two names after Wu and Palmer, from 0 to 1, which is the same name [1]_.

    With s a least common subsumer and N3 its depth, "steps" is 2 N3 / (N1 + N2 + 2 N3), N1 and N2 the fewest steps up
    to s; "depths" is 2 N3 / (N1 + N2), N1 and N2 the depths of the names themselves. In a tree both are the same. In a
    graph the way up to s need not be the shortest one to the root, so only "steps" is certain to lie between 0 and 1
    and to be 1 for equal names only; "depths" is cut at 1. Of several least common subsumers the most similar counts.

    References
    ----------
    .. [1] Z. Wu, M. Palmer. Verbs semantics and lexical selection. Proceedings of the 32nd Annual Meeting of the
       Association for Computational Linguistics (1994) 133-138.

    Examples
    --------
    >>> animals = Hierarchy.from_edges([("wolf", "canine"), ("dog", "canine"), ("canine", "animal"), ("cat", "animal")])
    >>> similarity(animals, "wolf", "cat"), similarity(animals, "wolf", "cat", form="depths")
    (0.4, 0.4)
    """
    return 1.0 - float(distances(hierarchy, [first], [second], form=form)[0, 0])


def distances(
    hierarchy: Hierarchy, values: Sequence[str], candidates: Sequence[str] | None = None, *, form: str = "steps"
) -> FloatArray:
    """Give 1 - similarity of each value (row) to each candidate (column), every node of the hierarchy by default.

    >>> animals = Hierarchy.from_edges([("dog", "canine"), ("canine", "animal"), ("cat", "animal")])
    >>> distances(animals, ["dog", "cat"], ["dog", "cat"]).round(2).tolist()
    [[0.0, 0.6], [0.6, 0.0]]
    """
    if form not in FORMS:
        raise InvalidOption(f"form must be one of {', '.join(FORMS)}; got {form!r}.")
    rows = [hierarchy.find(value) for value in values]
    columns = np.array([hierarchy.find(name) for name in (hierarchy.names if candidates is None else candidates)])
    if len(rows) * len(columns) > MOST_DISTANCES:
        raise InvalidData(
            f"{len(rows)} values and {len(columns)} nodes need a matrix of {len(rows) * len(columns):,} distances; at "
            f"most {MOST_DISTANCES:,} are allowed. Prune the hierarchy, or use nominal columns."
        )
    steps, depths = hierarchy.steps_up, hierarchy.depths.astype(np.float64)
    result = np.empty((len(rows), len(columns)))
    for i, row in enumerate(rows):
        above = np.flatnonzero(steps[row] >= 0)
        up = steps[np.ix_(columns, above)]
        common = up >= 0
        strictly_above = (steps[np.ix_(above, above)] > 0).astype(np.float32)
        least = common & ~((common.astype(np.float32) @ strictly_above) > 0)
        if form == "steps":
            whole = steps[row, above] + up + 2.0 * depths[above]
        else:
            whole = np.broadcast_to((depths[row] + depths[columns])[:, None], up.shape)
        alike = np.where(least, 2.0 * depths[above] / np.where(least, whole, 1.0), 0.0)
        result[i] = 1.0 - np.minimum(1.0, alike.max(axis=1))
    return result
