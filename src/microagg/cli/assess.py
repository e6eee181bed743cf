"""`microagg assess`: how exposed is a file as it is."""

from __future__ import annotations

from pathlib import Path

import click

from microagg import io
from microagg.base.folding import SOME, folded
from microagg.cli.console import (
    drop_option,
    file_argument,
    header_row_option,
    json_option,
    number,
    print_json,
    print_table,
    progress_bar,
    quasi_option,
    recode_option,
    report_option,
    sheet_option,
    split_names,
    split_quasi,
    split_steps,
    told,
)
from microagg.exposure import Exposure, assess_file

SHOWN = 10
"""How many of the smallest classes are listed, and how many rows of each."""


@click.command(short_help="Tell the k, the uniques, the risks and the smallest groups of a file.")
@file_argument
@quasi_option
@drop_option
@recode_option
@click.option("--confidential", metavar="NAMES", default="", help="Columns that must not be learned about a person.")
@click.option("--weights", metavar="NAME", help="Column that says how many people each record stands for.")
@click.option("--unit", metavar="NAME", help="Column that says which records belong together; these are counted.")
@click.option("-k", "--k", "k", type=int, default=3, show_default=True, help="Count the records that violate this k.")
@click.option("--seed", type=int, default=0, show_default=True, help="What samples of records follow from.")
@report_option
@click.option(
    "--report-details",
    is_flag=True,
    help="Tell everything exactly, and list the smallest groups by row: keep what comes out as safe as the data.",
)
@sheet_option
@header_row_option
@json_option
def assess(
    file: str,
    quasi: str | None,
    drop: str,
    recode: tuple[str, ...],
    confidential: str,
    weights: str | None,
    unit: str | None,
    k: int,
    seed: int,
    reports: tuple[str, ...],
    report_details: bool,
    sheet: str | None,
    header_row: int | None,
    as_json: bool,
) -> None:
    """Tell how exposed the records of FILE are: its k, its uniques, its risks, its smallest groups.

    Records that are equal on all quasi-identifiers form a class; a record in a class of 1 is unique. Columns of any
    kind may be named. Missing values count as equal to each other.

    \b
    microagg assess people.csv --quasi age,income --confidential illness --report exposure.html
    """
    io.check_apart(file, *reports)
    with progress_bar("measures", quiet=as_json) as progress:
        exposure = assess_file(
            file,
            progress=progress,
            k=k,
            quasi=split_quasi(quasi),
            identifiers=split_names(drop),
            confidential=split_names(confidential),
            recode=split_steps(recode),
            weights=weights,
            unit=unit,
            seed=seed,
            sheet=sheet,
            header_row=header_row,
        )
    if reports:
        exposure.report(*reports, title=Path(file).name, details=report_details)
    if as_json:
        summary = {**exposure.summary, "smallest": exposure.smallest(SHOWN)} if report_details else exposure.published
        summary = {name: value for name, value in summary.items() if name != "sha256"}
        print_json({**summary, "report": list(reports)})
        return
    _print_exposure(exposure, file, details=report_details)
    for report in reports:
        click.echo(f"report: {report}")


def _print_exposure(exposure: Exposure, file: str, *, details: bool) -> None:
    summary = exposure.summary if details else exposure.published
    print_table(
        [file, ""],
        [
            ["records", number(summary["records"])],
            ["quasi-identifiers", folded(summary["quasi"])],
            ["different combinations", told(summary["classes"])],
            ["k", told(summary["k"])],
            *[[f"records that violate {bound}-anonymity", told(n)] for bound, n in summary["violations"].items()],
            [f"{exposure.k}-anonymous", "no" if exposure.violations[exposure.k] else "yes"],
        ],
    )
    click.echo()
    risks = [
        [row["title"], "" if row["value"] is None else number(row["value"]), row["unit"], row["note"]]
        for row in summary["measures"]
        if row["name"] != "smallest_class"
    ]
    if risks:
        print_table(["Risk", "value", "unit", ""], risks)
        click.echo()
    alike = {
        column: "some" if groups is None else f"{groups:,}" for column, groups in summary["homogeneous_groups"].items()
    }
    if len(alike) > SOME:
        named = folded([f"{column} in {groups}" for column, groups in alike.items()], fits=SOME)
        click.echo(f"warning: there are groups of more than one record that agree in confidential {named}", err=True)
    else:
        for column, groups in alike.items():
            click.echo(f"warning: everybody has the same {column} in {groups} groups of more than one record", err=True)
    if not details:
        for what in summary["withheld"]:
            click.echo(f"withheld: {what['what']} ({what['why']}). --report-details tells everything.", err=True)
        return
    print_table(
        ["Smallest groups", "records (row numbers)"],
        [[number(group["size"]), ", ".join(map(str, group["records"]))] for group in exposure.smallest(SHOWN)],
    )
