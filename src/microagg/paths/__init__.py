"""Paths through the records: one heuristic = one function, `function(X, *, options) -> order`, listed in PATHS.

A new heuristic costs its function, its entry in the HEURISTICS of its file, and its test. The command line, the
methods that cut a path, the common tests and the benchmark follow from PATHS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from microagg.base.options import check_options, honoured
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.errors import InvalidOption
from microagg.paths import exact, external, greedy_edge, insertion, lk, nearest_neighbour, space_filling_curve
from microagg.paths.bound import path_bound
from microagg.paths.distances import Metric, check_metric, embed_distances
from microagg.paths.heuristic import PathHeuristic
from microagg.paths.order import path_length

PATHS: dict[str, PathHeuristic] = {
    h.name: h
    for h in (
        *nearest_neighbour.HEURISTICS,
        *insertion.HEURISTICS,
        *greedy_edge.HEURISTICS,
        *space_filling_curve.HEURISTICS,
        *lk.HEURISTICS,
        *exact.HEURISTICS,
        *external.HEURISTICS,
    )
}


def get_heuristic(name: str, options: dict[str, Any]) -> PathHeuristic:
    """Look a heuristic up and check that it can honour these options.

    >>> get_heuristic("nearest_neighbour", {"start": 3}).name
    'nearest_neighbour'
    """
    heuristic = PATHS.get(name)
    if heuristic is None:
        raise InvalidOption(f"heuristic must be one of {', '.join(PATHS)}; got {name!r}.")
    check_options(f"heuristic {name!r}", heuristic.options, options)
    return heuristic


def path(
    X: npt.ArrayLike,
    heuristic: str = "lk",
    *,
    metric: Metric = "euclidean",
    seed: int = 0,
    start: int | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> IntArray:
    """Order the records of X along a short path that visits each once.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared: this function does not standardise. With metric "precomputed", the distances of n
        cities.
    heuristic : str
        A name in PATHS.
    metric : {"euclidean", "precomputed"}
        What X holds: "euclidean", records; "precomputed", the distances themselves, of any kind, as long as they are
        symmetric (`microagg.paths.distances`).
    seed : int
        Where a heuristic makes random choices, they follow from this. The same input, options and seed give the same
        order, on any number of threads, unless a time limit cuts the work short.
    start : int, optional
        The record at which the path begins. By default it begins and ends where it is shortest: the tour through the
        records and a dummy city at distance 0 from all is cut at the dummy.
    time_limit : float, optional
        Seconds after which a heuristic that improves its path stops.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done every now and then.
    **options
        The heuristic's own options.

    Returns
    -------
    array of n int
        A permutation of the row numbers.

    Examples
    --------
    >>> path([[0.0], [3.0], [1.0], [2.0]], "greedy_edge").tolist()
    [0, 2, 3, 1]
    >>> path([[0, 9, 2], [9, 0, 3], [2, 3, 0]], "exact", metric="precomputed", start=1).tolist()
    [1, 2, 0]
    """
    check_metric(metric)
    for name, value in (("start", start), ("time_limit", time_limit)):
        if value is not None:
            options[name] = value
    chosen = get_heuristic(heuristic, options)
    common = {"seed": seed, "threads": threads, "progress": progress}
    if metric == "precomputed":
        if options.get("cap") is not None:
            raise InvalidOption("cap is for records: leave it out where metric is 'precomputed'.")
        X = embed_distances(X).points
    return chosen(X, **honoured(chosen.function, common), **options)


def path_with(
    X: npt.ArrayLike,
    heuristic: str,
    options: Mapping[str, Any] | None,
    *,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Find a path for a method that takes the heuristic's own options as one option, `path_options`.

    >>> path_with([[0.0], [3.0], [1.0], [2.0]], "nearest_neighbour", {"start": 1}).tolist()
    [1, 3, 2, 0]
    >>> path_with([[0.0], [3.0], [1.0], [2.0]], "nearest_neighbour", {"seed": 1})
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidOption: heuristic 'nearest_neighbour' cannot honour the option 'seed'; it takes dummy, start.
    """
    own = check_path_options(heuristic, options)
    return path(X, heuristic, seed=seed, threads=threads, progress=progress, **own)


def check_path_options(heuristic: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Give the heuristic's own options as a dictionary, if it can honour them.

    >>> check_path_options("lk", {"kicks": 100}), check_path_options("lk", None)
    ({'kicks': 100}, {})
    """
    if options is not None and not isinstance(options, Mapping):
        raise InvalidOption(
            f"path_options must map names of the heuristic's options to values; got {options!r}. "
            "On the command line, write path_options.NAME=VALUE."
        )
    own = dict(options or {})
    get_heuristic(heuristic, own)
    return own


__all__ = [
    "PATHS",
    "PathHeuristic",
    "check_path_options",
    "get_heuristic",
    "path",
    "path_bound",
    "path_length",
    "path_with",
]
