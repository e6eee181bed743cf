"""Categories: Adult's occupation and native country, as in Veltmann (2022), Table 5 and Figure 14."""

from __future__ import annotations

import csv
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from microagg.base.types import FloatArray
from microagg.errors import FileProblem, InvalidOption
from microagg.partition import partition
from microagg.semantic import Attribute, group_centroids, hierarchical, read_hierarchy, semantic_loss
from microagg.semantic.hierarchy import Hierarchy

FILES = {"occupation": "hierarchy_occupation.csv", "native_country": "hierarchy_country.csv"}
RECORDS = "adult_occupation_country.csv"


@dataclass(frozen=True)
class Contender:
    """A method with its options, and what the thesis prints for it: k -> (loss, global risk), both in percent."""

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    subsumers: bool = False


CONTENDERS: dict[str, Contender] = {
    "sa_mondrian": Contender("sa_mondrian", printed={2: (0.082, 1.08), 6: (0.434, 0.66), 10: (0.710, 0.48)}),
    "simple_mondrian": Contender("simple_mondrian", printed={2: (0.101, 1.08), 6: (0.526, 0.65), 10: (0.847, 0.46)}),
    "sa_mdav": Contender("sa_mdav", printed={2: (0.084, 1.16), 6: (0.608, 0.78), 10: (1.116, 0.60)}),
    "sa_mdav_static": Contender("sa_mdav_static"),
    "s_mdav": Contender("s_mdav"),
    "mdav_generic": Contender("mdav_generic"),
    "k_modes": Contender("k_modes"),
    "unordered_mondrian": Contender("simple_mondrian", {"ordered": False}),
    "subsumer_mondrian": Contender("simple_mondrian", {"cut": "median"}, subsumers=True),
    "mixed": Contender("mixed", {"objective": "semantic", "neighbours": 20}),
}
"""Name -> contender. The unordered one is the thesis' control; the one with least common subsumers is MOSAICrOWN's."""


@dataclass(frozen=True)
class Adult:
    """The records as codes, and what the codes mean."""

    X: FloatArray
    attributes: tuple[Attribute, ...]


def load(folder: Path, *, tree: str | None = None) -> Adult:
    """Read the records and the two hierarchies; as trees where one parent ("first" or "last") is to be kept."""
    for name in (RECORDS, *FILES.values()):
        if not (folder / name).is_file():
            raise FileProblem(f"{folder} has no {name}; name the folder that holds it in MICROAGG_DATA.")
    with (folder / RECORDS).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    attributes, columns = [], []
    for name, path in FILES.items():
        hierarchy: Hierarchy = read_hierarchy(folder / path)
        values = [row[name] for row in rows]
        attribute = hierarchical(hierarchy.tree(tree) if tree else hierarchy, sorted(set(values)))
        attributes.append(attribute)
        columns.append([attribute.code[value] for value in values])
    return Adult(np.array(columns, dtype=np.float64).T.copy(), tuple(attributes))


def run(adult: Adult, ks: Sequence[int], names: Collection[str] = tuple(CONTENDERS)) -> list[dict[str, Any]]:
    """Run contenders for each k; one row each: loss and global risk in percent, those printed, and seconds.

    The global risk is the mean of 1 / f over records, f the number of records with the same released values, as
    sdcMicro computes it without sampling weights.
    """
    for name in names:
        if name not in CONTENDERS:
            raise InvalidOption(f"methods must be some of {', '.join(CONTENDERS)}; got {name!r}.")
    return [_row(adult, k, name) for name in names for k in ks]


def release(adult: Adult, k: int, name: str) -> tuple[FloatArray, float]:
    """Give the released codes of a contender, and the seconds that grouping took."""
    contender = CONTENDERS[name]
    start = time.perf_counter()
    labels = partition(adult.X, k, method=contender.method, attributes=adult.attributes, **contender.options)
    seconds = time.perf_counter() - start
    centroid = "subsumer" if contender.subsumers else "semantic"
    columns = [
        group_centroids(column.astype(np.int64), labels, attribute, centroid=centroid)[labels]
        for column, attribute in zip(adult.X.T, adult.attributes, strict=True)
    ]
    return np.column_stack(columns).astype(np.float64), seconds


def _row(adult: Adult, k: int, name: str) -> dict[str, Any]:
    released, seconds = release(adult, k, name)
    printed = CONTENDERS[name].printed.get(k)
    return {
        "method": name,
        "k": k,
        "loss": semantic_loss(adult.X, released, adult.attributes),
        "printed_loss": printed[0] if printed else None,
        "risk": 100.0 * len(np.unique(released, axis=0)) / len(released),
        "printed_risk": printed[1] if printed else None,
        "seconds": seconds,
    }


def draw(rows: Sequence[Mapping[str, Any]]) -> str:
    """Draw the losses over k as SVG; printed ones as circles."""
    width, height, left, bottom = 760, 460, 60, 40
    ks = sorted({int(row["k"]) for row in rows})
    top = max(float(row["loss"]) for row in rows) or 1.0
    span = max(1, ks[-1] - ks[0])

    def x(k: int) -> float:
        return left + (k - ks[0]) / span * (width - left - 200)

    def y(loss: float) -> float:
        return height - bottom - loss / top * (height - bottom - 20)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="12"><rect width="100%" height="100%" fill="white"/>'
    ]
    parts += [f'<text x="{x(k):.1f}" y="{height - 15}" text-anchor="middle">{k}</text>' for k in ks]
    for step in range(6):
        mark = top * step / 5
        parts.append(
            f'<line x1="{left}" x2="{width - 200}" y1="{y(mark):.1f}" y2="{y(mark):.1f}" stroke="#ddd"/>'
            f'<text x="{left - 8}" y="{y(mark) + 4:.1f}" text-anchor="end">{mark:.2f}</text>'
        )
    names = list(dict.fromkeys(row["method"] for row in rows))
    for i, name in enumerate(names):
        colour = f"hsl({round(360 * i / len(names))} 65% 42%)"
        mine = [row for row in rows if row["method"] == name]
        line = " ".join(f"{x(row['k']):.1f},{y(row['loss']):.1f}" for row in mine)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x(row["k"]):.1f}" cy="{y(row["printed_loss"]):.1f}" r="4" fill="none" stroke="{colour}"/>'
            for row in mine
            if row["printed_loss"] is not None and row["printed_loss"] <= top
        ]
        parts.append(f'<text x="{width - 190}" y="{30 + 18 * i}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{left}" y="14">information loss in percent over k; circles: printed</text></svg>')
    return "\n".join(parts) + "\n"
