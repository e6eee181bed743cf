"""How low the loss gets: method "best" after some seconds, beside the best that any of the papers prints.

    python benchmarks/best.py --markdown docs/best.md      # make best: 50 minutes
    python benchmarks/best.py --datasets census --k 3,5 --seconds 1,10 --bound-seconds 0

Standardised columns, groups of at least k, all processors; the loss is 100 * SSE / SST, counted here from the labels.
Every column of seconds is a search of its own, from nothing. On a machine that is busy with other things, the seconds
buy less: the processor's share is printed beside them. The bound comes from microagg.lower_bound, for small k.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from microagg.arrays import FloatArray, IntArray
from microagg.bounds import lower_bound
from microagg.datasets import load
from microagg.io import atomic_path
from microagg.partition import partition

PRINTED = {
    "census": {
        3: (4.9917, "Concorde-MHM, thesis"),
        4: (6.7774, "MDAV-LK-MHM, thesis"),
        5: (8.2372, "Concorde-MHM, thesis"),
        6: (9.4894, "C2-C-MHM, compression"),
        7: (10.7869, "C2-C-MHM, compression"),
        8: (11.9158, "C2-C-MHM, compression"),
        9: (12.7336, "C3-C-MHM, compression"),
        10: (12.446, "MDAV-RCS, thesis"),
    },
    "tarragona": {
        3: (14.6294, "Concorde-MHM, thesis"),
        4: (17.7528, "Concorde-MHM, thesis"),
        5: (21.3313, "Farthest Insertion-MHM, thesis"),
        6: (24.6538, "Nearest Insertion-MHM, thesis"),
        7: (27.5184, "MDAV, compression"),
        8: (29.4089, "C2-C-MHM, compression"),
        9: (30.777, "C-MHM, compression"),
        10: (32.3006, "C3-C-MHM, compression"),
    },
    "eia": {
        3: (0.3659, "MDAV-LK-MHM, thesis"),
        4: (0.5087, "Concorde-MHM, thesis"),
        5: (0.7502, "MDAV-LK-MHM, thesis"),
        6: (0.9976, "Nearest Insertion-MHM, thesis"),
        7: (1.6652, "C-MHM, compression"),
        8: (1.8359, "C3-C-MHM, compression"),
        9: (1.9348, "C-MHM, compression"),
        10: (2.1129, "C-MHM, compression"),
    },
}
"""The lowest information loss printed (the best of a method's runs where several are given), and where.

thesis: A. Maya-Lopez, Contributions to statistical disclosure control: enhancing multivariate microaggregation using
graph theory. compression: A. Maya-Lopez et al., A compression strategy for an efficient TSP-based microaggregation,
Expert Systems with Applications.
"""


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
        printed, source = PRINTED[self.name][self.k]
        reached = [f"{value:.4f}" for value in self.reached]
        bound = "" if self.bound is None else f"{self.bound:.4f}"
        less = f"{100 * (1 - min(self.reached) / printed):.1f}%"
        return [self.name, str(self.k), *reached, bound, f"{printed:.4f}", source, less]


def headings(limits: list[float]) -> list[str]:
    return ["data", "k", *(f"{limit:g} s" for limit in limits), "nothing below", "printed", "by", "less"]


def page(limits: list[float], rows: list[Row], note: str) -> str:
    """The table as a page of the documentation."""
    lines = [
        "# The lowest loss",
        "",
        'What `method="best"` reaches, in percent of the sum of squares of standardised data; the lowest loss that any',
        "of the papers prints, where, and by how much we are below it; and what no partition can be below, where",
        "`lower_bound` says so. Every column of seconds is a search of its own.",
        "`python benchmarks/best.py --markdown docs/best.md` wrote this page.",
        "",
        "| " + " | ".join(headings(limits)) + " |",
        "| " + " | ".join("---" for _ in headings(limits)) + " |",
        *("| " + " | ".join(row.cells()) + " |" for row in rows),
        "",
        note,
    ]
    return "\n".join(lines) + "\n"


@click.command(help="Print the loss that method 'best' reaches beside the best of the papers and a lower bound.")
@click.option("--datasets", default="census,tarragona,eia", show_default=True)
@click.option("--k", "ks", default="3,4,5,6,7,8,9,10", show_default=True)
@click.option("--seconds", default="1,10,30,60", show_default=True)
@click.option("--bound-seconds", default=45.0, show_default=True, help="For each lower bound; 0 for none.")
@click.option("--bound-k", default=5, show_default=True, help="Bounds are computed up to this k.")
@click.option("--seed", default=0, show_default=True)
@click.option("--markdown", type=click.Path(dir_okay=False, writable=True), help="Write the table to this page, too.")
def main(
    datasets: str, ks: str, seconds: str, bound_seconds: float, bound_k: int, seed: int, markdown: str | None
) -> None:
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
    if markdown is not None:
        with atomic_path(markdown) as draft:
            draft.write_text(page(limits, rows, note), encoding="utf-8")


if __name__ == "__main__":
    main()
