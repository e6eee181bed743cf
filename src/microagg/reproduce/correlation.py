"""Table 4.8 of the thesis: how the length of a path and the error of its cut go together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.reproduce import hm2
from microagg.reproduce.charts import Series, scatter
from microagg.reproduce.comparison import PrintedComparison, compare_values, printed
from microagg.reproduce.experiment import Experiment, Reason
from microagg.reproduce.grid import Run, grid

MEASURE = "Pearson's coefficient of path length and loss"


def coefficient(runs: Sequence[Run]) -> float:
    """Give Pearson's coefficient of path length and loss; the loss is the SSE but for a constant factor."""
    lengths, losses = [run.path_length for run in runs], [run.information_loss for run in runs]
    return float(np.corrcoef(lengths, losses)[0, 1])


def compare(experiment: Experiment[Run], runs: Sequence[Run]) -> list[PrintedComparison]:
    """Put our coefficient beside the printed one."""
    comparisons = []
    for entry in printed("correlation"):
        these = [run for run in runs if (run.dataset, run.k) == (entry.dataset, entry.k)]
        if len({run.path_length for run in these}) > 2:
            comparisons.append(compare_values(entry, [coefficient(these)], experiment.tolerance, measure=MEASURE))
    return comparisons


def draw(runs: Sequence[Run]) -> dict[str, str]:
    """Draw every path by its length and its loss."""
    drawings = {}
    for dataset, k in sorted({(run.dataset, run.k) for run in runs}):
        these = [run for run in runs if (run.dataset, run.k) == (dataset, k)]
        series = [
            Series(method, tuple((run.path_length, run.information_loss) for run in these if run.method == method))
            for method in dict.fromkeys(run.method for run in these)
        ]
        drawings[f"correlation-{dataset}-{k}.svg"] = scatter(
            f"{dataset}, k = {k}: Pearson coefficient {coefficient(these):.2f}",
            "path length",
            "information loss, percent",
            series,
        )
    return drawings


EXPERIMENT = grid(
    name="correlation",
    title="path length against loss",
    source="Maya-Lopez 2023 (thesis), Table 4.8",
    datasets=("census", "eia", "tarragona"),
    ks=(3, 4, 5, 6),
    solvers=hm2.PATH_SOLVERS,
    fixed=frozenset({"Repetitive NN - MHM"}),
    tolerance=0.25,
    compare=compare,
    draw=draw,
    runs_of="hm2",
    minutes=4,
    deviations=(
        "Repetitive nearest neighbour has no random start here and counts once, not once for each of 50 repetitions.",
    ),
    reasons=(
        Reason(
            "Perhaps because the coefficient hangs on how many runs of each heuristic there are: repetitive nearest "
            "neighbour counts once here, and there are 20 seeds and not 50 repetitions."
        ),
    ),
)
