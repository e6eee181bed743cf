"""How much less than MDAV any partition into groups of two and more can lose: a lower bound, and `fast` beside it.

    python benchmarks/pairs.py                                     # 10,000 x 13 of every kind of data, k = 2
    python benchmarks/pairs.py --data gaussian --columns 2,30,50

Every record i gets a price u(i), and u(i) + u(j) is at most |x_i - x_j|^2 / 2, the squared error of the pair, for all
pairs. A group of three has the squared error (a + b + c) / 3 for its squared distances a, b, c, which is at least
(a + b + c) / 4, and so at least the sum of its three prices. Larger groups can be cut into such ones at no cost. So no
partition loses less than the sum of all prices. Pairing records by auction, and a linear program up to 20,000 records,
find high ones along near neighbours; prices of pairs that are not known of, and too high, are lowered until all pairs
keep the rule. The better bound of both is printed.
"""

from __future__ import annotations

import os

import click
import numpy as np
import records
from scipy.optimize import linprog
from scipy.sparse import csr_array

from microagg import _core, information_loss
from microagg.base.types import FloatArray
from microagg.partition import partition
from microagg.prepare.scale import standardise

NEAR = 12
AT_ONCE = 1000
FEW = 20_000
"""Records that a linear program is solved for."""


def half_squared_distances(X: FloatArray, start: int) -> FloatArray:
    """From the rows start .. start + AT_ONCE to all; infinite from a row to itself."""
    some, norms = X[start : start + AT_ONCE], 0.5 * (X**2).sum(axis=1)
    gaps = norms[start : start + AT_ONCE, None] + norms - some @ X.T
    gaps[np.arange(len(some)), start + np.arange(len(some))] = np.inf
    return gaps


def prices_by_program(X: FloatArray) -> FloatArray:
    n, count = len(X), min(NEAR, len(X) - 1)
    starts = range(0, n, AT_ONCE)
    near = np.concatenate([np.argpartition(half_squared_distances(X, s), count - 1)[:, :count] for s in starts])
    pairs = np.unique(np.sort(np.column_stack([np.repeat(np.arange(n), count), near.ravel()])), axis=0)
    costs = 0.5 * ((X[pairs[:, 0]] - X[pairs[:, 1]]) ** 2).sum(axis=1)
    edges = np.repeat(np.arange(len(pairs)), 2)
    of_pair = csr_array((np.ones(2 * len(pairs)), (edges, pairs.ravel())), shape=(len(pairs), n))
    return np.asarray(linprog(-np.ones(n), A_ub=of_pair, b_ub=costs, bounds=(None, None), method="highs-ipm").x)


def prices_by_auction(X: FloatArray) -> FloatArray:
    labels, prices = np.empty(len(X), dtype=np.int64), np.empty(len(X))
    _core.pair_up(X, 0, os.cpu_count() or 1, labels, prices)
    return prices


def lower_bound(X: FloatArray) -> float:
    """Give what the squared errors of any groups of two or more sum to, at least.

    >>> lower_bound(np.array([[0.0], [1.0], [5.0], [7.0]]))
    2.5
    """
    bounds = []
    for prices_of in (prices_by_auction, prices_by_program)[: 2 if len(X) <= FEW else 1]:
        prices = prices_of(X)
        for s in range(0, len(X), AT_ONCE):
            slack = half_squared_distances(X, s) - prices - prices[s : s + AT_ONCE, None]
            prices[s : s + AT_ONCE] += np.minimum(slack.min(axis=1), 0.0)
        bounds.append(float(prices.sum()))
    return round(max(bounds), 9)


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
