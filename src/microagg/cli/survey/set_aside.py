"""`microagg survey set-aside`: an answer that is left out of the release."""

from __future__ import annotations

import click

from microagg.cli.console import json_option, print_json
from microagg.cli.survey.options import name_argument, store_option
from microagg.survey import Survey


@click.command("set-aside", short_help="Leave an answer out of the release.")
@name_argument
@click.option(
    "--key", required=True, metavar="KEY", help="The key of the answer; status names those that are in the way."
)
@click.option("--reason", default="", metavar="TEXT", help="Why, in a line; kept in the store, never released.")
@store_option
@json_option
def set_aside(name: str, key: str, reason: str, url: str, as_json: bool) -> None:
    """Leave an answer of the survey NAME out of its release, for good; the answer itself is kept, with when and why.

    What was grouped with it is grouped anew. The release says how many answers were set aside. A released survey does
    not change any more.

    \b
    microagg survey set-aside wellbeing --key a-17 --reason "sent by a test" --store surveys.db
    """
    with Survey.open(url, name) as survey:
        new = survey.set_aside(key, reason)
        status = survey.status()
    if as_json:
        print_json(status.to_dict())
    else:
        what = "the answer was set aside" if new else "the answer had been set aside before"
        click.echo(f"survey {name}: {what}; {len(status.set_aside):,} of {status.received:,} answers are")
