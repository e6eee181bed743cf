"""Branch and price: the parts of all partitions, bounded one after the other, until none can hold a better one."""

from __future__ import annotations

import heapq
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import numpy as np

from microagg.bounds.master import choose
from microagg.bounds.relaxation import OutOfTime, Part, Relaxation

GAP = 1e-8
PATIENCE = 0.02
"""Of what lies between a part's bound and the best partition: not worth another round of pricing or cuts."""
CANDIDATES = 8
"""Pairs that are tried out, in the linear program over the known groups, before one is chosen."""
LISTED_PER_RECORD = 1_000
LISTING_NODES = 20_000
MOST_LISTED = 20_000
"""Groups that an integer program may choose from, to be solved soon."""
CHOOSING_SECONDS = 150.0
SURE = 0.7
"""Groups of at least this weight are taken at once when looking for a partition."""
DIVING_PATIENCE = 0.05


def prove(relaxation: Relaxation, whole: Part) -> float:
    """Give a bound that the best partition known meets, where time allows; `relaxation` has that partition.

    A partition holds two given records together or apart, so a pair whose records share groups of a total weight
    between 0 and 1 parts all partitions in two, and the relaxation of each part is above that of both [1]_. The part
    with the lowest bound is next; a part whose bound meets the best partition known is done with. Groups and cuts are
    shared by all parts: cuts hold for every partition. The pair is the one that raises both bounds most, over the
    groups known [2]_.

    References
    ----------
    .. [1] D. M. Ryan, B. A. Foster. An integer programming approach to scheduling. In: Computer Scheduling of Public
       Transport (1981) 269-280.
    .. [2] T. Achterberg, T. Koch, A. Martin. Branching rules revisited. Operations Research Letters 33 (2005) 42-54.
    """
    open_parts = [(whole.bound, 0, whole)]
    n_parts, next_dive, lowest_done = 1, 1, np.inf
    with suppress(OutOfTime):
        while open_parts and not relaxation.met(open_parts[0][2]):
            part = open_parts[0][2]  # it stays there until it is done: where time runs out, its bound counts
            relaxation.solve(part, gap=GAP, patience=PATIENCE, cuts=True)
            if n_parts >= next_dive:
                next_dive = 2 * n_parts
                dive(relaxation, part)
                relaxation.solve(part, gap=GAP, patience=PATIENCE, cuts=True)
            if not relaxation.met(part) and closed_by_listing(relaxation, part):
                part.bound = relaxation.upper
            pair = None if relaxation.met(part) else best_pair(relaxation, part)
            if pair is None and not relaxation.met(part):
                relaxation.solve(part, gap=0.0, patience=0.0, cuts=False)
            if pair is None:
                lowest_done = min(lowest_done, part.bound)
                heapq.heappop(open_parts)
                continue
            halves = [part.with_pair(pair, together=together) for together in (True, False)]
            heapq.heapreplace(open_parts, (part.bound, n_parts, halves[0]))
            heapq.heappush(open_parts, (part.bound, n_parts + 1, halves[1]))
            n_parts += 2
    return float(min([lowest_done, relaxation.upper, *(part.bound for _, _, part in open_parts)]))


def dive(relaxation: Relaxation, part: Part) -> None:
    """Look for a better partition: take the groups of the largest weight, solve the relaxation again, and so on."""
    master, columns = relaxation.master, relaxation.columns
    while not relaxation.met(part):
        master.precise = True
        if master.solve(relaxation.seconds_left()) is None:
            raise OutOfTime
        shared = master.shared_groups(columns)
        if not shared:
            relaxation.learn(master.labels(columns))
            return
        heaviest = shared[0][0]
        taken: set[int] = set()
        part = replace(part, low=part.low.copy(), high=part.high.copy())
        for weight, group in shared:
            if weight < min(SURE, heaviest) or taken & {*group}:
                continue
            taken |= {*group}
            part.together += tuple(pair for pair in pairwise(group) if pair not in part.together)
        relaxation.solve(part, gap=GAP, patience=DIVING_PATIENCE, cuts=False)


def closed_by_listing(relaxation: Relaxation, part: Part) -> bool:
    """List every group that a better partition of the part may take, and choose among them; say whether that was all.

    A group is in no partition better than the best one known if its reduced cost, at the prices of the bound, is more
    than what lies between the two.
    """
    listed = relaxation.list_groups(part, LISTED_PER_RECORD, LISTING_NODES)
    if listed is None or len(listed.groups) > MOST_LISTED:
        return False
    seconds = min(CHOOSING_SECONDS, relaxation.seconds_left())
    if seconds <= 0.0:
        raise OutOfTime
    n_records, n_listed = len(relaxation.X), len(listed.groups)
    # All records in one group stand for the best partition, whose own groups need not be listed.
    listed.add([np.arange(n_records)], [relaxation.upper])
    known = np.arange(n_listed + 1) == n_listed
    choice = choose(n_records, listed.groups, np.array(listed.costs), seconds, known, relaxation.master.cuts)
    better = choice.labels is not None and relaxation.learn(choice.labels)
    if better and not choice.proven:  # fewer groups may be in a partition that is better than this one
        return closed_by_listing(relaxation, part)
    return choice.proven


def best_pair(relaxation: Relaxation, part: Part) -> tuple[int, int] | None:
    """Give the pair of records to part by; None where every pair is together or apart already."""
    master, columns = relaxation.master, relaxation.columns
    master.precise = True
    answer = master.solve(relaxation.seconds_left())
    if answer is None:
        raise OutOfTime
    shares = master.shares(columns)
    if not shares:
        relaxation.learn(master.labels(columns))
        return None
    weighted = sorted((-min(s, 1 - s) * max(part.prices[[*pair]].sum(), 0.0), pair) for pair, s in shares.items())
    room = relaxation.upper - part.bound
    best_score, best = -np.inf, weighted[0][1]
    for _, pair in weighted[:CANDIDATES]:
        rises = []
        for together in (True, False):
            relaxation.tick(0.0)
            half = part.with_pair(pair, together=together)
            master.decide(columns, half.together, half.apart)
            tried = master.solve(relaxation.seconds_left())
            if tried is None:
                raise OutOfTime
            rises.append(float(np.clip(tried.value - answer.value, 1e-6 * room, room)))
        score = rises[0] * rises[1]
        if score > best_score:
            best_score, best = score, pair
    return best
