"""The price of two stages: time and squared error against one run of MDAV, by the share left to the second stage.

    python benchmarks/incremental.py
    python benchmarks/incremental.py --records 50000 --columns 15 --k 10,100 --ratios 0.1,0.3,0.5

Gaussian columns, one thread. For each variant: the seconds of both stages, those relative to one run (tau_0 + tau_+;
(1-nu)^2 + nu^2 for two quadratic stages), the growth of the squared error against MDAV in one run, and against MDAV
with local search in one run, which is what a refined variant should be held to. The largest group tells whether there
was anything to split: while it is below 2k, all splits give the same groups.
"""

from __future__ import annotations

import time

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from microagg.datasets import gaussian
from microagg.incremental import planner, two_stage
from microagg.partition import partition
from microagg.utility import sse

VARIANTS = {
    "2MDAV": {},
    **{
        f"nearest, split {split}{', inertia' if inertia else ''}": {
            "rest": "nearest",
            "rest_options": {"split": split, "inertia": inertia},
        }
        for split in ("none", "middle", "end")
        for inertia in (False, True)
    },
    "2MDAV + local": {"refine": "local"},
    "nearest, split end + local": {"rest": "nearest", "refine": "local"},
}


def fastest(run, repeats):
    """What it gives, and the seconds of the fastest run."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - begin)
    return result, min(times)


@click.command(help=__doc__.partition("\n")[0])
@click.option("--records", default=10_000, show_default=True)
@click.option("--columns", default=15, show_default=True)
@click.option("--k", "sizes", default="10,100", show_default=True)
@click.option("--ratios", default="0.1,0.3,0.5", show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--repeats", default=3, show_default=True)
def main(records, columns, sizes, ratios, seed, repeats):
    X = gaussian(records, columns, seed=seed)
    console = Console(width=110)
    for k in map(int, sizes.split(",")):
        whole, one_run = fastest(lambda k=k: partition(X, k, threads=1), repeats)
        error, refined = sse(X, whole), sse(X, partition(X, k, refine="local"))
        for ratio in map(float, ratios.split(",")):
            n_base = round(records * (1 - ratio))
            quadratic = float(planner.relative_time(ratio))
            title = f"n={records} m={columns} k={k} nu={ratio}: one run {one_run:.3f} s; quadratic {quadratic:.3f}"
            table = Table("variant", "seconds", "relative", "against MDAV", "MDAV + local", "largest", title=title)
            for name, options in VARIANTS.items():
                labels, seconds = fastest(
                    lambda k=k, n=n_base, options=options: two_stage(X, k, n, threads=1, **options), repeats
                )
                got = sse(X, labels)
                table.add_row(
                    name,
                    f"{seconds:.3f}",
                    f"{seconds / one_run:.3f}",
                    f"{got / error - 1:+.2%}",
                    f"{got / refined - 1:+.2%}",
                    str(np.bincount(labels).max()),
                )
            console.print(table)


if __name__ == "__main__":
    main()
