"""Hierarchies as nested mappings, for the forms that are JSON or YAML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from microagg.errors import InvalidData, InvalidOption
from microagg.semantic.formats.form import MOST_LEVELS
from microagg.semantic.hierarchy import Hierarchy

MOST_NESTED = 1_000_000
"""How many names a nested file may hold: a node with several parents is written below each, with all below it."""


def from_nested(tree: Any) -> Hierarchy:
    """Build a hierarchy of nested mappings; leaves are lists of names, or names that hold nothing.

    >>> from_nested({"animal": {"canine": ["wolf", "dog"], "cat": None}}).edges
    (('canine', 'animal'), ('wolf', 'canine'), ('dog', 'canine'), ('cat', 'animal'))
    """
    if not isinstance(tree, dict) or len(tree) != 1:
        raise InvalidData("a nested hierarchy must be one object with one key, the root.")
    ((root, below),) = tree.items()
    edges = list(_nested_edges(str(root), below))
    return Hierarchy.from_edges(edges) if edges else Hierarchy((str(root),), ((),))


def to_nested(hierarchy: Hierarchy) -> dict[str, Any]:
    """Give a hierarchy as nested mappings; a leaf holds None.

    >>> to_nested(Hierarchy.from_edges([("dog", "animal"), ("cat", "animal")]))
    {'animal': {'dog': None, 'cat': None}}
    """
    if hierarchy.n_levels > MOST_LEVELS:
        raise InvalidOption(f"nested forms hold {MOST_LEVELS} levels at most; write edges (.csv).")
    n_written = 0

    def below(node: int) -> dict[str, Any] | None:
        nonlocal n_written
        n_written += 1
        if n_written > MOST_NESTED:
            raise InvalidOption(
                f"nested forms repeat what is below a node with several parents: more than {MOST_NESTED} names here. "
                "Write edges (.csv)."
            )
        return {hierarchy.names[child]: below(child) for child in hierarchy.children[node]} or None

    return {hierarchy.root: below(hierarchy.find(hierarchy.root))}


def _nested_edges(root: str, tree: Any) -> Iterator[tuple[str, str]]:
    """Give the edges of nested mappings, depth first.

    Of a mapping that occurs again (an alias in YAML) only the edges to its new parent are given: the others are known.
    """
    seen: dict[int, Any] = {}
    stack = [(root, iter(_below(root, tree)))]
    while stack:
        parent, names = stack[-1]
        name, deeper = next(names, (None, None))
        if name is None:
            stack.pop()
            continue
        yield name, parent
        below = _below(name, deeper)
        stack.append((name, iter([(lower, None) for lower, _ in below] if id(deeper) in seen else below)))
        seen[id(deeper)] = deeper


def _below(parent: str, tree: Any) -> list[tuple[str, Any]]:
    """Give the names right below a node, each with what is below it."""
    if tree is None:
        return []
    if isinstance(tree, dict):
        return [(str(name), deeper) for name, deeper in tree.items()]
    if not isinstance(tree, list):
        raise InvalidData(f"what is below {parent!r} must be an object, a list of names or null.")
    for name in tree:
        if isinstance(name, dict | list) or name is None:
            raise InvalidData(f"the list below {parent!r} must hold names only; write an object for deeper levels.")
    return [(str(name), None) for name in tree]
