"""`microagg reproduce all`: every experiment, and one page of what came out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from microagg.cli.console import json_option, print_json, print_table, progress_bar, split_names
from microagg.errors import InvalidOption
from microagg.reproduce import EXPERIMENTS, Experiment, reproduce_all
from microagg.reproduce.agreement import printed_tables
from microagg.reproduce.docs import publish
from microagg.reproduce.everything import PAGE, RESULTS


def docs_option() -> click.Option:
    """Give the option that publishes results in the docs."""
    words = "Put the results into the results file of the docs in this folder, and make its pages anew."
    return click.Option(["--docs"], type=click.Path(file_okay=False, exists=True), help=words)


@click.command("all", short_help="Everything, and one page of it.")
@click.option("--output", "-o", default="reproduction", show_default=True, type=click.Path(file_okay=False))
@click.option("--experiments", "names", metavar="NAMES", help=f"Only some of {', '.join(EXPERIMENTS)}.")
@click.option("--quick", is_flag=True, help="A few cells of each, in less than a minute: to see that all of it works.")
@click.option("--threads", type=int, help="How many runs at a time; one per processor by default.")
@json_option
def command(output: str, names: str | None, quick: bool, threads: int | None, docs: str | None, as_json: bool) -> None:
    """Run every experiment of the papers again and put all of it on one page.

    Runs are kept in the output folder and are not repeated, so that an interrupted run goes on where it stopped. The
    page has each table beside the printed one, the figures, what does not agree and why, and where we depart from the
    texts. What lacks its data (see MICROAGG_DATA) is skipped, and the page says so.
    """
    if quick and docs:
        raise InvalidOption("--docs takes whole runs only; leave out --quick.")
    wanted = split_names(names)

    with progress_bar("all experiments", quiet=as_json) as progress:

        def begun(experiment: Experiment[Any]) -> None:
            if progress is not None and hasattr(progress, "tell_step"):
                progress.tell_step(experiment.name)

        results = reproduce_all(
            EXPERIMENTS, Path(output), names=wanted, quick=quick, threads=threads, progress=progress, begun=begun
        )
    written = [Path(output) / PAGE, Path(output) / RESULTS]
    if docs:
        named = {name: result for name, result in results.items() if not wanted or name in wanted}
        written += publish(named, EXPERIMENTS, Path(docs))
    tables = printed_tables(results)
    if as_json:
        print_json(
            {
                "page": str(Path(output) / PAGE),
                "results": str(Path(output) / RESULTS),
                "tables": [
                    {
                        "experiment": table.experiment,
                        "source": table.source,
                        "measure": table.measure,
                        "numbers": len(table.comparisons),
                        "within_2_percent": table.close,
                        "within_10_percent": table.near,
                    }
                    for table in tables
                ],
                "skipped": {name: list(result.skipped) for name, result in results.items() if result.skipped},
            }
        )
        return
    print_table(
        ["experiment", "printed in", "what", "numbers", "within 2%", "within 10%"],
        [[t.experiment, t.source, t.measure, str(len(t.comparisons)), str(t.close), str(t.near)] for t in tables],
    )
    for name, result in results.items():
        for reason in result.skipped:
            click.echo(f"{name}: not all was run. {reason}")
    click.echo("written: " + ", ".join(map(str, written)))


command.params.append(docs_option())
