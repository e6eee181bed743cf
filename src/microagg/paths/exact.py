"""The shortest path, proven: branch and cut on HiGHS."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_matrix, check_time_limit
from microagg.base.ranges import within_range
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidOption, MissingExtra
from microagg.paths.heuristic import PathHeuristic
from microagg.paths.lk import lk
from microagg.paths.order import check_start, path_length

MOST_RECORDS = 200
_EPS = 1e-6
SOLVER_REACH = 20
"""The solver's tolerances are absolute: numbers are to lie between 2^-20 and 2^20."""


def exact(X: npt.ArrayLike, *, start: int | None = None, seed: int = 0, time_limit: float | None = None) -> IntArray:
    """Find the shortest path through at most 200 records, and prove it [1]_.

    The linear program of the tour through the records and a dummy city, with two edges at each city, is cut by
    minimum cuts below 2 until none is left. Edges whose reduced cost exceeds the gap to the path of `lk` cannot be in
    a shorter one and are dropped. HiGHS branches on what remains; a solution that falls into several tours is cut off
    and the branching repeated.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared; 1 to 200.
    start : int, optional
        The record at which the path begins.
    seed : int
        For `lk`, whose path is the first upper bound; the length of the result does not depend on it.
    time_limit : float, optional
        Seconds after which it is an error that nothing is proven.

    Returns
    -------
    array of n int
        The records along a shortest path.

    References
    ----------
    .. [1] G. Dantzig, R. Fulkerson, S. Johnson. Solution of a large-scale traveling-salesman problem. Operations
       Research 2 (1954) 393-410.
    """
    X = within_range(check_matrix(X), SOLVER_REACH)
    n = X.shape[0]
    deadline = time.monotonic() + check_time_limit(time_limit)
    first = None if start is None else check_start(start, n)
    if n > MOST_RECORDS:
        raise InvalidOption(f"'exact' takes at most {MOST_RECORDS} records; got {n}. Use the heuristic 'lk'.")
    known = lk(X, start=first, seed=seed, kicks=2000)
    if n < 4:
        return known
    return _Program(X, first, path_length(X, known), deadline).solve(known)


class _Program:
    """Edges (a, b), a < b, of the complete graph on the records and the dummy, city n."""

    def __init__(self, X: FloatArray, start: int | None, upper: float, deadline: float) -> None:
        try:
            import highspy
        except ImportError as error:
            raise MissingExtra("the heuristic 'exact' needs HiGHS: pip install 'microagg[bounds]'.") from error
        n = X.shape[0]
        self.cities = n + 1
        self.a, self.b = np.triu_indices(self.cities, 1)
        points = np.vstack([X, np.zeros((1, X.shape[1]))])
        self.cost = np.sqrt(((points[self.a] - points[self.b]) ** 2).sum(axis=1))
        self.cost[self.b == n] = 0.0
        self.start = start
        self.upper = upper
        self.deadline = deadline
        self.highs: Any = highspy.Highs()
        self.highs.setOptionValue("output_flag", False)
        self.highs.setOptionValue("threads", 1)
        self.highs.setOptionValue("mip_rel_gap", 0.0)
        self.highs.setOptionValue("mip_abs_gap", _EPS * max(upper, 1e-300))
        fixed = (self.a == (-1 if start is None else start)) & (self.b == n)
        for edge, cost in enumerate(self.cost):
            self.highs.addVar(float(fixed[edge]), 1.0)
            self.highs.changeColCost(edge, float(cost))
        for city in range(self.cities):
            self._add_row(np.flatnonzero((self.a == city) | (self.b == city)), 2.0, 2.0)

    def solve(self, known: IntArray) -> IntArray:
        relaxed = self._run()
        while self._cut(self._minimum_cuts(relaxed)):
            relaxed = self._run()
        gap = self.upper - float(self.highs.getInfo().objective_function_value)
        reduced = np.array(self.highs.getSolution().col_dual)
        keep = reduced <= max(gap, 0.0) + _EPS * self.upper
        # The known path stays possible, so that the program is never empty over a rounded digit.
        for a, b in pairwise([self.cities - 1, *known.tolist(), self.cities - 1]):
            keep[(self.a == min(a, b)) & (self.b == max(a, b))] = True
        import highspy

        for edge in range(len(self.cost)):
            if keep[edge]:
                self.highs.changeColIntegrality(edge, highspy.HighsVarType.kInteger)
            else:
                self.highs.changeColBounds(edge, 0.0, 0.0)
        chosen = self._run()
        while self._cut(self._components(chosen > 0.5)):
            chosen = self._run()
        order = self._walk(chosen > 0.5)
        return order if self.start is None or order[0] == self.start else order[::-1].copy()

    def _run(self) -> FloatArray:
        left = self.deadline - time.monotonic()
        if left > 0:
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + left if np.isfinite(left) else np.inf)
            self.highs.run()
        if left <= 0 or "Optimal" not in self.highs.modelStatusToString(self.highs.getModelStatus()):
            raise InvalidOption("time_limit was too short to prove a shortest path; raise it or use 'lk'.")
        return np.array(self.highs.getSolution().col_value)

    def _add_row(self, edges: IntArray, least: float, most: float) -> None:
        self.highs.addRow(least, most, len(edges), edges.astype(np.int32), np.ones(len(edges)))

    def _cut(self, sides: list[BoolArray]) -> bool:
        """Demand two edges out of each of these sets of cities."""
        for side in sides:
            self._add_row(np.flatnonzero(side[self.a] != side[self.b]), 2.0, float(self.cities))
        return bool(sides)

    def _components(self, chosen: BoolArray) -> list[BoolArray]:
        part = np.arange(self.cities)
        for a, b in zip(self.a[chosen], self.b[chosen], strict=True):
            part[part == part[b]] = part[a]
        parts = np.unique(part)
        return [part == p for p in parts] if len(parts) > 1 else []

    def _minimum_cuts(self, value: FloatArray) -> list[BoolArray]:
        """Find sets of cities with less than two edges between them and the rest (Stoer and Wagner 1997)."""
        parts = self._components(value > _EPS)
        if parts:
            return parts
        weight = np.zeros((self.cities, self.cities))
        weight[self.a, self.b] = weight[self.b, self.a] = value
        merged = np.eye(self.cities, dtype=bool)
        alive = list(range(self.cities))
        cuts = []
        while len(alive) > 1:
            left = np.zeros(self.cities, dtype=bool)
            left[alive] = True
            pull = weight[alive[0]].copy()
            left[alive[0]] = False
            last, before = alive[0], alive[0]
            while left.any():
                before, last = last, int(np.argmax(np.where(left, pull, -1.0)))
                left[last] = False
                phase = pull[last]
                pull += weight[last]
            if phase < 2.0 - 1e-4:
                cuts.append(merged[last].copy())
            weight[before] += weight[last]
            weight[:, before] += weight[:, last]
            weight[before, before] = 0.0
            weight[last] = weight[:, last] = 0.0
            merged[before] |= merged[last]
            alive.remove(last)
        return cuts

    def _walk(self, chosen: BoolArray) -> IntArray:
        beside: list[list[int]] = [[] for _ in range(self.cities)]
        for a, b in zip(self.a[chosen].tolist(), self.b[chosen].tolist(), strict=True):
            beside[a].append(b)
            beside[b].append(a)
        dummy = self.cities - 1
        order = [beside[dummy][0]]
        came = dummy
        while len(order) < dummy:
            here = order[-1]
            order.append(beside[here][1] if beside[here][0] == came else beside[here][0])
            came = here
        return np.array(order, dtype=np.int64)


HEURISTICS = (
    PathHeuristic(
        name="exact",
        function=exact,
        title="Exact",
        summary="the shortest path through at most 200 records, proven by branch and cut",
        reference="Dantzig, Fulkerson and Johnson 1954",
        steps="unknown in advance",
        needs="the extra bounds",
    ),
)
