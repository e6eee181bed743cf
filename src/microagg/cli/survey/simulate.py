"""`microagg survey simulate`: a file replayed as the answers of a survey."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import numpy as np

from microagg import io
from microagg.anonymize import make_plan, read_for
from microagg.base.types import FloatArray
from microagg.cli.console import (
    drop_option,
    json_option,
    kind_option,
    missing_option,
    print_json,
    print_table,
    progress_bar,
    quasi_option,
    refine_option,
    split_kinds,
    split_missing,
    split_names,
    split_quasi,
)
from microagg.datasets import gaussian
from microagg.engines import MemoryEngine
from microagg.errors import InvalidOption
from microagg.flow import prepare
from microagg.gate import Gate
from microagg.incremental import Arrivals
from microagg.incremental.arrivals import SHAPES
from microagg.incremental.simulation import CompressedClock, Simulation, VirtualClock
from microagg.incremental.simulation import simulate as replay
from microagg.incremental.two_stage import JOINS
from microagg.partition import METHODS
from microagg.plan import Plan
from microagg.plan.spelling import read_options
from microagg.refine import REFINEMENTS
from microagg.report.words import duration as words

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
PERCENT = "percent"
NAMES = [m.name for m in METHODS.values() if m.takes == "numbers" and not m.per_column]


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Read a time such as 10h, 1h30m, 90s or a number of seconds."""
    if value is None:
        return None
    if not re.fullmatch(r"(?:[0-9]+(?:\.[0-9]+)?\s*(?:s|m|min|h|d|)\s*)+", value):
        raise click.BadParameter(f"{value!r} is not a time such as 10h, 1h30m, 90s or a number of seconds.", ctx, param)
    return sum(float(number) * UNITS[unit] for number, unit in re.findall(r"([0-9.]+)\s*([a-z]*)", value))


@click.command(short_help="Replay a file as the answers of a survey, with several schedules.")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, readable=True))
@click.option("-k", "--k", "k", type=int, required=True, help="Least size of a group.")
@quasi_option
@drop_option
@kind_option
@missing_option
@click.option("--shuffle", is_flag=True, help="Let the rows arrive in a random order that follows from the seed.")
@click.option("--records", type=click.IntRange(min=2), default=20_000, show_default=True, help="Without FILE: records.")
@click.option("--columns", type=click.IntRange(min=1), default=15, show_default=True, help="Without FILE: columns.")
@click.option("--arrivals", type=click.Choice(list(SHAPES)), default="uniform", show_default=True)
@click.option(
    "--duration", callback=_seconds, metavar="TIME", default="10h", show_default=True, help="From opening to closing."
)
@click.option(
    "--deadline", callback=_seconds, metavar="TIME", help="From closing to the release, at most: one more schedule."
)
@click.option("--virtual", is_flag=True, help="Let the clock jump where nothing runs (default).")
@click.option("--compressed", metavar="FACTOR", help="Let the clock run so many times faster, such as 600x.")
@click.option(
    "--one-run",
    callback=_seconds,
    metavar="TIME",
    help="Virtual: times as on a machine that needs so long for one run.",
)
@click.option("--method", type=click.Choice(NAMES), default="mdav", show_default=True, help="Of the base stage.")
@click.option(
    "--rest",
    type=click.Choice([*NAMES, *JOINS]),
    default="mdav",
    show_default=True,
    help="Of the second stage.",
)
@click.option("--refine", type=click.Choice(list(REFINEMENTS)), help="What improves the groups of both stages.")
@refine_option
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--threads", type=int, help="One by default in virtual time, else all processors.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="A picture of the timeline, .svg or .html.")
@json_option
def simulate(
    file: str | None,
    k: int,
    quasi: str | None,
    drop: str,
    kinds: tuple[str, ...],
    missing: tuple[str, ...],
    shuffle: bool,
    records: int,
    columns: int,
    arrivals: str,
    duration: float,
    deadline: float | None,
    virtual: bool,
    compressed: str | None,
    one_run: float | None,
    method: str,
    rest: str,
    refine: str | None,
    refine_options: tuple[str, ...],
    seed: int,
    threads: int | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Replay FILE as the answers of a survey: one run after closing, two stages, two stages with a deadline.

    The rows arrive in their order. The stages really run, on the records that would be there, and are measured; nothing
    is released. Without FILE, independent normal columns are made up.

    \b
    microagg survey simulate answers.csv -k 10 --duration 10h --deadline 1h --one-run 2h -o timeline.svg
    microagg survey simulate answers.csv -k 10 --arrivals bursts --duration 10h --compressed 600x
    """
    if compressed is not None and (virtual or one_run is not None):
        raise InvalidOption("--compressed lets real time pass: leave out --virtual and --one-run.")
    if output is not None and Path(output).suffix.lower() not in (".svg", ".html"):
        raise InvalidOption(f"--output must end with .svg or .html; got {output!r}.")
    clock = VirtualClock() if compressed is None else CompressedClock(_factor(compressed))
    if file is None:
        X, title = gaussian(records, columns, seed=seed), f"{records:,} records of {columns} normal columns"
    else:
        asked = {"quasi": split_quasi(quasi), "identifiers": split_names(drop), "kinds": split_kinds(kinds)}
        X = _prepared(Path(file), make_plan(k=k, missing=split_missing(missing), method=method, others="drop", **asked))
        title = Path(file).name
    if shuffle:
        X = np.random.default_rng(seed).permutation(X)
    with progress_bar("simulate", quiet=as_json) as progress:
        simulation = replay(
            X,
            k,
            Arrivals.shaped(arrivals, duration, len(X)),
            deadline=deadline,
            one_run=one_run,
            clock=clock,
            base=method,
            rest=rest,
            refine=refine,
            refine_options=read_options(refine_options),
            seed=seed,
            threads=threads,
            progress=progress,
        )
    if output is not None:
        from microagg.report import draw_timeline, render_timeline

        draw = draw_timeline if Path(output).suffix.lower() == ".svg" else render_timeline
        with io.atomic_path(Path(output)) as temporary:
            temporary.write_text(draw(simulation, title), encoding="utf-8")
    gate = Gate(len(X), k)
    if as_json:
        print_json({"input": file, "records": len(X), "output": output, **_described(simulation, gate)})
        return
    print_table(
        [
            "schedule",
            "nu %",
            "base stage",
            "ends",
            "second stage",
            "ready after closing",
            "planned",
            "loss %",
            "more %",
            "expected",
        ],
        [
            [
                timeline.name,
                f"{100 * timeline.planned.ratio:.2f}",
                _around(timeline.phases[0].begin, timeline.planned.closes),
                _around(timeline.phases[0].end, timeline.planned.closes),
                words(timeline.phases[1].end - timeline.phases[1].begin) if len(timeline.phases) > 1 else "",
                words(timeline.wait),
                words(timeline.planned.wait),
                f"{gate.rough(timeline.information_loss, PERCENT):.10g}",
                f"{gate.rough(timeline.loss_increase, PERCENT):+.2f}",
                f"{timeline.planned.expected_loss_increase:+.2f}",
            ]
            for timeline in simulation.timelines
        ],
        title=f"{title}: {len(X):,} answers in {words(duration)}, k = {k}",
    )
    if output is not None:
        click.echo(f"timeline: {output}")


def _prepared(path: Path, plan: Plan) -> FloatArray:
    """Read the quasi-identifiers of a file as points: numbers standardised, categories embedded."""
    engine = MemoryEngine(read_for(plan, path))
    return prepare(engine, plan).space.points(engine.everything().values)


def _described(simulation: Simulation, gate: Gate) -> dict[str, Any]:
    return {
        "k": simulation.k,
        "closes": simulation.arrivals.closes,
        "factor": simulation.factor,
        "deadline": simulation.deadline,
        "schedules": [
            {
                "name": each.name,
                "n_base": each.planned.n_base,
                "n_rest": each.planned.n_rest,
                "ratio": each.planned.ratio,
                "planned_wait": each.planned.wait,
                "wait": each.wait,
                "information_loss": gate.rough(each.information_loss, PERCENT),
                "loss_increase": gate.rough(each.loss_increase, PERCENT),
                "expected_loss_increase": each.planned.expected_loss_increase,
                "phases": [
                    {"name": phase.name, "records": phase.n_records, "begin": phase.begin, "end": phase.end}
                    for phase in each.phases
                ],
            }
            for each in simulation.timelines
        ],
    }


def _factor(text: str) -> float:
    try:
        factor = float(text.removesuffix("x"))
    except ValueError:
        factor = 0.0
    if not 0 < factor < float("inf"):
        raise InvalidOption(f"--compressed must be a positive number, such as 600x; got {text!r}.")
    return factor


def _around(moment: float, closes: float) -> str:
    before = closes - moment
    return "at closing" if before == 0 else f"{words(abs(before))} {'before' if before > 0 else 'after'}"
