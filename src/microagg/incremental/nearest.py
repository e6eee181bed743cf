"""New records join the groups that exist, each the one with the nearest centroid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_groups, check_k, check_records
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.errors import InvalidOption

SPLITS = {"none": _core.Split.none, "middle": _core.Split.middle, "end": _core.Split.end}


def nearest(
    X: npt.ArrayLike,
    labels_base: npt.ArrayLike,
    n_base: int,
    k: int,
    *,
    split: str = "end",
    inertia: bool = False,
    progress: Progress | None = None,
) -> IntArray:
    """Let the records after the first `n_base` join groups of the first ones, as published.

    Each new record joins the group whose centroid in the base stage is the nearest, the lower group on a tie; the
    centroids of the groups that have grown are updated once, afterwards [1]_. So the order of the new records does not
    matter, save with split="middle" or inertia. `nearest_moving` updates them with each record, which loses less.

    Parameters
    ----------
    X : array of shape (n, m)
        All records, prepared: those of the base stage first, then the new ones in the order of their arrival.
    labels_base : array of n_base int
        The groups of the first records, 0 to G-1, each of at least k.
    n_base : int
        How many records have a group, k to n.
    k : int
        Least size of a group.
    split : {"none", "middle", "end"}
        When groups of 2k or more are split by MDAV: never, as soon as a new record makes one so large, or when
        every record has a group. Split in the middle, the parts have centroids of their own from then on.
    inertia : bool
        Weigh the squared distance to a centroid by s/(s+1), s being the size that the group has grown to: the sum of
        squared errors grows by exactly that where the centroid moves with the record.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record. Groups keep their numbers; of one that is split the first part does, and the other
        parts get new ones.

    References
    ----------
    .. [1] D. Rebollo-Monedero, C. Hernandez-Baigorri, J. Forne, M. Soriano. Incremental k-anonymous microaggregation
       in large-scale electronic surveys with optimized scheduling. IEEE Access 6 (2018) 60016-60044, sections III-B.6
       and IV-D.

    Examples
    --------
    >>> X = [[1.0], [2.0], [8.0], [9.0], [2.5], [8.5], [1.5]]
    >>> nearest(X, [0, 0, 1, 1], 4, k=2, split="none").tolist()
    [0, 0, 1, 1, 0, 1, 0]
    >>> nearest(X, [0, 0, 1, 1], 4, k=2, split="end").tolist()
    [0, 2, 1, 1, 2, 1, 0]
    """
    return _join(X, labels_base, n_base, k, split, inertia, progress, moving=False)


def nearest_moving(
    X: npt.ArrayLike,
    labels_base: npt.ArrayLike,
    n_base: int,
    k: int,
    *,
    split: str = "end",
    inertia: bool = False,
    progress: Progress | None = None,
) -> IntArray:
    """Let new records join the nearest groups, whose centroids move with each of them.

    As `nearest`, but one record after the other, in the order of the rows: sizes and sums of the group that it joins
    are updated before the next one looks for its group. This is ours; section III-B.6 of the paper has the update of
    one centroid by one record. A later call may start from what this one gives, with more records after these.

    Parameters and result are those of `nearest`.

    Examples
    --------
    The last record lies nearer to the first group only because the one before it has joined that group:

    >>> X = [[0.0], [0.0], [10.0], [10.0], [4.9], [5.5]]
    >>> nearest_moving(X, [0, 0, 1, 1], 4, k=2, split="none").tolist()
    [0, 0, 1, 1, 0, 0]
    >>> nearest(X, [0, 0, 1, 1], 4, k=2, split="none").tolist()
    [0, 0, 1, 1, 0, 1]
    """
    return _join(X, labels_base, n_base, k, split, inertia, progress, moving=True)


def _join(
    X: npt.ArrayLike,
    labels_base: npt.ArrayLike,
    n_base: int,
    k: int,
    split: str,
    inertia: bool,
    progress: Progress | None,
    *,
    moving: bool,
) -> IntArray:
    X = check_records(X, k)
    if split not in SPLITS:
        raise InvalidOption(f"split must be one of {', '.join(SPLITS)}; got {split!r}.")
    n_base = check_n_base(n_base, X.shape[0], k)
    labels = np.empty(X.shape[0], dtype=np.int64)
    labels[:n_base] = check_groups(labels_base, n_base, k)
    _core.adjoin(
        X, n_base, check_k(k, n_base), SPLITS[split], bool(inertia), moving, _core.Search.auto, labels, progress
    )
    return labels


def check_n_base(n_base: int, n_records: int, k: int) -> int:
    """Give the size of the base stage: at least one group, at most everything.

    >>> check_n_base(90, 100, k=5)
    90
    """
    whole = isinstance(n_base, int | np.integer) and not isinstance(n_base, bool)
    if not whole or not k <= n_base <= n_records:
        raise InvalidOption(
            f"n_base must be a whole number between k={k} and the number of records ({n_records}); got {n_base!r}."
        )
    return int(n_base)
