"""V-MDAV: groups of k that may grow to 2k-1."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records, check_threads
from microagg.base.groups import squared_error
from microagg.base.progress import Progress, part_of
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method

SEEDS = {"single": _core.Seeds.single, "moving": _core.Seeds.moving, "pairs": _core.Seeds.pairs}
GAMMAS = tuple(i / 10 for i in range(21))
"""What gamma="tenths" tries, and gamma="auto" first; that looks closer then, in steps of 0.01, around the best."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    gamma: float | Literal["auto", "tenths"] = 0.2,
    seeds: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Group records from the outside in, and let a group grow while that pays.

    A group starts as a record far out and its k-1 nearest. While it has fewer than 2k-1 records, e is the remaining
    record nearest to any of its members, at distance d_in; with d_out the distance of e to the nearest other remaining
    record, e joins if d_in < gamma * d_out [1]_. Fewer than k records left at the end each join the group with the
    nearest centroid, centroids as they were before. Ties go to the lower row number, and to the group made earlier.

    With single seeds, as published, each group starts at the record farthest from the centroid of all records; with
    moving seeds, of those that remain. With pairs the groups start as in MDAV, at the record farthest from the
    centroid of those that remain and at the one farthest from it; gamma = 0 is then MDAV itself. None is always the
    best one, so gamma="auto" tries all; moving seeds, pairs and its finer steps are ours. gamma="tenths" keeps to what
    was published.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    gamma : float, "auto" or "tenths"
        How readily groups grow, 0 (never) to 2. "tenths" tries 0, 0.1, ..., 2 and keeps the lowest loss; "auto" then
        tries steps of 0.01 around the best of them too, up to 81 runs in all.
    seeds : {"single", "moving", "pairs"}, optional
        Where groups start. By default single seeds; with gamma="auto" the best of all three.
    threads : int, optional
        How many threads to use; all processors by default. The labels are the same on any number.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered in the order in which they are made.

    References
    ----------
    .. [1] A. Solanas, A. Martinez-Balleste. V-MDAV: a multivariate microaggregation with variable group size.
       Proceedings in Computational Statistics COMPSTAT (2006) 917-925.

    Examples
    --------
    >>> X = [[1.0], [9.0], [2.0], [8.0], [1.5], [9.5], [1.2]]
    >>> partition(X, k=3, gamma=1.0).tolist()
    [1, 0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    if seeds is not None and seeds not in SEEDS:
        raise InvalidOption(f"seeds must be one of {', '.join(SEEDS)}, or None; got {seeds!r}.")
    n_threads = check_threads(threads)
    if gamma not in ("auto", "tenths"):
        return _run(X, k, check_gamma(gamma), seeds or "single", n_threads, progress)

    names = [seeds] if seeds else list(SEEDS) if gamma == "auto" else ["single"]
    total = len(names) * len(GAMMAS) + (len(_close_to(1.0)) if gamma == "auto" else 0)
    tried: dict[tuple[float, str], float] = {}
    best = np.empty(0, dtype=np.int64)

    def attempt(g: float, s: str) -> None:
        nonlocal best
        labels = _run(X, k, g, s, n_threads, part_of(progress, len(tried) / total, (len(tried) + 1) / total))
        loss = squared_error(X, labels)
        if loss < min(tried.values(), default=np.inf):
            best = labels
        tried[g, s] = loss

    for s in names:
        for g in GAMMAS:
            attempt(g, s)
    if gamma == "tenths":
        return best
    best_gamma, best_seeds = min(tried, key=lambda run: tried[run])
    for g in _close_to(best_gamma):
        attempt(g, best_seeds)
    return best


def check_gamma(gamma: object) -> float:
    """Give gamma as a float from 0 to 2.

    >>> check_gamma(1)
    1.0
    """
    if isinstance(gamma, bool) or not isinstance(gamma, int | float | np.integer | np.floating) or not 0 <= gamma <= 2:
        raise InvalidOption(f'gamma must be a number from 0 to 2, "auto" or "tenths"; got {gamma!r}.')
    return float(gamma)


def _run(X: FloatArray, k: int, gamma: float, seeds: str, threads: int, progress: Progress | None) -> IntArray:
    labels = np.empty(X.shape[0], dtype=np.int64)
    _core.vmdav(X, k, gamma, SEEDS[seeds], labels, threads, progress)
    return labels


def _close_to(gamma: float) -> list[float]:
    """Steps of 0.01 to the neighbours in GAMMAS."""
    near = (round(100 * gamma) + step for step in range(-9, 10) if step)
    return [step / 100 for step in near if 0 <= step <= 200]


METHOD = Method(
    name="vmdav",
    function=partition,
    title="Variable-size MDAV",
    summary="groups of k to 2k-1 around the records farthest from the centroid",
    reference="Solanas and Martinez-Balleste 2006",
    steps="n^2",
    deviations=(
        'Moving seeds, pairs of seeds and steps of 0.01, which gamma="auto" tries too, are ours; gamma="tenths" keeps '
        "to what was published.",
    ),
)
