"""Parts of dates: a day becomes its month, quarter or year."""

from __future__ import annotations

import datetime

import numpy as np

from microagg.base.options import hint
from microagg.base.types import FloatArray
from microagg.errors import InvalidOption
from microagg.recode.column import Holds, SteppedColumn, What
from microagg.recode.step import Fit, Fitted, StepKind, finite_limits, unfit, wrong
from microagg.recode.texts import code_map, texts_of
from microagg.semantic.bands import check_bands
from microagg.semantic.days import PARTS, moment_of, name_of, numbers_of


def _read(text: str) -> Fit:
    part = text.strip().lower()
    if part not in PARTS:
        raise InvalidOption(f"{wrong('date', ' or '.join(PARTS), text)}{hint(part, PARTS)}")

    def fit(column: SteppedColumn, k: int) -> Fitted:
        if column.holds.what is What.TEXTS:
            return _of_texts(column, part)
        if column.holds.what is not What.DATES:
            raise unfit(column, f"date:{part}", "dates", "Convert the column to dates first.")

        def numbered(seconds: FloatArray) -> FloatArray:
            return numbers_of(seconds, part)

        if part == "year":
            return Fitted(numbered, Holds(What.NUMBERS, is_integer=True), _words(part))
        limits = finite_limits(column)
        if limits is None:
            return Fitted(numbered, Holds(What.TEXTS, ordered=True), _words(part))
        first, last = numbered(np.array(limits)).tolist()
        check_bands(column.name, first, last)
        texts = tuple(name_of(number, part) for number in range(int(first), int(last) + 1))
        return Fitted(
            lambda seconds: numbered(seconds) - first, Holds(What.TEXTS, texts=texts, ordered=True), _words(part)
        )

    return fit


def _of_texts(column: SteppedColumn, part: str) -> Fitted:
    """Take parts of dates that are stored as text, where all are written in one known form."""
    values, _ = column.frequencies()
    moments = moment_of(texts_of(column, values), column.name)
    if moments is None:
        raise unfit(column, f"date:{part}", "dates", "Convert the column to dates first.")
    epoch = datetime.datetime(1970, 1, 1)
    seconds = np.array([(moment - epoch).total_seconds() for moment in moments], dtype=np.float64)
    numbers = numbers_of(seconds, part)
    if part == "year":
        return Fitted(code_map(values, numbers), Holds(What.NUMBERS, is_integer=True), _words(part))
    first, last = (numbers.min(), numbers.max()) if len(numbers) else (0.0, -1.0)
    check_bands(column.name, first, last)
    texts = tuple(name_of(number, part) for number in range(int(first), int(last) + 1))
    return Fitted(code_map(values, numbers - first), Holds(What.TEXTS, texts=texts, ordered=True), _words(part))


def _words(part: str) -> str:
    return f"the {part} of each date kept"


STEP = StepKind(
    "date",
    ("date:month", "date:quarter", "date:year"),
    'a day becomes its month ("2019-08"), quarter ("2019-Q3") or year (2019)',
    _read,
)
