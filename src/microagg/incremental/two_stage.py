"""Two stages: most records are grouped before the rest is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.arrays import IntArray, Progress, check_records, part_of
from microagg.errors import InvalidOption
from microagg.incremental.nearest import SPLITS, check_n_base, nearest
from microagg.options import check_options, honoured, own_options
from microagg.partition import METHODS, check_refinement, get_method, partition
from microagg.refine import REFINEMENTS
from microagg.refine.local import check_groups

NEAREST = "nearest"
"""As second stage: the records join the groups of the first."""


def two_stage(
    X: npt.ArrayLike,
    k: int,
    n_base: int,
    *,
    base: str = "mdav",
    rest: str = "mdav",
    base_options: Mapping[str, Any] | None = None,
    rest_options: Mapping[str, Any] | None = None,
    refine: str | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Partition the first `n_base` records, then the rest.

    With a method in either stage, the groups of both stages lie side by side: with MDAV this is 2MDAV [1]_. With
    "nearest" as second stage, the new records join the groups of the first. The base stage needs the first records
    only, so `partition(X[:n_base], k, method=base)` may run while the others still arrive; `second_stage` then goes
    on from its labels.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared, in the order of their arrival.
    k : int
        Least size of a group.
    n_base : int
        How many records the base stage takes, k to n.
    base, rest : str
        Names in METHODS that give one group to a record of numbers; `rest` may be "nearest".
    base_options, rest_options : mapping, optional
        Options of the methods; of "nearest", `split` and `inertia`.
    refine : str, optional
        A name in REFINEMENTS: improves the whole when both stages are done, across their border.
    seed : int
        What random choices follow from.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done, by records.

    Returns
    -------
    array of n int
        The group of each record, every group of at least k. Fewer than k records in the second stage join the
        nearest groups of the first.

    References
    ----------
    .. [1] D. Rebollo-Monedero, C. Hernandez-Baigorri, J. Forne, M. Soriano. Incremental k-anonymous microaggregation
       in large-scale electronic surveys with optimized scheduling. IEEE Access 6 (2018) 60016-60044, section IV.

    Examples
    --------
    >>> X = [[1.0], [2.0], [8.0], [9.0], [2.5], [8.5], [1.5], [9.5]]
    >>> two_stage(X, k=2, n_base=4).tolist()
    [0, 0, 1, 1, 2, 3, 2, 3]
    >>> two_stage(X, k=2, n_base=7).tolist()
    [1, 2, 2, 0, 2, 0, 1, 0]
    """
    X = check_records(X, k)
    n_base = check_n_base(n_base, X.shape[0], k)
    check_stages(base, base_options, rest, rest_options, refine)
    share = n_base / X.shape[0]
    labels = partition(
        X[:n_base],
        k,
        method=base,
        seed=seed,
        threads=threads,
        progress=part_of(progress, 0.0, share),
        **(base_options or {}),
    )
    return second_stage(
        X,
        labels,
        k,
        rest=rest,
        rest_options=rest_options,
        refine=refine,
        seed=seed,
        threads=threads,
        progress=part_of(progress, share, 1.0),
    )


def second_stage(
    X: npt.ArrayLike,
    labels_base: npt.ArrayLike,
    k: int,
    *,
    rest: str = "mdav",
    rest_options: Mapping[str, Any] | None = None,
    refine: str | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Go on from the labels of a base stage: `two_stage` without its first half.

    Parameters
    ----------
    X : array of shape (n, m)
        All records: those that have labels first.
    labels_base : array of int
        The groups of the first records, 0 to G-1, each of at least k.
    k, rest, rest_options, refine, seed, threads, progress
        As in `two_stage`.

    Returns
    -------
    array of n int

    Examples
    --------
    >>> second_stage([[1.0], [2.0], [8.0], [9.0], [2.5], [8.5]], [0, 0, 1, 1], k=2, rest="nearest").tolist()
    [0, 0, 1, 1, 0, 1]
    """
    X = check_records(X, k)
    check_stages("mdav", None, rest, rest_options, refine)
    n_base = check_n_base(np.size(labels_base), X.shape[0], k)
    base = check_groups(labels_base, n_base, k)
    n_rest = X.shape[0] - n_base
    if rest == NEAREST or n_rest < k:
        options = rest_options if rest == NEAREST else None
        labels = nearest(X, base, n_base, k, progress=progress, **(options or {}))
    else:
        options = rest_options or {}
        new = partition(X[n_base:], k, method=rest, seed=seed, threads=threads, progress=progress, **options)
        labels = np.concatenate([base, new + base.max() + 1])
    if refine is None:
        return labels
    improve = REFINEMENTS[refine]
    return improve(X, labels, k, **honoured(improve, {"seed": seed, "threads": threads}))


def check_stages(
    base: str,
    base_options: Mapping[str, Any] | None,
    rest: str,
    rest_options: Mapping[str, Any] | None,
    refine: str | None,
) -> None:
    """Check the names and options of both stages before the first of them runs.

    >>> check_stages("mdav", None, "nearest", {"split": "end"}, "local")
    """
    stages = [("base", base, base_options)]
    if rest == NEAREST:
        check_options("second stage 'nearest'", own_options(nearest), rest_options or {})
        split = (rest_options or {}).get("split", "end")
        if split not in SPLITS:
            raise InvalidOption(f"split must be one of {', '.join(SPLITS)}; got {split!r}.")
    else:
        stages.append(("rest", rest, rest_options))
    for stage, name, options in stages:
        allowed = [m.name for m in METHODS.values() if m.takes == "numbers" and not m.per_column]
        if name not in allowed:
            also = f", or {NEAREST}" if stage == "rest" else ""
            raise InvalidOption(f"{stage} must be one of {', '.join(allowed)}{also}; got {name!r}.")
        check_refinement(refine, get_method(name, dict(options or {})))
