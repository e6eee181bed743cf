"""What an experiment is: datasets x methods x k x seeds, run in parallel, kept, and compared with what was printed."""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from microagg import datasets
from microagg.base.checks import check_count, check_threads
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.errors import FileProblem, InvalidOption
from microagg.io import atomic_path
from microagg.prepare.scale import standardise
from microagg.reproduce.tables import to_markdown
from microagg.utility import information_loss

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")
CELLS: dict[str, Callable[[str], object]] = {"str": str, "int": int, "float": float}
"""What reads a cell of a row that is kept, by the type of its field."""

Outcome = tuple[int, IntArray, float]
"""k, the labels, and the length of the path that was cut; NaN where there is none."""
Solver = Callable[[FloatArray, Sequence[int], int], Iterator[Outcome]]
"""From records, several k and a seed to one outcome for each k; what they share is computed once."""


@dataclass(frozen=True)
class Run:
    """One method on one dataset with one k and one seed: what it lost, and how long it took."""

    dataset: str
    method: str
    k: int
    seed: int
    information_loss: float
    path_length: float
    seconds: float


@dataclass(frozen=True)
class Printed:
    """A printed number, with the least and the most of its repetitions where these are printed too."""

    dataset: str
    method: str
    k: int | None
    average: float
    least: float
    most: float
    source: str


@dataclass(frozen=True)
class PrintedComparison:
    """A printed number beside ours: the mean, least and most over our seeds."""

    dataset: str
    method: str
    k: int
    printed: float
    printed_least: float
    printed_most: float
    ours: float
    ours_least: float
    ours_most: float
    seeds: int
    difference_percent: float
    inside: bool


@dataclass(frozen=True)
class Experiment:
    """A printed table and how to make it again.

    Attributes
    ----------
    name : str
        What users type.
    title : str
        What it shows, in a line.
    datasets, ks : tuple
        What is run unless the user says otherwise.
    solvers : mapping
        The methods by their printed names.
    fixed : frozenset of str
        The methods in which nothing is random: one seed is enough.
    tolerance : float
        How far outside the printed least..most, or from the printed number where there are none, ours may lie.
    compare : callable
        From runs to comparisons.
    draw : callable
        From runs to drawings, SVG by file name.
    runs_of : str
        The experiment whose runs it shares; its own by default.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    ks: tuple[int, ...]
    solvers: Mapping[str, Solver]
    fixed: frozenset[str]
    tolerance: float
    compare: Callable[[Experiment, Sequence[Run]], list[PrintedComparison]]
    draw: Callable[[Sequence[Run]], dict[str, str]]
    runs_of: str = ""

    @property
    def runs_file(self) -> str:
        """The name of the file that keeps the runs."""
        return f"{self.runs_of or self.name}-runs.csv"


def printed(name: str) -> list[Printed]:
    """Read a table of printed numbers.

    >>> [p.average for p in printed("hm2") if (p.dataset, p.method, p.k) == ("census", "MDAV", 3)]
    [5.6922]
    """
    text = (resources.files("microagg.reproduce") / "printed" / f"{name}.csv").read_text(encoding="utf-8")

    def number(cell: str) -> float:
        return float(cell) if cell else math.nan

    return [
        Printed(
            row["dataset"],
            row["method"],
            int(row["k"]) if row["k"] else None,
            float(row["average"]),
            number(row["min"]),
            number(row["max"]),
            row["source"],
        )
        for row in csv.DictReader(text.splitlines())
    ]


def reproduce(
    experiment: Experiment,
    output: Path,
    *,
    names: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    seeds: int = 20,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[PrintedComparison]:
    """Run what has not been run yet, and write comparisons (CSV, Markdown) and drawings (SVG) beside the runs.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    output : Path
        A folder; runs that are kept there are not run again.
    names : sequence of str, optional
        The datasets; those of the experiment by default.
    ks : sequence of int, optional
        The values of k; those of the experiment by default.
    methods : sequence of str, optional
        The methods by their printed names; all by default.
    seeds : int
        Seeds 0 to seeds-1 are run; methods without randomness run once.
    threads : int, optional
        How many runs at a time; one per processor by default.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    list of PrintedComparison
        One for each printed number that was run.
    """
    names, ks = tuple(names or experiment.datasets), tuple(ks or experiment.ks)
    methods = tuple(methods or experiment.solvers)
    check_names("dataset", names, experiment.datasets)
    check_names("method", methods, tuple(experiment.solvers))
    check_count("seeds", seeds)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileProblem(f"Cannot create the folder {output}: {error.strerror}.") from error
    runs = _run(experiment, output / experiment.runs_file, names, ks, methods, seeds, check_threads(threads), progress)
    comparisons = experiment.compare(experiment, runs)
    write_table(output / f"{experiment.name}.csv", comparisons)
    for file_name, text in {f"{experiment.name}.md": to_markdown(comparisons), **experiment.draw(runs)}.items():
        with atomic_path(output / file_name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return comparisons


def check_names(what: str, given: Sequence[str], allowed: Sequence[str]) -> None:
    """Refuse a name that the experiment does not know."""
    for name in given:
        if name not in allowed:
            raise InvalidOption(f"{what} must be one of {', '.join(allowed)}; got {name!r}.")


def _run(
    experiment: Experiment,
    kept: Path,
    names: Sequence[str],
    ks: Sequence[int],
    methods: Sequence[str],
    seeds: int,
    threads: int,
    progress: Progress | None,
) -> list[Run]:
    """Run the tasks of which a run is missing, keep their runs as they come, and give all that were asked for."""
    done = {(run.dataset, run.method, run.k, run.seed): run for run in read_runs(kept)}
    wanted = [
        (name, method, k, seed)
        for name in names
        for method in methods
        for seed in range(1 if method in experiment.fixed else seeds)
        for k in ks
    ]
    missing: dict[tuple[str, str, int], list[int]] = {}
    for name, method, k, seed in wanted:
        if (name, method, k, seed) not in done:
            missing.setdefault((name, method, seed), []).append(k)
    tables = {name: standardise(datasets.load(name).X) for name in {task[0] for task in missing}}
    with ThreadPoolExecutor(threads) as pool:
        futures = [
            pool.submit(_solve, experiment.solvers[method], tables[name], name, method, seed, its_ks)
            for (name, method, seed), its_ks in missing.items()
        ]
        try:
            for finished, future in enumerate(as_completed(futures), start=1):
                runs = future.result()
                keep_rows(kept, runs)
                done |= {(run.dataset, run.method, run.k, run.seed): run for run in runs}
                if progress is not None:
                    progress(finished / len(futures))
        finally:
            pool.shutdown(cancel_futures=True)
    return [done[key] for key in wanted]


def _solve(solver: Solver, X: FloatArray, name: str, method: str, seed: int, ks: Sequence[int]) -> list[Run]:
    runs = []
    clock = time.perf_counter()
    for k, labels, length in solver(X, ks, seed):
        seconds = time.perf_counter() - clock
        runs.append(Run(name, method, k, seed, information_loss(X, labels), length, seconds))
        clock = time.perf_counter()
    return runs


def read_runs(kept: Path) -> list[Run]:
    """Read the runs that are kept in a file; none where there is no file."""
    return read_rows(kept, Run)


def read_rows(kept: Path, kind: type[Row]) -> list[Row]:
    """Read what `keep_rows` has written; nothing where there is no file. A line that was cut short is left out."""
    if not kept.exists():
        return []
    with kept.open(newline="", encoding="utf-8") as file:
        lines = [line for line in file if line.endswith("\n")]
    cells = [(field.name, CELLS[str(field.type)]) for field in fields(kind)]
    try:
        return [kind(*(read(row[name]) for name, read in cells)) for row in csv.DictReader(lines)]
    except (KeyError, TypeError, ValueError) as error:
        raise FileProblem(
            f"{kept} does not hold runs of this experiment. Move it away or name another folder."
        ) from error


def keep_rows(kept: Path, rows: Sequence[DataclassInstance]) -> None:
    """Add rows to a CSV file; a line that was cut short by an interruption is removed first."""
    if not rows:
        return
    if kept.exists():
        content = kept.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            kept.write_bytes(whole)
    is_new = not kept.exists() or kept.stat().st_size == 0
    with kept.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(rows[0])], lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def write_table(path: Path, rows: Iterable[PrintedComparison]) -> None:
    """Write comparisons as CSV; what was not printed stays empty."""
    with atomic_path(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(PrintedComparison)])
        for row in rows:
            cells = asdict(row).values()
            writer.writerow(["" if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells])


def compare_losses(experiment: Experiment, runs: Sequence[Run]) -> list[PrintedComparison]:
    """Put the mean loss over the seeds beside the printed one."""
    ours: dict[tuple[str, str, int], list[float]] = {}
    for run in runs:
        ours.setdefault((run.dataset, run.method, run.k), []).append(run.information_loss)
    return [
        compare_values(entry, ours[entry.dataset, entry.method, entry.k], experiment.tolerance)
        for entry in printed(experiment.name)
        if entry.k is not None and (entry.dataset, entry.method, entry.k) in ours
    ]


def compare_values(entry: Printed, values: Sequence[float], tolerance: float) -> PrintedComparison:
    """Compare our values with a printed one; see Experiment for what the tolerance means."""
    mean = float(np.mean(values))
    least = entry.average if math.isnan(entry.least) else entry.least
    most = entry.average if math.isnan(entry.most) else entry.most
    return PrintedComparison(
        entry.dataset,
        entry.method,
        entry.k or 0,
        entry.average,
        entry.least,
        entry.most,
        mean,
        min(values),
        max(values),
        len(values),
        100 * (mean / entry.average - 1),
        least * (1 - tolerance) <= mean <= most * (1 + tolerance),
    )
