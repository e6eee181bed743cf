"""THE flow: read, prepare, partition, aggregate, assess, report. The only file that knows every room."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from microagg import io, risk, utility
from microagg.aggregate import check_finite, count_dominated, release_values, round_values
from microagg.base.checks import check_k
from microagg.base.groups import check_weights, in_order_by_column
from microagg.base.progress import Progress, part_of
from microagg.base.schema import Kind, Role, Storage
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.bounds import lower_bound
from microagg.engines import (
    STRATUM,
    VALUES,
    WEIGHT,
    Budget,
    Cells,
    Gathered,
    Sample,
    parse_memory,
    private_folder,
)
from microagg.errors import (
    InfeasibleK,
    InvalidData,
    InvalidOption,
)
from microagg.gate import Gate
from microagg.partition import METHODS, check_refinement, get_method, group_records, warn_of_columns
from microagg.plan import AUTO, JOIN, Plan, dump, load_plan, plan_of, record, settle_roles, takes_choices
from microagg.prepare.kinds import QuasiColumn, of_averaged_codes, of_codes, quasi_columns
from microagg.prepare.missing import Missing, complete, infinite_value, missing_values, no_record_left
from microagg.prepare.scale import scale_of, scale_of_parts, weigh, weights_of
from microagg.release import Release, Whole, source_of
from microagg.semantic.attribute import Attribute, numeric
from microagg.semantic.centroid import group_centroids
from microagg.semantic.embedding import embed, not_shown
from microagg.semantic.outliers import find_outliers

MOST_QUASI = 2_000
"""How many columns can be grouped by at once: every pair of them has a covariance."""

MOSTLY_ALONE = 0.5
"""From which share of records on, that have a value of their own in an untouched column, a release warns of it."""

MOST_NAMED = 8
"""How many columns a warning names."""

MENTIONED = 0.01
"""From which share on it is said that points cannot show all distances of a hierarchy."""

GROUPED = 0.5
"""How far grouping takes the progress where other long work follows: measures for a report, a lower bound."""

FILE_KEYWORDS = (
    *("report", "details", "memory", "accept_not_k_anonymous", "escape_formulas", "remarks", "save_plan"),
    *("threads", "progress"),
)
"""What `anonymize_file` takes beside the choices of a plan."""


@takes_choices
def anonymize(
    data: Any,
    k: int,
    *,
    keep_index: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    **asked: Any,
) -> Release:
    """Make a frame k-anonymous: group similar records and give each group common quasi-identifiers.

    Parameters
    ----------
    data : pandas, polars or pyarrow frame
        One record per row.
    k : int
        Every record will share its quasi-identifiers with at least k - 1 others.
    {choices}
    keep_index : bool
        Release the labels of the rows of a pandas frame too. They may be names, and tell the order that the rows had;
        rows are numbered from 0 by default.
    threads : int, optional
        How many threads to use; all processors by default. The result does not depend on it.
    progress : callable, optional
        Told the fraction done every now and then.
    **options
        The method's own options, such as `gamma` of vmdav.

    Returns
    -------
    Release
        The released frame with its losses, risks and report.

    Raises
    ------
    MicroaggError
        One of its children, with the name, the rule and the value, whenever the promise cannot be kept.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"name": list("abcdef"), "age": [21, 60, 23, 64, 22, 65], "pay": [1, 9, 2, 8, 3, 7]})
    >>> release = anonymize(people, k=3, quasi=["age"], identifiers=["name"], confidential=["pay"])
    >>> release.data
        age  pay
    0  22.0    1
    1  63.0    9
    2  22.0    2
    3  63.0    8
    4  22.0    3
    5  63.0    7
    >>> round(release.information_loss, 2)
    0.63
    """
    plan = plan_of("anonymize", {"k": k, **asked}, ("threads", "progress", "keep_index"))
    release = release_table(io.wrap(data, keep_index=keep_index), plan, threads=threads, progress=progress)
    warn_of_columns(release.plan.method, release.labels)
    return release


def anonymize_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str] | None,
    k: int,
    *,
    report: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    details: bool = False,
    memory: str | int = "auto",
    accept_not_k_anonymous: bool = False,
    escape_formulas: bool = False,
    remarks: Callable[[Release], Sequence[str]] | None = None,
    save_plan: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **asked: Any,
) -> Release:
    """Make a file k-anonymous; nothing is written unless all went well.

    Release, reports and plan are put in their places together at the end, or none of them is.

    A CSV or Parquet file of numbers and dates may be larger than memory. It is then spooled to disk and grouped cell
    by cell: records that lie together, cut at medians, few enough for memory. See `release_by_cells`.

    Parameters
    ----------
    source : path
        A CSV, Parquet, SPSS, Stata, SAS or Excel file.
    target : path, optional
        Where the release goes; the name says the format. None: nothing is written.
    k : int
        Every record will share its quasi-identifiers with at least k - 1 others.
    report : path or sequence of paths, optional
        Where the report goes: an HTML page, or its JSON twin where the name ends in .json.
    details : bool
        Draw single records in the report, and count what fewer than k records share.
    memory : str or int
        How many bytes the work may take, such as "500MB" or "2GB", beside the 100 MB or so of the program itself. More
        is worked on cell by cell, always if a size is given. "auto" (default): in memory if the file is estimated to
        take no more than half of what is free, else cell by cell in that half. "unlimited": in memory.
    accept_not_k_anonymous : bool
        Write the result of a method that protects each column alone all the same, without a NotKAnonymousWarning.
    escape_formulas : bool
        Put an apostrophe before text that spreadsheet programs take for formulas when they open a text file: what
        begins with = + - @, a tab or the end of a line.
    remarks : callable, optional
        Given the release once it is written; the texts that it gives back stand first among the warnings, in the report
        too.
    save_plan : path, optional
        Where to write down what was done, as TOML; see `microagg.save_plan`. As private as the data.
    threads, progress
        As in `anonymize`.
    **asked
        Everything else that `anonymize` takes.

    Returns
    -------
    Release
    """
    start = time.perf_counter()
    source, target = Path(source), Path(target) if target is not None else None
    reports = [Path(report)] if isinstance(report, str | os.PathLike) else [Path(path) for path in report or ()]
    plans = [Path(save_plan)] if save_plan is not None else []
    targets = [*([target] if target is not None else []), *reports, *plans]
    io.check_apart(source, *targets)
    if target is not None:
        io.format_of(target)
    plan = plan_of("anonymize_file", {"k": k, **asked}, FILE_KEYWORDS)
    allowed = parse_memory(memory, source)
    modes = [io.PUBLIC] * (len(targets) - len(plans)) + [io.PRIVATE] * len(plans)
    with io.atomic_paths(targets, modes=modes) as temporaries:
        parts = dict(zip(targets, temporaries, strict=True))
        output = Output(target, parts[target], escape_formulas) if target is not None else None
        if allowed is not None:
            release = release_by_cells(source, output, plan, allowed, threads=threads, progress=progress)
            measuring = None
        else:
            table = read_for(plan, source)
            read = time.perf_counter() - start
            grouped = GROUPED if reports else 1.0
            grouping = part_of(progress, 0.0, grouped, tells_loss=True)
            measuring = part_of(progress, grouped, 1.0)
            release = release_table(table, plan, threads=threads, progress=grouping)
            start = time.perf_counter()
            if output is not None:
                release.check_writable(output.path, accept_not_k_anonymous=accept_not_k_anonymous)
                output.write(release.table)
            release = replace(release, seconds={"read": read, **release.seconds, "write": time.perf_counter() - start})
        sources = {"input": source_of(source)}
        if output is not None:
            sources["output"] = source_of(output.temporary, output.path.name)
        release = replace(release, sources=sources)
        if remarks is not None:
            release = replace(release, warnings=(*remarks(release), *release.warnings))
        if reports:
            release.report_into(
                {parts[path]: path for path in reports},
                title=f"{source.name}, k = {plan.k}",
                details=details,
                progress=measuring,
            )
        for path in plans:
            parts[path].write_text(dump(record(release, source, target)), encoding="utf-8", newline="\n")
    if not accept_not_k_anonymous:
        warn_of_columns(release.plan.method, release.labels)
    return release


@dataclass(frozen=True)
class Output:
    """Where a release goes: its place, whose name says the format, and the file that becomes it in the end."""

    path: Path
    temporary: Path
    escape_formulas: bool = False

    def write(self, table: Table | io.SpooledRelease) -> None:
        """Write a table into the temporary file."""
        io.check_writable(table, self.path)
        io.format_of(self.path).write(table, self.temporary, escape_formulas=self.escape_formulas)


def repeat(
    data: Any,
    plan: Plan | str | os.PathLike[str],
    *,
    keep_index: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Release:
    """Make the release that a plan describes, with some of its choices changed where that is asked for.

    Parameters
    ----------
    data : pandas, polars or pyarrow frame
        One record per row.
    plan : Plan or path
        `release.plan`, or the name of a file that `save_plan` or `microagg anonymize --save-plan` wrote.
    keep_index, threads, progress
        As in `anonymize`.
    **changes
        What shall be otherwise: k, quasi, method, options, seed, ...; see `Plan.changed`.

    Returns
    -------
    Release

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [21, 60, 23, 64, 22, 65]})
    >>> plan = anonymize(people, k=3).plan
    >>> repeat(people, plan).data.equals(anonymize(people, k=3).data)
    True
    >>> repeat(people, plan, k=6).sizes.tolist()
    [6]
    """
    base = plan if isinstance(plan, Plan) else load_plan(plan)
    changed = base.changed(**changes)
    release = release_table(io.wrap(data, keep_index=keep_index), changed, threads=threads, progress=progress)
    warn_of_columns(release.plan.method, release.labels)
    return release


def choices(plan: Plan) -> dict[str, Any]:
    """Give what a plan says as the keywords that made it."""
    return {item.name: getattr(plan, item.name) for item in fields(plan)}


def read_for(plan: Plan, path: Path) -> Table:
    """Read a file for a plan: what will be replaced as numbers, everything else as it is written."""
    return io.read(path, **_hints(plan))


def _hints(plan: Plan) -> dict[str, Any]:
    """Say which columns of a file will be replaced by numbers, and which leave as they are written."""
    coded = [name for name, kind in plan.kinds.items() if kind != "numeric"]
    kept = (*plan.identifiers, *plan.confidential, *plan.by, *((plan.weights,) if plan.weights else ()), *coded)
    numbers = "*" if plan.quasi is None else [name for name in plan.quasi if name not in coded]
    return {"numeric": numbers, "verbatim": kept}


def make_plan(*, k: int, **asked: Any) -> Plan:
    """Make a plan of keywords, among them options of the method; what is wrong is said as far as no data are needed."""
    return plan_of("a plan", {"k": k, **asked})


def release_table(
    table: Table,
    plan: Plan,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    group: Callable[[FloatArray], IntArray] | None = None,
) -> Release:
    """Take a table through the whole flow; `group` may label the prepared records in place of the method."""
    clock = _Clock()
    index_note = _of_index(table)
    settled = settle_roles(table, plan)
    roles = settled.roles
    names = _quasi_names(roles)
    if table.n_records == 0:
        raise InvalidData("the table has no records.")
    columns = quasi_columns(table, names, plan.kinds)
    attributes = [column.attribute for column in columns]
    plan = _with_method(plan, attributes)
    coded = [column.name for column in columns if column.kind is not Kind.NUMERIC]
    gathered = np.column_stack([column.values for column in columns])
    whole = complete(gathered, names, plan.missing, categories=coded)
    if len(whole.rows) < table.n_records:
        table = table.take(whole.rows)
    table = table.unify(plan.by)
    check_k(plan.k, table.n_records)
    X = whole.values
    hosts = np.arange(len(X))
    if plan.suppress or plan.outliers == JOIN:
        found = find_outliers(X, plan.k, attributes, beyond=plan.beyond, limit=plan.suppress)
        stay = np.flatnonzero(~found.suppressed)
        table, X = table.take(stay), np.ascontiguousarray(X[stay])
        check_k(plan.k, table.n_records)
        hosts = found.hosts if plan.outliers == JOIN else np.arange(len(stay))
    suppressed = len(whole.values) - len(X)
    survey_weights = check_weights(table.numeric(plan.weights).values, len(X)) if plan.weights else None
    scale = None if coded else scale_of(X)
    Z = X if scale is None else scale.apply(X)
    prepared, options = _prepare(X, Z, columns, plan)
    strata = _strata(table, plan)
    clock.step("prepare")

    if group is None:
        hosting = [rows[hosts[rows] == rows] for rows in strata]
        grouping = progress if plan.bound is None else part_of(progress, 0.0, GROUPED, tells_loss=True)
        labels = _partition_strata(prepared, hosting, replace(plan, options=options), threads, grouping)[hosts]
    else:
        labels = group(prepared)
    clock.step("partition")

    Y = _common_values(X, labels, columns, plan, survey_weights)
    digits = [
        _digits(plan, column.name, column.is_integer)
        if column.kind is Kind.NUMERIC and column.storage is not Storage.DATE
        else None
        for column in columns
    ]
    for j, n_digits in enumerate(digits):
        Y[:, j] = round_values(Y[:, j], n_digits)
    check_finite(Y, names)
    replaced: dict[str, Any] = {}
    for j, column in enumerate(columns):
        fits = _stays_whole(digits[j], column.is_integer) and np.abs(Y[:, j]).max() < np.iinfo(np.int64).max
        replaced[column.name] = Y[:, j].astype(np.int64) if fits else column.restore(Y[:, j])
    clock.step("aggregate")

    # Strata are counted by what is released of them: records that a reader can tell apart are not in one class.
    keys = risk.keys_of(Y)
    if plan.by:
        keys = np.column_stack([keys, *(table.spellings(name) for name in plan.by)])
    sizes = risk.class_sizes(keys)
    if METHODS[plan.method].per_column:
        for j in range(len(names)):
            risk.check_k_anonymous(risk.class_sizes(keys[:, [j]]), plan.k)
    else:
        risk.check_k_anonymous(sizes, plan.k)
    exposed = int((sizes < plan.k).sum())
    gate = Gate(len(X), plan.k)
    notes = _warnings(whole.imputed, plan, [len(rows) for rows in strata], exposed, columns, gate)
    if survey_weights is not None:
        rare = int((risk.class_sizes(risk.keys_of(survey_weights[:, None])) < plan.k).sum())
        notes = (*notes, *_of_weights(plan, rare, len(X), *count_dominated(labels, survey_weights)))
    joined = int((hosts != np.arange(len(hosts))).sum())
    if joined:
        notes = (
            _few_of(gate, joined, len(whole.values), "joined the most similar group"),
            *notes,
        )
    if suppressed:
        notes = (_few_of(gate, suppressed, len(whole.values), "were suppressed"), *notes)
    if scale is None:
        losses, column_losses = utility.measure_mixed(X, Y, attributes, names)
    else:
        released = scale.apply(Y)
        losses, column_losses = utility.measure(Z, released), utility.measure_columns(Z, released, names)
    clock.step("assess")
    lowest = None
    if plan.bound is not None:
        upper = labels if not strata[1:] else None
        proving = part_of(progress, GROUPED, 1.0)
        lowest = float(lower_bound(Z, plan.k, time_limit=plan.bound, upper=upper, threads=threads, progress=proving))
        clock.step("bound")
    table = table.with_columns(replaced).without([name for name, role in roles.items() if role is Role.IDENTIFIER])
    alone = table.n_alone(untouched_columns(roles, plan))
    untouched = {name: count / table.n_records for name, count in alone.items()}
    together = _of_untouched_together(table, alone)
    if plan.shuffle:
        order = _secret_random().permutation(table.n_records)
        # Groups are numbered by the new order: their numbers must not tell the one before.
        table, labels, X, Y = table.take(order), in_order_by_column(labels[order]), X[order], Y[order]
    return Release(
        stored=table,
        labels=labels,
        losses=losses,
        column_losses=column_losses,
        risks=risk.measure(sizes),
        plan=plan,
        roles=roles,
        kinds={column.name: column.kind for column in columns},
        attributes=tuple(attributes),
        suppressed=suppressed,
        lower_bound=lowest,
        seconds=clock.seconds,
        warnings=(*settled.notes, *of_codes(columns), *notes, *_of_untouched(untouched, plan), *together, *index_note),
        k_anonymous=not exposed,
        original=X,
        released=Y,
        untouched=untouched,
    )


def release_by_cells(
    source: Path,
    output: Output | None,
    plan: Plan,
    memory: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Take a file that does not fit into memory through the whole flow, and write the release.

    The steps are those of `release_table`, and so are the promises: rows in the order of the input, kept columns as
    they were written, every record among k or more, checked before anything is published. Means and standard deviations
    are those of all records. The method runs in one cell after the other, so no group crosses the border of a cell.
    Losses and risks are exact; a report draws its charts from a sample of whole groups.

    Parameters
    ----------
    source : Path
        A CSV or Parquet file.
    output : Output, optional
        Another; without it nothing is written.
    plan : Plan
        What to do: methods that group whole records of numbers; neither imputing, suppressing nor a lower bound, which
        look at all records at once.
    memory : int
        Bytes that the work may take.
    threads, progress
        As in `anonymize`.

    Returns
    -------
    Release
        Without its table, which lies in the output.
    """
    plan = _plan_by_cells(plan)
    target = output.path if output is not None else None
    for path in (source, target):
        if path is not None:
            io.check_streams(io.format_of(path))
    clock = _Clock()
    with io.within_limits(), private_folder(target) as folder:
        budget = Budget.of(memory, 1, plan.k)
        table = io.read_spooled(source, io.Spool(folder, budget.database), **_hints(plan))
        clock.step("read")

        settled = settle_roles(table, plan)
        roles = settled.roles
        names = _quasi_names(roles)
        codes = of_averaged_codes(table, names, plan.kinds)
        budget = Budget.of(memory, VALUES + len(names), plan.k)
        spooled = io.SpooledTable(table, names, by=plan.by, weights=plan.weights, chunk=budget.chunk)
        _complete_spooled(spooled, plan)
        check_k(plan.k, spooled.n_records)
        strata, first_rows = spooled.number_strata()
        _check_strata(strata.tolist(), first_rows.tolist(), plan)
        sample = Sample(budget.sample, spooled.n_records, plan.seed)
        scale = scale_of_parts(_sampled(spooled, sample), *spooled.limits())
        weights_of(names, plan.column_weights)

        def points(values: FloatArray) -> FloatArray:
            return weigh(scale.apply(values) if plan.standardise else values, names, plan.column_weights)

        cells = Cells(
            folder / "cells",
            points,
            k=plan.k,
            most=budget.cell,
            chunk=budget.chunk,
            sizes=strata,
            sample=sample.records(),
        )
        for chunk in spooled.chunks():
            cells.add(_records(chunk))
        clock.step("prepare")

        digits = [None if spooled.is_date(name) else _digits(plan, name, spooled.is_integer(name)) for name in names]
        gathered = Gathered(
            folder / "rows", n_records=spooled.n_records, chunk=budget.chunk, scale=scale, seed=plan.seed
        )
        dominated = np.zeros(2, dtype=np.int64)
        for records in cells.take():
            labels, Y = _release_cell(records, points, names, digits, plan, threads)
            if plan.weights:
                dominated += count_dominated(labels, np.ascontiguousarray(records[:, WEIGHT]))
            gathered.add(records, Y, labels)
            if progress is not None:
                progress(gathered.n_records / spooled.n_records)
        clock.step("partition")

        order = _secret_random()
        for part, Y in gathered.in_order():
            spooled.put(part, Y, order.random(len(Y)))
        clock.step("aggregate")

        sizes, counts = spooled.class_sizes(released=True)
        risk.check_k_anonymous(sizes, plan.k, sizes * counts)
        sizes_before, counts_before = spooled.class_sizes(released=False)
        alone = spooled.n_alone(untouched_columns(roles, plan))
        untouched = {name: count / spooled.n_records for name, count in alone.items()}
        together = _of_untouched_together(spooled.table, alone)
        confidential = [name for name, role in roles.items() if role is Role.CONFIDENTIAL]
        homogeneous = {name: found for name in confidential if (found := spooled.homogeneous(name))[0]}
        notes = _warnings({}, plan, strata.tolist(), 0, (), Gate(spooled.n_records, plan.k))
        if plan.weights:
            rare = spooled.rare_weights(plan.k)
            notes = (*notes, *_of_weights(plan, rare, spooled.n_records, *dominated.tolist()))
        clock.step("assess")

        if output is not None:
            whole = [n for n, d in zip(names, digits, strict=True) if _stays_whole(d, spooled.is_integer(n))]
            left_out = [name for name, role in roles.items() if role is Role.IDENTIFIER]
            output.write(spooled.release(without=left_out, whole=whole, shuffled=plan.shuffle))
        clock.step("write")
    original, released, labels = gathered.sample()
    return Release(
        stored=None,
        labels=labels,
        losses=utility.measure_summary(gathered.summary),
        column_losses=utility.measure_summary_columns(gathered.summary, names),
        risks=risk.measure_counts(sizes, counts),
        plan=plan,
        roles=roles,
        kinds=dict.fromkeys(names, Kind.NUMERIC),
        attributes=(numeric(),) * len(names),
        suppressed=0,
        lower_bound=None,
        seconds=clock.seconds,
        warnings=(
            *settled.notes,
            *codes,
            *notes,
            *_of_untouched(untouched, plan),
            *together,
            *_of_a_sample(len(labels), gathered.n_records),
        ),
        k_anonymous=True,
        original=original,
        released=released,
        whole=Whole(
            n_records=gathered.n_records,
            sizes=gathered.sizes,
            summary=gathered.summary,
            scale=scale,
            risks_before=risk.measure_counts(sizes_before, counts_before),
            dates=frozenset(name for name in names if spooled.is_date(name)),
            memory=memory,
            homogeneous=homogeneous,
        ),
        untouched=untouched,
    )


def _plan_by_cells(plan: Plan) -> Plan:
    """Choose the method, and refuse what needs all records at once."""
    plan = _with_method(plan, [numeric()])
    method = METHODS[plan.method]
    refused = {
        f"method {plan.method!r}": method.per_column or method.takes != "numbers",
        f"missing={plan.missing!r}": plan.missing == Missing.IMPUTE,
        "suppress": plan.suppress > 0,
        f"outliers={plan.outliers!r}": plan.outliers == JOIN,
        "bound": plan.bound is not None,
        "kinds other than numeric": any(kind != Kind.NUMERIC for kind in plan.kinds.values()),
    }
    for what, is_asked in refused.items():
        if is_asked:
            raise InvalidOption(
                f"{what} needs all records in memory at once, so it cannot be used cell by cell. Leave it out, or work "
                "in memory: memory='unlimited', --memory unlimited."
            )
    return plan


def _quasi_names(roles: Mapping[str, Role]) -> list[str]:
    """Give the quasi-identifiers, if they are not too many for what every pair of them is measured by."""
    names = [name for name, role in roles.items() if role is Role.QUASI]
    if len(names) > MOST_QUASI:
        raise InvalidOption(
            f"there can be at most {MOST_QUASI:,} quasi-identifiers; there are {len(names):,}. Name those by which "
            "somebody could be found: quasi=[...], --quasi NAMES."
        )
    return names


def untouched_columns(roles: Mapping[str, Role], plan: Plan) -> list[str]:
    """Give the columns that are released as they are without anybody having said so; weights are among them."""
    return [name for name, role in roles.items() if role is Role.OTHER and name not in plan.by]


def _of_untouched(untouched: Mapping[str, float], plan: Plan) -> tuple[str, ...]:
    """Warn of columns that point to single persons; of weights there is a warning of their own."""
    return tuple(
        f"Column {name!r} is released as it is, and {100 * share:.0f}% of the records have a value there that no other "
        "record has: whoever knows it of a person finds the record. Leave the column out (identifiers, --drop), or "
        "make it a quasi-identifier."
        for name, share in untouched.items()
        if share >= MOSTLY_ALONE and name != plan.weights
    )


def _of_untouched_together(table: Table, alone: Mapping[str, int]) -> tuple[str, ...]:
    """Say to how many records the columns that leave as they are point together, where that is more than one does."""
    untouched = list(alone)
    if len(untouched) < 2 or (count := table.n_alone_together(untouched)) <= max(alone.values()):
        return ()
    shown = ", ".join(map(repr, untouched[:MOST_NAMED])) + (", ..." if len(untouched) > MOST_NAMED else "")
    return (
        f"{len(untouched):,} columns are released as they are ({shown}): {count:,} of {table.n_records:,} records have "
        "a combination of values there that no other record has.",
    )


def _of_index(table: Table) -> tuple[str, ...]:
    """Say that the labels of the rows are not released, where there were some."""
    lost = table.lost_index if isinstance(table, io.FrameTable) else None
    if lost is None:
        return ()
    return (f"The index of the frame ({lost}) is not released; rows are numbered anew. keep_index=True releases it.",)


def _secret_random() -> np.random.Generator:
    """Give random numbers that follow from nothing that is known: not from the seed, which reports print."""
    return np.random.default_rng(secrets.randbits(256))


def _of_a_sample(n_drawn: int, n_records: int) -> tuple[str, ...]:
    if n_drawn == n_records:
        return ()
    return (
        f"The release was made cell by cell: charts of values show a sample of {n_drawn:,} records, in whole groups. "
        "All other numbers are those of all records.",
    )


def _complete_spooled(spooled: io.SpooledTable, plan: Plan) -> None:
    """Refuse infinite values; refuse or drop records that lack one."""
    if spooled.n_records == 0:
        raise InvalidData("the table has no records.")
    if (infinite := spooled.infinite()) is not None:
        raise infinite_value(infinite.column, infinite.row)
    if (gaps := spooled.gaps()) is None:
        return
    if plan.missing == Missing.REFUSE:
        raise missing_values(gaps.n_records, spooled.n_records, gaps.column, gaps.row)
    spooled.drop_gaps()
    if spooled.n_records == 0:
        raise no_record_left()


def _sampled(spooled: io.SpooledTable, sample: Sample) -> Iterator[FloatArray]:
    """Give the values of all records in parts, of which the sample takes some."""
    for chunk in spooled.chunks():
        sample.offer(_records(chunk))
        yield chunk.values


def _records(chunk: io.Chunk) -> FloatArray:
    """Lay out the records of a chunk as cells hold them."""
    return np.column_stack([chunk.rows, chunk.strata, chunk.weights, chunk.values])


def _release_cell(
    records: FloatArray,
    points: Callable[[FloatArray], FloatArray],
    names: Sequence[str],
    digits: Sequence[int | None],
    plan: Plan,
    threads: int | None,
) -> tuple[IntArray, FloatArray]:
    """Group the records of a cell, and give every one the common values of its group."""
    X = np.ascontiguousarray(records[:, VALUES:])
    order = np.argsort(records[:, STRATUM], kind="stable")
    strata = np.split(order, np.flatnonzero(np.diff(records[order, STRATUM])) + 1)
    labels = _partition_strata(points(X), strata, plan, threads, None)
    weights = np.ascontiguousarray(records[:, WEIGHT]) if plan.weights else None
    Y = release_values(X, labels, aggregate=plan.aggregate, weights=weights)
    for j, n_digits in enumerate(digits):
        Y[:, j] = round_values(Y[:, j], n_digits)
    check_finite(Y, names)
    return labels, Y


def _with_method(plan: Plan, attributes: Sequence[Attribute]) -> Plan:
    """Choose the method where that was left open, and check that it can do what is asked with these kinds."""
    numbers = all(attribute.kind is Kind.NUMERIC for attribute in attributes)
    if plan.method == AUTO:
        plan = replace(plan, method="mdav" if numbers else "mixed")
    method = get_method(plan.method, dict(plan.options))
    check_refinement(plan.refine, method, plan.refine_options)
    if not numbers and method.per_column:
        raise InvalidOption(f"method {method.name!r} takes numeric columns only; choose another for categories.")
    if plan.bound is not None and (not numbers or method.per_column):
        raise InvalidOption("bound holds for groups of whole records of numbers only: leave it out for this release.")
    if not plan.standardise and not (numbers and method.takes == "numbers"):
        raise InvalidOption("categories have no raw distance to numbers: standardize must stay True for them.")
    return plan


def _prepare(
    X: FloatArray, Z: FloatArray, columns: Sequence[QuasiColumn], plan: Plan
) -> tuple[FloatArray, Mapping[str, Any]]:
    """Give what the method groups, and its options: numbers standardised (Z), categories as codes or as points."""
    names = [column.name for column in columns]
    weights = weights_of(names, plan.column_weights)
    attributes = [column.attribute.weighing(float(w)) for column, w in zip(columns, weights, strict=True)]
    if METHODS[plan.method].takes == "attributes":
        return X, {**plan.options, "attributes": attributes}
    if any(attribute.kind is not Kind.NUMERIC for attribute in attributes):
        return embed(X, attributes), plan.options
    return weigh(Z if plan.standardise else X, names, plan.column_weights), plan.options


def _common_values(
    X: FloatArray, labels: IntArray, columns: Sequence[QuasiColumn], plan: Plan, weights: FloatArray | None
) -> FloatArray:
    """Give every record the common values of its group, numbers or codes."""
    if all(column.kind is Kind.NUMERIC for column in columns):
        return release_values(X, labels, aggregate=plan.aggregate, weights=weights)
    Y = np.empty_like(X)
    for j, column in enumerate(columns):
        if column.kind is Kind.NUMERIC:
            Y[:, [j]] = release_values(X[:, [j]], labels, aggregate=plan.aggregate, weights=weights)
        else:
            codes = X[:, j].astype(np.int64)
            centres = group_centroids(codes, labels, column.attribute, weights=weights, centroid=plan.centroid)
            Y[:, j] = centres[labels]
    return Y


class _Clock:
    """Seconds of each step, in order."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._start = time.perf_counter()

    def step(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self._start
        self._start = now


def _strata(table: Table, plan: Plan) -> list[IntArray]:
    """The rows of each stratum, in order of first appearance; one stratum of all rows where none are asked for."""
    if not plan.by:
        return [np.arange(table.n_records)]
    classes = risk.equivalence_classes(np.column_stack([table.spellings(name) for name in plan.by]))
    order = np.argsort(classes, kind="stable")
    strata = np.split(order, np.cumsum(np.bincount(classes))[:-1])
    _check_strata([len(rows) for rows in strata], [int(rows[0]) for rows in strata], plan)
    return strata


def _check_strata(sizes: Sequence[int], rows: Sequence[int], plan: Plan) -> None:
    """Refuse a stratum of fewer than k records: told by its first record, and not by values that so few share."""
    for size, row in zip(sizes, rows, strict=True):
        if size < plan.k:
            raise InfeasibleK(
                f"the stratum of record {row + 1} ({', '.join(plan.by)}) has fewer than k = {plan.k} records. Merge it "
                "with another, leave it out, or choose a smaller k."
            )


def _partition_strata(
    X: FloatArray, strata: list[IntArray], plan: Plan, threads: int | None, progress: Progress | None
) -> IntArray:
    per_column = METHODS[plan.method].per_column
    labels = np.empty(X.shape if per_column else len(X), dtype=np.int64)
    offset = np.zeros(X.shape[1] if per_column else 1, dtype=np.int64)
    # Most methods are quadratic, so a stratum's share of the work is the square of its size.
    work = np.array([len(rows) for rows in strata], dtype=np.float64) ** 2
    ends = (np.cumsum(work) / work.sum()).tolist()
    for rows, start, end in zip(strata, [0.0, *ends[:-1]], ends, strict=True):
        part = group_records(
            X[rows],
            plan.k,
            method=plan.method,
            options=plan.options,
            refine=plan.refine,
            refine_options=plan.refine_options,
            seed=plan.seed,
            threads=threads,
            progress=part_of(progress, start, end),
        )
        labels[rows] = part + offset
        offset = offset + part.max(axis=0) + 1
    return labels


def _digits(plan: Plan, name: str, is_integer: bool) -> int | None:
    """To how many digits a column is rounded: None for not at all."""
    if isinstance(plan.round, bool):
        return 0 if plan.round and is_integer else None
    if isinstance(plan.round, Mapping):
        return plan.round.get(name)
    return 0 if name in plan.round else None


def _stays_whole(digits: int | None, is_integer: bool) -> bool:
    """Say whether a column of whole numbers holds whole numbers again."""
    return is_integer and digits is not None and digits <= 0


def _of_weights(plan: Plan, n_rare: int, n_records: int, n_groups: int, n_equal: int) -> tuple[str, ...]:
    """What to know of survey weights: what is released of them, and which were not used. All of it can be counted in
    the release.
    """
    shared = (
        f"{n_rare:,} of {n_records:,} records have a weight that fewer than k = {plan.k} records share, which may "
        "single them out. Round the weights beforehand, or leave the column out of what you publish."
        if n_rare
        else f"every weight is shared by at least k = {plan.k} records."
    )
    notes = [f"The weight column {plan.weights!r} is released as it is: {shared}"]
    if n_groups:
        notes.append(
            f"Groups in which one record has more than half of the weight, or all weights are 0: {n_groups:,} "
            f"({n_equal:,} records). There all records count equally: a weighted value would be near to that record's "
            "own."
        )
    return tuple(notes)


def _few_of(gate: Gate, count: int, n_records: int, what: str) -> str:
    """Say what became of records that resemble nobody; how many they are, where the gate lets that pass."""
    told = gate.count(count, of=n_records)
    number = f"{gate.words(count).capitalize()} records" if told is None else f"{told:,} of {n_records:,} records"
    return f"{number} resemble nobody and {what}."


def _warnings(
    imputed: Mapping[str, int],
    plan: Plan,
    strata: Sequence[int],
    exposed: int,
    columns: Sequence[QuasiColumn],
    gate: Gate,
) -> tuple[str, ...]:
    """What to know before publishing; `strata` are their sizes."""
    notes = []
    if exposed:
        notes.append(
            f"Each column is grouped alone: {exposed} records share the combination of their quasi-identifiers with "
            f"fewer than {plan.k} records. This is NOT k-anonymity."
        )
    if imputed:
        named = ", ".join(f"{name}: {gate.words(count)}" for name, count in imputed.items())
        notes.append(
            f"Missing values were replaced before grouping, by the median or the most frequent value ({named})."
        )
    if METHODS[plan.method].takes == "numbers":
        lost = {column.name: not_shown(column.attribute) for column in columns}
        named = ", ".join(f"{name}: {100 * share:.0f}% are lost" for name, share in lost.items() if share >= MENTIONED)
        if named:
            notes.append(
                f"Categories were grouped as points, which cannot show all distances ({named}). "
                "Method mixed uses the distances themselves."
            )
    small = sum(size < 2 * plan.k for size in strata)
    if len(strata) > 1 and small:
        notes.append(f"{small} of {len(strata)} strata have fewer than 2k records and became one group each.")
    if sum(strata) < 2 * plan.k:
        notes.append("There are fewer than 2k records, so all of them became one group with one common value.")
    return tuple(notes)
