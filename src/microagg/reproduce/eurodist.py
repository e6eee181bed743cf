"""Figs. 2.4 and 2.5 of the thesis: paths through 21 cities of Europe, of which only the distances by road are known.

The distances, in kilometres, are those of a table in The Cambridge Encyclopedia (D. Crystal, ed., Cambridge University
Press 1990), as they stand in the data set eurodist of R, its errors included (Cologne to Geneva is not 1,662 km).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.paths import PATHS, path, path_length
from microagg.report import svg
from microagg.reproduce.charts import STYLE, Box, box_plot
from microagg.reproduce.comparison import ResultTable
from microagg.reproduce.experiment import Chosen, Experiment, Key, Setting, Task

CITIES = [
    "Athens",
    "Barcelona",
    "Brussels",
    "Calais",
    "Cherbourg",
    "Cologne",
    "Copenhagen",
    "Geneva",
    "Gibraltar",
    "Hamburg",
    "Hook_of_Holland",
    "Lisbon",
    "Lyons",
    "Madrid",
    "Marseilles",
    "Milan",
    "Munich",
    "Paris",
    "Rome",
    "Stockholm",
    "Vienna",
]
# fmt: off
KILOMETRES = (
    3313, 2963, 3175, 3339, 2762, 3276, 2610, 4485, 2977, 3030, 4532, 2753, 3949, 2865, 2282, 2179, 3000, 817, 3927,
    1991,
    1318, 1326, 1294, 1498, 2218, 803, 1172, 2018, 1490, 1305, 645, 636, 521, 1014, 1365, 1033, 1460, 2868, 1802,
    204, 583, 206, 966, 677, 2256, 597, 172, 2084, 690, 1558, 1011, 925, 747, 285, 1511, 1616, 1175,
    460, 409, 1136, 747, 2224, 714, 330, 2052, 739, 1550, 1059, 1077, 977, 280, 1662, 1786, 1381,
    785, 1545, 853, 2047, 1115, 731, 1827, 789, 1347, 1101, 1209, 1160, 340, 1794, 2196, 1588,
    760, 1662, 2436, 460, 269, 2290, 714, 1764, 1035, 911, 583, 465, 1497, 1403, 937,
    1418, 3196, 460, 269, 2971, 1458, 2498, 1778, 1537, 1104, 1176, 2050, 650, 1455,
    1975, 1118, 895, 1936, 158, 1439, 425, 328, 591, 513, 995, 2068, 1019,
    2897, 2428, 676, 1817, 698, 1693, 2185, 2565, 1971, 2631, 3886, 2974,
    550, 2671, 1159, 2198, 1479, 1238, 805, 877, 1751, 949, 1155,
    2280, 863, 1730, 1183, 1098, 851, 457, 1683, 1500, 1205,
    1178, 668, 1762, 2250, 2507, 1799, 2700, 3231, 2937,
    1281, 320, 328, 724, 471, 1048, 2108, 1157,
    1157, 1724, 2010, 1273, 2097, 3188, 2409,
    618, 1109, 792, 1011, 2428, 1363,
    331, 856, 586, 2187, 898,
    821, 946, 1754, 428,
    1476, 1827, 1249,
    2707, 1209,
    2105,
)
"""From each city to those after it."""
# fmt: on
NORTH_EAST = 1.0
"""The direction from Gibraltar to Stockholm, in radians north of east; Athens lies to the right of it."""
METHODS = (*(name for name in PATHS if not PATHS[name].needs and name != "space_filling_curve"), "exact")
"""All that look at distances; a curve needs places."""


@dataclass(frozen=True)
class TourRun:
    """One path through the cities."""

    method: str
    seed: int
    kilometres: float


@cache
def distances() -> FloatArray:
    """Give the matrix of distances.

    >>> float(distances()[CITIES.index("Paris"), CITIES.index("Calais")])
    280.0
    """
    D = np.zeros((len(CITIES), len(CITIES)))
    D[np.triu_indices(len(CITIES), 1)] = KILOMETRES
    return D + D.T


def find(method: str, seed: int) -> IntArray:
    """Find a path through the cities; with a dummy city where the heuristic knows one, as published."""
    options: dict[str, Any] = {"dummy": "city"} if "dummy" in PATHS[method].options else {}
    return path(distances(), method, metric="precomputed", seed=seed, threads=1, **options)


def tasks(chosen: Chosen) -> list[Task[TourRun]]:
    """Give a task for each heuristic and seed."""

    def run(keys: Sequence[Key]) -> list[TourRun]:
        return [TourRun(m, s, path_length(distances(), find(m, s), metric="precomputed")) for m, s in keys]

    return [Task(tuple((method, seed) for seed in range(chosen["seeds"])), run) for method in chosen["methods"]]


def summary(rows: Sequence[TourRun]) -> list[dict[str, Any]]:
    """Give mean, standard deviation, least and most of each heuristic, the shortest first."""
    lines = []
    for method in dict.fromkeys(row.method for row in rows):
        mine = [row.kilometres for row in rows if row.method == method]
        deviation = float(np.std(mine, ddof=1)) if len(mine) > 1 else None
        lines.append(
            {
                "method": method,
                "kilometres": round(float(np.mean(mine))),
                "deviation": deviation,
                "least": round(min(mine)),
                "most": round(max(mine)),
            }
        )
    return sorted(lines, key=lambda line: (line["kilometres"], line["method"]))


def lengths_table(rows: Sequence[TourRun]) -> list[ResultTable]:
    """Write what `summary` gives."""
    lines = [
        (line["method"], *(f"{line[name] or 0:,.0f}" for name in ("kilometres", "deviation", "least", "most")))
        for line in summary(rows)
    ]
    headings = ("heuristic", "mean", "standard deviation", "least", "most")
    return [ResultTable("Kilometres of the path", headings, tuple(lines))] if lines else []


def draw(rows: Sequence[TourRun]) -> dict[str, str]:
    """Draw the lengths by heuristic, and the shortest path through the cities."""
    if not rows:
        return {}
    boxes = [
        Box(line["method"], tuple(row.kilometres for row in rows if row.method == line["method"]))
        for line in summary(rows)
    ]
    shortest = min(rows, key=lambda row: row.kilometres)
    return {
        "eurodist-lengths.svg": box_plot("Eurodist: length of the path by heuristic", "kilometres", boxes),
        "eurodist-path.svg": draw_path(find(shortest.method, shortest.seed), shortest),
    }


def places() -> FloatArray:
    """Put the cities into the plane by classical scaling of their distances, turned as on a map."""
    squares = distances() ** 2
    products = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(products)
    flat = vectors[:, -1] * np.sqrt(values[-1]) + 1j * vectors[:, -2] * np.sqrt(values[-2])
    gibraltar, stockholm, athens = (CITIES.index(name) for name in ("Gibraltar", "Stockholm", "Athens"))
    flat = (flat - flat[gibraltar]) / (flat[stockholm] - flat[gibraltar])
    if flat[athens].imag > 0:
        flat = flat.conj()
    flat = flat * np.exp(1j * NORTH_EAST)
    return np.column_stack([flat.real, flat.imag])


def draw_path(order: IntArray, run: TourRun) -> str:
    """Draw a path through the cities on the map that their distances give."""
    width, height, margin = 760.0, 560.0, 60.0
    flat = places()
    low, high = flat.min(axis=0), flat.max(axis=0)
    scale = min((width - 2 * margin) / (high - low)[0], (height - 2 * margin) / (high - low)[1])
    x = margin + (flat[:, 0] - low[0]) * scale
    y = margin + (high[1] - flat[:, 1]) * scale
    title = f"Eurodist: the shortest path that was found ({run.method}), {run.kilometres:,.0f} km"
    corners = " ".join(f"{x[city]:.1f},{y[city]:.1f}" for city in order)
    body = [
        svg.text(12, 24, title, kind="title"),
        f'<polyline points="{corners}" fill="none" stroke="#1f6fb4" stroke-width="2"/>',
    ]
    for city, name in enumerate(CITIES):
        body.append(f'<circle cx="{x[city]:.1f}" cy="{y[city]:.1f}" r="4" fill="#d1662b"/>')
        body.append(svg.text(float(x[city]) + 7, float(y[city]) - 5, name.replace("_", " ")))
    return svg.alone(width, height, title, STYLE, body)


EXPERIMENT = Experiment(
    name="eurodist",
    title="lengths of paths through 21 cities by heuristic",
    source="Maya-Lopez 2023 (thesis), Figs. 2.4 and 2.5",
    settings=(
        Setting("methods", ("--methods",), "names", METHODS, "Which heuristics.", METHODS, "heuristic"),
        Setting("seeds", ("--seeds",), "count", 20, "How many seeds."),
    ),
    row=TourRun,
    key=("method", "seed"),
    tasks=tasks,
    compare=lambda _experiment, _rows: [],
    draw=draw,
    summary=summary,
    quick={"seeds": 2},
    minutes=0.5,
    further=lengths_table,
    notes=(
        "The figures have no numbers to compare with. Distances are those by road, from a table in The Cambridge "
        "Encyclopedia (Crystal 1990), which R has as eurodist.",
    ),
    deviations=(
        "Fig. 2.5 is said to compare the lengths of tours, as R's package TSP does; ours are paths, which do "
        "not return.",
    ),
)
