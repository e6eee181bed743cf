"""Box plots of the losses of an experiment: one drawing for each dataset and k, a box for each method."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from microagg.reproduce.charts import Box, box_plot, file_of
from microagg.reproduce.comparison import printed
from microagg.reproduce.grid import Run


def loss_boxes(name: str) -> Callable[[Sequence[Run]], dict[str, str]]:
    """Give the function that draws the losses of an experiment beside the printed ones."""

    def draw(runs: Sequence[Run]) -> dict[str, str]:
        known = {(entry.dataset, entry.method, entry.k): entry for entry in printed(name)}
        drawings = {}
        for dataset, k in sorted({(run.dataset, run.k) for run in runs}):
            boxes = []
            for method in dict.fromkeys(run.method for run in runs):
                values = [r.information_loss for r in runs if (r.dataset, r.k, r.method) == (dataset, k, method)]
                entry = known.get((dataset, method, k))
                if values:
                    limits = (entry.least, entry.average, entry.most) if entry else None
                    boxes.append(Box(method, tuple(values), limits))
            title = f"{dataset}, k = {k}: loss by method"
            drawings[file_of(name, dataset, k)] = box_plot(title, "information loss, percent", boxes)
        return drawings

    return draw
