"""`microagg survey create`: begin a survey."""

from __future__ import annotations

import click

from microagg.cli.console import json_option, print_json
from microagg.cli.survey.options import store_option
from microagg.survey import Definition, Survey


@click.command(short_help="Begin a survey.")
@click.argument("definition", type=click.Path(exists=True, dir_okay=False, readable=True))
@store_option
@json_option
def create(definition: str, url: str, as_json: bool) -> None:
    """Begin the survey that DEFINITION, a TOML file, describes. Its rules do not change any more.

    Only when it closes may be moved, as long as it is open: see microagg survey reschedule.

    \b
    name = "wellbeing"
    k = 5
    closes = 2026-09-01T20:00:00+02:00
    expected = 50000
    [[fields]]
    name = "age"
    type = "integer"      # number, integer, category, date, boolean, text
    role = "quasi"        # quasi, confidential, other, identifier
    least = 0
    most = 120

    \b
    microagg survey create wellbeing.toml --store surveys.db
    """
    asked = Definition.read(definition)
    Survey.create(url, asked).disconnect()
    if as_json:
        print_json(asked.to_dict())
        return
    until = "until it is closed" if asked.closes is None else f"until {asked.closes.isoformat()}"
    click.echo(f"survey {asked.name}: k = {asked.k}, {len(asked.fields)} fields, open {until}")
