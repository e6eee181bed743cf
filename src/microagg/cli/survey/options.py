"""What the commands of surveys share."""

from __future__ import annotations

import click

from microagg.survey.worker import STORE

store_option = click.option(
    "--store",
    "url",
    metavar="URL",
    envvar=STORE,
    required=True,
    help=f"Where surveys are kept: a file, or postgresql://user@host/database. Else the variable {STORE}.",
)
name_argument = click.argument("name")
