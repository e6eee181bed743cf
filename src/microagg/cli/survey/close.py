"""`microagg survey close`: no more answers."""

from __future__ import annotations

import click

from microagg.cli.console import json_option, print_json, progress_bar
from microagg.cli.survey.options import name_argument, store_option
from microagg.survey import Survey


@click.command(short_help="Take no more answers.")
@name_argument
@store_option
@click.option("--wait", is_flag=True, help="Also do what the release needs, here and now, and wait for it.")
@json_option
def close(name: str, url: str, wait: bool, as_json: bool) -> None:
    """Close the survey NAME: no answer is taken any more, and all that were taken will be released.

    \b
    microagg survey close wellbeing --wait --store surveys.db
    """
    with Survey.open(url, name) as survey, progress_bar(f"grouping {name}", quiet=as_json) as progress:
        survey.close()
        if wait:
            survey.run(progress)
        status = survey.status()
    if as_json:
        print_json(status.to_dict())
    else:
        click.echo(f"survey {name}: {status.state}, {status.received:,} answers")
