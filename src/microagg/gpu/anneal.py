"""Annealing of a partition on a device, pair of groups by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from microagg import _core
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.gpu.cells import cell_starts, median_cuts
from microagg.gpu.device import Device, Kernel, our_words, to_host
from microagg.gpu.random import stream

MOST_COLUMNS = 64
"""A record of a pair of groups lies in the memory that the threads of a block share."""
MOST_K = 60
"""Two groups of k and some records more must fit into `ROOMS`."""
MOST_GROUPS = 2**28
"""The number of a group is 28 bits of a claim."""
ROOMS = (8, 16, 32, 64, 128)
"""How many records the threads that work on a pair of groups have room for."""
N_NEAREST = 8
"""How many landmarks near each record are known."""
LAST = 0.95
"""The share of the rounds after which only changes for the better are made."""
ROUNDS_OF_CLAIMS = 2**16 - 1
"""The number of a round is 16 bits of a claim."""
SOURCES = ("common.cuh", "nearest.cu", "pairs.cu", "groups.cu")
KERNELS = ("nearest", "propose", "anneal", "centroids", "errors", "dissolve", "scatter", "found", "won", "gather")
_PAIRS, _DISSOLVE, _FOUND = range(3)


@dataclass(frozen=True)
class Cooling:
    """How long and how hot.

    Attributes
    ----------
    rounds : int
        How many times groups are paired anew.
    heat : float
        How much worse a change may be at the beginning, on average, in squared errors of a record.
    steps : int
        The most changes of a pair in a round.
    every : int
        After how many rounds groups may dissolve, and be founded.
    among : int
        One in so many of them tries.
    refreshes : tuple of int
        The rounds before which landmarks are found anew, of the groups as they are then.
    sharing : int
        How many groups make a landmark.
    """

    rounds: int
    heat: float
    steps: int = 4
    every: int = 20
    among: int = 4
    refreshes: tuple[int, ...] = ()
    sharing: int = 1


def why_not(n_columns: int, k: int, n_records: int) -> str | None:
    """Say why the kernels cannot take these records; None where they can.

    >>> why_not(13, 10, 1000), why_not(100, 10, 1000)
    (None, 'at most 64 columns can be annealed on the device, and there are 100')
    """
    if n_columns > MOST_COLUMNS:
        return f"at most {MOST_COLUMNS} columns can be annealed on the device, and there are {n_columns}"
    if k > MOST_K:
        return f"groups of at most k = {MOST_K} can be annealed on the device, and k is {k}"
    if n_records // k >= MOST_GROUPS or n_records >= 2**31:
        return f"at most {MOST_GROUPS - 1:,} groups of 2,147,483,647 records can be annealed on the device"
    return None


@dataclass(frozen=True)
class Partition:
    """Groups on the device: their members, at most 2k - 1, and the group of each record.

    Numbers that no group has any more have size 0.
    """

    members: Any
    sizes: Any
    group_of: Any

    def copy(self) -> Partition:
        """Give one that can be changed."""
        return Partition(self.members.copy(), self.sizes.copy(), self.group_of.copy())


@dataclass(frozen=True)
class Landmarks:
    """Cells of records that lay together at the start, and those near each record.

    Attributes
    ----------
    near : array of shape (n, N_NEAREST)
        The landmarks whose centroids are nearest to each record.
    first : array
        Where the records of each landmark begin.
    order : array of n
        The records, landmark by landmark.
    """

    near: Any
    first: Any
    order: Any


class Annealer:
    """The kernels for some number of columns and some k, with the records on the device."""

    def __init__(self, device: Device, X: Any, k: int) -> None:
        xp, (n, m) = device.xp, X.shape
        self.device, self.X, self.k, self.n, self.m = device, X, k, n, m
        self.most = 2 * k - 1
        self.pad = (m + 4) // 4 * 4  # room for the norm of a landmark behind the columns
        room = next((room for room in ROOMS if room >= 3 * k - 1), ROOMS[-1])
        lanes = min(32, room)
        warps = 1 if room > 32 else 4
        self.pairs = 32 // lanes * warps
        self.block = 32 * warps
        quads = (m + 3) // 4
        self.shared_bytes = self.pairs * room * (16 * quads + 4 * (room + 1))
        macros = {"COLS": m, "PAD": self.pad, "K": k, "LANES": lanes, "EACH": room // lanes, "WARPS": warps}
        self.run: dict[str, Kernel] = dict(device.kernels(SOURCES, KERNELS, {**macros, "NEAREST": N_NEAREST}))
        centred = X - X.mean(axis=0)
        largest = float(abs(centred).max())
        # In single precision, around 0 and of size 1: neither a shift nor a unit costs digits.
        scale = 2.0 ** -int(np.frexp(largest)[1]) if largest > 0 else 1.0
        self.points = xp.zeros((n, self.pad), dtype=np.float32)
        self.points[:, :m] = centred * scale

    def partition(self, labels: Any) -> Partition:
        """Put groups of k to 2k - 1 records into tables."""
        xp = self.device.xp
        labels = xp.asarray(labels)
        n_groups = max(1, self.n // self.k)
        order = xp.argsort(labels, kind="stable")
        counts = xp.bincount(labels, minlength=n_groups)
        begins = xp.cumsum(counts) - counts
        sorted_labels = labels[order]
        members = xp.full((n_groups, self.most), -1, dtype=np.int32)
        members[sorted_labels, xp.arange(self.n) - begins[sorted_labels]] = order
        return Partition(members, counts.astype(np.int32), labels.astype(np.int32))

    def centroids(self, groups: Partition) -> tuple[Any, Any]:
        """Give the centroid of every group and its squared error, in single precision."""
        xp, n_groups = self.device.xp, len(groups.sizes)
        centre = xp.zeros((n_groups, self.pad), dtype=np.float32)
        error = xp.zeros(n_groups, dtype=np.float32)
        arguments = (np.int32(n_groups), self.points, groups.members, groups.sizes, centre, error)
        self.run["centroids"](-(-n_groups // 4), 128, arguments)
        return centre, error

    def error(self, groups: Partition) -> float:
        """Give the sum of squared errors, in double precision and in the units of the records."""
        n_groups = len(groups.sizes)
        error = self.device.xp.zeros(n_groups, dtype=np.float64)
        self.run["errors"](-(-n_groups // 4), 128, (np.int32(n_groups), self.X, groups.members, groups.sizes, error))
        return float(error.sum())

    def nearest(self, points: Any, centres: Any) -> Any:
        """Give the numbers of the nearest of some centres, nearest first, for every point; -1 where there are fewer."""
        xp = self.device.xp
        centres = xp.ascontiguousarray(centres)
        centres[:, self.m] = 0.5 * (centres[:, : self.m].astype(np.float64) ** 2).sum(axis=1)
        near = xp.empty((len(points), N_NEAREST), dtype=np.int32)
        records = 128 * (4 if self.m <= 16 else 2 if self.m <= 32 else 1)
        arguments = (points, np.int64(len(points)), centres, np.int32(len(centres)), near)
        self.run["nearest"](-(-len(points) // records), 128, arguments)
        return near

    def landmarks(self, groups: Partition, sharing: int = 1) -> Landmarks:
        """Find the landmarks near every record: one group in `sharing`, with the groups nearest to it."""
        xp = self.device.xp
        used = xp.flatnonzero(groups.sizes > 0)
        centres = self.centroids(groups)[0][used]
        of_group = xp.full(len(groups.sizes), -1, dtype=np.int64)
        if sharing == 1:
            marks, of_group[used] = centres, xp.arange(len(used))
        else:
            marks = centres[::sharing]
            of_group[used] = self.nearest(centres, marks)[:, 0]
        of_record = of_group[groups.group_of]
        counts = xp.bincount(of_record, minlength=len(marks))
        first = xp.concatenate([xp.zeros(1, dtype=np.int64), xp.cumsum(counts)]).astype(np.int32)
        order = xp.argsort(of_record, kind="stable").astype(np.int32)
        return Landmarks(self.nearest(self.points, marks), first, order)

    def anneal(self, start: Partition, cooling: Cooling, seed: int, progress: Progress | None = None) -> Partition:
        """Give the partition after all rounds, which may be worse than what came in."""
        xp, groups, n_groups = self.device.xp, start.copy(), len(start.sizes)
        partner = xp.empty(n_groups, dtype=np.int32)
        best = xp.zeros(n_groups, dtype=np.uint64)
        count = np.int32(n_groups)
        near: tuple[Any, ...] = ()
        tables = (groups.members, groups.sizes, groups.group_of)
        units = self.pairs * 4
        for turn in range(1, cooling.rounds + 1):
            number = np.uint32((turn - 1) % ROUNDS_OF_CLAIMS + 1)
            if number == 1:
                best.fill(0)
            if turn == 1 or turn in cooling.refreshes:
                marks = self.landmarks(groups, cooling.sharing)
                near = (marks.near, marks.first, marks.order, np.int32(N_NEAREST))
            left = max(0.0, 1.0 - (turn - 1) / (LAST * cooling.rounds))
            heat = np.float32(cooling.heat * left * left)
            if turn % cooling.every == 0:
                self._regroup(groups, near, best, number, turn, cooling, heat, seed)
                best.fill(0)
            draws = stream(seed, turn, _PAIRS)
            self.run["propose"](-(-n_groups // 256), 256, (count, *tables, *near, draws, number, partner, best))
            self.run["anneal"](
                -(-n_groups // units),
                self.block,
                (count, self.points, *tables, partner, best, draws, number, heat, np.int32(cooling.steps)),
                self.shared_bytes,
            )
            if progress is not None and turn % 16 == 0:
                self.device.wait()
                progress(turn / cooling.rounds)
        return groups

    def _regroup(
        self,
        groups: Partition,
        near: tuple[Any, ...],
        best: Any,
        number: np.uint32,
        turn: int,
        cooling: Cooling,
        heat: np.float32,
        seed: int,
    ) -> None:
        """Dissolve groups that the groups around them take at a lower cost, and found groups of records to spare."""
        xp, n_groups = self.device.xp, len(groups.sizes)
        count, blocks = np.int32(n_groups), -(-n_groups // 128)
        tables = (groups.members, groups.sizes, groups.group_of)

        def offered(name: str, purpose: int, size: int) -> Any:
            best.fill(0)
            offers = xp.empty((n_groups, size), dtype=np.int32)
            among = np.uint32(cooling.among)
            draws = stream(seed, turn, purpose)
            arguments = (*tables, *self.centroids(groups), *near, draws, number, heat, among, offers, best)
            self.run[name](n_groups, 32, (count, self.points, *arguments))
            return offers

        targets = offered("dissolve", _DISSOLVE, self.most)
        self.run["scatter"](blocks, 128, (count, *tables, targets, best, number))
        free = xp.flatnonzero(groups.sizes == 0).astype(np.int32)
        if not len(free):
            return
        picks = offered("found", _FOUND, self.k)
        wins = xp.empty(n_groups, dtype=np.int32)
        self.run["won"](blocks, 128, (count, groups.group_of, picks, best, number, wins))
        counts = xp.cumsum(wins, dtype=np.int32)
        self.run["gather"](blocks, 128, (count, *tables, picks, wins, counts, free))

    def numbered(self, groups: Partition) -> IntArray:
        """Give the group of each record, numbered in the order of first appearance."""
        xp, n_groups = self.device.xp, len(groups.sizes)
        places = xp.arange(self.most)[None, :] < groups.sizes[:, None]
        firsts = xp.where(places, groups.members, self.n).min(axis=1)
        ranks = xp.empty(n_groups, dtype=np.int64)
        ranks[xp.argsort(firsts, kind="stable")] = xp.arange(n_groups, dtype=np.int64)
        return to_host(ranks[groups.group_of])


def improve(
    device: Device,
    X: FloatArray,
    labels: IntArray,
    k: int,
    cooling: Cooling,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> IntArray:
    """Anneal a partition on a device; the result is never worse than what came in.

    Every round each group proposes a group near one of its records, and those that win both groups are worked on,
    all at once: records change places or move, the best change first, and one that makes the pair worse may be made
    while the heat lasts. Now and then groups dissolve into those around them, and records that their groups can spare
    found new ones. Loss is counted in double precision at both ends.

    Parameters
    ----------
    device : Device
        Where to do it.
    X : array of shape (n, m)
        The records: at most `MOST_COLUMNS` columns.
    labels : array of n int
        Groups of k records or more; those of 2k or more are split first.
    k : int
        Least size of a group, at most `MOST_K`.
    cooling : Cooling
        How long and how hot.
    seed : int
        What the random choices follow from.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record, numbered in the order of first appearance.
    """
    with our_words():
        annealer = Annealer(device, device.xp.asarray(X), k)
        start = annealer.partition(split(X, labels, k))
        result = annealer.anneal(start, cooling, seed, progress)
        if annealer.error(result) > annealer.error(start):
            result = start
        return annealer.numbered(result)


def first_cells(device: Device, X: FloatArray, k: int) -> IntArray:
    """Give groups to start with, of k to 2k - 1 records that lie together after median cuts."""
    with our_words():
        xp = device.xp
        records = xp.asarray(X)
        order = median_cuts(device, (records - records.mean(axis=0)).astype(np.float32), k)
        starts = cell_starts(len(X), k)
        labels = xp.empty(len(X), dtype=np.int64)
        labels[order] = xp.repeat(xp.arange(len(starts) - 1), np.diff(starts).tolist())
        return to_host(labels)


def split(X: FloatArray, labels: IntArray, k: int) -> IntArray:
    """Split groups of 2k records or more by MDAV; that never makes the loss higher.

    >>> split(np.array([[1.0], [9.0], [2.0], [8.0]]), np.zeros(4, dtype=np.int64), 2).tolist()
    [0, 1, 0, 1]
    """
    sizes = np.bincount(labels)
    large = np.flatnonzero(sizes >= 2 * k)
    if not len(large):
        return labels
    labels = labels.copy()
    n_groups = len(sizes)
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(sizes)
    for group in large.tolist():
        rows = order[ends[group] - sizes[group] : ends[group]]
        parts = np.empty(len(rows), dtype=np.int64)
        _core.mdav(np.ascontiguousarray(X[rows]), k, parts, 1, None)
        labels[rows] = np.where(parts == 0, group, n_groups + parts - 1)
        n_groups += int(parts.max())
    return labels
