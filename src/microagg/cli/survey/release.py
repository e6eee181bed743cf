"""`microagg survey release`: the one release of a survey."""

from __future__ import annotations

import click

from microagg.cli.console import WITHHELD, json_option, print_json, progress_bar
from microagg.cli.survey.options import name_argument, store_option
from microagg.survey import Survey


@click.command(short_help="Write the release of a closed survey.")
@name_argument
@store_option
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), help="Where the release goes.")
@click.option("--report", type=click.Path(dir_okay=False), help="Where the HTML report goes.")
@json_option
def release(name: str, url: str, output: str, report: str | None, as_json: bool) -> None:
    """Write the release of the closed survey NAME. A survey is released once: later calls write the same file again.

    \b
    microagg survey release wellbeing -o released.csv --report report.html --store surveys.db
    """
    with Survey.open(url, name) as survey, progress_bar(f"grouping {name}", quiet=as_json) as progress:
        publication = survey.release(output, report, progress=progress)
    summary = publication.summary
    if as_json:
        facts = {"name": name, "sha256": publication.sha256, "published": publication.published}
        print_json({**summary, **facts, "output": output, "report": report})
        return
    loss = summary["information_loss"]
    click.echo(
        f"survey {name}: {summary['records']:,} answers in {summary['groups']:,} groups of {summary['smallest']:,} or "
        f"more, information loss {WITHHELD if loss is None else f'{loss:.10g} %'}"
    )
    for note in summary["warnings"]:
        click.echo(f"note: {note}")
    click.echo(f"release: {output}, SHA-256 {publication.sha256}")
    if report is not None:
        click.echo(f"report: {report}")
