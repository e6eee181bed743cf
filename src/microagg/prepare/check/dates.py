"""Dates that are written as text or as whole numbers: in which form, where that can be said."""

from __future__ import annotations

import re
from collections.abc import Sequence

from microagg.base.dates import UNKNOWN_ORDER, fitting_forms, says_date

_SHORT = {
    "day and month with a year of two digits": re.compile(r"\d{1,2}[./]\d{1,2}[./]\d{2}"),
    "month/year": re.compile(r"(?:0?[1-9]|1[0-2])/(?:\d{2}|\d{4})"),
    "year, month and day of two digits each": re.compile(r"\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])"),
}


def date_format(texts: Sequence[str], name: str) -> str | None:
    """Say in which form all of some texts are dates; None where they are none.

    >>> date_format(["29.08.2019", "1.9.2019"], "day"), date_format(["08/07/2019"], "day")
    ('day.month.year', 'day and month in an unknown order')
    >>> date_format(["20190829"], "visit_date"), date_format(["20190829"], "code")
    ('yearmonthday', None)
    """
    fitting = fitting_forms(texts, name)
    if fitting:
        return fitting[0].words if len(fitting) == 1 else UNKNOWN_ORDER
    short = list(_SHORT)[: None if says_date(name) else 1] if texts else []
    return next((form for form in short if all(_SHORT[form].fullmatch(text) for text in texts)), None)
