"""Hierarchies as the tree editor sees them, and as files beside the project: one file for each that was ever saved."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from microagg.errors import FileProblem, InvalidData, InvalidOption
from microagg.files.atomic import PRIVATE, atomic_path
from microagg.files.scratch import private_folder
from microagg.semantic.files import FORMATS, read_hierarchy
from microagg.semantic.generated import read_generated
from microagg.semantic.hierarchy import Hierarchy
from microagg.studio.project import HIERARCHIES, Project

MOST_NODES = 20_000
PREFIX = "hierarchy:"
SUFFIXES = (".csv", ".json", ".yaml", ".yml", ".txt")


def tree_of(hierarchy: Hierarchy) -> dict[str, Any]:
    """Give a hierarchy as nested nodes; of several parents of a node, the first counts.

    >>> tree_of(Hierarchy.from_edges([("dog", "animal"), ("cat", "animal")]))
    {'name': 'animal', 'children': [{'name': 'dog', 'children': []}, {'name': 'cat', 'children': []}]}
    """
    if len(hierarchy.names) > MOST_NODES:
        raise InvalidData(f"a tree of more than {MOST_NODES:,} nodes cannot be edited here. Keep it as a file.")
    single = hierarchy.tree() if any(len(above) > 1 for above in hierarchy.parents) else hierarchy
    nodes: list[dict[str, Any]] = [{"name": name, "children": []} for name in single.names]
    for node, above in zip(nodes, single.parents, strict=True):
        if above:
            nodes[above[0]]["children"].append(node)
    return nodes[single.position[single.root]]


def hierarchy_of(edges: Iterable[Sequence[str]]) -> Hierarchy:
    """Make a hierarchy of the (child, parent) pairs of the editor, or say what is wrong with them."""
    pairs = []
    for edge in edges:
        if len(edge) != 2:
            raise InvalidOption("A tree is a list of pairs, each a value and what lies above it. Load the page anew.")
        pairs.append((edge[0], edge[1]))
    if not pairs or len(pairs) > MOST_NODES:
        raise InvalidData(f"a tree must have at least two nodes, and at most {MOST_NODES:,}.")
    children = [child for child, _ in pairs]
    twice = next((child for child in children if children.count(child) > 1), None) if len(pairs) < 2000 else None
    if twice is not None or len(set(children)) < len(children):
        raise InvalidData("a name is in the tree twice. Give every node a name of its own.")
    return Hierarchy.from_edges(pairs)


def import_tree(name: str, text: str) -> Hierarchy:
    """Read a hierarchy that somebody sent: edges, levels of ARX, or nested JSON or YAML, by the end of its name."""
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidOption(f"A hierarchy must be a file named *{', *'.join(SUFFIXES)}.")
    with private_folder(None) as folder:
        path = folder / f"hierarchy{suffix}"
        path.write_text(text, encoding="utf-8")
        try:
            return read_hierarchy(path)
        except (InvalidData, FileProblem) as error:
            raise InvalidData(str(error).removeprefix(f"{path}: ")) from error


def generate(how: str, column: str, values: Sequence[str], *, numbers: bool) -> Hierarchy:
    """Make a hierarchy of values by a rule: bands:5,10, prefix:3,1 or parts:month,year."""
    rule = read_generated(how)
    if rule is None:
        raise InvalidOption("A rule must be written like bands:5,10, prefix:3,2,1 or parts:month,quarter,year.")
    return rule.hierarchy(column, values, numbers=numbers)


def save_tree(project: Project, hierarchy: Hierarchy) -> str:
    """Write a hierarchy beside the project, under a name that follows from what it holds; gives the kind for the plan.

    Each that was ever saved stays, so that undoing leads back to it.
    """
    text = FORMATS["edges"].write(hierarchy)
    folder = project.path.with_suffix(HIERARCHIES)
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:20]}.csv"
    if not path.exists():
        with atomic_path(path, mode=PRIVATE) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="")
    return f"{PREFIX}{path}"


def standing_tree(kind: Any, column: str, values: Sequence[str], *, numbers: bool) -> Hierarchy | None:
    """Give the hierarchy that a kind of the plan names: of a file, or by a rule; None for other kinds."""
    if isinstance(kind, Hierarchy):
        return kind
    if not isinstance(kind, str):
        return None
    if kind.startswith(PREFIX):
        return read_hierarchy(os.fspath(kind.removeprefix(PREFIX)))
    return generate(kind, column, values, numbers=numbers) if read_generated(kind) is not None else None
