"""The lowest information loss that can be found in the time there is."""

from __future__ import annotations

import time

import numpy.typing as npt

from microagg.base.checks import check_count, check_records, check_seed, check_threads, check_time_limit
from microagg.base.effort import NORMAL, check_effort
from microagg.base.progress import Progress, part_of
from microagg.base.types import FloatArray, IntArray
from microagg.bounds import can_choose
from microagg.constraints import Promises
from microagg.partition import exact, fast
from microagg.partition.choosing import Choosing
from microagg.partition.method import Method
from microagg.partition.promised import first_groups
from microagg.partition.univariate import optimum_on_a_line
from microagg.refine.repair import least_of
from microagg.refine.search import check
from microagg.refine.sequence import search_in_sequence

SECONDS = {"quick": 1.0, "normal": 5.0, "thorough": 60.0}
"""How long to search where nobody says, by effort."""
FEW = 18
"""Of up to so many records the optimum is found in a fraction of a second."""
START_SHARE = 0.05
"""Of the progress that is shown, for what `fast` gives."""
MOST_RECORDS = 6_000
"""With more, nothing is remembered, and there is nothing to choose from."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    time_limit: float | None = None,
    iterations: int | None = None,
    effort: str = NORMAL,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    promises: Promises | None = None,
) -> IntArray:
    """Search for the partition with the lowest information loss.

    Starts from what :mod:`fast <microagg.partition.fast>` gives. Then, again and again, some records of groups side by
    side change places at random and are repaired (a kick), which is kept if it is better or, while it is warm, hardly
    worse [3]_; after about a kick for each record, records of groups that have changed move in chains. Each such
    cooling is slower than the one before, and begins with the better parts of all. All threads kick at the same time.

    Up to 6,000 records, with HiGHS (extra ``bounds``) and after a second or so, the groups of all partitions that the
    search came by, and for k up to 5 those that column generation prices [1]_, are what to choose from: region by
    region, an integer program finds the best partition that they make (set partitioning, as a memory of what was good,
    after [2]_), while the search goes on. Regions grow where programs are easy, and shrink where they are hard.

    All of this is one sequence of steps that follows from the seed: the time only decides where it ends, and what is
    under way then is dropped. So a longer search is never worse than a shorter one with the same seed, nor than `fast`.
    Up to 18 records, and records that differ in one column only, get the optimal groups at once.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    time_limit : float, optional
        Seconds to search; by default 1, 5 or 60, as the effort says. How far it gets depends on the machine. What
        `fast` gives is there in any case, however long that takes.
    iterations : int, optional
        Of kicks and chains alone, in place of a time limit: the same seed gives the same labels, on any number of
        threads.
    effort : {"quick", "normal", "thorough"}
        How long to search where neither is given.
    seed : int
        What the random choices follow from.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done. A KeyboardInterrupt ends the search with the best partition so far.
    promises : Promises, optional
        What groups must keep beside k: the search starts from a partition that keeps it, and no change breaks it.

    Returns
    -------
    array of n int
        The group of each record, numbered in the order of first appearance.

    References
    ----------
    .. [1] D. Aloise, P. Hansen, C. Rocha, E. Santi. Column generation bounds for numerical microaggregation. Journal of
       Global Optimization 60 (2014) 165-182.
    .. [2] Y. Rochat, E. D. Taillard. Probabilistic diversification and intensification in local search for vehicle
       routing. Journal of Heuristics 1 (1995) 147-167.
    .. [3] O. Martin, S. W. Otto, E. W. Felten. Large-step Markov chains for the traveling salesman problem. Complex
       Systems 5 (1991) 299-326: kicks, local search, and the rule of annealing, there of tours.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3, iterations=1).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    check(time_limit=time_limit, iterations=iterations)
    if time_limit is None and iterations is None:
        time_limit = SECONDS[check_effort(effort)]
    seconds, began = check_time_limit(time_limit), time.monotonic()
    seed, threads = check_seed(seed), check_threads(threads)
    if promises is None and (optimum := _optimum(X, k)) is not None:
        return optimum
    try:
        start = fast.partition(
            X, k, seed=seed, threads=threads, progress=part_of(progress, 0.0, START_SHARE), promises=promises
        )
    except KeyboardInterrupt:
        return first_groups(X, k, promises, seed=seed, threads=threads)
    least = k if promises is None else least_of(k, start, promises)
    extra = None
    left = max(0.0, seconds - (time.monotonic() - began))
    if iterations is None and 4 * k <= len(X) <= MOST_RECORDS and can_choose():
        extra = Choosing(X, least, prices=promises is None, seconds=left)  # priced groups know of no promise
    return search_in_sequence(
        X,
        start,
        least,
        seconds=left,
        iterations=None if iterations is None else check_count("iterations", iterations),
        seed=seed,
        threads=threads,
        progress=part_of(progress, START_SHARE, 1.0, tells_loss=True),
        promises=None if promises is None else promises.kernel,
        extra=extra,
        is_good=True,
    )


def _optimum(X: FloatArray, k: int) -> IntArray | None:
    """Give the optimal groups, where they are found at once."""
    return exact.partition(X, k) if len(X) <= FEW else optimum_on_a_line(X, k)


METHOD = Method(
    name="best",
    function=partition,
    title="Search for the lowest loss",
    summary="kicks and chains for as long as you like to wait; the best groups of everything seen",
    reference="this package; kicks after Martin, Otto and Felten 1991, crossover after Whitley et al. 2009",
    steps="as long as time_limit",
    depends_on_row_order=True,
    repeatable={"iterations": 1},
)
