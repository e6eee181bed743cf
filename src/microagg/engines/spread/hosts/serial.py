"""One item after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any


class SerialHost:
    """Runs everything here; see `Host`."""

    def __init__(self, threads: int | None = None) -> None:
        from microagg.base.checks import check_threads

        self.threads = check_threads(threads)

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Run a function on each item."""
        for place, item in enumerate(items):
            yield place, function(item)
