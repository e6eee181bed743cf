"""Categories: Adult's occupation and native country, as in Veltmann (2022), Table 5 and Figure 14."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from microagg.base.types import FloatArray
from microagg.errors import FileProblem
from microagg.partition import partition
from microagg.reproduce.charts import Series, curves
from microagg.reproduce.comparison import LOSS, PrintedComparison, compare_values, printed
from microagg.reproduce.experiment import Chosen, Experiment, Key, Setting, Task
from microagg.semantic import Attribute, group_centroids, hierarchical, read_hierarchy, semantic_loss
from microagg.semantic.hierarchy import Hierarchy

FILES = {"occupation": "hierarchy_occupation.csv", "native_country": "hierarchy_country.csv"}
RECORDS = "adult_occupation_country.csv"
READINGS = ("graph", "first", "last")
"""How the hierarchies are read: all parents of a node, or only its first or its last one."""


@dataclass(frozen=True)
class Contender:
    """A method with its options, and whether its groups are released as least common subsumers."""

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    subsumers: bool = False


CONTENDERS: dict[str, Contender] = {
    "sa_mondrian": Contender("sa_mondrian"),
    "simple_mondrian": Contender("simple_mondrian"),
    "sa_mdav": Contender("sa_mdav"),
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
class CategoryRun:
    """One method with one k on one reading of the hierarchies: loss and global risk in percent, and seconds.

    The global risk is the mean of 1 / f over records, f the number of records with the same released values, as
    sdcMicro computes it without sampling weights.
    """

    dataset: str
    reading: str
    method: str
    k: int
    loss: float
    risk: float
    seconds: float


@dataclass(frozen=True)
class Adult:
    """The records as codes, what the codes mean, and how the hierarchies were read."""

    X: FloatArray
    attributes: tuple[Attribute, ...]
    reading: str = "graph"


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
    return Adult(np.array(columns, dtype=np.float64).T.copy(), tuple(attributes), tree or "graph")


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


def measure(adult: Adult, k: int, name: str) -> CategoryRun:
    """Run a contender and measure what it releases."""
    released, seconds = release(adult, k, name)
    risk = 100.0 * len(np.unique(released, axis=0)) / len(released)
    loss = semantic_loss(adult.X, released, adult.attributes)
    return CategoryRun("adult", adult.reading, name, k, loss, risk, seconds)


def tasks(chosen: Chosen) -> list[Task[CategoryRun]]:
    """Give a task for each reading, method and k."""
    folder = Path(chosen["data"] or os.environ.get("MICROAGG_DATA") or ".")
    loaded = cache(lambda reading: load(folder, tree=None if reading == "graph" else reading))

    def run(reading: str, keys: Sequence[Key]) -> Iterator[CategoryRun]:
        for _, _, name, k in keys:
            yield measure(loaded(reading), k, name)

    return [
        Task((("adult", reading, name, k),), partial(run, reading))
        for reading in chosen["tree"]
        for name in chosen["methods"]
        for k in chosen["ks"]
    ]


def compare(experiment: Experiment[CategoryRun], rows: Sequence[CategoryRun]) -> list[PrintedComparison]:
    """Put losses and global risks beside the printed ones, for each reading of the hierarchies."""
    comparisons = []
    for table, measured in (("categorical", LOSS), ("categorical-risk", "global risk, percent")):
        for reading in dict.fromkeys(row.reading for row in rows):
            ours = {
                (row.dataset, row.method, row.k): row.loss if measured == LOSS else row.risk
                for row in rows
                if row.reading == reading
            }
            for entry in printed(table):
                if entry.k is not None and (entry.dataset, entry.method, entry.k) in ours:
                    value = ours[entry.dataset, entry.method, entry.k]
                    named = replace(entry, dataset=label(entry.dataset, reading))
                    comparisons.append(compare_values(named, [value], experiment.tolerance, measure=measured))
    return comparisons


def label(dataset: str, reading: str) -> str:
    """Name a dataset and how its hierarchies were read.

    >>> label("adult", "graph"), label("adult", "last")
    ('adult, graph', 'adult, tree of last parents')
    """
    return f"{dataset}, graph" if reading == "graph" else f"{dataset}, tree of {reading} parents"


def summary(rows: Sequence[CategoryRun]) -> list[dict[str, Any]]:
    """Give all rows, printed numbers beside them where there are some."""
    losses, risks = (
        {(entry.dataset, entry.method, entry.k): entry.average for entry in printed(table)}
        for table in ("categorical", "categorical-risk")
    )
    return [
        {
            "dataset": row.dataset,
            "reading": row.reading,
            "method": row.method,
            "k": row.k,
            "loss": row.loss,
            "printed_loss": losses.get((row.dataset, row.method, row.k)),
            "risk": row.risk,
            "printed_risk": risks.get((row.dataset, row.method, row.k)),
            "seconds": row.seconds,
        }
        for row in rows
    ]


def draw(rows: Sequence[CategoryRun]) -> dict[str, str]:
    """Draw the losses over k for each reading, printed ones dashed."""
    known = [entry for entry in printed("categorical") if entry.k is not None]
    drawings = {}
    for dataset, reading in dict.fromkeys((row.dataset, row.reading) for row in rows):
        series = []
        for method in dict.fromkeys(row.method for row in rows):
            mine = [row for row in rows if (row.dataset, row.reading, row.method) == (dataset, reading, method)]
            if mine:
                series.append(Series(method, tuple((float(row.k), row.loss) for row in mine)))
            theirs = [entry for entry in known if (entry.dataset, entry.method) == (dataset, method)]
            if mine and theirs:
                points = tuple((float(entry.k or 0), entry.average) for entry in theirs)
                series.append(Series(f"{method}, printed", points, dashed=True))
        title = f"{label(dataset, reading)}: loss by k"
        drawings[f"categorical-{dataset}-{reading}.svg"] = curves(title, "k", LOSS, series)
    return drawings


EXPERIMENT = Experiment(
    name="categorical",
    title="loss and global risk of the categorical methods on Adult's occupation and country",
    source="Veltmann 2022 (thesis), Table 5 and Figure 14",
    settings=(
        Setting("ks", ("-k", "--k"), "counts", (2, 3, 4, 5, 6, 7, 8, 9, 10)),
        Setting("methods", ("--methods",), "names", tuple(CONTENDERS), "Which methods.", tuple(CONTENDERS), "method"),
        Setting(
            "tree",
            ("--tree",),
            "names",
            ("graph",),
            "How the hierarchies are read: all parents, or a tree of the first or last parent of each node.",
            READINGS,
        ),
        Setting("data", ("--data",), "folder", None, "The folder with Adult and its hierarchies; MICROAGG_DATA else."),
    ),
    row=CategoryRun,
    key=("dataset", "reading", "method", "k"),
    tasks=tasks,
    compare=compare,
    draw=draw,
    tolerance=0.1,
    summary=summary,
    alone=True,
    quick={"ks": (10,), "methods": tuple(name for name in CONTENDERS if name != "mixed")},
)
