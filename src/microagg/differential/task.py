"""Group records insensitively and add noise to the mean of each group."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microagg.base.limits import ColumnLimits
from microagg.base.progress import Progress
from microagg.base.schema import Storage
from microagg.base.types import FloatArray, IntArray
from microagg.cell import CellTask, Grouped, Records, Tally, known_codes
from microagg.differential.noise import RandomBelow, discrete_laplace
from microagg.errors import InvalidData
from microagg.measures import ChangeSums
from microagg.partition.insensitive import blocks, corner_order
from microagg.plan import Plan
from microagg.plan.differential import share_of
from microagg.prepare.kinds import QuasiColumn


@dataclass(frozen=True, eq=False)
class PrivateTask(CellTask):
    """Give all records the noisy means of their groups; see `CellTask`.

    With `insensitive`, one record changes each of the n // k groups by one record, so the sums of a column change by
    its range in each of them. With `individual` each column has groups of its own, in the order of its values: there
    one record changes all sums of a column together by its range [1]_. Which values of different columns belong to one
    record is covered by no noise then, so each column has an order of its own in the release.

    Attributes
    ----------
    limits : tuple of ColumnLimits
        Those of each column.
    below : callable
        Where random numbers come from.

    References
    ----------
    .. [1] D. Sanchez, J. Domingo-Ferrer, S. Martinez, J. Soria-Comas. Utility-preserving differentially private data
       releases via individual ranking microaggregation. Information Fusion 30 (2016) 1-14.
    """

    limits: tuple[ColumnLimits, ...] = ()
    below: RandomBelow = secrets.randbelow

    def __call__(self, records: Records, progress: Progress | None = None) -> Grouped:
        """Do it for all records."""
        start = time.perf_counter()
        X, plan = records.values, self.plan
        steps = np.column_stack([limit.steps(X[:, j]) for j, limit in enumerate(self.limits)])
        per_column = plan.method == "individual"
        if per_column:
            labels = np.column_stack([blocks(np.argsort(column, kind="stable"), plan.k) for column in steps.T])
        else:
            shares = steps / np.array([limit.n_steps for limit in self.limits], dtype=np.float64)
            labels = blocks(corner_order(shares), plan.k)
        grouped = time.perf_counter()
        Y = np.empty_like(X)
        for j, limit in enumerate(self.limits):
            groups = labels[:, j] if per_column else labels
            means = noisy_means(
                steps[:, j], groups, limit.n_steps, share_of(plan, self.space.names[j]), per_column, self.below
            )
            Y[:, j] = limit.values(means)[groups]
            if progress is not None:
                progress((j + 1) / len(self.limits))
        columns = labels if per_column else labels[:, None]
        sizes = Counter(np.concatenate([np.bincount(column) for column in columns.T]).tolist())
        aggregated = time.perf_counter()
        change = ChangeSums.of(X, Y, self.space.attributes, self.space.scale.apply)
        if per_column:
            Y, labels = _apart(Y, labels, self.below)
        seconds = {
            "partition": grouped - start,
            "aggregate": aggregated - grouped,
            "assess": time.perf_counter() - aggregated,
        }
        nothing = np.zeros(X.shape[1], dtype=np.int64)
        return Grouped(labels, Y, Tally(change, sizes, (0, 0), known_codes(Y, self.space.attributes), nothing, seconds))


def noisy_means(
    steps: IntArray, groups: IntArray, n_steps: int, epsilon: Fraction, sorted_by: bool, below: RandomBelow
) -> IntArray:
    """Give the mean of each group in steps, with noise, rounded and within the limits.

    The means of consecutive values ascend, so noisy ones are made to: that depends on nothing but the noisy ones.

    Parameters
    ----------
    steps : array of n int
        The values, from 0 to `n_steps`.
    groups : array of n int
        The group of each.
    n_steps : int
        The range.
    epsilon : Fraction
        What this column has of it.
    sorted_by : bool
        Whether the groups are consecutive values of this very column.
    below : callable
        Where random numbers come from.
    """
    sizes = np.bincount(groups)
    sums = [0] * len(sizes)
    order = np.argsort(groups, kind="stable")
    for group, part in enumerate(np.split(steps[order], np.cumsum(sizes)[:-1])):
        sums[group] = sum(part.tolist())  # whole numbers of any size
    scale = Fraction(sensitivity(n_steps, len(sizes), sorted_by=sorted_by)) / epsilon
    noisy = [total + discrete_laplace(scale, below) for total in sums]
    # From here on only what is covered by noise is worked on.
    means = np.array([total / size for total, size in zip(noisy, sizes.tolist(), strict=True)])
    if sorted_by:
        means = ascending(means, sizes)
    rounded: IntArray = np.clip(np.floor(means + 0.5), 0, n_steps).astype(np.int64)
    return rounded


def ascending(values: FloatArray, weights: IntArray) -> FloatArray:
    """Give the nearest values, by weighted squares, that do not descend: what noise made descend is averaged [1]_.

    References
    ----------
    .. [1] M. Hay, V. Rastogi, G. Miklau, D. Suciu. Boosting the accuracy of differentially private histograms through
       consistency. VLDB 2010.

    Examples
    --------
    >>> ascending(np.array([1.0, 4.0, 2.0, 9.0]), np.array([1, 1, 1, 1])).tolist()
    [1.0, 3.0, 3.0, 9.0]
    """
    runs: list[tuple[float, float, int]] = []  # mean, weight, how many values
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, total, count = value, float(weight), 1
        while runs and runs[-1][0] >= mean:
            before, its_weight, its_count = runs.pop()
            mean = (before * its_weight + mean * total) / (its_weight + total)
            total, count = total + its_weight, count + its_count
        runs.append((mean, total, count))
    return np.repeat([mean for mean, _, _ in runs], [count for _, _, count in runs])


def sensitivity(n_steps: int, n_groups: int, *, sorted_by: bool) -> int:
    """Say by how much one record changes the sums of a column over all groups, added up.

    Consecutive values of a sorted column: the sorted values of neighbouring tables differ by the change of the one
    value in all. Any other order: each group loses one value and gains one.

    >>> sensitivity(120, 10, sorted_by=True), sensitivity(120, 10, sorted_by=False)
    (120, 1200)
    """
    return n_steps if sorted_by else n_steps * n_groups


def _apart(Y: FloatArray, labels: IntArray, below: RandomBelow) -> tuple[FloatArray, IntArray]:
    """Put each column into an order of its own, so that no row tells which values belonged together."""
    Y, labels = Y.copy(), labels.copy()
    for j in range(Y.shape[1]):
        order = np.random.default_rng(below(2**256)).permutation(len(Y))
        Y[:, j], labels[:, j] = Y[order, j], labels[order, j]
    return Y, labels


def limits_of(plan: Plan, columns: Sequence[QuasiColumn]) -> tuple[ColumnLimits, ...]:
    """Give the limits of the columns, which must be numbers."""
    for column in columns:
        if column.storage is not Storage.NUMERIC:
            raise InvalidData(
                f"epsilon covers columns of numbers; column {column.name!r} holds dates or text. Give it as numbers, "
                "such as years, or leave it out of limits."
            )
    return tuple(ColumnLimits.of(column.name, plan.limits[column.name]) for column in columns)
