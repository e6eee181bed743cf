"""What is known of the columns of some data: what each holds, what the column check thinks of it, a small picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class LookedColumn:
    """A column.

    Attributes
    ----------
    name : str
        Its name.
    storage : str
        What is stored: "numeric", "text", "date", ...
    bars : tuple of int
        How many of the records that were looked at fall into each bar of its picture; of numbers and dates in their
        order, of categories the most frequent first.
    labels : tuple of str
        The ends of the picture of numbers or dates, or the most frequent categories.
    ordered : bool
        Whether the bars stand in an order of values.
    n_values : int
        How many different values there are, as far as was looked.
    share_missing : float
        The share of the records that lack a value.
    seems, why : str
        What the column check thinks that it is, and why.
    tells : tuple of str
        Other columns that it gives away.
    is_identifying : bool
        Whether it may name somebody outright.
    role, kind : str
        What is suggested: a name in ROLES, and what it is treated as ("" where it is no quasi-identifier).
    """

    name: str
    storage: str
    bars: tuple[int, ...]
    labels: tuple[str, ...]
    ordered: bool
    n_values: int
    share_missing: float
    seems: str
    why: str
    tells: tuple[str, ...]
    is_identifying: bool
    role: str
    kind: str


@dataclass(frozen=True)
class Overview:
    """All columns of some data.

    Attributes
    ----------
    columns : tuple of LookedColumn
        In their order.
    n_records : int
        How many records there are.
    missing : str
        What is suggested for missing values.
    sha256 : str
        The checksum of the file.
    preview : tuple of tuple of str
        The first records, as text.
    dialect : dict
        How a text file was read: encoding, delimiter, decimal, header; empty for others.
    sheets : tuple of str
        The sheets of a workbook.
    """

    columns: tuple[LookedColumn, ...]
    n_records: int
    missing: str
    sha256: str
    preview: tuple[tuple[str, ...], ...]
    dialect: dict[str, Any]
    sheets: tuple[str, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, LookedColumn]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}
