"""What engines that never hold all records at once have in common: what they refuse."""

from __future__ import annotations

from microagg.base.types import IntArray
from microagg.cell import Records
from microagg.errors import InvalidData, InvalidOption


class PartByPart:
    """Records that come some at a time; the flow refuses what would need all of them."""

    at_once = False

    def everything(self) -> Records:
        """All records at once are what such an engine cannot give."""
        raise InvalidData("all records at once do not fit into memory.")

    def keep(self, rows: IntArray) -> None:
        """Needs all records at once too."""
        raise InvalidData("all records at once do not fit into memory.")


def text_dates(name: str) -> InvalidOption:
    """Say that dates as text are read in memory alone.

    >>> str(text_dates("seen"))[:57]
    "column 'seen' holds dates as text, which a file with type"
    """
    return InvalidOption(
        f"column {name!r} holds dates as text, which a file with types can be read for in memory alone: "
        "memory='unlimited', --memory unlimited; or say that they are categories: kinds={...: 'nominal'}, "
        "--kind NAME=nominal."
    )
