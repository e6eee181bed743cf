"""Fig. 5.4 of the thesis: seconds of the path over the number of records, for normal and uniform data in the plane."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from microagg.base.types import FloatArray
from microagg.datasets.generators import gaussian, uniform
from microagg.reproduce.charts import Series, curves
from microagg.reproduce.comparison import ResultTable
from microagg.reproduce.compress_seconds import RATIOS, find_order
from microagg.reproduce.experiment import Chosen, Experiment, Key, Setting, Task

COLUMNS = 2
RECORDS = (100, 500, 1000, 5000, 10_000)
DISTRIBUTIONS: dict[str, Callable[..., FloatArray]] = {"normal": gaussian, "uniform": uniform}
METHODS = ("lk-MHM", "C2-lk-MHM", "C5-lk-MHM")
"""Without compression, as in the figure, and the least and the most of the paper's ratios."""


@dataclass(frozen=True)
class GrowthRun:
    """Processor time of one path through so many records on one thread."""

    distribution: str
    records: int
    method: str
    seed: int
    seconds: float


def tasks(chosen: Chosen) -> list[Task[GrowthRun]]:
    """Give a task for each number of records, distribution, method and seed, the shortest first."""

    def run(keys: Sequence[Key]) -> list[GrowthRun]:
        rows = []
        for distribution, records, method, seed in keys:
            X = DISTRIBUTIONS[distribution](records, COLUMNS, seed=seed)
            begun = time.process_time()
            find_order(X, RATIOS[method], seed)
            rows.append(GrowthRun(distribution, records, method, seed, time.process_time() - begun))
        return rows

    return [
        Task(((distribution, records, method, seed),), run)
        for records in sorted(chosen["records"])
        for distribution in chosen["names"]
        for method in chosen["methods"]
        for seed in range(chosen["seeds"])
    ]


def draw(rows: Sequence[GrowthRun]) -> dict[str, str]:
    """Draw seconds over n, a curve for each distribution and method; the mean of the seeds."""
    series = []
    for method in dict.fromkeys(row.method for row in rows):
        for distribution in dict.fromkeys(row.distribution for row in rows):
            points = []
            for records in sorted({row.records for row in rows}):
                key = (method, distribution, records)
                mine = [row.seconds for row in rows if (row.method, row.distribution, row.records) == key]
                if mine:
                    points.append((float(records), sum(mine) / len(mine)))
            if points:
                series.append(Series(f"{method}, {distribution}", tuple(points)))
    title = "Seconds of a path through points in the plane"
    return {"compress-growth.svg": curves(title, "records", "seconds of processor time", series)} if series else {}


def seconds_table(rows: Sequence[GrowthRun]) -> list[ResultTable]:
    """Write the mean seconds: a line for each distribution and method, a column for each number of records."""
    sizes = sorted({row.records for row in rows})
    body = []
    for distribution, method in dict.fromkeys((row.distribution, row.method) for row in rows):
        mine = [row for row in rows if (row.distribution, row.method) == (distribution, method)]
        spent = [[row.seconds for row in mine if row.records == size] for size in sizes]
        body.append((distribution, method, *(f"{sum(one) / len(one):.2f}" if one else "" for one in spent)))
    headings = ("distribution", "method", *(f"n = {size:,}" for size in sizes))
    return [ResultTable("Seconds of processor time", headings, tuple(body))] if body else []


def summary(rows: Sequence[GrowthRun]) -> list[dict[str, Any]]:
    """Give all rows."""
    return [asdict(row) for row in rows]


EXPERIMENT = Experiment(
    name="compress-growth",
    title="seconds of the path of Compress-TSP-MHM by records and distribution",
    source="Maya-Lopez 2023 (thesis), Fig. 5.4",
    settings=(
        Setting(
            "names", ("--data",), "names", tuple(DISTRIBUTIONS), "Which data.", tuple(DISTRIBUTIONS), "distribution"
        ),
        Setting("methods", ("--methods",), "names", METHODS, "Which ratios.", tuple(RATIOS), "method"),
        Setting("records", ("--records",), "counts", RECORDS, "Numbers of records."),
        Setting("seeds", ("--seeds",), "count", 1, "How many seeds."),
    ),
    row=GrowthRun,
    key=("distribution", "records", "method", "seed"),
    tasks=tasks,
    compare=lambda _experiment, _rows: [],
    draw=draw,
    summary=summary,
    alone=True,
    quick={"records": (100, 200)},
    minutes=2,
    further=seconds_table,
    notes=(
        "The figure has no numbers to compare with. It says that time does not depend on the distribution, and that "
        "it grows exponentially; the time of `lk` grows in proportion to the records.",
    ),
    deviations=("The figure is of Concorde, without compression; here `lk` runs, also with c = 2 and c = 5.",),
)
