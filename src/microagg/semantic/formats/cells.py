"""Rows of cells in a text and back, for the forms that are CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from microagg.errors import FileProblem


def read_cells(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """Give the cells of each line, without the spaces around them.

    >>> list(read_cells(["dog; animal"], ";"))
    [['dog', 'animal']]
    """
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            yield [cell.strip() for cell in row]
    except csv.Error as error:
        raise FileProblem(f"this is not CSV: {error}. Is a closing quote missing?") from error


def write_cells(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    r"""Give the text of some rows.

    >>> write_cells([("dog", "animal")], ";")
    'dog;animal\n'
    """
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return buffer.getvalue()
