"""What a column means to a method that groups categories, and records compressed to distinct tuples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_k, check_matrix, check_number
from microagg.base.ranges import within_range
from microagg.base.schema import Kind
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.semantic.distance import distances
from microagg.semantic.hierarchy import Hierarchy

UNIT = 1 << 30
"""Distances are whole multiples of 1/UNIT: their sums are exact, so ties do not depend on the order of records."""


MISSING = "missing"
"""The name of the category of missing values, where no other has it."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """One column of a matrix of codes: its kind, its values, and how far they lie apart.

    Build one with `nominal`, `ordinal`, `hierarchical` or `numeric`. The codes 0 to `n_values` - 1 stand for the values
    in the order in which Mondrian cuts them; a numeric column holds its numbers themselves.

    Attributes
    ----------
    kind : Kind
        Nominal values are equal (0) or not (1). Ordinal values lie as far apart as their ranks, the first and the last
        at 1; numbers likewise. Values of a hierarchy lie at Wu and Palmer's distance.
    names : tuple of str
        The names of the codes, then of the further nodes of the hierarchy that may stand for a group.
    n_values : int
        How many of the names are values.
    weight : float
        How much the column counts in a distance.
    hierarchy : Hierarchy, optional
        The nodes that the values lie below.
    distance : array of shape (n_values, len(names)), optional
        From each value to each name, for hierarchies.
    has_missing : bool
        Whether the last value stands for missing ones.
    """

    kind: Kind
    names: tuple[str, ...] = ()
    n_values: int = 0
    weight: float = 1.0
    hierarchy: Hierarchy | None = None
    distance: FloatArray | None = field(default=None, repr=False)
    has_missing: bool = False

    def __post_init__(self) -> None:
        check_number("the weight of an attribute", self.weight, 0.0)

    @cached_property
    def code(self) -> dict[str, int]:
        """The code of each name."""
        return {name: i for i, name in enumerate(self.names)}

    def weighing(self, weight: float) -> Attribute:
        """Give the same attribute with another weight."""
        return replace(self, weight=weight)

    def with_missing(self) -> Attribute:
        """Give an attribute of names that are equal or not with one more value: the last code is a missing value.

        >>> nominal(["no", "yes"]).with_missing().names, nominal(["missing"]).with_missing().names
        (('no', 'yes', 'missing'), ('missing', '(missing)'))
        """
        if self.kind is not Kind.NOMINAL:
            raise InvalidData(f"missing is a category among nominal values only; these are {self.kind}.")
        name = MISSING
        while name in self.names:
            name = f"({name})"
        return replace(self, names=(*self.names, name), n_values=self.n_values + 1, has_missing=True)


def numeric(weight: float = 1.0) -> Attribute:
    """Give an attribute of numbers.

    >>> numeric().kind.value
    'numeric'
    """
    return Attribute(Kind.NUMERIC, weight=weight)


def nominal(values: Sequence[str], weight: float = 1.0) -> Attribute:
    """Give an attribute of names that are equal or not.

    >>> nominal(["red", "green"]).code
    {'red': 0, 'green': 1}
    """
    return _plain(Kind.NOMINAL, values, weight)


def ordinal(values: Sequence[str], weight: float = 1.0) -> Attribute:
    """Give an attribute of names in their order.

    >>> ordinal(["low", "middle", "high"]).n_values
    3
    """
    return _plain(Kind.ORDINAL, values, weight)


def hierarchical(
    hierarchy: Hierarchy, values: Sequence[str] | None = None, weight: float = 1.0, *, form: str = "steps"
) -> Attribute:
    """Give an attribute of names in a hierarchy; the codes follow its post-order.

    Parameters
    ----------
    hierarchy : Hierarchy
        What the values mean; it is pruned to the values and what lies above them.
    values : sequence of str, optional
        The values in use, leaves or inner nodes; every leaf by default.
    weight : float
        How much the column counts in a distance.
    form : {"steps", "depths"}
        Which of Wu and Palmer's forms to use, see `similarity`.

    Examples
    --------
    >>> animals = Hierarchy.from_edges([("wolf", "canine"), ("dog", "canine"), ("canine", "animal"), ("cat", "animal")])
    >>> hierarchical(animals, ["dog", "cat", "wolf"]).names
    ('wolf', 'dog', 'cat', 'canine', 'animal')
    """
    if values is None:
        values = [name for name, below in zip(hierarchy.names, hierarchy.children, strict=True) if not below]
    if not values:
        raise InvalidData("an attribute needs at least one value; got none.")
    lacking = [value for value in values if value not in hierarchy.position]
    if lacking:
        raise InvalidData(
            f"the hierarchy with root {hierarchy.root!r} lacks {len(lacking)} of {len(values)} values, the first is "
            f"{lacking[0]!r}. Add them below a node, or treat the column as nominal."
        )
    pruned = hierarchy.prune(values)
    in_use = set(values)
    ordered = [pruned.names[node] for node in pruned.post_order]
    used = [name for name in ordered if name in in_use]
    names = (*used, *[name for name in ordered if name not in in_use])
    return Attribute(Kind.HIERARCHY, names, len(used), weight, pruned, distances(pruned, used, names, form=form))


def _plain(kind: Kind, values: Sequence[str], weight: float) -> Attribute:
    if len(set(values)) < len(values):
        raise InvalidData(f"the values of an {kind} attribute must differ; one is named twice.")
    if not values:
        raise InvalidData("an attribute needs at least one value; got none.")
    return Attribute(kind, tuple(values), len(values), weight)


@dataclass(frozen=True)
class Tuples:
    """Records compressed to their distinct tuples, in ascending order of their codes, for the kernels.

    Attributes
    ----------
    codes : array of shape (m, U)
        The codes of each distinct tuple, column by column.
    counts : array of U int
        How many records each stands for.
    tuple_of : array of n int
        The tuple of each record.
    shapes : array of shape (m, 3)
        For each column its measure (0 equal or not, 1 on a line, 2 a table), its values, its candidates.
    tables : array of int
        The distances in units of 1/UNIT, one column after the other: of unequal values; the places on the line; the
        table from each candidate (row) to each value.
    """

    codes: IntArray
    counts: IntArray
    tuple_of: IntArray
    shapes: IntArray
    tables: IntArray

    @property
    def n_tuples(self) -> int:
        """How many distinct tuples there are."""
        return len(self.counts)

    @property
    def space(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """What the kernels take first: shapes, tables, codes and counts."""
        return self.shapes, self.tables, self.codes, self.counts

    def hand_out(self, slots: IntArray) -> IntArray:
        """Give each record a label, where slots holds the labels of each tuple's records, tuple by tuple."""
        labels = np.empty_like(slots)
        labels[np.argsort(self.tuple_of, kind="stable")] = slots
        return labels


def compress(X: npt.ArrayLike, k: int, attributes: Sequence[Attribute] | None) -> Tuples:
    """Check codes against their attributes and compress them; without attributes every column is ordinal.

    >>> tuples = compress([[0, 1], [1, 1], [0, 1]], 2, None)
    >>> tuples.codes.tolist(), tuples.counts.tolist(), tuples.tuple_of.tolist()
    ([[0, 1], [0, 0]], [2, 1], [0, 1, 0])
    """
    X = check_matrix(X)
    check_k(k, len(X))
    n_records, n_columns = X.shape
    if attributes is not None and len(attributes) != n_columns:
        raise InvalidOption(f"attributes must describe each of {n_columns} columns; got {len(attributes)}.")
    if n_records * n_columns > 1 << 32:
        raise InvalidData(f"at most {1 << 32:,} values can be grouped at once; got {n_records * n_columns:,}.")
    weights = np.array([1.0] * n_columns if attributes is None else [a.weight for a in attributes])
    units = np.round(weights / (weights.max() or 1.0) * UNIT).astype(np.int64)
    columns, shapes, tables = [], [], []
    for j in range(n_columns):
        attribute = attributes[j] if attributes is not None else None
        unit = int(units[j])
        if attribute is None or attribute.kind is Kind.NUMERIC:
            values, codes = np.unique(X[:, j], return_inverse=True)
            scaled = within_range(values)
            places = np.arange(len(values), dtype=np.float64) if attribute is None else scaled - scaled[0]
            columns.append(codes.astype(np.int64))
            shapes.append((1, len(values), len(values)))
            tables.append(_on_line(places, unit))
            continue
        codes = _check_codes(X[:, j], attribute, j)
        columns.append(codes)
        if attribute.kind is Kind.HIERARCHY and attribute.distance is not None:
            shapes.append((2, attribute.n_values, len(attribute.names)))
            tables.append(np.round(attribute.distance.T * unit).astype(np.int64).ravel())
        elif attribute.kind is Kind.ORDINAL:
            shapes.append((1, attribute.n_values, attribute.n_values))
            tables.append(_on_line(np.arange(attribute.n_values, dtype=np.float64), unit))
        else:
            shapes.append((0, attribute.n_values, attribute.n_values))
            tables.append(np.array([unit], dtype=np.int64))
    codes, counts, tuple_of = _distinct(columns)
    return Tuples(codes, counts, tuple_of, np.array(shapes, dtype=np.int64), np.concatenate(tables))


def _on_line(places: FloatArray, unit: int) -> IntArray:
    reach = places[-1]
    return np.round(places / reach * unit if reach > 0 else places).astype(np.int64)


def _check_codes(column: FloatArray, attribute: Attribute, position: int) -> IntArray:
    codes = column.astype(np.int64)
    bad = (codes != column) | (codes < 0) | (codes >= attribute.n_values)
    if bad.any():
        raise InvalidData(
            f"column {position} must hold codes from 0 to {attribute.n_values - 1}; record {int(np.argmax(bad))} "
            "has another value."
        )
    return codes


def _distinct(columns: Sequence[IntArray]) -> tuple[IntArray, IntArray, IntArray]:
    """The distinct rows in lexical order, how often each occurs, and the row of each record."""
    key, size = columns[0], int(columns[0].max()) + 1
    for column in columns[1:]:
        width = int(column.max()) + 1
        if size > np.iinfo(np.int64).max // width:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            size = int(key.max()) + 1
        key, size = key * width + column, size * width
    _, first, tuple_of, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    codes = np.ascontiguousarray([column[first] for column in columns])
    return codes, counts.astype(np.int64), tuple_of.astype(np.int64)
