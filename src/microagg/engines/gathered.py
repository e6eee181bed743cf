"""What comes out of cells, gathered: records in the order of their rows, and a sample of whole groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from microagg.base.groups import in_order
from microagg.base.types import FloatArray, IntArray
from microagg.cell import Records
from microagg.engines.buckets import Buckets
from microagg.engines.chance import GROUPS, chances

SAMPLE_RECORDS = 20_000
"""About how many records are kept for the charts of a report."""


class Gathered:
    """The released records of one cell after the other.

    Parameters
    ----------
    folder : Path
        Where they lie until all are there: a private one.
    n_records : int
        How many will come.
    chunk : int
        How many row numbers make a part.
    n_columns : int
        How many quasi-identifiers each record has.
    seed : int
        What the choice of the sample follows from.
    """

    def __init__(self, folder: Path, *, n_records: int, n_columns: int, chunk: int, seed: int) -> None:
        self._buckets = Buckets(folder, 2 + n_columns)
        self._chunk = chunk
        self._share = SAMPLE_RECORDS / n_records
        self._seed = seed
        self._samples: list[GroupSample] = []
        self.n_records = 0

    def add(self, records: Records, released: FloatArray, labels: IntArray) -> None:
        """Take the records of a cell, what replaces their values, and their groups."""
        self._samples.append(sample_groups(records, released, labels, self._share, self._seed))
        self._buckets.add(records.rows // self._chunk, np.column_stack([records.rows, records.strata, released]))
        self.n_records += len(records.rows)

    def in_order(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Give the strata and the released values of all records in the order of their rows, part by part."""
        for number in sorted(self._buckets.sizes):
            part = self._buckets.read(number)
            part = part[np.argsort(part[:, 0], kind="stable")]
            self._buckets.remove(number)
            yield part[:, 1].astype(np.int64), np.ascontiguousarray(part[:, 2:])

    def sample(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Give original and released values and groups of some records: all of some groups, numbered from 0."""
        return joined_samples(self._samples)


@dataclass(frozen=True, eq=False)
class GroupSample:
    """Some whole groups of a cell: original and released values, and groups; and one group, should no cell have more.

    Attributes
    ----------
    chosen, spare : tuple of arrays
        Original values, released values, and labels: of the groups that were drawn, and of the next one.
    chance : float
        The number by which the latter would have been drawn.
    """

    chosen: tuple[FloatArray, FloatArray, IntArray]
    spare: tuple[FloatArray, FloatArray, IntArray]
    chance: float


def sample_groups(records: Records, released: FloatArray, labels: IntArray, share: float, seed: int) -> GroupSample:
    """Draw some groups of a cell, each by its first record."""
    _, first = np.unique(labels, return_index=True)
    drawn = chances(records.rows[first], seed, GROUPS)
    sides = []
    for groups in (drawn < share, drawn == drawn.min()):
        inside = groups[labels]
        sides.append((records.values[inside], released[inside], labels[inside]))
    return GroupSample(sides[0], sides[1], float(drawn.min()))


def joined_samples(samples: Sequence[GroupSample]) -> tuple[FloatArray, FloatArray, IntArray]:
    """Put the groups of all cells together, numbered from 0; there is at least one."""
    parts = [sample.chosen for sample in samples if len(sample.chosen[2])]
    parts = parts or [min(samples, key=lambda sample: sample.chance).spare]
    labels, offset = [], 0
    for _, _, part in parts:
        numbers = in_order(part)
        labels.append(numbers + offset)
        offset += int(numbers.max()) + 1
    originals, released, _ = zip(*parts, strict=True)
    return np.concatenate(originals), np.concatenate(released), np.concatenate(labels)
