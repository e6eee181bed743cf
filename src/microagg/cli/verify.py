"""`microagg verify`: a released file against the certificate in its report."""

from __future__ import annotations

import click

from microagg.cli.console import header_row_option, json_option, print_json, print_table, sheet_option
from microagg.verify import Verification
from microagg.verify import verify as hold_against

DOES_NOT_HOLD = 1
"""The exit code where the file is another one, or breaks a promise."""
_WORDS = {True: "holds", False: "DOES NOT HOLD", None: "not countable"}

_file = click.Path(exists=True, dir_okay=False, readable=True)


@click.command(short_help="Check a released file against the certificate in its report.")
@click.argument("file", type=click.Path(exists=True, readable=True))
@click.option("--report", required=True, type=_file, help="The report of the release in JSON, with its certificate.")
@click.option("--plan", type=_file, help="The private plan (--save-plan): does it belong, is its source unchanged?")
@click.option("--promises-only", is_flag=True, help="Accept a copy with other bytes that keeps all promises.")
@sheet_option
@header_row_option
@json_option
@click.pass_context
def verify(
    context: click.Context,
    file: str,
    report: str,
    plan: str | None,
    promises_only: bool,
    sheet: str | None,
    header_row: int | None,
    as_json: bool,
) -> None:
    """Check FILE against the certificate in its report: its SHA-256, and the promises, counted anew from the file.

    FILE may also be the folder of Parquet files that an engine wrote.

    The exit code is 0 where all holds, 1 where the file is another one or breaks a promise, 2 where it could not be
    checked.

    \b
    microagg verify released.csv --report report.json
    microagg verify saved-again.xlsx --report report.json --promises-only
    """
    verification = hold_against(file, report, plan=plan, sheet=sheet, header_row=header_row)
    if as_json:
        print_json(verification.summary)
    else:
        _print(verification)
    if not (verification.promises_hold if promises_only else verification.holds):
        context.exit(DOES_NOT_HOLD)


def _print(verification: Verification) -> None:
    print_table(
        ["Check", "", "certified", "counted"],
        [[check.title, _WORDS[check.holds], check.certified, check.counted] for check in verification.checks],
    )
    click.echo()
    if verification.holds:
        click.echo("This is the file that was certified, and it keeps what was promised.")
    elif verification.promises_hold and not verification.same_file:
        click.echo("This is another file than the one that was certified. It keeps all that was promised, as counted.")
    elif verification.promises_hold:
        click.echo("This is the file that was certified. The plan does not belong to it, or its source has changed.")
    else:
        click.echo("This file is NOT what was certified: do not rely on it.")
