"""Table IX of the first paper on MF-TSP: neighbours within k-1 steps are counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from microagg.base.types import FloatArray
from microagg.partition.mf_tsp_groups import count_neighbours, group_by_counts
from microagg.partition.mf_tsp_paths import find_paths
from microagg.reproduce.boxes import loss_boxes
from microagg.reproduce.experiment import Reason
from microagg.reproduce.grid import Outcome, Solver, grid
from microagg.reproduce.solvers import by_method

HEURISTICS = {
    "Nearest Neighbour": "nearest_neighbour",
    "Arbitrary Insert": "arbitrary_insertion",
    "2-Opt": "two_opt",
}


def by_window(heuristic: str, *, cycle: bool) -> Solver:
    """Find the n paths once; for each k, count who is at most k-1 steps apart and group by that."""

    def solve(X: FloatArray, ks: Sequence[int], seed: int) -> Iterator[Outcome]:
        paths = list(find_paths(X, heuristic, seed=seed, threads=1))
        for k in ks:
            counts = count_neighbours(paths, len(X), k - 1, directed=False, cycle=cycle)
            yield k, group_by_counts(X, counts, k, "nearest"), math.nan

    return solve


EXPERIMENT = grid(
    name="mf-tsp-window",
    title="loss of MF-TSP as first published, with a window of k-1 steps",
    source="Maya-Lopez and Solanas, Table IX",
    datasets=("census",),
    ks=(3, 4, 5, 10),
    solvers={
        "MDAV": by_method("mdav"),
        "V-MDAV": by_method("vmdav", gamma="tenths"),
        **{
            f"MF-TSP({name}) {'closed' if cycle else 'open'}": by_window(heuristic, cycle=cycle)
            for name, heuristic in HEURISTICS.items()
            for cycle in (False, True)
        },
    },
    fixed=frozenset(
        {"MDAV", "V-MDAV"}
        | {f"MF-TSP({name}) {ends}" for name in ("Nearest Neighbour", "2-Opt") for ends in ("open", "closed")}
    ),
    tolerance=0.1,
    seeds=1,
    draw=loss_boxes("mf-tsp-window"),
    quick={"methods": ("MDAV", "V-MDAV", "MF-TSP(Nearest Neighbour) open"), "ks": (3,)},
    deviations=(
        "The paper does not name the heuristic of its paths: three are run, each beside the one printed row.",
        "The text has open paths, but six of the eleven rows of Table V sum to 44, as only closed paths can: both are "
        "run.",
        "Algorithm 1 stops at 2k-1 records and makes them one group; the running example goes on. The table is run by "
        "the algorithm.",
    ),
    reasons=(
        Reason(
            "The table uses another standardisation than later papers (MDAV 5.66, not 5.6922).",
            methods=("MDAV", "V-MDAV"),
        ),
        Reason("The heuristic of the printed row is not known, nor whether its paths were closed."),
    ),
)
