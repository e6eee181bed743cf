"""Cells: records that lie together, few enough for memory, each in a file of its own.

    a sample of the records -> a tree of median cuts -> every record, as it passes, into the file of its cell
    cells that lie side by side join as long as they fit; cells that came out too large are cut again

A cut is a value of one column: what is below goes left, so records that are alike stay together. Only where almost all
records of a cell agree on every column does a cut go through them, by their row number: there that costs nothing.

Records are rows of float64: row number, stratum, weight, values. Records of two strata may be in one cell, but the
records of a stratum are cut only where they do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np

from microagg.base.ranges import within_range
from microagg.base.types import BoolArray, FloatArray, IntArray

ROW, STRATUM, WEIGHT, VALUES = 0, 1, 2, 3
"""The columns of a record; its values begin at the last one."""

FAIR = 0.25
"""A cut at a value is taken in the widest column where at least this share of the records is on either side."""
LEAST_SHARE = 1 / 16
"""Else in the column that divides best, if it divides at least so; else records that agree are divided."""
LEAST_LEAF = 32
"""Records of the sample that a leaf must have, for its size to be known roughly."""
SMALL = 8
"""A cell of less than this part of the most joins its neighbour, whether they fit together or not."""


class Buckets:
    """Files of records in a folder, one for each number."""

    def __init__(self, folder: Path, width: int) -> None:
        folder.mkdir(mode=0o700)
        self._folder = folder
        self._width = width
        self.sizes: dict[int, int] = {}

    def add(self, numbers: IntArray, records: FloatArray) -> None:
        """Append each record to the bucket of its number; records of a bucket keep their order."""
        order = np.argsort(numbers, kind="stable")
        cuts = np.flatnonzero(np.diff(numbers[order])) + 1
        for part in np.split(order, cuts):
            number = int(numbers[part[0]])
            with self._path(number).open("ab") as file:
                file.write(np.ascontiguousarray(records[part]).data)
            self.sizes[number] = self.sizes.get(number, 0) + len(part)

    def read(self, number: int) -> FloatArray:
        """Give the records of a bucket."""
        records: FloatArray = np.fromfile(self._path(number), dtype=np.float64).reshape(-1, self._width)
        return records

    def chunks(self, number: int, size: int) -> Iterator[FloatArray]:
        """Give the records of a bucket, so many at a time."""
        for start in range(0, self.sizes[number], size):
            offset = start * self._width * 8
            chunk = np.fromfile(self._path(number), dtype=np.float64, count=size * self._width, offset=offset)
            yield chunk.reshape(-1, self._width)

    def remove(self, number: int) -> None:
        """Remove a bucket."""
        self._path(number).unlink()
        del self.sizes[number]

    def _path(self, number: int) -> Path:
        return self._folder / str(number)


class Sample:
    """About `limit` of `n_records` records that pass, chosen at random; the same ones for the same seed."""

    def __init__(self, limit: int, n_records: int, seed: int) -> None:
        self._share = min(1.0, limit / n_records)
        self._random = np.random.default_rng(seed)
        self._parts: list[FloatArray] = []

    def offer(self, records: FloatArray) -> None:
        """Take some of these records."""
        chosen = self._random.random(len(records)) < self._share
        self._parts.append(records[chosen])

    def records(self) -> FloatArray:
        """Give what was taken."""
        return np.concatenate(self._parts)


@dataclass(frozen=True)
class Leaf:
    """The end of a tree: a bucket."""

    number: int


@dataclass(frozen=True)
class Cut:
    """What is below `value` in a column goes left; what is equal to it, if its row number is below `row`."""

    column: int
    value: float
    row: float
    left: Cut | Leaf
    right: Cut | Leaf


def grow(points: FloatArray, rows: FloatArray, most: float, numbers: Iterator[int]) -> Cut | Leaf:
    """Cut points at medians until no part has more than `most`; leaves are numbered from left to right.

    >>> grow(np.array([[1.0], [2.0], [8.0], [9.0]]), np.arange(4.0), 2, count())
    Cut(column=0, value=8.0, row=-inf, left=Leaf(number=0), right=Leaf(number=1))
    """
    if len(points) <= max(most, 1):
        return Leaf(next(numbers))
    column, value, row = _cut(points, rows)
    left = _goes_left(points[:, column], rows, value, row)
    return Cut(
        column,
        value,
        row,
        grow(points[left], rows[left], most, numbers),
        grow(points[~left], rows[~left], most, numbers),
    )


def _cut(points: FloatArray, rows: FloatArray) -> tuple[int, float, float]:
    """Choose a column, a value and a row number, so that both sides of the cut have points."""
    n_points = len(points)
    varies = points.max(axis=0) > points.min(axis=0)
    by_width = np.argsort(-within_range(points).std(axis=0), kind="stable")
    best, share = None, 0.0
    for column in by_width[varies[by_width]].tolist():
        ordered = np.sort(points[:, column])
        middle = ordered[n_points // 2]
        ends = [int(np.searchsorted(ordered, middle, side)) for side in ("left", "right")]
        place = max(ends, key=lambda end: min(end, n_points - end))
        reached = min(place, n_points - place) / n_points
        if reached > share:
            best, share = (column, float(ordered[place]), -np.inf), reached
        if share >= FAIR:
            break
    if best is not None and share >= LEAST_SHARE:
        return best
    column = int(by_width[0])
    order = np.lexsort((rows, points[:, column]))
    middle = order[n_points // 2]
    return column, float(points[middle, column]), float(rows[middle])


def _goes_left(values: FloatArray, rows: FloatArray, value: float, row: float) -> BoolArray:
    left: BoolArray = (values < value) | ((values == value) & (rows < row))
    return left


def leaves_of(tree: Cut | Leaf, points: FloatArray, rows: FloatArray) -> IntArray:
    """Give the leaf of each point."""
    found = np.empty(len(points), dtype=np.int64)
    _descend(tree, points, rows, np.arange(len(points)), found)
    return found


def _descend(tree: Cut | Leaf, points: FloatArray, rows: FloatArray, here: IntArray, found: IntArray) -> None:
    if isinstance(tree, Leaf):
        found[here] = tree.number
        return
    left = _goes_left(points[here, tree.column], rows[here], tree.value, tree.row)
    _descend(tree.left, points, rows, here[left], found)
    _descend(tree.right, points, rows, here[~left], found)


class Cells:
    """All records of a table, cell by cell.

    Parameters
    ----------
    folder : Path
        Where the cells lie: a private one.
    points : callable
        Gives the points by which records are grouped, of their values.
    k : int
        No cell has fewer records, and none fewer of any stratum.
    most : int
        No cell has many more records (an eighth at the most).
    chunk : int
        How many records may be looked at beside a cell.
    sizes : array of int
        The number of records of each stratum, each at least k.
    sample : array
        Some of the records, by which the cells are cut.
    """

    def __init__(
        self,
        folder: Path,
        points: Callable[[FloatArray], FloatArray],
        *,
        k: int,
        most: int,
        chunk: int,
        sizes: IntArray,
        sample: FloatArray,
    ) -> None:
        self._points = points
        self._most, self._chunk = most, chunk
        self._least = max(k, most // SMALL)
        self._buckets = Buckets(folder, sample.shape[1])
        self._next = 0
        self._runs: list[list[int]] = []
        """Buckets that lie side by side: of each tree, and of each pack of strata."""
        self._trees: dict[int, Cut | Leaf] = {}
        self._pack = np.empty(len(sizes), dtype=np.int64)
        """The bucket of each stratum that has no tree."""
        share = len(sample) / int(sizes.sum())
        pack, room = 0, 0
        for stratum, size in enumerate(sizes.tolist()):
            if size > most:
                own = sample[sample[:, STRATUM] == stratum] if len(sizes) > 1 else sample
                self._trees[stratum], run = self._grow(own, share)
                self._runs.append(run)
                continue
            if size > room:
                (pack,), room = self._new(1), most
                self._runs.append([pack])
            self._pack[stratum] = pack
            room -= size

    def _new(self, n_buckets: int) -> list[int]:
        """Give the numbers of new buckets."""
        self._next += n_buckets
        return list(range(self._next - n_buckets, self._next))

    def _grow(self, sample: FloatArray, share: float) -> tuple[Cut | Leaf, list[int]]:
        """Give a tree and its buckets, for records of which a sample has this share."""
        numbers = count(self._next)
        # Half of what fits: sizes are known by the sample only.
        most = max(LEAST_LEAF, share * self._most / 2)
        tree = grow(self._points(sample[:, VALUES:]), sample[:, ROW], most, numbers)
        return tree, self._new(next(numbers) - self._next)

    def add(self, records: FloatArray) -> None:
        """Put records into their cells."""
        strata = records[:, STRATUM].astype(np.int64)
        numbers = self._pack[strata]
        for stratum, tree in self._trees.items():
            here = np.flatnonzero(strata == stratum)
            if len(here):
                numbers[here] = self._leaves(tree, records[here])
        self._buckets.add(numbers, records)

    def _leaves(self, tree: Cut | Leaf, records: FloatArray) -> IntArray:
        return leaves_of(tree, self._points(records[:, VALUES:]), records[:, ROW])

    def take(self) -> Iterator[FloatArray]:
        """Give the records of each cell in the order of their rows, and remove them from the disk."""
        for run in self._runs:
            for cell in self._settle(run):
                records = np.concatenate([self._buckets.read(number) for number in cell])
                self._remove(cell)
                # A bucket may hold what came from several others, one after the other.
                yield records[np.argsort(records[:, ROW], kind="stable")]

    def _settle(self, buckets: list[int]) -> Iterator[list[int]]:
        """Give the cells that these buckets make, each a list of them, neither too small nor too large."""
        for cell in self._join(buckets):
            if self._size(cell) <= self._most + self._least:
                yield cell
                continue
            run = self._divide(cell)
            joined = self._join(run)
            yield from self._settle(self._halve(joined[0]) if len(joined) == 1 else run)

    def _join(self, run: list[int]) -> list[list[int]]:
        """Join buckets that lie side by side as long as they fit; what is too small at the end joins the one before."""
        cells: list[list[int]] = []
        held: list[int] = []
        for number in run:
            if number in self._buckets.sizes:
                if self._size(held) >= self._least and self._size([*held, number]) > self._most:
                    cells.append(held)
                    held = []
                held.append(number)
        if held and cells and self._size(held) < self._least:
            cells[-1] += held
        elif held:
            cells.append(held)
        return cells

    def _divide(self, cell: list[int]) -> list[int]:
        """Cut a cell again, by a sample of its own."""
        size = self._size(cell)
        sample = Sample(self._chunk, size, seed=size)
        for records in self._chunks(cell):
            sample.offer(records)
        own = sample.records()
        tree, run = self._grow(own, len(own) / size)
        for records in self._chunks(cell):
            self._buckets.add(self._leaves(tree, records), records)
        self._remove(cell)
        return run

    def _halve(self, cell: list[int]) -> list[int]:
        """Divide a cell in the middle of its records, wherever they lie: its sample was no help."""
        run = self._new(2)
        half, seen = self._size(cell) // 2, 0
        for records in self._chunks(cell):
            places = np.arange(seen, seen + len(records))
            self._buckets.add(np.where(places < half, *run), records)
            seen += len(records)
        self._remove(cell)
        return run

    def _size(self, cell: list[int]) -> int:
        return sum(self._buckets.sizes[number] for number in cell)

    def _chunks(self, cell: list[int]) -> Iterator[FloatArray]:
        for number in cell:
            yield from self._buckets.chunks(number, self._chunk)

    def _remove(self, cell: list[int]) -> None:
        for number in cell:
            self._buckets.remove(number)
