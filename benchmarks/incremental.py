"""How new records find the nearest centroid: looking at all groups against looking under boxes.

    python benchmarks/incremental.py
    python benchmarks/incremental.py --records 1000000 --k 10

A tenth of the records joins the groups of the others, which MDAV has made (`fast` beyond 200,000). Processor time on
one thread, the least of some runs; labels must be equal. Time and distortion of the stages: `microagg reproduce
incremental`.
"""

from __future__ import annotations

import time

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from microagg import _core
from microagg.datasets import census_like, gaussian
from microagg.partition import partition
from microagg.prepare.scale import standardise

LARGE = 200_000


def least(run, repeats):
    """What it gives, and the processor time of the fastest run."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        result = run()
        times.append(time.process_time() - begin)
    return result, min(times)


def joined(X, base, k, search):
    labels = np.empty(len(X), dtype=np.int64)
    labels[: len(base)] = base
    _core.adjoin(X, len(base), k, _core.Split.end, False, True, search, labels, None)
    return labels


@click.command(help=__doc__.partition("\n")[0])
@click.option("--records", "sizes", default="2000,10000,50000,100000", show_default=True)
@click.option("--columns", default="2,3,5,10,13,15", show_default=True)
@click.option("--k", default=10, show_default=True)
@click.option("--repeats", default=3, show_default=True)
def main(sizes, columns, k, repeats):
    table = Table("records", "data", "groups", "all groups s", "boxes s", "auto s", "all / boxes", "all / auto")
    for n in map(int, sizes.split(",")):
        data = {f"Gaussian, {m} columns": gaussian(n, int(m), seed=0) for m in columns.split(",")}
        data["Census-like, 13 columns"] = standardise(census_like(n, seed=0))
        for name, X in data.items():
            base = partition(X[: n - n // 10], k, method="fast" if n > LARGE else "mdav")
            seconds, found = {}, {}
            for search in ("scan", "boxes", "auto"):
                way = getattr(_core.Search, search)
                found[search], seconds[search] = least(lambda X=X, b=base, w=way: joined(X, b, k, w), repeats)
            assert (found["scan"] == found["boxes"]).all()
            assert (found["scan"] == found["auto"]).all()
            table.add_row(
                f"{n:,}",
                name,
                f"{base.max() + 1:,}",
                *(f"{spent:.4f}" for spent in seconds.values()),
                f"{seconds['scan'] / seconds['boxes']:.2f}",
                f"{seconds['scan'] / seconds['auto']:.2f}",
            )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
