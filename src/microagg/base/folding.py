"""Long lists in a few words: how many there are, and some of them."""

from __future__ import annotations

from collections.abc import Sequence

FITS = 12
"""So many parts are listed; of more, some stand for all."""
SOME = 5


def folded(parts: Sequence[str], what: str = "columns", *, which: str = "the first", fits: int = FITS) -> str:
    """Write a list: all of it where it is short, else how many parts it has and five of them.

    Parameters
    ----------
    parts : sequence of str
        What is listed, in the order in which it matters.
    what : str
        What the parts are called.
    which : str
        What those are that stand for all: "the first", "the worst".
    fits : int
        How many parts are listed as they are.

    Examples
    --------
    >>> folded(["age", "sex"]), folded([f"q{i}" for i in range(612)], which="the worst")
    ('age, sex', '612 columns, the worst five q0, q1, q2, q3, q4')
    """
    if len(parts) <= fits:
        return ", ".join(parts)
    return f"{len(parts):,} {what}, {which} five {', '.join(parts[:SOME])}"
