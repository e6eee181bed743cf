"""The linear relaxation of choosing groups, solved without listing them all; whole, or in a part of all partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from microagg import _core
from microagg.base.types import FloatArray, IntArray
from microagg.bounds.master import Answer, Columns, Master
from microagg.bounds.neighbours import Neighbours

TOLERANCE = 1e-7
"""A group enters the master if it costs less than its prices by more than this times the mean price at the start."""
FACTOR = 1.3
"""By which the upper ends of boxes grow."""
INERTIA = 0.3
"""How far to step back from the master's prices towards the best ones, while many groups are still missing."""
HARD_INERTIA = 0.7
"""The same where a search was cut short: there pricing takes most of the time, and shorter steps are worth more."""
MOST_INERTIA = 0.9
NEAR = 0.02
"""Where the bound is this near to the master's value, its own prices are taken as soon as few groups come in."""
FAR = 0.1
"""Prices whose bound is below the best one by this part of it are too far from the best ones: pricing is slow there."""
LOOSE = 0.3
"""Where a search was cut short, groups are not looked for that are cheaper than their prices by less than this part of
what lies between the bound and the master's value, over the groups of a partition: dense places cost almost nothing."""
SETTLED_LOOSE = 0.05
"""The same where groups near known ones have come in before: the search finds few more, and is there for the proof."""
SETTLED_PATIENCE = 0.05
"""There, cuts come in as soon as what is missing is this part of what lies between the bound and the best partition."""
SETTLING = 20
"""Times that groups near known ones are looked for before the search that proves what it finds."""
STARTS = 3_000
"""Known groups, those that cost least beyond their prices, near which cheaper ones are looked for."""
GROUPS_PER_SEED = 10
FIRST_NODES = 3_000
CUTS_AT_ONCE = 300
ROUNDS_IN_VAIN = 3
"""Of cuts; then there are no more."""
CLOSED = 1e-7
"""A bound this near to the best partition, relatively, has met it: pricing leaves TOLERANCE for every group open."""


class OutOfTime(Exception):
    """Raised through a kernel to leave it at the time limit."""


Pairs = tuple[tuple[int, int], ...]


@dataclass
class Part:
    """A part of all partitions, and what is known of it: those with some pairs of records together, and some apart.

    Attributes
    ----------
    bound : float
        No partition of this part costs less.
    prices, penalties : arrays of float
        Of the records and of the first cuts: those that gave the bound.
    low, high : arrays of n float
        Between which prices are held; both grow where they are in the way.
    together, apart : tuple of pairs of int
        Records that share a group in every partition of this part, and records that do not in any.
    solved : bool
        True where the bound is as near to the value of the relaxation as was asked for.
    """

    bound: float
    prices: FloatArray
    penalties: FloatArray
    low: FloatArray
    high: FloatArray
    together: Pairs = ()
    apart: Pairs = ()
    solved: bool = False

    def with_pair(self, pair: tuple[int, int], *, together: bool) -> Part:
        """Give the part of this part that has the pair together, or apart."""
        return Part(
            self.bound,
            self.prices,
            self.penalties,
            self.low.copy(),
            self.high.copy(),
            (*self.together, pair) if together else self.together,
            self.apart if together else (*self.apart, pair),
        )


class Relaxation:
    """The groups, cuts and partitions found so far, for all parts; and the bound of one part after the other.

    Parameters
    ----------
    X : array of shape (n, m)
        The records; the mean price should be about 1, as the solver's tolerances are absolute.
    k : int
        Least size of a group.
    partitions : sequence of labels
        Known partitions into groups of at least k; one at least.
    threads : int
        For pricing.
    tick : callable
        Called often; raises OutOfTime to end the work.
    seconds_left : callable
        Says how long there is.
    """

    def __init__(
        self,
        X: FloatArray,
        k: int,
        partitions: Sequence[IntArray],
        *,
        threads: int,
        tick: Callable[[float], None],
        seconds_left: Callable[[], float],
    ) -> None:
        self.X, self.k, self.threads, self.tick, self.seconds_left = X, k, threads, tick, seconds_left
        self.columns, self.master = Columns(), Master(len(X))
        self.labels, self.upper = np.zeros(0, dtype=np.int64), np.inf
        self.nodes, self.hard = FIRST_NODES, False
        for known in partitions:
            self.learn(known)

    def whole(self, prices: FloatArray) -> Part:
        """Give the part of all partitions; no group may cost less than these prices of its members."""
        low, high = np.minimum(prices, 0.0), FACTOR * np.maximum(prices, 0.0) + 0.01
        return Part(float(prices.sum()), prices, np.zeros(0), low, high)

    def learn(self, labels: IntArray) -> bool:
        """Take the groups of a partition, and say whether it is the best one so far."""
        groups = groups_of(labels, self.k)
        costs = [group_cost(self.X, group) for group in groups]
        self.columns.add(groups, costs)
        better = sum(costs) < self.upper
        if better:
            self.labels, self.upper = labels, sum(costs)
        return better

    def met(self, part: Part) -> bool:
        """Say whether no partition of the part is better than the best one known."""
        return self.upper - part.bound <= CLOSED * self.upper

    def solve(self, part: Part, *, gap: float, patience: float, cuts: bool) -> None:
        """Raise the bound of a part to its relaxation, or until it meets the best partition known.

        The relaxation counts as solved, and cuts as useless, where what is missing or won is at most `gap` of the bound
        or `patience` of what lies between the bound and the best partition.
        """
        master, columns, n_records = self.master, self.columns, len(self.X)
        blocks = components(part.together)
        master.precise = False
        n_new, n_groups, relaxed, in_vain, higher = n_records, n_records // self.k, 0.0, 0, False
        inertia, loose, n_settling = INERTIA, LOOSE, 0
        master.extend(columns)
        master.decide(columns, part.together, part.apart)
        while not self.met(part):
            self.tick(0.0)
            master.box(part.low, part.high)
            master.extend(columns)
            answer = master.solve(self.seconds_left())
            self.tick(0.0)
            if answer is None:
                return
            value, held = answer.value, answer.held
            n_known = len(columns.groups)
            settled = self.hard and not part.together and not part.apart  # neighbours know of no decisions
            loose = min(loose, SETTLED_LOOSE) if settled else loose
            tolerance = max(TOLERANCE, loose * (value - part.bound) / n_groups) if self.hard else TOLERANCE
            if settled and self._add_neighbours(answer, tolerance) > n_records / 100 and n_settling < SETTLING:
                n_settling += 1
                part.high[held[0]] *= FACTOR
                continue
            n_settling = 0
            waits = max(patience, SETTLED_PATIENCE) if settled and cuts else patience
            enough = max(gap * value + TOLERANCE, waits * (self.upper - part.bound))
            at_end = not held.any() and value - part.bound <= enough
            if not at_end:
                prices, penalties = answer.prices, answer.penalties
                near = value - part.bound <= NEAR * value
                stepped_back = not settled and (
                    n_new > (n_records / 20 if near else 0) or (self.hard and higher and not near)
                )
                inertia = max(inertia, HARD_INERTIA) if self.hard else inertia
                if stepped_back:
                    prices = inertia * part.prices + (1.0 - inertia) * prices
                    before = np.append(
                        part.penalties, np.zeros(len(penalties) - len(part.penalties))
                    )  # new cuts had none
                    penalties = inertia * before + (1.0 - inertia) * penalties
                for block in blocks:  # they go together, so only the sum of their prices matters
                    prices[block] = prices[block].mean()
                priced = self._price(part, prices, penalties, tolerance, GROUPS_PER_SEED, self.nodes, every=False)
                members, starts, costs, _, least, cut_short = priced
                worst = np.argpartition(least, n_groups - 1)[:n_groups]
                wanting = float(least[worst].sum())
                unknown = float(least[np.intersect1d(worst, cut_short)].sum())
                self.hard = self.hard or len(cut_short) > 0
                bound = float(prices.sum() - penalties @ master.cuts.most) + wanting
                higher = bound > part.bound
                if bound < (1.0 - FAR) * part.bound:
                    inertia += 0.5 * (MOST_INERTIA - inertia)
                if higher:
                    inertia = max(INERTIA, 0.8 * inertia)
                    part.bound, part.prices, part.penalties = bound, prices, penalties
                columns.add(np.split(members, starts[1:-1]) if len(costs) else [], costs)
                n_new = len(columns.groups) - n_known
                few_nodes = unknown < 0.5 * wanting and (settled or not higher)
                if len(cut_short) and (n_new < n_records / 20 or few_nodes):
                    self.nodes *= 4
                nothing = not n_new and not stepped_back and not len(cut_short)
                loose = 0.01 * loose if nothing else LOOSE
                complete = nothing and tolerance == TOLERANCE
                at_end = complete and master.precise and not held.any()
                master.precise = master.precise or complete
                if complete or value - part.bound <= 0.2 * value:
                    part.high[held[0]] *= FACTOR
                if complete or value - part.bound <= 0.05 * value:
                    part.low[held[1]] = 2.0 * part.low[held[1]] - 0.3
            if at_end:
                part.solved = True
                in_vain = in_vain + 1 if part.bound - relaxed <= enough else 0
                if not cuts or in_vain == ROUNDS_IN_VAIN:
                    return
                new = master.violated(columns, CUTS_AT_ONCE, part.prices)
                if not len(new):
                    return
                relaxed = part.bound
                master.cut(new, columns)
                master.precise = False

    def _add_neighbours(self, answer: Answer, tolerance: float) -> int:
        """Add groups near known ones that cost less than their prices, and say how many do by more than this."""
        nearest = np.argsort(answer.reduced_costs, kind="stable")[:STARTS].tolist()
        neighbours = Neighbours(self.X, answer.prices, self.master.cuts, answer.penalties)
        groups, costs, reduced_costs = neighbours.of([self.columns.groups[place] for place in nearest])
        cheap = np.flatnonzero(reduced_costs < -TOLERANCE).tolist()
        self.columns.add([groups[place] for place in cheap], costs[cheap])
        return len({groups[place].tobytes() for place in cheap if reduced_costs[place] < -tolerance})

    def list_groups(self, part: Part, per_seed: int, nodes: int) -> Columns | None:
        """Give every group that a partition of the part better than the best one may take; None where too many."""
        room = self.upper - part.bound
        priced = self._price(part, part.prices, part.penalties, -room * (1.0 + CLOSED), per_seed, nodes, every=True)
        members, starts, costs, _, _, cut_short = priced
        if len(cut_short):
            return None
        listed = Columns()
        listed.add(np.split(members, starts[1:-1]) if len(costs) else [], costs)
        return listed

    def _price(
        self,
        part: Part,
        prices: FloatArray,
        penalties: FloatArray,
        tolerance: float,
        per_seed: int,
        nodes: int,
        *,
        every: bool,
    ) -> tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray, IntArray]:
        cuts = self.master.cuts
        return _core.price_groups(
            self.X,
            self.k,
            prices,
            cuts.records,
            cuts.multiples,
            cuts.divisors,
            np.append(penalties, np.zeros(len(cuts) - len(penalties))),
            closure(part.together),
            as_pairs(part.apart),
            tolerance,
            per_seed,
            nodes,
            every,
            self.threads,
            self.tick,
        )


def as_pairs(pairs: Pairs) -> IntArray:
    """Give pairs as rows of an array."""
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def components(pairs: Pairs) -> list[IntArray]:
    """Give the sets of records that pairs tie together.

    >>> [block.tolist() for block in components(((3, 4), (0, 9), (4, 7)))]
    [[3, 4, 7], [0, 9]]
    """
    blocks: list[set[int]] = []
    for pair in pairs:
        tied = [block for block in blocks if block & {*pair}]
        merged = {*pair}.union(*tied)
        place = blocks.index(tied[0]) if tied else len(blocks)
        blocks = [block for block in blocks if block not in tied]
        blocks.insert(place, merged)
    return [np.array(sorted(block), dtype=np.int64) for block in blocks]


def closure(pairs: Pairs) -> IntArray:
    """Give all pairs of records that these pairs tie together.

    >>> closure(((3, 4), (4, 7))).tolist()
    [[3, 4], [3, 7], [4, 7]]
    """
    tied = [pair for block in components(pairs) for pair in combinations(block.tolist(), 2)]
    return as_pairs(tuple(tied))


def groups_of(labels: IntArray, k: int) -> list[IntArray]:
    """Give the rows of each group, ascending; groups of 2k or more in parts of k to 2k-1, which cost no more."""
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return [part for group in groups for part in np.array_split(group, max(len(group) // k, 1))]


def group_cost(X: FloatArray, group: IntArray) -> float:
    """Give the sum of squared errors of one group."""
    return float(((X[group] - X[group].mean(axis=0)) ** 2).sum())
