"""How long it takes to assess a release, in seconds of CPU time.

    python benchmarks/utility.py
    python benchmarks/utility.py --records 100000

Gaussian records of 13 columns in groups of 5 along the first one, with a confidential number and a confidential class:
what every release carries (losses, class sizes), each further measure of utility on its own, and all measures of both
rooms together. Slow measures use a sample, as in a report; the number of records is printed where they do.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import click
import numpy as np

from microagg import risk, utility
from microagg.base.groups import group_means
from microagg.datasets import gaussian
from microagg.measures import Case, Change, Confidential, assess
from microagg.semantic.attribute import nominal, numeric


def timed(name: str, work: Callable[[], object]) -> object:
    start = time.process_time()
    result = work()
    print(f"{name:<28}{time.process_time() - start:8.2f} s")
    return result


@click.command()
@click.option("--records", default=1_000_000, show_default=True)
def main(records: int) -> None:
    """Time every measure."""
    rng = np.random.default_rng(0)
    X = gaussian(records, 13, seed=0)
    labels = np.empty(records, dtype=np.int64)
    labels[np.argsort(X[:, 0])] = np.minimum(np.arange(records) // 5, records // 5 - 1)
    released = group_means(X, labels)[labels]
    names = tuple(f"c{j}" for j in range(13))
    case = Case(
        names=names,
        attributes=(numeric(),) * 13,
        original=X,
        released=released,
        labels=labels,
        k=5,
        confidential={
            "pay": Confidential((100.0 * X[:, 0] + rng.normal(size=records)).round(), numeric()),
            "ill": Confidential((X[:, 0] + rng.normal(size=records) > 0).astype(np.int64), nominal(["no", "yes"])),
        },
        weights=rng.uniform(1, 9, records),
    )
    print(f"{records:,} records x 13")
    timed("losses", lambda: utility.measure(X, released))
    timed("losses of columns", lambda: utility.measure_change(Change.of_numbers(utility.summarise(X, released), names)))
    keys = timed("keys", lambda: risk.keys_of(released))
    timed("class sizes", lambda: risk.class_sizes(keys))
    for name, measure in utility.MEASURES.items():
        if not measure.extra:
            found = timed(name, lambda name=name, measure=measure: assess(replace(case), {name: measure}))
            if found and found[0].sampled:
                print(f"{'':<28}on {found[0].sampled:,} records")
    timed("utility.assess_all", lambda: utility.assess_all(replace(case)))
    timed("risk.assess_all", lambda: risk.assess_all(replace(case)))


if __name__ == "__main__":
    main()
