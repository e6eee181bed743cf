"""`microagg anonymize`: from a file to a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from microagg import anonymize_file, io
from microagg.aggregate import AGGREGATES
from microagg.anonymize import OUTLIERS, choices
from microagg.cli.console import (
    WITHHELD,
    drop_option,
    json_option,
    kind_option,
    number,
    plan_option,
    print_json,
    print_table,
    progress_bar,
    quasi_option,
    refine_option,
    report_option,
    split_kinds,
    split_names,
    split_quasi,
    told,
    typed,
)
from microagg.errors import InvalidOption, MicroaggError
from microagg.partition import METHODS
from microagg.plan_file import PlanFile, changes_of_input, read_plan_file, record, second_release
from microagg.prepare import Missing
from microagg.refine import REFINEMENTS
from microagg.release import Release
from microagg.risk import RISKS
from microagg.schema import Role
from microagg.semantic.centroid import CENTROIDS
from microagg.utility import METRICS


@click.command(short_help="Make a file k-anonymous.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True), required=False)
@click.option("-k", "--k", "k", type=int, help="Least number of records that look the same.")
@quasi_option
@drop_option
@click.option(
    "--confidential", metavar="NAMES", default="", help="Columns that the release is about; kept as they are."
)
@kind_option
@click.option(
    "--method",
    default="auto",
    show_default=True,
    help=f"auto (mdav for numbers alone, else mixed), or one of {', '.join(METHODS)}.",
)
@click.option("--refine", type=click.Choice(list(REFINEMENTS)), help="Improve the groups of the method afterwards.")
@refine_option
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the method; repeatable.")
@click.option("--by", metavar="NAMES", default="", help="Strata: records of different values here are never mixed.")
@click.option("--weights", metavar="NAME", help="Column of survey weights; group means become weighted means.")
@click.option(
    "--column-weight", "column_weights", multiple=True, metavar="NAME=WEIGHT", help="How much a column counts."
)
@click.option("--raw", is_flag=True, help="Do not standardise the columns before grouping.")
@click.option("--aggregate", type=click.Choice(AGGREGATES), default="mean", show_default=True)
@click.option(
    "--centroid",
    type=click.Choice(CENTROIDS),
    default="semantic",
    show_default=True,
    help="The common value of categories in a hierarchy.",
)
@click.option("--suppress", type=float, default=0.0, metavar="SHARE", help="Leave out up to this share of outliers.")
@click.option(
    "--beyond", type=float, default=0.5, show_default=True, help="How far an outlier lies from all frequent records."
)
@click.option(
    "--outliers",
    type=click.Choice(OUTLIERS),
    default="group",
    show_default=True,
    help="Outliers that are not left out: group them like all others, or let them join the most similar group.",
)
@click.option(
    "--missing",
    type=click.Choice([choice.value for choice in Missing]),
    default="refuse",
    show_default=True,
    help="What to do with records that lack a quasi-identifier.",
)
@click.option("--round", "round_whole", is_flag=True, help="Keep columns of whole numbers whole.")
@click.option("--round-column", multiple=True, metavar="NAME[=DIGITS]", help="Round this column; repeatable.")
@click.option("--bound", type=float, metavar="SECONDS", help="Spend this long on proving how low the loss can be.")
@click.option("--shuffle", is_flag=True, help="Write the rows in a secret random order, another one every time.")
@click.option("--seed", type=int, default=0, show_default=True, help="What random choices follow from.")
@click.option("--threads", type=int, help="How many threads to use; all processors by default.")
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
@json_option
@click.pass_context
def anonymize(
    context: click.Context,
    file: str | None,
    k: int | None,
    quasi: str | None,
    drop: str,
    confidential: str,
    kinds: tuple[str, ...],
    method: str,
    refine: str | None,
    refine_options: tuple[str, ...],
    options: tuple[str, ...],
    by: str,
    weights: str | None,
    column_weights: tuple[str, ...],
    raw: bool,
    aggregate: str,
    centroid: str,
    suppress: float,
    beyond: float,
    outliers: str,
    missing: str,
    round_whole: bool,
    round_column: tuple[str, ...],
    bound: float | None,
    shuffle: bool,
    seed: int,
    threads: int | None,
    memory: str,
    output: str | None,
    reports: tuple[str, ...],
    report_details: bool,
    plan_path: str | None,
    save_plan: str | None,
    accept_not_k_anonymous: bool,
    escape_formulas: bool,
    as_json: bool,
) -> None:
    """Make FILE k-anonymous: group similar records and give each group common quasi-identifiers.

    FILE may be CSV, Parquet, SPSS, Stata, SAS or Excel; the name of the output says its format.

    \b
    microagg anonymize people.csv -k 5 --quasi age,income --drop name -o released.csv --report report.html
    microagg anonymize census.parquet -k 10 --quasi '*' --method fast --memory 4GB -o released.parquet
    microagg anonymize people.csv -k 5 --quasi age,income -o released.csv --save-plan plan.toml
    microagg anonymize --plan plan.toml -o again.csv
    """
    if round_whole and round_column:
        raise click.UsageError("--round and --round-column cannot be used together.")
    earlier = read_plan_file(plan_path) if plan_path is not None else None
    file = _input(file, earlier)
    if k is None and earlier is None:
        raise click.UsageError("Missing option '-k' / '--k', or a plan that says it (--plan).")
    asked: dict[str, Any] = {
        "k": k,
        "quasi": split_quasi(quasi),
        "identifiers": split_names(drop),
        "confidential": split_names(confidential),
        "by": split_names(by),
        "weights": weights,
        "kinds": split_kinds(kinds),
        "method": method,
        "refine": refine,
        "refine_options": dict(read_option(text) for text in refine_options),
        "options": dict(read_option(text) for text in options),
        "column_weights": {name: _as_float(name, text) for name, text in map(_split_pair, column_weights)},
        "standardise": not raw,
        "aggregate": aggregate,
        "centroid": centroid,
        "suppress": suppress,
        "beyond": beyond,
        "outliers": outliers,
        "missing": missing,
        "round": round_whole or _read_rounding(round_column),
        "bound": bound,
        "shuffle": shuffle,
        "seed": seed,
    }
    if earlier is not None:
        asked = choices(earlier.plan.changed(**typed(context, asked)))
    if plan_path is not None:
        io.check_apart(plan_path, output, *reports)
    predecessors = [plan for plan in (earlier, _replaced(save_plan)) if plan is not None]
    label = f"{asked['method']}, k = {asked['k']}"
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
            threads=threads,
            progress=progress,
            **asked,
        )
    if as_json:
        print_json({**release.published, "input": file, "output": output, "report": list(reports), "plan": save_plan})
    else:
        _print_release(release, output, reports)
        if save_plan is not None:
            click.echo(f"plan:     {save_plan}")


def _input(file: str | None, earlier: PlanFile | None) -> str:
    """Give the input: what was typed, else what the plan names."""
    if file is not None:
        return file
    if earlier is None:
        raise click.UsageError("Missing argument 'FILE', or a plan that names it (--plan).")
    if earlier.input is None:
        raise click.UsageError("Missing argument 'FILE': the plan names no input.")
    return earlier.input.file


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


def read_option(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE; a value that looks like a number or truth value becomes one.

    >>> read_option("gamma=0.2"), read_option("gamma=auto")
    (('gamma', 0.2), ('gamma', 'auto'))
    """
    name, value = _split_pair(text)
    if value.lower() in {"true", "false"}:
        return name, value.lower() == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def _split_pair(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip():
        raise InvalidOption(f"options must be written NAME=VALUE; got {text!r}.")
    return name.strip(), value.strip()


def _as_float(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidOption(f"the weight of column {name!r} must be a number; got {text!r}.") from None


def _read_rounding(texts: tuple[str, ...]) -> dict[str, int] | bool:
    digits: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        try:
            digits[name if equals else text] = int(value) if equals else 0
        except ValueError:
            raise InvalidOption(f"--round-column must be written NAME or NAME=DIGITS; got {text!r}.") from None
    return digits or False


def _untouched(release: Release) -> str:
    """Name the columns that leave as they came, with how many records are alone there."""
    return ", ".join(f"{name} ({100 * share:.0f}% alone)" for name, share in release.untouched.items())


def _cost(summary: Mapping[str, Any]) -> str:
    """The information loss and its bound, as far as they are told."""
    if summary["information_loss"] is None:
        return WITHHELD
    bound = "" if summary["lower_bound"] is None else f"; no partition can be below {summary['lower_bound']:.10g} %"
    return f"{summary['information_loss']:.10g} %{bound}"


def _print_release(release: Release, output: str | None, reports: tuple[str, ...]) -> None:
    summary = release.published
    quasi = [name for name, role in release.roles.items() if role is Role.QUASI]
    print_table(
        [f"{METHODS[release.plan.method].title}, k = {release.plan.k}", ""],
        [
            ["records", number(summary["records"])],
            *[
                [f"{kind} quasi-identifiers", ", ".join(name for name in quasi if release.kinds[name] == kind)]
                for kind in dict.fromkeys(release.kinds.values())
            ],
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
    for warning in release.warnings:
        click.echo(f"warning: {warning}", err=True)
    for alike in summary["homogeneous"]:
        one = alike["groups"] == 1
        click.echo(
            f"warning: in {alike['groups']:,} group{'' if one else 's'} ({alike['records']:,} records) everybody has "
            f"the same {alike['column']}: who finds a person's group knows it of that person",
            err=True,
        )
    if not release.gate.tells_original:
        for what in summary["withheld"]:
            click.echo(f"withheld: {what['what']} ({what['why']})")
        click.echo("          for your own eyes, --save-plan and --report-details tell all of it")
    click.echo(f"released: {output}" if output else "nothing was written: name a file with -o to write the release")
    for report in reports:
        click.echo(f"report:   {report}")
