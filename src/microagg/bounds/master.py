"""The programs that choose among known groups: the linear master of column generation, and the integer one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from microagg.arrays import BoolArray, FloatArray, IntArray
from microagg.errors import MissingExtra


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


class Master:
    """The linear program over the known groups, with a box around the price of every record.

    A record may also be bought at the upper end of its box, or sold at the lower end: that is what keeps its price,
    the dual value of its row, inside. Solved by an interior point method without crossover, whose prices lie in the
    middle of all that are optimal: the best ones to price with. Where it fails, or where the last digits are wanted
    (`precise`), by the simplex method.
    """

    def __init__(self, n_records: int) -> None:
        self.n_records = n_records
        self.n_groups = 0
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
        add_columns(self.highs, columns.groups[self.n_groups :], np.array(columns.costs[self.n_groups :]), 1.0)
        self.n_groups = len(columns.groups)

    def solve(self, seconds: float) -> tuple[float, FloatArray, BoolArray] | None:
        """Give the value, the prices, and which of them are at the upper and the lower end of their box.

        None where time ran out.
        """
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
        return self.highs.getInfo().objective_function_value, np.array(solution.row_dual), held


def choose(n_records: int, groups: list[IntArray], costs: FloatArray, seconds: float) -> IntArray | None:
    """Give the labels of the cheapest partition into some of the groups, or None where none was found in time."""
    highs = new_solver()
    add_rows(highs, n_records)
    add_columns(highs, groups, costs, 1.0)
    highs.changeColsIntegrality(len(groups), np.arange(len(groups), dtype=np.int32), np.ones(len(groups), np.uint8))
    highs.setOptionValue("time_limit", seconds)
    highs.setOptionValue("mip_rel_gap", 1e-9)
    highs.run()
    chosen = np.flatnonzero(np.array(highs.getSolution().col_value) > 0.5)
    labels = np.full(n_records, -1, dtype=np.int64)
    for number, column in enumerate(chosen):
        labels[groups[column]] = number
    once = sum(len(groups[column]) for column in chosen) == n_records
    return labels if once and labels.min() >= 0 else None


def new_solver() -> Any:
    """Give an empty HiGHS model that keeps quiet."""
    try:
        import highspy
    except ImportError as error:
        raise MissingExtra("Column generation needs HiGHS: pip install 'microagg[bounds]'.") from error
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
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
