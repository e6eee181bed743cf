"""Cheap groups near known ones: one record put in the place of another, as long as that makes a group cheaper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.bounds.cuts import SIZE, Cuts

BATCH = 4_000_000
"""Numbers worked on at once."""
MOST_CHANGES = 50
"""Of one group; else rounding could change it back and forth for ever."""
NOISE = 1e-9
"""A change that wins less than this part of the mean price is none."""


class Neighbours:
    r"""Groups near known ones that are cheaper beyond their prices than all groups that differ in one record.

    With the squared distance :math:`d_i` of a record to the mean of a group of s, to put t in the place of i changes
    the sum of squared errors by :math:`d_t - d_i - \frac{1}{s} \lVert x_t - x_i \rVert^2`. The best such change is
    made, and then the next, until there is none. Sizes stay as they are. What is found this way is cheap, but nothing
    says that there is no cheaper group elsewhere.

    Parameters
    ----------
    X : array of shape (n, m)
        The records.
    prices : array of n float
        What each of them pays.
    cuts : Cuts
        In which groups have a part.
    penalties : array of float
        What a group pays for its part in each of them.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [1.1], [5.0]])
    >>> neighbours = Neighbours(X, np.ones(4), Cuts.of([]), np.zeros(0))
    >>> groups, costs, reduced_costs = neighbours.of([np.array([0, 1])])
    >>> groups[0].tolist(), round(float(costs[0]), 3), round(float(reduced_costs[0]), 3)
    ([1, 2], 0.005, -1.995)
    """

    def __init__(self, X: FloatArray, prices: FloatArray, cuts: Cuts, penalties: FloatArray) -> None:
        self.X, self.prices = X - X.mean(axis=0), prices
        self.squares = np.einsum("ij,ij->i", self.X, self.X)
        self.noise = NOISE * float(np.abs(prices).mean())
        charged = penalties > 0.0
        self.records, self.multiples, self.divisors = (
            part[charged] for part in (cuts.records, cuts.multiples, cuts.divisors)
        )
        self.penalties = penalties[charged]
        self.multiple_of = np.zeros((len(X), len(self.divisors)), dtype=np.int16)
        for place in range(SIZE):  # a place that has no part in a cut has the multiple 0, and may repeat a record
            np.add.at(
                self.multiple_of, (self.records[:, place], np.arange(len(self.records))), self.multiples[:, place]
            )

    def of(self, groups: Sequence[IntArray]) -> tuple[list[IntArray], FloatArray, FloatArray]:
        """Give the groups that these lead to, what they cost, and what they cost beyond their prices."""
        ended: list[IntArray] = []
        costs, reduced_costs = [np.zeros(0)], [np.zeros(0)]
        for size in sorted({len(group) for group in groups}):
            members = np.array([group for group in groups if len(group) == size])
            step = max(BATCH // (size * (len(self.X) + len(self.divisors))), 1)
            for start in range(0, len(members), step):
                rows = members[start : start + step]
                self._improve(rows)
                ended += [*np.sort(rows, axis=1)]
                means = self.X[rows].mean(axis=1, keepdims=True)
                costs.append(((self.X[rows] - means) ** 2).sum(axis=(1, 2)))
                paid = self.prices[rows].sum(axis=1) - self._charged(self.multiple_of[rows].sum(axis=1))
                reduced_costs.append(costs[-1] - paid)
        return ended, np.concatenate(costs), np.concatenate(reduced_costs)

    def _charged(self, held: IntArray) -> FloatArray:
        """Give what groups pay in penalties that hold so many multiples of each cut."""
        charged: FloatArray = held // self.divisors @ self.penalties
        return charged

    def _improve(self, members: IntArray) -> None:
        """Improve groups of the same size, in place, by one record after the other."""
        size, n_records = members.shape[1], len(self.X)
        active = np.arange(len(members))
        for _ in range(MOST_CHANGES):
            rows = members[active]
            means = self.X[rows].mean(axis=1)
            beyond = self.squares - 2.0 * means @ self.X.T + (means**2).sum(axis=1)[:, None] - self.prices
            leaving = np.take_along_axis(beyond, rows, axis=1)
            np.put_along_axis(beyond, rows, np.inf, axis=1)
            between = self.squares[rows][:, :, None] + self.squares - 2.0 * (self.X[rows] @ self.X.T)
            change = beyond[:, None, :] - leaving[:, :, None] - between / size
            self._charge(change, rows)
            best = change.reshape(len(active), -1).argmin(axis=1)
            better = change.reshape(len(active), -1)[np.arange(len(active)), best] < -self.noise
            active, best = active[better], best[better]
            members[active, best // n_records] = best % n_records
            if not len(active):
                return

    def _charge(self, change: FloatArray, rows: IntArray) -> None:
        """Add what penalties change by where each of the rows of a group goes, and each record comes."""
        multiples = self.multiple_of[rows]
        held = multiples.sum(axis=1)
        without = held[:, None, :] - multiples
        change += (self._charged(without) - self._charged(held)[:, None])[:, :, None]
        left = without % self.divisors
        group, place, cut = np.nonzero(left + self.multiples.max(axis=1, initial=0) >= self.divisors)
        for records, multiples in zip(self.records.T, self.multiples.T, strict=True):
            more = (left[group, place, cut] + multiples[cut]) // self.divisors[cut]
            np.add.at(change, (group, place, records[cut]), more * self.penalties[cut])
