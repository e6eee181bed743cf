"""Warnings at the top of a report: those of the release, limits that were passed, and records that stand out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from microagg.base.types import FloatArray
from microagg.measures import Result
from microagg.report.charts.sizes import Bar
from microagg.report.facts import Caution, Facts
from microagg.report.moments import moments
from microagg.report.words import listing, measure, shown, tidy

MOST_NAMED = 12
"""How many groups are named by number in a sentence; the JSON holds them all."""
FAR_OUT = 3.0
"""A group stands out where it is this many interquartile ranges beyond the upper quartile of all.

J. W. Tukey. Exploratory Data Analysis. Addison-Wesley (1977): what lies beyond the outer fences is far out.
"""
_IN_THREES = "groups of at least 3, as some custodians of data ask for; others ask for 5 or more (El Emam 2013)"
LIMITS: dict[str, tuple[float, str]] = {
    "highest_risk": (100 / 3, _IN_THREES),
    "prosecutor_risk": (100 / 3, _IN_THREES),
    "t_closeness": (0.2, "a t of at most 0.2, which is the choice of this program: there is no agreed one"),
    "distinct_diversity": (2.0, "at least 2 different confidential values in every group"),
    "homogeneity": (0.0, "no group in which everybody has the same confidential value"),
}
"""Limits of measures of a release: the most allowed (the least, where more is better), and in words.

A third is what a cell size of 3 means, the smallest one that is named in K. El Emam. Guide to the De-Identification of
Personal Health Information. CRC Press (2013), chapter on cell size precedents; 5 is the common rule there. A t of 0.2
is ours: of nominal values, no set of them is then more frequent in a group than among all by more than 20 percentage
points. The last two follow from what they measure: one value for all in a group is the homogeneity attack
(Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007).
"""


def find(facts: Facts, sizes: tuple[Bar, ...]) -> tuple[Caution, ...]:
    """Gather the warnings, the gravest first."""
    cautions = list(facts.warnings)
    k, smallest = facts.headline.get("k"), sizes[0].low
    if isinstance(k, int) and smallest < k:
        text = f"The smallest group has {smallest:,} records, fewer than the k of {k:,} that was asked for."
        cautions.insert(0, Caution("small_groups", text))
    cautions += _beyond_limits(facts.risks)
    return (*cautions, *_standing_out(facts))


def beyond(row: Result) -> str | None:
    """Say which limit a measure of the release is beyond; None where it is within, or there is none."""
    if row.name not in LIMITS or row.value is None or not math.isfinite(row.value):
        return None
    limit, words = LIMITS[row.name]
    slack = 1e-9 * max(1.0, abs(limit))
    wrong = row.value > limit + slack if row.better == "lower" else row.value < limit - slack
    return words if wrong else None


def _beyond_limits(risks: Sequence[Result]) -> list[Caution]:
    """One warning for each limit; groups that agree in a confidential column have a warning of their own."""
    cautions = []
    for row in risks:
        words = beyond(row)
        if words and row.name in ("highest_risk", "t_closeness"):
            about = f" of {listing([shown(name, 40) for name in row.columns])}" if row.columns else ""
            value = measure(float(row.value or 0.0), row.unit)
            text = f"{row.title}{about} is {value}, beyond its limit: {words}."
            cautions.append(Caution("beyond_limit", text))
    return cautions


def name_groups(groups: Sequence[int], *, most: int = MOST_NAMED) -> str:
    """Name groups by their numbers.

    >>> name_groups([3]), name_groups([3, 5, 8]), name_groups(range(20), most=2)
    ('group 3', 'groups 3, 5 and 8', 'groups 0, 1 and 18 more')
    """
    if len(groups) == 1:
        return f"group {groups[0]}"
    named = [str(group) for group in groups[:most]]
    last = f"{len(groups) - most:,} more" if len(groups) > most else named.pop()
    return f"groups {', '.join(named)} and {last}"


def _standing_out(facts: Facts) -> list[Caution]:
    """Name the groups whose released numbers lie far away from those of all others."""
    numbers = facts.numbers
    if facts.per_column or not numbers:
        return []
    # The last record of a group serves as well as any: all carry the same values.
    n_groups = int(facts.labels.max()) + 1
    member = np.full(n_groups, -1, dtype=np.int64)
    member[facts.labels] = np.arange(len(facts.labels))
    present = np.flatnonzero(member >= 0)
    # By the released values, so that anybody who holds the release can see the same.
    scale = moments(facts.released[:, numbers]) if facts.whole is None else facts.whole.after
    varying = scale.deviation > 0
    if len(present) < 8 or not varying.any():
        return []
    centres = facts.released[np.ix_(member[present], np.array(numbers))]
    Z = np.nan_to_num(np.abs(centres[:, varying] - scale.mean[varying]) / scale.deviation[varying], nan=0.0)
    far = _far_out(np.sqrt(np.einsum("ij,ij->i", Z, Z)))
    if not far.any():
        return []
    groups = present[far]
    columns = np.array([facts.names[j] for j in numbers])[varying]
    times = np.bincount(Z[far].argmax(axis=1), minlength=len(columns))
    column = str(columns[int(times.argmax())])
    sizes = np.bincount(facts.labels, minlength=n_groups)[groups]
    one, k = len(groups) == 1, facts.headline.get("k")
    text = (
        f"{len(groups):,} group{'' if one else 's'} ({int(sizes.sum()):,} records) {'stands' if one else 'stand'} far "
        f"apart from all others, mostly in {shown(column, 40)}: {name_groups(groups.tolist())}. Nobody in "
        f"{'it' if one else 'them'} is singled out, but it is plain that {'its' if one else 'their'} members are "
        f"unusual. Ask whether groups of {tidy(k if isinstance(k, int) else int(sizes.min()))} are enough for them."
    )
    return [Caution("outliers", text, column, tuple(groups.tolist()))]


def _far_out(distances: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    lower, upper = np.quantile(distances, [0.25, 0.75])
    are_far: np.ndarray[tuple[int], np.dtype[np.bool_]] = distances > upper + FAR_OUT * (upper - lower)
    return are_far if upper > lower else np.zeros(len(distances), dtype=np.bool_)
