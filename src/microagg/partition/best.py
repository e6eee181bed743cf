"""The lowest information loss that can be found in the time there is."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.arrays import FloatArray, IntArray, Progress, check_records, check_threads, part_of
from microagg.bounds import lower_bound, suits_columns
from microagg.groups import in_order
from microagg.partition.method import Method
from microagg.refine import search
from microagg.refine.local import within_range

LONG = 20.0
"""From so many seconds on, column generation has the last part of the time."""
SEARCHED = 0.5
"""How much of the time the search then has."""
MOST_RECORDS, MOST_K = 3_000, 3
"""Up to here it has been seen to find better groups than a search of the same length."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    time_limit: float | None = None,
    iterations: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Search for the partition with the lowest information loss.

    Starts from MDAV (in cells, where records are many) and hands over to :func:`microagg.refine.search`: up to some
    thousand records are annealed as one problem, by one chain for each thread, more are annealed block by block. With
    20 seconds or more, k up to 3, up to 3,000 records and HiGHS (extra ``bounds``), the second half of the time belongs
    to column generation (:func:`microagg.lower_bound`): an integer program makes the best partition of the groups that
    it found worth having.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    time_limit : float, optional
        Seconds to search; 5 by default. The labels depend on the machine then.
    iterations : int, optional
        Rounds of annealing in place of a time limit: the same seed gives the same labels, on any number of threads.
    seed : int
        What the random choices follow from.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done. A KeyboardInterrupt ends the search with the best partition so far.

    Returns
    -------
    array of n int
        The group of each record, numbered in the order of first appearance.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3, iterations=1).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = within_range(check_records(X, k))
    start = np.empty(X.shape[0], dtype=np.int64)
    _core.start_groups(X, k, check_threads(threads), start)
    if iterations is None and time_limit is not None and time_limit >= LONG and _suits(len(X), k):
        return _search_and_choose(X, start, k, time_limit, seed=seed, threads=threads, progress=progress)
    return search(
        X, start, k, time_limit=time_limit, iterations=iterations, seed=seed, threads=threads, progress=progress
    )


def _suits(n_records: int, k: int) -> bool:
    return n_records <= MOST_RECORDS and k <= MOST_K and suits_columns(n_records, k)


def _search_and_choose(
    X: FloatArray,
    start: IntArray,
    k: int,
    time_limit: float,
    *,
    seed: int,
    threads: int | None,
    progress: Progress | None,
) -> IntArray:
    """Search, then choose among the groups that column generation prices."""
    began = time.monotonic()
    limit = SEARCHED * time_limit
    first = part_of(progress, 0.0, SEARCHED)
    if first is not None and hasattr(progress, "tell_loss"):
        first.tell_loss = progress.tell_loss  # type: ignore[attr-defined, union-attr]
    found = search(X, start, k, time_limit=limit, seed=seed, threads=threads, progress=first)
    spent = time.monotonic() - began
    if spent < 0.9 * limit:  # interrupted: what there is will do
        return found
    try:
        bound = lower_bound(
            X,
            k,
            method="columns",
            time_limit=time_limit - spent,
            improve=True,
            upper=found,
            threads=threads,
            progress=part_of(progress, SEARCHED, 1.0),
        )
    except KeyboardInterrupt:
        return found
    return found if bound.partition is None else in_order(bound.partition)


METHOD = Method(
    name="best",
    function=partition,
    title="Search for the lowest loss",
    summary="annealing again and again for as long as you like to wait, the better part of everything kept",
    reference="this package; annealing after Kirkpatrick et al. 1983, crossover after Whitley et al. 2009",
    steps="as long as time_limit",
    depends_on_row_order=True,
    repeatable={"iterations": 1},
)
