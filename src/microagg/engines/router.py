"""Which cell each record goes to: a pure value, apart from where records are.

    a sample of the records -> a tree of median cuts, for each stratum that does not fit a cell
    count the records of every leaf; leaves that came out too large are cut again, by a sample of their own
    leaves that lie side by side join as long as they fit

A cut is a value of one column: what is below goes left, so records that are alike stay together. Only where almost all
records of a cell agree on every column does a cut go through them, by a number that follows from their rows: there that
costs nothing. Everything follows from values and rows, so that the cells are the same however records are spread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from microagg.base.ranges import within_range
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.cell import Records
from microagg.engines.chance import AGAIN, SAMPLE, TIES, TOSS, chances
from microagg.prepare.space import Space

FAIR = 0.25
"""A cut at a value is taken in the widest column where at least this share of the records is on either side."""
LEAST_SHARE = 1 / 16
"""Else in the column that divides best, if it divides at least so; else records that agree are divided."""
LEAST_LEAF = 32
"""Records of the sample that a leaf must have, for its size to be known roughly."""
SMALL = 8
"""A cell of less than this part of the most joins its neighbour, whether they fit together or not."""

Fold = Callable[[Callable[[Records], Any], Callable[[Any, Any], Any]], Any]
"""Gives what a task says of all records, part by part and merged in their order."""
Sampled = tuple[IntArray, IntArray, FloatArray]
"""Some records: their rows, their leaves or strata, and their points."""


@dataclass(frozen=True)
class Leaf:
    """The end of a tree."""

    number: int


@dataclass(frozen=True)
class Cut:
    """What is below `value` in a column goes left; what is equal to it, if the chance of its row is below `chance`."""

    column: int
    value: float
    chance: float
    left: Tree
    right: Tree


@dataclass(frozen=True)
class Toss:
    """Half of the records go left, whatever they are: nothing is known of them."""

    round: int
    left: Tree
    right: Tree


Tree = Leaf | Cut | Toss


def grow(points: FloatArray, ties: FloatArray, most: float, numbers: Iterator[int]) -> Tree:
    """Cut points at medians until no part has more than `most`; leaves are numbered from left to right.

    >>> grow(np.array([[1.0], [2.0], [8.0], [9.0]]), np.arange(4.0), 2, count())
    Cut(column=0, value=8.0, chance=-inf, left=Leaf(number=0), right=Leaf(number=1))
    """
    if len(points) <= max(most, 1):
        return Leaf(next(numbers))
    column, value, chance = _cut(points, ties)
    left = _goes_left(points[:, column], ties, value, chance)
    return Cut(
        column,
        value,
        chance,
        grow(points[left], ties[left], most, numbers),
        grow(points[~left], ties[~left], most, numbers),
    )


def _cut(points: FloatArray, ties: FloatArray) -> tuple[int, float, float]:
    """Choose a column, a value and a chance, so that both sides of the cut have points."""
    n_points = len(points)
    varies = points.max(axis=0) > points.min(axis=0)
    by_width = np.argsort(-within_range(points).std(axis=0), kind="stable")
    best, share = None, 0.0
    for column in by_width[varies[by_width]].tolist():
        ordered = np.sort(points[:, column])
        middle = ordered[n_points // 2]
        ends = [int(np.searchsorted(ordered, middle, side)) for side in ("left", "right")]
        place = max(ends, key=lambda end: min(end, n_points - end))
        reached = min(place, n_points - place) / n_points
        if reached > share:
            best, share = (column, float(ordered[place]), -np.inf), reached
        if share >= FAIR:
            break
    if best is not None and share >= LEAST_SHARE:
        return best
    column = int(by_width[0])
    order = np.lexsort((ties, points[:, column]))
    middle = order[n_points // 2]
    return column, float(points[middle, column]), float(ties[middle])


def _goes_left(values: FloatArray, ties: FloatArray, value: float, chance: float) -> BoolArray:
    left: BoolArray = (values < value) | ((values == value) & (ties < chance))
    return left


@dataclass(frozen=True, eq=False)
class Router:
    """Gives each record its leaf, and its cell.

    Attributes
    ----------
    space : Space
        Where records lie.
    seed : int
        What the chances of rows follow from.
    trees : mapping of int to Tree
        By stratum, where one does not fit a cell.
    packs : array of int
        The leaf of each stratum that has no tree; -1 for others.
    runs : tuple of tuple of int
        Leaves that lie side by side: of each tree, and of each pack of strata.
    cell_of : array of int
        The cell of each leaf; -1 where it is empty.
    sizes : array of int
        How many records each cell has, exactly.
    """

    space: Space
    seed: int
    trees: Mapping[int, Tree]
    packs: IntArray
    runs: tuple[tuple[int, ...], ...]
    cell_of: IntArray
    sizes: IntArray

    @property
    def n_leaves(self) -> int:
        """How many leaves there are."""
        return len(self.cell_of)

    def leaves(self, records: Records) -> IntArray:
        """Give the leaf of each record."""
        return self._leaves(records.rows, records.strata, self.space.route(records.values))

    def cells(self, records: Records) -> IntArray:
        """Give the cell of each record."""
        return self.cell_of[self.leaves(records)]

    def _leaves(self, rows: IntArray, strata: IntArray, points: FloatArray) -> IntArray:
        numbers = self.packs[strata]
        if not self.trees:
            return numbers
        ties = chances(rows, self.seed, TIES)
        order = np.argsort(strata, kind="stable")
        starts = np.flatnonzero(np.diff(strata[order], prepend=-1))
        for here in np.split(order, starts[1:]) if len(order) else []:
            tree = self.trees.get(int(strata[here[0]]))
            if tree is not None:
                self._descend(tree, rows, points, ties, here, numbers)
        return numbers

    def _descend(
        self, tree: Tree, rows: IntArray, points: FloatArray, ties: FloatArray, here: IntArray, numbers: IntArray
    ) -> None:
        if isinstance(tree, Leaf):
            numbers[here] = tree.number
            return
        if isinstance(tree, Toss):
            left = chances(rows[here], self.seed, TOSS + tree.round) < 0.5
        else:
            left = _goes_left(points[here, tree.column], ties[here], tree.value, tree.chance)
        self._descend(tree.left, rows, points, ties, here[left], numbers)
        self._descend(tree.right, rows, points, ties, here[~left], numbers)


def make_router(fold: Fold, space: Space, strata: IntArray, *, k: int, most: int, sample: int, seed: int) -> Router:
    """Find the cells of all records, each of at least k and of hardly more than `most`.

    Parameters
    ----------
    fold : callable
        `fold(task, merge)` goes through all records; see `Engine.fold`. Tasks can be sent to other processes.
    space : Space
        Where records lie.
    strata : array of int
        The number of records of each stratum, each at least k.
    k : int
        No cell has fewer records, and none fewer of any stratum.
    most : int
        No cell has many more records (an eighth at the most).
    sample : int
        About how many records the cuts are chosen by, at a time.
    seed : int
        What the choice of the sample follows from.
    """
    n_records = int(strata.sum())
    share = min(1.0, sample / n_records)
    large = np.flatnonzero(strata > most)
    drawn: Sampled | None = None
    if len(large):
        task = partial(_sample, space=space, share=share, seed=seed, strata=frozenset(large.tolist()))
        drawn = _in_order(fold(task, _both))
    trees: dict[int, Tree] = {}
    packs = np.full(len(strata), -1, dtype=np.int64)
    runs: list[tuple[int, ...]] = []
    numbers = count()
    n_leaves, pack, room = 0, 0, 0
    for stratum, size in enumerate(strata.tolist()):
        if size > most and drawn is not None:
            own = drawn[1] == stratum
            # Half of what fits: sizes are known by the sample only.
            ties = chances(drawn[0][own], seed, TIES)
            trees[stratum] = grow(drawn[2][own], ties, max(LEAST_LEAF, share * most / 2), numbers)
            last = _last(trees[stratum])
            runs.append(tuple(range(n_leaves, last + 1)))
            n_leaves = last + 1
            continue
        if size > room:
            pack, room = next(numbers), most
            runs.append((pack,))
            n_leaves = pack + 1
        packs[stratum] = pack
        room -= size
    nothing = np.empty(0, dtype=np.int64)
    router = Router(space, seed, trees, packs, tuple(runs), np.zeros(n_leaves, dtype=np.int64), nothing)
    return _settled(router, fold, strata, k=k, most=most, sample=sample)


def _last(tree: Tree) -> int:
    while not isinstance(tree, Leaf):
        tree = tree.right
    return tree.number


def _settled(router: Router, fold: Fold, strata: IntArray, *, k: int, most: int, sample: int) -> Router:
    """Count the records of leaves, cut those again that are too large, and join what fits."""
    least = max(k, most // SMALL)
    for again in count():
        counts: IntArray
        if router.trees:
            counts = fold(partial(_count, router=router), np.add)
        else:
            counts = np.bincount(router.packs, strata, minlength=router.n_leaves).astype(np.int64)
        cells = [cell for run in router.runs for cell in _join(run, counts, least, most)]
        sizes = np.array([int(counts[list(cell)].sum()) for cell in cells], dtype=np.int64)
        beyond = {max(cells[i], key=lambda leaf: counts[leaf]) for i in np.flatnonzero(sizes > most + least).tolist()}
        beyond |= set(np.flatnonzero(counts > most + least).tolist())
        if not beyond:
            cell_of = np.full(router.n_leaves, -1, dtype=np.int64)
            for number, cell in enumerate(cells):
                cell_of[list(cell)] = number
            return Router(router.space, router.seed, router.trees, router.packs, router.runs, cell_of, sizes)
        router = _cut_again(router, fold, beyond, counts, most=most, sample=sample, again=again)
    raise AssertionError


def _join(run: Sequence[int], counts: IntArray, least: int, most: int) -> list[list[int]]:
    """Join leaves that lie side by side as long as they fit; what is too small at the end joins the one before."""
    cells: list[list[int]] = []
    held: list[int] = []
    size = 0
    for leaf in run:
        if not counts[leaf]:
            continue
        if size >= least and size + int(counts[leaf]) > most:
            cells.append(held)
            held, size = [], 0
        held.append(leaf)
        size += int(counts[leaf])
    if held and cells and size < least:
        cells[-1] += held
    elif held:
        cells.append(held)
    return cells


def _cut_again(
    router: Router, fold: Fold, beyond: set[int], counts: IntArray, *, most: int, sample: int, again: int
) -> Router:
    """Cut some leaves by a sample of their own records; all leaves get new numbers, from left to right."""
    share = min(1.0, sample / int(counts[list(beyond)].sum()))
    task = partial(_sample_leaves, router=router, share=share, leaves=frozenset(beyond), again=again)
    drawn = _in_order(fold(task, _both))
    trees: dict[int, Tree] = {}
    packs = router.packs.copy()
    runs: list[tuple[int, ...]] = []
    numbers = count()
    n_leaves = 0
    by_first = {run[0]: run for run in router.runs}
    trees_by_first = {_first(tree): stratum for stratum, tree in router.trees.items()}
    for first in by_first:
        stratum = trees_by_first.get(first)
        if stratum is None:
            number = next(numbers)
            packs[router.packs == first] = number
            runs.append((number,))
            n_leaves = number + 1
            continue
        trees[stratum] = _regrown(router.trees[stratum], router.seed, drawn, beyond, share * most / 2, again, numbers)
        last = _last(trees[stratum])
        runs.append(tuple(range(n_leaves, last + 1)))
        n_leaves = last + 1
    return Router(
        router.space, router.seed, trees, packs, tuple(runs), np.zeros(n_leaves, dtype=np.int64), router.sizes
    )


def _first(tree: Tree) -> int:
    while not isinstance(tree, Leaf):
        tree = tree.left
    return tree.number


def _regrown(
    tree: Tree, seed: int, drawn: Sampled, beyond: set[int], most: float, again: int, numbers: Iterator[int]
) -> Tree:
    if isinstance(tree, Cut):
        left = _regrown(tree.left, seed, drawn, beyond, most, again, numbers)
        return Cut(
            tree.column, tree.value, tree.chance, left, _regrown(tree.right, seed, drawn, beyond, most, again, numbers)
        )
    if isinstance(tree, Toss):
        left = _regrown(tree.left, seed, drawn, beyond, most, again, numbers)
        return Toss(tree.round, left, _regrown(tree.right, seed, drawn, beyond, most, again, numbers))
    if tree.number not in beyond:
        return Leaf(next(numbers))
    own = drawn[1] == tree.number
    points, ties = drawn[2][own], chances(drawn[0][own], seed, TIES)
    if len(points) < 2:
        return Toss(again, Leaf(next(numbers)), Leaf(next(numbers)))
    # In two at least, however few records the sample has.
    return grow(points, ties, min(max(LEAST_LEAF, most), len(points) - 1), numbers)


def _sample(records: Records, *, space: Space, share: float, seed: int, strata: frozenset[int]) -> Sampled:
    """Draw some records of these strata."""
    chosen = chances(records.rows, seed, SAMPLE) < share
    chosen &= np.isin(records.strata, list(strata))
    return records.rows[chosen], records.strata[chosen], space.route(records.values[chosen])


def _sample_leaves(records: Records, *, router: Router, share: float, leaves: frozenset[int], again: int) -> Sampled:
    """Draw some records of these leaves."""
    numbers = router.leaves(records)
    chosen = np.isin(numbers, list(leaves)) & (chances(records.rows, router.seed, AGAIN + again) < share)
    return records.rows[chosen], numbers[chosen], router.space.route(records.values[chosen])


def _both(one: Sampled, other: Sampled) -> Sampled:
    return (
        np.concatenate([one[0], other[0]]),
        np.concatenate([one[1], other[1]]),
        np.concatenate([one[2], other[2]]),
    )


def _in_order(sampled: Sampled) -> Sampled:
    """Sort by rows: parts may come in any order."""
    order = np.argsort(sampled[0], kind="stable")
    return sampled[0][order], sampled[1][order], sampled[2][order]


def _count(records: Records, *, router: Router) -> IntArray:
    return np.bincount(router.leaves(records), minlength=router.n_leaves)
