"""(HM)^2-Micro: a short path through the records, cut optimally."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from microagg.base.checks import check_records
from microagg.base.progress import Progress, part_of
from microagg.base.types import IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method
from microagg.partition.mhm import cut_order
from microagg.paths import check_path_options, path_with


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    path: str = "lk",
    path_options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Order the records along a short Hamiltonian path and cut that path optimally [1]_.

    Steps 3 to 6 of the paper's Algorithm 2 (distances, dummy node, Hamiltonian cycle, cut at the dummy) are one call
    of the path heuristic, which knows the dummy city and needs no matrix of distances; step 7 is the optimal cut.

    The path of "lk" is the paper's up to `microagg.paths.lk.MANY_CITIES` distinct records. Through more of them it is
    made in cells that median cuts leave together, joined and improved across their borders, so that the time grows like
    n log n.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    path : str
        The heuristic H of the paper: a name in PATHS.
    path_options : mapping, optional
        The heuristic's own options, such as `kicks` of "lk"; "nearest_neighbour" with `dummy` "city" is the one of the
        published experiments. On the command line, `--option path_options.dummy=city`.
    time_limit : float, optional
        Seconds after which a heuristic that improves its path stops: short for the option of that name.
    seed : int
        Random choices of the heuristic follow from this.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered along the path.

    References
    ----------
    .. [1] A. Maya-Lopez, F. Casino, A. Solanas. Improving multivariate microaggregation through Hamiltonian paths and
       optimal univariate microaggregation. Symmetry 13 (2021) 916.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3, path="greedy_edge").tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    if time_limit is not None:
        if "time_limit" in check_path_options(path, path_options):
            raise InvalidOption("time_limit is given twice: leave it out, or leave it out of path_options.")
        path_options = {"time_limit": time_limit, **(path_options or {})}
    order = path_with(X, path, path_options, seed=seed, threads=threads, progress=part_of(progress, 0.0, 0.9))
    return cut_order(X, order, k, progress=part_of(progress, 0.9, 1.0))


METHOD = Method(
    name="hm2",
    function=partition,
    title="(HM)^2-Micro: Hamiltonian path and the multivariate Hansen-Mukherjee cut",
    summary="a short path through the records, found by any path heuristic, is cut optimally",
    reference="Maya-Lopez, Casino and Solanas 2021",
    steps="those of the path, then n k",
    depends_on_row_order=True,
    deviations=(
        "Through more than 50,000 distinct records the path of lk is made in cells that median cuts leave together, "
        "joined and improved across their borders.",
    ),
)
