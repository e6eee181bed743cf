"""Many records: annealing of all groups at once, in near-linear time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records, check_seed, check_threads
from microagg.base.effort import NORMAL, check_effort
from microagg.base.groups import in_order, squared_error
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.constraints import Promises
from microagg.gpu import CPU, check_alone, check_device, open_device
from microagg.gpu.fast import fast_on
from microagg.partition import mdav
from microagg.partition.method import Method
from microagg.partition.promised import first_groups
from microagg.partition.univariate import optimum_on_a_line
from microagg.refine.local import local
from microagg.refine.repair import least_of

Work = tuple[int, int, int]
"""How often each record looks for another place while all groups are annealed, how many steps a chain may have, and how
often blocks are passed over."""
SMALL = 3
"""Up to this k, chains do most of the work, and less annealing is enough to begin with."""
WORK: dict[str, tuple[Work, Work]] = {
    "quick": ((200, 8, 1), (30, 14, 1)),
    "normal": ((400, 16, 3), (50, 30, 3)),
    "thorough": ((1600, 20, 8), (200, 40, 8)),
}
"""By effort: where k is above SMALL, and where it is not."""
MANY = 300_000
"""Of more records, each search is shorter, so that a million take a minute or two on two processors."""
FEW_COLUMNS = 16
"""In more columns it is not: there a shorter one would gain little on MDAV."""
WORK_ON_MANY: dict[str, tuple[Work, Work]] = {
    "quick": ((100, 2, 0), (12, 4, 0)),
    "normal": ((240, 4, 0), (12, 6, 0)),
    "thorough": ((400, 16, 3), (50, 30, 3)),
}
FEW = 30_000
"""Up to so many records, MDAV with local search takes little of the time, and is kept where it ends lower: a few far
records can hold annealing fast."""
LONGER_FOR_PAIRS = 10
"""How many more steps chains of pairs may have: many steps pay there."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    effort: str = NORMAL,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    promises: Promises | None = None,
    device: str = CPU,
) -> IntArray:
    """Partition many records quickly, with less loss than MDAV.

    Median cuts make cells, and MDAV within them the groups to start with. Near neighbours of every record are found
    once, by comparing all pairs within cells that are cut in several ways. Then all groups are annealed at once: in
    every round each group wishes that one of its records changes places with a record of a group near it, or goes
    there, and wishes that do not stand in each other's way come true. Then records move in chains: one takes the place
    of a record of a near group, which takes that of a third, and so on, until the last one takes the place that the
    first one left [1]_; a chain is made if all of it lowers the loss, though its steps alone may not, and the best
    chains of each length grow. A pass before and some passes after that found and dissolve groups: whole groups that
    lie together form large blocks; each is annealed for a short while, and what became better is kept. Every pass cuts
    other blocks, so that no border stays. Time grows like n log n, memory like n.

    In more than 16 columns, distances are much the same: more cells are compared to find neighbours, as long as they
    bring new ones; records of groups of 16 and more look at the groups whose centroids are nearest; and all groups are
    annealed before any is dissolved.

    Groups of two, where nothing but k is promised, begin elsewhere: an auction [2]_ gives every record half of one near
    neighbour and half of another, so that all costs sum to the least. Nearly all records are in pairs then; rings of an
    odd number give pairs and one group of three, and groups of three become pairs along the cheapest path of pairs
    that change their mates. Chains and passes follow.

    Records that differ in one column only get the optimal groups at once: see :mod:`microagg.partition.univariate`. Up
    to 30,000 records, the groups of MDAV with local search are given where they are better.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    effort : {"quick", "normal", "thorough"}
        How much time may go into less loss: about half of the normal time, or four times as much. Of more than 300,000
        records in up to 16 columns each is shorter than of fewer.
    seed : int
        What the random choices follow from.
    threads : int, optional
        How many threads to use; all processors by default. The labels do not depend on it.
    progress : callable, optional
        Told the fraction done.
    promises : Promises, optional
        What groups must keep beside k: the groups to start with are repaired, and no change breaks it.
    device : {"cpu", "cuda"}
        Where to do it: on a device other groups are annealed in another order, and the labels are others.

    Returns
    -------
    array of n int
        The group of each record, numbered in the order of first appearance.

    References
    ----------
    .. [1] S. Lin and B. W. Kernighan, An effective heuristic algorithm for the traveling-salesman problem, Operations
       Research 21 (1973): the chains, there of edges of a tour.

    .. [2] D. P. Bertsekas, The auction algorithm: a distributed relaxation method for the assignment problem, Annals of
       Operations Research 14 (1988).

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    check_effort(effort)
    card = None if check_device(device) == CPU else open_device(device)
    if card is not None:
        check_alone(promises)
    optimum = optimum_on_a_line(X, k) if promises is None else None
    if optimum is not None:
        return optimum
    if card is not None:
        annealed = fast_on(card, X, k, effort, seed=check_seed(seed), threads=threads, progress=progress)
        if annealed is not None:
            return annealed
    labels, kernel = np.empty(X.shape[0], dtype=np.int64), None
    if promises is not None:
        labels, kernel = first_groups(X, k, promises, seed=seed, threads=threads), promises.kernel
        k = least_of(k, labels, promises)
    is_long = len(X) <= MANY or X.shape[1] > FEW_COLUMNS
    sweeps, longest, passes = (WORK if is_long else WORK_ON_MANY)[effort][k <= SMALL]
    longest += LONGER_FOR_PAIRS if k == 2 else 0
    _core.partition_fast(
        X, k, sweeps, longest, passes, check_seed(seed), check_threads(threads), labels, progress, kernel
    )
    if promises is None and len(X) <= FEW:
        descended = local(X, mdav.partition(X, k, threads=threads), k, threads=threads)
        if squared_error(X, descended) < squared_error(X, labels):
            return in_order(descended)
    return labels


METHOD = Method(
    name="fast",
    function=partition,
    title="Annealing of all groups at once",
    summary="millions of records: MDAV in cells, then annealing of all groups at once, and in blocks",
    reference="this package",
    steps="n log n",
    depends_on_row_order=True,
)
