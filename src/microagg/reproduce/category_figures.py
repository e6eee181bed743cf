"""Figures 13 to 16 of the thesis on categories, drawn from our runs."""

from __future__ import annotations

from collections.abc import Sequence

from microagg.reproduce.category_records import CategoryRun, label
from microagg.reproduce.charts import Series, curves
from microagg.reproduce.comparison import LOSS, printed

SECONDS = "seconds of processor time"
FIGURES = {
    "losses": ("sa_mondrian", "simple_mondrian", "sa_mdav", "sa_mdav_static", "s_mdav", "unordered_mondrian"),
    "losses-papers": (
        "sa_mondrian",
        "sa_mondrian_literal",
        "simple_mondrian_literal",
        "mdav_generic",
        "k_modes",
        "subsumer_mondrian",
    ),
    "losses-ours": ("sa_mondrian", "sa_mdav_unweighted", "mdav_generic_semantic", "k_modes_semantic", "mixed"),
    "seconds": ("sa_mondrian", "simple_mondrian", "sa_mdav"),
}
"""Name -> methods: what the thesis draws (Figures 13 and 14), its rules to the letter and other papers' methods, what
is ours, and the times (Figures 15 and 16)."""


def draw(rows: Sequence[CategoryRun]) -> dict[str, str]:
    """Draw each figure for each dataset and reading, SVG by file name; printed losses are dashed."""
    known: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for entry in printed("categorical"):
        known.setdefault((entry.dataset, entry.method), []).append((float(entry.k or 0), entry.average))
    drawings = {}
    for dataset, reading in dict.fromkeys((row.dataset, row.reading) for row in rows):
        for figure, methods in FIGURES.items():
            series = []
            for method in methods:
                mine = [row for row in rows if (row.dataset, row.reading, row.method) == (dataset, reading, method)]
                heights = [row.seconds if figure == "seconds" else row.loss for row in mine]
                points = tuple((float(row.k), height) for row, height in zip(mine, heights, strict=True))
                if points:
                    series.append(Series(method, points))
                if points and figure != "seconds" and (dataset, method) in known:
                    theirs = tuple(known[dataset, method])
                    series.append(Series(f"{method}, printed", theirs, dashed=True, belongs=True))
            if series:
                up = SECONDS if figure == "seconds" else LOSS
                title = f"{label(dataset, reading)}: {'time' if figure == 'seconds' else 'loss'} by k"
                drawings[f"categorical-{figure}-{dataset}-{reading}.svg"] = curves(title, "k", up, series)
    return drawings
