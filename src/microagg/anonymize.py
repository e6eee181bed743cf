"""The public calls that make a release of a frame or a file; flow.py does it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from microagg import io
from microagg.base.progress import Progress, part_of
from microagg.base.schema import Role
from microagg.base.table import Table
from microagg.engines import open_cells, parse_memory
from microagg.engines.spread.open import SpreadSource, is_folder, open_spread
from microagg.errors import InvalidOption, LikelyIdentifier
from microagg.flow import GROUPED, make_release, release_table
from microagg.io.csv import with_gaps
from microagg.partition import warn_of_columns
from microagg.plan import Plan, dump, load_plan, plan_of, record, takes_choices
from microagg.plan.columns import columns_with_gaps
from microagg.plan.method import check_spreadable
from microagg.plan.settle import exposed_columns
from microagg.prepare.check import TableLook
from microagg.release import AnyRelease, Release
from microagg.report import notes
from microagg.report.release import source_of

FILE_KEYWORDS = (
    *("report", "details", "memory", "accept_not_k_anonymous", "escape_formulas", "remarks", "save_plan"),
    *("sheet", "header_row"),
    *("threads", "progress", "engine"),
)
"""What `anonymize_file` takes beside the choices of a plan."""

ANYWAY = "anyway"
"""How somebody says that the index may stay, whatever it seems to be."""


@takes_choices
def anonymize(
    data: Any,
    k: int,
    *,
    keep_index: bool | str = False,
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
    keep_index : bool or "anyway"
        Release the labels of the rows of a pandas frame too. They may be names, and tell the order that the rows had;
        rows are numbered from 0 by default. True is refused where the labels seem to be identifiers, or give a
        quasi-identifier away; "anyway" says that they may stay, whatever they seem to be.
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
    0   22    1
    1   63    9
    2   22    2
    3   63    8
    4   22    3
    5   63    7
    >>> round(release.information_loss, 2)
    0.63
    """
    plan = plan_of("anonymize", {"k": k, **asked}, ("threads", "progress", "keep_index"))
    return _release_frame(data, plan, keep_index, threads, progress)


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
    remarks: Callable[[AnyRelease], Sequence[str]] | None = None,
    save_plan: str | os.PathLike[str] | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    reading: Mapping[str, Any] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Any = None,
    **asked: Any,
) -> AnyRelease:
    """Make a file k-anonymous; nothing is written unless all went well.

    Release, reports and plan are put in their places together at the end, or none of them is.

    A CSV or Parquet file may be larger than memory. It is then spooled to disk and grouped cell by cell: records that
    lie together, cut at medians, few enough for memory, so that no group crosses the border of a cell. The promises are
    the same: rows in the order of the input, kept columns as they were written, every record among k or more, checked
    before anything is published. Means, codes and classes are those of all records, and losses and risks exact; a
    report draws its charts from a sample of whole groups.

    With an engine, cells are worked on by processes of this machine or by a cluster, and many files may be one table:
    all of a folder, or of a pattern such as `people/*.parquet`. The release depends on `memory`, and neither on the
    engine nor on how many workers it has or how the records are spread over files.

    Parameters
    ----------
    source : path
        A CSV, Parquet, SPSS, Stata, SAS or Excel file; with an engine, a folder or a pattern of CSV or Parquet files
        too.
    target : path, optional
        Where the release goes; the name says the format. None: nothing is written. With an engine, a name that ends in
        no format is a folder of Parquet files, which must not be there yet; else it ends in .parquet.
    k : int
        Every record will share its quasi-identifiers with at least k - 1 others.
    report : path or sequence of paths, optional
        Where the report goes: an HTML page, or its JSON twin where the name ends in .json.
    details : bool
        Draw single records in the report, and count what fewer than k records share.
    memory : str or int
        How many bytes the work may take, such as "500MB" or "2GB", beside the 100 MB or so of the program itself. More
        is worked on cell by cell, always if a size is given. "auto" (default): in memory if the file is estimated to
        take no more than half of what is free, else cell by cell in that half. "unlimited": in memory. With an engine,
        it is what the work on one cell may take, on one worker: 1 GB by default.
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
    sheet : str, optional
        Which sheet of a workbook is read; the first by default.
    header_row : int, optional
        The row of a workbook that names the columns, from 1; the first by default.
    reading : mapping, optional
        What to know about a text file instead of finding it out: header, delimiter, decimal, encoding. Such a file is
        read into memory.
    threads, progress
        As in `anonymize`. With the engine "processes", `threads` is how many of them work.
    engine : str or client, optional
        Who works on cells: "processes" of this machine, "dask://HOST:PORT" or a `distributed.Client`,
        "ray://HOST:PORT" or "ray", "spark://HOST:PORT", "local[2,4]" or a `SparkSession`, or "serial", one after the
        other. All workers must see the folders of source and target.
    **asked
        Everything else that `anonymize` takes.

    Returns
    -------
    Release or FileRelease
        The latter where it was made cell by cell: its table lies in the file only.
    """
    start = time.perf_counter()
    source, target = Path(source), Path(target) if target is not None else None
    folder: Path | None = None
    spread: SpreadSource | None = None
    if engine is not None:
        _check_for_engine(sheet, header_row)
        if target is not None and is_folder(target):
            target, folder = None, target
    reports = [Path(report)] if isinstance(report, str | os.PathLike) else [Path(path) for path in report or ()]
    plans = [Path(save_plan)] if save_plan is not None else []
    targets = [*([target] if target is not None else []), *reports, *plans]
    io.check_apart(source, *targets)
    if target is not None:
        io.format_of(target)
    plan = plan_of("anonymize_file", {"k": k, **asked}, FILE_KEYWORDS)
    book = {name: value for name, value in (("sheet", sheet), ("header_row", header_row)) if value is not None}
    reading = {**(reading or {}), **book}
    allowed = None if reading or engine is not None else parse_memory(memory, source)
    modes = [io.PUBLIC] * (len(targets) - len(plans)) + [io.PRIVATE] * len(plans)
    with ExitStack() as opened, io.atomic_paths(targets, modes=modes) as temporaries:
        parts = dict(zip(targets, temporaries, strict=True))
        output = Output(target, parts[target], escape_formulas) if target is not None else None
        grouped = GROUPED if reports and allowed is None else 1.0
        grouping, measuring = part_of(progress, 0.0, grouped, tells_loss=True), part_of(progress, grouped, 1.0)
        release: AnyRelease
        if engine is not None:
            check_spreadable(plan, units=True)
            spread = opened.enter_context(
                open_spread(engine, source, folder or target, plan, memory=memory, hints=_hints(plan), threads=threads)
            )
            read = time.perf_counter() - start
            release = make_release(spread.engine, plan, threads=threads, progress=grouping)
            release = replace(release, seconds={"read": read, **release.seconds})
            if output is not None:
                spread.write(output.temporary)
        elif allowed is not None:
            check_spreadable(plan)
            write = None if output is None else output.write
            with open_cells(source, allowed, plan, target, write, _hints(plan)) as engine:
                read = time.perf_counter() - start
                release = make_release(engine, plan, threads=threads, progress=grouping)
            release = replace(release, seconds={"read": read, **release.seconds})
        else:
            table = read_for(plan, source, **reading)
            read = time.perf_counter() - start
            made = release_table(table, plan, threads=threads, progress=grouping)
            start = time.perf_counter()
            if output is not None:
                made.check_writable(output.path, accept_not_k_anonymous=accept_not_k_anonymous)
                output.write(made.table)
            release = replace(made, seconds={"read": read, **made.seconds, "write": time.perf_counter() - start})
        sources = {"input": source_of(source, sheet=sheet, header_row=header_row) if spread is None else spread.input}
        if spread is not None and folder is not None:
            sources["output"] = spread.output(folder.name)
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
            parts[path].write_text(dump(record(release, source, folder or target)), encoding="utf-8", newline="\n")
        if spread is not None and folder is not None:
            spread.publish(folder)
    if not accept_not_k_anonymous:
        warn_of_columns(release.plan.method, release.labels)
    return release


def _check_for_engine(sheet: str | None, header_row: int | None) -> None:
    if sheet is not None or header_row is not None:
        raise InvalidOption("sheet and header_row are for workbooks, which no engine takes: leave them out.")


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
    keep_index: bool | str = False,
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
    return _release_frame(data, base.changed(**changes), keep_index, threads, progress)


def _release_frame(
    data: Any, plan: Plan, keep_index: bool | str, threads: int | None, progress: Progress | None
) -> Release:
    if keep_index not in (True, False, ANYWAY):
        raise InvalidOption(f"keep_index must be True, False or {ANYWAY!r}; got {keep_index!r}.")
    table = io.wrap(data, keep_index=bool(keep_index))
    if keep_index is True:
        _check_labels(table, plan)
    release = release_table(table, plan, threads=threads, progress=progress)
    warn_of_columns(release.plan.method, release.labels)
    return replace(release, warnings=(*release.warnings, *notes.of_index(table.lost_index)))


def _check_labels(table: io.FrameTable, plan: Plan) -> None:
    """Refuse labels of rows that seem to name somebody, or give a quasi-identifier away."""
    labelled, levels = table.with_labels()
    if not levels or table.n_records == 0:
        return
    roles = {name: role for name, role in plan.roles(table.names).items() if role is Role.QUASI}
    asked = {**dict.fromkeys(levels, Role.OTHER), **roles}
    exposed = exposed_columns(TableLook(labelled, list(asked)), asked, replace(plan, keep=(), by=()))
    if exposed:
        told = ". ".join(f"{each.column!r} {each.why}" for each in exposed)
        raise LikelyIdentifier(
            f"the index of the frame would be released as it is. {told}. Leave it out (keep_index=False), or say that "
            f"it may stay (keep_index={ANYWAY!r}).",
            tuple(each.column for each in exposed),
        )


def choices(plan: Plan) -> dict[str, Any]:
    """Give what a plan says as the keywords that made it."""
    return {item.name: getattr(plan, item.name) for item in fields(plan)}


def read_for(plan: Plan, path: Path, **reading: Any) -> Table:
    """Read a file for a plan: what will be replaced as numbers, everything else as it is written.

    `reading` are the sheet and the header row of a workbook, where they are said.
    """
    table = io.read(path, **_hints(plan), **reading)
    return with_gaps(table, columns_with_gaps(plan, table.names))


def _hints(plan: Plan) -> dict[str, Any]:
    """Say which columns of a file will be replaced by numbers, and which leave as they are written."""
    coded = [name for name, kind in plan.kinds.items() if kind != "numeric"]
    kept = (*plan.identifiers, *plan.confidential, *plan.by, *((plan.weights,) if plan.weights else ()), *coded)
    numbers = "*" if plan.quasi is None else [name for name in plan.quasi if name not in coded]
    return {"numeric": numbers, "verbatim": kept}


def make_plan(*, k: int, **asked: Any) -> Plan:
    """Make a plan of keywords, among them options of the method; what is wrong is said as far as no data are needed."""
    return plan_of("a plan", {"k": k, **asked})
