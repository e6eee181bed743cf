"""MF-TSP: records that many short paths visit one after the other belong together.

for every record i: H(i) = a short Hamiltonian path that begins at i
C = how often j follows i on these paths                  (version "adjacent")
    how often i and j are at most k-1 steps apart         (version "window")
repeat: (i, j) = the largest count between records that are left
        add k-2 times the record with the largest count in row i or in column j
the records that are left over: see `partition`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_records
from microagg.base.progress import Progress, part_of
from microagg.base.types import IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method
from microagg.partition.mf_tsp_groups import LEFTOVERS, SHORT_GROUPS, count_neighbours, group_by_counts
from microagg.partition.mf_tsp_paths import check_path, find_paths

VERSIONS = ("adjacent", "window")


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    path: str = "nearest_neighbour",
    path_options: Mapping[str, Any] | None = None,
    version: Literal["adjacent", "window"] = "adjacent",
    directed: bool | None = None,
    cycle: bool = False,
    short_groups: Literal["rest", "extend"] = "rest",
    leftovers: Literal["counts", "nearest", "example"] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Group records that follow each other on many of n paths, one from each record [1]_ [2]_.

    A group begins with the two records of the largest count (i, j) and takes in, k-2 times, the record with the
    largest count in row i or in column j. Ties go to the lower row number: the published algorithm prefers the column
    then, but its example needs the row.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    path : str
        The heuristic that finds the paths: a name in PATHS that can begin at a given record, or
        "repetitive_nearest_neighbour" (see `mf_tsp_paths.repetitive_walk`). Each of the n paths costs what one path of
        this heuristic costs. "lk" gives paths near the shortest ones.
    path_options : mapping, optional
        The heuristic's own options, such as `kicks` of lk; `initial="random"` lets 2-opt and the like begin with
        another random order for every record, so that the paths differ more.
    version : {"adjacent", "window"}
        What is counted. "adjacent": how often j is the next one after i [2]_. "window": how often i and j are at most
        k-1 steps apart [1]_.
    directed : bool, optional
        Whether a count is that of j after i only (True), or of both directions together. By default "adjacent" is
        directed, as in equation (3.2) of [2]_, and "window" is not, as in Table V of [1]_.
    cycle : bool
        Whether a path goes on from its last record to its first. Both are possible in [2]_, whose example leaves the
        paths open; Table V of [1]_ counts closed ones.
    short_groups : {"rest", "extend"}
        What becomes of a group whose row and column are used up before it has k records. "rest": it is given up, and
        its records are left over [2]_. "extend", which is ours: the rows and columns of the records taken in count as
        well; a group that cannot reach k even so is given up. With "rest" and a large k most records may be left over.
    leftovers : {"counts", "nearest", "example"}, optional
        What becomes of records without a group. "counts", the default of "adjacent": groups are made as long as there
        are counts; each record left then joins the group of the record with which it has the largest count, in both
        directions together, as long as that has fewer than 2k-1 records; one without counts joins the nearest
        centroid [2]_. "nearest", the default of "window": with at most 2k-1 records left no more groups are grown; k
        or more of them are a group of their own, fewer join the nearest centroid [1]_. "example": what the example of
        [1]_ does, against its own rule: groups are grown while at least k records are left, and the others join the
        nearest centroid.
    seed : int
        Random choices of the heuristic follow from this, other ones for every path.
    threads : int, optional
        How many paths are found at a time; one per processor by default. The labels are the same on any number.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered in the order in which they are made.

    References
    ----------
    .. [1] A. Maya-Lopez, A. Solanas. Multivariate microaggregation with fixed group size based on the travelling
       salesman problem.
    .. [2] A. Maya-Lopez. Contributions to statistical disclosure control: enhancing multivariate microaggregation
       using graph theory. Doctoral thesis, Universitat Rovira i Virgili (2023), chapter 3.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [1, 0, 1, 0, 1, 0]
    """
    X = check_records(X, k)
    if version not in VERSIONS:
        raise InvalidOption(f"version must be one of {', '.join(VERSIONS)}; got {version!r}.")
    if directed is None:
        directed = version == "adjacent"
    for name, value in (("directed", directed), ("cycle", cycle)):
        if not isinstance(value, bool):
            raise InvalidOption(f"{name} must be True or False; got {value!r}.")
    if short_groups not in SHORT_GROUPS:
        raise InvalidOption(f"short_groups must be one of {', '.join(SHORT_GROUPS)}; got {short_groups!r}.")
    if leftovers is None:
        leftovers = "counts" if version == "adjacent" else "nearest"
    if leftovers not in LEFTOVERS:
        raise InvalidOption(f"leftovers must be one of {', '.join(LEFTOVERS)}; got {leftovers!r}.")
    path_options = {} if path_options is None else path_options
    check_path(path, path_options)
    if len(X) < 2 * k:
        return np.zeros(len(X), dtype=np.int64)
    reach = 1 if version == "adjacent" else k - 1
    finding = part_of(progress, 0.0, 0.9)
    paths = find_paths(X, path, path_options=path_options, seed=seed, threads=threads, progress=finding)
    counts = count_neighbours(paths, len(X), reach, directed=directed, cycle=cycle)
    return group_by_counts(X, counts, k, leftovers, short_groups)


METHOD = Method(
    name="mf_tsp",
    function=partition,
    title="Multivariate fixed-size microaggregation based on the travelling salesman problem",
    summary="records that follow each other on many of n paths, one from each record, belong together",
    reference="Maya-Lopez and Solanas; Maya-Lopez 2023",
    steps="n paths: n^2 log n in few columns, n^3 in many",
    depends_on_row_order=True,
    deviations=(
        "Of equally large counts the published algorithm prefers the column; its example needs the row, and ours takes "
        "the lower row number.",
        "For a path from a given record the text sets all distances to it to 0 and runs the heuristic on that matrix. "
        "Ours grows from that record and stays open there; only repetitive nearest neighbour follows the matrix.",
        "The text does not say how the records of step 6 are added to groups: ours join by their largest count, then "
        "the nearest centroid.",
        'short_groups="extend" is ours.',
    ),
)
