"""The shape of most tables: datasets x methods x k x seeds, and the loss of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from microagg import datasets as known_datasets
from microagg.base.types import FloatArray, IntArray
from microagg.prepare.scale import standardise
from microagg.reproduce.comparison import PrintedComparison, ResultTable, compare_values, printed
from microagg.reproduce.experiment import Chosen, Experiment, Key, Reason, Setting, Task
from microagg.utility import information_loss

Outcome = tuple[int, IntArray, float]
"""k, the labels, and the length of the path that was cut; NaN where there is none."""
Solver = Callable[[FloatArray, Sequence[int], int], Iterator[Outcome]]
"""From records, several k and a seed to one outcome for each k; what they share is computed once."""


@dataclass(frozen=True)
class Run:
    """One method on one dataset with one k and one seed: what it lost, and how long it took.

    Seconds are of processor time where the experiment runs one task after the other, and by the clock elsewhere.
    """

    dataset: str
    method: str
    k: int
    seed: int
    information_loss: float
    path_length: float
    seconds: float


def load_standardised(name: str) -> FloatArray:
    """Load a dataset of the package and standardise it as the papers do."""
    return standardise(known_datasets.load(name).X)


def compare_losses(experiment: Experiment[Run], runs: Sequence[Run]) -> list[PrintedComparison]:
    """Put the mean loss over the seeds beside the printed one."""
    ours: dict[tuple[str, str, int], list[float]] = {}
    for run in runs:
        ours.setdefault((run.dataset, run.method, run.k), []).append(run.information_loss)
    return [
        compare_values(entry, ours[entry.dataset, entry.method, entry.k], experiment.tolerance)
        for entry in printed(experiment.name)
        if entry.k is not None and (entry.dataset, entry.method, entry.k) in ours
    ]


def grid(
    *,
    name: str,
    title: str,
    source: str,
    datasets: tuple[str, ...],
    ks: tuple[int, ...],
    solvers: Mapping[str, Solver],
    fixed: frozenset[str],
    tolerance: float,
    draw: Callable[[Sequence[Run]], dict[str, str]],
    compare: Callable[[Experiment[Run], Sequence[Run]], list[PrintedComparison]] = compare_losses,
    seeds: int = 20,
    runs_of: str = "",
    alone: bool = False,
    load: Callable[[str], FloatArray] = load_standardised,
    quick: Mapping[str, Any] | None = None,
    minutes: float = 1.0,
    page: str = "published",
    further: Callable[[Sequence[Run]], list[ResultTable]] = lambda _: [],
    notes: tuple[str, ...] = (),
    deviations: tuple[str, ...] = (),
    reasons: tuple[Reason, ...] = (),
) -> Experiment[Run]:
    """Make an experiment of datasets x methods x k x seeds; see `Experiment` for what is not described here.

    Parameters
    ----------
    datasets, ks : tuple
        What is run unless the user says otherwise.
    solvers : mapping
        The methods by their printed names.
    fixed : frozenset of str
        The methods in which nothing is random: one seed is enough.
    compare : callable
        From the experiment and its runs to comparisons; losses by default.
    seeds : int
        How many seeds are run unless the user says otherwise.
    load : callable
        From the name of a dataset to its records, prepared as the paper prepares them.
    quick : mapping, optional
        Settings of a short run; the first dataset, the first k and one seed by default.

    Returns
    -------
    Experiment
    """
    if not fixed <= set(solvers):
        raise ValueError(f"{name}: {', '.join(sorted(fixed - set(solvers)))} is fixed, but no solver.")

    def tasks(chosen: Chosen) -> list[Task[Run]]:
        loaded, clock = cache(load), time.process_time if alone else time.perf_counter
        return [
            Task(
                tuple((dataset, method, k, seed) for k in chosen["ks"]),
                partial(_solve, solvers[method], loaded, clock, dataset, method, seed),
            )
            for dataset in chosen["names"]
            for method in chosen["methods"]
            for seed in range(1 if method in fixed else chosen["seeds"])
        ]

    return Experiment(
        name=name,
        title=title,
        source=source,
        settings=(
            Setting("names", ("--datasets",), "names", datasets, "Which datasets.", datasets, "dataset"),
            Setting("methods", ("--methods",), "names", tuple(solvers), "Which methods.", tuple(solvers), "method"),
            Setting("ks", ("-k", "--k"), "counts", ks),
            Setting("seeds", ("--seeds",), "count", seeds, "How many seeds; methods without randomness run once."),
        ),
        row=Run,
        key=("dataset", "method", "k", "seed"),
        tasks=tasks,
        compare=compare,
        draw=draw,
        tolerance=tolerance,
        alone=alone,
        runs_of=runs_of,
        quick=quick if quick is not None else {"names": datasets[:1], "ks": ks[:1], "seeds": 1},
        fixed=fixed,
        minutes=minutes,
        page=page,
        further=further,
        notes=notes,
        deviations=deviations,
        reasons=reasons,
    )


def _solve(
    solver: Solver,
    load: Callable[[str], FloatArray],
    clock: Callable[[], float],
    dataset: str,
    method: str,
    seed: int,
    keys: Sequence[Key],
) -> Iterator[Run]:
    X = load(dataset)
    begun = clock()
    for k, labels, length in solver(X, [key[2] for key in keys], seed):
        seconds = clock() - begun
        yield Run(dataset, method, k, seed, information_loss(X, labels), length, seconds)
        begun = clock()
