"""Candidate releases side by side: what each loses and risks, and which to choose."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from microagg import io
from microagg.base.checks import check_threads
from microagg.base.progress import Progress
from microagg.base.table import Table
from microagg.compare.baselines import make_baselines
from microagg.compare.candidates import Candidate, Comparison, choose, in_order, series_of
from microagg.compare.grid import Grid, plans_of, several
from microagg.compare.kept import Kept, fingerprint_of
from microagg.compare.limits import LOSSES, RISKS, Limit
from microagg.compare.run import make_all
from microagg.errors import InvalidOption, MicroaggError
from microagg.io.shared import SharedTable
from microagg.mask import read_mask
from microagg.plan import Plan, command_of

DEFAULT_METHODS = ("auto", "mdav", "vmdav", "best")
"""What is compared where nobody says."""


def compare(
    data: Any,
    k: int | Sequence[int] = (3, 5, 10),
    methods: str | Sequence[str] = DEFAULT_METHODS,
    *,
    refine: str | Sequence[str | None] | None = None,
    refine_options: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    limits: str | Limit | Sequence[str | Limit] = (),
    risk: str = "average_risk",
    loss: str = "information_loss",
    plan: Plan | str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    results: str | os.PathLike[str] | None = None,
    baselines: str | Sequence[str] = (),
    progress: Progress | None = None,
    **asked: Any,
) -> Comparison:
    """Try every method with every k and every option, and put what they lose beside what they risk.

    Parameters
    ----------
    data : pandas, polars or pyarrow frame
        One record per row.
    k : int or sequence of int
        The values of k to try.
    methods : str or sequence of str
        Names in METHODS. A method that searches for as long as one likes (`best`) does a number of rounds that follows
        from the number of records, some seconds of work, so that it can be repeated, unless `options` says otherwise.
    refine : str, None or sequence of them
        What improves the groups afterwards; None for nothing.
    refine_options : mapping of str to value or list of values, optional
        Options of refinements, each value tried in turn; those refinements get an option that have it.
    options : mapping of str to value or list of values, optional
        Options of methods, each value tried in turn; those methods get an option that have it.
    limits : str, Limit or sequence of them
        What a release must keep, such as "average_risk<=5%" or "smallest_class>=5". Of the candidates within all of
        them, the one with the lowest loss is chosen; where all limits are about losses, the one with the lowest risk.
    risk, loss : str
        The two axes: a name in RISKS and a name in LOSSES. record_linkage tells methods of equal
        k apart.
    plan : Plan or path, optional
        What all candidates have in common, where `asked` does not say otherwise.
    jobs : int, optional
        How many candidates are made at a time; one per processor by default. The result does not depend on it.
    results : path, optional
        A file in which finished candidates are kept, so that an interrupted comparison goes on where it stopped.
        Candidates of other data, or of other choices, are not mixed in.
    baselines : str or sequence of str
        Masks on the quasi-identifiers to show beside the candidates, such as "noise:0.1", "swap:5" or "pram:0.8" (see
        `microagg.MASKS`). They promise no k, and are never chosen.
    progress : callable, optional
        Told the fraction done.
    **asked
        What `anonymize` takes: quasi, identifiers, confidential, by, kinds, missing, seed, ... Of l, p and t each
        column may have several values, which are tried in turn, None for none: t={"pay": [None, 0.2, 0.1]} shows what
        closeness costs.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> people = pd.DataFrame({"age": rng.integers(18, 90, 100), "income": rng.lognormal(8, 0.5, 100)})
    >>> comparison = compare(people, k=[3, 5], methods=["mdav", "univariate"], limits="average_risk<=25%")
    >>> comparison.chosen.label, len(comparison.rows), comparison.frontier[-1].label
    ('mdav, k = 5', 4, 'mdav, k = 3')
    """
    table = io.wrap(data)
    return compare_table(
        table,
        plans_of(k, methods, refine=refine, refine_options=refine_options, options=options, plan=plan, **asked),
        limits=limits,
        risk=risk,
        loss=loss,
        jobs=jobs,
        results=results,
        fingerprint=fingerprint_of(table) if results is not None else "",
        baselines=baselines,
        progress=progress,
    )


def compare_table(
    table: Table,
    grid: Grid,
    *,
    limits: str | Limit | Sequence[str | Limit] = (),
    risk: str = "average_risk",
    loss: str = "information_loss",
    jobs: int | None = None,
    results: str | os.PathLike[str] | None = None,
    fingerprint: str = "",
    baselines: str | Sequence[str] = (),
    source: str = "INPUT",
    flags: str = "",
    title: str = "Data",
    progress: Progress | None = None,
) -> Comparison:
    """Make all candidates of a grid from a table, and compare them; see `compare`.

    Parameters
    ----------
    table : Table
        From `microagg.io`.
    grid : Grid
        From `plans_of`.
    fingerprint : str
        What tells these data from others, for `results`: the checksum of a file.
    baselines : str or sequence of str
        Masks to show beside the candidates.
    source, flags, title : str
        The input as it stands in commands, what stands behind it there, and the heading of the page.
    """
    if risk not in RISKS:
        raise InvalidOption(f"risk must be one of {', '.join(RISKS)}; got {risk!r}.")
    if loss not in LOSSES:
        raise InvalidOption(f"loss must be one of {', '.join(LOSSES)}; got {loss!r}.")
    grid = grid.for_records(table.n_records)
    bounds = [limit if isinstance(limit, Limit) else Limit.parse(limit) for limit in several(limits)]
    wanted = {risk, loss, *(limit.name for limit in bounds)}
    kept = None if results is None else Kept(Path(results), fingerprint)
    masks = several(baselines)
    for text in masks:
        read_mask(text)  # says what is wrong before anything is made
    shared = SharedTable(table)
    outcomes = make_all(shared, grid.plans, wanted, check_threads(jobs), kept, progress)
    failures = {
        f"{series_of(plan)}, k = {plan.k}": str(outcome)
        for plan, outcome in zip(grid.plans, outcomes, strict=True)
        if isinstance(outcome, MicroaggError)
    }
    if len(failures) == len(outcomes):
        raise next(outcome for outcome in outcomes if isinstance(outcome, MicroaggError))
    made = [
        Candidate(plan=_as_made(plan, outcome), command=command_of(plan, source) + flags, **outcome)
        for plan, outcome in zip(grid.plans, outcomes, strict=True)
        if not isinstance(outcome, MicroaggError)
    ]
    least = min(grid.plans, key=lambda plan: plan.k)
    shown = make_baselines(shared, least, masks, wanted)
    made += [Candidate(plan=least, command="", baseline=text, **what) for text, what in shown.outcomes.items()]
    failures |= shown.failures
    rows = in_order(made, risk, loss, bounds)
    return Comparison(
        rows=rows,
        chosen=choose(rows, risk, loss, bounds),
        risk=risk,
        loss=loss,
        limits=tuple(bounds),
        failures=failures,
        notes=(*grid.notes, *shown.notes),
        title=title,
    )


def _as_made(plan: Plan, outcome: dict[str, Any]) -> Plan:
    """Give a plan with the method and the refinement that were chosen where that was left open."""
    return replace(plan, method=outcome.pop("method"), refine=outcome.pop("refine"))


__all__ = ["LOSSES", "RISKS", "Candidate", "Comparison", "Limit", "compare", "compare_table", "plans_of"]
