"""Where records lie on the first two principal components, before and after: cells, not single records."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.gate import Gate
from microagg.report import svg
from microagg.report.chart import Chart
from microagg.report.charts.kind import BEFORE_AFTER, ReleaseChart
from microagg.report.components import View, principal_view, spread
from microagg.report.document import WITHHELD, Document
from microagg.report.gated import GatedFacts
from microagg.report.moments import BLOCK, Moments
from microagg.report.words import percent, tidy

FEWEST_CELLS, MOST_CELLS = 6, 36
"""How many cells the map of densities has in a row at least and at most."""
ROWS_PER_COLUMN = 10 / 13
"""Rows of cells for each column of them: hexagons fill a sheet of 3 to 2 that way."""
SHADES = 5
"""How many shades tell sparse cells of the map from crowded ones."""


@dataclass(frozen=True)
class Density:
    """Records counted in hexagonal cells on the first two principal components, before and after.

    `columns` and `rows` are the places of the cells, from 0 (odd rows stand half a cell to the right); `across` and
    `up` are their middles on the two components, in standard deviations of the columns. `shares` are the fractions of
    the variance that the components carry. `held_back` counts the original records that are not told: beyond the sheet,
    and in cells that the gate withholds.
    """

    columns: FloatArray
    rows: IntArray
    across: FloatArray
    up: FloatArray
    before: IntArray
    after: IntArray
    shares: tuple[float, float]
    held_back: int


def numbers(facts: GatedFacts) -> Density | None:
    """Count the records in cells; None where no column holds numbers, or there is nothing to fill."""
    return density(facts.X, facts.Y, facts.before, facts.gate) if facts.numbers else None


def density(original: FloatArray, released: FloatArray, before: Moments, gate: Gate) -> Density | None:
    """Count records on the principal components of the standardised originals; cells that the gate withholds are empty.

    Gives None where fewer than two directions vary, or no cell holds enough records, so that there is nothing to fill,
    and where nothing is told of the original.

    >>> from microagg.report.moments import moments
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> counted = density(X, X, moments(X), Gate(500, 5))
    >>> int(counted.before.sum()) + counted.held_back, int(counted.before[counted.before > 0].min())
    (500, 5)
    """
    view = principal_view(before)
    if view is None or view.shares[1] == 0 or not gate.tells_original:
        return None
    sample = view.project(original[spread(len(original), 100_000)])
    # The sheet ends where enough records lie beyond.
    tail = min(0.25, max(0.005, gate.least / len(sample)))
    low, high = np.quantile(sample, [tail, 1 - tail], axis=0)
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    if not (high > low).all():
        return None
    # Cells grow where records are few, so that most of them are shared by enough.
    n_columns = int(np.clip(np.sqrt(len(original) / gate.least), FEWEST_CELLS, MOST_CELLS))
    cells = (n_columns, round(n_columns * ROWS_PER_COLUMN))
    unit = (high - low) / cells
    was, became = (_count_cells(view, X, low, unit, cells) for X in (original, released))
    told = gate.cells(np.append(was, len(original) - int(was.sum())))[:-1]
    was = np.where(told, was, 0)
    filled = np.flatnonzero((was > 0) | (became > 0))
    if not len(filled):
        return None
    rows, halves = np.divmod(filled, 2 * n_columns + 1)
    columns = halves / 2
    middles = gate.figures(low + np.column_stack((columns, rows)) * unit)
    columns, rows = columns - np.floor(columns.min()), rows - rows.min() // 2 * 2
    shares = gate.figures(view.shares)
    return Density(
        columns,
        rows,
        middles[:, 0],
        middles[:, 1],
        was[filled],
        became[filled],
        (float(shares[0]), float(shares[1])),
        len(original) - int(was.sum()),
    )


def _count_cells(view: View, X: FloatArray, low: FloatArray, unit: FloatArray, cells: tuple[int, int]) -> IntArray:
    """Count the records nearest to the middle of each cell, block by block."""
    across, up = cells
    halves = 2 * across + 1
    counts = np.zeros((up + 1) * halves, dtype=np.int64)
    size = max(1, BLOCK // X.shape[1])
    for i in range(0, len(X), size):
        u, v = ((view.project(X[i : i + size]) - low) / unit).T
        inside = (u >= 0) & (u <= across) & (v >= 0) & (v <= up)
        u, v = u[inside], v[inside]
        even = np.stack((np.round(u), (2 * np.round(v / 2)).clip(max=up // 2 * 2)))
        odd = np.stack(
            ((np.floor(u) + 0.5).clip(max=across - 0.5), (2 * np.floor(v / 2) + 1).clip(max=(up - 1) // 2 * 2 + 1))
        )
        nearer = _apart(u, v, odd) < _apart(u, v, even)
        column, row = np.where(nearer, odd, even)
        counts += np.bincount((row * halves + 2 * column).astype(np.int64), minlength=len(counts))
    return counts


def _apart(u: FloatArray, v: FloatArray, middle: FloatArray) -> FloatArray:
    """Squared distance on the sheet, where rows are closer than columns."""
    squared: FloatArray = (u - middle[0]) ** 2 + 0.75 * (v - middle[1]) ** 2
    return squared


def _draw(document: Document, key: str) -> tuple[Chart, ...]:
    density: Density | None = document.numbers["density"]
    if density is None:
        return ()
    both = np.concatenate((density.before, density.after))
    fewest, most = int(both[both > 0].min()), int(both.max())
    return tuple(
        Chart(
            f"Map {heading.lower()}",
            density_cells(f"{key}map{i}", f"Map of the records, {heading.lower()}", density, counts, fewest, most),
            ("First component", "Second component", "Records"),
            _cell_rows(density, counts),
        )
        for i, (heading, counts) in enumerate(zip(BEFORE_AFTER, (density.before, density.after), strict=True))
    )


def _cell_rows(density: Density, counts: IntArray) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (tidy(float(density.across[i]), 3), tidy(float(density.up[i]), 3), tidy(int(counts[i])))
        for i in np.flatnonzero(counts).tolist()
    )


def shades(counts: IntArray, fewest: int, most: int) -> IntArray:
    """Give each count its shade, 0 for the fewest to SHADES - 1 for the most, even on a logarithmic line.

    >>> shades(np.array([1, 10, 100]), 1, 100).tolist()
    [0, 2, 4]
    """
    span = max(math.log(most / fewest), 1e-9)
    steps: IntArray = np.floor(np.log(counts / fewest) / span * SHADES).clip(0, SHADES - 1).astype(np.int64)
    return steps


def density_cells(key: str, title: str, drawn: Density, counts: IntArray, fewest: int, most: int) -> str:
    """Draw how many records fall into each cell of the map, from the `fewest` (faint) to the `most` (full colour)."""
    width, left, bottom = 480.0, 24.0, 26.0
    cell = (width - left) / (float(drawn.columns.max()) + 1)
    row, side = cell * math.sqrt(3) / 2, cell / math.sqrt(3)
    height = float(drawn.rows.max()) * row + 2 * side + bottom
    half = cell / 2
    hexagon = (
        f"l{svg.number(half)} {svg.number(side / 2)}v{svg.number(side)}l-{svg.number(half)} {svg.number(side / 2)}"
        f"l-{svg.number(half)} -{svg.number(side / 2)}v-{svg.number(side)}Z"
    )
    paths = [""] * SHADES
    filled = np.flatnonzero(counts)
    for i, shade in zip(filled.tolist(), shades(counts[filled], fewest, most).tolist(), strict=True):
        x = left + half + float(drawn.columns[i]) * cell
        y = height - bottom - side - float(drawn.rows[i]) * row
        paths[shade] += f"M{svg.number(x)} {svg.number(y - side)}{hexagon}"
    first, second = drawn.shares
    body = [
        svg.rect(left, 0.5, width - left - 0.5, height - bottom, "frame"),
        *[f'<path class="density d{shade}" d="{path}"/>' for shade, path in enumerate(paths) if path],
        svg.text((left + width) / 2, height - 6, f"first component: {percent(100 * first)} of the variance", **_MIDDLE),
        f'<g transform="translate(14 {svg.number((height - bottom) / 2)}) rotate(-90)">',
        svg.text(0, 0, f"second: {percent(100 * second)}", **_MIDDLE),
        "</g>",
    ]
    words = f"{int(counts.sum()):,} records in {len(filled):,} cells of up to {int(counts.max(initial=0)):,}."
    return svg.drawing(key, width, height, title, words, body)


_MIDDLE = {"anchor": "middle", "kind": "axis"}


def _absent(document: Document) -> str:
    if not document.tells_original:
        return WITHHELD
    return "The records differ in fewer than two directions of numbers, so there is no map to draw."


def _note(document: Document) -> str:
    held_back = document.numbers["density"].held_back
    if not held_back:
        return ""
    return (
        f"{tidy(held_back)} records of the data before are not counted here: they lie beyond the map, or in cells that "
        "too few share."
    )


INTRO = (
    "The standardised records, seen from the side that shows most of their differences (the first two principal "
    "components): the stronger the colour of a cell, the more records are in it. Where both maps look alike, the "
    "release fills the same room as the data."
)
_SCALE = "".join(
    f'<rect class="density d{shade}" x="{18 * shade}" width="17" height="16" rx="3"/>' for shade in range(SHADES)
)
KEY = (
    ("", "few"),
    (svg.mark(90, 16, _SCALE, kind="shades"), ""),
    ("", "many records (each shade a multiple of the one before)"),
)
CHART = ReleaseChart(
    "map",
    section="map",
    draw=_draw,
    numbers=numbers,
    numbers_key="density",
    intro=lambda _: INTRO,
    absent=_absent,
    key=lambda _: KEY,
    note=_note,
    classes="pair maps",
)
