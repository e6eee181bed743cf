"""`microagg survey delete`: a survey is removed from its store."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from microagg.cli.console import json_option, print_json
from microagg.cli.survey.options import name_argument, store_option
from microagg.errors import InvalidOption
from microagg.survey import Survey


@click.command(short_help="Remove a survey with all its answers.")
@name_argument
@store_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def delete(name: str, url: str, yes: bool, as_json: bool) -> None:
    """Remove the survey NAME from the store: its definition, answers, identifiers, stages and release, all or nothing.

    It cannot be taken back. Files that were handed out stay where they are.

    \b
    microagg survey delete wellbeing --store surveys.db
    """
    with Survey.open(url, name) as survey:
        status = survey.status()
        released = "released" if status.published is not None else "NOT released"
        if not yes:
            if as_json or not sys.stdin.isatty():
                raise InvalidOption(
                    f"survey {name!r} has {status.received:,} answers and is {released}: say that it shall be deleted "
                    "(--yes)."
                )
            question = f"Delete survey {name!r} with its {status.received:,} answers, which are {released}, for good?"
            click.confirm(question, abort=True)
        removed = survey.delete()
    if as_json:
        print_json({"name": name, **asdict(removed)})
        return
    parts = [f"{removed.answers:,} answers", "its definition and stages"]
    parts += [f"{removed.identifiers:,} identifiers"] if removed.identifiers else []
    parts += [f"{removed.set_aside:,} notes on answers set aside"] if removed.set_aside else []
    parts += ["its release"] if removed.released else []
    click.echo(f"survey {name}: deleted, with {', '.join(parts)}")
