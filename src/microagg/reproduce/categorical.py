"""Categories: Adult and Analytics as in Veltmann (2022), Tables 5 and 6 and Figures 13 to 16."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from microagg.base.types import FloatArray
from microagg.partition import partition
from microagg.reproduce.category_figures import draw
from microagg.reproduce.category_notes import NOTES, loss_tables
from microagg.reproduce.category_records import DATASETS, READINGS, TREE, Categories, CategoryRun, label, load, readings
from microagg.reproduce.comparison import LOSS, PrintedComparison, compare_values, printed
from microagg.reproduce.experiment import Chosen, Experiment, Key, Reason, Setting, Task
from microagg.semantic import group_centroids, nominal, semantic_loss

RISK = "global risk, percent"
TIMES = "times as long"
REPEATS = 3
"""How often a method runs; the fastest counts."""


@dataclass(frozen=True)
class Contender:
    """A method with its options, and what it takes the records for.

    Attributes
    ----------
    method, options : str, mapping
        What groups them.
    equality : bool
        Whether values are equal or not, whatever they mean, and a group is released as its modes.
    subsumers : bool
        Whether groups are released as least common subsumers; semantic centroids otherwise.
    printed_as : str
        The printed name whose numbers stand beside it; its own by default.
    """

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    equality: bool = False
    subsumers: bool = False
    printed_as: str = ""


CONTENDERS: dict[str, Contender] = {
    "sa_mondrian": Contender("sa_mondrian"),
    "simple_mondrian": Contender("simple_mondrian"),
    "sa_mdav": Contender("sa_mdav"),
    "sa_mdav_static": Contender("sa_mdav_static"),
    "s_mdav": Contender("s_mdav"),
    "unordered_mondrian": Contender("simple_mondrian", {"ordered": False}),
    "sa_mondrian_literal": Contender("sa_mondrian", {"literal": True}, printed_as="sa_mondrian"),
    "simple_mondrian_literal": Contender("simple_mondrian", {"literal": True}, printed_as="simple_mondrian"),
    "sa_mdav_unweighted": Contender("sa_mdav", {"weighted": False}),
    "mdav_generic": Contender("mdav_generic", equality=True),
    "k_modes": Contender("k_modes", equality=True),
    "mdav_generic_semantic": Contender("mdav_generic"),
    "k_modes_semantic": Contender("k_modes"),
    "subsumer_mondrian": Contender("simple_mondrian", {"cut": "median"}, subsumers=True),
    "mixed": Contender("mixed", {"objective": "semantic", "neighbours": 20}),
}
"""Name -> contender. The first three are the thesis' own comparison, the next three its controls. Those called literal
follow its text to the letter. MDAV-generic and k-modes are as their papers have them, equality and mode, and with the
distances of the hierarchies under names of their own. The one with least common subsumers is MOSAICrOWN's."""


def release(records: Categories, k: int, name: str, repeats: int = 1) -> tuple[FloatArray, float]:
    """Give the released codes of a contender, and the seconds that grouping took."""
    contender = CONTENDERS[name]
    meanings = records.attributes
    if contender.equality:
        meanings = tuple(nominal(attribute.names[: attribute.n_values]) for attribute in meanings)
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        labels = partition(records.X, k, method=contender.method, attributes=meanings, **contender.options)
        spent.append(time.process_time() - start)
    centroid = "subsumer" if contender.subsumers else "semantic"
    columns = [
        group_centroids(column.astype(np.int64), labels, attribute, centroid=centroid)[labels]
        for column, attribute in zip(records.X.T, meanings, strict=True)
    ]
    return np.column_stack(columns).astype(np.float64), min(spent)


def measure(records: Categories, k: int, name: str) -> CategoryRun:
    """Run a contender and measure what it releases, by the meaning of the values whatever the method knew of it."""
    released, seconds = release(records, k, name, REPEATS)
    risk = 100.0 * len(np.unique(released, axis=0)) / len(released)
    loss = semantic_loss(records.X, released, records.attributes)
    return CategoryRun(records.dataset, records.reading, name, k, loss, risk, seconds)


def tasks(chosen: Chosen) -> list[Task[CategoryRun]]:
    """Give a task for each dataset, reading, method and k."""
    folder = Path(chosen["data"] or os.environ.get("MICROAGG_DATA") or ".")
    loaded = cache(lambda dataset, reading: load(dataset, reading, folder))

    def run(keys: Sequence[Key]) -> Iterator[CategoryRun]:
        for dataset, reading, name, k in keys:
            yield measure(loaded(dataset, reading), k, name)

    return [
        Task(((dataset, reading, name, k),), run)
        for dataset in chosen["names"]
        for reading in readings(dataset, chosen["tree"])
        for name in chosen["methods"]
        for k in chosen["ks"]
    ]


def compare(experiment: Experiment[CategoryRun], rows: Sequence[CategoryRun]) -> list[PrintedComparison]:
    """Put losses, global risks and ratios of times beside the printed ones, for each reading of the hierarchies."""
    comparisons = []
    for table, measured in (("categorical", LOSS), ("categorical-risk", RISK)):
        known = {(entry.dataset, entry.method, entry.k): entry for entry in printed(table)}
        for row in rows:
            entry = known.get((row.dataset, CONTENDERS[row.method].printed_as or row.method, row.k))
            if entry is not None:
                named = replace(entry, dataset=label(row.dataset, row.reading), method=row.method)
                value = row.loss if measured == LOSS else row.risk
                comparisons.append(compare_values(named, [value], experiment.tolerance, measure=measured))
    seconds = {(row.dataset, row.method, row.k): row.seconds for row in rows}
    for entry in printed("categorical-seconds"):
        slow, _, fast = entry.method.partition(" / ")
        if entry.k and (entry.dataset, slow, entry.k) in seconds and (entry.dataset, fast, entry.k) in seconds:
            ratio = seconds[entry.dataset, slow, entry.k] / seconds[entry.dataset, fast, entry.k]
            named = replace(entry, dataset=label(entry.dataset, TREE))
            comparisons.append(compare_values(named, [ratio], experiment.tolerance, measure=TIMES))
    return comparisons


def summary(rows: Sequence[CategoryRun]) -> list[dict[str, Any]]:
    """Give all rows, printed numbers beside them where there are some."""
    losses, risks = (
        {(entry.dataset, entry.method, entry.k): entry.average for entry in printed(table)}
        for table in ("categorical", "categorical-risk")
    )
    lines = []
    for row in rows:
        cell = row.dataset, CONTENDERS[row.method].printed_as or row.method, row.k
        lines.append(
            {
                "dataset": row.dataset,
                "reading": row.reading,
                "method": row.method,
                "k": row.k,
                "loss": row.loss,
                "printed_loss": losses.get(cell),
                "risk": row.risk,
                "printed_risk": risks.get(cell),
                "seconds": row.seconds,
            }
        )
    return lines


SAMPLES = ("analytics-one, hierarchies of our own", "analytics-two, hierarchies of our own")

EXPERIMENT = Experiment(
    name="categorical",
    title="loss, global risk and time of the categorical methods on Adult and Analytics",
    source="Veltmann 2022 (thesis), Tables 5 and 6 and Figures 13 to 16",
    settings=(
        Setting("names", ("--datasets",), "names", DATASETS, "Which datasets.", DATASETS, "dataset"),
        Setting("ks", ("-k", "--k"), "counts", (2, 3, 4, 5, 6, 7, 8, 9, 10)),
        Setting("methods", ("--methods",), "names", tuple(CONTENDERS), "Which methods.", tuple(CONTENDERS), "method"),
        Setting(
            "tree",
            ("--tree",),
            "names",
            ("last", "graph"),
            "How Adult's hierarchies are read: a tree of the last or first parent of each node, or the graph of all.",
            READINGS,
        ),
        Setting("data", ("--data",), "folder", None, "The folder with the records; MICROAGG_DATA else."),
    ),
    row=CategoryRun,
    key=("dataset", "reading", "method", "k"),
    tasks=tasks,
    compare=compare,
    draw=draw,
    tolerance=0.1,
    summary=summary,
    on_screen=lambda line: line["k"] in (2, 6, 10),
    alone=True,
    quick={
        "names": ("adult", "analytics-one"),
        "ks": (10,),
        "methods": tuple(name for name in CONTENDERS if name != "mixed"),
    },
    fixed=frozenset(CONTENDERS),
    minutes=2,
    page="published-categorical",
    further=loss_tables,
    notes=NOTES,
    deviations=(
        "The thesis draws WordNet's hierarchies as trees and does not say which parent it kept; the tree of the last "
        "parents is ours, and the graph of all parents stands beside it.",
        "The hierarchies and the samples of Analytics are not published. Ours are other hierarchies (families of "
        "operating systems; regions of the United Nations) and other samples of 10,000 records.",
        "Ties are not defined in the text. Ours go to the tuple of lower codes, the earlier column, the earlier value, "
        "and centroids to values of the data before other nodes. The order of children is that of the file.",
        "Algorithm 4 prints `<` where the widest gap, `>`, is meant; with `<` nothing is ever cut.",
        "In SA-MDAV, the distance of a tuple to a centroid is multiplied by the records of the tuple; a centroid "
        "counts once.",
        "Synsets of South, Columbia and Trinadad&Tobago are not printed; ours are a guess.",
    ),
    reasons=(
        Reason(
            "The rule as it is printed gives a column up at once; what was run must have gone on.",
            methods=("sa_mondrian_literal", "simple_mondrian_literal"),
        ),
        Reason(
            "WordNet is read as a graph here, in which more values are alike than in the trees that the thesis draws.",
            datasets=("adult, graph",),
        ),
        Reason(
            "Ties, the order of children and three synsets are not in the text; another order of ties moved SA-MDAV by "
            "about a tenth.",
            datasets=("adult, tree of last parents", "adult, tree of first parents"),
        ),
        Reason(
            "Other hierarchies and another sample than the author's; Table 6 also repeats the risks of Table 5.",
            datasets=SAMPLES,
        ),
        Reason(
            "Ours groups distinct tuples in every method, in C++; its simple Mondrian groups records in Python.",
            datasets=("analytics, hierarchies of our own",),
        ),
    ),
)
