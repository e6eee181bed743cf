"""`microagg survey`: answers that arrive until a deadline, and the release soon after it."""

from __future__ import annotations

import click

from microagg.cli.survey.add import add
from microagg.cli.survey.close import close
from microagg.cli.survey.create import create
from microagg.cli.survey.delete import delete
from microagg.cli.survey.release import release
from microagg.cli.survey.reschedule import reschedule
from microagg.cli.survey.serve import serve
from microagg.cli.survey.set_aside import set_aside
from microagg.cli.survey.simulate import simulate
from microagg.cli.survey.status import status


@click.group(short_help="Run a survey: collect answers, then release them once.")
def survey() -> None:
    """Run a survey: collect answers in a database, group most of them while others arrive, and release them once.

    \b
    microagg survey create wellbeing.toml --store surveys.db
    microagg survey serve --store surveys.db
    microagg survey add wellbeing answers.csv --store surveys.db
    microagg survey status wellbeing --store surveys.db
    microagg survey reschedule wellbeing --closes 2026-09-03T20:00:00+02:00 --store surveys.db
    microagg survey close wellbeing --wait --store surveys.db
    microagg survey release wellbeing -o released.csv --report report.html --store surveys.db
    microagg survey delete wellbeing --store surveys.db
    """


for command in (create, serve, add, status, reschedule, set_aside, close, release, delete, simulate):
    survey.add_command(command)
