"""Tables 1 to 4 of the article on Compress-TSP-MHM: loss and seconds for each compression ratio."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from microagg.base.types import FloatArray
from microagg.partition.compress import order_of_records
from microagg.partition.mhm import cut_order
from microagg.paths import path_length
from microagg.reproduce.charts import Series, scatter
from microagg.reproduce.grid import Outcome, Run, Solver, grid
from microagg.reproduce.solvers import by_method, by_path


def by_compression(c: int, inner: str) -> Solver:
    """Find one path through the compressed records and cut it for each k."""

    def solve(X: FloatArray, ks: Sequence[int], seed: int) -> Iterator[Outcome]:
        order = order_of_records(X, c=c, base="mdav", path="lk", inner=inner, seed=seed, threads=1)
        length = path_length(X, order)
        for k in ks:
            yield k, cut_order(X, order, k), length

    return solve


def draw(runs: Sequence[Run]) -> dict[str, str]:
    """Draw the mean loss of each compression ratio against its seconds."""
    drawings = {}
    for dataset, k in sorted({(run.dataset, run.k) for run in runs if not math.isnan(run.path_length)}):
        series = []
        for method in dict.fromkeys(run.method for run in runs):
            seeds = [run for run in runs if (run.dataset, run.method) == (dataset, method)]
            these = [run for run in seeds if run.k == k and not math.isnan(run.path_length)]
            if these:
                # The path is found once for all k and its time is in that of the first one.
                seconds = sum(run.seconds for run in seeds) / len({run.seed for run in seeds})
                series.append(Series(method, ((seconds, float(np.mean([r.information_loss for r in these]))),)))
        drawings[f"compress-{dataset}-{k}.svg"] = scatter(
            f"{dataset}, k = {k}: loss against time", "seconds for all k", "information loss, percent", series
        )
    return drawings


EXPERIMENT = grid(
    name="compress",
    title="loss and seconds of Compress-TSP-MHM by compression ratio",
    source="Maya-Lopez, Martinez-Balleste and Casino 2023 (Expert Systems with Applications), Tables 2 to 4",
    datasets=("census", "tarragona", "eia"),
    ks=(3, 4, 5, 6, 7, 8, 9, 10),
    solvers={
        "MDAV": by_method("mdav"),
        "V-MDAV": by_method("vmdav", gamma="auto"),
        "C-MHM": by_path("lk"),
        **{f"C{c}-C-MHM": by_compression(c, "distance") for c in (2, 3, 4, 5)},
        **{f"C{c}-C-MHM oriented": by_compression(c, "oriented") for c in (2, 3, 4, 5)},
    },
    fixed=frozenset({"MDAV", "V-MDAV"}),
    tolerance=0.03,
    seeds=5,
    draw=draw,
)
