"""Checks that tables of files and of frames have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from microagg.base.schema import no_such_column
from microagg.base.table import Described, RecodedColumn
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption

CONVERT = "Convert the column to numbers first, or leave it out of the columns that must be numeric."


def check_names(names: Iterable[object], what: str) -> tuple[str, ...]:
    """Give the column names, if they are text and all different.

    >>> check_names(["age", "sex"], "people.csv")
    ('age', 'sex')
    """
    checked: list[str] = []
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise InvalidData(f"{what}: column names must be text; the name of column {position} is {name!r}.")
        if name in seen:
            named = f"are both named {name!r}" if name else "both have no name"
            raise InvalidData(f"{what}: columns {seen[name]} and {position} {named}. Give each its own name.")
        seen[name] = position
        checked.append(name)
    return tuple(checked)


def check_known(name: str, names: Sequence[str]) -> None:
    """Say which columns there are when this one is not among them."""
    if name not in names:
        raise InvalidOption(no_such_column(name, names))


def not_numeric(name: str, holds: str) -> InvalidData:
    """Build the error for a column that does not hold numbers at all."""
    return InvalidData(f"Column {name!r} must hold numbers; it holds {holds}. {CONVERT}")


def check_rows(rows: npt.ArrayLike, n_records: int) -> IntArray:
    """Give row numbers as int64, each between 0 and n - 1.

    >>> check_rows([2, 0], 3).tolist()
    [2, 0]
    """
    array = np.asarray(rows)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidData(f"rows must be a list of whole numbers; got {array.dtype} of shape {array.shape}.")
    if array.size and not (array.min() >= 0 and array.max() < n_records):
        raise InvalidData(f"rows must be between 0 and {n_records - 1}; got {array.min()} to {array.max()}.")
    return array.astype(np.int64, copy=False)


def check_replacements(
    columns: Mapping[str, npt.NDArray[np.generic]], names: Sequence[str], n_records: int
) -> dict[str, npt.NDArray[np.generic]]:
    """Check that these arrays can stand in for columns: known names, one value for each record."""
    checked = {}
    for name, values in columns.items():
        check_known(name, names)
        array = np.asanyarray(values)  # masked where something is missing
        if array.shape != (n_records,):
            raise InvalidData(f"Column {name!r} needs one value for each of {n_records} records; got {array.shape}.")
        if array.dtype.kind not in "iufMO":
            raise InvalidData(f"Column {name!r} can be replaced by numbers, dates or objects only; got {array.dtype}.")
        checked[name] = array
    return checked


def not_dates(name: str, holds: str) -> InvalidData:
    """Build the error for a column that does not hold dates at all."""
    return InvalidData(f"Column {name!r} must hold dates; it holds {holds}. Convert the column to dates first.")


def seconds(moments: npt.NDArray[np.generic]) -> FloatArray:
    """Give moments (datetime64) as seconds since 1970, NaN where one is missing.

    >>> seconds(np.array(["1970-01-02", "NaT"], dtype="M8[us]")).tolist()
    [86400.0, nan]
    """
    exact = moments.astype("M8[us]")
    return np.where(np.isnat(exact), np.nan, exact.astype(np.int64) / 1e6)


def fit(array: npt.NDArray[np.generic], stored: npt.DTypeLike) -> npt.NDArray[np.generic]:
    """Bring an array to the type of the column that it replaces, where that type can hold such numbers.

    Whole numbers keep the column's type of whole number if they lie in its range, floats keep float32; everything
    else becomes int64 or float64.

    >>> fit(np.array([1, 2]), np.int8).dtype, fit(np.array([1.5]), np.int8).dtype, fit(np.array([1.5]), "f4").dtype
    (dtype('int8'), dtype('float64'), dtype('float32'))
    """
    if array.dtype.kind in "MO":
        return array.astype("M8[us]") if array.dtype.kind == "M" else array
    wanted = np.dtype(stored)
    if array.dtype.kind in "iu":
        if wanted.kind in "iu":
            limits = np.iinfo(wanted)
            known = np.ma.compressed(array)
            if not known.size or (int(known.min()) >= limits.min and int(known.max()) <= limits.max):
                return array.astype(wanted)
        return array.astype(np.int64)
    return array.astype(wanted if wanted == np.float32 else np.float64, copy=False)


def descriptions(standing: Mapping[str, Described], columns: Mapping[str, RecodedColumn]) -> dict[str, Described]:
    """Give what is said of columns that were recoded to text, after some were recoded anew."""
    kept = {name: described for name, described in standing.items() if name not in columns}
    return kept | {name: column.described for name, column in columns.items() if column.texts is not None}
