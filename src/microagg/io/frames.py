"""Data frames of any kind that narwhals knows: pandas, polars, pyarrow and their like, in and out again."""

from __future__ import annotations

import datetime
import decimal
import zoneinfo
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from microagg.base.groups import class_sizes
from microagg.base.schema import Storage
from microagg.base.table import CategoryColumn, Described, NumericColumn, RecodedColumn
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidData
from microagg.io.bare import bare
from microagg.io.columns import (
    CONVERT,
    check_known,
    check_names,
    check_replacements,
    check_rows,
    descriptions,
    fit,
    not_dates,
    not_numeric,
    seconds,
)
from microagg.io.duck import DuckTable, from_arrays

if TYPE_CHECKING:
    import narwhals as nw

NUMBERS = (int, float, decimal.Decimal, np.integer, np.floating)


@dataclass(frozen=True)
class FrameTable:
    """A data frame; implements `microagg.base.table.Table`. Make one with `wrap`."""

    frame: nw.DataFrame[Any]
    keep_index: bool = False
    """Whether the rows of pandas frames leave with their labels; they get new ones else."""
    recodings: Mapping[str, Described] = field(default_factory=dict)
    """What is said of columns that were recoded to text."""

    @property
    def lost_index(self) -> str | None:
        """What the labels of the rows are called, where there are some that do not leave; None else."""
        native = self.frame.to_native()
        if self.keep_index or not self.frame.implementation.is_pandas_like() or _is_counted(native.index):
            return None
        return ", ".join(str(name) for name in native.index.names if name is not None) or "without a name"

    def with_labels(self) -> tuple[FrameTable, tuple[str, ...]]:
        """Give the table with the labels of the rows as columns of their own, and the names of these.

        Labels that count the rows from 0 are no columns.
        """
        import narwhals as nw

        native = self.frame.to_native()
        if not self.frame.implementation.is_pandas_like() or _is_counted(native.index):
            return self, ()
        levels: list[str] = []
        for place, given in enumerate(native.index.names):
            name = "index" if given is None else str(given)
            while name in self.names or name in levels:
                name = f"{name} of level {place}"
            levels.append(name)
        return FrameTable(nw.from_native(native.reset_index(names=levels), eager_only=True)), tuple(levels)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(self.frame.columns)

    @property
    def n_records(self) -> int:
        """How many records there are."""
        return len(self.frame)

    def storage(self, name: str) -> Storage:
        """Say what the column holds."""
        import narwhals as nw

        dtype = self._series(name).dtype
        if dtype == nw.Object:
            return _storage_of_objects(self._objects(name))
        if dtype.is_numeric():
            return Storage.NUMERIC
        if dtype == nw.Boolean:
            return Storage.BOOLEAN
        if dtype in (nw.String, nw.Categorical, nw.Enum):
            return Storage.TEXT
        return Storage.DATE if dtype in (nw.Date, nw.Datetime) else Storage.OTHER

    def numeric(self, name: str) -> NumericColumn:
        """Give the column as numbers; InvalidData where it is not numeric."""
        import narwhals as nw

        series = self._series(name)
        if series.dtype == nw.Object:
            return self._numeric_objects(name)
        if not series.dtype.is_numeric():
            raise not_numeric(name, f"{self.storage(name)} values ({series.dtype})")
        if _is_plain_number(series.dtype):
            # Not by a cast of the frame's own: pyarrow refuses whole numbers that floats cannot hold exactly.
            exact, missing = self._numbers(series)
            values = exact.astype(np.float64)
            values[missing] = np.nan
        else:
            values = np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
        is_integer = series.dtype.is_integer() or getattr(series.dtype, "scale", None) == 0
        return NumericColumn(values, is_integer)

    def _numeric_objects(self, name: str) -> NumericColumn:
        """Give numbers that are stored as Python objects, such as decimals or numbers among missing values."""
        objects = self._objects(name)
        for row, value in enumerate(objects):
            if value is not None and (isinstance(value, bool | np.bool_) or not isinstance(value, NUMBERS)):
                raise InvalidData(
                    f"Column {name!r} must hold numbers; record {row + 1} holds {type(value).__name__}. {CONVERT}"
                )
        try:
            values = np.array([np.nan if value is None else float(value) for value in objects], dtype=np.float64)
        except OverflowError as error:
            raise InvalidData(
                f"Column {name!r} holds a number beyond 1.8e308, the largest that can be used."
            ) from error
        present = [value for value in objects if value is not None]
        return NumericColumn(values, bool(present) and all(isinstance(v, int | np.integer) for v in present))

    def codes(self, name: str) -> IntArray:
        """Give whole numbers that are equal where the values are equal."""
        series = _in_nanoseconds(self._series(name))
        if _is_plain_number(series.dtype):
            values, missing = self._numbers(series)
            values[missing] = 0
            codes = np.unique(values, return_inverse=True)[1].astype(np.int64)
            codes[missing] = -1
            return codes + 1
        seen: dict[Any, int] = {}
        objects = (_hashable(value) for value in self._objects(name))
        return np.array([seen.setdefault(value, len(seen)) for value in objects], dtype=np.int64)

    def spellings(self, name: str) -> IntArray:
        """Give whole numbers that are equal only where a reader of the frame sees the same."""
        series = _in_nanoseconds(self._raw(name))
        if _is_plain_number(series.dtype):
            missing = np.array(series.is_null().to_numpy(), dtype=bool)
            values = np.array((series.fill_null(0) if missing.any() else series).to_numpy())
            # The bits tell 0 from -0, and a missing number from one that is none.
            bits = values.view(f"i{values.dtype.itemsize}") if values.dtype.kind == "f" else values
            return np.unique(np.column_stack([bits, missing]), axis=0, return_inverse=True)[1].astype(np.int64).ravel()
        seen: dict[Any, int] = {}
        shown = ((type(value), _shown(value)) for value in series.to_list())
        return np.array([seen.setdefault(value, len(seen)) for value in shown], dtype=np.int64)

    def n_alone(self, names: Collection[str]) -> dict[str, int]:
        """Say how many records have a value that no other record has."""
        return {name: int((np.unique(self.codes(name), return_counts=True)[1] == 1).sum()) for name in names}

    def n_alone_together(self, names: Collection[str]) -> int:
        """Say how many records have a combination of values that no other record has."""
        if not names:
            return 0
        return int((class_sizes(np.column_stack([self.codes(name) for name in names])) == 1).sum())

    def n_distinct(self, names: Collection[str]) -> dict[str, int]:
        """Say how many different values each of these columns has."""
        return {name: self._n_distinct(name) for name in names}

    def _n_distinct(self, name: str) -> int:
        series = _in_nanoseconds(self._series(name))
        if _is_plain_number(series.dtype):
            values, missing = self._numbers(series)
            return len(np.unique(values[~missing]))
        return len({_hashable(value) for value in self._objects(name) if value is not None})

    def peek(self, names: Collection[str], rows: IntArray) -> dict[str, list[Any]]:
        """Give values of some records as Python objects."""
        few = self if len(rows) == self.n_records else self.take(rows)
        return {name: few._values(name) for name in names}

    def _values(self, name: str) -> list[Any]:
        """Give the values as Python objects; numbers quickly."""
        series = self._series(name)
        if not _is_plain_number(series.dtype):
            return self._objects(name)
        numbers, missing = self._numbers(series)
        values: list[Any] = numbers.tolist()
        for row in np.flatnonzero(missing).tolist():
            values[row] = None
        return values

    def described(self, name: str) -> Described:
        """Say what is said of the column beside its values: the order of categories that have one."""
        column = self._raw(name)
        if name in self.recodings:
            return self.recodings[name]
        dtype: Any = column.to_native().dtype if self.frame.implementation.is_pandas_like() else None
        return Described(order=tuple(dtype.categories)) if getattr(dtype, "ordered", False) else Described()

    def unify(self, names: Collection[str]) -> Self:
        """Let equal values of these columns be released alike: each as the first record has it."""
        table = self
        for name in names:
            first, spelled = _first_of_equals(self.codes(name)), self.spellings(name)
            if (spelled != spelled[first]).any():
                table = replace(table, frame=table.frame.with_columns(table._gathered(name, first)))
        return table

    def _gathered(self, name: str, rows: IntArray) -> nw.Series[Any]:
        """Give the column with the values of these rows, in place of its own."""
        import narwhals as nw

        series = self._raw(name)
        gathered = series[rows]
        if not series.implementation.is_pandas_like():
            return gathered
        native = gathered.to_native()
        native.index = series.to_native().index
        return nw.from_native(native, series_only=True)

    def categories(self, name: str) -> CategoryColumn:
        """Give the column as categories."""
        import narwhals as nw

        if self._series(name).dtype == nw.String:
            return _text_categories(self._series(name).to_list())
        seen: dict[Any, int] = {}
        values: list[Any] = []
        codes = np.empty(self.n_records, dtype=np.int64)
        for row, value in enumerate(self._objects(name)):
            key = None if value is None else _hashable(value)
            if key is not None and key not in seen:
                seen[key] = len(values)
                values.append(value)
            codes[row] = -1 if key is None else seen[key]
        return CategoryColumn(codes, tuple(values))

    def dates(self, name: str) -> FloatArray:
        """Give the column of dates as seconds since 1970."""
        if self.storage(name) is not Storage.DATE:
            raise not_dates(name, f"{self.storage(name)} values")
        moments = [None if value is None else _wall_clock(value) for value in self._objects(name)]
        return seconds(np.array(moments, dtype="M8[us]"))

    def read_dates(self, name: str, form: str) -> bool:
        """Frames hold text as text."""
        return False

    def with_columns(self, columns: Mapping[str, npt.NDArray[np.generic]]) -> Self:
        """Replace these columns by arrays of numbers."""
        checked = check_replacements(columns, self.names, self.n_records)
        series = [self._replacement(self._series(name), array) for name, array in checked.items()]
        return replace(self, frame=self.frame.with_columns(*series)) if series else self

    def recoded(self, columns: Mapping[str, RecodedColumn]) -> Self:
        """Put others in the place of these columns."""
        if not columns:
            return self
        series = [self._recoded(self._series(name), column) for name, column in columns.items()]
        return replace(self, frame=self.frame.with_columns(*series), recodings=descriptions(self.recodings, columns))

    def _recoded(self, old: nw.Series[Any], column: RecodedColumn) -> nw.Series[Any]:
        """Give a column of numbers in the type of the old one where that can hold them, or one of text."""
        import narwhals as nw

        is_pandas = old.implementation.is_pandas_like()
        if column.texts is not None:
            fresh = nw.new_series(old.name, column.objects(), nw.String, backend=old.implementation)
        elif old.dtype.is_float() or not column.is_integer:
            return self._replacement(old, column.values)
        elif not np.isnan(column.values).any():
            return self._replacement(old, column.values.astype(np.int64))
        elif is_pandas:
            # Whole numbers with gaps among them: types of pandas itself or of Arrow have room for these.
            native = old.to_native()
            fits = native.dtype if old.dtype == nw.Int64 or old.dtype == nw.Object else "Int64"
            return nw.from_native(
                type(native)(column.objects(), index=native.index, name=old.name, dtype=fits), series_only=True
            )
        else:
            fresh = nw.new_series(old.name, column.objects(), nw.Int64, backend=old.implementation)
        if not is_pandas:
            return fresh
        native = fresh.to_native()
        native.index = old.to_native().index
        return nw.from_native(native, series_only=True)

    def without(self, names: Collection[str]) -> Self:
        """Leave these columns out."""
        for name in names:
            check_known(name, self.names)
        return replace(self, frame=self.frame.select([name for name in self.names if name not in names]))

    def take(self, rows: IntArray) -> Self:
        """Keep these rows, in this order."""
        return replace(self, frame=self.frame[check_rows(rows, self.n_records), :])

    def native(self) -> Any:
        """Give the frame of the kind that came in, without what is not needed for its values; see `bare`.

        The labels of the rows of a pandas frame are new, unless they were asked for.
        """
        native = bare(self.frame).to_native()
        if self.keep_index or not self.frame.implementation.is_pandas_like():
            return native
        return native.reset_index(drop=True)

    def to_duck(self) -> DuckTable:
        """Bring the table into DuckDB, to be written as text or Parquet."""
        return from_arrays({name: self._array(name) for name in self.names})

    def _raw(self, name: str) -> nw.Series[Any]:
        """Give the column as it is released."""
        if name not in self._columns:
            check_known(name, self.names)
        return self._columns[name]

    @cached_property
    def _columns(self) -> dict[str, nw.Series[Any]]:
        return {series.name: series for series in self.frame.iter_columns()}

    def _series(self, name: str) -> nw.Series[Any]:
        """Give the column as it is understood."""
        return self._raw(name)

    def _objects(self, name: str) -> list[Any]:
        """Give the values as Python objects, None for every kind of missing."""
        return [_plain(value) for value in self._series(name).to_list()]

    def _numbers(self, series: nw.Series[Any]) -> tuple[npt.NDArray[Any], BoolArray]:
        """Give the exact numbers, and which of them are missing."""
        missing = np.array(series.is_null().to_numpy(), dtype=bool)
        values = np.array((series.fill_null(0) if missing.any() else series).to_numpy())
        if values.dtype.kind == "f":
            missing |= np.isnan(values)
        return values, missing

    def _array(self, name: str) -> npt.NDArray[Any]:
        """Give the column as DuckDB takes it."""
        series = self._series(name)
        if _is_plain_number(series.dtype):
            return np.ma.MaskedArray(*self._numbers(series))
        values = self._objects(name)
        if len({_family(value) for value in values if value is not None}) > 1:
            # A column of a database has one type: of several, text is the one that holds them all.
            values = [None if value is None else str(value) for value in values]
        objects = np.empty(self.n_records, dtype=object)
        objects[:] = values
        return objects

    def _replacement(self, old: nw.Series[Any], array: npt.NDArray[np.generic]) -> nw.Series[Any]:
        """Give the array as a column of the frame, in the type of the old one where that can hold it."""
        import narwhals as nw

        if array.dtype.kind in "MO":
            return self._replacement_of_others(old, array)
        if np.ma.is_masked(array):
            return self._replacement_with_gaps(old, array)
        array = np.ma.getdata(array)
        stored = np.dtype(str(old.dtype).lower()) if _is_plain_number(old.dtype) else np.float64
        fitted = fit(array, stored)
        dtype = getattr(nw, fitted.dtype.name.replace("int", "Int").replace("uI", "UI").replace("float", "Float"))
        if old.implementation.is_pandas_like():
            # pandas has several types for the same numbers (numpy, nullable, Arrow): stay in the family.
            native = old.to_native()
            if old.dtype != dtype:
                native = (
                    old.head(0)  # the type alone is asked for
                    if old.dtype.is_numeric()
                    else nw.new_series(old.name, fitted, backend=old.implementation)
                )
                native = native.cast(dtype).to_native()
            fresh = type(native)(fitted, index=old.to_native().index, name=old.name).astype(native.dtype)
            return nw.from_native(fresh, series_only=True)
        new = nw.new_series(old.name, fitted, dtype, backend=old.implementation)
        return new.fill_nan(None) if fitted.dtype.kind == "f" else new

    def _replacement_with_gaps(self, old: nw.Series[Any], array: npt.NDArray[np.generic]) -> nw.Series[Any]:
        """Give numbers, of which some are missing, as a column of the frame; NaN where a type knows nothing else."""
        import narwhals as nw

        if array.dtype.kind in "iu" and old.dtype.is_integer():
            return _whole_with_gaps(old, array.tolist())
        if old.implementation.is_pandas_like() and isinstance(old.to_native().dtype, np.dtype):
            return self._replacement(old, np.ma.filled(array.astype(np.float64), np.nan))
        whole = self._replacement(old, np.ma.filled(array, 0))
        gaps = np.ma.getmaskarray(array)
        values = [None if lacks else value for value, lacks in zip(np.ma.getdata(array).tolist(), gaps, strict=True)]
        if not old.implementation.is_pandas_like():
            return nw.new_series(old.name, values, whole.dtype, backend=old.implementation)
        native = whole.to_native()
        fresh = type(native)(values, index=native.index, name=old.name, dtype=native.dtype)
        return nw.from_native(fresh, series_only=True)

    def _replacement_of_others(self, old: nw.Series[Any], array: npt.NDArray[np.generic]) -> nw.Series[Any]:
        """Give dates or Python objects as a column of the frame; dates and truth values in the type of the old one."""
        import narwhals as nw

        values: list[Any] = array.astype("M8[us]").tolist() if array.dtype.kind == "M" else array.tolist()
        if old.dtype == nw.Date and array.dtype.kind == "M":
            values = [None if moment is None else moment.date() for moment in values]
        zone = getattr(old.dtype, "time_zone", None) if array.dtype.kind == "M" else None
        if zone is not None:
            values = _in_zone(values, zone)
        if old.implementation.is_pandas_like():
            index = old.to_native().index
            native = type(old.to_native())(values, index=index, name=old.name, dtype=_pandas_dtype(old, values))
            return nw.from_native(native, series_only=True)
        if zone is not None:
            moments = nw.new_series(old.name, values, nw.Datetime("us", "UTC"), backend=old.implementation)
            return moments.dt.convert_time_zone(zone)
        if array.dtype.kind == "M" or old.dtype == nw.Boolean:
            return nw.new_series(old.name, values, old.dtype, backend=old.implementation)
        try:
            texts = [None if value is None else str(value) for value in values]
            return nw.new_series(old.name, texts, nw.String, backend=old.implementation)
        except UnicodeEncodeError as error:
            raise InvalidData(
                f"Column {old.name!r} holds text that is no Unicode. Correct it or leave it out."
            ) from error


SPREAD_FRAMES = {"pyspark": "Spark", "dask": "Dask"}
"""Packages whose frames lie on a cluster, and what people call them: each has a call of its own."""


def wrap(frame: Any, *, keep_index: bool = False) -> FrameTable:
    """Make a table of a data frame.

    Parameters
    ----------
    frame : data frame
        pandas, polars, pyarrow, or any other eager frame that narwhals knows.
    keep_index : bool
        Whether the rows of pandas frames leave with their labels, which may be names or tell the order that they had.

    Examples
    --------
    >>> import polars as pl
    >>> table = wrap(pl.DataFrame({"age": [30, 41], "city": ["Oslo", "Lima"]}))
    >>> table.names, table.storage("city")
    (('age', 'city'), <Storage.TEXT: 'text'>)
    """
    import narwhals as nw

    engine = SPREAD_FRAMES.get(type(frame).__module__.partition(".")[0])
    if engine is not None:
        raise InvalidData(
            f"The data must be in memory; got a frame of {engine}. "
            f"Call microagg.{engine.lower()}.anonymize with it instead."
        )
    try:
        wrapped = nw.from_native(frame, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise InvalidData(f"The data frame: each column needs a name of its own. {error}") from error
    if isinstance(wrapped, nw.LazyFrame):
        raise InvalidData(f"The data must be in memory; got a lazy {type(frame).__name__}. Call its collect() first.")
    if not isinstance(wrapped, nw.DataFrame):
        raise InvalidData(
            f"The data must be a data frame (pandas, polars, pyarrow or the like); got {type(frame).__name__}."
        )
    check_names(wrapped.columns, "The data frame")
    return FrameTable(wrapped, keep_index)


def _in_nanoseconds(series: nw.Series[Any]) -> nw.Series[Any]:
    """Give times that are finer than Python's as whole numbers, which lose nothing; other columns as they are."""
    import narwhals as nw

    if series.dtype == nw.Time:
        return series.cast(nw.Int64)
    if getattr(series.dtype, "time_unit", None) != "ns":
        return series
    return series.dt.timestamp("ns") if series.dtype == nw.Datetime else series.dt.total_nanoseconds()


def _is_counted(index: Any) -> bool:
    """Say whether a pandas index only counts the rows from 0."""
    return index.nlevels == 1 and index.name is None and index.equals(type(index)(range(len(index))))


def _first_of_equals(codes: IntArray) -> IntArray:
    """Give for each record the first row that has its code.

    >>> _first_of_equals(np.array([7, 3, 7])).tolist()
    [0, 1, 0]
    """
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rows: IntArray = first[inverse].astype(np.int64)
    return rows


def _text_categories(values: list[Any]) -> CategoryColumn:
    """Give a column of texts as categories; what is no text is missing.

    >>> _text_categories(["b", None, "a", "b"])
    CategoryColumn(codes=array([ 0, -1,  1,  0]), values=('b', 'a'))
    """
    distinct = dict.fromkeys(values)
    texts = [value for value in distinct if _plain(value) is not None]
    place = {**dict.fromkeys(distinct, -1), **{text: code for code, text in enumerate(texts)}}
    codes = np.fromiter(map(place.__getitem__, values), dtype=np.int64, count=len(values))
    return CategoryColumn(codes, tuple(texts))


def _plain(value: Any) -> Any:
    """Give a value, or None for any of the things that stand for a missing one: None, NaN, NaT, NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, decimal.Decimal):
        return None if value.is_nan() else value
    if isinstance(value, float | np.floating) and value != value:
        return None
    return value


def _shown(value: Any) -> str:
    """Give all of a value as text: arrays leave out their middle by themselves."""
    return repr(value.tolist()) if isinstance(value, np.ndarray) else repr(value)


def _whole_with_gaps(old: nw.Series[Any], numbers: list[int | None]) -> nw.Series[Any]:
    """Give whole numbers and gaps as a column: in the type of the old one, where that can hold them."""
    import narwhals as nw

    if not old.implementation.is_pandas_like():
        return nw.new_series(old.name, numbers, old.dtype, backend=old.implementation)
    native = old.to_native()
    # Whole numbers of NumPy know no gaps; pandas has others that do.
    dtype = "Int64" if isinstance(native.dtype, np.dtype) else native.dtype
    fresh = type(native)(numbers, index=native.index, dtype=dtype, name=old.name)
    return nw.from_native(fresh, series_only=True)


def _is_plain_number(dtype: Any) -> bool:
    """Say whether NumPy has this type of number; it lacks whole numbers of 128 bits and decimals."""
    return bool(dtype.is_integer() or dtype.is_float()) and "128" not in str(dtype)


def _hashable(value: Any) -> Any:
    """Give something that is equal and hashed alike where values are: lists and structures as text."""
    try:
        hash(value)
    except TypeError:
        return _shown(value)
    # True == 1 for Python, but not for anybody who compares records.
    return (bool, value) if isinstance(value, bool) else value


def _wall_clock(value: Any) -> datetime.datetime:
    """Give a date or time as its clock shows it, whatever its time zone."""
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)
    return datetime.datetime(value.year, value.month, value.day)


def _pandas_dtype(old: nw.Series[Any], values: list[Any]) -> Any:
    """Give the pandas type for a replaced column: the old one, or plain text where categories are not enough."""
    import narwhals as nw

    native = old.to_native().dtype
    if any(isinstance(value, str) for value in values) and (
        old.dtype.is_numeric() or old.dtype in (nw.Date, nw.Datetime, nw.Boolean)
    ):
        return "str" if all(value is None or isinstance(value, str) for value in values) else object
    if old.dtype in (nw.Categorical, nw.Enum):
        there = {value for value in values if value is not None}
        known = native.categories if hasattr(native, "categories") else old.cat.get_categories().to_list()
        if there <= set(known):
            return native
        return "str" if all(isinstance(value, str) for value in there) else object
    if None in values and getattr(native, "kind", "") == "b" and isinstance(native, np.dtype):
        return "boolean"  # truth values of NumPy know no gaps
    return native


def _in_zone(moments: list[datetime.datetime | None], zone: str) -> list[datetime.datetime | None]:
    """Give what clocks in a time zone show as moments in UTC.

    A mean may fall into the hour that clocks skip in spring: it becomes the moment as far after the change. Of the hour
    that they show twice in autumn, the first is meant.
    """
    try:
        clock: datetime.tzinfo = zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):  # a fixed distance from UTC, such as +02:00
        offset = datetime.datetime.strptime(zone.removeprefix("UTC"), "%z").tzinfo
        clock = datetime.UTC if offset is None else offset
    return [None if m is None else m.replace(tzinfo=clock).astimezone(datetime.UTC) for m in moments]


def _family(value: Any) -> object:
    """Say what a database would take a value for; equal for values that it can keep in one column."""
    if isinstance(value, bool | np.bool_):
        return bool
    if isinstance(value, NUMBERS):
        return float
    if isinstance(value, str):
        return str
    if isinstance(value, datetime.datetime):
        return datetime.datetime, value.tzinfo is None
    return type(value)


def _storage_of_objects(objects: list[Any]) -> Storage:
    kinds = {_storage_of_object(value) for value in objects if value is not None}
    return kinds.pop() if len(kinds) == 1 else Storage.OTHER


def _storage_of_object(value: Any) -> Storage:
    if isinstance(value, bool | np.bool_):
        return Storage.BOOLEAN
    if isinstance(value, NUMBERS):
        return Storage.NUMERIC
    if isinstance(value, str):
        return Storage.TEXT
    return Storage.DATE if isinstance(value, datetime.date) else Storage.OTHER
