"""What the charts draw: counts, moments and positions, worked out of the records in NumPy.

Nothing that leaves this file is as large as the data: 10^6 records become a few hundred numbers and a sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from microagg.arrays import FloatArray, IntArray
from microagg.gate import Gate

MOST_BARS = 16
MOST_DOTS = 1500
BLOCK = 2**20
"""Values worked on at a time, so that memory does not grow with the data."""


@dataclass(frozen=True)
class Bar:
    """Groups of `low` to `high` records: how many groups, and how many records they hold."""

    low: int
    high: int
    groups: int
    records: int

    @property
    def label(self) -> str:
        """The sizes that this bar stands for."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"


def group_sizes(labels: IntArray) -> tuple[Bar, ...]:
    """Count the groups of each size; many different sizes are gathered in ranges of equal width.

    >>> [(bar.label, bar.groups) for bar in group_sizes(np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2]))]
    [('3', 2), ('4', 1)]
    """
    columns = labels[:, None] if labels.ndim == 1 else labels
    sizes = np.concatenate([counts[counts > 0] for counts in (np.bincount(column) for column in columns.T)])
    return size_bars(sizes, np.ones_like(sizes))


def size_bars(sizes: IntArray, n_groups: IntArray) -> tuple[Bar, ...]:
    """Count the groups of each size, where so many have these sizes.

    >>> [(bar.label, bar.groups, bar.records) for bar in size_bars(np.array([3, 4]), np.array([2, 1]))]
    [('3', 2, 6), ('4', 1, 4)]
    """
    smallest, largest = int(sizes.min()), int(sizes.max())
    width = -(-(largest - smallest + 1) // MOST_BARS)
    groups = np.bincount((sizes - smallest) // width, weights=n_groups)
    records = np.bincount((sizes - smallest) // width, weights=sizes * n_groups)
    return tuple(
        Bar(smallest + i * width, min(smallest + (i + 1) * width - 1, largest), int(groups[i]), int(records[i]))
        for i in range(len(groups))
    )


@dataclass(frozen=True)
class Axis:
    """Bins of equal width on a line; with a threshold, on a line that is logarithmic on both sides of zero."""

    low: float
    step: float
    bins: int
    threshold: float = 0.0

    def place(self, values: FloatArray) -> FloatArray:
        """Where the values lie on the line, 0 at its beginning and 1 at its end."""
        return (self._forward(values) - self.low) / (self.step * self.bins)

    def count(self, values: FloatArray) -> IntArray:
        """How many values fall into each bin; what lies beyond the ends counts in the last bin there."""
        index = ((self._forward(values) - self.low) / self.step).clip(0, self.bins - 1).astype(np.int64)
        return np.bincount(index, minlength=self.bins)

    def plain(self) -> dict[str, object]:
        """What a reader of JSON needs: the bounds of the bins, and how they are spaced."""
        return {"edges": self.edges, "scale": "logarithmic" if self.threshold else "linear"}

    @property
    def edges(self) -> FloatArray:
        """The bounds of the bins, in the units of the data."""
        line = self.low + self.step * np.arange(self.bins + 1, dtype=np.float64)
        if not self.threshold:
            return line
        values: FloatArray = np.sign(line) * np.expm1(np.abs(line)) * self.threshold
        return values

    def ticks(self, most: int = 5) -> list[tuple[float, float]]:
        """A few round values with their places."""
        edges = self.edges
        if self.threshold:
            with np.errstate(over="ignore"):
                decades = self.threshold * 10.0 ** np.arange(0, 64)
            values = np.concatenate([-decades[::-1], [0.0], decades])
        else:
            spacing = round_step(edges[-1] - edges[0], most)
            values = spacing * np.arange(math.ceil(edges[0] / spacing), math.floor(edges[-1] / spacing) + 1)
        values = values[(values >= edges[0]) & (values <= edges[-1])]
        zero = int(np.argmin(np.abs(values))) if len(values) else 0
        every = max(1, math.ceil(len(values) / most))
        values = values[zero % every :: every]
        return list(zip(values.tolist(), self.place(values).tolist(), strict=True))

    def _forward(self, values: FloatArray) -> FloatArray:
        if not self.threshold:
            return values
        line: FloatArray = np.sign(values) * np.log1p(np.abs(values) / self.threshold)
        return line


@dataclass(frozen=True)
class Histogram:
    """One column before and after, counted in the same bins; records of sparse bins may have been held back.

    `before` is None where nothing is told of the original.
    """

    axis: Axis
    before: IntArray | None
    after: IntArray
    open_below: bool
    open_above: bool
    is_constant: bool
    held_back: int = 0


def histogram(before: FloatArray, after: FloatArray, gate: Gate) -> Histogram:
    """Count one column before and after in bins with round bounds.

    Long tails get a logarithmic line where they hold many values, and an open last bin where they hold few. The
    bounds are round numbers, so that no bin ends at somebody's value, and follow from released values and from those
    before that as many records as the gate asks for are at or beyond. Bins that the gate withholds count as empty, and
    empty ends are cut off, so that no bin points to a few persons.

    >>> values = np.array([0.0, 1.0, 2.0, 9.0]), np.array([0.5, 0.5, 5.5, 5.5])
    >>> drawn = histogram(*values, Gate(4, 2, details=True))
    >>> int(drawn.before.sum()), int(drawn.after.sum()), drawn.open_above
    (4, 4, False)
    >>> histogram(*values, Gate(4, 2)).before is None
    True
    """
    before, after = _drawable(before), _drawable(after)
    beyond = min(gate.least, len(before)) - 1
    ordered = np.partition(before, (beyond, len(before) - 1 - beyond))
    low = float(min(ordered[beyond], after.min()))
    high = float(max(ordered[len(before) - 1 - beyond], after.max()))
    if low == high:
        width = abs(low) / 10 or 0.1
        axis = Axis(low - 2.5 * width, width, 5)
    else:
        axis = _choose_axis(before.clip(low, high), low, high)
    first, last = axis.edges[0], axis.edges[-1]
    slack = max(abs(first), abs(last)) * 1e-9
    open_below, open_above = bool(low < first - slack), bool(high > last + slack)
    was, became = axis.count(before), axis.count(after)
    told = gate.cells(was)
    held_back = int(was[~told].sum())
    if held_back:
        was = np.where(told, was, 0)
        filled = np.flatnonzero((was > 0) | (became > 0))
        start, end = int(filled[0]), int(filled[-1]) + 1
        open_below, open_above = open_below and start == 0, open_above and end == axis.bins
        axis = Axis(axis.low + start * axis.step, axis.step, end - start, axis.threshold)
        was, became = was[start:end], became[start:end]
    drawn = Histogram(axis, was, became, open_below, open_above, low == high, held_back)
    return drawn if gate.tells_original else replace(drawn, before=None, held_back=0)


def _drawable(values: FloatArray) -> FloatArray:
    """Give values of which bins can be made: what lies beyond 1e290 is drawn there, and what is below 1e-290 at 0."""
    return np.where(np.abs(values) < 1e-290, 0.0, np.clip(values, -1e290, 1e290))


def _choose_axis(before: FloatArray, low: float, high: float) -> Axis:
    sample = before[:: max(1, len(before) // 100_000)]
    target = int(np.clip(3 * len(before) ** (1 / 3), 8, 30))
    threshold = _log_threshold(sample, low, high)
    if threshold:
        ends = np.array([-_round_up(-low), _round_up(high)])
        start, end = np.sign(ends) * np.log1p(np.abs(ends) / threshold)
        return Axis(float(start), float(end - start) / target, target, threshold)
    near, far = (float(q) for q in np.quantile(sample, [0.005, 0.995]))
    if far > near and high - low > 2 * (far - near):
        low, high = max(low, near), min(high, far)
    step = round_step(high - low, target)
    if high <= 2**53 and low >= -(2**53) and not np.any(sample % 1):
        step = float(max(1, math.ceil(step)))
        if step == 1:
            low, high = math.floor(low) - 0.5, math.ceil(high) + 0.5
    start = low if step == 1 and low % 1 else math.floor(low / step) * step
    return Axis(start, step, max(1, math.ceil((high - start) / step * (1 - 1e-12))))


def _round_up(value: float) -> float:
    """Give the next number with one digit, or the number itself where that would overflow."""
    if value == 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(abs(value)))
    rounded = math.ceil(value / power) * power if power else value
    return rounded if math.isfinite(rounded) else value


def _log_threshold(sample: FloatArray, low: float, high: float) -> float:
    """Give the power of ten below which the line is nearly straight, or 0 where no logarithm is called for."""
    if len(np.unique(sample[:5000])) <= 20 and math.isfinite(high - low):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        q01, q25, q50, q75, q99 = np.quantile(sample, [0.01, 0.25, 0.5, 0.75, 0.99])
        heavy = max(q99 - q50, q50 - q01) > 6 * (q75 - q25)
    if not heavy and math.isfinite(high - low):
        return 0.0
    sizes = np.abs(sample[sample != 0])
    largest = max(abs(low), abs(high))
    return float(10.0 ** math.floor(math.log10(max(float(np.quantile(sizes, 0.1)), largest * 1e-30))))


def round_step(span: float, most: int) -> float:
    """Give the smallest of 1, 2, 2.5, 5, 10, ... that covers the span in at most so many steps.

    >>> round_step(100.0, 24), round_step(7.0, 30)
    (5.0, 0.25)
    """
    rough = span / most
    power = 10.0 ** math.floor(math.log10(rough))
    return next(
        (factor * power for factor in (1.0, 2.0, 2.5, 5.0) if factor * power >= rough * (1 - 1e-9)), 10.0 * power
    )


@dataclass(frozen=True)
class Moments:
    """Means, standard deviations (ddof=1) and correlations; a correlation with a constant column is NaN."""

    mean: FloatArray
    deviation: FloatArray
    correlation: FloatArray


def moments(X: FloatArray) -> Moments:
    """Measure the columns of X, block by block; columns are scaled first, so that nothing overflows.

    >>> moments(np.array([[1.0, 10.0], [2.0, 30.0], [3.0, 20.0]])).correlation.round(2).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    n_records, n_columns = X.shape
    highest, lowest = X.max(axis=0), X.min(axis=0)
    scale = np.maximum(np.abs(highest), np.abs(lowest))
    scale[scale == 0] = 1.0
    size = max(1, BLOCK // max(1, n_columns))
    blocks = range(0, n_records, size)
    mean = sum((X[i : i + size] / scale).sum(axis=0) for i in blocks) / n_records
    products = np.zeros((n_columns, n_columns))
    for i in blocks:
        centred = X[i : i + size] / scale - mean
        products += centred.T @ centred
    variance = np.diag(products) / max(n_records - 1, 1)
    deviation = np.where(highest == lowest, 0.0, np.sqrt(variance))
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = products / max(n_records - 1, 1) / np.outer(deviation, deviation)
    correlation[(deviation == 0), :] = np.nan
    correlation[:, (deviation == 0)] = np.nan
    return Moments(mean * scale, deviation * scale, correlation.clip(-1, 1))


@dataclass(frozen=True)
class CategoryCount:
    """How many records hold a category, before and after; before is None where it is not told."""

    label: str
    before: int | None
    after: int


def category_counts(
    original: FloatArray, released: FloatArray, labels: Sequence[str], gate: Gate, *, most: int = 10
) -> tuple[CategoryCount, ...]:
    """Count a column of categories, the most frequent first.

    Those whose number the gate withholds are counted together, so that no name on the page points to a few persons,
    and so is what goes beyond `most` rows.

    >>> codes = np.repeat([0.0, 1.0, 2.0], [50, 9, 1])
    >>> counted = category_counts(codes, np.zeros(60), ["red", "blue", "pink"], Gate(60, 3))
    >>> [(c.label, c.before, c.after) for c in counted]
    [('red', 50, 60), ('others', 10, 0)]
    """
    before = np.bincount(original.astype(np.int64), minlength=len(labels))
    after = np.bincount(released.astype(np.int64), minlength=len(labels))
    order = np.argsort(-np.maximum(before, after), kind="stable")
    there = (before > 0) | (after > 0)
    shown = gate.cells(before) & there & gate.names(before, after)
    shown[order[shown[order]][most:]] = False
    rest = before[there & ~shown]
    # What is beyond the last row may itself be few: the next rows are counted with it.
    for code in order[::-1].tolist():
        if 0 < rest.sum() < gate.least and shown[code] and before[code]:
            shown[code] = False
            rest = before[there & ~shown]
    named = order[shown[order]]
    rows = [(labels[i], int(before[i]), int(after[i])) for i in named.tolist()]
    others = ("others", int(rest.sum()), int(after[~shown].sum()))
    if others[1] or others[2]:
        rows.append(others)
    return tuple(CategoryCount(label, was if gate.tells_original else None, became) for label, was, became in rows)


FEWEST_CELLS, MOST_CELLS = 6, 36
"""How many cells the map of densities has in a row at least and at most."""
ROWS_PER_COLUMN = 10 / 13
"""Rows of cells for each column of them: hexagons fill a sheet of 3 to 2 that way."""


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


def density(original: FloatArray, released: FloatArray, before: Moments, gate: Gate) -> Density | None:
    """Count records on the principal components of the standardised originals; cells that the gate withholds are empty.

    Gives None where fewer than two directions vary, or no cell holds enough records, so that there is nothing to fill,
    and where nothing is told of the original.

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


@dataclass(frozen=True)
class View:
    """The side from which records show most of their differences: two principal components of the varying columns."""

    varying: IntArray
    mean: FloatArray
    deviation: FloatArray
    vectors: FloatArray
    shares: tuple[float, float]

    def project(self, X: FloatArray) -> FloatArray:
        """Give the places of records on the components."""
        projected: FloatArray = (X[:, self.varying] / self.deviation - self.mean / self.deviation) @ self.vectors
        return projected


def principal_view(before: Moments) -> View | None:
    """Find the first two principal components of standardised records; None where no column varies.

    >>> principal_view(moments(np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]]))).shares
    (1.0, 0.0)
    """
    varying = np.flatnonzero(before.deviation > 0)
    if len(varying) == 0:
        return None
    values, vectors = np.linalg.eigh(before.correlation[np.ix_(varying, varying)])
    values, vectors = values[::-1].clip(0), vectors[:, ::-1][:, :2]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])])
    total = float(values.sum())
    shares = (float(values[0]) / total, float(values[1]) / total if len(values) > 1 else 0.0)
    if shares[1] < 1e-9:
        shares = (1.0, 0.0)
    return View(varying, before.mean[varying], before.deviation[varying], vectors, shares)


@dataclass(frozen=True)
class Map:
    """A sample of records on the first two principal components, before and after.

    `shares` are the fractions of the variance that the two components carry. The second is 0 where there is no second
    component: then each group has a height of its own, which means nothing.
    """

    before: FloatArray
    after: FloatArray
    groups: IntArray
    shares: tuple[float, float]
    n_records: int


def principal_map(original: FloatArray, released: FloatArray, labels: IntArray, before: Moments) -> Map | None:
    """Project a sample of whole groups on the principal components of the standardised originals.

    Gives None where no column varies, so that there is nothing to draw.

    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [5.0, 5.0], [6.0, 6.0]])
    >>> drawn = principal_map(X, X, np.array([0, 0, 1, 1]), moments(X))
    >>> tuple(round(share, 2) for share in drawn.shares)
    (1.0, 0.0)
    """
    view = principal_view(before)
    if view is None:
        return None
    rows = sample_groups(labels) if labels.ndim == 1 else spread(len(labels), MOST_DOTS)
    points, centres = view.project(original[rows]), view.project(released[rows])
    if view.shares[1] == 0:
        heights = _own_heights(labels[rows] if labels.ndim == 1 else labels[rows, view.varying[0]])
        points = np.stack((points[:, 0], heights), axis=1)
        centres = np.stack((centres[:, 0], heights), axis=1)
    groups = labels[rows] if labels.ndim == 1 else np.zeros(len(rows), dtype=np.int64)
    return Map(points, centres, groups, view.shares, len(original))


def _own_heights(groups: IntArray) -> FloatArray:
    """Spread the groups evenly over 0..1, neighbours far apart (multiples of the golden ratio)."""
    return np.asarray(groups * 0.6180339887498949 % 1.0, dtype=np.float64)


def sample_groups(labels: IntArray, most: int = MOST_DOTS) -> IntArray:
    """Choose the records of evenly spread groups, at most so many.

    >>> sample_groups(np.array([0, 0, 1, 1, 2, 2]), most=4).tolist()
    [0, 1, 4, 5]
    """
    if len(labels) <= most:
        return np.arange(len(labels))
    sizes = np.bincount(labels)
    present = np.flatnonzero(sizes)
    n_chosen = max(1, int(most * len(present) / len(labels)))
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    chosen[present[spread(len(present), n_chosen)]] = True
    rows = np.flatnonzero(chosen[labels])
    return rows[spread(len(rows), most)]


def spread(n: int, most: int) -> npt.NDArray[np.int64]:
    """Choose at most so many of 0..n-1, evenly spread and with both ends."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(np.int64)
