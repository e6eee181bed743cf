"""The search behind `blank`: groups of distinct tuples, each with the columns on which its records agree.

    gather:  for sets of columns:                                           the cheapest first, per record
                 tuples of fewer than k records that agree on all other columns become a group,
                 if they are k together, or with records borrowed from a tuple that can spare them
    merge:   while a group has fewer than k records:                        the cheapest step first, per record
                 it merges with another, or borrows
    improve: while that saves blanks:
                 records move to another group, or found one with borrowed records;
                 groups are divided, or dissolved into the others

The cost of a group is its records times the weight of the columns on which they differ. All costs are whole numbers, so
ties are ties and go to the lower tuple.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations

import numpy as np

from microagg.base.groups import equivalence_classes
from microagg.base.progress import Progress
from microagg.base.types import BoolArray, FloatArray, IntArray

BLANK = -1
"""Stands for the value of a column on which the records of a group differ."""
MOST_PATTERNS = 1023
"""How many sets of columns are looked at: all of ten columns."""
NOBODY = -2
"""Stands in every column of a place that holds no group."""


class Groups:
    """Groups of records, in places: their common values, sizes and members.

    Parameters
    ----------
    codes : array of shape (m, U)
        The distinct tuples, column by column, codes from 0.
    counts : array of U int
        How many records each stands for.
    weights : array of m numbers
        What a blank costs in each column: whole numbers.
    k : int
        Least size of a group.
    """

    def __init__(self, codes: IntArray, counts: IntArray, weights: IntArray | FloatArray, k: int) -> None:
        self.codes, self.k = codes, k
        self.weights = weights.astype(np.float64)  # whole numbers all the same
        self.total = float(self.weights.sum())
        self.values = codes.copy()
        self.sizes = counts.astype(np.float64)
        self.blanked = np.zeros(len(counts))
        self.alike = np.ones(len(counts), dtype=np.bool_)  # whether a group is of one tuple
        self.members: list[dict[int, int]] = [{place: int(count)} for place, count in enumerate(counts)]

    def part(self, places: Sequence[int]) -> Groups:
        """Give the groups of some places, each of one tuple, on their own."""
        tuples = [next(iter(self.members[place])) for place in places]
        return Groups(self.codes[:, tuples], self.sizes[list(places)].astype(np.int64), self.weights, self.k)

    def costs(self) -> float:
        """Give the weight of all blanks."""
        return float(self.sizes @ self.blanked)

    def apart(self, values: IntArray) -> FloatArray:
        """Give the weight of the columns that would be blank if these values joined the group of each place."""
        agree = self.values == values[:, None]
        agree[values == BLANK] = False
        apart: FloatArray = self.total - self.weights @ agree.astype(np.float64)
        return apart

    def put(self, place: int, members: dict[int, int]) -> None:
        """Let a place hold a group of these members; none leaves it empty."""
        self.members[place] = members
        self.alike[place] = len(members) == 1
        if not members:
            self.values[:, place], self.sizes[place], self.blanked[place] = NOBODY, 0.0, 0.0
            return
        tuples = self.codes[:, list(members)]
        first = tuples[:, 0]
        differ = (tuples != first[:, None]).any(axis=1)
        self.values[:, place] = np.where(differ, BLANK, first)
        self.sizes[place] = float(sum(members.values()))
        self.blanked[place] = float(self.weights[differ].sum())

    def free_place(self) -> int:
        """Give a place that holds no group."""
        empty = np.flatnonzero(self.sizes == 0)
        if len(empty):
            return int(empty[0])
        place = len(self.sizes)
        more = max(16, place // 4)
        self.values = np.hstack([self.values, np.full((len(self.values), more), NOBODY, dtype=self.values.dtype)])
        self.sizes, self.blanked = (np.append(each, np.zeros(more)) for each in (self.sizes, self.blanked))
        self.alike = np.append(self.alike, np.zeros(more, dtype=np.bool_))
        self.members += [{} for _ in range(more)]
        return place

    def compact(self) -> None:
        """Drop empty places; the groups keep their order."""
        there = np.flatnonzero(self.sizes > 0)
        self.values = np.ascontiguousarray(self.values[:, there])
        self.sizes, self.blanked, self.alike = self.sizes[there], self.blanked[there], self.alike[there]
        self.members = [self.members[place] for place in there.tolist()]

    def lenders(self, n_lent: float) -> BoolArray:
        """Say which groups are of one tuple and keep at least k records if they lend so many."""
        lends: BoolArray = self.alike & (self.sizes >= self.k + n_lent)
        return lends

    def move(self, tuple_: int, count: int, source: int, target: int) -> None:
        """Let some records of a tuple change groups."""
        left, joined = dict(self.members[source]), dict(self.members[target])
        left[tuple_] -= count
        if not left[tuple_]:
            del left[tuple_]
        joined[tuple_] = joined.get(tuple_, 0) + count
        self.put(source, left)
        self.put(target, joined)


def gather(groups: Groups) -> None:
    """Bring tuples of fewer than k records together that differ in few columns, the cheapest for each record first.

    Whoever is k together blanks the columns on which they differ; whoever is fewer, and there is a tuple that can lend
    the others, pays for these too. Of equal prices, the columns that help most records go first: the greedy rule for
    covering sets [1]_. Every set of columns is looked at, up to ten columns; of more, the smallest sets.

    References
    ----------
    .. [1] V. Chvatal. A greedy heuristic for the set-covering problem. Mathematics of Operations Research 4 (1979)
       233-235.
    """
    small = groups.sizes < groups.k
    state = 0
    offers: list[tuple[float, float, int, int]] = []
    patterns = _patterns(groups.weights)

    def offer(number: int) -> None:
        """Say what the cheapest groups of a set of columns cost for each record, and how many records they help."""
        price, helped, _ = _gathered(groups, patterns[number], small)
        if np.isfinite(price):
            heapq.heappush(offers, (price, -helped, number, state))

    for number in range(len(patterns)):
        offer(number)
    while offers and small.any():
        _, _, number, known = heapq.heappop(offers)
        if known == state:
            _, _, gathered = _gathered(groups, patterns[number], small)
            state += 1
            for places in gathered:
                small[places] = False
                members = {place: int(groups.sizes[place]) for place in places.tolist()}
                lent = groups.k - sum(members.values())
                lender = _lender(groups, patterns[number], places[0], lent) if lent > 0 else None
                if lent > 0 and lender is None:  # it has lent to the ones before
                    small[places] = True
                    continue
                for place in places[1:].tolist():
                    groups.put(place, {})
                groups.put(int(places[0]), members)
                if lender is not None:
                    (tuple_,) = groups.members[lender]
                    groups.move(tuple_, lent, lender, int(places[0]))
        offer(number)
    groups.compact()


def _patterns(weights: FloatArray) -> list[IntArray]:
    """Give the columns that are kept beside each set of blank ones, some at least; the cheapest blanks first."""
    m = len(weights)
    kept: list[IntArray] = []
    for n_blank in range(1, m):
        for blank in combinations(range(m), n_blank):
            if len(kept) == MOST_PATTERNS:
                break
            kept.append(np.setdiff1d(np.arange(m), blank))
    return sorted(kept, key=lambda columns: -float(weights[columns].sum()))


def _gathered(groups: Groups, kept: IntArray, small: BoolArray) -> tuple[float, float, list[IntArray]]:
    """Give the price per record of the cheapest groups that agree on these columns, their records, and the groups."""
    k, places = groups.k, np.flatnonzero(small)
    weight = groups.total - float(groups.weights[kept].sum())
    can_lend = np.flatnonzero(groups.alike & (groups.sizes > k))
    agree = equivalence_classes(groups.codes[kept][:, np.concatenate([places, can_lend])].T)
    sizes = np.bincount(agree[: len(places)], groups.sizes[places], int(agree.max(initial=-1)) + 1)
    most = np.zeros(len(sizes))
    np.maximum.at(most, agree[len(places) :], groups.sizes[can_lend])
    possible = (sizes >= k) | ((sizes > 0) & (most >= 2 * k - sizes))
    if not possible.any():
        return np.inf, 0.0, []
    prices = np.full(len(sizes), np.inf)
    prices[possible] = weight * np.maximum(1.0, k / sizes[possible])
    lowest = float(prices.min())
    chosen = np.flatnonzero(prices == lowest)
    order = np.argsort(agree[: len(places)], kind="stable")
    ordered = agree[: len(places)][order]
    starts, ends = np.searchsorted(ordered, chosen), np.searchsorted(ordered, chosen, side="right")
    gathered = [places[order[start:end]] for start, end in zip(starts, ends, strict=True)]
    return lowest, float(sizes[chosen].sum()), gathered


def _lender(groups: Groups, kept: IntArray, place: int, lent: int) -> int | None:
    """Give the largest group of one tuple that agrees with a tuple on these columns and can lend so many records."""
    agrees = (groups.codes[kept] == groups.codes[kept, place][:, None]).all(axis=0)
    able = np.flatnonzero(groups.lenders(lent) & agrees)
    return int(able[np.argmax(groups.sizes[able])]) if len(able) else None


def merge(groups: Groups, progress: Progress | None = None) -> None:
    """Bring every group to at least k records, the cheapest step first.

    What a step costs is told per record that it helps: the blanks that the merged group has, and k times those of one
    record, over the records that needed them, where the others are borrowed. Of equal steps the one that comes nearest
    to k goes first, then the one of the lower tuple.
    """
    k, size = groups.k, len(groups.sizes)
    steps: list[tuple[float, float, int, int]] = []
    best = np.full(size, np.inf)

    def look(place: int) -> None:
        """Find the best step of a group that is too small."""
        prices, reached = _prices(groups, place)
        lowest = prices.min()
        nearest = np.flatnonzero(prices == lowest)
        other = int(nearest[np.argmax(reached[nearest])])
        best[place] = lowest
        heapq.heappush(steps, (float(lowest), -float(reached[other]), place, other))

    small = np.flatnonzero((groups.sizes > 0) & (groups.sizes < k))
    for place in small.tolist():
        look(place)
    left = n_small = len(small)
    while left > 0:
        price, _, place, other = heapq.heappop(steps)
        if not 0 < groups.sizes[place] < k or price != best[place]:
            continue
        prices, _ = _prices_of(groups, place, np.array([other]))
        if prices[0] != price:  # the other one has changed meanwhile
            look(place)
            continue
        lent = k - groups.sizes[place]
        if groups.lenders(lent)[other]:
            (tuple_,) = groups.members[other]
            groups.move(tuple_, int(lent), other, place)
        else:
            merged = dict(groups.members[place])
            for tuple_, count in groups.members[other].items():
                merged[tuple_] = merged.get(tuple_, 0) + count
            left -= int(groups.sizes[other] < k)
            groups.put(other, {})
            groups.put(place, merged)
        if groups.sizes[place] < k:
            look(place)
        else:
            left -= 1
            _offer(groups, place, best, steps)
        if progress is not None:
            progress(1.0 - left / n_small)
    groups.compact()


def _prices(groups: Groups, place: int) -> tuple[FloatArray, FloatArray]:
    return _prices_of(groups, place, np.arange(len(groups.sizes)))


def _prices_of(groups: Groups, place: int, others: IntArray) -> tuple[FloatArray, FloatArray]:
    """Give what a step to each other group costs for each record that it helps, and the size reached, at most k."""
    k, own = groups.k, groups.sizes[place]
    if len(others) == len(groups.sizes):
        apart, sizes, blanked = groups.apart(groups.values[:, place]), groups.sizes, groups.blanked
        lends = groups.lenders(k - own)
    else:
        both = groups.values[:, others]
        agree = (both == groups.values[:, [place]]) & (both != BLANK)
        apart = groups.total - groups.weights @ agree.astype(np.float64)
        sizes, blanked = groups.sizes[others], groups.blanked[others]
        lends = groups.lenders(k - own)[others]
    joined = ((own + sizes) * apart - sizes * blanked) / own
    prices = np.where(lends, k * apart / own, np.where(sizes < k, apart, joined))
    prices[(sizes == 0) | (others == place)] = np.inf
    return prices, np.minimum(own + sizes, k)


def _offer(groups: Groups, place: int, best: FloatArray, steps: list[tuple[float, float, int, int]]) -> None:
    """Let groups that are too small know of one that is large enough now."""
    apart = groups.apart(groups.values[:, place])
    size, blanked = groups.sizes[place], groups.blanked[place]
    in_need = (groups.sizes > 0) & (groups.sizes < groups.k)
    with np.errstate(divide="ignore", invalid="ignore"):
        prices = ((groups.sizes + size) * apart - size * blanked) / groups.sizes
    for other in np.flatnonzero(in_need & (prices < best)).tolist():
        best[other] = prices[other]
        heapq.heappush(steps, (float(prices[other]), -float(groups.k), other, place))


def improve(groups: Groups, rounds: int, progress: Progress | None = None) -> None:
    """Change groups as long as that saves blanks, at most so many rounds; in a round, all groups that have changed."""
    again = np.flatnonzero(groups.blanked > 0).tolist()
    for turn in range(rounds):
        changed: set[int] = set()
        for place in again:
            if groups.sizes[place] and groups.blanked[place]:
                changed |= _improved(groups, place)
        if progress is not None:
            progress((turn + 1) / rounds)
        if not changed:
            break
        again = sorted(changed)
    groups.compact()


def _improved(groups: Groups, place: int) -> set[int]:
    """Try everything with a group; give the places that have changed."""
    changed = _divide(groups, place)
    for tuple_ in list(groups.members[place]):
        if tuple_ in groups.members[place] and groups.blanked[place]:
            changed |= _move(groups, place, tuple_)
    if groups.blanked[place]:
        changed |= _dissolve(groups, place)
    return changed


def _divide(groups: Groups, place: int) -> set[int]:
    """Divide a group by a column where every part has k records: parts differ in no more columns than the whole."""
    k = groups.k
    if groups.sizes[place] < 2 * k:
        return set()
    members = groups.members[place]
    tuples = np.array(list(members))
    counts = np.array(list(members.values()))
    for column in np.flatnonzero(groups.values[:, place] == BLANK).tolist():
        parts, which = np.unique(groups.codes[column, tuples], return_inverse=True)
        sizes = np.bincount(which, counts)
        large = np.flatnonzero(sizes >= k)
        rest = sizes.sum() - sizes[large].sum()
        if not len(large) or 0 < rest < k or len(parts) < 2:
            # What would be left is too small for a group: it stays with the largest part.
            large = np.delete(large, np.argmax(sizes[large])) if len(large) else large
        if not len(large):
            continue
        changed = {place}
        for part in large.tolist():
            inside = {int(t): int(c) for t, c in zip(tuples[which == part], counts[which == part], strict=True)}
            left = {t: c for t, c in groups.members[place].items() if t not in inside}
            if not left:
                break
            new = groups.free_place()
            groups.put(new, inside)
            groups.put(place, left)
            changed.add(new)
        if len(changed) > 1:
            return changed
    return set()


def _move(groups: Groups, place: int, tuple_: int) -> set[int]:
    """Move the records of a tuple, or those that the group can spare, where that saves most."""
    k, size, count = groups.k, groups.sizes[place], groups.members[place][tuple_]
    spare = int(size) - k
    if spare <= 0:
        return _exchange(groups, place, tuple_)
    moved = min(count, spare)
    saved = size * groups.blanked[place] - (size - moved) * _blanked_without(groups, place, tuple_, moved)
    apart = groups.apart(groups.codes[:, tuple_])
    target, price, borrows = _cheapest(groups, apart, place, moved)
    if price >= saved:
        return _exchange(groups, place, tuple_)
    if borrows:
        (lent,) = groups.members[target]
        new = groups.free_place()
        groups.put(new, {tuple_: 0})
        groups.move(tuple_, moved, place, new)
        groups.move(lent, k - moved, target, new)
        return {place, target, new}
    groups.move(tuple_, moved, place, target)
    return {place, target}


def _cheapest(groups: Groups, apart: FloatArray, place: int, moved: int) -> tuple[int, float, bool]:
    """Give where so many records go for the least, what it costs, and whether they found a group with borrowed ones."""
    k = groups.k
    prices = (groups.sizes + moved) * apart - groups.sizes * groups.blanked
    prices[(groups.sizes == 0)] = np.inf
    prices[place] = np.inf
    target = int(prices.argmin())
    if moved < k:
        borrowing = np.where(groups.lenders(k - moved), k * apart, np.inf)
        borrowing[place] = np.inf
        lender = int(borrowing.argmin())
        if borrowing[lender] < prices[target]:
            return lender, float(borrowing[lender]), True
    return target, float(prices[target]), False


def _blanked_without(groups: Groups, place: int, tuple_: int, moved: int) -> float:
    """Give the weight of the blank columns of a group that so many records of a tuple have left."""
    members = groups.members[place]
    if moved < members[tuple_]:
        return float(groups.blanked[place])
    left = groups.codes[:, [other for other in members if other != tuple_]]
    return float(groups.weights[(left != left[:, :1]).any(axis=1)].sum()) if left.size else 0.0


def _exchange(groups: Groups, place: int, tuple_: int) -> set[int]:
    """Let the records of a tuple leave a group that cannot spare them, and others that can be spared come for them."""
    k, size, count = groups.k, groups.sizes[place], groups.members[place][tuple_]
    needed = k - (int(size) - count)
    if needed <= 0 or len(groups.members[place]) == 1:
        return set()
    rest = groups.codes[:, [other for other in groups.members[place] if other != tuple_]]
    values = np.where((rest != rest[:, :1]).any(axis=1), BLANK, rest[:, 0])
    coming = np.where(groups.lenders(needed), k * groups.apart(values), np.inf)
    coming[place] = np.inf
    lender = int(coming.argmin())
    if not np.isfinite(coming[lender]):
        return set()
    prices = (groups.sizes + count) * (apart := groups.apart(groups.codes[:, tuple_])) - groups.sizes * groups.blanked
    # The lender is smaller by then: of one tuple, its records cost nothing either way.
    prices[lender] = (groups.sizes[lender] - needed + count) * apart[lender]
    prices[groups.sizes == 0] = np.inf
    prices[place] = np.inf
    target = int(prices.argmin())
    if coming[lender] + prices[target] >= size * groups.blanked[place]:
        return set()
    (lent,) = groups.members[lender]
    groups.move(lent, needed, lender, place)
    groups.move(tuple_, count, place, target)
    return {place, lender, target}


def _dissolve(groups: Groups, place: int) -> set[int]:
    """Let every tuple of a group go where it costs least, if that saves blanks."""
    with _on_trial(groups) as trial:
        saved = groups.sizes[place] * groups.blanked[place]
        for tuple_, count in list(groups.members[place].items()):
            apart = groups.apart(groups.codes[:, tuple_])
            target, price, borrows = _cheapest(groups, apart, place, count)
            saved -= price
            if saved <= 0 or not np.isfinite(price):
                return set()
            trial.remember(place, target)
            if borrows:
                (lent,) = groups.members[target]
                new = groups.free_place()
                trial.remember(new)
                groups.put(new, {tuple_: 0})
                groups.move(tuple_, count, place, new)
                groups.move(lent, groups.k - count, target, new)
            else:
                groups.move(tuple_, count, place, target)
        trial.keep = True
        return set(trial.before)


class _Trial:
    """What groups were before something was tried with them."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups
        self.before: dict[int, dict[int, int]] = {}
        self.keep = False

    def remember(self, *places: int) -> None:
        for place in places:
            self.before.setdefault(place, dict(self._groups.members[place]))


@contextmanager
def _on_trial(groups: Groups) -> Iterator[_Trial]:
    """Try something: unless it is kept, the groups are as before in the end."""
    trial = _Trial(groups)
    yield trial
    if not trial.keep:
        for place, members in trial.before.items():
            groups.put(place, members)
