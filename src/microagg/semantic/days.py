"""Parts of dates: months, quarters and years, their numbers and their names."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import numpy as np

from microagg.base.dates import form_of
from microagg.base.types import FloatArray

PARTS = ("month", "quarter", "year")
"""What a date can become, from fine to coarse."""


def numbers_of(seconds: FloatArray, part: str) -> FloatArray:
    """Give the number of the month or quarter of moments, counted from the year 0; or their year.

    >>> numbers_of(np.array([0.0, np.nan]), "year").tolist(), numbers_of(np.array([0.0]), "quarter").tolist()
    ([1970.0, nan], [7880.0])
    """
    there = ~np.isnan(seconds)
    months = np.floor(np.where(there, seconds, 0.0)).astype(np.int64).astype("M8[s]").astype("M8[M]").astype(np.int64)
    months += 1970 * 12
    numbers = {"month": months, "quarter": months // 3, "year": months // 12}[part]
    return np.where(there, numbers.astype(np.float64), np.nan)


def name_of(number: float, part: str) -> str:
    """Name a month, quarter or year by its number.

    >>> name_of(2019 * 12 + 7, "month"), name_of(2019 * 4 + 2, "quarter"), name_of(2019, "year")
    ('2019-08', '2019-Q3', '2019')
    """
    if part == "month":
        year, month = divmod(int(number), 12)
        return f"{year:04d}-{month + 1:02d}"
    if part == "quarter":
        year, quarter = divmod(int(number), 4)
        return f"{year:04d}-Q{quarter + 1}"
    return f"{int(number):04d}"


def moment_of(texts: Sequence[str], name: str) -> list[datetime.datetime] | None:
    """Read dates that are written as text, in ISO 8601 or in one other form for all; None where they are none.

    >>> moment_of(["2019-08-29"], "day"), moment_of(["29.8.2019"], "day"), moment_of(["soon"], "day")
    ([datetime.datetime(2019, 8, 29, 0, 0)], [datetime.datetime(2019, 8, 29, 0, 0)], None)
    """
    form = form_of(texts, name)
    try:
        if form is not None:
            return [datetime.datetime.strptime(text, form.format) for text in texts]
        return [datetime.datetime.fromisoformat(text.strip()).replace(tzinfo=None) for text in texts]
    except ValueError:
        return None
