"""Levels as ARX writes them: a row for each value, from the value to the most general name."""

from __future__ import annotations

from itertools import pairwise

from microagg.errors import InvalidData, InvalidOption
from microagg.semantic.formats.cells import read_cells, write_cells
from microagg.semantic.formats.form import HierarchyFormat
from microagg.semantic.hierarchy import Hierarchy


def read(text: str) -> Hierarchy:
    r"""Read levels separated by semicolons; a name that repeats along a row counts once.

    >>> read("dog;canine;animal\ncat;cat;animal").edges
    (('dog', 'canine'), ('canine', 'animal'), ('cat', 'animal'))
    """
    lines = text.splitlines()
    if not any(line.strip() for line in lines):
        raise InvalidData("the file is empty.")
    edges, tops = [], set()
    for number, names in enumerate(read_cells(lines, ";"), start=1):
        if not any(names):
            continue
        if not all(names):
            raise InvalidData(f"line {number} has an empty level; every level of a value needs a name.")
        path = [name for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
        edges += list(pairwise(path))
        tops.add(path[-1])
    if not edges and len(tops) == 1:
        return Hierarchy((*tops,), ((),))
    if not edges:
        raise InvalidData(
            "the file holds neither edges nor levels: start it with the header child,parent, or write one row per "
            "value with its levels separated by semicolons."
        )
    return Hierarchy.from_edges(edges)


def write(hierarchy: Hierarchy) -> str:
    r"""Write one row for each leaf; shorter rows repeat the root.

    >>> write(Hierarchy.from_edges([("dog", "canine"), ("canine", "animal"), ("cat", "animal")]))
    'dog;canine;animal\ncat;animal;animal\n'
    """
    paths = []
    for leaf, below in enumerate(hierarchy.children):
        if below:
            continue
        path = [leaf]
        while hierarchy.parents[path[-1]]:
            if len(hierarchy.parents[path[-1]]) > 1:
                raise InvalidOption(
                    f"levels can hold trees only, and {hierarchy.names[path[-1]]!r} has several parents. "
                    "Write edges, JSON or YAML, or make it a tree first."
                )
            path.append(hierarchy.parents[path[-1]][0])
        paths.append([hierarchy.names[node] for node in path])
    longest = max(len(path) for path in paths)
    return write_cells([(*path, *[path[-1]] * (longest - len(path))) for path in paths], ";")


FORMAT = HierarchyFormat("levels", read, write)
