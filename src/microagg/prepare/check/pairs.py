"""Two columns that together give another one away, neither of them alone: the parts of a postcode, a year and a day.

Records that agree in both columns must agree in the third, all of them. Two columns that together are nearly unique
would always seem to tell the third; so many records must share their combination with others, and that they agree by
chance is ruled out as for single columns, among records that agree in one of the two columns already. Every pair of up
to MOST_PAIRED columns is tried on a few records first, where most pairs fail.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from microagg.base.table import Table
from microagg.base.types import BoolArray, IntArray
from microagg.prepare.check.look import Look, sample_rows
from microagg.prepare.check.ties import EVIDENCE, REPEATED

MOST_PAIRED = 60
"""Of how many columns every pair is looked at: those with the fewest values."""
TRIED = 400
"""On how many records a pair is tried first."""
EACH = 3
"""So many records must share a combination on the average, of those that are shared at all."""
MOST_TOLD = 20
"""How many pairs are told at the most."""
VERIFIED_ROWS = 100_000
"""In how many records at the most a pair is verified."""


@dataclass(frozen=True)
class PairTie:
    """Two columns that together give another one away.

    Attributes
    ----------
    columns : pair of str
        The two that tell.
    other : str
        The one that is told.
    n_seen, n_records : int
        In how many records it follows, which are all that were looked at, and how many there are.
    """

    columns: tuple[str, str]
    other: str
    n_seen: int
    n_records: int

    @property
    def words(self) -> str:
        """Say it for people, without a value of any record.

        >>> PairTie(("area", "sector"), "postcode", 300, 300).words
        "'area' and 'sector' together give 'postcode' away: it follows in 300 of 300 records"
        """
        sampled = "sampled " if self.n_seen < self.n_records else ""
        first, second = self.columns
        return (
            f"{first!r} and {second!r} together give {self.other!r} away: it follows in {self.n_seen:,} of "
            f"{self.n_seen:,} {sampled}records"
        )


def pairable(looks: Sequence[Look], columns: Collection[str]) -> list[Look]:
    """Give the columns whose pairs are looked at: those of several values that are shared, the fewest values first."""
    shared = [look for look in looks if look.name in columns and look.n_distinct > 1 and look.share_distinct < 0.5]
    return sorted(shared, key=lambda look: look.n_distinct)[:MOST_PAIRED]


def find_pairs(looks: Sequence[Look], columns: Collection[str], others: Collection[str]) -> list[PairTie]:
    """Find pairs of columns that together give another one away, where neither does alone.

    Parameters
    ----------
    looks : sequence of Look
        The columns, each at the same records.
    columns, others : collection of str
        Which columns may tell, and which may be told.
    """
    telling = pairable(looks, columns)
    told = [look for look in looks if look.name in others and look.n_distinct > 1]
    if len(telling) < 2 or not told:
        return []
    names = [look.name for look in told]
    matrix = np.stack([look.codes for look in told])
    n_tried = min(TRIED, matrix.shape[1])
    ties: list[PairTie] = []
    for first, second in combinations(telling, 2):
        places = np.array(
            [
                place
                for place, look in enumerate(told)
                if look.n_distinct <= first.n_distinct * second.n_distinct
                and look.name not in (first.name, second.name)
            ],
            dtype=np.int64,
        )
        places = places[_follow(first.codes[:n_tried], second.codes[:n_tried], matrix[places, :n_tried])]
        if not len(places):
            continue
        places = places[_follow(first.codes, second.codes, matrix[places])]
        for place in places.tolist():
            if is_proof(first.codes, second.codes, matrix[place]):
                pair = (first.name, second.name)
                ties.append(PairTie(pair, names[place], int(_known(first, second).sum()), first.n_records))
        if len(ties) >= MOST_TOLD:
            break
    return ties[:MOST_TOLD]


def verified_pairs(
    table: Table, looks: Sequence[Look], columns: Collection[str], others: Collection[str]
) -> list[PairTie]:
    """Find such pairs; where not all records were looked at, verify them in more."""
    ties = find_pairs(looks, columns, others)
    n_seen = len(looks[0].values) if looks else 0
    if not ties or n_seen == table.n_records:
        return ties
    involved = list(dict.fromkeys(name for tie in ties for name in (*tie.columns, tie.other)))
    rows = sample_rows(table.n_records, len(involved), VERIFIED_ROWS)
    if len(rows) <= n_seen:
        return ties
    values = table.peek(involved, rows)
    more = {name: Look(name, values[name], table.n_records) for name in involved}
    return [
        verified
        for tie in ties
        for verified in find_pairs([more[name] for name in (*tie.columns, tie.other)], tie.columns, [tie.other])
    ]


def _known(first: Look, second: Look) -> BoolArray:
    known: BoolArray = (first.codes >= 0) & (second.codes >= 0)
    return known


def _combined(first: IntArray, second: IntArray) -> IntArray:
    """Number the combinations of two columns; -1 where either is missing."""
    combined: IntArray = np.where((first >= 0) & (second >= 0), first * (int(second.max(initial=0)) + 1) + second, -1)
    return combined


def _follow(first: IntArray, second: IntArray, others: IntArray) -> BoolArray:
    """Say which of other columns are the same wherever two columns are."""
    combined = _combined(first, second)
    order = np.argsort(combined, kind="stable")
    ordered = combined[order]
    alike = np.flatnonzero((ordered[1:] == ordered[:-1]) & (ordered[1:] >= 0))
    same: BoolArray = (others[:, order[alike]] == others[:, order[alike + 1]]).all(axis=1)
    return same


def is_proof(first: IntArray, second: IntArray, other: IntArray) -> bool:
    """Say whether so many records agree where two columns do that neither chance nor one of the columns explains it.

    >>> few, many = np.arange(12), np.arange(600)
    >>> is_proof(few % 3, few // 3, few), is_proof(many % 3, many // 3 % 4, many % 12)
    (False, True)
    """
    combined = _combined(first, second)
    known = combined >= 0
    if known.mean() < 0.5:
        return False
    sizes = np.unique(combined[known], return_counts=True)[1]
    repeated = sizes[sizes > 1]
    n_repeated = int(repeated.sum())
    if n_repeated < REPEATED * int(known.sum()) or n_repeated < EACH * len(repeated):
        return False
    surprise = min(_surprise(column[known], other[known]) for column in (first, second))
    return (n_repeated - len(repeated)) * surprise >= EVIDENCE


def _surprise(given: IntArray, codes: IntArray) -> float:
    """Say how surprising it is that two records agree in a column which agree in another one already."""
    sizes = np.bincount(given).astype(np.float64)
    both = np.unique(given * (int(codes.max(initial=0)) + 2) + codes + 1, return_counts=True)[1].astype(np.float64)
    pairs, agreeing = float((sizes * (sizes - 1)).sum()), float((both * (both - 1)).sum())
    if not pairs or agreeing >= pairs:
        return 0.0
    return -float(np.log(max(agreeing, 1.0) / pairs))
