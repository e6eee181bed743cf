"""Figures that the benchmarks measured, in one file (results.csv), and the tables of the docs that show them.

    python benchmarks/results.py        # write the tables of the docs anew from the file

A row is one figure: what was measured (`figure`), on which data, with which k, its value as it is printed, and where it
comes from. Benchmarks put their figures in with `record`; a figure that is there already is replaced, so that no two
places of the docs can disagree about it. A table of the docs stands between two marks and is never written by hand.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from microagg.io import atomic_path

HERE = Path(__file__).resolve().parent
FILE = HERE / "results.csv"
DOCS = HERE.parent / "docs"

TITLES = {"census": "Census", "tarragona": "Tarragona", "eia": "EIA"}
KS = range(3, 11)


@dataclass(frozen=True)
class Figure:
    """One measured number, as it is printed."""

    figure: str
    data: str
    k: str
    value: str
    source: str


Figures = dict[tuple[str, str, str], Figure]


def read(path: Path = FILE) -> Figures:
    """Give all figures by what they are of: figure, data and k."""
    with path.open(newline="", encoding="utf-8") as file:
        return {(row["figure"], row["data"], row["k"]): Figure(**row) for row in csv.DictReader(file)}


def record(new: Iterable[Figure], path: Path = FILE) -> None:
    """Put figures into the file; one that is there already is replaced."""
    known = read(path) | {(each.figure, each.data, each.k): each for each in new}
    with atomic_path(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Figure)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(each) for each in known.values())


def markdown(heads: list[str], rows: Iterable[list[str]]) -> str:
    """Write a table."""
    lines = (heads, ["---"] * len(heads), *rows)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def value(figures: Figures, figure: str, data: str, k: int) -> str:
    """Give a figure as it is printed; nothing where it was not measured."""
    known = figures.get((figure, data, str(k)))
    return "" if known is None else known.value


def lowest_loss(figures: Figures) -> str:
    """docs/best.md: what `best` reaches after some seconds, the bound, and the lowest loss that is printed."""
    searches = sorted(
        {figure for figure, _, _ in figures if re.fullmatch(r"best, \S+ s", figure)},
        key=lambda figure: float(figure.split()[1]),
    )
    rows = []
    for data in TITLES:
        for k in KS:
            reached = [value(figures, figure, data, k) for figure in searches]
            printed = figures["lowest printed", data, str(k)]
            # Values are kept with four digits: what may have been rounded off is not claimed as a gain.
            least = min(float(each) for each in reached if each) + 0.00005
            less = f"{100 * (1 - least / float(printed.value)):.1f}%"
            bound = value(figures, "lower bound", data, k)
            rows.append([data, str(k), *reached, bound, printed.value, printed.source, less])
    seconds = [figure.removeprefix("best, ") for figure in searches]
    return markdown(["data", "k", *seconds, "nothing below", "printed", "by", "less"], rows)


def losses_by_k(figures: Figures) -> str:
    """docs/benchmarks.md: MDAV, `best` after 30 s and the bound, side by side."""
    kinds = {"MDAV": "mdav", "best, 30 s": "best, 30 s", "proven: nothing is below": "lower bound"}
    rows = [
        [f"{title}, {words}", *(value(figures, figure, data, k) for k in KS)]
        for data, title in TITLES.items()
        for words, figure in kinds.items()
    ]
    return markdown(["", "k = 3", *map(str, KS[1:])], rows)


TABLES: dict[str, tuple[str, Callable[[Figures], str]]] = {
    "lowest-loss": ("best.md", lowest_loss),
    "losses-by-k": ("benchmarks.md", losses_by_k),
}
"""Name of a table between its marks -> the page that it stands on, and what writes it."""


def put_in(text: str, name: str, table: str) -> str:
    """Put a table between its marks, in the place of the one that is there."""
    start, end = f"<!-- table {name}: benchmarks/results.py writes it -->\n", f"\n<!-- end of {name} -->"
    before, _, rest = text.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"there are no marks of the table {name!r}.")
    return f"{before}{start}\n{table}\n{end}{after}"


def write_docs(docs: Path = DOCS) -> None:
    """Write every table of the docs anew."""
    figures = read()
    for name, (page, table) in TABLES.items():
        text = (docs / page).read_text(encoding="utf-8")
        with atomic_path(docs / page) as draft:
            draft.write_text(put_in(text, name, table(figures)), encoding="utf-8")


if __name__ == "__main__":
    write_docs()
