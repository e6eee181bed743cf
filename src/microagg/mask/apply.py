"""Masks on the columns of a table, and on values that are ready to be grouped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.aggregate import Rounded
from microagg.base.schema import Kind, Storage
from microagg.base.table import Table
from microagg.base.types import FloatArray
from microagg.errors import InvalidOption
from microagg.mask.mask import ChosenMask
from microagg.mask.masks import read_mask
from microagg.prepare.kinds import QuasiColumn, quasi_columns
from microagg.prepare.missing import infinite_value
from microagg.prepare.precision import digits_of_step, step_of

INT64 = np.iinfo(np.int64)


def mask_columns(
    table: Table, masks: Mapping[str, str], random: np.random.Generator
) -> dict[str, npt.NDArray[np.generic]]:
    """Give what replaces the columns that are to be masked, ready for `Table.with_columns`.

    Columns with the same mask are masked together. Numbers and dates stay as fine as they came, and missing values
    stay missing.

    Parameters
    ----------
    table : Table
        The records.
    masks : mapping of str to str
        The mask of each column, as users write it.
    random : Generator
        What random choices follow from. Nobody who has the release must be able to guess it.
    """
    replaced: dict[str, npt.NDArray[np.generic]] = {}
    for text in dict.fromkeys(masks.values()):
        chosen = read_mask(text)
        columns = [_column(table, name, chosen) for name in masks if masks[name] == text]
        masked = _masked(np.column_stack([column.values for column in columns]), columns, chosen, random)
        replaced |= {column.name: _restored(column, masked[:, j]) for j, column in enumerate(columns)}
    return replaced


def mask_values(
    values: FloatArray, columns: Sequence[QuasiColumn], chosen: ChosenMask, random: np.random.Generator
) -> tuple[FloatArray, list[str]]:
    """Give values of which all columns that the mask takes are masked together, and the names of the others.

    Parameters
    ----------
    values : array of shape (n, q)
        Numbers, or codes of categories.
    columns : sequence of QuasiColumn
        What they are.
    chosen : ChosenMask
        What to do with them.
    random : Generator
        What random choices follow from.
    """
    fits = [(column.kind is Kind.NUMERIC) == (chosen.mask.takes == "numbers") for column in columns]
    places = [j for j, fit in enumerate(fits) if fit]
    if not places:
        raise InvalidOption(f"{chosen.mask.name} takes {chosen.mask.takes}, and no quasi-identifier holds such.")
    masked = values.copy()
    masked[:, places] = _masked(values[:, places], [columns[j] for j in places], chosen, random)
    return masked, [column.name for column, fit in zip(columns, fits, strict=True) if not fit]


def _column(table: Table, name: str, chosen: ChosenMask) -> QuasiColumn:
    """Read a column as the mask takes it."""
    if chosen.mask.takes == "numbers" and table.storage(name) not in (Storage.NUMERIC, Storage.DATE):
        raise InvalidOption(
            f"column {name!r} holds {table.storage(name)} values; {chosen.mask.name} takes numbers and dates. Use pram "
            "for categories."
        )
    kind = "numeric" if chosen.mask.takes == "numbers" else "nominal"
    (column,) = quasi_columns(table, [name], {name: kind})
    infinite = np.isinf(column.values)
    if infinite.any():
        raise infinite_value(name, int(np.argmax(infinite)))
    return column


def _masked(
    values: FloatArray, columns: Sequence[QuasiColumn], chosen: ChosenMask, random: np.random.Generator
) -> FloatArray:
    """Mask columns together; numbers are as fine as they were."""
    masked = chosen(values, random)
    for j, column in enumerate(columns):
        if column.kind is not Kind.NUMERIC:
            continue
        is_date = column.storage is Storage.DATE
        known = values[~np.isnan(values[:, j]), j]
        step = 1.0 if column.is_integer else step_of(known, is_date=is_date)
        if step:
            rounded = Rounded(unit=step) if is_date else Rounded(digits_of_step(step))
            masked[:, j] = rounded.apply(masked[:, j]) + 0.0
    return masked


def _restored(column: QuasiColumn, masked: FloatArray) -> npt.NDArray[Any]:
    """Give what the table is to hold; whole numbers are whole again."""
    restored = column.restore(masked)
    whole = column.kind is Kind.NUMERIC and column.is_integer and not np.isnan(masked).any()
    return restored.astype(np.int64) if whole and np.abs(masked).max() < INT64.max else restored
