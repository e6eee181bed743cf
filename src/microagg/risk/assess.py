"""Every measure of risk of one case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from microagg.arrays import FloatArray, IntArray, Progress
from microagg.case import Case, Confidential, Result
from microagg.errors import MicroaggError
from microagg.groups import equivalence_classes
from microagg.risk.classes import keys_of
from microagg.risk.composition import Composition, compose
from microagg.risk.points import both_as_points
from microagg.risk.risk import Risk


def assess(case: Case, measures: Mapping[str, Risk], progress: Progress | None = None) -> tuple[Result, ...]:
    """Give the result of each measure that the case has all the needs of, of the release and of the original.

    A measure of a confidential attribute is taken of each of them; its value is the worst, and `columns` holds them
    all. One that fails (weights that do not fit, too many columns) gives a result without a value that says why.
    """
    after, before = _Side(case, is_original=False), _Side(case, is_original=True)
    results = []
    for i, measure in enumerate(measures.values(), 1):
        results.append(_assess(measure, after, before))
        if progress is not None:
            progress(i / len(measures))
    return tuple(result for result in results if result is not None)


class _Given:
    """What measures may ask for, of one side of a case; each is made when it is first asked for."""

    def __init__(self, case: Case, after: FloatArray) -> None:
        self.case = case
        self.k, self.weights, self.seed = case.k, case.weights, case.seed
        self.attributes = case.attributes
        self.original_values, self.released_values = case.original, after
        self._composed: dict[str, Composition] = {}

    @cached_property
    def keys(self) -> IntArray:
        keys = keys_of(self.released_values)
        return keys if self.case.strata is None else np.column_stack([keys, self.case.strata])

    @cached_property
    def classes(self) -> IntArray:
        return equivalence_classes(self.keys)

    @cached_property
    def sizes(self) -> IntArray:
        sizes: IntArray = np.bincount(self.classes)[self.classes]
        return sizes

    @cached_property
    def original(self) -> FloatArray:
        return self.original_values[:, self.case.numbers]

    @cached_property
    def released(self) -> FloatArray:
        return self.released_values[:, self.case.numbers]

    @cached_property
    def _points(self) -> tuple[FloatArray, FloatArray]:
        return both_as_points(self.original_values, self.released_values, self.attributes)

    @property
    def original_points(self) -> FloatArray:
        return self._points[0]

    @property
    def released_points(self) -> FloatArray:
        return self._points[1]

    def composition(self, name: str) -> Composition:
        if name not in self._composed:
            column = self.case.confidential[name]
            made = compose(self.classes, column.values)
            if not column.is_number:
                named = [column.attribute.names[code] if code >= 0 else "" for code in made.values.tolist()]
                made = replace(made, values=np.array(named))
            self._composed[name] = made
        return self._composed[name]


class _Side:
    """The release, or the original beside itself: whole and in samples."""

    def __init__(self, case: Case, *, is_original: bool) -> None:
        self.case = case
        self._is_original = is_original
        self._made: dict[int, _Given] = {}

    def of(self, rows: IntArray | None) -> _Given:
        size = self.case.n_records if rows is None else len(rows)
        if size not in self._made:
            case = self.case if rows is None else self.case.take(rows)
            self._made[size] = _Given(case, case.original if self._is_original else case.released)
        return self._made[size]

    def rows(self, measure: Risk) -> IntArray | None:
        """Which records a measure looks at; None for all."""
        if measure.at_most is None:
            return None
        rows = self.case.sample_rows(self.case.most_records or measure.at_most)
        if rows is not None and measure.whole_if is not None and measure.whole_if(self.of(None).sizes):
            return None
        return rows


def _assess(measure: Risk, after: _Side, before: _Side) -> Result | None:
    case = after.case
    if (measure.extra and not case.trees) or ("released" in measure.needs and not case.numbers):
        return None
    columns: list[str | None] = [None]
    if "confidential" in measure.needs:
        columns = [name for name, c in case.confidential.items() if measure.for_numbers or not c.is_number]
        if not columns:
            return None
    rows = after.rows(measure)
    note = measure.sample_note if rows is not None else ""
    if rows is None and measure.at_rest is None and before.rows(measure) is not None:
        note = f"the original was {measure.sample_note}"
    result = Result.of(measure, note=note, sampled=None if rows is None else len(rows))
    try:
        found = {name: _measured(measure, after, name) for name in columns}
        by_column = _by_column(measure, after)
        if measure.at_rest is not None:
            earlier = [measure.at_rest(case.original)]
        else:
            earlier = [_measured(measure, before, name)[0] for name in columns]
    except MicroaggError as error:
        return replace(result, note=str(error))
    worst = max if measure.lower_is_better else min
    each = [records for _, records in found.values() if records is not None]
    reduce = np.maximum.reduce if measure.lower_is_better else np.minimum.reduce
    return replace(
        result,
        value=worst(value for value, _ in found.values()),
        before=worst(earlier),
        columns={name: value for name, (value, _) in found.items() if name is not None} or by_column,
        records=_spread_out(reduce(each), rows, case.n_records) if each else None,
    )


def _measured(measure: Risk, side: _Side, name: str | None) -> tuple[float, FloatArray | None]:
    """The value, and that of each record, of one confidential column where one is named."""
    rows = side.rows(measure)
    given = side.of(None if "rows" in measure.needs else rows)
    column = None if name is None else given.case.confidential[name]
    options: dict[str, Any] = dict(measure.options)
    if column is not None and measure.options_for is not None:
        options.update(measure.options_for(column))
    if measure.by_class is not None and measure.overall is not None and name is not None:
        made = given.composition(name)
        by_class = measure.by_class(made, **options)
        return measure.overall(by_class, made.class_sizes), by_class[made.classes]
    arguments = _arguments(measure, given, rows, column)
    if measure.per_record is not None and measure.of_records is not None:
        records = measure.per_record(*arguments, **options)
        return measure.of_records(records), records
    return measure(*arguments, **options), None


def _arguments(measure: Risk, given: _Given, rows: IntArray | None, column: Confidential | None) -> list[Any]:
    special: dict[str, Any] = {"rows": rows}
    if column is not None:
        special |= {"confidential": column.values, "meaning": column.attribute}
    return [special[need] if need in special else getattr(given, need) for need in measure.needs]


def _by_column(measure: Risk, side: _Side) -> dict[str, float] | None:
    """The value of each quasi-identifier; of the numeric ones where a measure needs numbers."""
    if measure.per_column is None:
        return None
    rows = side.rows(measure)
    values = measure.per_column(*_arguments(measure, side.of(rows), rows, None), **measure.options)
    names = side.case.names
    if "released" in measure.needs:
        names = tuple(names[j] for j in side.case.numbers)
    return dict(zip(names, values.tolist(), strict=False))  # strata are keys too, and have no name


def _spread_out(records: FloatArray, rows: IntArray | None, n_records: int) -> FloatArray:
    if rows is None:
        return records
    every = np.full(n_records, np.nan)
    every[rows] = records
    return every
