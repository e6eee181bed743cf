"""Insertion heuristics: a tour that takes in one record after the other, each where it costs least."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_points, generator
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.paths.heuristic import PathHeuristic
from microagg.paths.order import DUMMIES, Dummy, check_dummy, check_start

_NEAREST, _FARTHEST, _CHEAPEST, _ARBITRARY = range(4)
_END = len(DUMMIES)


def nearest_insertion(
    X: npt.ArrayLike,
    *,
    dummy: Dummy = "city",
    start: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> IntArray:
    """Insert next the record nearest to the tour, where it costs least [1]_.

    The tour runs through the records and a dummy city, which has distance 0 to all of them, and is cut at the dummy.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    dummy : {"city", "last"}
        "city": the dummy is chosen and inserted by the same rule as the records, as in the published experiments. As
        soon as it is in the tour every record has distance 0 to the tour, so that nearest insertion then takes the
        records in random order, while farthest insertion takes the dummy last anyway. "last": the rule looks at
        records alone, and the tour is cut at its longest edge.
    start : int, optional
        Where the path begins: it grows from this record and stays open there, and the rule looks at records alone.
        By default the tour grows from a random record, which may end up anywhere in the path.
    seed : int
        Draws the first record, and the order of records that the rule likes equally.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The records along the path.

    References
    ----------
    .. [1] D. J. Rosenkrantz, R. E. Stearns, P. M. Lewis. An analysis of several heuristics for the traveling salesman
       problem. SIAM Journal on Computing 6 (1977) 563-581.

    Examples
    --------
    >>> nearest_insertion([[0.0], [1.0], [3.0], [2.0]], start=0).tolist()
    [0, 1, 3, 2]
    """
    return _insert(X, _NEAREST, dummy, start, seed, progress)


def farthest_insertion(
    X: npt.ArrayLike,
    *,
    dummy: Dummy = "city",
    start: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> IntArray:
    """Insert next the record farthest from the tour, where it costs least.

    Parameters and result are those of `nearest_insertion`.

    Examples
    --------
    >>> farthest_insertion([[0.0], [1.0], [3.0], [2.0]], start=0).tolist()
    [0, 1, 3, 2]
    """
    return _insert(X, _FARTHEST, dummy, start, seed, progress)


def cheapest_insertion(
    X: npt.ArrayLike,
    *,
    dummy: Dummy = "city",
    start: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> IntArray:
    """Insert next the record whose insertion makes the tour longer by the least.

    Parameters and result are those of `nearest_insertion`.

    Examples
    --------
    >>> cheapest_insertion([[0.0], [1.0], [3.0], [2.0]], start=0).tolist()
    [0, 1, 3, 2]
    """
    return _insert(X, _CHEAPEST, dummy, start, seed, progress)


def arbitrary_insertion(
    X: npt.ArrayLike,
    *,
    dummy: Dummy = "city",
    start: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> IntArray:
    """Insert the records in random order, each where it costs least.

    Parameters and result are those of `nearest_insertion`.

    Examples
    --------
    >>> arbitrary_insertion([[0.0], [1.0], [3.0], [2.0]], start=0).tolist()
    [0, 1, 3, 2]
    """
    return _insert(X, _ARBITRARY, dummy, start, seed, progress)


def _insert(
    X: npt.ArrayLike, rule: int, dummy: str, start: int | None, seed: int, progress: Progress | None
) -> IntArray:
    X = check_points(X)
    n = X.shape[0]
    check_dummy(dummy)
    random = generator(seed)
    first = int(random.integers(n)) if start is None else check_start(start, n)
    place = DUMMIES.index(dummy) if start is None else _END
    order = np.empty(n, dtype=np.int64)
    _core.insertion_path(X, rule, place, first, random.permutation(n + 1), order, progress)
    return order


HEURISTICS = tuple(
    PathHeuristic(
        name=f"{rule}_insertion",
        function=function,
        title=f"{rule.capitalize()} insertion",
        summary=summary,
        reference="Rosenkrantz, Stearns and Lewis 1977",
        steps="n^2",
    )
    for rule, function, summary in (
        ("nearest", nearest_insertion, "a tour takes in the record nearest to it, where it costs least"),
        ("farthest", farthest_insertion, "a tour takes in the record farthest from it, where it costs least"),
        ("cheapest", cheapest_insertion, "a tour takes in the record that costs least"),
        ("arbitrary", arbitrary_insertion, "a tour takes in the records in random order, each where it costs least"),
    )
)
