"""Turns whatever exceptions other packages raise on damaged files into InvalidData."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from microagg.errors import InvalidData, MicroaggError


@contextmanager
def foreign_reader(name: str, kind: str) -> Iterator[None]:
    """Say in one line that a file cannot be read, whatever its reader raises; what it warns of is not for our users.

    Parameters
    ----------
    name : str
        Of the file.
    kind : str
        What it should be: "Excel workbook".

    Examples
    --------
    >>> with foreign_reader("people.xlsx", "Excel workbook"):
    ...     {}["[Content_Types].xml"]
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidData: people.xlsx cannot be read: it is damaged, or no Excel workbook.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except MicroaggError:
        raise
    except MemoryError as error:
        raise InvalidData(
            f"{name} cannot be read: it is damaged, or too large for the memory that there is."
        ) from error
    # The one place for this: openpyxl alone raises KeyError, TypeError, zlib.error, ParseError and a dozen others.
    except Exception as error:
        raise InvalidData(f"{name} cannot be read: it is damaged, or no {kind}.") from error
