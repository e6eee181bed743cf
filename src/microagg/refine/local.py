"""Local search: small changes of a partition, as long as they lower its information loss."""

from __future__ import annotations

import numpy.typing as npt

from microagg import _core
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
from microagg.gpu import CPU, check_alone, check_device, open_device
from microagg.gpu.fast import local_on
from microagg.refine.refinement import Refinement
from microagg.refine.repair import least_of, repair

PROMISED_PASSES = 2
"""Over all blocks, where nobody says: promises leave fewer changes to choose from in each."""


def check(*, max_passes: int | None = None, time_limit: float | None = None) -> None:
    """Refuse options that local search cannot use."""
    if max_passes is not None:
        check_count("max_passes", max_passes)
    check_time_limit(time_limit)


def local(
    X: npt.ArrayLike,
    labels: npt.ArrayLike,
    k: int,
    *,
    max_passes: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
    promises: Promises | None = None,
    device: str = CPU,
) -> IntArray:
    """Improve a partition until none of its records knows of a better place.

    A record may move to a group near it, or change places with a record there; a group of k may dissolve into the
    groups around it, and records that their groups can spare may found a new one. Where none of that helps any more,
    two or three groups side by side are merged and cut anew. Groups of 2k or more are split first. The result is never
    worse than what came in.

    Up to 3,000 records are worked on to the end: some ten milliseconds for a thousand records. With 4,000 and more,
    local search is no slower than MDAV for k up to 10 and a dozen columns: groups are merged only where there are few
    ways to cut them anew (three groups up to k=3, two up to k=5), and a record looks anew for the groups near it only
    when its own has moved away from it. Records are worked on in blocks of whole groups, 6,000 to 16,000 records each;
    every pass cuts other blocks, so that a border of one lies inside a block of the next. Time and memory are linear in
    n.

    Promises on confidential columns, where there are any, are kept: a partition that breaks one is repaired first (see
    `microagg.refine.repair`), and no change is made that would break one.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    labels : array of n int
        The partition to improve: groups 0 to G-1, each of at least k records.
    k : int
        Least size of a group.
    max_passes : int, optional
        How many times to go over all records, looking everything up anew; once by default. It ends early where a pass
        finds nothing.
    seed : int
        Decides where blocks are cut.
    threads : int, optional
        How many threads to use; all processors by default. The result does not depend on it.
    progress : callable, optional
        Told the fraction done.
    time_limit : float, optional
        Seconds after which to stop, wherever the search is. With a limit, the result depends on the machine.
    promises : Promises, optional
        What groups must keep beside k; see `microagg.constraints.promise`.
    device : {"cpu", "cuda"}
        Where to do it: on a device pairs of groups are annealed, all at once, and the labels are others.

    Returns
    -------
    array of n int
        The group of each record, numbered in the order of first appearance.

    Examples
    --------
    >>> local([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], [0, 0, 0, 1, 1, 1], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    improved = check_groups(labels, X.shape[0], k).copy()
    check(max_passes=max_passes, time_limit=time_limit)
    passes = 1 if max_passes is None else check_count("max_passes", max_passes)
    limit = check_time_limit(time_limit)
    if check_device(device) != CPU:
        check_alone(promises)
        if time_limit is not None:
            raise InvalidOption("local search on a device has no time_limit: say max_passes, or device='cpu'.")
        annealed = local_on(open_device(device), X, improved, k, passes, seed=check_seed(seed), progress=progress)
        if annealed is not None:
            return annealed
    seed, threads, kernel = check_seed(seed), check_threads(threads), None
    if promises is not None:
        improved = repair(X, improved, k, promises=promises, seed=seed, threads=threads)
        k, kernel = least_of(k, improved, promises), promises.kernel
        passes = max(passes, PROMISED_PASSES) if max_passes is None else passes
    _core.refine_local(X, k, passes, seed, threads, limit, improved, progress, kernel)
    return improved


REFINEMENT = Refinement(
    name="local",
    function=local,
    check=check,
    title="Local search",
    summary="records move or change places, groups are dissolved, founded, merged and cut anew while that helps",
    reference="microagg",
    steps="n",
)
