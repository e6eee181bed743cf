"""The lowest information loss that can be found in the time there is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.arrays import IntArray, Progress, check_records, check_threads
from microagg.partition.method import Method
from microagg.refine import search
from microagg.refine.local import within_range


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
    thousand records are annealed as one problem, by one chain for each thread, more are annealed block by block.

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
    return search(
        X, start, k, time_limit=time_limit, iterations=iterations, seed=seed, threads=threads, progress=progress
    )


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
