"""`microagg survey status`: how surveys stand."""

from __future__ import annotations

import click

from microagg.cli.console import json_option, number, print_json, print_table
from microagg.cli.survey.options import store_option
from microagg.survey import Status, Survey, surveys


@click.command(short_help="Say how a survey stands, or all of them.")
@click.argument("name", required=False)
@store_option
@json_option
def status(name: str | None, url: str, as_json: bool) -> None:
    """Say how the survey NAME stands: answers, plan and stages; without NAME, list all surveys.

    \b
    microagg survey status --store surveys.db
    microagg survey status wellbeing --json --store surveys.db
    """
    statuses = []
    for each in surveys(url) if name is None else [name]:
        with Survey.open(url, each) as survey:
            statuses.append(survey.status())
    if as_json:
        print_json({"surveys": [each.to_dict() for each in statuses]} if name is None else statuses[0].to_dict())
    elif name is None:
        rows = [[each.name, each.state, number(each.received), each.closes or "-"] for each in statuses]
        print_table(["survey", "state", "answers", "closes"], rows)
    else:
        _show(statuses[0])


def _show(status: Status) -> None:
    closes = "" if status.closes is None else f", closes {status.closes}"
    click.echo(f"survey {status.name}: {status.state}, {status.received:,} answers, k = {status.k}{closes}")
    for move in status.moves:
        click.echo(f"closing moved to {move['closes']}, at {move['moved']}")
    for each in status.set_aside:
        reason = f": {each['reason']}" if each["reason"] else ""
        click.echo(f"answer {each['key']} set aside, at {each['when']}{reason}")
    if status.plan is not None:
        plan = status.plan
        click.echo(
            f"plan: {plan['n_base']:,} answers from {plan['start']} on, {plan['n_rest']:,} after closing; "
            f"ready {plan['ready']}"
        )
    headings = ["stage", "state", "answers", "started", "ended", "loss in %"]
    rows = [
        [
            stage["name"],
            stage["state"],
            "" if stage["n_records"] is None else number(stage["n_records"]),
            stage["started"] or "",
            stage["ended"] or "",
            "" if stage["loss"] is None else number(stage["loss"]),
        ]
        for stage in status.stages
    ]
    print_table(headings, rows)
    if status.message:
        click.echo(status.message)
    for note in status.notes:
        click.echo(f"note: {note}")
    if status.sha256 is not None:
        click.echo(f"release: SHA-256 {status.sha256}")
