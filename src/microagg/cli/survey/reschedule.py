"""`microagg survey reschedule`: another time to close."""

from __future__ import annotations

import click

from microagg.cli.console import json_option, print_json
from microagg.cli.survey.options import name_argument, store_option
from microagg.survey import Survey
from microagg.survey.definition import read_closes


@click.command(short_help="Let a survey close at another time.")
@name_argument
@click.option(
    "--closes", required=True, metavar="TIME", help="When it closes: with a time zone, later or earlier than planned."
)
@store_option
@json_option
def reschedule(name: str, closes: str, url: str, as_json: bool) -> None:
    """Let the survey NAME close at another time: answers are taken until then. A closed survey does not open again.

    \b
    microagg survey reschedule wellbeing --closes 2026-09-03T20:00:00+02:00 --store surveys.db
    """
    with Survey.open(url, name) as survey:
        survey.reschedule(read_closes(closes))
        status = survey.status()
    if as_json:
        print_json(status.to_dict())
    else:
        click.echo(f"survey {name}: {status.state}, {status.received:,} answers, closes {status.closes}")
