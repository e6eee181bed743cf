"""`microagg reproduce pages`: the pages of published numbers, made anew from their results file."""

from __future__ import annotations

from pathlib import Path

import click

from microagg.errors import FileProblem
from microagg.reproduce import EXPERIMENTS
from microagg.reproduce.docs import RESULTS, publish


@click.command("pages", short_help="The pages of published numbers, from their results file.")
@click.argument("folder", type=click.Path(file_okay=False, exists=True), default="docs")
def command(folder: str) -> None:
    """Make the pages of published numbers in a folder anew from its results file, without running anything.

    For whoever changes what an experiment says of itself.
    """
    if not (Path(folder) / RESULTS).is_file():
        raise FileProblem(f"{folder} has no {RESULTS}; `microagg reproduce all --docs {folder}` makes one.")
    click.echo("written: " + ", ".join(str(path) for path in publish({}, EXPERIMENTS, Path(folder))))
