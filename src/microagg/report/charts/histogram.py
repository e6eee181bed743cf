"""One column of numbers before and after, counted in bins with round bounds, and drawn over each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.gate import Gate
from microagg.report import svg
from microagg.report.charts.categories import both_counts
from microagg.report.svg import round_step
from microagg.report.words import compact, day, shown, tidy


@dataclass(frozen=True)
class Bins:
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

    axis: Bins
    before: IntArray | None
    after: IntArray
    open_below: bool
    open_above: bool
    is_constant: bool
    held_back: int = 0


def count_bins(before: FloatArray, after: FloatArray, gate: Gate) -> Histogram:
    """Count one column before and after in bins with round bounds.

    Long tails get a logarithmic line where they hold many values, and an open last bin where they hold few. The
    bounds are round numbers, so that no bin ends at somebody's value, and follow from released values and from those
    before that as many records as the gate asks for are at or beyond. Bins that the gate withholds count as empty, and
    empty ends are cut off, so that no bin points to a few persons.

    >>> values = np.array([0.0, 1.0, 2.0, 9.0]), np.array([0.5, 0.5, 5.5, 5.5])
    >>> drawn = count_bins(*values, Gate(4, 2, details=True))
    >>> int(drawn.before.sum()), int(drawn.after.sum()), drawn.open_above
    (4, 4, False)
    >>> count_bins(*values, Gate(4, 2)).before is None
    True
    """
    before, after = _drawable(before), _drawable(after)
    beyond = min(gate.least, len(before)) - 1
    ordered = np.partition(before, (beyond, len(before) - 1 - beyond))
    low = float(min(ordered[beyond], after.min()))
    high = float(max(ordered[len(before) - 1 - beyond], after.max()))
    if low == high:
        width = abs(low) / 10 or 0.1
        axis = Bins(low - 2.5 * width, width, 5)
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
        axis = Bins(axis.low + start * axis.step, axis.step, end - start, axis.threshold)
        was, became = was[start:end], became[start:end]
    drawn = Histogram(axis, was, became, open_below, open_above, low == high, held_back)
    return drawn if gate.tells_original else replace(drawn, before=None, held_back=0)


def _drawable(values: FloatArray) -> FloatArray:
    """Give values of which bins can be made: what lies beyond 1e290 is drawn there, and what is below 1e-290 at 0."""
    return np.where(np.abs(values) < 1e-290, 0.0, np.clip(values, -1e290, 1e290))


def _choose_axis(before: FloatArray, low: float, high: float) -> Bins:
    sample = before[:: max(1, len(before) // 100_000)]
    target = int(np.clip(3 * len(before) ** (1 / 3), 8, 30))
    threshold = _log_threshold(sample, low, high)
    if threshold:
        ends = np.array([-_round_up(-low), _round_up(high)])
        start, end = np.sign(ends) * np.log1p(np.abs(ends) / threshold)
        return Bins(float(start), float(end - start) / target, target, threshold)
    near, far = (float(q) for q in np.quantile(sample, [0.005, 0.995]))
    if far > near and high - low > 2 * (far - near):
        low, high = max(low, near), min(high, far)
    step = round_step(high - low, target)
    if high <= 2**53 and low >= -(2**53) and not np.any(sample % 1):
        step = float(max(1, math.ceil(step)))
        if step == 1:
            low, high = math.floor(low) - 0.5, math.ceil(high) + 0.5
    start = low if step == 1 and low % 1 else math.floor(low / step) * step
    return Bins(start, step, max(1, math.ceil((high - start) / step * (1 - 1e-12))))


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


def draw_histogram(key: str, name: str, drawn: Histogram, *, dates: bool = False) -> str:
    """Draw one column before (filled) and after (outlined) over each other; days since 1970 are written as dates."""
    width, height, left, side, top, bottom = 300.0, 148.0, 34.0, 6.0, 8.0, 24.0
    floor, room = height - bottom, height - bottom - top
    before = None if drawn.before is None else drawn.before.tolist()
    after = drawn.after.tolist()
    tallest = max(*(before or ()), *after, 1)
    slot = (width - left - side) / drawn.axis.bins

    def steps(counts: Sequence[int]) -> str:
        path, last = [f"M{svg.number(left)} {svg.number(floor)}"], 0
        for i, count in enumerate(counts):
            if count != last:
                path.append(f"H{svg.number(left + i * slot)}V{svg.number(floor - count / tallest * room)}")
                last = count
        return "".join(path) + f"H{svg.number(width - side)}V{svg.number(floor)}"

    body = [
        *([] if before is None else [f'<path class="area-before" d="{steps(before)}Z"/>']),
        f'<path class="line-after" d="{steps(after)}"/>',
        svg.line(left, floor, width - side, floor, "base"),
    ]
    step = max(1.0, round_step(tallest, 3))
    for i in range(1, int(tallest / step) + 1):
        y = floor - i * step / tallest * room
        body.insert(
            0, svg.line(left, y, width - side, y, "grid") + svg.text(left - 6, y + 4, compact(i * step), anchor="end")
        )
    for value, place in drawn.axis.ticks(most=3 if dates else 4):
        x = left + place * (width - left - side)
        label = day(value) if dates else compact(value)
        body += [svg.line(x, floor, x, floor + 4, "base"), _tick(x, floor + 18, label, width)]
    for i in range(drawn.axis.bins):
        was = None if before is None else before[i]
        if was or after[i]:
            tip = f"{bin_words(drawn, i, dates=dates)}: {both_counts(was, after[i])}"
            body.append(svg.rect(left + i * slot, top, slot, room, "touch", tip))
    words = f"{shown(name)} before and after, counted in {drawn.axis.bins} bins of up to {tallest:,} records."
    return svg.drawing(key, width, height, f"{shown(name)}: before and after", words, body)


def bin_words(drawn: Histogram, i: int, *, dates: bool = False) -> str:
    """Name the values that a bin holds."""
    write = day if dates else tidy
    low, high = write(float(drawn.axis.edges[i])), write(float(drawn.axis.edges[i + 1]))
    if i == 0 and drawn.open_below:
        return f"below {high}"
    if i == drawn.axis.bins - 1 and drawn.open_above:
        return f"{low} and more"
    return f"{low} to {high}"


def _tick(x: float, y: float, content: str, width: float) -> str:
    half = svg.text_width(content) / 2
    if x - half < 0:
        return svg.text(1, y, content)
    if x + half > width:
        return svg.text(width - 1, y, content, anchor="end")
    return svg.text(x, y, content, anchor="middle")
