"""Text that spreadsheet programs take for formulas when they open a text file, and what is written in its place.

A cell that begins with =, +, -, @, a tab or the end of a line may be run as a formula by whoever opens the file, and it
may have been written by a stranger for that purpose. With an apostrophe before it, it is text. Only cells of text are
touched: a number such as -5 stays what it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from microagg.base.schema import Storage

if TYPE_CHECKING:
    from microagg.io.duck import DuckTable

MARK: Final = "'"
"""What makes text of a cell in every spreadsheet program."""

SIGNS: Final = "=+\\-@＝＋－＠﹦﹢﹣﹫"
"""What a formula begins with, within the brackets of a regular expression: in wide and small forms too."""

_SQL: Final = f"^[\\t\\r\\n]|^[\\s\\p{{Z}}\\p{{C}}]*[{SIGNS}]"
_PYTHON: Final = re.compile(f"[\\t\\r\\n]|[\\s\\x00-\\x1f\\x7f\\u200b-\\u200f\\u2060\\ufeff]*[{SIGNS}]")


def escaped(text: str) -> str:
    """Give a text that no program takes for a formula.

    >>> escaped("=1+1"), escaped("a=b"), escaped(" -x")
    ("'=1+1", 'a=b', "' -x")
    """
    return MARK + text if _PYTHON.match(text) else text


def is_formula_sql(text: str) -> str:
    """Give the SQL expression of whether a text would be taken for a formula."""
    return f"regexp_matches({text}, '{_SQL}')"


def escaped_sql(text: str) -> str:
    """Give the SQL expression of a text that no program takes for a formula."""
    text = f"CAST({text} AS VARCHAR)"
    return f"CASE WHEN {is_formula_sql(text)} THEN concat('{MARK}{MARK}', {text}) ELSE {text} END"


def may_hold(table: DuckTable, name: str) -> bool:
    """Say whether a column may hold text: numbers, dates and truth values are no formulas."""
    return table.storage(name) not in {Storage.NUMERIC, Storage.DATE, Storage.BOOLEAN}
