"""Charts: small functions from figures to inline SVG.

Colours come from classes that the page's style sheet sets, so that one drawing serves light, dark and paper. Every
drawing has a title and a description; what it shows in numbers stands in the table that goes with it (`plots`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from microagg.arrays import FloatArray, IntArray
from microagg.report import svg
from microagg.report.figures import Bar, CategoryCount, Density, Histogram, Map, round_step
from microagg.report.words import compact, day, percent, shown, tidy

GROUP_COLOURS = 6
"""How many colours the groups of the map take in turn."""
MANY_HUBS = 400
"""With more centres than these, the map draws them smaller."""


def share_bar(key: str, lost: float) -> str:
    """Draw how much of the variation was kept and how much was lost, in percent."""
    lost_width = 480 * min(max(lost, 0.0), 100.0) / 100
    body = [
        f'<clipPath id="{key}-clip"><rect x="0" y="0" width="480" height="22" rx="5"/></clipPath>',
        f'<g clip-path="url(#{key}-clip)">',
        svg.rect(0, 0, 480 - lost_width, 22, "fill-after", f"kept: {percent(100 - lost)}"),
        svg.rect(480 - lost_width, 0, lost_width, 22, "fill-lost", f"lost: {percent(lost)}"),
        "</g>",
    ]
    words = f"{percent(100 - lost)} of the variation is kept, {percent(lost)} is lost."
    return svg.drawing(key, 480, 22, "Variation kept and lost", words, body)


def size_bars(key: str, bars: Sequence[Bar], n_groups: int) -> str:
    """Draw how many groups there are of each size."""
    width, height, left, top, bottom = 480.0, 230.0, 48.0, 14.0, 44.0
    tallest = max(bar.groups for bar in bars)
    step = max(1.0, round_step(tallest, 4))
    ceiling = math.ceil(tallest / step) * step
    room = height - top - bottom
    slot = (width - left) / len(bars)
    thickness = min(slot * 0.78, 64)
    body = []
    for i in range(round(ceiling / step) + 1):
        y = height - bottom - i * step / ceiling * room
        body += [
            svg.line(left, y, width, y, "grid" if i else "base"),
            svg.text(left - 8, y + 4, compact(i * step), anchor="end"),
        ]
    skip = math.ceil((max(svg.text_width(bar.label) for bar in bars) + 8) / slot)
    for i, bar in enumerate(bars):
        x = left + (i + 0.5) * slot
        tall = bar.groups / ceiling * room
        tip = f"{bar.groups:,} groups of {bar.label} records ({bar.records:,} records)"
        body.append(svg.rect(x - thickness / 2, height - bottom - tall, thickness, tall, "fill-after", tip))
        if i % skip == 0:
            body.append(svg.text(x, height - bottom + 18, bar.label, anchor="middle"))
    body.append(svg.text(left + (width - left) / 2, height - 6, "records in a group", anchor="middle", kind="axis"))
    words = f"{n_groups:,} groups of {bars[0].low:,} to {bars[-1].high:,} records."
    return svg.drawing(key, width, height, "How many groups there are of each size", words, body)


def column_bars(key: str, title: str, values: Mapping[str, float], sign: str = "") -> str:
    """Draw one measure for each column, as horizontal bars from zero; a sign such as % follows the numbers."""
    label, margin, row = 140.0, 62.0, 22.0
    width, height = 480.0, row * len(values) + 4
    finite = [value for value in values.values() if math.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    room = (width - label - margin) / ((high - low) or 1.0)
    zero = label - low * room
    body = []
    for i, (name, value) in enumerate(values.items()):
        y = 2 + i * row
        end = zero
        if math.isfinite(value):
            end = zero + value * room
            tip = f"{shown(name, 60)}: {tidy(value)}{sign}"
            body.append(svg.rect(min(zero, end), y + 3, abs(end - zero), row - 7, "fill-after", tip))
        written = svg.text(label - 10, y + 15, svg.fit(name, label - 12), anchor="end")
        body.append(f"<g><title>{svg.escape(shown(name))}</title>{written}</g>")
        number = tidy(value, 3) + (sign if math.isfinite(value) else "")
        body.append(svg.text(max(zero, end) + 7, y + 15, number, kind="value"))
    body.append(svg.line(zero, 0, zero, height, "base"))
    return svg.drawing(key, width, height, title, f"{title}, for {len(values)} columns.", body)


def category_bars(key: str, name: str, counts: Sequence[CategoryCount]) -> str:
    """Draw how many records hold each category: before as a grey bar, after as a coloured one over it."""
    label, margin, row = 120.0, 52.0, 26.0
    width, height = 330.0, row * len(counts) + 4
    longest = [max(count.before or 0, count.after) for count in counts]
    room = (width - label - margin) / max(1, *longest)
    body = []
    for i, count in enumerate(counts):
        y = 2 + i * row
        tip = f"{shown(count.label, 60)}: {_both(count.before, count.after)}"
        if count.before is not None:
            body.append(svg.rect(label, y + 3, count.before * room, row - 8, "area-before", tip))
        body.append(svg.rect(label, y + 8, count.after * room, row - 18, "fill-after", tip))
        body.append(svg.text(label - 8, y + 17, svg.fit(count.label, label - 10), anchor="end"))
        body.append(svg.text(label + longest[i] * room + 6, y + 17, compact(count.after), kind="value"))
    body.append(svg.line(label, 0, label, height, "base"))
    described = f"How many records hold each category of {shown(name, 60)}, before and after."
    return svg.drawing(key, width, height, f"Categories of {shown(name, 60)}", described, body)


def _both(before: int | None, after: int) -> str:
    """Write how many records there are on either side, or on the side that is told."""
    return f"{after:,} after" if before is None else f"{before:,} before, {after:,} after"


def histogram(key: str, name: str, drawn: Histogram, *, dates: bool = False) -> str:
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
            tip = f"{bin_words(drawn, i, dates=dates)}: {_both(was, after[i])}"
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


def scatter(key: str, drawn: Map) -> tuple[str, int]:
    """Draw the map: records as faint dots, joined to what they became. Also gives how many lie outside the frame."""
    width, height, left, bottom, edge = 720.0, 480.0, 30.0, 32.0, 10.0
    low, high = _frame(drawn)
    inside = ((drawn.before >= low) & (drawn.before <= high)).all(axis=1)
    room = np.array([width - left - 2 * edge, height - bottom - 2 * edge])

    def place(points: FloatArray) -> list[str]:
        scaled = ((points[inside] - low) / (high - low)).clip(-1, 2) * room
        x, y = left + edge + scaled[:, 0], height - bottom - edge - scaled[:, 1]
        return [f"{u:.0f} {v:.0f}" for u, v in zip(x.tolist(), y.tolist(), strict=True)]

    dots, centres = place(drawn.before), place(drawn.after)
    colours = _colours(drawn)[inside].tolist()
    hubs = dict.fromkeys(zip(centres, colours, strict=True))
    ties = [(f"M{dot}L{hub}", colour) for dot, hub, colour in zip(dots, centres, colours, strict=True) if dot != hub]
    specks = [(f"M{dot}h0", colour) for dot, colour in zip(dots, colours, strict=True)]
    first, second = drawn.shares
    across = f"first component: {percent(100 * first)} of the variance"
    up = f"second component: {percent(100 * second)} of the variance" if second else "height only separates the groups"
    body = [
        f'<clipPath id="{key}-clip">{svg.rect(left, 0, width - left, height - bottom, "frame")}</clipPath>',
        svg.rect(left, 0.5, width - left - 0.5, height - bottom, "frame"),
        f'<g clip-path="url(#{key}-clip)">',
        *_coloured("tie", ties),
        *_coloured("speck", specks),
        *_coloured(
            "hub many-hubs" if len(hubs) > MANY_HUBS else "hub", [(f"M{hub}h0", colour) for hub, colour in hubs]
        ),
        "</g>",
        svg.text((left + width) / 2, height - 8, across, anchor="middle", kind="axis"),
        f'<g transform="translate(16 {svg.number((height - bottom) / 2)}) rotate(-90)">',
        svg.text(0, 0, up, anchor="middle", kind="axis"),
        "</g>",
    ]
    words = f"{len(dots):,} of {drawn.n_records:,} records, each joined to the values that its group was given."
    outside = int((~inside).sum())
    title = "Records and groups on the first two principal components"
    return svg.drawing(key, width, height, title, words, body), outside


SHADES = 5
"""How many shades tell sparse cells of the map from crowded ones."""


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


def before_after(key: str, title: str, rows: Sequence[tuple[str, float | None, float | None]]) -> str:
    """Draw measures in percent as two marks on a line from 0 to 100: a ring for before, a dot for after."""
    label, margin, row, top = 204.0, 22.0, 24.0, 24.0
    width, height = 520.0, top + row * len(rows) + 6
    room = width - label - margin
    body = []
    for share in (0, 25, 50, 75, 100):
        x = label + share / 100 * room
        body.append(svg.line(x, top, x, height, "grid" if share else "base"))
        body.append(svg.text(x, 14, f"{share}%", anchor="middle"))
    for i, (name, before, after) in enumerate(rows):
        y = top + (i + 0.5) * row
        places = [
            None if value is None else label + min(max(value, 0.0), 100.0) / 100 * room for value in (before, after)
        ]
        body.append(svg.text(label - 12, y + 4, svg.fit(name, label - 14), anchor="end", kind="value"))
        if places[0] is not None and places[1] is not None:
            body.append(svg.line(places[0], y, places[1], y, "span"))
        for place, kind, value, when in zip(places, ("ring", "dot"), (before, after), ("before", "after"), strict=True):
            if place is not None and value is not None:
                tip = f"<title>{svg.escape(f'{shown(name, 60)}: {percent(value)} {when}')}</title>"
                centre = f'cx="{svg.number(place)}" cy="{svg.number(y)}"'
                body.append(f'<circle class="{kind}" {centre} r="6">{tip}</circle>')
    return svg.drawing(key, width, height, title, f"{len(rows)} measures in percent, before and after.", body)


def _coloured(kind: str, strokes: Sequence[tuple[str, int]]) -> list[str]:
    """Gather strokes of the same colour in one path: a thousand dots stay a few kilobytes."""
    paths = ["".join(path for path, its in strokes if its == colour) for colour in range(GROUP_COLOURS)]
    return [f'<path class="{kind} g{colour}" d="{path}"/>' for colour, path in enumerate(paths) if path]


def _frame(drawn: Map) -> tuple[FloatArray, FloatArray]:
    """Show all records, or, where a few lie very far out, the central 96 percent on that axis."""
    low, high = drawn.before.min(axis=0), drawn.before.max(axis=0)
    near, far = np.quantile(drawn.before, [0.02, 0.98], axis=0)
    cut = (high - low > 1.8 * (far - near)) & (far > near)
    margin = 0.2 * (far - near)
    low, high = np.where(cut, np.maximum(near - margin, low), low), np.where(cut, np.minimum(far + margin, high), high)
    flat = high <= low
    return np.where(flat, low - 0.5, low), np.where(flat, low + 0.5, high)


def _colours(drawn: Map) -> IntArray:
    """Give the groups their colours in turn along the first component, so that neighbours differ."""
    groups, members = np.unique(drawn.groups, return_inverse=True)
    first = np.full(len(groups), np.inf)
    np.minimum.at(first, members, drawn.after[:, 0])
    turn = np.empty(len(groups), dtype=np.int64)
    turn[np.argsort(first, kind="stable")] = np.arange(len(groups)) % GROUP_COLOURS
    return turn[members]


def correlation_text(value: float) -> str:
    """Write a correlation with two digits."""
    text = f"{value:.2f}".replace("-0.00", "0.00")
    return "undefined" if math.isnan(value) else text.replace("-", "−")


def split_heatmap(key: str, names: Sequence[str], before: FloatArray, after: FloatArray) -> str:
    """Draw correlations: before above the diagonal, after below it."""
    joined = np.triu(before, 1) + np.tril(after, -1)
    np.fill_diagonal(joined, np.nan)
    title = "Correlations before (above the diagonal) and after (below)"
    return _heatmap(key, title, names, joined, 1.0, before, after)


def change_heatmap(key: str, names: Sequence[str], before: FloatArray, after: FloatArray, full: float) -> str:
    """Draw by how much correlations changed; a change of `full` has the full colour."""
    change = after - before
    np.fill_diagonal(change, np.nan)
    return _heatmap(key, "Change of the correlations", names, change, full, before, after)


def _heatmap(
    key: str, title: str, names: Sequence[str], shades: FloatArray, full: float, before: FloatArray, after: FloatArray
) -> str:
    n = len(names)
    cell = min(44.0, 352.0 / n)
    labels = [svg.fit(name, 104) for name in names]
    longest = max(svg.text_width(label) for label in labels)
    left, top = 8 + longest, 18 + 0.79 * longest
    right = max(0.0, 0.62 * svg.text_width(labels[-1]) - cell / 2)
    body = []
    for j, label in enumerate(labels):
        x, y = left + (j + 0.5) * cell, top + (j + 0.5) * cell
        body.append(svg.text(left - 6, y + 4, label, anchor="end"))
        place = f"translate({svg.number(x + 3)} {svg.number(top - 6)})"
        body.append(f'<g transform="{place} rotate(-52)">{svg.text(0, 0, label)}</g>')
    for i in range(n):
        for j in range(n):
            x, y, value = left + j * cell, top + i * cell, float(shades[i, j])
            pair = f"{shown(names[i], 24)} and {shown(names[j], 24)}"
            if i == j:
                body.append(svg.rect(x, y, cell - 1, cell - 1, "diagonal"))
            elif math.isnan(value):
                body.append(svg.rect(x, y, cell - 1, cell - 1, "undefined", f"{pair}: undefined, a column is constant"))
            else:
                tip = f"{pair}: {correlation_text(before[i, j])} before, {correlation_text(after[i, j])} after"
                strength = min(abs(value) / full, 1.0)
                body.append(svg.rect(x, y, cell - 1, cell - 1, "positive" if value >= 0 else "negative", tip, strength))
                if cell >= 34:
                    kind = "strong" if strength > 0.6 else "cell"
                    middle = x + cell / 2 - 0.5
                    written = correlation_text(value)
                    body.append(svg.text(middle, y + cell / 2 + 4, written, anchor="middle", kind=kind))
    words = f"{title} of {n} columns."
    return svg.drawing(key, left + n * cell + right, top + n * cell, title, words, body)
