"""Edges: CSV with the header child,parent."""

from __future__ import annotations

from microagg.errors import FileProblem, InvalidData
from microagg.semantic.formats.cells import read_cells, write_cells
from microagg.semantic.formats.form import HierarchyFormat
from microagg.semantic.hierarchy import Hierarchy

HEADER = ["child", "parent"]


def recognizes(text: str) -> bool:
    r"""Say whether the first line is the header.

    >>> recognizes("Child,Parent\ndog,animal"), recognizes("dog;animal")
    (True, False)
    """
    try:
        return [cell.lower() for cell in next(read_cells(text.splitlines()[:1], ","), [])] == HEADER
    except FileProblem:
        return False


def read(text: str) -> Hierarchy:
    r"""Read edges, one in a line.

    >>> read("child,parent\ndog,animal\ncat,animal").root
    'animal'
    """
    edges = []
    for number, cells in enumerate(read_cells(text.splitlines()[1:], ","), start=2):
        if len(cells) != 2 or not all(cells):
            if any(cells):
                raise InvalidData(f"line {number} must hold a child and a parent; it holds {len(cells)} cells.")
            continue
        edges.append((cells[0], cells[1]))
    return Hierarchy.from_edges(edges)


def write(hierarchy: Hierarchy) -> str:
    r"""Write edges.

    >>> write(Hierarchy.from_edges([("dog", "animal")]))
    'child,parent\ndog,animal\n'
    """
    return write_cells([HEADER, *hierarchy.edges], ",")


FORMAT = HierarchyFormat("edges", read, write, recognizes=recognizes)
