"""The experiments of the papers: run them again and put the results beside the printed ones."""

from microagg.reproduce import compress, correlation, hm2, mf_tsp, rcs
from microagg.reproduce.experiment import Experiment, PrintedComparison, reproduce

EXPERIMENTS: dict[str, Experiment] = {
    e.name: e for e in (hm2.EXPERIMENT, mf_tsp.EXPERIMENT, compress.EXPERIMENT, rcs.EXPERIMENT, correlation.EXPERIMENT)
}

__all__ = ["EXPERIMENTS", "Experiment", "PrintedComparison", "reproduce"]
