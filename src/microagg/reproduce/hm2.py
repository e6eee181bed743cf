"""Tables 4.2 to 4.7 of the thesis: (HM)^2-Micro with each path heuristic beside MDAV, V-MDAV and MDAV-LK-MHM."""

from __future__ import annotations

from microagg.reproduce.boxes import loss_boxes
from microagg.reproduce.grid import grid
from microagg.reproduce.solvers import by_method, by_path

PATH_SOLVERS = {
    "Nearest Insertion - MHM": by_path("nearest_insertion"),
    "Farthest Insertion - MHM": by_path("farthest_insertion"),
    "Cheapest Insertion - MHM": by_path("cheapest_insertion"),
    "Arbitrary Insertion - MHM": by_path("arbitrary_insertion"),
    "Nearest Neighbour - MHM": by_path("nearest_neighbour", dummy="city"),
    "Repetitive NN - MHM": by_path("repetitive_nearest_neighbour"),
    "Concorde - MHM": by_path("lk"),
}
"""Where the thesis runs Concorde, we run `lk`, whose paths are as short."""


EXPERIMENT = grid(
    name="hm2",
    title="loss of (HM)^2-Micro by path heuristic",
    source="Maya-Lopez 2023 (thesis), Tables 4.2 to 4.4",
    datasets=("census", "eia", "tarragona"),
    ks=(3, 4, 5, 6),
    solvers={
        "MDAV": by_method("mdav"),
        "V-MDAV": by_method("vmdav", gamma="auto"),
        "MDAV-LK-MHM": by_method("mdav_lk_mhm"),
        **PATH_SOLVERS,
    },
    fixed=frozenset({"MDAV", "V-MDAV", "MDAV-LK-MHM", "Repetitive NN - MHM"}),
    tolerance=0.02,
    draw=loss_boxes("hm2"),
)
