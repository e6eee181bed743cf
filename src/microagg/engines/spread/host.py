"""Who works: all that is asked of an engine of others is to run a function on many items, and to do it again where a
worker died.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from microagg.errors import MissingExtra


class Host(Protocol):
    """Runs functions, here or elsewhere. A new one is a file with a class of one method, and a line in places.py."""

    threads: int
    """How many threads a function may use."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Run a function on each item; give the place of each and what came out, in whatever order they are done.

        Items are begun in their order. A worker that dies does not count: its items are run again.
        """


def missing_extra(engine: str, extra: str, error: ModuleNotFoundError) -> MissingExtra:
    """Build the error for an engine that is not installed."""
    return MissingExtra(
        f"engine {engine!r} needs {error.name}, which is not installed. Install it with: "
        f"pip install 'microagg[{extra}]'"
    )
