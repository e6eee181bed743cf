"""Files of records in a folder: what goes to a cell, and what comes back from it.

Records are rows of float64: row number, stratum, weight, values.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from microagg.base.types import FloatArray, IntArray

ROW, STRATUM, WEIGHT, VALUES = 0, 1, 2, 3
"""The columns of a record; its values begin at the last one."""


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

    def remove(self, number: int) -> None:
        """Remove a bucket."""
        self._path(number).unlink()
        del self.sizes[number]

    def _path(self, number: int) -> Path:
        return self._folder / str(number)
