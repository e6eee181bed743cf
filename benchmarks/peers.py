"""Measures of k, l and t beside pyCANON, where it is installed: do they say the same, and how long does each take?

    python benchmarks/peers.py
    python benchmarks/peers.py --record

Made-up records of four quasi-identifiers with few values and one confidential column of categories. Both get the same
table in the same process; the best of three runs, in seconds of CPU time, ours with the counting of classes each time.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import click
import numpy as np
import pandas as pd
from results import record_all, shape

from microagg import risk

SIZES = (1_000, 10_000)
QUASI = ["a", "b", "c", "d"]


def table_of(n: int) -> pd.DataFrame:
    """Make records up, of 16 combinations of quasi-identifiers."""
    chance = np.random.default_rng(n)
    columns = {name: chance.integers(0, 2, n) for name in QUASI}
    return pd.DataFrame({**columns, "illness": chance.choice(list("abcdef"), n, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05])})


def ours(table: pd.DataFrame) -> dict[str, Callable[[], float]]:
    """Give our measures of the whole table: the worst of all classes."""

    def classes() -> np.ndarray:
        return risk.equivalence_classes(table[QUASI].to_numpy(np.int64))

    codes = pd.factorize(table["illness"])[0].astype(np.int64)
    return {
        "k": lambda: float(np.bincount(classes()).min()),
        "distinct l": lambda: float(np.min(risk.distinct_diversity(classes(), codes))),
        "entropy l": lambda: float(np.floor(np.min(risk.entropy_diversity(classes(), codes)))),
        "t": lambda: float(np.max(risk.t_closeness(classes(), codes))),
    }


def theirs(table: pd.DataFrame) -> dict[str, Callable[[], float]]:
    """Give pyCANON's."""
    from pycanon import anonymity

    return {
        "k": lambda: float(anonymity.k_anonymity(table, QUASI)),
        "distinct l": lambda: float(anonymity.l_diversity(table, QUASI, ["illness"])),
        "entropy l": lambda: float(anonymity.entropy_l_diversity(table, QUASI, ["illness"])),
        "t": lambda: float(anonymity.t_closeness(table, QUASI, ["illness"])),
    }


def timed(work: Callable[[], float]) -> tuple[float, float]:
    """Give what it says, and how long it takes."""
    times = []
    for _ in range(3):
        start = time.process_time()
        value = work()
        times.append(time.process_time() - start)
    return value, max(min(times), 1e-6)


@click.command()
@click.option("--record", is_flag=True, help="Write the figures to results.csv and the docs.")
def main(record: bool) -> None:
    """Compare what both say, and how long they take."""
    try:
        import pycanon  # noqa: F401
    except ModuleNotFoundError:
        raise SystemExit("pyCANON is not installed: pip install pycanon") from None
    values = {}
    for n in SIZES:
        table = table_of(n)
        mine, other = ours(table), theirs(table)
        for name in mine:
            (value, seconds), (their_value, their_seconds) = timed(mine[name]), timed(other[name])
            agrees = "same" if abs(value - their_value) < 1e-6 else f"{their_value:.4g}, ours {value:.4g}"
            times = their_seconds / seconds
            print(f"{n:7,} {name:12} {agrees:24} {their_seconds:8.3f} s {seconds:8.5f} s {times:7.0f}")
            data = shape("categories", n, 4)
            values |= {
                (f"peers: pycanon, {name}, says", data, 0): agrees,
                (f"peers: pycanon, {name}, times", data, 0): f"{times:.0f}",
            }
    if record:
        record_all("peers.py", values, ", on a busy machine")


if __name__ == "__main__":
    main()
