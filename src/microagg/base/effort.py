"""How much time may go into less loss: one word, with the same meaning for every method that searches."""

from __future__ import annotations

from microagg.base.options import hint
from microagg.errors import InvalidOption

EFFORTS = ("quick", "normal", "thorough")
"""A fraction of the time, the usual time, several times as much."""

NORMAL = "normal"


def check_effort(effort: str) -> str:
    """Refuse a word that says nothing.

    >>> check_effort("thorough")
    'thorough'
    """
    if effort not in EFFORTS:
        raise InvalidOption(f"effort must be one of {', '.join(EFFORTS)}; got {effort!r}.{hint(effort, EFFORTS)}")
    return effort
