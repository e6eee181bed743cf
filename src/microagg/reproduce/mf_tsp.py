"""Table 3.4 of the thesis: MF-TSP by path heuristic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from microagg.base.types import FloatArray
from microagg.partition.mf_tsp_groups import count_neighbours, group_by_counts
from microagg.partition.mf_tsp_paths import find_paths
from microagg.reproduce.boxes import loss_boxes
from microagg.reproduce.experiment import Reason
from microagg.reproduce.grid import Outcome, Solver, grid
from microagg.reproduce.solvers import by_method


def by_counts(heuristic: str, *, short_groups: str = "rest", **path_options: Any) -> Solver:
    """Find the n paths once and group by their counts for each k."""

    def solve(X: FloatArray, ks: Sequence[int], seed: int) -> Iterator[Outcome]:
        paths = find_paths(X, heuristic, path_options=path_options, seed=seed, threads=1)
        counts = count_neighbours(paths, len(X), 1, directed=True)
        for k in ks:
            yield k, group_by_counts(X, counts, k, "counts", short_groups), math.nan

    return solve


BY_HEURISTIC = {
    "MF-TSP(2-Opt)": by_counts("two_opt"),
    "MF-TSP(lk)": by_counts("lk", kicks=1000),
    "MF-TSP(Nearest Insert)": by_counts("nearest_insertion"),
    "MF-TSP(Farthest Insert)": by_counts("farthest_insertion"),
    "MF-TSP(Cheapest Insert)": by_counts("cheapest_insertion"),
    "MF-TSP(Arbitrary Insert)": by_counts("arbitrary_insertion"),
    "MF-TSP(Nearest Neighbour)": by_counts("nearest_neighbour"),
    "MF-TSP(Repetitive NN)": by_counts("repetitive_nearest_neighbour"),
}
"""The rows of MF-TSP by their printed names; where the thesis runs Concorde, we run `lk` and call it so."""
WITHOUT_CHANCE = frozenset({"MF-TSP(2-Opt)", "MF-TSP(Nearest Neighbour)", "MF-TSP(Repetitive NN)"})
ONE_SCALE = "The table uses another standardisation than the other tables of the thesis (MDAV 5.66, not 5.6922)."
GIVEN_START = (
    "For a path from a given record the text sets all distances to it to 0 and runs the heuristic on that asymmetric "
    "matrix. Ours grows from that record and stays open there; only repetitive nearest neighbour follows the matrix."
)

EXPERIMENT = grid(
    name="mf-tsp",
    title="loss of MF-TSP by path heuristic",
    source="Maya-Lopez 2023 (thesis), Table 3.4",
    datasets=("census", "tarragona"),
    ks=(3, 4, 5, 10),
    solvers={
        "MDAV": by_method("mdav"),
        "V-MDAV": by_method("vmdav", gamma="tenths"),
        "V-MDAV (our starts)": by_method("vmdav", gamma="auto"),
        **BY_HEURISTIC,
        "MF-TSP(2-Opt) random start": by_counts("two_opt", initial="random"),
        "MF-TSP(Nearest Neighbour) extended": by_counts("nearest_neighbour", short_groups="extend"),
    },
    fixed=WITHOUT_CHANCE | {"MDAV", "V-MDAV", "V-MDAV (our starts)", "MF-TSP(Nearest Neighbour) extended"},
    tolerance=0.1,
    seeds=1,
    draw=loss_boxes("mf-tsp"),
    minutes=15,
    notes=(
        "Whether the printed numbers are means is not said: the table is for orientation. Of the readings of the text "
        "that were tried with nearest neighbour (directed counts or not, open paths or closed, short groups given up "
        "or extended), only those that give short groups up rise towards k = 10 as steeply as what is printed.",
    ),
    quick={"names": ("tarragona",), "methods": ("MDAV", "V-MDAV", "MF-TSP(Nearest Neighbour)"), "ks": (3, 10)},
    deviations=(
        ONE_SCALE,
        GIVEN_START,
        "The package TSP of R, which the thesis cites, begins 2-Opt with a random order; ours begins with the greedy "
        "path, and in the row with a remark with a random order for each record.",
        "The row MF-TSP(Concorde) is printed beside 1,000 kicks of our `lk` from each record.",
        "The text does not say what the records of step 6 join by: ours join the group of the record with which they "
        "have the largest count, in both directions together, and the nearest centroid where they have none.",
        "MF-TSP(Nearest Neighbour) extended is ours: a group that runs out of counts goes on with those of the records "
        "that it has taken in.",
    ),
    reasons=(
        Reason(ONE_SCALE, methods=("MDAV", "V-MDAV", "V-MDAV (our starts)")),
        Reason(
            "A group that runs out of counts is not given up in this row, which is ours.",
            methods=("MF-TSP(Nearest Neighbour) extended",),
        ),
        Reason(
            "One run of each is printed and it is not said of which start or seed; a path from a given record is found "
            "in another way; ties between counts, of which there are many, are broken by row number here."
        ),
    ),
)
