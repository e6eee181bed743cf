"""How low the loss gets: method "best" after some seconds, beside the best that any of the papers prints.

    python benchmarks/best.py --record                     # make best: 50 minutes; writes the tables of the docs
    python benchmarks/best.py --datasets census --k 3,5 --seconds 1,10 --bound-seconds 0
    python benchmarks/best.py --datasets census --k 3 --threads 2 --bound-seconds 0 --out census-3.csv   # one case,
    python benchmarks/best.py --merge census-3.csv --merge eia-5.csv --record    # and what many such processes wrote

Standardised columns, groups of at least k, all processors unless --threads says otherwise; the loss is 100 * SSE / SST,
counted here from the labels. Every column of seconds is a search of its own, from nothing. On a machine that is busy
with other things, the seconds buy less: the processor's share is printed beside them. The bound comes from
microagg.lower_bound, for small k.

The lowest loss that is printed (the best of a method's runs where several are given) stands in results.csv. thesis: A.
Maya-Lopez, Contributions to statistical disclosure control: enhancing multivariate microaggregation using graph theory.
compression: A. Maya-Lopez et al., A compression strategy for an efficient TSP-based microaggregation, Expert Systems
with Applications.
"""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import results
from rich.console import Console
from rich.table import Table

from microagg.base.types import FloatArray, IntArray
from microagg.bounds import lower_bound
from microagg.datasets import load
from microagg.partition import partition

ORDER = ["census", "tarragona", "eia"]


def standardised(name: str) -> FloatArray:
    X = load(name).X
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def loss(X: FloatArray, labels: IntArray) -> float:
    sizes = np.bincount(labels)
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, labels, X)
    return float(100 * ((X - (sums / sizes[:, None])[labels]) ** 2).sum() / (X**2).sum())


@dataclass(frozen=True)
class Row:
    """What was reached on one dataset with one k."""

    name: str
    k: int
    reached: list[float]
    bound: float | None

    def figures(self, limits: list[float]) -> dict[str, float]:
        """Give the figures by their names in results.csv."""
        of = {f"best, {limit:g} s": reached for limit, reached in zip(limits, self.reached, strict=True)}
        return of if self.bound is None else of | {"lower bound": self.bound}

    def cells(self) -> list[str]:
        known = results.read()["lowest printed", self.name, str(self.k)]
        printed, source = float(known.value), known.source
        reached = [f"{value:.4f}" for value in self.reached]
        bound = "" if self.bound is None else f"{self.bound:.4f}"
        less = f"{100 * (1 - min(self.reached) / printed):.1f}%"
        return [self.name, str(self.k), *reached, bound, f"{printed:.4f}", source, less]


def headings(limits: list[float]) -> list[str]:
    return ["data", "k", *(f"{limit:g} s" for limit in limits), "nothing below", "printed", "by", "less"]


COLUMNS = ["data", "k", "what", "value", "processors"]


def write_rows(path: Path, rows: list[Row], limits: list[float], processors: float) -> None:
    """Write one line for each figure, with the processors that were used on average."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            for what, value in row.figures(limits).items():
                writer.writerow([row.name, row.k, what, f"{value:.6f}", f"{processors:.2f}"])


def read_rows(paths: Sequence[Path]) -> tuple[list[Row], list[float], float]:
    """Read what other processes wrote: the rows, the seconds of their columns, and the processors used on average."""
    values: dict[tuple[str, int], dict[str, float]] = {}
    processors = []
    for path in paths:
        with path.open(newline="") as file:
            for line in csv.DictReader(file):
                values.setdefault((line["data"], int(line["k"])), {})[line["what"]] = float(line["value"])
                processors.append(float(line["processors"]))
    limits = sorted({float(what.split()[1]) for of in values.values() for what in of if what.startswith("best, ")})
    rows = [
        Row(name, k, [of[f"best, {limit:g} s"] for limit in limits], of.get("lower bound"))
        for (name, k), of in sorted(values.items(), key=lambda item: (ORDER.index(item[0][0]), item[0][1]))
    ]
    return rows, limits, float(np.mean(processors))


@click.command(help="Print the loss that method 'best' reaches beside the best of the papers and a lower bound.")
@click.option("--datasets", default=",".join(ORDER), show_default=True)
@click.option("--k", "ks", default="3,4,5,6,7,8,9,10", show_default=True)
@click.option("--seconds", default="1,10,30,60", show_default=True)
@click.option("--bound-seconds", default=45.0, show_default=True, help="For each lower bound; 0 for none.")
@click.option("--bound-k", default=5, show_default=True, help="Bounds are computed up to this k.")
@click.option("--seed", default=0, show_default=True)
@click.option("--threads", type=int, help="For each search; all processors by default.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the figures to a csv file, to be merged.")
@click.option(
    "--merge", multiple=True, type=click.Path(exists=True, path_type=Path), help="Measure nothing; read these."
)
@click.option("--record", is_flag=True, help="Put the figures into results.csv and write the tables of the docs anew.")
def main(
    datasets: str,
    ks: str,
    seconds: str,
    bound_seconds: float,
    bound_k: int,
    seed: int,
    threads: int | None,
    out: Path | None,
    merge: tuple[Path, ...],
    record: bool,
) -> None:
    if merge:
        rows, limits, processors = read_rows(merge)
    else:
        limits = [float(limit) for limit in seconds.split(",")]
        rows, processors = measure(datasets, ks, limits, (bound_seconds, bound_k), seed, threads)
    of = "several processes" if merge else f"{threads or os.cpu_count()}"
    note = f"Processors used while searching: {processors:.2f} on average, of {of}. Seed {seed}."
    table = Table(*headings(limits), title="Loss in percent")
    for row in rows:
        table.add_row(*row.cells())
    console = Console()
    console.print(table)
    console.print(note)
    if out is not None:
        write_rows(out, rows, limits, processors)
    if record:
        source = f"benchmarks/best.py on {time.strftime('%Y-%m-%d')}, seed {seed}"
        results.record(
            [
                results.Figure(what, row.name, str(row.k), f"{value:.4f}", source)
                for row in rows
                for what, value in row.figures(limits).items()
            ]
        )
        results.write_docs()


def measure(
    datasets: str, ks: str, limits: list[float], bound: tuple[float, int], seed: int, threads: int | None
) -> tuple[list[Row], float]:
    """Search each case for each time; give the rows, and the processors used on average."""
    (bound_seconds, bound_k), rows, spent, taken = bound, [], 0.0, 0.0
    with Console(stderr=True).status("searching") as status:
        for name in datasets.split(","):
            X = standardised(name)
            for k in map(int, ks.split(",")):
                reached = []
                for limit in limits:
                    status.update(f"{name}, k={k}, {limit:g} s")
                    before, began = time.process_time(), time.monotonic()
                    labels = partition(X, k, method="best", time_limit=limit, seed=seed, threads=threads)
                    spent, taken = spent + time.process_time() - before, taken + time.monotonic() - began
                    reached.append(loss(X, labels))
                lowest = None
                if bound_seconds > 0 and k <= bound_k:
                    status.update(f"{name}, k={k}, lower bound")
                    lowest = lower_bound(X, k, time_limit=bound_seconds, upper=labels).loss
                rows.append(Row(name, k, reached, lowest))
                status.console.print(*rows[-1].cells(), highlight=False)
    return rows, spent / taken


if __name__ == "__main__":
    main()
