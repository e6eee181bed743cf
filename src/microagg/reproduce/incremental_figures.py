"""Figures 14 to 23 of the paper on incremental microaggregation, drawn from our runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from microagg.incremental import planner
from microagg.reproduce.charts import Series, curves
from microagg.reproduce.incremental import DATASETS, StageRun, mean

ACROSS = "share of the records in the second stage (nu), percent"
THEORY = tuple(np.linspace(0.0, 1.0, 41).tolist())

TIME = "time of both stages (tau_0 + tau_+), relative to one run"
REST = "time of the second stage (tau_+), relative to one run"
GROWTH = "more squared error than one run, percent"
VALUES: dict[str, Callable[[StageRun], float]] = {
    TIME: lambda row: row.relative_time,
    REST: lambda row: row.rest_time,
    GROWTH: lambda row: row.growth,
}


@dataclass(frozen=True)
class Figure:
    """What a figure of the paper shows: one value over nu, for some variants, some k, and all or the most columns."""

    number: str
    title: str
    value: str
    variants: tuple[str, ...]
    ks: tuple[int, ...] = (10,)
    every_width: bool = False


FIGURES = (
    Figure("14", "2MDAV: time of both stages", TIME, ("2MDAV", "plain 2MDAV"), (10, 100)),
    Figure("15", "2MDAV: time of the second stage", REST, ("2MDAV", "plain 2MDAV"), (10, 100)),
    Figure("16", "2MDAV: distortion by number of columns", GROWTH, ("2MDAV",), every_width=True),
    Figure("17", "nearest without splits: distortion", GROWTH, ("nearest none",), (10, 100)),
    Figure("18", "nearest with splits: distortion", GROWTH, ("nearest middle", "nearest end"), every_width=True),
    Figure(
        "19",
        "nearest with splits and inertia: distortion",
        GROWTH,
        ("nearest middle", "nearest middle inertia", "nearest end", "nearest end inertia"),
    ),
    Figure("20", "nearest with splits: time of both stages", TIME, ("nearest middle", "nearest end"), (10, 100)),
    Figure("21", "nearest with splits: time of the second stage", REST, ("nearest middle", "nearest end"), (10, 100)),
    Figure("22-23-time", "2MDAV and nearest: time of the second stage", REST, ("2MDAV", "nearest end")),
    Figure("22-23-distortion", "2MDAV and nearest: distortion", GROWTH, ("2MDAV", "nearest end")),
    Figure(
        "moving",
        "centroids of the base stage, and centroids that move: distortion",
        GROWTH,
        ("nearest none", "nearest moving none", "nearest end", "nearest moving end"),
    ),
    Figure(
        "refined",
        "with local search in both stages: distortion",
        GROWTH,
        ("2MDAV + local", "nearest end + local", "nearest moving end + local", "regroup + local"),
    ),
)


def draw(rows: Sequence[StageRun]) -> dict[str, str]:
    """Draw each figure for each family of data, SVG by file name; what was not run is left out."""
    drawings = {}
    for figure in FIGURES:
        for family in dict.fromkeys(family for family, _ in DATASETS.values()):
            series = _series(figure, family, rows)
            if series:
                title = f"{figure.title} ({'Gaussian' if family == 'gaussian' else 'Census-like'} columns)"
                name = f"incremental-{figure.number}-{family}.svg"
                drawings[name] = curves(title, ACROSS, figure.value, [*series, *_theory(figure)])
    return drawings


def _series(figure: Figure, family: str, rows: Sequence[StageRun]) -> list[Series]:
    run = {row.dataset for row in rows}
    widths = [(name, m) for name, (its, m) in DATASETS.items() if its == family and name in run]
    series = []
    for name, m in widths if figure.every_width else widths[-1:]:
        for k in figure.ks:
            for variant in figure.variants:
                mine = [row for row in rows if (row.dataset, row.k, row.variant) == (name, k, variant)]
                points = [
                    (100 * ratio, mean([row for row in mine if row.ratio == ratio], VALUES[figure.value]))
                    for ratio in sorted({row.ratio for row in mine})
                ]
                if points:
                    series.append(Series(f"{variant}, m = {m}, k = {k}", tuple(points)))
    return series


def _theory(figure: Figure) -> list[Series]:
    """Two quadratic stages; and from where on the second stage would cost all that a head start of nu gains."""

    def curve(name: str, height: Callable[[float], float]) -> Series:
        return Series(name, tuple((100 * ratio, height(ratio)) for ratio in THEORY), dashed=True)

    if figure.value == TIME:
        return [curve("(1-nu)^2 + nu^2", lambda ratio: float(planner.relative_time(ratio)))]
    if figure.value == REST:
        bound = curve("1 - tau_0 + nu (zeta = 1)", lambda ratio: float(1 - planner.base_time(ratio) + ratio))
        return [curve("nu^2", lambda ratio: float(planner.rest_time(ratio))), bound]
    return []
