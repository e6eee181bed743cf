"""Progress: how long-running work reports the fraction that is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Progress = Callable[[float], None]
"""Told the fraction done, between 0 and 1, about ten times a second.

A search that knows the loss it has reached tells it, in percent, to the attribute `tell_loss`, where there is one. Work
of several steps tells the name of each to the attribute `tell_step`, where there is one. Another number of seconds
between two tellings may stand in the attribute `every`; with 0, kernels tell of every step.
"""


def part_of(progress: Progress | None, begin: float, end: float, *, tells_loss: bool = False) -> Progress | None:
    """Give what one step of several tells its progress to: its 0..1 becomes begin..end of the whole.

    A step that works on all records may tell the loss it has reached too.

    >>> told = []
    >>> half = part_of(told.append, 0.5, 1.0)
    >>> half(0.5), told
    (None, [0.75])
    """
    if progress is None or (begin, end) == (0.0, 1.0):
        return progress

    def part(fraction: float) -> None:
        progress(begin + fraction * (end - begin))

    for attribute in ("every", "tell_loss") if tells_loss else ("every",):
        if hasattr(progress, attribute):
            setattr(part, attribute, getattr(progress, attribute))
    return part


class ProgressToTheEnd:
    """Passes on what it is told, and tells 1 at the end: work that was shorter than a tenth of a second told nothing.

    What has raised an exception is not told any more: a search ends with the best so far after a KeyboardInterrupt.

    >>> told = []
    >>> progress = ProgressToTheEnd(told.append)
    >>> progress(0.5), progress.end(), told
    (None, None, [0.5, 1.0])
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._last = 0.0
        self._raised = False

    def __call__(self, fraction: float) -> None:
        """Pass on the fraction done."""
        self._last = fraction
        self._raised = True
        self._progress(fraction)
        self._raised = False

    def __getattr__(self, name: str) -> Any:
        """Give `tell_loss` and `every` of what is told, where it has them."""
        return getattr(self._progress, name)

    def end(self) -> None:
        """Tell that all is done, unless that was told already."""
        if not self._raised and self._last < 1.0:
            self._progress(1.0)
