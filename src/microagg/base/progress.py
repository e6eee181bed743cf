"""How long work tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Told the fraction done, between 0 and 1, every now and then.

A search that knows the loss it has reached tells it, in percent, to the attribute `tell_loss`, where there is one. Work
of several steps tells the name of each to the attribute `tell_step`, where there is one.
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

    if tells_loss and hasattr(progress, "tell_loss"):
        part.tell_loss = progress.tell_loss  # type: ignore[attr-defined]
    return part
