"""Table 1 of the article on Compress-TSP-MHM (Table 5.1 of the thesis): seconds of the path by compression ratio."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.partition.compress import order_of_records
from microagg.paths import path
from microagg.reproduce.comparison import PrintedComparison, ResultTable, compare_values, printed
from microagg.reproduce.experiment import Chosen, Experiment, Key, Reason, Setting, Task
from microagg.reproduce.grid import load_standardised

WHOLE = "lk-MHM"
RATIOS = {WHOLE: 1, **{f"C{c}-{WHOLE}": c for c in (2, 3, 4, 5)}}
"""Name -> compression ratio, 1 for the path through all records."""
DATASETS = ("census", "tarragona", "eia")
RELATIVE = "seconds of the path, relative to those without compression"
TABLE = "compress-seconds"


@dataclass(frozen=True)
class PathSeconds:
    """Processor time of one path through all records on one thread: groups, path through centroids, and unpacking."""

    dataset: str
    method: str
    seed: int
    seconds: float


def find_order(X: FloatArray, c: int, seed: int) -> IntArray:
    """Find the path that is cut: through all records with c = 1, through the centroids of groups of c otherwise."""
    if c == 1:
        return path(X, "lk", seed=seed, threads=1)
    return order_of_records(X, c=c, base="mdav", path="lk", inner="distance", seed=seed, threads=1)


def tasks(chosen: Chosen) -> list[Task[PathSeconds]]:
    """Give a task for each dataset, method and seed."""
    loaded = cache(load_standardised)

    def run(keys: Sequence[Key]) -> list[PathSeconds]:
        rows = []
        for dataset, method, seed in keys:
            X = loaded(dataset)
            begun = time.process_time()
            find_order(X, RATIOS[method], seed)
            rows.append(PathSeconds(dataset, method, seed, time.process_time() - begun))
        return rows

    return [
        Task(((dataset, method, seed),), run)
        for dataset in chosen["names"]
        for method in chosen["methods"]
        for seed in range(chosen["seeds"])
    ]


def seconds_of(rows: Sequence[PathSeconds], dataset: str, method: str) -> list[float]:
    """Give the seconds of a method on a dataset, one for each seed."""
    return [row.seconds for row in rows if (row.dataset, row.method) == (dataset, method)]


def compare(experiment: Experiment[PathSeconds], rows: Sequence[PathSeconds]) -> list[PrintedComparison]:
    """Put our ratios to the path without compression beside the printed ones."""
    table = {(entry.dataset, entry.method): entry for entry in printed(TABLE)}
    comparisons = []
    for (dataset, method), entry in table.items():
        whole, mine = seconds_of(rows, dataset, WHOLE), seconds_of(rows, dataset, method)
        if method != WHOLE and whole and mine:
            ratio = entry.average / table[dataset, WHOLE].average
            ours = [seconds / float(np.mean(whole)) for seconds in mine]
            comparisons.append(
                compare_values(replace(entry, average=ratio), ours, experiment.tolerance, measure=RELATIVE)
            )
    return comparisons


def summary(rows: Sequence[PathSeconds]) -> list[dict[str, Any]]:
    """Give mean and standard deviation of the seconds, the printed ones beside them."""
    table = {(entry.dataset, entry.method): entry.average for entry in printed(TABLE)}
    lines = []
    for dataset, method in dict.fromkeys((row.dataset, row.method) for row in rows):
        mine, whole = seconds_of(rows, dataset, method), seconds_of(rows, dataset, WHOLE)
        known, known_whole = table[dataset, method], table[dataset, WHOLE]
        lines.append(
            {
                "dataset": dataset,
                "method": method,
                "seconds": float(np.mean(mine)),
                "deviation": float(np.std(mine, ddof=1)) if len(mine) > 1 else None,
                "ratio": float(np.mean(mine) / np.mean(whole)) if whole else None,
                "printed_seconds": known,
                "printed_ratio": known / known_whole,
            }
        )
    return lines


def seconds_table(rows: Sequence[PathSeconds]) -> list[ResultTable]:
    """Write the seconds themselves, ours / printed: a line for each dataset."""
    lines = summary(rows)
    methods = dict.fromkeys(line["method"] for line in lines)
    cells = {
        (line["dataset"], line["method"]): f"{line['seconds']:.2f} / {line['printed_seconds']:g}" for line in lines
    }
    datasets = dict.fromkeys(line["dataset"] for line in lines)
    body = tuple((dataset, *(cells.get((dataset, method), "") for method in methods)) for dataset in datasets)
    return [ResultTable("Seconds, ours / printed", ("dataset", *methods), body)] if lines else []


EXPERIMENT = Experiment(
    name="compress-seconds",
    title="seconds of the path of Compress-TSP-MHM by compression ratio",
    source="Maya-Lopez, Martinez-Balleste and Casino 2023 (Expert Systems with Applications), Table 1",
    settings=(
        Setting("names", ("--datasets",), "names", DATASETS, "Which datasets.", DATASETS, "dataset"),
        Setting("methods", ("--methods",), "names", tuple(RATIOS), "Which ratios.", tuple(RATIOS), "method"),
        Setting("seeds", ("--seeds",), "count", 5, "How many seeds."),
    ),
    row=PathSeconds,
    key=("dataset", "method", "seed"),
    tasks=tasks,
    compare=compare,
    draw=lambda _: {},
    tolerance=0.25,
    summary=summary,
    alone=True,
    quick={"names": ("census",), "methods": (WHOLE, f"C5-{WHOLE}"), "seeds": 1},
    minutes=2,
    further=seconds_table,
    notes=(
        "Processor time on one thread, one run after the other. Seconds of other machines and programs mean little, so "
        "ratios are compared: that of each path to the one through all records.",
    ),
    deviations=(
        "Here `lk` runs where the paper runs Concorde. Its effort follows the number of cities, 20 kicks for each, so "
        "that a path through n / c centroids takes about 1 / c of the time, where the time of Concorde grows faster.",
    ),
    reasons=(
        Reason(
            "The time of Concorde grows faster than the number of cities, that of `lk` in proportion to it: what "
            "compression saves is less here, and the seconds themselves are far fewer."
        ),
    ),
)
