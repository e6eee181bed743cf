"""`microagg survey`: surveys from their first answer to their release; one command = one file."""

from __future__ import annotations

import click

from microagg.cli.survey.serve import serve


@click.group(short_help="Take the answers of a survey, and release them soon after it closes.")
def survey() -> None:
    """Take the answers of a survey, and release them soon after it closes."""


for command in (serve,):
    survey.add_command(command)
