"""Columns that give another one away: found in a sample of records, in time that grows little with the columns.

A column A gives B away where records that agree in A agree in B. For each A, a few pairs of records that agree in A are
compared in all other columns at once; what survives is counted in all records that were looked at. That records agree
by chance is ruled out: if a share p of all pairs of records agrees in B, then r records that repeat a value of A agree
by chance with probability p^r, which must be less than exp(-EVIDENCE). Columns of numbers that order the records alike
have equal ranks, so they are found by a hash of those.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

import numpy as np

from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.prepare.check.finding import Bond, Tie
from microagg.prepare.check.look import Look

PAIRS = 96
"""How many pairs of records that agree in a column are compared in all others."""
EVIDENCE = 25.0
"""How unlikely it must be that records agree by chance: less than exp(-EVIDENCE)."""
WRONG = 0.02
"""Up to which share of exceptions a column nearly determines another."""
REPEATED = 0.3
"""Which share of the records must share their value in a column, for it to tell more than that a record is itself."""
MOST_TIES = 20
"""How many columns one is said to give away in one way at the most: of 800 equal columns, not all pairs are told."""
LEAST_IN_ORDER = 12
"""How many different values two columns must have at least, for one order to mean something."""
NEARLY_ONE = 0.9999
"""From which correlation of ranks on, two columns nearly order the records alike."""


def find_ties(
    looks: Sequence[Look], columns: Collection[str] | None = None, others: Collection[str] | None = None
) -> list[Tie]:
    """Find the columns that give another one away.

    Parameters
    ----------
    looks : sequence of Look
        The columns, each at the same records.
    columns, others : collection of str, optional
        Which columns may tell, and which may be told; all of them by default.
    """
    usable = [look for look in looks if look.n_distinct > 1]
    if len(usable) < 2:
        return []
    tells = np.array([columns is None or look.name in columns for look in usable])
    told = np.array([others is None or look.name in others for look in usable])
    matrix = np.stack([look.codes for look in usable])
    found: dict[tuple[int, int], Tie] = {}
    for a, b, tie in _determined(usable, matrix, tells, told):
        found[a, b] = tie
    for a, b, tie in _in_one_order(usable, tells, told):
        found[a, b] = tie
    for a, b, tie in _indicators(usable, matrix, tells, told):
        found.setdefault((a, b), tie)
    return [found[key] for key in sorted(found)]


def _determined(
    looks: Sequence[Look], matrix: IntArray, tells: BoolArray, told: BoolArray
) -> list[tuple[int, int, Tie]]:
    n_seen = matrix.shape[1]
    n_distinct = np.array([look.n_distinct for look in looks])
    # How surprising it is that two records agree in a column: minus the logarithm of the share of pairs that do.
    surprise = np.array([_surprise(codes) for codes in matrix])
    ties = []
    rng = np.random.default_rng(0)
    for a in np.flatnonzero(tells).tolist():
        order = np.argsort(matrix[a], kind="stable")
        alike = np.flatnonzero((matrix[a][order][1:] == matrix[a][order][:-1]) & (matrix[a][order][1:] >= 0))
        if not len(alike):
            continue
        candidates = told & (n_distinct <= max(2, 1.02 * n_distinct[a])) & (len(alike) * surprise >= EVIDENCE)
        candidates[a] = False
        if not candidates.any():
            continue
        chosen = alike if len(alike) <= PAIRS else np.sort(rng.choice(alike, PAIRS, replace=False))
        places = np.flatnonzero(candidates)
        places = places[_differ(matrix, places, order, chosen) <= 4 * WRONG]
        # By chance, so many pairs would differ.
        expected = 1 - np.exp(-surprise[places])
        places = places[_differ(matrix, places, order, alike) <= np.minimum(4 * WRONG, 0.3 * expected)]
        told_by_a = 0
        for b in places.tolist():
            tie = _count_right(looks[a], looks[b], n_seen)
            if tie is not None:
                ties.append((a, b, tie))
                told_by_a += 1
            if told_by_a == MOST_TIES:
                break
    return ties


def _differ(matrix: IntArray, places: IntArray, order: IntArray, pairs: IntArray) -> FloatArray:
    """Give for each of some columns the share of pairs of records that differ in it."""
    shares: FloatArray = (matrix[np.ix_(places, order[pairs])] != matrix[np.ix_(places, order[pairs + 1])]).mean(axis=1)
    return shares


def _surprise(codes: IntArray) -> float:
    shares = np.bincount(codes - min(0, int(codes.min()))) / len(codes)
    chance = float((shares**2).sum())
    return -float(np.log(chance)) if chance < 1 else 0.0


def _count_right(first: Look, second: Look, n_seen: int) -> Tie | None:
    """Count the records whose value in a column follows from another column: by the most frequent one beside it."""
    known = first.codes >= 0
    a, b = first.codes[known], second.codes[known] + 1
    n_values = second.n_distinct + 1
    pairs, counts = np.unique(a * n_values + b, return_counts=True)
    best = np.zeros(first.n_distinct, dtype=np.int64)
    np.maximum.at(best, pairs // n_values, counts)
    sizes = np.bincount(a, minlength=first.n_distinct)
    repeated = sizes > 1
    # A value that one record has alone would always be right: what it tells is not counted as evidence.
    n_right, n_repeated = int(best[repeated].sum()), int(sizes[repeated].sum())
    wrong = n_repeated - n_right
    if n_repeated < REPEATED * len(a) or known.mean() < 0.5:
        return None
    if (n_repeated - int(repeated.sum())) * _surprise(b) < EVIDENCE:
        return None
    guessed = np.bincount(b).max() / len(b)
    if wrong > WRONG * n_repeated or wrong > 0.1 * (1 - guessed) * n_repeated:
        return None
    n_followed = int(best.sum())
    bond = Bond.DETERMINES if not wrong else Bond.NEARLY
    return Tie(first.name, second.name, bond, n_followed, len(a), _n_records(first, n_seen, len(a)))


def _n_records(look: Look, n_seen: int, n_known: int) -> int:
    """How many records the counted ones stand for: themselves, where all were looked at."""
    return n_known if n_seen == look.n_records else look.n_records


def _in_one_order(looks: Sequence[Look], tells: BoolArray, told: BoolArray) -> list[tuple[int, int, Tie]]:
    """Find columns whose ranks are equal, or reversed, and those whose ranks are nearly so."""
    ordered = [
        place
        for place, look in enumerate(looks)
        if (look.numbers is not None or look.is_moment) and look.n_distinct >= LEAST_IN_ORDER
    ]
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for place in ordered:
        codes = looks[place].codes
        up, down = codes.tobytes(), np.where(codes < 0, -1, codes.max() - codes).tobytes()
        groups[min(up, down)].append(place)
    ties = []
    same: dict[int, int] = {}
    for members in groups.values():
        for a in members:
            for b in [b for b in members if a != b and tells[a] and told[b]][:MOST_TIES]:
                ties.append((a, b, _order_tie(looks[a], looks[b], Bond.SAME_ORDER)))
        same.update(dict.fromkeys(members, members[0]))
    # Ranks with gaps cannot be correlated simply: only complete columns are looked at here.
    whole = [
        place for place in ordered if looks[place].codes.min() >= 0 and looks[place].n_distinct >= 3 * LEAST_IN_ORDER
    ]
    if len(whole) > 1:
        ranks = np.stack([_midranks(looks[place].codes) for place in whole])
        ranks -= ranks.mean(axis=1, keepdims=True)
        ranks /= np.sqrt((ranks**2).sum(axis=1, keepdims=True))
        close = np.abs(ranks @ ranks.T) >= NEARLY_ONE
        for i, a in enumerate(whole):
            near = [whole[j] for j in np.flatnonzero(close[i])] if tells[a] else []
            for b in [b for b in near if told[b] and same[a] != same[b]][:MOST_TIES]:
                ties.append((a, b, _order_tie(looks[a], looks[b], Bond.NEARLY)))
    return ties


def _order_tie(first: Look, second: Look, bond: Bond) -> Tie:
    n_seen, n_known = len(first.values), len(first.present)
    return Tie(first.name, second.name, bond, n_known, n_known, _n_records(first, n_seen, n_known))


def _midranks(codes: IntArray) -> FloatArray:
    """Give ranks, those of equals the mean of theirs."""
    sizes = np.bincount(codes)
    middles = np.cumsum(sizes) - (sizes - 1) / 2
    return middles[codes].astype(np.float64)


def _indicators(
    looks: Sequence[Look], matrix: IntArray, tells: BoolArray, told: BoolArray
) -> list[tuple[int, int, Tie]]:
    """Find columns of two values that together name the value of another: each stands for one of its values."""
    two = np.array([place for place, look in enumerate(looks) if look.n_distinct == 2 and tells[place]], dtype=np.int64)
    flags = matrix[two]
    ties: list[tuple[int, int, Tie]] = []
    for b in np.flatnonzero(told).tolist():
        second = looks[b]
        if not 3 <= second.n_distinct <= max(3, len(two) + 1) or len(second.present) < 5 * second.n_distinct:
            continue
        there = matrix[b] >= 0
        n_values = second.n_distinct
        # Who stands for a value says yes, or no, as often as that value occurs.
        often = np.bincount(matrix[b][there])
        says_yes = (flags[:, there] == 1).sum(axis=1)
        likely = np.isin(says_yes, often) | np.isin(int(there.sum()) - says_yes, often)
        named: dict[int, list[int]] = {}
        for a in two[likely].tolist():
            value = _named_value(matrix[a][there], matrix[b][there], n_values)
            if a != b and value is not None:
                named.setdefault(value, []).append(a)
        # All values but one: the last is where none of the columns says yes.
        if len(named) >= n_values - 1:
            members = [a for places in named.values() for a in places]
            n_known = int(there.sum())
            total = n_known if matrix.shape[1] == second.n_records else second.n_records
            ties += [(a, b, Tie(looks[a].name, second.name, Bond.INDICATES, n_known, n_known, total)) for a in members]
    return ties


def _named_value(flags: IntArray, values: IntArray, n_values: int) -> int | None:
    """Give the value that a column of two values stands for: one side of it has that value alone, and all of it."""
    if (flags < 0).any():
        return None
    yes = np.bincount(values[flags == 1], minlength=n_values)
    no = np.bincount(values[flags == 0], minlength=n_values)
    if (yes * no).any():
        return None
    for side in (yes, no):
        if (side > 0).sum() == 1:
            return int(np.argmax(side))
    return None
