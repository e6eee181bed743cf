"""`Case`: a release as measures see it. Classes, moments and sums are computed once and shared by all measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_matrix
from microagg.base.groups import equivalence_classes, in_order, in_order_by_column, keys_of, units_by_class
from microagg.base.ranges import columns_within_range, exponent_of
from microagg.base.schema import Kind, no_such_column
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidData
from microagg.measures.change import Change, at_centre
from microagg.measures.composition import Composition, compose
from microagg.semantic.attribute import Attribute

Worked = TypeVar("Worked")


@dataclass(frozen=True, eq=False)
class Confidential:
    """A confidential column, which the release keeps as it is.

    Attributes
    ----------
    values : array of n
        Numbers, NaN where one is missing; or codes of the values of `attribute`, -1 where one is missing.
    attribute : Attribute
        What the values mean: `numeric()`, `nominal(values)`, `ordinal(values)` or `hierarchical(hierarchy, values)`.
    """

    values: npt.NDArray[np.float64] | npt.NDArray[np.int64]
    attribute: Attribute

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self.attribute.kind is Kind.NUMERIC

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Where there is a value."""
        there: npt.NDArray[np.bool_] = ~np.isnan(self.values) if self.is_number else self.values >= 0
        return there


@dataclass(frozen=True, eq=False)
class Case:
    """The records before and after, row by row, and all that a measure may ask for; plain arrays only.

    `microagg.risk.assess_all(case)` and `microagg.utility.assess_all(case)` give every measure of it. What measures
    stand on (`classes`, `class_sizes`, `change`, `composition`, `before`, and whatever they share by `once`) is worked
    out when it is first asked for, and kept.

    Attributes
    ----------
    names : tuple of str
        The quasi-identifiers.
    attributes : tuple of Attribute
        What each of them means: its kind, the names of its codes, its hierarchy.
    original, released : array of shape (n, q)
        Numbers, or codes of the attribute's names, before and after; NaN where a value is missing. Measures see the
        mean of the column there, or its most typical category, on both sides; of nominal values missing is one of its
        own. `keys`, and all that is made of them, tell missing values from all others.
    labels : array of n int, or of shape (n, q)
        The group of each record, 0 to G-1; of each column where each was grouped on its own.
    k : int
        What was asked for: the least size of a group.
    confidential : mapping of str to Confidential
        The confidential columns.
    strata : array of n int or of shape (n, s), optional
        What else tells records apart: codes of columns whose values the groups do not cross.
    weights : array of n float, optional
        How many people each record stands for.
    units : array of n int, optional
        The person, household or firm of each record, 0 to U-1, where records are counted by these.
    target : str, optional
        The confidential column or quasi-identifier that models explain; every confidential column by default.
    seed : int
        What samples and folds follow from.
    most_records : int, optional
        How many records slow measures may use; each has a limit of its own by default. Beyond it a sample is measured,
        and the result says so.
    trees : bool
        Whether to fit boosted trees too, which need the extra `sklearn`.
    rows : array of int, optional
        Which records of `whole` these are, where this is a sample of them; None where it is no sample.

    Examples
    --------
    >>> from microagg.semantic.attribute import nominal, numeric
    >>> case = Case(
    ...     names=("age",), attributes=(numeric(),), labels=np.array([0, 0, 1, 1]), k=2,
    ...     original=np.array([[20.0], [24.0], [50.0], [60.0]]), released=np.array([[22.0], [22.0], [55.0], [55.0]]),
    ...     confidential={"ill": Confidential(np.array([0, 1, 1, 1]), nominal(["no", "yes"]))},
    ... )
    >>> case.n_records, [str(kind) for kind in case.kinds]
    (4, ['numeric'])
    """

    names: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    original: FloatArray
    released: FloatArray
    labels: IntArray
    k: int
    confidential: Mapping[str, Confidential] = field(default_factory=dict)
    strata: IntArray | None = None
    weights: FloatArray | None = None
    units: IntArray | None = None
    target: str | None = None
    seed: int = 0
    most_records: int | None = None
    trees: bool = False
    rows: IntArray | None = field(default=None, init=False, repr=False)
    _gaps: tuple[BoolArray, BoolArray] | None = field(default=None, init=False, repr=False)
    _source: Case | None = field(default=None, init=False, repr=False)
    _worked_out: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._fill()
        n, q = check_matrix(self.original, "original").shape
        if check_matrix(self.released, "released").shape != (n, q):
            raise InvalidData(f"released must have the shape of original, {(n, q)}; got {self.released.shape}.")
        if len(self.names) != q or len(self.attributes) != q:
            raise InvalidData(
                f"names and attributes must describe each of {q} columns; got {len(self.names)} and "
                f"{len(self.attributes)}."
            )
        # What a measure says does not depend on the units of a column; that its squares can be added up does.
        before, after = columns_within_range(self.original, self.released)
        object.__setattr__(self, "original", before)
        object.__setattr__(self, "released", after)
        object.__setattr__(self, "confidential", {name: _in_range(c) for name, c in self.confidential.items()})
        columns = {name: column.values for name, column in self.confidential.items()}
        for name, rows in {
            "labels": self.labels,
            "strata": self.strata,
            "weights": self.weights,
            "units": self.units,
            **columns,
        }.items():
            if rows is not None and len(rows) != n:
                raise InvalidData(f"{name} must hold one value for each of {n} records; got {len(rows)}.")
        if self.target is not None and self.target not in (*self.names, *self.confidential):
            raise InvalidData(no_such_column(self.target, [*self.names, *self.confidential]))

    def _fill(self) -> None:
        """Let something stand for missing values, and keep where they are."""
        sides = self.original, self.released
        if any(np.ndim(side) != 2 for side in sides) or sides[0].shape[1] != len(self.attributes):
            return
        gaps = np.isnan(sides[0]), np.isnan(sides[1])
        if not (gaps[0].any() or gaps[1].any()) or gaps[0].shape != gaps[1].shape:
            return
        before, after = sides[0].copy(), sides[1].copy()
        attributes = list(self.attributes)
        for j in np.flatnonzero(gaps[0].any(axis=0) | gaps[1].any(axis=0)).tolist():
            if attributes[j].kind is Kind.NOMINAL:
                attributes[j] = attributes[j].with_missing()
                before[gaps[0][:, j], j] = after[gaps[1][:, j], j] = attributes[j].n_values - 1
        before, after = at_centre(before, after, attributes)
        known = {"attributes": tuple(attributes), "original": before, "released": after, "_gaps": gaps}
        for name, value in known.items():
            object.__setattr__(self, name, value)

    @property
    def n_records(self) -> int:
        """How many records there are."""
        return len(self.original)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of each quasi-identifier."""
        return tuple(attribute.kind for attribute in self.attributes)

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """What the codes of columns of categories stand for."""
        named = zip(self.names, self.attributes, strict=True)
        return {name: attribute.names for name, attribute in named if attribute.kind is not Kind.NUMERIC}

    @cached_property
    def numbers(self) -> list[int]:
        """The positions of the numeric quasi-identifiers."""
        return [j for j, kind in enumerate(self.kinds) if kind is Kind.NUMERIC]

    @property
    def keys(self) -> IntArray:
        """The released quasi-identifiers, and strata, as whole numbers that are equal where the values are."""
        released = self.released
        if self._gaps is not None:
            released = np.where(self._gaps[1], np.nan, released)
        keys = keys_of(released)
        return keys if self.strata is None else np.column_stack([keys, self.strata])

    @property
    def blanked(self) -> BoolArray | None:
        """Which values are missing in the release, and were not; None where none is."""
        return None if self._gaps is None else self._gaps[1] & ~self._gaps[0]

    @cached_property
    def classes(self) -> IntArray:
        """Which records share all their released quasi-identifiers, and strata: 0 to C-1, by first appearance."""
        return equivalence_classes(self.keys)

    @cached_property
    def class_sizes(self) -> IntArray:
        """How many records the class of each record has; how many units, where records are counted by these."""
        by_class = np.bincount(self.classes) if self.units is None else units_by_class(self.classes, self.units)
        sizes: IntArray = by_class[self.classes]
        return sizes

    @cached_property
    def change(self) -> Change:
        """How far the records moved, as sums."""
        return Change.of_records(self.original, self.released, self.attributes, self.names)

    @cached_property
    def before(self) -> Case:
        """The original beside itself: what measures of one side say of it, they say of the original."""
        gaps = None if self._gaps is None else (self._gaps[0], self._gaps[0])
        source = None if self._source is None else self._source.before
        return self._like(released=self.original, _gaps=gaps, _source=source)

    @property
    def whole(self) -> Case:
        """The case that this one is a sample of; itself where it is no sample."""
        return self if self._source is None else self._source

    def composition(self, name: str) -> Composition:
        """Give how often each value of a confidential column occurs in each class."""
        return self.once(_composed, name)

    def once(self, work: Callable[..., Worked], *arguments: Any) -> Worked:
        """Give work(case, *arguments), worked out the first time only: what several measures stand on.

        Other cases made of this one work it out anew.

        >>> X = np.arange(4.0)[:, None]
        >>> case = Case(("x",), (Attribute(Kind.NUMERIC),), X, X, np.array([0, 0, 1, 1]), 2)
        >>> case.once(lambda case: float(case.original.mean()))
        1.5
        """
        if (work, arguments) not in self._worked_out:
            self._worked_out[work, arguments] = work(self, *arguments)
        known: Worked = self._worked_out[work, arguments]
        return known

    def forget(self) -> None:
        """Let go of what `once` keeps, of both sides: it may be as large as the records."""
        self._worked_out.clear()
        if "before" in vars(self):
            self.before._worked_out.clear()

    def sample(self, most: int) -> Case:
        """Give so many records, which follow from the seed; the case itself where it has no more.

        >>> X = np.arange(10.0)[:, None]
        >>> case = Case(("x",), (Attribute(Kind.NUMERIC),), X, X, np.arange(10), 2)
        >>> case.sample(4).n_records, case.sample(4).whole is case, case.sample(10) is case
        (4, True, True)
        """
        rows = self.sample_rows(most)
        return self if rows is None else self.take(rows)._like(rows=rows, _source=self)

    def _like(self, **changed: Any) -> Case:
        """A case with other values, which need no check; nothing is worked out yet."""
        twin = object.__new__(Case)
        known = {part.name: getattr(self, part.name) for part in fields(self)}
        vars(twin).update({**known, "_worked_out": {}, **changed})
        return twin

    def sample_rows(self, most: int) -> IntArray | None:
        """Give so many rows, ascending, that follow from the seed; None where that is all of them.

        >>> X = np.arange(10.0)[:, None]
        >>> case = Case(("x",), (Attribute(Kind.NUMERIC),), X, X, np.arange(10), 2)
        >>> len(case.sample_rows(4)), case.sample_rows(10) is None
        (4, True)
        """
        if self.n_records <= most:
            return None
        rows: IntArray = np.random.default_rng(self.seed).choice(self.n_records, most, replace=False, shuffle=False)
        rows.sort()
        return rows

    def take(self, rows: IntArray) -> Case:
        """Keep these rows; groups are numbered anew."""
        gaps = None if self._gaps is None else (self._gaps[0][rows], self._gaps[1][rows])
        return replace(
            self,
            original=self.original[rows],
            released=self.released[rows],
            labels=in_order_by_column(self.labels[rows]),
            confidential={name: replace(c, values=c.values[rows]) for name, c in self.confidential.items()},
            strata=None if self.strata is None else self.strata[rows],
            weights=None if self.weights is None else self.weights[rows],
            units=None if self.units is None else in_order(self.units[rows]),
        )._like(_gaps=gaps)


def _in_range(column: Confidential) -> Confidential:
    known = column.values[np.isfinite(column.values)] if column.is_number else column.values[:0]
    exponent = exponent_of(known.astype(np.float64)) if len(known) else 0
    return replace(column, values=np.ldexp(column.values, -exponent)) if exponent else column


def _composed(case: Case, name: str) -> Composition:
    column = case.confidential[name]
    composed = compose(case.classes, column.values)
    if column.is_number:
        return composed
    names = [column.attribute.names[code] if code >= 0 else "" for code in composed.values.tolist()]
    return replace(composed, values=np.array(names))
