"""How much less than MDAV any partition into groups of two and more can lose: a lower bound, and `fast` beside it.

    python benchmarks/pairs.py                                     # 10,000 x 13 of every kind of data, k = 2
    python benchmarks/pairs.py --data gaussian --columns 2,30,50

Every record i gets a price u(i), and u(i) + u(j) is at most |x_i - x_j|^2 / 2, the squared error of the pair, for all
pairs. A group of three has the squared error (a + b + c) / 3 for its squared distances a, b, c, which is at least
(a + b + c) / 4, and so at least the sum of its three prices. Larger groups can be cut into such ones at no cost. So no
partition loses less than the sum of all prices. A linear program finds the highest ones along near neighbours; prices
of pairs that it does not know of, and that are too high, are lowered until all pairs keep the rule.
"""

from __future__ import annotations

import click
import numpy as np
import records
from scipy.optimize import linprog
from scipy.sparse import csr_array

from microagg import information_loss
from microagg.base.types import FloatArray
from microagg.partition import partition
from microagg.prepare.scale import standardise

NEAR = 12
AT_ONCE = 1000


def half_squared_distances(X: FloatArray, start: int) -> FloatArray:
    """From the rows start .. start + AT_ONCE to all; infinite from a row to itself."""
    some, norms = X[start : start + AT_ONCE], 0.5 * (X**2).sum(axis=1)
    gaps = norms[start : start + AT_ONCE, None] + norms - some @ X.T
    gaps[np.arange(len(some)), start + np.arange(len(some))] = np.inf
    return gaps


def lower_bound(X: FloatArray) -> float:
    """Give what the squared errors of any groups of two or more sum to, at least.

    >>> lower_bound(np.array([[0.0], [1.0], [5.0], [7.0]]))
    2.5
    """
    n, count = len(X), min(NEAR, len(X) - 1)
    starts = range(0, n, AT_ONCE)
    near = np.concatenate([np.argpartition(half_squared_distances(X, s), count - 1)[:, :count] for s in starts])
    pairs = np.unique(np.sort(np.column_stack([np.repeat(np.arange(n), count), near.ravel()])), axis=0)
    costs = 0.5 * ((X[pairs[:, 0]] - X[pairs[:, 1]]) ** 2).sum(axis=1)
    edges = np.repeat(np.arange(len(pairs)), 2)
    of_pair = csr_array((np.ones(2 * len(pairs)), (edges, pairs.ravel())), shape=(len(pairs), n))
    prices = linprog(-np.ones(n), A_ub=of_pair, b_ub=costs, bounds=(None, None), method="highs-ipm").x
    for s in starts:
        slack = half_squared_distances(X, s) - prices - prices[s : s + AT_ONCE, None]
        prices[s : s + AT_ONCE] += np.minimum(slack.min(axis=1), 0.0)
    return round(float(prices.sum()), 9)


@click.command(help=__doc__)
@click.option("--data", default=",".join(records.DATA), show_default=True)
@click.option("--records", "n", default=10_000, show_default=True)
@click.option("--columns", default="13", show_default=True, help="Of all data but census_like.")
def main(data: str, n: int, columns: str) -> None:
    for m in map(int, columns.split(",")):
        for name in data.split(","):
            X = standardise(records.DATA[name](n, m))
            mdav, fast = (information_loss(X, partition(X, 2, method=method)) for method in ("mdav", "fast"))
            bound = 100.0 * lower_bound(X) / float((X**2).sum())
            print(
                f"{name}, {n} x {X.shape[1]}, k = 2: MDAV {mdav:.4f}, fast {fast:.4f} ({100 * (1 - fast / mdav):.2f}% "
                f"less), nothing below {bound:.4f} ({100 * (1 - bound / mdav):.2f}% less)",
                flush=True,
            )


if __name__ == "__main__":
    main()
