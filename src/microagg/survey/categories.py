"""Open categories: where people gave more different texts than can be grouped apart, the rarest count as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

OTHER = "(other)"
"""What is released for values that are not grouped apart."""
MOST_VALUES = 200
"""How many different values of all open categories together are grouped apart: each is one more dimension."""
LEAST_VALUES = 16
"""How many are grouped apart however many answers there are."""
MOST_POINTS = 1 << 27
"""How many numbers the points of all answers may take: 1 GB. More answers leave room for fewer values."""


def room_for(n_answers: int) -> int:
    """Give how many values of open categories are grouped apart among so many answers.

    >>> room_for(1_000), room_for(1_000_000)
    (200, 134)
    """
    return max(LEAST_VALUES, min(MOST_VALUES, MOST_POINTS // max(n_answers, 1)))


def merge_rare(columns: Mapping[str, npt.NDArray[Any]], room: int) -> tuple[dict[str, npt.NDArray[Any]], list[str]]:
    """Let the rarest values of some columns count as one, so that no more than `room` are left in all of them together.

    The most frequent values stay, whichever column they are in; of equally frequent ones, those that come first in the
    order of the alphabet.

    Parameters
    ----------
    columns : mapping of str to array of objects
        Text, None where there is none.
    room : int
        How many different values may stay, beside the one that stands for the others.

    Returns
    -------
    dict, list of str
        The columns, and the names of those that were changed.

    Examples
    --------
    >>> city = np.array(["Oslo", "Bern", "Oslo", "Rome", None], dtype=object)
    >>> columns, merged = merge_rare({"city": city}, 1)
    >>> columns["city"].tolist(), merged
    (['Oslo', '(other)', 'Oslo', '(other)', None], ['city'])
    """
    counts = {
        name: Counter(value for value in values.tolist() if value is not None) for name, values in columns.items()
    }
    if sum(map(len, counts.values())) <= room:
        return dict(columns), []
    ranked = sorted((-count, name, value) for name, values in counts.items() for value, count in values.items())
    kept = {(name, value) for _, name, value in ranked[:room]}
    merged = [name for name, values in counts.items() if any((name, value) not in kept for value in values)]
    changed = {name: _with_others(columns[name], {value for of, value in kept if of == name}) for name in merged}
    return {**columns, **changed}, merged


def _with_others(values: npt.NDArray[Any], kept: set[str]) -> npt.NDArray[Any]:
    objects = np.empty(len(values), dtype=object)
    objects[:] = [value if value is None or value in kept else OTHER for value in values.tolist()]
    return objects


def words_of(merged: Sequence[str], room: int) -> str:
    """Say of which fields the rarest values count as one; no value is named, and none is counted."""
    return (
        f"More different values than can be grouped apart ({room}) were given for {', '.join(merged)}: the rarest of "
        f"them were taken as one value, {OTHER}, before grouping."
    )
