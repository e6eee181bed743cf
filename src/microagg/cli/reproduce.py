"""`microagg reproduce`: the experiments of the papers, ours beside the printed results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from microagg import reproduce as experiments
from microagg.cli.console import json_option, number, print_json, print_table, progress_bar, split_ks, split_names
from microagg.cli.reproduce_all import command as everything
from microagg.cli.reproduce_all import docs_option
from microagg.errors import FileProblem, InvalidOption
from microagg.io import atomic_path
from microagg.reproduce.docs import publish
from microagg.reproduce.experiment import Setting
from microagg.reproduce.results import result_of

Experiment = experiments.Experiment[Any]
Reproduction = experiments.Reproduction[Any]


@click.group(short_help="Run the papers' experiments again.")
def reproduce() -> None:
    """Run an experiment of the papers again and put the results beside the printed ones."""


def _command(experiment: Experiment) -> click.Command:
    def run(
        output: str, plot: str | None, docs: str | None, as_json: bool, threads: int | None = None, **given: Any
    ) -> None:
        settings = {setting.name: _read(setting, given[setting.name]) for setting in experiment.settings}
        with progress_bar(experiment.name, quiet=as_json) as progress:
            result = experiments.reproduce(
                experiment,
                Path(output),
                threads=threads,
                progress=progress,
                skip_missing=not settings.get("names"),
                **settings,
            )
        if result.skipped and not result.rows:
            raise FileProblem(result.skipped[0])
        if plot and result.drawings:
            with atomic_path(Path(plot)) as temporary:
                temporary.write_text(next(iter(result.drawings.values())), encoding="utf-8")
        if docs:
            publish({experiment.name: result_of(result)}, experiments.EXPERIMENTS, Path(docs))
        if as_json:
            print_json(_as_json(result, output))
        else:
            _show(result)
            for reason in result.skipped:
                click.echo(f"not run: {reason}")
            click.echo(f"runs, table and drawings: {output}")

    command = click.Command(
        experiment.name,
        callback=run,
        short_help=f"{experiment.title[0].upper()}{experiment.title[1:]}.",
        help=f"Run again: {experiment.title}.\n\n{experiment.source}. Runs are kept in the output folder and are not "
        "repeated; datasets that are not at hand are left out unless they are named; a table (CSV and Markdown) and "
        f"drawings (SVG) are written beside them. `outside` marks numbers that are {experiment.outside}.",
        params=[
            click.Option(
                ["--output", "-o"],
                default="reproduction",
                show_default=True,
                type=click.Path(file_okay=False),
                help="A folder.",
            ),
            *(_option(setting) for setting in experiment.settings),
            docs_option(),
            click.Option(["--plot"], type=click.Path(dir_okay=False), help="Write the first drawing here too (SVG)."),
        ],
    )
    if not experiment.alone:
        words = "How many runs at a time; one per processor by default."
        command.params.append(click.Option(["--threads"], type=int, help=words))
    return json_option(command)


def _option(setting: Setting) -> click.Option:
    spelt = [*setting.flags, setting.name]
    if setting.form == "count":
        least = click.IntRange(min=1)
        return click.Option(spelt, type=least, default=setting.default, show_default=True, help=setting.help)
    if setting.form == "choice":
        return click.Option(spelt, type=click.Choice(setting.allowed), default=setting.default, help=setting.help)
    if setting.form == "folder":
        return click.Option(spelt, type=click.Path(file_okay=False), help=setting.help)
    usual = ", ".join(map(str, setting.default))
    words = [setting.help] if setting.help else []
    if setting.allowed:
        words.append(f"Any of {', '.join(setting.allowed)}.")
    if setting.default != setting.allowed:
        words.append(f"By default {usual}.")
    metavar = "NAMES" if setting.form == "names" else "NUMBERS"
    return click.Option(spelt, metavar=metavar, help=" ".join(words))


def _read(setting: Setting, value: Any) -> Any:
    if setting.form == "names":
        return split_names(value)
    if setting.form == "counts":
        return split_ks(value)
    if setting.form == "numbers":
        try:
            return [float(text) for text in split_names(value)]
        except ValueError:
            raise InvalidOption(f"{setting.flags[0]} takes numbers separated by commas; got {value!r}.") from None
    return value


def _as_json(result: Reproduction, output: str) -> dict[str, Any]:
    comparisons = [asdict(row) for row in result.comparisons]
    told = {
        "experiment": result.experiment.name,
        "output": output,
        "settings": dict(result.chosen),
        "skipped": list(result.skipped),
    }
    if result.table:
        return {**told, "printed": comparisons, "rows": result.table}
    return {**told, "rows": comparisons}


def _show(result: Reproduction) -> None:
    lines = [line for line in result.table if result.experiment.on_screen(line)]
    if lines:
        print_table(list(lines[0]), [[_cell(value) for value in line.values()] for line in lines])
    for measure in dict.fromkeys(row.measure for row in result.comparisons):
        _show_comparisons(measure, [row for row in result.comparisons if row.measure == measure])


def _show_comparisons(measure: str, comparisons: Sequence[experiments.PrintedComparison]) -> None:
    print_table(
        ["dataset", "method", "k", "printed", "from", "to", "ours", "from", "to", "seeds", "difference", ""],
        [
            [
                row.dataset,
                row.method,
                str(row.k or ""),
                *(_shown(value) for value in (row.printed, row.printed_least, row.printed_most)),
                *(_shown(value) for value in (row.ours, row.ours_least, row.ours_most)),
                str(row.seeds),
                f"{row.difference_percent:+.2f}%",
                "" if row.inside else "outside",
            ]
            for row in comparisons
        ],
        title=f"{measure[0].upper()}{measure[1:]}",
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return number(value) if isinstance(value, int | float) else str(value)


def _shown(value: float) -> str:
    return "" if value != value else f"{value:.4f}"


reproduce.add_command(everything)
for _experiment in experiments.EXPERIMENTS.values():
    reproduce.add_command(_command(_experiment))
