"""The programs that choose among known groups: the linear master of column generation, and the integer one."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.bounds.cuts import LEAST_WEIGHT, Cuts, violated
from microagg.errors import MissingExtra


class Columns:
    """Groups and what they cost, each group once."""

    def __init__(self) -> None:
        self.groups: list[IntArray] = []
        self.costs: list[float] = []
        self.holders: defaultdict[int, list[int]] = defaultdict(list)
        self._known: set[bytes] = set()

    def add(self, groups: Iterable[IntArray], costs: Iterable[float]) -> int:
        """Take the groups (rows ascending) that are new, and say how many they are."""
        before = len(self.groups)
        for group, cost in zip(groups, costs, strict=True):
            key = group.tobytes()
            if key not in self._known:
                self._known.add(key)
                for row in group.tolist():
                    self.holders[row].append(len(self.groups))
                self.groups.append(group)
                self.costs.append(float(cost))
        return len(self.groups) - before


@dataclass(frozen=True)
class Answer:
    """A solution of the master: its value, the prices of records, the penalties of cuts.

    `held` says which prices are at the upper (first row) and the lower end of their box; `reduced_costs` are
    what the groups cost beyond their prices.
    """

    value: float
    prices: FloatArray
    penalties: FloatArray
    held: BoolArray
    reduced_costs: FloatArray


class Master:
    """The linear program over the known groups, with a box around the price of every record.

    A record may also be bought at the upper end of its box, or sold at the lower end: that is what keeps its price,
    the dual value of its row, inside. Solved by an interior point method without crossover, whose prices lie in the
    middle of all that are optimal: the best ones to price with. Where it fails, or where the last digits are wanted
    (`precise`), by the simplex method.

    Cuts are rows of their own (`Cuts`). The dual value of such a row is the penalty that groups pay for their part.
    """

    def __init__(self, n_records: int) -> None:
        self.n_records = n_records
        self.n_groups = 0
        self._left_out: set[int] = set()
        self.cuts = Cuts.of([])
        self._cuts_of: list[list[tuple[int, int]]] = [[] for _ in range(n_records)]  # with its multiple in each
        self.precise = False
        self.highs = new_solver()
        self.highs.setOptionValue("run_crossover", "off")
        self.highs.setOptionValue("ipm_optimality_tolerance", 1e-6)
        each, ones = [np.array([row]) for row in range(n_records)], np.ones((n_records, 1))
        add_rows(self.highs, n_records)
        add_columns(self.highs, each, np.zeros(n_records), [*ones])
        add_columns(self.highs, each, np.zeros(n_records), [*-ones])

    def box(self, low: FloatArray, high: FloatArray) -> None:
        """Hold the prices between these."""
        costs = np.concatenate([high, -low])
        self.highs.changeColsCost(len(costs), np.arange(len(costs), dtype=np.int32), costs)

    def extend(self, columns: Columns) -> None:
        """Add the groups that have come since the last time."""
        new = columns.groups[self.n_groups :]
        rows, values = [], []
        for group in new:
            parts = self._parts(group.tolist())
            rows.append(np.concatenate([group, self.n_records + np.array([*parts], dtype=np.int64)]))
            values.append(np.concatenate([np.ones(len(group)), np.array([*parts.values()], dtype=np.float64)]))
        add_columns(self.highs, rows, np.array(columns.costs[self.n_groups :]), values)
        self.n_groups = len(columns.groups)

    def _parts(self, group: list[int]) -> dict[int, int]:
        """Give the cuts that a group has a part in, and which."""
        sums: defaultdict[int, int] = defaultdict(int)
        for row in group:
            for cut, multiple in self._cuts_of[row]:
                sums[cut] += multiple
        parts = {cut: total // int(self.cuts.divisors[cut]) for cut, total in sorted(sums.items())}
        return {cut: part for cut, part in parts.items() if part}

    def decide(self, columns: Columns, together: Iterable[tuple[int, int]], apart: Iterable[tuple[int, int]]) -> None:
        """Leave groups out of the program that hold one record of a pair that goes together, or both of one apart."""
        holders = [set(columns.holders[row]) for row in range(self.n_records)]
        left_out: set[int] = set()
        for first, second in together:
            left_out |= holders[first] ^ holders[second]
        for first, second in apart:
            left_out |= holders[first] & holders[second]
        for places, most in ((self._left_out - left_out, np.inf), (left_out - self._left_out, 0.0)):
            numbers = np.array(sorted(places), dtype=np.int32) + np.int32(2 * self.n_records)
            self.highs.changeColsBounds(len(numbers), numbers, np.zeros(len(numbers)), np.full(len(numbers), most))
        self._left_out = left_out

    def cut(self, cuts: Cuts, columns: Columns) -> None:
        """Add cuts; the groups known so far enter them."""
        for number in range(len(cuts)):
            for row, multiple in zip(cuts.records[number].tolist(), cuts.multiples[number].tolist(), strict=True):
                if multiple:
                    self._cuts_of[row].append((len(self.cuts) + number, multiple))
        add_cuts(self.highs, cuts, columns.holders, 2 * self.n_records, self.n_groups)
        self.cuts = self.cuts.with_more(cuts)

    def violated(self, columns: Columns, most: int, prices: FloatArray) -> Cuts:
        """Give cuts that the last solution violates, the worst first."""
        return violated(columns.groups, self._weights(), most, prices)

    def shares(self, columns: Columns) -> dict[tuple[int, int], float]:
        """Give the pairs of records that are neither together nor apart in the last solution, and how much together."""
        together: dict[tuple[int, int], float] = defaultdict(float)
        weights = self._weights()
        for place in np.flatnonzero((weights > LEAST_WEIGHT) & (weights < 1.0 - LEAST_WEIGHT)):
            for pair in combinations(columns.groups[place].tolist(), 2):
                together[pair] += weights[place]
        return {pair: share for pair, share in together.items() if LEAST_WEIGHT < share < 1.0 - LEAST_WEIGHT}

    def shared_groups(self, columns: Columns) -> list[tuple[float, list[int]]]:
        """Give the groups that the last solution takes in part, with their weights, the heaviest first."""
        weights = self._weights()
        places = np.flatnonzero((weights > LEAST_WEIGHT) & (weights < 1.0 - LEAST_WEIGHT))
        return sorted(((float(weights[p]), columns.groups[p].tolist()) for p in places), key=lambda g: (-g[0], g[1]))

    def labels(self, columns: Columns) -> IntArray:
        """Give the partition that the last solution is, where no pair is shared out."""
        labels = np.zeros(self.n_records, dtype=np.int64)
        for place in np.flatnonzero(self._weights() > LEAST_WEIGHT):
            labels[columns.groups[place]] = place
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)

    def _weights(self) -> FloatArray:
        return np.array(self.highs.getSolution().col_value[2 * self.n_records :])

    def solve(self, seconds: float) -> Answer | None:
        """Solve the program; None where time ran out."""
        self.highs.setOptionValue("time_limit", self.highs.getRunTime() + max(seconds, 0.0))
        for method in ("simplex",) if self.precise else ("ipm", "simplex"):
            self.highs.setOptionValue("solver", method)
            self.highs.run()
            if self.highs.modelStatusToString(self.highs.getModelStatus()) == "Optimal":
                break
        else:
            return None
        solution = self.highs.getSolution()
        held = np.array(solution.col_value[: 2 * self.n_records]).reshape(2, -1) > 1e-6
        duals = np.array(solution.row_dual)
        return Answer(
            value=self.highs.getInfo().objective_function_value,
            prices=duals[: self.n_records],
            penalties=np.maximum(-duals[self.n_records :], 0.0),
            held=held,
            reduced_costs=np.array(solution.col_dual[2 * self.n_records :]),
        )


@dataclass(frozen=True)
class GroupChoice:
    """What an integer program chose: labels, or None where it found nothing (better), and whether that is proven.

    `steps` counts those of the simplex method; `out_of_time` says that nothing but time has ended it.
    """

    labels: IntArray | None
    proven: bool
    steps: int = 0
    out_of_time: bool = False


def choose(
    n_records: int,
    groups: list[IntArray],
    costs: FloatArray,
    seconds: float,
    known: BoolArray | None = None,
    cuts: Cuts | None = None,
    looks: int | None = None,
) -> GroupChoice:
    """Choose the cheapest partition into some of the groups; `known` says which of them are one to improve.

    A group of all records has no part in cuts: it stands for a partition. Where `looks` is given, the program ends at
    the root of its tree, and there when the solver has looked so often whether it is to end: unlike time, that is the
    same on every machine.
    """
    highs = new_program(n_records, groups, costs)
    if cuts is not None:
        holders: defaultdict[int, list[int]] = defaultdict(list)
        for place, group in enumerate(groups):
            for row in group.tolist() if len(group) < n_records else []:
                holders[row].append(place)
        add_cuts(highs, cuts, holders, 0, len(groups))
    highs.changeColsIntegrality(len(groups), np.arange(len(groups), dtype=np.int32), np.ones(len(groups), np.uint8))
    highs.setOptionValue("time_limit", seconds)
    highs.setOptionValue("mip_rel_gap", 1e-9)
    highs.setOptionValue("parallel", "off")
    if looks is not None:
        highs.setOptionValue("mip_max_nodes", 1)
        end_after(highs, looks)
    if known is not None:
        places = np.flatnonzero(known).astype(np.int32)
        highs.setSolution(len(places), places, np.ones(len(places)))
    highs.run()
    status, steps = highs.modelStatusToString(highs.getModelStatus()), highs.getInfo().simplex_iteration_count
    chosen = np.flatnonzero(np.array(highs.getSolution().col_value) > 0.5)
    labels = np.full(n_records, -1, dtype=np.int64)
    for number, column in enumerate(chosen):
        labels[groups[column]] = number
    feasible = sum(len(groups[column]) for column in chosen) == n_records and labels.min() >= 0
    better = known is None or costs[chosen].sum() < costs[known].sum()
    return GroupChoice(
        labels if feasible and better else None,
        status in ("Optimal", "Infeasible"),
        steps,
        status == "Time limit reached",
    )


def end_after(highs: Any, looks: int) -> None:
    """Let an integer program end when the solver looks for the next time after so many whether it is to."""
    if not hasattr(highs, "cbMipInterrupt"):  # HiGHS 1.7
        return
    n_looks = 0

    def look(event: Any) -> None:
        nonlocal n_looks
        n_looks += 1
        if n_looks > looks:
            event.interrupt()

    highs.cbMipInterrupt += look


def promising(
    n_records: int, groups: list[IntArray], costs: FloatArray, known: BoolArray, most: int, seconds: float
) -> IntArray | None:
    """Give the places of the groups that a better partition is likely to take, `most` at most, and of the known ones.

    Prices of records from the linear relaxation say what a group should cost; those that cost least beyond that. None
    where time ran out.
    """
    highs = new_program(n_records, groups, costs)
    highs.setOptionValue("solver", "ipm")
    highs.setOptionValue("run_crossover", "off")
    highs.setOptionValue("time_limit", seconds)
    highs.run()
    if highs.modelStatusToString(highs.getModelStatus()) == "Time limit reached":
        return None
    prices = np.array(highs.getSolution().row_dual)
    starts = np.cumsum([0] + [len(group) for group in groups[:-1]])
    beyond = costs - np.add.reduceat(prices[np.concatenate(groups)], starts)
    return np.union1d(np.argsort(beyond, kind="stable")[:most], np.flatnonzero(known))


def can_choose() -> bool:
    """Say whether HiGHS is installed."""
    return importlib.util.find_spec("highspy") is not None


def new_solver() -> Any:
    """Give an empty HiGHS model that keeps quiet."""
    try:
        import highspy
    except ImportError as error:
        raise MissingExtra("Column generation needs HiGHS: pip install 'microagg[bounds]'.") from error
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    return highs


def new_program(n_records: int, groups: list[IntArray], costs: FloatArray) -> Any:
    """Give the program of choosing groups so that every record lies in groups of total weight 1."""
    highs = new_solver()
    add_rows(highs, n_records)
    add_columns(highs, groups, costs, [np.ones(len(group)) for group in groups])
    return highs


def add_rows(highs: Any, n_records: int) -> None:
    """Every record lies in groups of total weight 1."""
    ones, none = np.ones(n_records), np.zeros(0, dtype=np.int32)
    highs.addRows(n_records, ones, ones, 0, np.zeros(n_records, dtype=np.int32), none, np.zeros(0))


def add_cuts(highs: Any, cuts: Cuts, holders: Mapping[int, list[int]], first: int, n_groups: int) -> None:
    """Add rows for cuts to a program whose groups, from the column `first` on, hold records as `holders` says."""
    for number, most in enumerate(cuts.most):
        sums: defaultdict[int, int] = defaultdict(int)
        for row, multiple in zip(cuts.records[number].tolist(), cuts.multiples[number].tolist(), strict=True):
            for place in holders.get(row, []) if multiple else []:
                sums[place] += multiple
        divisor = int(cuts.divisors[number])
        parts = {
            place: total // divisor for place, total in sorted(sums.items()) if total >= divisor and place < n_groups
        }
        places = np.array([*parts], dtype=np.int32) + np.int32(first)
        highs.addRow(-np.inf, most, len(places), places, np.array([*parts.values()], dtype=np.float64))


def add_columns(highs: Any, groups: list[IntArray], costs: FloatArray, values: list[FloatArray]) -> None:
    """Give each group a variable of at least 0, with these values in the rows of its members."""
    if not groups:
        return
    sizes = np.array([len(group) for group in groups])
    rows = np.concatenate(groups).astype(np.int32)
    starts = (np.cumsum(sizes) - sizes).astype(np.int32)
    least, most = np.zeros(len(groups)), np.full(len(groups), np.inf)
    highs.addCols(len(groups), costs, least, most, len(rows), starts, rows, np.concatenate(values))
