"""`microagg start`: from a file to a plan that says what its columns are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from microagg import io
from microagg.base.schema import Role
from microagg.cli.console import file_argument, header_row_option, json_option, print_json, print_table, sheet_option
from microagg.errors import FileProblem, MicroaggError
from microagg.plan import FileMark, Suggestion, suggest_table
from microagg.plan.spelling import split_names
from microagg.plan.suggest import KEEP, ROLES, UNIT, WEIGHTS, legible

SHOWN = 60
"""How many columns are listed; the plan tells of all."""
WORDS = {
    Role.QUASI.value: "quasi-identifier",
    Role.IDENTIFIER.value: "left out",
    Role.CONFIDENTIAL.value: "confidential",
    Role.OTHER.value: "kept as it is",
    KEEP: "kept on request",
    WEIGHTS: "survey weights",
    UNIT: "counted by k",
}
KINDS = ("numeric", "nominal", "ordinal")


@click.command(short_help="Look at a file, and write a plan that says what its columns are.")
@file_argument
@click.option("-k", "--k", "k", type=int, default=5, show_default=True, help="Least number of records that look alike.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    default="plan.toml",
    show_default=True,
    help="Where the plan goes.",
)
@click.option("--yes", is_flag=True, help="Ask nothing: write what is proposed, over an earlier plan too.")
@sheet_option
@header_row_option
@json_option
def start(file: str, k: int, output: str, yes: bool, sheet: str | None, header_row: int | None, as_json: bool) -> None:
    """Propose what each column of FILE is for and what it is treated as, with reasons, and write that as a plan.

    The plan is TOML with comments: read it, change it, and run it. Where a person is at the terminal, columns can be
    changed before it is written.

    \b
    microagg start people.csv
    microagg anonymize --plan plan.toml -o released.csv --report report.html
    """
    io.check_apart(file, output)
    table = io.read(file, sheet=sheet, header_row=header_row)
    suggestion = suggest_table(table)
    asks = not (yes or as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    if not as_json:
        _print_suggestion(suggestion, file)
    if asks:
        suggestion, k = _ask(suggestion, k)
    if Path(output).exists() and not yes:
        if not asks:
            raise FileProblem(
                f"{output} exists already. Name another file (-o), or say that it may be replaced (--yes)."
            )
        click.confirm(f"{output} exists already. Replace it?", abort=True)
    text = suggestion.toml(k, source=FileMark(file, io.sha256(file), sheet, header_row))
    with io.atomic_path(output, mode=io.PRIVATE) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    if as_json:
        print_json({"input": file, "plan": output, "records": table.n_records, "columns": _described(suggestion)})
        return
    released = Path(file).with_name(f"{Path(file).name.split('.')[0]}-released{_suffix(file)}")
    click.echo(f"plan:  {output}  (read it: it says why, and you know better)")
    click.echo(f"next:  microagg anonymize --plan {output} -o {os.fspath(released)} --report report.html")


def _suffix(file: str) -> str:
    """How the name of the release ends: as that of the input, where such files can be written."""
    suffix = io.format_of(file).suffix
    return ".xpt" if suffix == ".sas7bdat" else suffix


def _print_suggestion(suggestion: Suggestion, file: str) -> None:
    columns = suggestion.columns
    print_table(
        [f"{Path(file).name}, {suggestion.n_records:,} records", "proposed", "as", "why"],
        [
            [legible(column.name), WORDS[column.role], column.kind or "", legible(column.note, None)]
            for column in columns[:SHOWN]
        ],
    )
    if len(columns) > SHOWN:
        counts = ", ".join(f"{WORDS[role]} {len(suggestion.named(role)):,}" for role in ROLES if suggestion.named(role))
        click.echo(
            f"... and {len(columns) - SHOWN:,} more columns; of all {len(columns):,}: {counts}. The plan names them."
        )
    click.echo()


def _ask(suggestion: Suggestion, k: int) -> tuple[Suggestion, int]:
    """Let a person change columns until nothing is left to change."""
    click.echo("Change what you know better: names of columns separated by commas, or nothing to go on.")
    click.echo(f"'{KEEP}' lets a column stay as it is, whatever it seems to be; '{Role.OTHER}' if it names nobody.")
    while asked := split_names(click.prompt("Columns", default="", show_default=False)):
        role = click.prompt("What are they for", type=click.Choice(ROLES))
        kind = None
        if role == Role.QUASI:
            choices = click.Choice(["as proposed", *KINDS])
            kind = click.prompt("Treated as", type=choices, default="as proposed")
            kind = None if kind == "as proposed" else kind
        for name in asked:
            try:
                suggestion = suggestion.changed(name, role, kind)
            except MicroaggError as problem:
                click.echo(str(problem))
    return suggestion, click.prompt("k, the least number of records that look alike", type=int, default=k)


def _described(suggestion: Suggestion) -> list[dict[str, object]]:
    return [
        {
            "name": column.name,
            "role": column.role,
            "kind": column.kind,
            "seems": str(column.finding.seems),
            "reasons": list(column.finding.reasons),
            "gives_away": [tie.other for tie in column.finding.ties],
        }
        for column in suggestion.columns
    ]
