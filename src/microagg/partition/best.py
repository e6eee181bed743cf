"""The lowest information loss that can be found in the time there is."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records, check_seed, check_threads, check_time_limit
from microagg.base.effort import NORMAL, check_effort
from microagg.base.progress import Progress, part_of
from microagg.base.types import FloatArray, IntArray
from microagg.bounds import can_choose, choose_in_regions, priced_groups
from microagg.constraints import Promises
from microagg.partition.method import Method
from microagg.partition.promised import first_groups
from microagg.refine import search
from microagg.refine.repair import least_of

SECONDS = {"quick": 1.0, "normal": 5.0, "thorough": 60.0}
"""How long to search where nobody says, by effort."""
LONG = 2.0
"""From so many seconds on, better partitions are made of groups that the search has seen."""
SEARCHED = 0.25
"""How much of the time the search has first."""
SLICE = 0.02
"""How much it has between two choices."""
CHOOSING = 0.08
"""How much of the time an integer program may take."""
PRICED = 0.2
"""How much of the time column generation may take, up to PRICED_RECORDS and PRICED_K."""
PRICED_RECORDS, PRICED_K = 3_000, 5
FIRST_GROUPS, LEAST_GROUPS = 75, 30
"""In a region: how many to begin with, and at least."""
WIDER, NARROWER = 1.5, 0.8
"""What becomes of a region's size where the program was solved without gain, and where it was not solved in time."""
MOST_RECORDS = 6_000
"""With more, nothing is remembered: all groups are annealed at once."""
MOST_SEEN = 100_000
"""Groups to choose from, at most."""


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

    Starts from MDAV (in cells, where records are many) and hands over to :func:`microagg.refine.search`: up to some
    thousand records are annealed as one problem, by one chain for each thread. With more, all groups are annealed at
    once, as `fast` does it, again and again from the start, each time three times as slowly; the better parts of all
    are kept. What is under way when the time is over is dropped, so that a longer search of so many records is never
    worse than a shorter one with the same seed.

    With 2 seconds or more, up to 6,000 records and HiGHS (extra ``bounds``), a quarter of the time goes to that
    search. Then the groups of all partitions that it came by, and for k up to 5 those that column generation prices
    [1]_, are what to choose from: region by region, an integer program finds the best partition that they make (set
    partitioning, as a memory of what was good, after [2]_), and between two such choices the search goes on from
    there. Regions grow where the program is solved easily, and shrink where it is not solved in time.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    time_limit : float, optional
        Seconds to search; by default 1, 5 or 60, as the effort says. The labels depend on the machine then.
    iterations : int, optional
        Rounds of annealing in place of a time limit: the same seed gives the same labels, on any number of threads.
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

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3, iterations=1).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    start = first_groups(X, k, promises, seed=seed, threads=threads)
    least = k if promises is None else least_of(k, start, promises)
    if time_limit is None and iterations is None:
        time_limit = SECONDS[check_effort(effort)]
    seconds = check_time_limit(time_limit)
    if iterations is None and seconds >= LONG and 4 * k <= len(X) <= MOST_RECORDS and can_choose():
        return _search_and_choose(
            X, start, least, seconds, check_seed(seed), check_threads(threads), progress, promises
        )
    return search(
        X,
        start,
        k,
        time_limit=time_limit,
        iterations=iterations,
        seed=seed,
        threads=threads,
        progress=progress,
        promises=promises,
    )


def _search_and_choose(
    X: FloatArray,
    labels: IntArray,
    k: int,
    time_limit: float,
    seed: int,
    threads: int,
    progress: Progress | None,
    promises: Promises | None,
) -> IntArray:
    """Search, choose among all groups seen, and so on: for so many seconds."""
    began = time.monotonic()
    seen = _core.SeenGroups(X, MOST_SEEN)
    random = np.random.default_rng(seed)
    size = FIRST_GROUPS * k
    kernel = None if promises is None else promises.kernel

    def spent() -> float:
        return min((time.monotonic() - began) / time_limit, 1.0)

    def search_for(share: float, *, goes_on: bool) -> bool:
        """Search from `labels`, which it improves in place; False where the user has interrupted it."""
        here = part_of(progress, spent(), min(spent() + share, 1.0), tells_loss=True)
        tell_loss = getattr(here, "tell_loss", None)
        own_seed = int(random.integers(2**63))
        seconds = share * time_limit
        error = _core.search(X, k, own_seed, threads, seconds, 0, labels, here, tell_loss, seen, goes_on, kernel)
        return not np.isnan(error)

    try:
        if not search_for(SEARCHED, goes_on=False):
            return labels
        if len(X) <= PRICED_RECORDS and k <= PRICED_K and promises is None:  # priced groups know of no promise
            for group in priced_groups(X, k, labels, seconds=PRICED * time_limit, threads=threads):
                seen.add(group)
        while True:
            seconds = min(CHOOSING, (1.0 - spent()) / 2.0) * time_limit  # a program may take longer than it is given
            chosen, solved = choose_in_regions(
                X, labels, seen, size=size, seconds=seconds, threads=threads, random=random
            )
            if not solved:
                size = max(int(NARROWER * size), LEAST_GROUPS * k)
            elif np.array_equal(chosen, labels):
                size = min(int(WIDER * size), len(X))
            labels = chosen
            share = min(SLICE, 1.0 - spent())
            if share <= 0.0:
                if progress is not None:
                    progress(1.0)
                break
            if not search_for(share, goes_on=True):
                break
    except KeyboardInterrupt:
        pass
    return labels


METHOD = Method(
    name="best",
    function=partition,
    title="Search for the lowest loss",
    summary="annealing for as long as you like to wait; partitions made of the best groups of everything seen",
    reference="this package; annealing after Kirkpatrick et al. 1983, crossover after Whitley et al. 2009",
    steps="as long as time_limit",
    depends_on_row_order=True,
    repeatable={"iterations": 1},
)
