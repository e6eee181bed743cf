"""Dates that are written as text or as whole numbers: which form they have, where that can be said."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from microagg.prepare.check.names import DATES, NameWords

_TIME = r"(?P<time>[ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?"
FORMS: dict[str, re.Pattern[str]] = {
    "year-month-day": re.compile(rf"(?P<y>\d{{4}})-(?P<m>\d{{1,2}})-(?P<d>\d{{1,2}}){_TIME}"),
    "year/month/day": re.compile(rf"(?P<y>\d{{4}})/(?P<m>\d{{1,2}})/(?P<d>\d{{1,2}}){_TIME}"),
    "day.month.year": re.compile(rf"(?P<d>\d{{1,2}})\.(?P<m>\d{{1,2}})\.(?P<y>\d{{4}}){_TIME}"),
    "month/day/year": re.compile(rf"(?P<m>\d{{1,2}})/(?P<d>\d{{1,2}})/(?P<y>\d{{4}}){_TIME}"),
    "day/month/year": re.compile(rf"(?P<d>\d{{1,2}})/(?P<m>\d{{1,2}})/(?P<y>\d{{4}}){_TIME}"),
    "day.month.year, two digits each": re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{2})"),
    "month/day/year, two digits each": re.compile(r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{2})"),
    "day/month/year, two digits each": re.compile(r"(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<y>\d{2})"),
    "month/year": re.compile(r"(?P<m>\d{1,2})/(?P<y>\d{2,4})"),
    "year-month": re.compile(r"(?P<y>\d{4})-(?P<m>\d{1,2})"),
}
"""How a date may be written."""
COMPACT = re.compile(r"(?P<y>(?:18|19|20)?\d{2})(?P<m>\d{2})(?P<d>\d{2})")
"""20190829 or 190829, where the name of the column says that it holds dates."""


def date_format(texts: Sequence[str], words: NameWords) -> str | None:
    """Say in which form all of some texts are dates; None where they are none, or two forms are possible.

    >>> date_format(["29.08.2019", "1.9.2019"], NameWords("day"))
    'day.month.year'
    >>> date_format(["08/07/2019"], NameWords("day"))
    'day and month in an unknown order'
    >>> date_format(["20190829"], NameWords("visit_date")), date_format(["20190829"], NameWords("code"))
    ('yearmonthday', None)
    """
    if not texts:
        return None
    fitting = [form for form, pattern in FORMS.items() if all(_is_date(pattern.fullmatch(text)) for text in texts)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        return "day and month in an unknown order"
    if words.has_pair(DATES) and all(_is_date(COMPACT.fullmatch(text)) for text in texts):
        return "yearmonthday"
    return None


def _is_date(match: re.Match[str] | None) -> bool:
    if match is None:
        return False
    parts = match.groupdict()
    try:
        datetime.date(int(parts["y"]) or 2000, int(parts["m"]), int(parts.get("d") or 1))
    except ValueError:
        return False
    return True
