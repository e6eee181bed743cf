"""Promises on confidential columns: which constraints hold for which column, and for records that are to be grouped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from microagg import _core
from microagg.base.types import FloatArray, IntArray
from microagg.constraints.constraint import Constraint, Sensitive
from microagg.errors import BrokenPromise, InfeasiblePromise, InvalidData, InvalidOption
from microagg.measures.composition import Composition, compose_codes


@dataclass(frozen=True)
class Promise:
    """A constraint on a confidential column, named by its place among the columns of `Terms`."""

    column: int
    constraint: Constraint


@dataclass(frozen=True)
class KeptPromise:
    """What became of a promise.

    Attributes
    ----------
    column : str
        The confidential column.
    promise : str
        The field of the plan: "l", "p" or "t".
    asked : str
        What was asked for, as it is written.
    reached : float
        What the release reaches: the class that is worst off.
    before : float
        What the original reached.
    """

    column: str
    promise: str
    asked: str
    reached: float
    before: float


@dataclass(frozen=True, eq=False)
class Terms:
    """What is promised, whatever the records: a pure value.

    Attributes
    ----------
    columns : tuple of Sensitive
        The confidential columns that something is promised of, each once.
    promises : tuple of Promise
        The constraints on them.
    """

    columns: tuple[Sensitive, ...]
    promises: tuple[Promise, ...]

    def over(self, codes: IntArray) -> Promises:
        """Give the promises for some records: one row of codes for each."""
        return Promises(self, np.ascontiguousarray(codes))

    def check_possible(self, whole: Sequence[Composition], where: Sequence[str]) -> None:
        """Refuse what no partition can keep.

        A group never keeps less than its parts, so all records of a stratum as one group are the best there is.

        Parameters
        ----------
        whole : sequence of Composition
            For each column, all records; each stratum is a class.
        where : sequence of str
            How to call each stratum.
        """
        for promise in self.promises:
            column, constraint = self.columns[promise.column], promise.constraint
            made = whole[promise.column]
            if not constraint.keeps(made, column).all():
                reached = constraint.reached(made, column)
                best = constraint.worst(reached)
                place = where[int(np.flatnonzero(reached == best)[0])]
                raise InfeasiblePromise(
                    f"{constraint.name} = {constraint.spelled()} of column {column.name!r} cannot be kept: {place} as "
                    f"one group reach {best:.4g}, and no smaller groups can do better. Ask for less: "
                    f"{constraint.best(best)}."
                )

    def kept(
        self, released: Iterable[Sequence[Composition]], original: Iterable[Sequence[Composition]]
    ) -> tuple[KeptPromise, ...]:
        """Refuse a release of which a class breaks a promise; else say what it reaches, beside the original.

        Parameters
        ----------
        released, original : iterable of sequence of Composition
            Some whole classes at a time, for each column.
        """
        after, broken = self._reached(released)
        for promise, worst, count in zip(self.promises, after, broken, strict=True):
            if count:
                column, constraint = self.columns[promise.column], promise.constraint
                raise BrokenPromise(
                    f"{count:,} classes of the release break the promise {constraint.name} = {constraint.spelled()} of "
                    f"column {column.name!r} (the worst reaches {worst:.4g}). The release is refused and nothing was "
                    "written."
                )
        before, _ = self._reached(original)
        return tuple(
            KeptPromise(self.columns[p.column].name, p.constraint.name, p.constraint.spelled(), reached, was)
            for p, reached, was in zip(self.promises, after, before, strict=True)
        )

    def _reached(self, parts: Iterable[Sequence[Composition]]) -> tuple[list[float], list[int]]:
        """Give, for each promise, the figure of the worst class, and how many classes break it."""
        worst: list[list[float]] = [[] for _ in self.promises]
        broken = [0] * len(self.promises)
        for part in parts:
            for place, promise in enumerate(self.promises):
                column, constraint = self.columns[promise.column], promise.constraint
                made = part[promise.column]
                worst[place].append(constraint.worst(constraint.reached(made, column)))
                broken[place] += int((~constraint.keeps(made, column)).sum())
        figures = [p.constraint.worst(np.array(of)) for p, of in zip(self.promises, worst, strict=True)]
        return figures, broken


@dataclass(frozen=True, eq=False)
class Promises:
    """Promises on some records that are to be grouped.

    Attributes
    ----------
    terms : Terms
        What is promised.
    codes : array of shape (n, s)
        The code of each record in each column of the terms.

    Examples
    --------
    >>> from microagg.constraints import promise
    >>> promises = promise({"l": {"ill": 2}}, {"ill": ["flu", "flu", "cold", "flu"]})
    >>> promises.lacks(np.array([0, 0, 1, 1])).tolist(), promises.kept(np.array([0, 1, 1, 0]))
    ([1.0, 0.0], False)
    """

    terms: Terms
    codes: IntArray

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: IntArray) -> Promises:
        """Give the promises for some of the records."""
        return Promises(self.terms, np.ascontiguousarray(self.codes[rows]))

    def composition(self, labels: IntArray, column: int) -> Composition:
        """Count the values of a column in each group."""
        return compose_codes(labels, self.codes[:, column], self.terms.columns[column].value_sizes)

    def lacks(self, labels: IntArray) -> FloatArray:
        """Give what each group lacks of all promises together."""
        lacking = np.zeros(int(labels.max()) + 1)
        for promise in self.terms.promises:
            column = self.terms.columns[promise.column]
            lacking += promise.constraint.lacks(self.composition(labels, promise.column), column)
        return lacking

    def kept(self, labels: IntArray) -> bool:
        """Say whether every group keeps all promises."""
        return all(
            bool(promise.constraint.keeps(self.composition(labels, promise.column), column).all())
            for promise in self.terms.promises
            for column in (self.terms.columns[promise.column],)
        )

    @cached_property
    def least(self) -> int:
        """The size below which no group keeps all promises."""
        return max(promise.constraint.least_size(self.terms.columns[promise.column]) for promise in self.terms.promises)

    def start_size(self, k: int) -> int:
        """Give the size of groups to start with: what k, single groups, and all groups together need."""
        needed = [k, self.least]
        for promise in self.terms.promises:
            counts = np.bincount(self.codes[:, promise.column])
            needed.append(math.floor(promise.constraint.mean_size(counts[counts > 0])))
        return min(len(self), max(needed))

    @cached_property
    def kernel(self) -> _core.Promises:
        """The same for the kernels."""
        columns = self.terms.columns
        kinds, levels = [], []
        for promise in self.terms.promises:
            kind, level, factor = promise.constraint.kernel(columns[promise.column])
            kinds.append((kind, promise.column))
            levels.append((level, factor))
        return _core.Promises(
            self.codes,
            np.array([len(column.value_sizes) for column in columns], dtype=np.int64),
            np.concatenate([column.value_sizes for column in columns]).astype(np.int64, copy=False),
            np.array(kinds, dtype=np.int64),
            np.array(levels, dtype=np.float64),
        )


def check_promises(promises: object, n_records: int) -> Promises:
    """Give promises on so many records, or say what is wrong with them.

    >>> check_promises({"l": 3}, 10)
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidOption: promises must be what microagg.constraints.promise gives, or None; got a dict.
    """
    if not isinstance(promises, Promises):
        raise InvalidOption(
            f"promises must be what microagg.constraints.promise gives, or None; got a {type(promises).__name__}."
        )
    if len(promises) != n_records:
        raise InvalidData(f"promises must be on each of {n_records} records; got {len(promises)}.")
    return promises


def terms_of(asked: Mapping[str, Mapping[str, Constraint]], columns: Sequence[Sensitive]) -> Terms:
    """Gather what is promised: field of the plan -> column -> constraint."""
    places = {column.name: place for place, column in enumerate(columns)}
    promises = [Promise(places[name], each) for said in asked.values() for name, each in said.items()]
    return Terms(tuple(columns), tuple(promises))


def code_values(values: Any) -> tuple[IntArray, IntArray, bool]:
    """Give values as codes in their order, how many records have each, and whether they are numbers.

    A missing number (NaN) is a value of its own, the highest; so is a missing category (None).

    >>> [part.tolist() for part in code_values([3.0, float("nan"), 1.0, 3.0])[:2]]
    [[1, 2, 0, 1], [1, 2, 1]]
    """
    array = np.asarray(values)
    is_number = array.dtype.kind in "iufb"
    if not is_number:
        array = np.array(["\uffff" if value is None else str(value) for value in array.tolist()])
    _, codes, sizes = np.unique(array, return_inverse=True, return_counts=True)
    return codes.astype(np.int64), sizes.astype(np.int64), is_number and array.dtype.kind != "b"
