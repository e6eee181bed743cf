"""`microagg anonymize`: from a file to a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from microagg import anonymize_file, io
from microagg.anonymize import choices
from microagg.base.folding import FITS, folded
from microagg.base.schema import Role
from microagg.cli.choices import choice_options, typed_choices
from microagg.cli.console import (
    WITHHELD,
    header_row_option,
    json_option,
    number,
    plan_option,
    print_json,
    print_table,
    progress_bar,
    report_option,
    sheet_option,
    told,
)
from microagg.cli.words import in_flags
from microagg.constraints import CONSTRAINTS
from microagg.engines.spread.places import PLACES
from microagg.errors import MicroaggError
from microagg.partition import METHODS
from microagg.plan import Plan, PlanFile, changes_of_input, read_plan_file, record, second_release
from microagg.release import AnyRelease
from microagg.report.notes import of_homogeneous
from microagg.risk import RISKS
from microagg.utility import METRICS

BOOK = ("sheet", "header_row")
"""How a workbook is read; the command line says it too."""


@click.command(short_help="Make a file k-anonymous.")
@click.argument("file", type=click.Path(), required=False)
@choice_options
@click.option("--threads", type=int, help="How many threads to use; all processors by default.")
@click.option(
    "--engine",
    metavar="NAME",
    help=f"Who works on a table that is larger than this machine's memory, or lies in many files: "
    f"{', '.join(place.example for place in PLACES.values())}. FILE may then be a folder or a pattern of CSV or "
    "Parquet files, and --output a folder; --memory is what one worker may take for one cell, 1GB by default.",
)
@click.option(
    "--memory",
    default="auto",
    show_default=True,
    metavar="SIZE",
    help="How much memory the work may take, such as 2GB: cell by cell, for CSV and Parquet files of numbers. auto: so "
    "where the file does not fit comfortably; unlimited: in memory.",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), help="Where the release goes; nothing is written without."
)
@report_option
@click.option("--report-details", is_flag=True, help="Draw single records in the report: keep it as safe as the data.")
@plan_option
@click.option(
    "--save-plan",
    type=click.Path(dir_okay=False),
    help="Write down what was done, as TOML, to repeat it; as private as the data.",
)
@click.option(
    "--accept-not-k-anonymous", is_flag=True, help="Write the result of a method that protects each column alone."
)
@click.option(
    "--escape-formulas", is_flag=True, help="In text files, put ' before text that spreadsheets take for formulas."
)
@sheet_option
@header_row_option
@json_option
@click.pass_context
def anonymize(
    context: click.Context,
    /,
    file: str | None,
    threads: int | None,
    engine: str | None,
    memory: str,
    output: str | None,
    reports: tuple[str, ...],
    report_details: bool,
    plan_path: str | None,
    save_plan: str | None,
    accept_not_k_anonymous: bool,
    escape_formulas: bool,
    sheet: str | None,
    header_row: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Make FILE k-anonymous: group similar records and give each group common quasi-identifiers.

    FILE may be CSV, Parquet, SPSS, Stata, SAS or Excel; the name of the output says its format.

    \b
    microagg anonymize people.csv -k 5 --quasi age,income --drop name -o released.csv --report report.html
    microagg anonymize census.parquet -k 10 --quasi '*' --method fast --memory 4GB -o released.parquet
    microagg anonymize 'people/*.parquet' -k 5 --quasi age,income --engine processes -o released
    microagg anonymize people.csv -k 5 --quasi age,income -o released.csv --save-plan plan.toml
    microagg anonymize --plan plan.toml -o again.csv
    """
    earlier = read_plan_file(plan_path) if plan_path is not None else None
    file = _input(file, earlier)
    if engine is None:
        click.Path(exists=True, dir_okay=False, readable=True).convert(file, _argument(context), context)
    asked = typed_choices(context, given)
    if earlier is None and "k" not in asked:
        raise click.UsageError("Missing option '-k' / '--k', or a plan that says it (--plan).")
    plan = Plan(**asked) if earlier is None else earlier.plan.changed(**asked)
    if plan_path is not None:
        io.check_apart(plan_path, output, *reports)
    predecessors = [before for before in (earlier, _replaced(save_plan)) if before is not None]
    label = f"{plan.method}, k = {plan.k}"
    with progress_bar(label, quiet=as_json) as progress:
        release = anonymize_file(
            file,
            output,
            report=reports,
            details=report_details,
            memory=memory,
            # Where nothing is written, there is nothing to accept; what to know of the release is printed below.
            accept_not_k_anonymous=accept_not_k_anonymous or output is None,
            escape_formulas=escape_formulas,
            remarks=lambda made: _remarks(record(made, file, output), earlier, predecessors),
            save_plan=save_plan,
            **(_reading(file, sheet, header_row, earlier) if engine is None else {}),
            threads=threads,
            progress=progress,
            engine=engine,
            **choices(plan),
        )
    if as_json:
        print_json({**release.published, "input": file, "output": output, "report": list(reports), "plan": save_plan})
    else:
        _print_release(release, output, reports)
        if save_plan is not None:
            click.echo(f"plan:     {save_plan}")


def _argument(context: click.Context) -> click.Parameter:
    return next(parameter for parameter in context.command.params if parameter.name == "file")


def _input(file: str | None, earlier: PlanFile | None) -> str:
    """Give the input: what was typed, else what the plan names."""
    if file is not None:
        return file
    if earlier is None:
        raise click.UsageError("Missing argument 'FILE', or a plan that names it (--plan).")
    if earlier.input is None:
        raise click.UsageError("Missing argument 'FILE': the plan names no input.")
    return earlier.input.file


def _reading(file: str, sheet: str | None, header_row: int | None, earlier: PlanFile | None) -> dict[str, Any]:
    """Say how a file is read: what was typed of a workbook, else what the plan says."""
    taken = io.format_of(file).options
    earlier_reading = earlier.input.reading if earlier is not None and earlier.input is not None else {}
    said = {name: value for name, value in earlier_reading.items() if name in taken}
    typed = {name: value for name, value in (("sheet", sheet), ("header_row", header_row)) if value is not None}
    text = {name: value for name, value in said.items() if name not in BOOK}
    return {**{name: said[name] for name in BOOK if name in said}, **typed, "reading": text}


def _replaced(path: str | None) -> PlanFile | None:
    """Give the plan that is about to be written over, if there is one."""
    if path is None or not Path(path).exists():
        return None
    try:
        return read_plan_file(path)
    except MicroaggError:
        return None


def _remarks(done: PlanFile, followed: PlanFile | None, predecessors: Sequence[PlanFile]) -> list[str]:
    """Say what to know of a release that repeats, or follows, an earlier one."""
    remarks = [] if followed is None else changes_of_input(done, followed)
    return list(dict.fromkeys([*remarks, *(text for plan in predecessors for text in second_release(done, plan))]))


def _untouched(release: AnyRelease) -> str:
    """Name the columns that leave as they came, with how many records are alone there."""
    named = [f"{name} ({100 * share:.0f}% alone)" for name, share in release.untouched.items()]
    if len(named) <= FITS:
        return ", ".join(named)
    most = sorted(release.untouched, key=lambda name: -release.untouched[name])
    return folded([f"{name} ({100 * release.untouched[name]:.0f}% alone)" for name in most], which="the worst")


def _cost(summary: Mapping[str, Any]) -> str:
    """The information loss and its bound, as far as they are told."""
    if summary["information_loss"] is None:
        return WITHHELD
    bound = "" if summary["lower_bound"] is None else f"; no partition can be below {summary['lower_bound']:.10g} %"
    return f"{summary['information_loss']:.10g} %{bound}"


def _print_release(release: AnyRelease, output: str | None, reports: tuple[str, ...]) -> None:
    summary = release.published
    quasi = [name for name, role in release.roles.items() if role is Role.QUASI]
    print_table(
        [f"{METHODS[release.plan.method].title}, k = {release.plan.k}", ""],
        [
            ["records", number(summary["records"])],
            *[
                [f"{kind} quasi-identifiers", folded([name for name in quasi if release.kinds[name] == kind])]
                for kind in dict.fromkeys(release.kinds.values())
            ],
            *([["recoded", "\n".join(release.recoded)]] if release.recoded else []),
            *([["untouched columns", _untouched(release)]] if release.untouched else []),
            ["groups", number(summary["groups"])],
            ["sizes of groups", f"{summary['smallest']} to {summary['largest']}"],
            ["information loss", _cost(summary)],
            ["seconds", f"{summary['seconds']:g}"],
        ],
    )
    click.echo()
    losses = {name: value for name, value in summary["losses"].items() if value is not None}
    if losses:
        print_table(
            ["Loss", "value", "unit"],
            [[METRICS[name].title, number(value), METRICS[name].unit] for name, value in losses.items()],
        )
        click.echo()
    print_table(
        ["Risk", "before", "after", "unit"],
        [
            [RISKS[name].title, told(summary["risks_before"][name]), number(value), RISKS[name].unit]
            for name, value in summary["risks"].items()
        ],
    )
    click.echo()
    if summary["promises"]:
        print_table(
            ["Promise", "column", "asked", "before", "after"],
            [
                [
                    CONSTRAINTS[each["promise"]].title,
                    each["column"],
                    each["asked"],
                    told(each["before"]),
                    number(each["reached"]),
                ]
                for each in summary["promises"]
            ],
        )
        click.echo()
    for warning in release.warnings:
        click.echo(f"warning: {in_flags(warning)}", err=True)
    for warning in of_homogeneous(summary["homogeneous"]):
        click.echo(f"warning: {warning[0].lower()}{warning[1:]}", err=True)
    if not release.gate.tells_original:
        for what in summary["withheld"]:
            click.echo(f"withheld: {what['what']} ({what['why']})")
        click.echo("          for your own eyes, --save-plan and --report-details tell all of it")
    click.echo(f"released: {output}" if output else "nothing was written: name a file with -o to write the release")
    for report in reports:
        click.echo(f"report:   {report}")
