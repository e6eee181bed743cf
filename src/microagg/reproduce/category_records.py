"""Records of categories for the experiments: Adult with WordNet's hierarchies, and Analytics with ours."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from microagg.base.types import FloatArray
from microagg.errors import FileProblem
from microagg.semantic import Attribute, Hierarchy, hierarchical, read_hierarchy

ADULT = "adult_occupation_country.csv"
ADULT_HIERARCHIES = {"occupation": "hierarchy_occupation.csv", "native_country": "hierarchy_country.csv"}
ANALYTICS = "analytics_os_country.csv.gz"
ANALYTICS_HIERARCHIES = {"os": "os.json", "country": "country.json"}
"""In `hierarchies`: families of operating systems, and the regions and sub-regions of the United Nations (M49)."""
SAMPLE = 10_000
"""Records of a sample of Analytics."""
DATASETS = ("adult", "analytics-one", "analytics-two", "analytics")
"""Adult, two samples of Analytics, and all of Analytics."""
READINGS = ("last", "graph", "first")
"""How hierarchies are read in which a node has several parents: the last or the first of them only, or all."""
TREE = "tree"
"""The reading of hierarchies that are trees."""


@dataclass(frozen=True)
class Categories:
    """Records as codes, what the codes mean, and how the hierarchies were read."""

    X: FloatArray
    attributes: tuple[Attribute, ...]
    dataset: str
    reading: str


@dataclass(frozen=True)
class CategoryRun:
    """One method with one k on one reading of the hierarchies: loss and global risk in percent, and seconds.

    The global risk is the mean of 1 / f over records, f the number of records with the same released values, as
    sdcMicro computes it without sampling weights. Seconds are processor time of grouping, the least of several runs.
    """

    dataset: str
    reading: str
    method: str
    k: int
    loss: float
    risk: float
    seconds: float


def label(dataset: str, reading: str) -> str:
    """Name a dataset and how its hierarchies were read, or whose they are.

    >>> label("adult", "graph"), label("adult", "last"), label("analytics", "tree")
    ('adult, graph', 'adult, tree of last parents', 'analytics, hierarchies of our own')
    """
    if reading == TREE:
        return f"{dataset}, hierarchies of our own"
    return f"{dataset}, graph" if reading == "graph" else f"{dataset}, tree of {reading} parents"


def readings(dataset: str, asked: tuple[str, ...]) -> tuple[str, ...]:
    """Give the readings of a dataset: those that are asked for, or the only one there is.

    >>> readings("adult", ("last", "graph")), readings("analytics", ("last", "graph"))
    (('last', 'graph'), ('tree',))
    """
    return asked if dataset == "adult" else (TREE,)


def load(dataset: str, reading: str, folder: Path) -> Categories:
    """Read the records of one of DATASETS from a folder, and code them by their hierarchies."""
    rows = _rows(folder / (ADULT if dataset == "adult" else ANALYTICS))
    if dataset == "adult":
        hierarchies = {name: read_hierarchy(_there(folder / path)) for name, path in ADULT_HIERARCHIES.items()}
        if reading != "graph":
            hierarchies = {name: hierarchy.tree(reading) for name, hierarchy in hierarchies.items()}
        return _coded(rows, hierarchies, dataset, reading)
    if dataset != "analytics":
        random = np.random.default_rng(DATASETS.index(dataset))
        rows = [rows[i] for i in np.sort(random.choice(len(rows), SAMPLE, replace=False))]
    return _coded(rows, {name: analytics_hierarchy(name) for name in ANALYTICS_HIERARCHIES}, dataset, reading)


def analytics_hierarchy(column: str) -> Hierarchy:
    """Read the hierarchy of a column of Analytics: "os" or "country". It is ours, not the author's.

    >>> analytics_hierarchy("os").least_common_subsumers("Linux", "Macintosh")
    ('Unix-like system',)
    """
    with resources.as_file(resources.files("microagg.reproduce") / "hierarchies" / f"{column}.json") as path:
        return read_hierarchy(path)


def _there(path: Path) -> Path:
    if not path.is_file():
        raise FileProblem(f"{path.parent} has no {path.name}; name the folder that holds it in MICROAGG_DATA.")
    return path


def _rows(path: Path) -> list[dict[str, str]]:
    opened = gzip.open if _there(path).suffix == ".gz" else open
    with opened(path, "rt", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _coded(rows: list[dict[str, str]], hierarchies: Mapping[str, Hierarchy], dataset: str, reading: str) -> Categories:
    attributes, columns = [], []
    for name, hierarchy in hierarchies.items():
        values = [row[name] for row in rows]
        attribute = hierarchical(hierarchy, sorted(set(values)))
        attributes.append(attribute)
        columns.append([attribute.code[value] for value in values])
    return Categories(np.array(columns, dtype=np.float64).T.copy(), tuple(attributes), dataset, reading)
