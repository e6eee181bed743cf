"""What a dataset is: columns of values, and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from microagg.base.types import FloatArray

Column = npt.NDArray[np.float64] | npt.NDArray[np.str_]
"""Numbers, or text."""


@dataclass(frozen=True)
class Dataset:
    """A table of records, column by column, with what there is to say about it.

    Attributes
    ----------
    name, title, description, source, licence : str
        For people: what users type, what it is, where it comes from and what is known of its terms.
    values : mapping of column name to array
        Float64 for numbers, text otherwise. `pandas.DataFrame(dataset.values)` and `polars.DataFrame(dataset.values)`
        make frames of it. The arrays are read-only: copy before changing.
    """

    name: str
    title: str
    description: str
    source: str
    licence: str
    values: Mapping[str, Column]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return tuple(self.values)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The names of the columns that hold numbers."""
        return tuple(name for name, column in self.values.items() if column.dtype.kind == "f")

    @property
    def X(self) -> FloatArray:  # noqa: N802 (a matrix, here as everywhere)
        """The numeric columns as a matrix, records x columns, raw: not standardised."""
        matrix: FloatArray = np.column_stack([self.values[name] for name in self.numeric]).astype(np.float64)
        return matrix


@dataclass(frozen=True)
class Entry:
    """A dataset that can be loaded: known by name before anything is read.

    Attributes
    ----------
    name, title, description, source, licence : str
        As in Dataset; the description is one line.
    n_records : int
        How many records it has.
    columns : tuple of str
        The names of its columns.
    read : callable
        `read(download)` gives the values; where `download` is False, nothing is fetched from the network.
    """

    name: str
    title: str
    description: str
    source: str
    licence: str
    n_records: int
    columns: tuple[str, ...]
    read: Callable[[bool], Mapping[str, Column]]

    def load(self, *, download: bool = True) -> Dataset:
        """Read the values, and make sure that nobody changes them for the next reader."""
        values = dict(self.read(download))
        for column in values.values():
            column.flags.writeable = False
        return Dataset(self.name, self.title, self.description, self.source, self.licence, values)
