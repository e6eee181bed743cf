"""Table 3.4 of the thesis: MF-TSP by path heuristic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from microagg.base.types import FloatArray
from microagg.partition.mf_tsp import count_neighbours, find_paths, group_by_counts
from microagg.reproduce.boxes import loss_boxes
from microagg.reproduce.grid import Outcome, Solver, grid
from microagg.reproduce.solvers import by_method


def by_counts(heuristic: str) -> Solver:
    """Find the n paths once and group by their counts for each k."""

    def solve(X: FloatArray, ks: Sequence[int], seed: int) -> Iterator[Outcome]:
        counts = count_neighbours(find_paths(X, heuristic, seed=seed, threads=1), len(X), 1, directed=True)
        for k in ks:
            yield k, group_by_counts(X, counts, k, "counts"), math.nan

    return solve


EXPERIMENT = grid(
    name="mf-tsp",
    title="loss of MF-TSP by path heuristic",
    source="Maya-Lopez 2023 (thesis), Table 3.4",
    datasets=("census", "tarragona"),
    ks=(3, 4, 5, 10),
    solvers={
        "MDAV": by_method("mdav"),
        "V-MDAV": by_method("vmdav", gamma="auto"),
        "MF-TSP(2-Opt)": by_counts("two_opt"),
        "MF-TSP(Nearest Insert)": by_counts("nearest_insertion"),
        "MF-TSP(Farthest Insert)": by_counts("farthest_insertion"),
        "MF-TSP(Cheapest Insert)": by_counts("cheapest_insertion"),
        "MF-TSP(Arbitrary Insert)": by_counts("arbitrary_insertion"),
        "MF-TSP(Nearest Neighbour)": by_counts("nearest_neighbour"),
    },
    fixed=frozenset({"MDAV", "V-MDAV", "MF-TSP(2-Opt)", "MF-TSP(Nearest Neighbour)"}),
    tolerance=0.1,
    seeds=1,
    draw=loss_boxes("mf-tsp"),
)
