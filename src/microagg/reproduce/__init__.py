"""The experiments of the papers: run them again and put the results beside the printed ones."""

from typing import Any

from microagg.reproduce import (
    categorical,
    compress,
    compress_growth,
    compress_seconds,
    correlation,
    eurodist,
    hm2,
    incremental_seconds,
    mf_tsp,
    mf_tsp_patients,
    mf_tsp_window,
    rcs,
    stages,
)
from microagg.reproduce.comparison import PrintedComparison
from microagg.reproduce.everything import reproduce_all
from microagg.reproduce.experiment import Experiment, Reproduction
from microagg.reproduce.runner import reproduce

EXPERIMENTS: dict[str, Experiment[Any]] = {
    experiment.name: experiment
    for experiment in (
        hm2.EXPERIMENT,
        correlation.EXPERIMENT,
        eurodist.EXPERIMENT,
        mf_tsp.EXPERIMENT,
        mf_tsp_window.EXPERIMENT,
        mf_tsp_patients.EXPERIMENT,
        compress.EXPERIMENT,
        compress_seconds.EXPERIMENT,
        compress_growth.EXPERIMENT,
        rcs.EXPERIMENT,
        categorical.EXPERIMENT,
        stages.EXPERIMENT,
        incremental_seconds.EXPERIMENT,
    )
}
"""Name -> experiment: the commands, the page of all of them and the tests follow from it."""

__all__ = ["EXPERIMENTS", "Experiment", "PrintedComparison", "Reproduction", "reproduce", "reproduce_all"]
