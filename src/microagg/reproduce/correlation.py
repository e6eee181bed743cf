"""Table 4.8 and Figs. 4.26 to 4.35 of the thesis: how the length of a path and the error of its cut go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from microagg.reproduce import hm2
from microagg.reproduce.charts import Series, file_of, scatter
from microagg.reproduce.comparison import PrintedComparison, ResultTable, compare_values, printed
from microagg.reproduce.experiment import Experiment, Reason
from microagg.reproduce.gps import CITIES, SURROGATE, SURROGATE_NOTE, load_records
from microagg.reproduce.grid import Run, grid

BY_ITSELF_K = 3
BY_ITSELF = ("Cheapest Insertion - MHM", "lk - MHM", "Nearest Neighbour - MHM")
"""The k and the heuristics of the figures of single heuristics, Concorde's among them."""
MEASURE = "Pearson's coefficient of path length and loss"


def coefficient(runs: Sequence[Run]) -> float:
    """Give Pearson's coefficient of path length and loss; the loss is the SSE but for a constant factor."""
    lengths, losses = [run.path_length for run in runs], [run.information_loss for run in runs]
    return float(np.corrcoef(lengths, losses)[0, 1])


def trend(name: str, runs: Sequence[Run]) -> Series:
    """Give the line of least squares through the runs, loss by path length, as far as they reach."""
    lengths = np.array([run.path_length for run in runs])
    ends = (float(lengths.min()), float(lengths.max()))
    slope, height = np.polyfit(lengths - lengths.mean(), [run.information_loss for run in runs], 1)
    points = tuple((x, float(height + slope * (x - lengths.mean()))) for x in ends)
    return Series(name, points, dashed=True, belongs=True, line=True)


def can_correlate(runs: Sequence[Run]) -> bool:
    """Say whether there are enough different paths for a coefficient."""
    return len({run.path_length for run in runs}) > 2


def compare(experiment: Experiment[Run], runs: Sequence[Run]) -> list[PrintedComparison]:
    """Put our coefficient beside the printed one."""
    comparisons = []
    for entry in printed("correlation"):
        these = [run for run in runs if (run.dataset, run.k) == (entry.dataset, entry.k)]
        if can_correlate(these):
            comparisons.append(compare_values(entry, [coefficient(these)], experiment.tolerance, measure=MEASURE))
    return comparisons


def by_heuristic(runs: Sequence[Run]) -> list[ResultTable]:
    """Write the coefficient of each heuristic by itself, which the thesis finds to be next to none (Fig. 4.27)."""
    ks = sorted({run.k for run in runs})
    lines = []
    for dataset, method in dict.fromkeys((run.dataset, run.method) for run in runs):
        mine = [run for run in runs if (run.dataset, run.method) == (dataset, method)]
        if can_correlate(mine):
            lines.append((dataset, method, *(f"{coefficient([r for r in mine if r.k == k]):.2f}" for k in ks)))
    title = f"{MEASURE}, each heuristic by itself"
    return [ResultTable(title, ("dataset", "method", *(f"k = {k}" for k in ks)), tuple(lines))] if lines else []


def draw(runs: Sequence[Run]) -> dict[str, str]:
    """Draw paths by length and loss with trend lines, also each heuristic by itself (Figs. 4.27 to 4.29)."""
    drawings = {}
    for dataset, k in sorted({(run.dataset, run.k) for run in runs}):
        these = [run for run in runs if (run.dataset, run.k) == (dataset, k)]
        methods = dict.fromkeys(run.method for run in these)
        series = [_points(method, [run for run in these if run.method == method]) for method in methods]
        if can_correlate(these):
            series.append(replace(trend("trend of all", these), belongs=False))
            drawings[file_of("correlation", dataset, k)] = _scatter(f"{dataset}, k = {k}", these, series)
        for method in BY_ITSELF if k == BY_ITSELF_K else ():
            mine = [run for run in these if run.method == method]
            if can_correlate(mine):
                title = f"{dataset}, k = {k}, {method}"
                file = file_of("correlation", dataset, k, method.split(" - ")[0])
                drawings[file] = _scatter(title, mine, [_points(method, mine), trend("trend", mine)])
    return drawings


def _points(name: str, runs: Sequence[Run]) -> Series:
    return Series(name, tuple((run.path_length, run.information_loss) for run in runs))


def _scatter(title: str, runs: Sequence[Run], series: Sequence[Series]) -> str:
    words = f"{title}: Pearson coefficient {coefficient(runs):.2f}"
    return scatter(words, "path length", "information loss, percent", series)


EXPERIMENT = grid(
    name="correlation",
    title="path length against loss",
    source="Maya-Lopez 2023 (thesis), Table 4.8 and Figs. 4.26 to 4.35",
    datasets=("census", "eia", "tarragona", *CITIES, SURROGATE),
    load=load_records,
    further=by_heuristic,
    notes=(SURROGATE_NOTE,),
    ks=(3, 4, 5, 6),
    solvers=hm2.PATH_SOLVERS,
    fixed=frozenset(),
    tolerance=0.25,
    compare=compare,
    draw=draw,
    runs_of="hm2",
    minutes=6,
    reasons=(
        Reason(
            "Perhaps because the coefficient hangs on the runs of each heuristic: there are 20 seeds here and 50 "
            "repetitions there, and `lk` stands in for Concorde."
        ),
    ),
)
