"""The programs that choose among known groups: the linear master of column generation, and the integer one."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import MissingExtra

LEAST_WEIGHT = 1e-4
"""Groups of a smaller weight, or of almost 1, are not looked at for cuts."""
LEAST_EXCESS = 0.005
"""Sets of three that are violated by less are not cut off."""


class Columns:
    """Groups and what they cost, each group once."""

    def __init__(self) -> None:
        self.groups: list[IntArray] = []
        self.costs: list[float] = []
        self._known: set[bytes] = set()

    def add(self, groups: Iterable[IntArray], costs: Iterable[float]) -> int:
        """Take the groups (rows ascending) that are new, and say how many they are."""
        before = len(self.groups)
        for group, cost in zip(groups, costs, strict=True):
            key = group.tobytes()
            if key not in self._known:
                self._known.add(key)
                self.groups.append(group)
                self.costs.append(float(cost))
        return len(self.groups) - before


@dataclass(frozen=True)
class Answer:
    """A solution of the master: its value, the prices of records, the penalties of cuts.

    `held` says which prices are at the upper (first row) and the lower end of their box.
    """

    value: float
    prices: FloatArray
    penalties: FloatArray
    held: BoolArray


class Master:
    """The linear program over the known groups, with a box around the price of every record.

    A record may also be bought at the upper end of its box, or sold at the lower end: that is what keeps its price,
    the dual value of its row, inside. Solved by an interior point method without crossover, whose prices lie in the
    middle of all that are optimal: the best ones to price with. Where it fails, or where the last digits are wanted
    (`precise`), by the simplex method.

    A cut is a set of three records: the groups that hold two or three of them have a total weight of at most 1, because
    of such groups a partition can have one only. The dual value of its row is the penalty that they pay.
    """

    def __init__(self, n_records: int) -> None:
        self.n_records = n_records
        self.n_groups = 0
        self.triples: IntArray = np.empty((0, 3), dtype=np.int64)
        self.precise = False
        self.highs = new_solver()
        self.highs.setOptionValue("run_crossover", "off")
        self.highs.setOptionValue("ipm_optimality_tolerance", 1e-6)
        each = [np.array([row]) for row in range(n_records)]
        add_rows(self.highs, n_records)
        add_columns(self.highs, each, np.zeros(n_records), 1.0)
        add_columns(self.highs, each, np.zeros(n_records), -1.0)

    def box(self, low: FloatArray, high: FloatArray) -> None:
        """Hold the prices between these."""
        costs = np.concatenate([high, -low])
        self.highs.changeColsCost(len(costs), np.arange(len(costs), dtype=np.int32), costs)

    def extend(self, columns: Columns) -> None:
        """Add the groups that have come since the last time."""
        new = columns.groups[self.n_groups :]
        rows = [
            np.concatenate([group, self.n_records + cut]) for group, cut in zip(new, self._cuts_of(new), strict=True)
        ]
        add_columns(self.highs, rows, np.array(columns.costs[self.n_groups :]), 1.0)
        self.n_groups = len(columns.groups)

    def cut(self, triples: IntArray, columns: Columns) -> None:
        """Add cuts, each of three records in ascending order; the groups known so far enter them."""
        before, self.triples = len(self.triples), np.concatenate([self.triples, triples])
        entries: list[list[int]] = [[] for _ in triples]
        for number, cuts in enumerate(self._cuts_of(columns.groups[: self.n_groups])):
            for cut in cuts[cuts >= before]:
                entries[cut - before].append(2 * self.n_records + number)
        for places in entries:
            self.highs.addRow(-np.inf, 1.0, len(places), np.array(places, dtype=np.int32), np.ones(len(places)))

    def _cuts_of(self, groups: list[IntArray]) -> list[IntArray]:
        """Give the numbers of the cuts that each group enters."""
        of_record: list[list[int]] = [[] for _ in range(self.n_records)]
        for number, triple in enumerate(self.triples):
            for row in triple:
                of_record[row].append(number)
        entered = []
        for group in groups:
            numbers, counts = np.unique([cut for row in group for cut in of_record[row]], return_counts=True)
            entered.append(numbers[counts >= 2].astype(np.int64))
        return entered

    def violated(self, columns: Columns, most: int) -> IntArray:
        """Give the sets of three records that the last solution shares out most wrongly, as cuts to add."""
        weights = np.array(self.highs.getSolution().col_value[2 * self.n_records :])
        together: dict[tuple[int, int], float] = defaultdict(float)
        all_three: dict[tuple[int, int, int], float] = defaultdict(float)
        partners: list[set[int]] = [set() for _ in range(self.n_records)]
        for place in np.flatnonzero((weights > LEAST_WEIGHT) & (weights < 1.0 - LEAST_WEIGHT)):
            group = columns.groups[place].tolist()
            for first, second in combinations(group, 2):
                together[first, second] += weights[place]
                partners[first].add(second)
            for triple in combinations(group, 3):
                all_three[triple] += weights[place]
        excess = {}
        for first, others in enumerate(partners):
            for second, third in combinations(sorted(others), 2):
                pairs = together[first, second] + together[first, third] + together.get((second, third), 0.0)
                held = pairs - 2.0 * all_three.get((first, second, third), 0.0)
                if held > 1.0 + LEAST_EXCESS:
                    excess[first, second, third] = held
        worst = sorted(excess, key=lambda triple: (-excess[triple], triple))[:most]
        return np.array(worst, dtype=np.int64).reshape(-1, 3)

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
    looks: int | None = None,
) -> GroupChoice:
    """Choose the cheapest partition into some of the groups; `known` says which of them are one to improve.

    Where `looks` is given, the program ends at the root of its tree, and there when the solver has looked so often
    whether it is to end: unlike time, that is the same on every machine.
    """
    highs = new_program(n_records, groups, costs)
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
        labels if feasible and better else None, status == "Optimal", steps, status == "Time limit reached"
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
    add_columns(highs, groups, costs, 1.0)
    return highs


def add_rows(highs: Any, n_records: int) -> None:
    """Every record lies in groups of total weight 1."""
    ones, none = np.ones(n_records), np.zeros(0, dtype=np.int32)
    highs.addRows(n_records, ones, ones, 0, np.zeros(n_records, dtype=np.int32), none, np.zeros(0))


def add_columns(highs: Any, groups: list[IntArray], costs: FloatArray, sign: float) -> None:
    """Give each group a variable of at least 0, counted in the rows of its members."""
    if not groups:
        return
    sizes = np.array([len(group) for group in groups])
    rows = np.concatenate(groups).astype(np.int32)
    starts = (np.cumsum(sizes) - sizes).astype(np.int32)
    least, most = np.zeros(len(groups)), np.full(len(groups), np.inf)
    highs.addCols(len(groups), costs, least, most, len(rows), starts, rows, np.full(len(rows), sign))
