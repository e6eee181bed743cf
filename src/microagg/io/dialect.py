"""How a table is written as text: found in the first lines of a file, kept for the release."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_ROWS = 1000

_NUMBER = {
    ".": re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*"),
    ",": re.compile(r"\s*[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?\s*"),
}


@dataclass(frozen=True)
class Dialect:
    """The marks of a text file."""

    delimiter: str = ","
    quote: str = '"'
    decimal: str = "."
    header: bool = True

    def rows(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Split text into rows of values, each with the number of its last line; empty lines are left out."""
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=self.delimiter, quotechar=self.quote)
        with suppress(csv.Error):  # A quote that never closes: whoever reads the whole file will say where.
            for row in reader:
                if row:
                    yield reader.line_num, row

    def sample(self, text: str) -> list[list[str]]:
        """Give the first rows."""
        return [row for _, row in islice(self.rows(text), SAMPLE_ROWS)]

    def line(self, values: Iterable[str]) -> str:
        """Join values into one line, quoted where they must be.

        >>> Dialect(delimiter=";").line(["a;b", "c", " d"])
        '"a;b";c;" d"'
        """
        line = self.delimiter.join(self._quoted(value) for value in values)
        return line or self.quote * 2

    def _quoted(self, value: str) -> str:
        plain = value == value.strip() and not any(c in value for c in (self.delimiter, self.quote, *"\r\n"))
        return value if plain else self.quote + value.replace(self.quote, self.quote * 2) + self.quote


def is_number(text: str, decimal: str) -> bool:
    """Say whether text is a number with this decimal mark.

    >>> is_number("1,5", ","), is_number("1,5", "."), is_number("-2e3", ".")
    (True, False, True)
    """
    return _NUMBER[decimal].fullmatch(text) is not None


def detect(text: str, *, delimiter: str | None = None, decimal: str | None = None, header: bool = True) -> Dialect:
    r"""Find the marks of a text file from its beginning.

    The delimiter is the one that splits most rows into as many values as the header has; among equals, the one that
    leaves most values numbers, then the one with most columns. The decimal mark is a comma where the delimiter is
    not, some values are numbers only so, and none has a point.

    Parameters
    ----------
    text : str
        The first lines, whole.
    delimiter, decimal : str, optional
        What is known already.
    header : bool
        Whether the first line names the columns.

    Examples
    --------
    >>> detect("name;income\nAda;1200,50\nBob;980,00\n")
    Dialect(delimiter=';', quote='"', decimal=',', header=True)
    """
    # Single quotes are marks only where no double ones occur, each closes, and the rows fit better with them.
    quotes = ('"', "'") if "'" in text and '"' not in text else ('"',)
    delimiters = DELIMITERS if delimiter is None else (delimiter,)
    best, best_score = Dialect(delimiters[0], header=header), (0.0, 0.0, 0)
    for candidate in (Dialect(mark, quote, header=header) for mark in delimiters for quote in quotes):
        if candidate.quote == "'" and not _closes(text, candidate.delimiter):
            continue
        rows = candidate.sample(text)
        if not rows or (len(rows[0]) == 1 and delimiter is None):
            continue
        body = rows[1:] or rows
        fitting = sum(len(row) == len(rows[0]) for row in body) / len(body)
        values = [value for row in body for value in row if value]
        marks = (".",) if candidate.delimiter == "," else (".", ",")
        numbers = max(sum(is_number(value, mark) for value in values) for mark in marks) / max(len(values), 1)
        if (score := (fitting, numbers, len(rows[0]))) > best_score:
            best, best_score = candidate, score
    return replace(best, decimal=decimal or _decimal(best, text))


def _closes(text: str, delimiter: str) -> bool:
    """Say whether single quotes at the beginnings of values have as many at their ends: not so in 's-Gravenhage."""
    mark = re.escape(delimiter)
    opening, closing = (len(re.findall(form, text, re.M)) for form in (rf"(?:^|{mark})'", rf"'(?={mark}|\r?$)"))
    return opening == closing > 0


def _decimal(dialect: Dialect, text: str) -> str:
    if dialect.delimiter == ",":
        return "."
    rows = dialect.sample(text)
    values = [value for row in rows[int(dialect.header) :] for value in row]
    comma = any("," in value and is_number(value, ",") for value in values)
    point = any("." in value and is_number(value, ".") for value in values)
    return "," if comma and not point else "."
