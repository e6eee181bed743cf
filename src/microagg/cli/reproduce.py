"""`microagg reproduce`: the experiments of the papers, ours beside the printed results."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from microagg import reproduce as experiments
from microagg.cli.categorical import categorical
from microagg.cli.console import json_option, print_json, print_table, progress_bar, split_ks, split_names
from microagg.cli.incremental import incremental


@click.group(short_help="Run the papers' experiments again.")
def reproduce() -> None:
    """Run an experiment of the papers again and put the results beside the printed ones."""


def _command(experiment: experiments.Experiment) -> click.Command:
    @click.command(experiment.name, short_help=f"{experiment.title[0].upper()}{experiment.title[1:]}.")
    @click.option(
        "--output", "-o", default="reproduction", show_default=True, type=click.Path(file_okay=False), help="A folder."
    )
    @click.option("--datasets", "names", metavar="NAMES", help=f"Any of {', '.join(experiment.datasets)}.")
    @click.option("--methods", metavar="NAMES", help=f"Any of {', '.join(experiment.solvers)}.")
    @click.option("-k", "--k", "ks", metavar="NUMBERS", help=f"By default {', '.join(map(str, experiment.ks))}.")
    @click.option("--seeds", type=click.IntRange(min=1), default=20, show_default=True, help="How many seeds.")
    @click.option("--threads", type=int, help="How many runs at a time; one per processor by default.")
    @json_option
    def command(
        output: str,
        names: str | None,
        methods: str | None,
        ks: str | None,
        seeds: int,
        threads: int | None,
        as_json: bool,
    ) -> None:
        with progress_bar(experiment.name, quiet=as_json) as progress:
            comparisons = experiments.reproduce(
                experiment,
                Path(output),
                names=split_names(names),
                ks=split_ks(ks),
                methods=split_names(methods),
                seeds=seeds,
                threads=threads,
                progress=progress,
            )
        if as_json:
            print_json({"experiment": experiment.name, "output": output, "rows": [asdict(row) for row in comparisons]})
            return
        print_table(
            ["dataset", "method", "k", "printed", "from", "to", "ours", "from", "to", "seeds", "difference", ""],
            [
                [
                    row.dataset,
                    row.method,
                    str(row.k),
                    *(_shown(value) for value in (row.printed, row.printed_least, row.printed_most)),
                    *(_shown(value) for value in (row.ours, row.ours_least, row.ours_most)),
                    str(row.seeds),
                    f"{row.difference_percent:+.2f}%",
                    "" if row.inside else "outside",
                ]
                for row in comparisons
            ],
        )
        click.echo(f"runs, table and drawings: {output}")

    command.help = (
        f"Run again: {experiment.title}.\n\nRuns are kept in the output folder and are not repeated; a table (CSV and "
        f"Markdown) and drawings (SVG) are written beside them. `outside` marks means that lie more than "
        f"{100 * experiment.tolerance:g}% outside what was printed."
    )
    return command


for _experiment in experiments.EXPERIMENTS.values():
    reproduce.add_command(_command(_experiment))
reproduce.add_command(categorical)
reproduce.add_command(incremental)


def _shown(value: float) -> str:
    return "" if value != value else f"{value:.4f}"
