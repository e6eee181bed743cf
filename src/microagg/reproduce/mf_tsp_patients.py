"""Table 3.2 of the thesis: MF-TSP on the nine patients, by path heuristic."""

from __future__ import annotations

from microagg.reproduce.boxes import loss_boxes
from microagg.reproduce.experiment import Reason
from microagg.reproduce.grid import grid
from microagg.reproduce.mf_tsp import BY_HEURISTIC, GIVEN_START, WITHOUT_CHANCE

EXPERIMENT = grid(
    name="mf-tsp-patients",
    title="loss of MF-TSP on the nine patients by path heuristic",
    source="Maya-Lopez 2023 (thesis), Table 3.2",
    datasets=("patients",),
    ks=(3,),
    solvers=BY_HEURISTIC,
    fixed=WITHOUT_CHANCE,
    tolerance=0.02,
    seeds=20,
    draw=loss_boxes("mf-tsp-patients"),
    deviations=(
        GIVEN_START,
        "The row MF-TSP(Concorde) is printed beside our `lk`. The paths of equation (3.1), which are said to be "
        "Concorde's, are 6 to 28 percent longer than the shortest ones from the same patients.",
    ),
    reasons=(
        Reason(
            "No partition of the nine patients of Table 3.1 into groups of at least 3 has the printed loss. That of "
            "the groups of equation (3.3), which is the optimum, is 36.4145, and 36.7941 is printed for it."
        ),
    ),
)
