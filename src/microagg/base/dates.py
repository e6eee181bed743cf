"""How dates are written: the forms that are known, and which of them some texts have."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

UNKNOWN_ORDER = "day and month in an unknown order"
_TIMES = {
    "": "",
    r" \d{1,2}:\d{2}": " %H:%M",
    r" \d{1,2}:\d{2}:\d{2}": " %H:%M:%S",
    r"T\d{1,2}:\d{2}:\d{2}": "T%H:%M:%S",
    r"T\d{1,2}:\d{2}:\d{2}Z": "T%H:%M:%SZ",
}


@dataclass(frozen=True)
class DateForm:
    """A way to write dates.

    Attributes
    ----------
    words : str
        For people.
    pattern : str
        What such a text looks like.
    format : str
        Its parts, as `strptime` and databases know them.
    """

    words: str
    pattern: str
    format: str

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    @property
    def has_time(self) -> bool:
        """Whether it tells the time of day."""
        return "%H" in self.format

    def fits(self, text: str) -> bool:
        """Say whether a text is a date in this form."""
        if self._compiled.fullmatch(text) is None:
            return False
        try:
            datetime.datetime.strptime(text, self.format)
        except ValueError:
            return False
        return True

    def as_written(self, texts: Sequence[str]) -> str:
        """Give the format that writes dates as some texts are: with or without zeros before days and months.

        >>> FORMS[1].as_written(["1.9.2019", "12.10.2019"]), FORMS[1].as_written(["01.09.2019"])
        ('%-d.%-m.%Y', '%d.%m.%Y')
        """
        bare = any(re.search(r"(?<!\d)[1-9](?=[./-])|(?<=[./-])[1-9](?!\d)", text) for text in texts)
        return self.format.replace("%d", "%-d").replace("%m", "%-m") if bare else self.format


def _forms(words: str, pattern: str, form: str) -> tuple[DateForm, ...]:
    return tuple(DateForm(words, pattern + like, form + time) for like, time in _TIMES.items())


FORMS: tuple[DateForm, ...] = (
    DateForm("year-month", r"\d{4}-\d{2}", "%Y-%m"),
    *_forms("day.month.year", r"\d{1,2}\.\d{1,2}\.\d{4}", "%d.%m.%Y"),
    *_forms("year/month/day", r"\d{4}/\d{1,2}/\d{1,2}", "%Y/%m/%d"),
    *_forms("month/day/year", r"\d{1,2}/\d{1,2}/\d{4}", "%m/%d/%Y"),
    *_forms("day/month/year", r"\d{1,2}/\d{1,2}/\d{4}", "%d/%m/%Y"),
    *_forms("year-month-day", r"\d{4}-\d{1,2}-\d{1,2}", "%Y-%m-%d"),
)
"""The forms in which dates are read and written, beside that of ISO 8601."""
COMPACT = DateForm("yearmonthday", r"(?:18|19|20)\d{6}", "%Y%m%d")
"""20190829, where the name of the column says that it holds dates."""

_NAME = re.compile(r"(?i)(?:^|[^a-z])(?:date|datum|fecha|dob|day|birthday)(?:$|[^a-z])|(?:date|datum)$")


def says_date(name: str) -> bool:
    """Say whether the name of a column says that it holds dates.

    >>> says_date("visit_date"), says_date("BirthDate"), says_date("code")
    (True, True, False)
    """
    return _NAME.search(name) is not None


def form_of(texts: Sequence[str], name: str) -> DateForm | None:
    """Give the one form in which all of some texts are dates; None where they are none, or two forms are possible.

    >>> form_of(["29.08.2019", "1.9.2019"], "day").format
    '%d.%m.%Y'
    >>> form_of(["08/07/2019"], "day") is None, form_of(["08/29/2019"], "day").format
    (True, '%m/%d/%Y')
    >>> form_of(["20190829"], "visit_date").format, form_of(["20190829"], "code")
    ('%Y%m%d', None)
    """
    fitting = fitting_forms(texts, name)
    return fitting[0] if len(fitting) == 1 else None


def fitting_forms(texts: Sequence[str], name: str) -> list[DateForm]:
    """Give the forms in which all of some texts are dates."""
    if not texts:
        return []
    known = (*FORMS, COMPACT) if says_date(name) else FORMS
    first = [form for form in known if form.fits(texts[0])]
    return [form for form in first if all(form.fits(text) for text in texts)]
