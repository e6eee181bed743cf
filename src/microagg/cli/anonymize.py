"""`microagg anonymize`: from a file to a release."""

from __future__ import annotations

import warnings
from typing import Any

import click

from microagg import anonymize_file
from microagg.aggregate import AGGREGATES
from microagg.cli.console import (
    drop_option,
    file_argument,
    json_option,
    kind_option,
    number,
    print_json,
    print_table,
    progress_bar,
    quasi_option,
    split_kinds,
    split_names,
    split_quasi,
)
from microagg.errors import InvalidOption, NotKAnonymousWarning
from microagg.partition import METHODS
from microagg.prepare import Missing
from microagg.refine import REFINEMENTS
from microagg.release import Release
from microagg.risk import RISKS
from microagg.schema import Role
from microagg.semantic.centroid import CENTROIDS
from microagg.utility import METRICS


@click.command(short_help="Make a file k-anonymous.")
@file_argument
@click.option("-k", "--k", "k", type=int, required=True, help="Least number of records that look the same.")
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
    "--missing",
    type=click.Choice([choice.value for choice in Missing]),
    default="refuse",
    show_default=True,
    help="What to do with records that lack a quasi-identifier.",
)
@click.option("--round", "round_whole", is_flag=True, help="Keep columns of whole numbers whole.")
@click.option("--round-column", multiple=True, metavar="NAME[=DIGITS]", help="Round this column; repeatable.")
@click.option("--bound", type=float, metavar="SECONDS", help="Spend this long on proving how low the loss can be.")
@click.option("--shuffle", is_flag=True, help="Write the rows in random order.")
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
@click.option("--report", type=click.Path(dir_okay=False), help="Where the HTML report goes.")
@click.option(
    "--accept-not-k-anonymous", is_flag=True, help="Write the result of a method that protects each column alone."
)
@json_option
def anonymize(
    file: str,
    k: int,
    quasi: str | None,
    drop: str,
    confidential: str,
    kinds: tuple[str, ...],
    method: str,
    refine: str | None,
    options: tuple[str, ...],
    by: str,
    weights: str | None,
    column_weights: tuple[str, ...],
    raw: bool,
    aggregate: str,
    centroid: str,
    suppress: float,
    beyond: float,
    missing: str,
    round_whole: bool,
    round_column: tuple[str, ...],
    bound: float | None,
    shuffle: bool,
    seed: int,
    threads: int | None,
    memory: str,
    output: str | None,
    report: str | None,
    accept_not_k_anonymous: bool,
    as_json: bool,
) -> None:
    """Make FILE k-anonymous: group similar records and give each group common quasi-identifiers.

    FILE may be CSV, Parquet, SPSS, Stata, SAS or Excel; the name of the output says its format.

    \b
    microagg anonymize people.csv -k 5 --quasi age,income --drop name -o released.csv --report report.html
    microagg anonymize census.parquet -k 10 --quasi '*' --method fast --memory 4GB -o released.parquet
    """
    if round_whole and round_column:
        raise click.UsageError("--round and --round-column cannot be used together.")
    with warnings.catch_warnings(), progress_bar(f"{method}, k = {k}", quiet=as_json) as progress:
        warnings.simplefilter("ignore", NotKAnonymousWarning)
        release = anonymize_file(
            file,
            output,
            k,
            report=report,
            memory=memory,
            accept_not_k_anonymous=accept_not_k_anonymous,
            threads=threads,
            progress=progress,
            quasi=split_quasi(quasi),
            identifiers=split_names(drop),
            confidential=split_names(confidential),
            by=split_names(by),
            weights=weights,
            kinds=split_kinds(kinds),
            method=method,
            refine=refine,
            options=dict(read_option(text) for text in options),
            column_weights={name: _as_float(name, text) for name, text in map(_split_pair, column_weights)},
            standardise=not raw,
            aggregate=aggregate,
            centroid=centroid,
            suppress=suppress,
            beyond=beyond,
            missing=missing,
            round=round_whole or _read_rounding(round_column),
            bound=bound,
            shuffle=shuffle,
            seed=seed,
        )
    if as_json:
        print_json({**release.summary, "input": file, "output": output, "report": report})
    else:
        _print_release(release, output, report)


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


def _proven(release: Release) -> str:
    return "" if release.lower_bound is None else f"; no partition can be below {release.lower_bound:.4f} %"


def _print_release(release: Release, output: str | None, report: str | None) -> None:
    summary = release.summary
    quasi = [name for name, role in release.roles.items() if role is Role.QUASI]
    print_table(
        [f"{METHODS[release.plan.method].title}, k = {release.plan.k}", ""],
        [
            ["records", number(summary["records"])],
            *[
                [f"{kind} quasi-identifiers", ", ".join(name for name in quasi if release.kinds[name] == kind)]
                for kind in dict.fromkeys(release.kinds.values())
            ],
            ["groups", number(summary["groups"])],
            ["sizes of groups", f"{summary['smallest']} to {summary['largest']}"],
            ["information loss", f"{release.information_loss:.4f} %{_proven(release)}"],
            ["seconds", f"{summary['seconds']:.2f}"],
        ],
    )
    click.echo()
    print_table(
        ["Loss", "value", "unit"],
        [[METRICS[name].title, number(value), METRICS[name].unit] for name, value in release.losses.items()],
    )
    click.echo()
    print_table(
        ["Risk", "before", "after", "unit"],
        [
            [RISKS[name].title, number(release.risks_before[name]), number(value), RISKS[name].unit]
            for name, value in release.risks.items()
        ],
    )
    click.echo()
    for warning in release.warnings:
        click.echo(f"warning: {warning}", err=True)
    click.echo(f"released: {output}" if output else "nothing was written: name a file with -o to write the release")
    if report:
        click.echo(f"report:   {report}")
