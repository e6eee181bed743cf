"""Dates that a table holds as text, or as whole numbers such as 20190829: read in one form, and written in it again."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.dates import DateForm, fitting_forms, says_date
from microagg.base.schema import Storage
from microagg.base.table import Table
from microagg.base.types import FloatArray
from microagg.errors import InvalidData, InvalidOption

LOOKED_AT = 50
"""So many records are looked at first: most columns that hold no dates are known by then."""
_EXAMPLE = datetime.datetime(2019, 8, 29, 13, 45, 7)


@dataclass(frozen=True)
class DateText:
    """How a column writes its dates.

    Attributes
    ----------
    read, written : str
        The formats in which its dates are read, and written again: with or without zeros before days and months.
    as_numbers : bool
        Whether they are whole numbers, such as 20190829.
    """

    read: str
    written: str
    as_numbers: bool = False

    def seconds(self, table: Table, name: str) -> FloatArray:
        """Give a column as seconds since 1970, NaN where a date is missing."""
        column = table.categories(name)
        moments = [_seconds(_text(value), self.read) for value in column.values]
        if any(moment is None for moment in moments):
            bad = [moments[code] is None and code >= 0 for code in column.codes.tolist()]
            raise InvalidData(
                f"column {name!r} must hold dates that are written like {_EXAMPLE.strftime(self.written)!r} "
                f"({self.read}); record {bad.index(True) + 1} holds something else. Correct it, or give another "
                "format: kinds={...: 'date:%d.%m.%Y'}, --kind NAME=date:%d.%m.%Y."
            )
        return np.array([*(moment for moment in moments if moment is not None), np.nan])[column.codes]

    def write(self, seconds: FloatArray) -> npt.NDArray[Any]:
        """Give dates as the column holds them; None or masked where one is missing.

        >>> DateText("%d.%m.%Y", "%d.%m.%Y").write(np.array([86400.0, np.nan])).tolist()
        ['02.01.1970', None]
        """
        gaps = np.isnan(seconds)
        distinct, places = np.unique(np.where(gaps, 0.0, seconds), return_inverse=True)
        moments = np.round(distinct * 1e6).astype(np.int64).astype("M8[us]").tolist()
        texts = np.array([moment.strftime(self.written) for moment in moments], dtype=object)[places]
        if self.as_numbers:
            numbers = texts.astype(np.int64)
            return np.ma.MaskedArray(numbers, gaps) if gaps.any() else numbers
        texts[gaps] = None
        return texts


def given_dates(table: Table, name: str, form: str) -> DateText:
    """Give how a column writes its dates where the user says in which format."""
    texts = [_text(value) for value in table.categories(name).values[:LOOKED_AT]]
    written = DateForm("", "", form).as_written([text for text in texts if text])
    return DateText(form, written, table.storage(name) is Storage.NUMERIC)


def guessed_dates(table: Table, name: str) -> DateText | None:
    """Give how a column writes its dates, where all of its values are dates in one form; None where that is not so.

    Whole numbers are dates only where the name of the column says so.
    """
    storage = table.storage(name)
    if storage is not Storage.TEXT and not (storage is Storage.NUMERIC and says_date(name)):
        return None
    forms = _forms(table, name)
    if len(forms) != 1:
        return None
    texts = [_text(value) for value in table.categories(name).values[:LOOKED_AT]]
    return DateText(forms[0].format, forms[0].as_written(texts), storage is Storage.NUMERIC)


def date_without_format(table: Table, name: str) -> InvalidData:
    """Say why a column cannot be read as dates without a format."""
    several = [form.format for form in _forms(table, name)]
    if several:
        return InvalidData(
            f"column {name!r} holds dates in which day and month could stand in either order. Say which is meant: "
            f"kinds={{...: 'date:{several[0]}'}}, --kind NAME=date:{several[0]}, or date:{several[1]}."
        )
    return InvalidData(
        f"column {name!r} holds no dates in a form that is known. Give the format, two-digit years (%y) included: "
        "kinds={...: 'date:%d.%m.%y'}, --kind NAME=date:%d.%m.%y."
    )


def is_ambiguous(table: Table, name: str) -> bool:
    """Say whether a column of text holds dates in which day and month could stand in either order."""
    return table.storage(name) is Storage.TEXT and len(_forms(table, name)) > 1


def check_format(name: str, form: str) -> None:
    """Refuse a format of dates that cannot be read back.

    >>> check_format("day", "%d.%m.%Y")
    """
    known = bool(form) and ("%Y" in form or "%y" in form)
    if not known or _seconds(_EXAMPLE.strftime(form), form) is None:
        raise InvalidOption(
            f"the kind of column {name!r}: a format of dates must say the year (%Y, or %y of two digits), and may say "
            f"%m, %d, %H, %M and %S, such as date:%d.%m.%Y; got {form!r}."
        )


def _forms(table: Table, name: str) -> list[DateForm]:
    """Give the forms in which all values of a column are dates."""
    n_first = min(LOOKED_AT, table.n_records)
    first = [_text(value) for value in table.peek([name], np.arange(n_first))[name] if value is not None]
    if not first or not fitting_forms(first, name):
        return []
    return fitting_forms([_text(value) for value in table.categories(name).values], name)


def _text(value: Any) -> str:
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole else str(value).strip()


def _seconds(text: str, form: str) -> float | None:
    try:
        moment = datetime.datetime.strptime(text, form)
    except ValueError:
        return None
    return moment.replace(tzinfo=datetime.UTC).timestamp()
