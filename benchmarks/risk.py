"""How fast the measures of risk are, on one thread, in seconds of CPU time.

    python benchmarks/risk.py
    python benchmarks/risk.py --records 100000 --linked 10000 --matched 1000

Classes, diversity, closeness and frequencies on records of 6 attributes with 6 values each; linkage of Gaussian records
of 8 columns, grouped by the method `fast` with k = 5, by distance and, of fewer records, by agreements; SUDA2 of
records of 8 skewed attributes, up to size 4. The best of three runs; the measures get the classes ready-made, and count
the confidential values themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import click
import numpy as np

from microagg import risk
from microagg.base.groups import group_means
from microagg.datasets import gaussian
from microagg.partition import partition
from microagg.risk import (
    class_sizes,
    equivalence_classes,
    inference,
    probabilistic_linkage,
    record_linkage,
    suda2,
)


def best_of_three(name: str, work: Callable[[], object]) -> None:
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    print(f"{name:<28}{min(times):8.2f} s")


@click.command()
@click.option("--records", default=1_000_000, show_default=True)
@click.option("--linked", default=100_000, show_default=True, help="Records of linkage and SUDA2.")
@click.option("--matched", default=10_000, show_default=True, help="Records of probabilistic linkage and inference.")
def main(records: int, linked: int, matched: int) -> None:
    """Time every measure."""
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 6, (records, 6))
    classes, confidential = equivalence_classes(keys), rng.integers(0, 50, records)
    weights = rng.uniform(1, 100, records)
    print(f"{records:,} records x 6")
    best_of_three("k-anonymity", lambda: class_sizes(keys))
    for function in (risk.distinct_diversity, risk.entropy_diversity, risk.recursive_diversity, risk.t_closeness):
        best_of_three(function.__name__, lambda function=function: function(classes, confidential))
    for function in (risk.individual_risk, risk.global_risk, risk.journalist_risk, risk.marketer_risk):
        best_of_three(function.__name__, lambda function=function: function(classes, weights))
    best_of_three("prosecutor_risk", lambda: risk.prosecutor_risk(classes))
    for function in (risk.homogeneity, risk.skewness):
        best_of_three(function.__name__, lambda function=function: function(classes, confidential))
    best_of_three("t_closeness, ordered", lambda: risk.t_closeness(classes, confidential, distance="ordered"))

    print(f"{linked:,} records x 8")
    X = gaussian(linked, 8, seed=0)
    labels = partition(X, k=5, method="fast")
    released = group_means(X, labels)[labels]
    best_of_three("record_linkage", lambda: record_linkage(X, released, threads=1))
    for function in (risk.rank_interval, risk.deviation_interval):
        best_of_three(function.__name__, lambda function=function: function(X, released))
    print(f"{matched:,} records x 8")
    few, group = X[:matched], np.unique(labels[:matched], return_inverse=True)[1]
    means = group_means(few, group)[group]
    best_of_three("probabilistic_linkage", lambda: probabilistic_linkage(few, means, threads=1))
    pay = few @ np.arange(8.0)
    for model in ("linear", "nearest"):
        best_of_three(f"inference, {model}", lambda model=model: inference(few, means, None, pay, model=model))

    print(f"{linked:,} records x 8")
    skewed = np.minimum(rng.geometric(0.15, (linked, 8)), 60)
    best_of_three("suda2, up to size 4", lambda: suda2(skewed, max_size=4))


if __name__ == "__main__":
    main()
