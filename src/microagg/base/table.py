"""`Table`: the one interface through which the package reads and writes the columns of files and data frames."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from microagg.base.schema import Storage
from microagg.base.types import FloatArray, IntArray


@dataclass(frozen=True)
class NumericColumn:
    """A column of numbers: NaN where a value is missing, and whether it was stored as whole numbers."""

    values: FloatArray
    is_integer: bool


@dataclass(frozen=True)
class CategoryColumn:
    """A column of categories: its distinct values in order of first appearance, and the one of each record.

    A value is text, a truth value or a number, as it is stored; the code of a missing value is -1.
    """

    codes: IntArray
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Described:
    """What a file or frame says of a column beside its values.

    Attributes
    ----------
    value_labels : mapping
        What values stand for, as SPSS and Stata files say.
    measure : str, optional
        "nominal", "ordinal" or "scale", where the file says so.
    order : tuple, optional
        All values in their order, where the frame says that they have one.
    """

    value_labels: Mapping[Any, str] = field(default_factory=dict)
    measure: str | None = None
    order: tuple[Any, ...] | None = None


@dataclass(frozen=True, eq=False)
class RecodedColumn:
    """What stands in the place of a column before anything else is made of it.

    Attributes
    ----------
    values : array of n float
        The numbers, or the codes of `texts`; NaN where a value is missing.
    texts : tuple of str, optional
        What the codes stand for; None where the column holds numbers.
    ordered : bool
        Whether the texts stand in their order.
    is_integer : bool
        Whether all numbers are whole.
    """

    values: FloatArray
    texts: tuple[str, ...] | None = None
    ordered: bool = False
    is_integer: bool = False

    @property
    def described(self) -> Described:
        """What is said of a column of texts: that they are categories, in an order where they have one."""
        return Described(order=self.texts) if self.ordered else Described(measure="nominal")

    def objects(self) -> list[Any]:
        """Give the values as Python objects, None where one is missing."""
        there = ~np.isnan(self.values)
        if self.texts is not None:
            return [self.texts[int(code)] if here else None for code, here in zip(self.values, there, strict=True)]
        numbers = self.values.tolist()
        whole = self.is_integer
        return [(int(x) if whole else x) if here else None for x, here in zip(numbers, there, strict=True)]


class Table(Protocol):
    """Records in a fixed order, read column by column; every change gives a new table.

    Columns that nobody asks for are never converted, so they leave as they came.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order, without duplicates."""

    @property
    def n_records(self) -> int:
        """How many records there are."""

    def storage(self, name: str) -> Storage:
        """How the column is stored."""

    def numeric(self, name: str) -> NumericColumn:
        """The column as numbers; InvalidData names the column and the first bad row where it is not numeric."""

    def codes(self, name: str) -> IntArray:
        """Whole numbers that are equal where the values are equal; all missing values are equal to each other."""

    def spellings(self, name: str) -> IntArray:
        """Whole numbers that are equal only where a reader of what is released sees the same: `1.5` is not `1.50`."""

    def n_alone(self, names: Collection[str]) -> dict[str, int]:
        """How many records have a value in each of these columns that no other record has; missing values are equal."""

    def n_alone_together(self, names: Collection[str]) -> int:
        """How many records have a combination of values in these columns that no other record has."""

    def n_distinct(self, names: Collection[str]) -> dict[str, int]:
        """How many different values each of these columns has; missing ones do not count."""

    def peek(self, names: Collection[str], rows: IntArray) -> dict[str, list[Any]]:
        """Values of some records as Python objects, None where missing; of text files, the text as it is written."""

    def described(self, name: str) -> Described:
        """What is said of the column beside its values."""

    def categories(self, name: str) -> CategoryColumn:
        """The column as categories, whatever it holds."""

    def dates(self, name: str) -> FloatArray:
        """The column of dates as seconds since 1970, NaN where one is missing; InvalidData where it holds others."""

    def read_dates(self, name: str, form: str) -> bool:
        """Read a column of text as dates in this format from now on, where such a table can: text files.

        InvalidData where a value is none.
        """

    def with_columns(self, columns: Mapping[str, npt.NDArray[np.generic]]) -> Self:
        """Replace these columns, which must exist, by arrays of numbers, datetime64, or Python objects; positions stay.

        Objects are text or truth values; dates stay dates where the column held dates. What is missing is masked among
        whole numbers, else NaN, NaT or None.
        """

    def recoded(self, columns: Mapping[str, RecodedColumn]) -> Self:
        """Put others in the place of these columns, of another type where need be and with gaps; positions stay."""

    def unify(self, names: Collection[str]) -> Self:
        """Let values of these columns that are equal be released alike, and missing values as missing ones.

        A column in which every value is spelled in one way only stays as it is.
        """

    def without(self, names: Collection[str]) -> Self:
        """Leave these columns out."""

    def take(self, rows: IntArray) -> Self:
        """Keep these rows, in this order."""

    def native(self) -> Any:
        """The frame of the kind that came in (for files: of the kind that reading it gave)."""
