"""Table 6.1 of the thesis: random cluster shuffling after MDAV."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from microagg.base.types import FloatArray
from microagg.partition import partition
from microagg.refine.rcs import rcs
from microagg.reproduce.boxes import loss_boxes
from microagg.reproduce.grid import Outcome, Solver, grid
from microagg.reproduce.solvers import by_method


def by_shuffling(probability: float, events: int) -> Solver:
    """Run MDAV, then random cluster shuffling."""

    def solve(X: FloatArray, ks: Sequence[int], seed: int) -> Iterator[Outcome]:
        for k in ks:
            start = partition(X, k, method="mdav", threads=1)
            yield k, rcs(X, start, k, probability=probability, rounds=events, seed=seed), math.nan

    return solve


EXPERIMENT = grid(
    name="rcs",
    title="loss of random cluster shuffling after MDAV",
    source="Maya-Lopez 2023 (thesis), Table 6.1",
    datasets=("census",),
    ks=(3, 5, 10),
    solvers={
        "MDAV": by_method("mdav"),
        "MDAV-RCS 0 x 0": by_shuffling(0.0, 0),
        **{
            f"MDAV-RCS {probability} x {events}": by_shuffling(probability, events)
            for probability in (0.001, 0.01, 0.1)
            for events in (10, 20)
        },
    },
    fixed=frozenset({"MDAV", "MDAV-RCS 0 x 0"}),
    tolerance=0.02,
    seeds=5,
    draw=loss_boxes("rcs"),
)
