"""How low the loss gets: method "best" after some seconds, beside the best that any of the papers prints.

    python benchmarks/best.py --at-once 2 --record      # make best: 7 minutes; writes the tables of the docs
    python benchmarks/best.py --datasets census --k 3,5 --seconds 1,10
    python benchmarks/best.py --datasets census --k 3 --out census-3.csv                                # one case,
    python benchmarks/best.py --merge census-3.csv --merge eia-5.csv --record    # and what many such processes wrote

Standardised columns, groups of at least k; the loss is 100 * SSE / SST. A search is one sequence of steps of which time
decides the end, so one search for each case tells all columns; the last one is counted here from the labels. On one
thread, which is the default, seconds are those of the processor, so that what else the machine does matters little, and
--at-once measures so many cases side by side, each in a process of its own. With --threads 2 and more, seconds are
those of the clock; the processors used are printed beside them. What nothing is below comes from bounds.py.

The lowest loss that is printed (the best of a method's runs where several are given) stands in results.csv. thesis: A.
Maya-Lopez, Contributions to statistical disclosure control: enhancing multivariate microaggregation using graph theory.
compression: A. Maya-Lopez et al., A compression strategy for an efficient TSP-based microaggregation, Expert Systems
with Applications.
"""

from __future__ import annotations

import csv
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import results
from over_time import losses_over_time
from rich.console import Console
from rich.table import Table

from microagg.base.types import FloatArray
from microagg.datasets import load

ORDER = ["census", "tarragona", "eia"]


def standardised(name: str) -> FloatArray:
    X = load(name).X
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


@dataclass(frozen=True)
class Row:
    """What was reached on one dataset with one k."""

    name: str
    k: int
    reached: list[float]

    def figures(self, columns: list[str]) -> dict[str, float]:
        """Give the figures by their names in results.csv."""
        return {f"best, {column}": reached for column, reached in zip(columns, self.reached, strict=True)}

    def cells(self) -> list[str]:
        figures = results.read()
        known, bound = (
            figures["lowest printed", self.name, str(self.k)],
            results.value(figures, "lower bound", self.name, self.k),
        )
        printed, source = float(known.value), known.source
        reached = [f"{value:.4f}" for value in self.reached]
        less = f"{100 * (1 - min(self.reached) / printed):.1f}%"
        return [self.name, str(self.k), *reached, bound, f"{printed:.4f}", source, less]


COLUMNS = ["data", "k", "what", "value", "threads", "processors"]


@dataclass(frozen=True)
class Measured:
    """Rows, their columns of seconds, the threads of each search, and the processors used on average."""

    rows: list[Row]
    columns: list[str]
    threads: int
    processors: float

    def how(self) -> str:
        """Say what the seconds are."""
        if self.threads == 1:
            return "processor seconds of one thread"
        return f"seconds of {self.threads} threads ({self.processors:.2f} processors used on average)"

    def write(self, path: Path) -> None:
        """Write one line for each figure."""
        with path.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for row in self.rows:
                for what, value in row.figures(self.columns).items():
                    writer.writerow([row.name, row.k, what, f"{value:.6f}", self.threads, f"{self.processors:.2f}"])


def read_measured(paths: Sequence[Path]) -> Measured:
    """Read what other processes wrote, all with the same number of threads."""
    values: dict[tuple[str, int], dict[str, float]] = {}
    processors, threads = [], set()
    for path in paths:
        with path.open(newline="") as file:
            for line in csv.DictReader(file):
                values.setdefault((line["data"], int(line["k"])), {})[line["what"]] = float(line["value"])
                processors.append(float(line["processors"]))
                threads.add(int(line["threads"]))
    if len(threads) != 1:
        raise click.UsageError(
            f"--merge: searches of {sorted(threads)} threads make no table; merge those of one number."
        )
    columns = sorted(
        {what.removeprefix("best, ") for of in values.values() for what in of if results.is_search(what)},
        key=lambda column: float(column.split()[0]),
    )
    rows = [Row(name, k, [of[f"best, {column}"] for column in columns]) for (name, k), of in values.items()]
    return Measured(in_table_order(rows), columns, threads.pop(), float(np.mean(processors)))


def in_table_order(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (ORDER.index(row.name), row.k))


@click.command(help="Print the loss that method 'best' reaches beside the best of the papers.")
@click.option("--datasets", default=",".join(ORDER), show_default=True)
@click.option("--k", "ks", default="3,4,5,6,7,8,9,10", show_default=True)
@click.option("--seconds", default="1,10,30", show_default=True, help="Columns, all from one search for each case.")
@click.option("--seed", default=0, show_default=True)
@click.option("--threads", default=1, show_default=True, help="For each search; seconds are the processor's for 1.")
@click.option(
    "--at-once", default=1, show_default=True, help="Cases to measure side by side; needs as many processors."
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the figures to a csv file, to be merged.")
@click.option(
    "--merge", multiple=True, type=click.Path(exists=True, path_type=Path), help="Measure nothing; read these."
)
@click.option("--record", is_flag=True, help="Put the figures into results.csv and write the tables of the docs anew.")
def main(
    datasets: str,
    ks: str,
    seconds: str,
    seed: int,
    threads: int,
    at_once: int,
    out: Path | None,
    merge: tuple[Path, ...],
    record: bool,
) -> None:
    if at_once > 1 and threads > 1:
        raise click.UsageError("--at-once: cases side by side take processors from each other; leave --threads at 1.")
    if merge:
        measured = read_measured(merge)
    else:
        limits = sorted(float(limit) for limit in seconds.split(","))
        cases = [Case(name, int(k), limits, seed, threads) for name in datasets.split(",") for k in ks.split(",")]
        measured = measure(cases, at_once)
    table = Table(
        "data",
        "k",
        *measured.columns,
        "nothing below",
        "printed",
        "by",
        "less",
        title=f"Loss in percent; {measured.how()}; seed {seed}",
    )
    for row in measured.rows:
        table.add_row(*row.cells())
    Console().print(table)
    if out is not None:
        measured.write(out)
    if record:
        source = f"benchmarks/best.py on {time.strftime('%Y-%m-%d')}, {measured.how()}, seed {seed}"
        results.retire_searches([(row.name, str(row.k)) for row in measured.rows])
        results.record(
            [
                results.Figure(what, row.name, str(row.k), f"{value:.4f}", source)
                for row in measured.rows
                for what, value in row.figures(measured.columns).items()
            ]
        )
        results.write_docs()


@dataclass(frozen=True)
class Case:
    """One search."""

    name: str
    k: int
    limits: list[float]
    seed: int
    threads: int

    def measure(self) -> tuple[Row, float]:
        """Search, once; give the row, and the processors used."""
        X, clock = standardised(self.name), time.process_time if self.threads == 1 else time.monotonic
        spent, began = time.process_time(), time.monotonic()
        reached, _ = losses_over_time(X, self.k, self.limits, clock, self.seed, self.threads)
        processors = (time.process_time() - spent) / (time.monotonic() - began)
        return Row(self.name, self.k, reached), processors


def measured_cases(cases: Sequence[Case], at_once: int) -> Iterator[tuple[Row, float]]:
    """Give what came out of each case when it is there."""
    if at_once == 1:
        yield from (case.measure() for case in cases)
        return
    with ProcessPoolExecutor(at_once, mp_context=multiprocessing.get_context("spawn")) as executor:
        for future in as_completed([executor.submit(case.measure) for case in cases]):
            yield future.result()


def measure(cases: Sequence[Case], at_once: int) -> Measured:
    """Search each case, once."""
    rows, processors = [], []
    with Console(stderr=True).status("searching") as status:
        for row, used in measured_cases(cases, at_once):
            rows.append(row)
            processors.append(used)
            status.update(f"searching; {len(rows)} of {len(cases)} cases done")
            status.console.print(*row.cells(), highlight=False)
    threads = cases[0].threads
    columns = [f"{limit:g} {'CPU s' if threads == 1 else 's'}" for limit in cases[0].limits]
    return Measured(in_table_order(rows), columns, threads, float(np.mean(processors)))


if __name__ == "__main__":
    main()
