"""Search: kicks and chains again and again, keeping the better part of everything seen."""

from __future__ import annotations

import numpy.typing as npt

from microagg.base.checks import (
    check_count,
    check_groups,
    check_records,
    check_seed,
    check_threads,
    check_time_limit,
)
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.constraints import Promises
from microagg.errors import InvalidOption
from microagg.refine.refinement import Refinement
from microagg.refine.repair import least_of, repair
from microagg.refine.sequence import search_in_sequence

SECONDS = 5.0
"""How long to search where nobody says."""


def check(*, time_limit: float | None = None, iterations: int | None = None) -> None:
    """Refuse options that a search cannot use."""
    if time_limit is not None and iterations is not None:
        raise InvalidOption("give time_limit or iterations, not both: the one follows the clock, the other repeats.")
    if iterations is not None:
        check_count("iterations", iterations)
    check_time_limit(time_limit)


def search(
    X: npt.ArrayLike,
    labels: npt.ArrayLike,
    k: int,
    *,
    time_limit: float | None = None,
    iterations: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    promises: Promises | None = None,
) -> IntArray:
    """Look for the partition with the lowest information loss, starting from one that exists.

    Simulated annealing [1]_ by moves, swaps, dissolved and founded groups, where every record has a temperature of
    its own, in proportion to the distances around it. Where groups have changed, records then move in chains, one into
    the place of the next [2]_. Then, as long as there is time, some records of groups side by side change places at
    random and are repaired by local search, which is kept if it is better or, while it is warm, hardly worse [4]_;
    chains follow. Each such cooling is slower than the one before. Of its result those parts are kept that are better
    than what they replace (partition crossover [3]_): groups that overlap in the two partitions form components, which
    are independent of each other.

    The result is never worse than what came in, and that of a longer search never worse than that of a shorter one with
    the same seed: the time decides where a fixed sequence of steps ends, and nothing else.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    labels : array of n int
        The partition to start from: groups 0 to G-1, each of at least k records.
    k : int
        Least size of a group.
    time_limit : float, optional
        Seconds to search; 5 where `iterations` is not given either. How far it gets depends on the machine.
    iterations : int, optional
        Rounds of annealing, in place of a time limit: the result then depends on the seed alone.
    seed : int
        What the random choices follow from.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done; its attribute `tell_loss`, if it has one, is told the loss of the best partition so
        far, in percent. A KeyboardInterrupt (Ctrl-C, or raised by either) ends the search, and the best partition so
        far is given back; other errors are passed on.
    promises : Promises, optional
        What groups must keep beside k. A partition that breaks one is repaired first, and no change breaks one.

    Returns
    -------
    array of n int
        The group of each record, numbered in the order of first appearance.

    References
    ----------
    .. [1] S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi. Optimization by simulated annealing. Science 220 (1983) 671-680.
    .. [2] S. Lin, B. W. Kernighan. An effective heuristic algorithm for the traveling-salesman problem. Operations
       Research 21 (1973) 498-516.
    .. [3] D. Whitley, D. Hains, A. Howe. Tunneling between optima: partition crossover for the traveling salesman
       problem. GECCO 2009, 915-922.
    .. [4] O. Martin, S. W. Otto, E. W. Felten. Large-step Markov chains for the traveling salesman problem. Complex
       Systems 5 (1991) 299-326.

    Examples
    --------
    >>> search([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], [0, 0, 0, 1, 1, 1], k=3, iterations=1).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    best = check_groups(labels, X.shape[0], k).copy()
    check(time_limit=time_limit, iterations=iterations)
    if iterations is not None:
        iterations = check_count("iterations", iterations)
    limit = check_time_limit(SECONDS if time_limit is None and iterations is None else time_limit)
    seed, threads, kernel = check_seed(seed), check_threads(threads), None
    if promises is not None:
        best = repair(X, best, k, promises=promises, seed=seed, threads=threads)
        k, kernel = least_of(k, best, promises), promises.kernel
    return search_in_sequence(
        X,
        best,
        k,
        seconds=limit,
        iterations=iterations,
        seed=seed,
        threads=threads,
        progress=progress,
        promises=kernel,
    )


REFINEMENT = Refinement(
    name="search",
    function=search,
    check=check,
    title="Kicks with partition crossover",
    summary="kicks and chains again and again for some seconds, and keeps the better parts of everything seen",
    reference="Kirkpatrick, Gelatt and Vecchi 1983; Whitley, Hains and Howe 2009",
    steps="as long as it may take",
    repeatable={"iterations": 1},
)
