"""Two stages and more: most records are grouped before the rest is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_count, check_groups, check_records
from microagg.base.options import check_options, honoured, own_options
from microagg.base.progress import Progress, part_of
from microagg.base.types import IntArray
from microagg.errors import InvalidOption
from microagg.incremental.nearest import SPLITS, check_n_base, nearest, nearest_moving
from microagg.incremental.regroup import regroup
from microagg.incremental.touched import change_groups, touched_groups
from microagg.partition import METHODS, check_refinement, get_method, partition
from microagg.refine import REFINEMENTS

JOINS: dict[str, Callable[..., IntArray]] = {
    "nearest": nearest,
    "nearest_moving": nearest_moving,
    "regroup": regroup,
}
"""As second stage: what brings the new records into the groups of the first."""


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
    refine_options: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Partition the first `n_base` records, then the rest.

    With a method in either stage, the groups of both stages lie side by side: with MDAV this is 2MDAV [1]_. With
    "nearest" or "nearest_moving" as second stage, the new records join the groups of the first; with "regroup", the
    groups that they touch are made anew. The base stage needs the first records only, so
    `partition(X[:n_base], k, method=base, refine=refine)` may run while the others still arrive; `second_stage` then
    goes on from its labels.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared, in the order of their arrival.
    k : int
        Least size of a group.
    n_base : int
        How many records the base stage takes, k to n.
    base, rest : str
        Names in METHODS that give one group to a record of numbers; `rest` may be "nearest", "nearest_moving" or
        "regroup".
    base_options, rest_options : mapping, optional
        Options of the methods; of "nearest" and "nearest_moving", `split` and `inertia`; of "regroup", `method` and
        `around`.
    refine : str, optional
        A name in REFINEMENTS: improves the groups of the base stage at its end, and those that the second stage has
        touched when it is done: all groups that have new records, and the groups next to them.
    refine_options : mapping, optional
        Its own options, such as `max_passes` of local, for both stages.
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
    return stages(
        X,
        k,
        [n_base, X.shape[0] - n_base],
        base=base,
        rest=rest,
        base_options=base_options,
        rest_options=rest_options,
        refine=refine,
        refine_options=refine_options,
        seed=seed,
        threads=threads,
        progress=progress,
    )


def stages(
    X: npt.ArrayLike,
    k: int,
    sizes: Sequence[int],
    *,
    base: str = "mdav",
    rest: str = "mdav",
    base_options: Mapping[str, Any] | None = None,
    rest_options: Mapping[str, Any] | None = None,
    refine: str | None = None,
    refine_options: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Partition records in any number of stages: `two_stage` again and again.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared, in the order of their arrival.
    k : int
        Least size of a group.
    sizes : sequence of int
        How many records each stage takes: the first at least k, all of them together n.
    base : str
        The method of the first stage.
    rest : str
        What every later stage does.
    base_options, rest_options, refine, refine_options, seed, threads, progress
        As in `two_stage`.

    Returns
    -------
    array of n int

    Examples
    --------
    >>> X = [[1.0], [2.0], [8.0], [9.0], [2.5], [8.5], [1.5], [9.5]]
    >>> stages(X, 2, [4, 2, 2], rest="nearest").tolist()
    [0, 2, 1, 3, 2, 1, 0, 3]
    """
    X = check_records(X, k)
    n = X.shape[0]
    ends = np.cumsum([check_count("each of sizes", size, 0) for size in sizes]).tolist()
    if not ends or ends[0] < k or ends[-1] != n:
        raise InvalidOption(
            f"sizes must begin with at least k={k} records and add up to the number of all ({n}); "
            f"got {', '.join(map(str, sizes)) or 'none'}."
        )
    check_stages(base, base_options, rest, rest_options, refine, refine_options)
    labels = partition(
        X[: ends[0]],
        k,
        method=base,
        refine=refine,
        refine_options=refine_options,
        seed=seed,
        threads=threads,
        progress=part_of(progress, 0.0, ends[0] / n),
        **(base_options or {}),
    )
    for before, end in pairwise(ends):
        labels = second_stage(
            X[:end],
            labels,
            k,
            rest=rest,
            rest_options=rest_options,
            refine=refine,
            refine_options=refine_options,
            seed=seed,
            threads=threads,
            progress=part_of(progress, before / n, end / n),
        )
    return labels


def second_stage(
    X: npt.ArrayLike,
    labels_base: npt.ArrayLike,
    k: int,
    *,
    rest: str = "mdav",
    rest_options: Mapping[str, Any] | None = None,
    refine: str | None = None,
    refine_options: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Go on from the labels of a base stage, or of any stage before: `two_stage` without its first half.

    Parameters
    ----------
    X : array of shape (n, m)
        All records: those that have labels first.
    labels_base : array of int
        The groups of the first records, 0 to G-1, each of at least k.
    k, rest, rest_options, seed, threads, progress
        As in `two_stage`.
    refine : str, optional
        A name in REFINEMENTS: improves the groups that have new records, and the groups next to them. The
        labels should have been refined before, too: most is won there.
    refine_options : mapping, optional
        Its own options.

    Returns
    -------
    array of n int

    Examples
    --------
    >>> second_stage([[1.0], [2.0], [8.0], [9.0], [2.5], [8.5]], [0, 0, 1, 1], k=2, rest="nearest").tolist()
    [0, 0, 1, 1, 0, 1]
    """
    X = check_records(X, k)
    check_stages("mdav", None, rest, rest_options, refine, refine_options)
    n_base = check_n_base(np.size(labels_base), X.shape[0], k)
    base = check_groups(labels_base, n_base, k)
    n_rest = X.shape[0] - n_base
    first = part_of(progress, 0.0, 0.5) if refine else progress
    common: dict[str, Any] = {"seed": seed, "threads": threads, "progress": first}
    if n_rest == 0:
        return base
    if rest in JOINS:
        join = JOINS[rest]
        labels = join(X, base, n_base, k, **honoured(join, common), **(rest_options or {}))
    elif n_rest < k:
        labels = nearest_moving(X, base, n_base, k, progress=first)
    else:
        new = partition(X[n_base:], k, method=rest, **common, **(rest_options or {}))
        labels = np.concatenate([base, new + base.max() + 1])
    if refine is None:
        return labels
    improve = REFINEMENTS[refine]
    later = honoured(improve.function, {**common, "progress": part_of(progress, 0.5, 1.0)}) | dict(refine_options or {})
    return change_groups(labels, touched_groups(X, labels, n_base), lambda rows, its: improve(X[rows], its, k, **later))


def check_stages(
    base: str,
    base_options: Mapping[str, Any] | None,
    rest: str,
    rest_options: Mapping[str, Any] | None,
    refine: str | None,
    refine_options: Mapping[str, Any] | None = None,
) -> None:
    """Check the names and options of both stages before the first of them runs.

    >>> check_stages("mdav", None, "nearest", {"split": "end"}, "local")
    """
    named = [("base", base, base_options)]
    if rest in JOINS:
        options = {**own_options(JOINS[rest]), **(rest_options or {})}
        check_options(f"second stage {rest!r}", own_options(JOINS[rest]), options)
        if rest == "regroup":
            check_count("around", options["around"])
            named.append(("method", options["method"], None))
        elif options["split"] not in SPLITS:
            raise InvalidOption(f"split must be one of {', '.join(SPLITS)}; got {options['split']!r}.")
    else:
        named.append(("rest", rest, rest_options))
    for stage, name, its_options in named:
        allowed = [m.name for m in METHODS.values() if m.takes == "numbers" and not m.per_column]
        if name not in allowed:
            also = f", {', '.join(JOINS)}" if stage == "rest" else ""
            raise InvalidOption(f"{stage} must be one of {', '.join(allowed)}{also}; got {name!r}.")
        check_refinement(refine, get_method(name, its_options or {}), refine_options)
