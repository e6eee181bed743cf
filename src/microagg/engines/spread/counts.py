"""How many records have the same value, or the same class: words that stand for values are sent side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from microagg.base.types import IntArray
from microagg.engines.chance import Words, fingerprints, words_of
from microagg.engines.spread.arrow import words
from microagg.engines.spread.coding import Coding, RecodedView
from microagg.engines.spread.parts import ROW, Parts
from microagg.measures.composition import Composition, compose_counts

AT_ONCE = 2_000_000
"""About how many rows a bucket gets."""
COLUMNS_AT_ONCE = 8
"""Of how many columns values are sent at a time: each takes 32 bytes for a record of a part."""


@dataclass(frozen=True)
class ValueCounts:
    """What is known of the values of a column: how many different ones, how many records have one that no other has,
    and how many have one that fewer than k have.
    """

    n_different: int = 0
    n_alone: int = 0
    n_rare: int = 0


def count_values(
    parts: Parts,
    view: RecodedView,
    coding: Coding,
    names: Sequence[str],
    *,
    k: int,
    with_missing: bool = True,
    together: bool = False,
) -> list[ValueCounts]:
    """Count the values of some columns, of records that are not left out.

    Parameters
    ----------
    parts, view, coding
        The records, what was recoded, and which of them are left out.
    names : sequence of str
        The columns.
    k : int
        What fewer records share is rare.
    with_missing : bool
        Whether what is missing is a value too.
    together : bool
        Whether their combinations are counted too, as if they were one more column.
    """
    counted = []
    for start in range(0, len(names), COLUMNS_AT_ONCE):
        few = tuple(names[start : start + COLUMNS_AT_ONCE])
        counted += _count(parts, ValueRoute(view, coding, few, with_missing), len(few), k)
    if together and names:
        counted += _count(parts, ValueRoute(view, coding, tuple(names), together=True), 1, k)
    return counted


def _count(parts: Parts, route: ValueRoute, n_columns: int, k: int) -> list[ValueCounts]:
    n_buckets = 1 + parts.n_records * n_columns // AT_ONCE
    columns = list(dict.fromkeys([*route.names, *route.coding.needed_to_drop]))
    task = CountTask(n_columns, k)
    counted, _ = parts.shuffle(replace(route, n_buckets=n_buckets), task, columns, n_buckets=n_buckets)
    sums = sum((counts for counts in counted.values()), np.zeros((n_columns, 3), dtype=np.int64))
    return [ValueCounts(*row) for row in sums.tolist()]


@dataclass(frozen=True, eq=False)
class ValueRoute:
    """Sends the values of columns side by side, or those of all columns together."""

    view: RecodedView
    coding: Coding
    names: tuple[str, ...]
    with_missing: bool = True
    together: bool = False
    n_buckets: int = 1

    def __call__(self, table: pa.Table) -> tuple[IntArray, pa.Table]:
        """Give what is sent of a part."""
        table = self.view.take(table)
        if self.coding.needed_to_drop:
            table = table.filter(pa.array(self.coding.kept(table)))
        sent: list[tuple[Words, IntArray]] = []
        joint: Words | None = None
        for name in self.names:
            held = words(table.column(name))
            marks = fingerprints([*held, *(() if joint is None else joint.T)])
            if self.together:
                joint = marks
            else:
                sent.append(unique_marks(marks if self.with_missing else marks[held[0] == 0]))
        if joint is not None:
            sent.append(unique_marks(joint))
        marks, counts = (np.concatenate(side) for side in zip(*sent, strict=True))
        places = np.repeat(np.arange(len(sent)), [len(each) for _, each in sent])
        payload = pa.table({"column": places, "a": marks[:, 0], "b": marks[:, 1], "n": counts})
        return bucket_of(marks, self.n_buckets), payload


@dataclass(frozen=True)
class CountTask:
    """Counts the values of columns in a bucket."""

    n_columns: int
    k: int

    def __call__(self, bucket: int, table: pa.Table) -> tuple[IntArray, None]:
        """Give, of each column, how many values there are, and how many records are alone or among few with theirs."""
        columns, first, second, counts = (table.column(name).to_numpy() for name in ("column", "a", "b", "n"))
        order = np.lexsort((second, first, columns))
        starts = _starts(columns[order], first[order], second[order])
        sizes = np.add.reduceat(counts[order], starts) if len(order) else np.empty(0, dtype=np.int64)
        of_column = columns[order][starts]
        sums = [
            np.bincount(of_column, weights, self.n_columns)
            for weights in (np.ones(len(sizes)), sizes == 1, np.where(sizes < self.k, sizes, 0))
        ]
        return np.column_stack(sums).astype(np.int64), None


def _starts(*columns: Words | IntArray) -> IntArray:
    """Give where runs of equal rows begin, of columns that are sorted."""
    differs = np.zeros(len(columns[0]), dtype=np.bool_)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(differs)


def unique_marks(marks: Words) -> tuple[Words, IntArray]:
    """Give the different fingerprints, and how often each is there."""
    order = np.lexsort((marks[:, 1], marks[:, 0]))
    ordered = marks[order]
    starts = _starts(ordered[:, 0], ordered[:, 1])
    return ordered[starts], np.diff(np.append(starts, len(order)))


def bucket_of(marks: Words, n_buckets: int) -> IntArray:
    """Give the bucket of each fingerprint."""
    return (marks[:, 0] % np.uint64(n_buckets)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """What is known of classes of equal records: how many there are of each size, or how many records are in classes of
    each number of units; of some other columns the classes, and their records, that all have the same value; and how
    often each confidential value is in each class.
    """

    sizes: Counter[int]
    alike: IntArray
    compositions: tuple[Composition, ...]


@dataclass(frozen=True, eq=False)
class ClassRoute:
    """Sends equal records side by side, of tables as cells give them.

    Attributes
    ----------
    n_buckets : int
        How many buckets there are.
    values, others : tuple of str
        The columns by which records are equal, and those that go with them.
    coding : Coding, optional
        Reads records, where the table holds them as they came.
    view : RecodedView, optional
        What was recoded then.
    """

    n_buckets: int
    values: tuple[str, ...]
    others: tuple[str, ...]
    coding: Coding | None = None
    view: RecodedView | None = None

    def __call__(self, table: pa.Table) -> tuple[IntArray, pa.Table]:
        """Give what is sent of a part."""
        if self.coding is not None and self.view is not None:
            table = original_table(self.view.take(table), self.coding)
        marks = fingerprints([words_of(table.column(name).to_numpy().astype(np.float64)) for name in self.values])
        sent = {"a": marks[:, 0], "b": marks[:, 1], **{name: table.column(name) for name in self.others}}
        if not self.others:
            marks, counts = unique_marks(marks)
            sent = {"a": marks[:, 0], "b": marks[:, 1], "n": counts}
        return bucket_of(marks, self.n_buckets), pa.table(sent)


def original_table(table: pa.Table, coding: Coding) -> pa.Table:
    """Give the records of a part as cells give released ones: stratum, values, codes of confidential values."""
    records = coding.records(table)
    columns = {ROW: records.rows, "s": records.strata}
    columns |= {f"y{j}": column for j, column in enumerate(records.values.T)}
    if records.sensitive is not None:
        columns |= {f"c{j}": column for j, column in enumerate(records.sensitive.T)}
    return pa.table({name: np.ascontiguousarray(column) for name, column in columns.items()})


@dataclass(frozen=True, eq=False)
class ClassTask:
    """Counts the classes of a bucket.

    Attributes
    ----------
    alike : tuple of str
        Columns of words that are 0 where a value is missing: in how many classes all records have one value.
    codes : tuple of str
        Columns of codes that are counted in each class.
    value_sizes : tuple of array of int
        How many of all records have each code.
    unit : str, optional
        The column of units: sizes are numbers of different ones, and records are counted by them.
    """

    alike: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    value_sizes: tuple[IntArray, ...] = ()
    unit: str | None = None

    def __call__(self, bucket: int, table: pa.Table) -> tuple[ClassCounts, None]:
        """Count."""
        first, second = table.column("a").to_numpy(), table.column("b").to_numpy()
        order = np.lexsort((second, first))
        starts = _starts(first[order], second[order])
        if "n" in table.column_names:
            sizes = np.add.reduceat(table.column("n").to_numpy()[order], starts)
        else:
            sizes = np.diff(np.append(starts, len(order)))
        alike = np.zeros((len(self.alike), 2), dtype=np.int64)
        for place, name in enumerate(self.alike):
            values = table.column(name).to_numpy()[order]
            lowest, highest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
            same = (lowest == highest) & (lowest != 0) & (sizes > 1)
            alike[place] = same.sum(), sizes[same].sum()
        compositions = []
        if self.codes:
            classes = np.empty(len(order), dtype=np.int64)
            classes[order] = np.repeat(np.arange(len(starts)), sizes)
            for name, value_sizes in zip(self.codes, self.value_sizes, strict=True):
                pairs, counts = np.unique(
                    classes * len(value_sizes) + table.column(name).to_numpy(), return_counts=True
                )
                compositions.append(compose_counts(*np.divmod(pairs, len(value_sizes)), counts, value_sizes))
        weights = np.ones(len(sizes), dtype=np.int64)
        if self.unit is not None:
            weights, sizes = sizes, self._units(table, order, starts, sizes)
        numbers, places = np.unique(sizes, return_inverse=True)
        n_classes = np.bincount(places, weights).astype(np.int64)
        return ClassCounts(
            Counter(dict(zip(numbers.tolist(), n_classes.tolist(), strict=True))), alike, tuple(compositions)
        ), None

    def _units(self, table: pa.Table, order: IntArray, starts: IntArray, sizes: IntArray) -> IntArray:
        """Count the units of each class."""
        units = table.column(str(self.unit)).to_numpy()[order]
        classes = np.repeat(np.arange(len(starts)), sizes)
        pairs = np.unique(np.column_stack([classes, units]), axis=0)
        return np.bincount(pairs[:, 0], minlength=len(starts))
