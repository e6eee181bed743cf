"""How low the loss gets: method "best" after some seconds, beside the best that any of the papers prints.

    python benchmarks/best.py --record                     # make best: 50 minutes; writes the tables of the docs
    python benchmarks/best.py --datasets census --k 3,5 --seconds 1,10 --bound-seconds 0

Standardised columns, groups of at least k, all processors; the loss is 100 * SSE / SST, counted here from the labels.
Every column of seconds is a search of its own, from nothing. On a machine that is busy with other things, the seconds
buy less: the processor's share is printed beside them. The bound comes from microagg.lower_bound, for small k.

The lowest loss that is printed (the best of a method's runs where several are given) stands in results.csv. thesis: A.
Maya-Lopez, Contributions to statistical disclosure control: enhancing multivariate microaggregation using graph theory.
compression: A. Maya-Lopez et al., A compression strategy for an efficient TSP-based microaggregation, Expert Systems
with Applications.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

import click
import numpy as np
import results
from rich.console import Console
from rich.table import Table

from microagg.base.types import FloatArray, IntArray
from microagg.bounds import lower_bound
from microagg.datasets import load
from microagg.partition import partition


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

    def cells(self) -> list[str]:
        known = results.read()["lowest printed", self.name, str(self.k)]
        printed, source = float(known.value), known.source
        reached = [f"{value:.4f}" for value in self.reached]
        bound = "" if self.bound is None else f"{self.bound:.4f}"
        less = f"{100 * (1 - min(self.reached) / printed):.1f}%"
        return [self.name, str(self.k), *reached, bound, f"{printed:.4f}", source, less]


def headings(limits: list[float]) -> list[str]:
    return ["data", "k", *(f"{limit:g} s" for limit in limits), "nothing below", "printed", "by", "less"]


@click.command(help="Print the loss that method 'best' reaches beside the best of the papers and a lower bound.")
@click.option("--datasets", default="census,tarragona,eia", show_default=True)
@click.option("--k", "ks", default="3,4,5,6,7,8,9,10", show_default=True)
@click.option("--seconds", default="1,10,30,60", show_default=True)
@click.option("--bound-seconds", default=45.0, show_default=True, help="For each lower bound; 0 for none.")
@click.option("--bound-k", default=5, show_default=True, help="Bounds are computed up to this k.")
@click.option("--seed", default=0, show_default=True)
@click.option("--record", is_flag=True, help="Put the figures into results.csv and write the tables of the docs anew.")
def main(datasets: str, ks: str, seconds: str, bound_seconds: float, bound_k: int, seed: int, record: bool) -> None:
    limits = [float(limit) for limit in seconds.split(",")]
    rows = []
    spent = 0.0
    with Console(stderr=True).status("searching") as status:
        for name in datasets.split(","):
            X = standardised(name)
            for k in map(int, ks.split(",")):
                reached = []
                for limit in limits:
                    status.update(f"{name}, k={k}, {limit:g} s")
                    before = time.process_time()
                    labels = partition(X, k, method="best", time_limit=limit, seed=seed)
                    spent += time.process_time() - before
                    reached.append(loss(X, labels))
                bound = None
                if bound_seconds > 0 and k <= bound_k:
                    status.update(f"{name}, k={k}, lower bound")
                    bound = lower_bound(X, k, time_limit=bound_seconds, upper=labels).loss
                rows.append(Row(name, k, reached, bound))
                status.console.print(*rows[-1].cells(), highlight=False)
    given = sum(limits) * len(rows)
    note = f"Processors used while searching: {spent / given:.2f} on average, of {os.cpu_count()}. Seed {seed}."
    table = Table(*headings(limits), title="Loss in percent")
    for row in rows:
        table.add_row(*row.cells())
    console = Console()
    console.print(table)
    console.print(note)
    if record:
        source = f"benchmarks/best.py on {time.strftime('%Y-%m-%d')}, seed {seed}"
        figures = []
        for row in rows:
            of = {f"best, {limit:g} s": reached for limit, reached in zip(limits, row.reached, strict=True)}
            of |= {} if row.bound is None else {"lower bound": row.bound}
            figures += [results.Figure(name, row.name, str(row.k), f"{each:.4f}", source) for name, each in of.items()]
        results.record(figures)
        results.write_docs()


if __name__ == "__main__":
    main()
