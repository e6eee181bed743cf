"""Quasi-identifiers of a table as columns that methods can group, and back: kinds guessed, or as the user says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.schema import Kind, Storage
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.prepare.check import ColumnFinding, TableLook
from microagg.prepare.dates import DateText, check_format, date_without_format, given_dates, guessed_dates, is_ambiguous
from microagg.prepare.missing import infinite_value
from microagg.semantic.attribute import Attribute, hierarchical, nominal, numeric, ordinal
from microagg.semantic.files import read_hierarchy
from microagg.semantic.generated import GENERATED, Generated, read_generated
from microagg.semantic.hierarchy import Hierarchy

KindGiven = str | Sequence[str] | Hierarchy
"""What the user may say of a column: "numeric", "nominal", "ordinal", "ordinal:low,high", "date", "date:FORMAT",
"hierarchy:FILE", "bands:5,10", "prefix:3,1", "parts:month,year", the values in their order, or a hierarchy."""

DATE = "date"
"""What the user may say of a column of dates, with their format behind a colon."""
INT64 = np.iinfo(np.int64)
MOST_TOLD = 5
"""How many columns a note names."""


@dataclass(frozen=True)
class QuasiColumn:
    """A quasi-identifier, ready to be grouped.

    Attributes
    ----------
    name : str
        The name of the column.
    storage : Storage
        How the table stores it.
    attribute : Attribute
        What it is treated as.
    values : array of n float
        The number, or the code, of each record; NaN where it is missing.
    is_integer : bool
        Whether numbers are stored as whole numbers.
    objects : tuple
        What stands in the table for each code.
    guessed : str
        Why its numbers are taken for codes, where nobody said so; "" else.
    dates : DateText, optional
        How it writes its dates, where it holds them as text or whole numbers.
    unsure : bool
        Whether its text may be dates, with day and month in an unknown order.
    """

    name: str
    storage: Storage
    attribute: Attribute
    values: FloatArray
    is_integer: bool = False
    objects: tuple[Any, ...] = ()
    guessed: str = ""
    dates: DateText | None = None
    unsure: bool = False

    @property
    def kind(self) -> Kind:
        """What it is treated as."""
        return self.attribute.kind

    def restore(self, released: FloatArray, *, whole: bool = False) -> npt.NDArray[Any]:
        """Give what the table is to hold for numbers or codes: whole numbers where that is asked for and they fit.

        A missing value is masked among whole numbers, NaN among others, not a time (NaT) among dates, None among
        objects.
        """
        if self.dates is not None:
            return self.dates.write(released)
        gaps = np.isnan(released)
        if self.kind is Kind.NUMERIC:
            known = np.where(gaps, 0.0, released)
            if self.storage is Storage.DATE:
                moments = np.round(known * 1e6).astype(np.int64).astype("M8[us]")
                moments[gaps] = np.datetime64("NaT")
                return moments
            if whole and np.abs(known).max() < INT64.max:
                numbers = known.astype(np.int64)
                return np.ma.MaskedArray(numbers, gaps) if gaps.any() else numbers
            return released.copy()
        codes = np.where(gaps, 0, released).astype(np.int64)
        if self.storage is Storage.NUMERIC and all(isinstance(value, int | float) for value in self.objects):
            values = np.array(self.objects)[codes]
            return np.ma.MaskedArray(values, gaps) if gaps.any() else values
        objects = np.empty(len(self.objects), dtype=object)
        objects[:] = self.objects
        restored: npt.NDArray[Any] = objects[codes]
        restored[gaps] = None
        return restored


def quasi_columns(
    table: Table, names: Sequence[str], kinds: Mapping[str, KindGiven], look: TableLook | None = None
) -> list[QuasiColumn]:
    """Read the quasi-identifiers of a table, each as the kind that the user gave, else as the kind that fits.

    Numbers and dates are numeric; text and truth values are nominal. Numbers that the column check takes for codes are
    what it says: of SPSS and Stata files, by their value labels and measure level. Categories to which a pandas frame
    gives an order are ordinal.
    """
    how = treatments(table, names, kinds, look)
    return [_column(table, name, how[name]) for name in names]


@dataclass(frozen=True)
class Treatment:
    """What a column is treated as.

    Attributes
    ----------
    kind : Kind
        Its kind.
    detail : object
        The order of its values, or its hierarchy.
    guessed : str
        Why numbers are treated as codes, where nobody said so.
    given : bool
        Whether the user said what it is.
    dates : DateText, optional
        How it writes its dates, where it holds them as text or whole numbers.
    unsure : bool
        Whether its text may be dates, with day and month in an unknown order.
    """

    kind: Kind
    detail: Any = None
    guessed: str = ""
    given: bool = False
    dates: DateText | None = None
    unsure: bool = False


def treatments(
    table: Table,
    names: Sequence[str],
    kinds: Mapping[str, KindGiven],
    look: TableLook | None = None,
    *,
    text_dates: bool = True,
) -> dict[str, Treatment]:
    """Say what each quasi-identifier is treated as: the kind that the user gave, else the one that fits.

    A look at the same table that was taken before (`look`) saves another one. Text is looked at for dates unless
    `text_dates` is False.
    """
    for name in kinds:
        if name not in names:
            raise InvalidOption(f"kinds must name quasi-identifiers ({', '.join(names)}); got {name!r}.")
    codes = guessed_codes(table, [name for name in names if kinds.get(name) is None], look)
    return {name: _treatment(table, name, kinds.get(name), codes.get(name), text_dates) for name in names}


def _treatment(
    table: Table, name: str, given: KindGiven | None, code: ColumnFinding | None, text_dates: bool
) -> Treatment:
    if isinstance(given, str) and given.partition(":")[0] == DATE:
        return _given_dates(table, name, given.partition(":")[2])
    unsure = False
    if text_dates and (given is None or (given == Kind.NUMERIC.value and table.storage(name) is Storage.TEXT)):
        dates = guessed_dates(table, name) if table.described(name).order is None else None
        unsure = dates is None and is_ambiguous(table, name)
        if dates is not None:
            return Treatment(Kind.NUMERIC, given=given is not None, dates=dates)
    kind, detail = _read(name, given, table.storage(name))
    order = table.described(name).order
    if given is not None:
        if kind is Kind.ORDINAL and detail is None and order is not None:
            detail = [text_of(value) for value in order]
        return Treatment(kind, detail, given=True)
    if order is not None:
        return Treatment(Kind.ORDINAL, [text_of(value) for value in order])
    if table.storage(name) is Storage.TEXT and table.described(name).measure == Kind.NOMINAL.value:
        return Treatment(Kind.NOMINAL, given=True)
    if code is not None and code.kind is not None:
        return Treatment(code.kind, guessed=code.reasons[0])
    return Treatment(kind, detail, unsure=unsure)


def _given_dates(table: Table, name: str, form: str) -> Treatment:
    """Read a column as dates, in this format where there is one."""
    if form and table.read_dates(name, form):
        return Treatment(Kind.NUMERIC, given=True)
    if table.storage(name) is Storage.DATE:
        return Treatment(Kind.NUMERIC, given=True)
    dates = given_dates(table, name, form) if form else guessed_dates(table, name)
    if dates is None:
        raise date_without_format(table, name)
    return Treatment(Kind.NUMERIC, given=True, dates=dates)


def guessed_codes(table: Table, names: Sequence[str], look: TableLook | None = None) -> dict[str, ColumnFinding]:
    """Say which columns of numbers seem to be codes, and why."""
    numbers = [name for name in names if table.storage(name) is Storage.NUMERIC] if table.n_records else []
    if look is None or look.table is not table:
        look = TableLook(table, numbers)
    findings = {name: look.finding(name) for name in numbers}
    return {name: each for name, each in findings.items() if each.kind in (Kind.NOMINAL, Kind.ORDINAL)}


def of_unsure_dates(columns: Sequence[QuasiColumn]) -> tuple[str, ...]:
    """Say aloud which text may be dates, and is treated as categories."""
    unsure = [repr(column.name) for column in columns if column.unsure]
    if not unsure:
        return ()
    more = f" and {len(unsure) - MOST_TOLD:,} more" if len(unsure) > MOST_TOLD else ""
    return (
        f"Columns that seem to hold dates, day and month in an unknown order, are treated as categories: "
        f"{', '.join(unsure[:MOST_TOLD])}{more}. Say which is meant: kinds={{...: 'date:%d/%m/%Y'}}, --kind "
        "NAME=date:%d/%m/%Y.",
    )


def of_codes(columns: Sequence[QuasiColumn]) -> tuple[str, ...]:
    """Say aloud which numbers were taken for codes."""
    codes = [column for column in columns if column.guessed]
    if not codes:
        return ()
    told = "; ".join(f"{column.name!r} ({column.kind}: {column.guessed})" for column in codes[:MOST_TOLD])
    more = f"; and {len(codes) - MOST_TOLD:,} more" if len(codes) > MOST_TOLD else ""
    return (
        f"Columns of numbers that are treated as codes: {told}{more}. Say kinds={{...: 'numeric'}}, --kind "
        "NAME=numeric, of one that is a number.",
    )


def _column(table: Table, name: str, treatment: Treatment) -> QuasiColumn:
    storage = table.storage(name)
    if treatment.kind is Kind.NUMERIC:
        if treatment.dates is not None:
            seconds = treatment.dates.seconds(table, name)
            return QuasiColumn(name, Storage.DATE, numeric(), seconds, dates=treatment.dates)
        if storage is Storage.DATE:
            return QuasiColumn(name, storage, numeric(), table.dates(name))
        column = table.numeric(name)
        return QuasiColumn(name, storage, numeric(), column.values, column.is_integer)
    categories = table.categories(name)
    present, rows = np.unique(categories.codes, return_index=True)
    first_rows = rows[present >= 0]
    described, code_of = categorical_column(name, storage, treatment, categories.values, first_rows)
    return replace(described, values=np.append(code_of, np.nan)[categories.codes])


def categorical_column(
    name: str, storage: Storage, treatment: Treatment, values: Sequence[Any], first_rows: IntArray
) -> tuple[QuasiColumn, FloatArray]:
    """Describe a column of categories, of its distinct values and the first row of each.

    Parameters
    ----------
    name, storage
        Of the column.
    treatment : Treatment
        What it is treated as.
    values : sequence
        Its distinct values, in order of first appearance, without a missing one.
    first_rows : array of int
        The first row of each, from 0.

    Returns
    -------
    QuasiColumn
        Without values.
    array of float
        The code of each distinct value.
    """
    kind, detail = treatment.kind, treatment.detail
    for value, row in zip(values, first_rows.tolist(), strict=True):
        if isinstance(value, float) and math.isinf(value):
            raise infinite_value(name, row)
    texts = [text_of(value) for value in values]
    if len(set(texts)) < len(texts):
        twice = next(place for place, text in enumerate(texts) if text in texts[:place])
        raise InvalidData(
            f"column {name!r} holds a value both as text and as a number or truth value, the latter first in record "
            f"{first_rows[twice] + 1}. Make the column one of them."
        )
    if not treatment.given and storage is Storage.TEXT and kind is Kind.NOMINAL:
        _check_words(name, texts, first_rows)
    if not texts:
        raise InvalidData(f"column {name!r} holds no value at all. Leave it out.")
    is_generated = isinstance(detail, Generated)
    if isinstance(detail, Generated):
        detail = detail.hierarchy(name, texts, numbers=storage is Storage.NUMERIC)
    _check_described(name, kind, detail, texts, first_rows)
    attribute = _attribute(name, kind, detail, texts, values)
    object_of = dict(zip(texts, values, strict=True))
    objects = tuple(object_of.get(label, label) for label in attribute.names)
    if is_generated:
        # Values and names above them stand in one column: of text, days without hours.
        objects = tuple(label.removesuffix(" 00:00:00") for label in attribute.names)
    code_of = np.array([attribute.code[text] for text in texts], dtype=np.float64)
    column = QuasiColumn(name, storage, attribute, np.empty(0), objects=objects, guessed=treatment.guessed)
    column = replace(column, unsure=treatment.unsure)
    return column, code_of


def check_kind(name: str, given: object) -> None:
    """Refuse what is no kind of a column, as far as that can be seen without the data; None: the kind is guessed.

    >>> check_kind("age", "numeric")
    """
    if given is None or isinstance(given, Hierarchy):
        return
    if isinstance(given, str) and read_generated(given) is not None:
        return
    word, _, rest = given.partition(":") if isinstance(given, str) else ("ordinal", "", "")
    if word == DATE:
        if rest:
            check_format(name, rest)
        return
    in_order = isinstance(given, str) or (isinstance(given, Sequence) and not isinstance(given, bytes))
    if not in_order or word not in {kind.value for kind in Kind} or (rest and word in {"numeric", "nominal"}):
        raise InvalidOption(
            f"the kind of column {name!r} must be numeric, nominal, ordinal, ordinal:FIRST,...,LAST, date, "
            f"date:FORMAT, hierarchy:FILE, {', '.join(GENERATED[:-1])} or {GENERATED[-1]}; got {given!r}."
        )
    if word == "hierarchy" and not rest:
        raise InvalidOption(f"the kind of column {name!r} needs a file: hierarchy:FILE.")


def _read(name: str, given: KindGiven | None, storage: Storage) -> tuple[Kind, Any]:
    if given is None:
        if storage is Storage.OTHER:
            raise InvalidData(
                f"column {name!r} holds neither numbers, text, truth values nor dates, or several of them. Convert it, "
                "or leave it out of the quasi-identifiers."
            )
        return (Kind.NUMERIC if storage in {Storage.NUMERIC, Storage.DATE} else Kind.NOMINAL), None
    check_kind(name, given)
    if isinstance(given, Hierarchy):
        return Kind.HIERARCHY, given
    if not isinstance(given, str):
        return Kind.ORDINAL, [str(value) for value in given]
    if (generated := read_generated(given)) is not None:
        return Kind.HIERARCHY, generated
    word, _, rest = given.partition(":")
    if word == "hierarchy":
        return Kind.HIERARCHY, read_hierarchy(Path(rest))
    return Kind(word), [value.strip() for value in rest.split(",")] if rest else None


def _attribute(name: str, kind: Kind, detail: Any, texts: Sequence[str], values: Sequence[Any]) -> Attribute:
    if kind is Kind.HIERARCHY:
        try:
            return hierarchical(detail, texts)
        except InvalidData as error:
            raise InvalidData(f"column {name!r}: {error}") from error
    if kind is Kind.NOMINAL:
        return nominal(sorted(texts))
    if detail is not None:
        return ordinal(detail)
    if any(isinstance(value, str) for value in values):
        raise InvalidOption(
            f"the order of the values of column {name!r} is not known: write ordinal:FIRST,...,LAST, or give a list."
        )
    try:
        return ordinal([text_of(value) for value in sorted(values)])
    except (TypeError, ValueError) as error:
        raise InvalidData(f"the values of column {name!r} have no order: give a list, or another kind.") from error


def _check_described(name: str, kind: Kind, detail: Any, texts: Sequence[str], first_rows: IntArray) -> None:
    """Refuse an order or a hierarchy that lacks values: told by a record that has one, and not by what few may hold."""
    if kind is Kind.HIERARCHY:
        known, what, todo = detail.position, "the hierarchy", "Add them below a node, or treat the column as nominal."
    elif kind is Kind.ORDINAL and detail is not None:
        known, what, todo = detail, "the order of values", "Name every value."
    else:
        return
    lacking = [place for place, text in enumerate(texts) if text not in known]
    if lacking:
        raise InvalidData(
            f"column {name!r}: {what} lacks {len(lacking)} of {len(texts)} values, the first is that of record "
            f"{first_rows[lacking].min() + 1}. {todo}"
        )


def _check_words(name: str, texts: Sequence[str], first_rows: IntArray) -> None:
    """Refuse to guess that numbers with some text among them are names: it is a slip more often than not."""
    words = np.array([not _is_number(text) for text in texts], dtype=bool)
    if words.any() and words.sum() <= len(words) / 2:
        raise InvalidData(
            f"column {name!r} must hold numbers or categories; most of its values are numbers, and record "
            f"{first_rows[words].min() + 1} holds text. Correct it, or say what the column is: "
            "kinds={...: 'nominal'}, --kind NAME=nominal."
        )


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def text_of(value: Any) -> str:
    """Give a value as the text that names it in a hierarchy or an order.

    >>> text_of(3.0), text_of(True), text_of("a")
    ('3', 'true', 'a')
    """
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating) and value.is_integer():
        return str(int(value))
    return str(value)
