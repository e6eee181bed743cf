"""`microagg survey`: answers that arrive until a survey closes. One command = one file."""

from __future__ import annotations

import click

from microagg.cli.survey.simulate import simulate


@click.group(short_help="Surveys: answers that arrive until they close, and a release soon after.")
def survey() -> None:
    """Collect answers and publish one release soon after closing."""


survey.add_command(simulate)
