"""Value generalisation hierarchies: which value is a special case of which."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from microagg.base.types import BoolArray, IntArray
from microagg.errors import InvalidData, InvalidOption

MOST_COMPARED = 10_000
"""How many nodes can be compared with each other: the matrix of all pairs takes 800 MB then."""


@dataclass(frozen=True)
class Hierarchy:
    """Names and their more general names: a directed acyclic graph with one root.

    Most hierarchies are trees; WordNet's is not, since *person* is both an *organism* and a *causal agent*. Every
    definition here holds for both.

    Attributes
    ----------
    names : tuple of str
        The nodes.
    parents : tuple of tuple of int
        For each node, the positions of the nodes right above it, in the order given; none for the root.

    Notes
    -----
    The *depth* of a node counts the nodes on the shortest way from the root, both included, so the root has depth 1.
    A *least common subsumer* of two nodes lies above both (or is one of them) and has no other such node below it.

    Examples
    --------
    >>> animals = Hierarchy.from_edges([("wolf", "canine"), ("dog", "canine"), ("canine", "animal"), ("cat", "animal")])
    >>> print(animals.draw())
    animal
    ├── canine
    │   ├── wolf
    │   └── dog
    └── cat
    >>> animals.depth("wolf"), animals.least_common_subsumers("wolf", "cat")
    (3, ('animal',))
    """

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if not self.names:
            raise InvalidData("a hierarchy must have at least one node; got none.")
        if len(set(self.names)) < len(self.names):
            raise InvalidData("the names in a hierarchy must differ; one occurs twice.")
        if any(not name for name in self.names):
            raise InvalidData("a name in a hierarchy is empty; give every node a name.")
        roots = [name for name, above in zip(self.names, self.parents, strict=True) if not above]
        if len(roots) > 1:
            shown = ", ".join(repr(name) for name in roots[:5])
            raise InvalidData(
                f"a hierarchy must have one root; {len(roots)} nodes have no parent: {shown}"
                f"{', ...' if len(roots) > 5 else ''}. Put one node above them all."
            )
        on_cycle = _find_cycle(self.parents)
        if on_cycle is not None:
            raise InvalidData(
                f"a hierarchy must have no cycle; {self.names[on_cycle]!r} lies above itself. Remove one of its edges."
            )

    @classmethod
    def from_edges(cls, edges: Iterable[tuple[str, str]]) -> Hierarchy:
        """Build a hierarchy of (child, parent) pairs; children keep the order in which they come.

        >>> Hierarchy.from_edges([("Ghent", "Belgium"), ("Bruges", "Belgium")]).root
        'Belgium'
        """
        above: dict[str, dict[str, None]] = {}
        for child, parent in edges:
            above.setdefault(child, {})[parent] = None
        for parent in [parent for parents in above.values() for parent in parents]:
            above.setdefault(parent, {})
        position = {name: i for i, name in enumerate(above)}
        return cls(tuple(above), tuple(tuple(position[name] for name in parents) for parents in above.values()))

    @classmethod
    def from_bands(cls, values: Iterable[float], widths: Sequence[float]) -> Hierarchy:
        """Put nested bands above numbers; see `microagg.semantic.generated.from_bands`.

        >>> Hierarchy.from_bands([31, 38], widths=[5, 10]).ancestors("31")
        ('30-34', '30-39', '*')
        """
        from microagg.semantic import generated

        return generated.from_bands(values, widths)

    @classmethod
    def from_prefixes(cls, values: Iterable[str], lengths: Sequence[int]) -> Hierarchy:
        """Put prefixes above texts; see `microagg.semantic.generated.from_prefixes`.

        >>> Hierarchy.from_prefixes(["02134"], lengths=[3, 1]).ancestors("02134")
        ('021*', '0*', '*')
        """
        from microagg.semantic import generated

        return generated.from_prefixes(values, lengths)

    @classmethod
    def from_dates(cls, values: Iterable[Any], parts: Sequence[str] = ("month", "quarter", "year")) -> Hierarchy:
        """Put months, quarters and years above dates; see `microagg.semantic.generated.from_dates`.

        >>> Hierarchy.from_dates(["2019-08-29"]).ancestors("2019-08-29")
        ('2019-08', '2019-Q3', '2019', '*')
        """
        from microagg.semantic import generated

        return generated.from_dates(values, parts)

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Where each name stands in `names`."""
        return {name: i for i, name in enumerate(self.names)}

    @property
    def root(self) -> str:
        """The most general name."""
        return self.names[self._downwards[0]]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each node, the nodes right below it, in the order of `names`."""
        below: list[list[int]] = [[] for _ in self.names]
        for child, above in enumerate(self.parents):
            for parent in above:
                below[parent].append(child)
        return tuple(tuple(nodes) for nodes in below)

    @cached_property
    def _downwards(self) -> tuple[int, ...]:
        """The nodes in an order in which parents come before their children."""
        missing = [len(above) for above in self.parents]
        order = [node for node, count in enumerate(missing) if count == 0]
        for node in order:
            for child in self.children[node]:
                missing[child] -= 1
                if missing[child] == 0:
                    order.append(child)
        return tuple(order)

    @cached_property
    def depths(self) -> IntArray:
        """The depth of each node: the nodes on the shortest way from the root, both included."""
        depths = np.ones(len(self.names), dtype=np.int64)
        for node in self._downwards[1:]:
            depths[node] = 1 + min(depths[parent] for parent in self.parents[node])
        return depths

    @cached_property
    def steps_up(self) -> IntArray:
        """The fewest steps up from each node (row) to each node (column); -1 where it does not lie above."""
        n = len(self.names)
        if n > MOST_COMPARED:
            raise InvalidData(
                f"nodes of a hierarchy are compared in pairs, so it may have {MOST_COMPARED} of them at most; got {n}. "
                "Keep only the values that occur: prune(values)."
            )
        steps = np.full((n, n), -1, dtype=np.int64)
        for node in self._downwards:
            for parent in self.parents[node]:
                reached = steps[parent] >= 0
                fewer = reached & ((steps[node] < 0) | (steps[parent] + 1 < steps[node]))
                steps[node, fewer] = steps[parent, fewer] + 1
            steps[node, node] = 0
        return steps

    @cached_property
    def post_order(self) -> IntArray:
        """The nodes with all that is below a node before it; a node with several parents comes with its first one."""
        order: list[int] = []
        stack: list[tuple[int, int]] = [(self._downwards[0], 0)]
        while stack:
            node, turn = stack.pop()
            below = [child for child in self.children[node] if self.parents[child][0] == node]
            if turn < len(below):
                stack += [(node, turn + 1), (below[turn], 0)]
            else:
                order.append(node)
        return np.array(order, dtype=np.int64)

    @property
    def n_levels(self) -> int:
        """The nodes on the longest way from the root, both included."""
        levels = [1] * len(self.names)
        for node in self._downwards[1:]:
            levels[node] = 1 + max(levels[parent] for parent in self.parents[node])
        return max(levels)

    def depth(self, name: str) -> int:
        """Give the depth of a name; the root has depth 1."""
        return int(self.depths[self.find(name)])

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Give every name above this one, the nearest first.

        >>> Hierarchy.from_edges([("dog", "canine"), ("canine", "animal")]).ancestors("dog")
        ('canine', 'animal')
        """
        steps = self.steps_up[self.find(name)]
        above = np.flatnonzero(steps > 0)
        return tuple(self.names[i] for i in above[np.argsort(steps[above], kind="stable")])

    def least_common_subsumers(self, *names: str) -> tuple[str, ...]:
        """Give the least common subsumers of some names, the deepest first; in a tree there is exactly one."""
        rows = [self.find(name) for name in names]
        if not rows:
            raise InvalidOption("least_common_subsumers needs at least one name.")
        common: BoolArray = np.all(self.steps_up[rows] >= 0, axis=0)
        least = np.flatnonzero(self.least(common[None, :])[0])
        return tuple(self.names[i] for i in least[np.argsort(-self.depths[least], kind="stable")])

    def least(self, common: BoolArray) -> BoolArray:
        """Of sets of nodes (rows), keep the nodes that have no other node of their set below them."""
        strictly_above = (self.steps_up > 0).astype(np.float32)
        return common & ~((common.astype(np.float32) @ strictly_above) > 0)

    def find(self, name: str) -> int:
        """Give the position of a name, or say that the hierarchy lacks it."""
        found = self.position.get(name)
        if found is None:
            raise InvalidData(f"the hierarchy with root {self.root!r} has no node {name!r}; add it.")
        return found

    def prune(self, values: Collection[str]) -> Hierarchy:
        """Keep these values and what lies above them.

        >>> animals = Hierarchy.from_edges([("dog", "canine"), ("wolf", "canine"), ("canine", "animal")])
        >>> animals.prune(["dog"]).names
        ('dog', 'canine', 'animal')
        """
        kept = np.zeros(len(self.names), dtype=bool)
        reached = [self.find(value) for value in values]
        while reached:
            node = reached.pop()
            if not kept[node]:
                kept[node] = True
                reached += self.parents[node]
        number = np.cumsum(kept) - 1
        return Hierarchy(
            tuple(name for name, keep in zip(self.names, kept, strict=True) if keep),
            tuple(
                tuple(int(number[p]) for p in above if kept[p])
                for above, keep in zip(self.parents, kept, strict=True)
                if keep
            ),
        )

    def tree(self, parent: str = "first") -> Hierarchy:
        """Make a tree: of several parents keep the one given first, or last; nodes that led nowhere else go.

        >>> both = Hierarchy.from_edges([("person", "organism"), ("person", "cause"), ("organism", "entity"),
        ...                              ("cause", "entity")])
        >>> both.tree("last").names
        ('person', 'cause', 'entity')
        """
        if parent not in {"first", "last"}:
            raise InvalidOption(f"parent must be 'first' or 'last'; got {parent!r}.")
        at = 0 if parent == "first" else -1
        leaves = [name for name, below in zip(self.names, self.children, strict=True) if not below]
        single = Hierarchy(self.names, tuple((above[at],) if above else () for above in self.parents))
        return single.prune(leaves)

    def draw(self) -> str:
        """Draw it as a tree of text; a node with several parents is drawn below each, its children once."""
        lines = [self.root]
        seen = {self._downwards[0]}
        waiting = [(self._downwards[0], 0, "")]
        while waiting:
            node, turn, indent = waiting.pop()
            nodes = self.children[node]
            if turn == len(nodes):
                continue
            child, last = nodes[turn], turn == len(nodes) - 1
            again = child in seen and bool(self.children[child])
            lines.append(f"{indent}{'└── ' if last else '├── '}{self.names[child]}{' (see above)' if again else ''}")
            waiting.append((node, turn + 1, indent))
            if not again:
                seen.add(child)
                waiting.append((child, 0, indent + ("    " if last else "│   ")))
        return "\n".join(lines)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Every (child, parent) pair."""
        return tuple(
            (name, self.names[parent]) for name, above in zip(self.names, self.parents, strict=True) for parent in above
        )


def _find_cycle(parents: Sequence[tuple[int, ...]]) -> int | None:
    """Give a node that lies above itself, if there is one."""
    settled = [False] * len(parents)
    for start in range(len(parents)):
        path: list[int] = []
        on_path: set[int] = set()
        stack: list[tuple[int, int]] = [(start, 0)]
        while stack:
            node, turn = stack.pop()
            if turn == 0:
                if settled[node]:
                    continue
                if node in on_path:
                    return node
                path.append(node)
                on_path.add(node)
            if turn < len(parents[node]):
                stack += [(node, turn + 1), (parents[node][turn], 0)]
            else:
                settled[node] = True
                on_path.discard(path.pop())
    return None
