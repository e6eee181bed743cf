"""Partition methods: one file each, `function(X, k, *, options) -> labels`, listed in METHODS.

A new method costs its file, one line here, its test and its rows of published numbers. The command line, the table
in the docs, the common tests and the benchmark follow from METHODS.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.effort import NORMAL, check_effort
from microagg.base.options import check_options, hint, honoured, takes
from microagg.base.progress import Progress, ProgressToTheEnd, part_of
from microagg.base.types import IntArray
from microagg.constraints import Promises, check_promises
from microagg.errors import InvalidOption, NotKAnonymousWarning
from microagg.gpu import CPU, check_alone, check_device
from microagg.partition import (
    best,
    blank,
    cbfs,
    compress,
    dba,
    exact,
    fast,
    groups_mhm,
    hm2,
    individual,
    insensitive,
    k_modes,
    md,
    mdav,
    mdav_generic,
    mdav_lk_mhm,
    mf_tsp,
    mixed,
    mondrian,
    mst,
    npn_mhm,
    p_sensitive,
    rearrangement,
    s_mdav,
    sa_mdav,
    sa_mdav_static,
    sa_mondrian,
    simple_mondrian,
    t_first,
    t_merge,
    t_swap,
    tfrp,
    univariate,
    vmdav,
)
from microagg.partition.method import Method
from microagg.partition.promised import better_start, repaired
from microagg.refine import REFINEMENTS

GROUPED = 0.5
"""How far grouping takes the progress where a refinement follows."""

METHODS: dict[str, Method] = {
    m.name: m
    for m in (
        mdav.METHOD,
        vmdav.METHOD,
        cbfs.METHOD,
        md.METHOD,
        mst.METHOD,
        tfrp.METHOD,
        dba.METHOD,
        univariate.METHOD,
        individual.METHOD,
        hm2.METHOD,
        mdav_lk_mhm.METHOD,
        npn_mhm.METHOD,
        *groups_mhm.METHODS,
        mf_tsp.METHOD,
        compress.METHOD,
        rearrangement.METHOD,
        fast.METHOD,
        best.METHOD,
        exact.METHOD,
        insensitive.METHOD,
        mondrian.METHOD,
        s_mdav.METHOD,
        sa_mdav.METHOD,
        sa_mdav_static.METHOD,
        mdav_generic.METHOD,
        k_modes.METHOD,
        simple_mondrian.METHOD,
        sa_mondrian.METHOD,
        mixed.METHOD,
        blank.METHOD,
        t_merge.METHOD,
        t_swap.METHOD,
        t_first.METHOD,
        p_sensitive.METHOD,
    )
}


def get_method(name: str, options: Mapping[str, Any]) -> Method:
    """Look a method up and check that it can honour these options.

    >>> get_method("univariate", {}).name
    'univariate'
    """
    method = METHODS.get(name)
    if method is None:
        raise InvalidOption(f"method must be one of {', '.join(METHODS)}; got {name!r}.{hint(name, METHODS)}")
    known = {"attributes": None} if method.takes == "attributes" else {}
    check_options(f"method {name!r}", {**method.options, **known}, options)
    return method


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    method: str = "mdav",
    refine: str | None = None,
    refine_options: Mapping[str, Any] | None = None,
    effort: str = NORMAL,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    promises: Promises | None = None,
    device: str = CPU,
    **options: Any,
) -> IntArray:
    """Partition the records of X into groups of at least k similar ones.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared: this function does not standardise. Methods for categories take codes, and the option
        `attributes` says what they mean (see `microagg.semantic`).
    k : int
        Least size of a group, 2 to n.
    method : str
        A name in METHODS.
    refine : str, optional
        A name in REFINEMENTS: what improves the partition that the method gives.
    refine_options : mapping, optional
        The refinement's own options, such as `max_passes` of local.
    effort : {"quick", "normal", "thorough"}
        How much time a method that searches (`fast`, `best`, `mixed`) may take for less loss.
    seed : int
        Where a method makes random choices, they follow from this. The same input, options and seed give the same
        labels, on any number of threads.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done about ten times a second, and 1 at the end.
    promises : Promises, optional
        What groups must keep beside k, of confidential values: see `microagg.constraints.promise`.
    device : {"cpu", "cuda"}
        Where to do it; "cuda" is for `mdav`, `fast` and refine="local", and needs a graphics card of NVIDIA and CuPy.
    **options
        The method's own options.

    Returns
    -------
    array of n int
        The group of each record, 0 to G-1. For methods that work on each column alone (`individual`), an array of
        shape (n, m); with more than one column, a NotKAnonymousWarning says so.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3, method="univariate").tolist()
    [0, 1, 0, 1, 0, 1]
    >>> partition([[0, 0], [9, 0], [0, 9], [9, 9]] * 3, k=3, method="univariate", refine="local").tolist()
    [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]
    """
    labels = group_records(
        X,
        k,
        method=method,
        options=options,
        refine=refine,
        refine_options=refine_options,
        effort=effort,
        seed=seed,
        threads=threads,
        progress=progress,
        promises=promises,
        device=device,
    )
    warn_of_columns(method, labels)
    return labels


def group_records(
    X: npt.ArrayLike,
    k: int,
    *,
    method: str,
    options: Mapping[str, Any] | None = None,
    refine: str | None = None,
    refine_options: Mapping[str, Any] | None = None,
    effort: str = NORMAL,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    promises: Promises | None = None,
    device: str = CPU,
) -> IntArray:
    """Do what `partition` does, without a warning: the shape of the labels says whether they are per column.

    >>> group_records([[1.0, 5.0], [9.0, 6.0], [2.0, 7.0], [8.0, 8.0]], 2, method="individual").tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    chosen = get_method(method, options or {})
    check_refinement(refine, chosen, refine_options)
    check_on_device(device, chosen, refine)
    if device != CPU:
        check_alone(promises)
    to_the_end = None if progress is None else ProgressToTheEnd(progress)
    grouping = to_the_end if refine is None else part_of(to_the_end, 0.0, GROUPED, tells_loss=True)
    common: dict[str, Any] = {
        "effort": check_effort(effort),
        "seed": seed,
        "threads": threads,
        "promises": promises,
        "device": device,
    }
    size = k
    if promises is not None:
        check_promising(chosen)
        check_promises(promises, len(np.asarray(X)))
        size = k if takes(chosen.function, "promises") else promises.start_size(k)
    labels = chosen(X, size, **honoured(chosen.function, {**common, "progress": grouping}), **(options or {}))
    searches = refine is not None and takes(REFINEMENTS[refine].function, "promises")
    if promises is not None and searches and chosen.takes == "numbers":
        labels = better_start(X, labels, k, promises, seed=seed, threads=threads)
    if refine is not None:
        improve = REFINEMENTS[refine]
        refining = part_of(to_the_end, GROUPED, 1.0, tells_loss=True)
        own = honoured(improve.function, {**common, "progress": refining})
        labels = improve(X, labels, k, **own, **(refine_options or {}))
    if promises is not None and not searches:
        labels = repaired(X, labels, k, promises, (options or {}).get("attributes"), seed=seed, threads=threads)
    if to_the_end is not None:
        to_the_end.end()
    return labels


def check_promising(method: Method) -> None:
    """Refuse a method that gives no groups of whole records, of which something could be promised."""
    if method.per_column:
        raise InvalidOption(
            f"method {method.name!r} groups each column alone, so nothing can be promised of confidential columns; "
            "choose another method, or leave l, p and t out."
        )


def check_on_device(device: str, method: Method, refine: str | None) -> None:
    """Refuse a device for which neither the method nor the refinement has kernels.

    >>> check_on_device("cuda", METHODS["vmdav"], "local")
    >>> check_on_device("cuda", METHODS["md"], None)
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidOption: device='cuda' is for mdav, fast and refine='local'; method 'md' needs device='cpu'.
    """
    if check_device(device) == CPU or takes(method.function, "device"):
        return
    if refine is None or not takes(REFINEMENTS[refine].function, "device"):
        able = [name for name, other in METHODS.items() if takes(other.function, "device")]
        improving = [f"refine={name!r}" for name, other in REFINEMENTS.items() if takes(other.function, "device")]
        raise InvalidOption(
            f"device={device!r} is for {', '.join(able)} and {', '.join(improving)}; method {method.name!r} needs "
            "device='cpu'."
        )


def warn_of_columns(method: str, labels: IntArray, *, stacklevel: int = 3) -> None:
    """Warn where each of several columns was grouped on its own: the one place that raises NotKAnonymousWarning.

    >>> warn_of_columns("univariate", group_records([[1.0], [2.0]], 2, method="univariate"))
    """
    if labels.ndim == 2 and labels.shape[1] > 1:
        warnings.warn(
            f"method {method!r} groups each of the {labels.shape[1]} columns on its own: the result is not k-anonymous "
            "on the combination of columns. Use another method where that combination could identify someone.",
            NotKAnonymousWarning,
            stacklevel=stacklevel,
        )


def check_refinement(name: str | None, method: Method, options: Mapping[str, Any] | None = None) -> None:
    """Check that the refinement exists, if there is one, takes these options, and can improve what the method gives.

    >>> check_refinement("local", METHODS["univariate"], {"max_passes": 2})
    """
    if name is None:
        if options:
            raise InvalidOption(
                f"refine_options are of a refinement, and none is asked for; got {', '.join(map(str, options))}. "
                f"Say refine, one of {', '.join(REFINEMENTS)}, too."
            )
        return
    if name not in REFINEMENTS:
        allowed = f"{', '.join(REFINEMENTS)}, or None"
        raise InvalidOption(f"refine must be one of {allowed}; got {name!r}.{hint(name, REFINEMENTS)}")
    if method.per_column:
        raise InvalidOption(f"method {method.name!r} groups each column alone; refine must be None; got {name!r}.")
    if method.takes == "attributes":
        raise InvalidOption(f"method {method.name!r} groups categories; refine must be None; got {name!r}.")
    REFINEMENTS[name].check_options(options or {})


__all__ = [
    "METHODS",
    "Method",
    "check_on_device",
    "check_promising",
    "check_refinement",
    "get_method",
    "group_records",
    "partition",
    "warn_of_columns",
]
