"""All experiments at once: run what is missing, keep the results in one file, and make one page of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from microagg.base.progress import Progress, part_of
from microagg.errors import InvalidOption
from microagg.files.atomic import atomic_path
from microagg.reproduce.experiment import Experiment, Reproduction
from microagg.reproduce.page import render_results
from microagg.reproduce.results import Results, read_results, result_of, write_results
from microagg.reproduce.rows import read_rows
from microagg.reproduce.runner import reproduce

RESULTS, PAGE = "results.json", "index.html"


def reproduce_all(
    experiments: Mapping[str, Experiment[Any]],
    output: Path,
    *,
    names: Sequence[str] = (),
    quick: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    begun: Callable[[Experiment[Any]], None] | None = None,
    ended: Callable[[Reproduction[Any]], None] | None = None,
) -> Results:
    """Run experiments one after the other, and write their results (JSON) and the page (HTML) after each.

    Rows that are kept in the folder are not run again, so that an interrupted run goes on where it stopped; results of
    experiments that are not named stay as they are. What lacks its data is skipped, and the page says why.

    Parameters
    ----------
    experiments : mapping
        Those that there are.
    output : Path
        A folder.
    names : sequence of str
        Which of them to run; all by default.
    quick : bool
        Whether to run the few cells that each experiment names for a short run.
    threads : int, optional
        How many tasks at a time; one per processor by default.
    progress : callable, optional
        Told the fraction done, by the minutes that the experiments take.
    begun, ended : callable, optional
        Told each experiment before it runs, and what came out of it.

    Returns
    -------
    dict
        All results that are in the folder, by the names of the experiments.
    """
    for name in names:
        if name not in experiments:
            raise InvalidOption(f"experiments must be some of {', '.join(experiments)}; got {name!r}.")
    wanted = [experiments[name] for name in experiments if not names or name in names]
    settings = {one.name: dict(one.quick) if quick else {} for one in wanted}
    minutes = {one.name: 1.0 if quick else _minutes_left(one, output) for one in wanted}
    for one in wanted:
        if one.runs_of in minutes:
            minutes[one.name] = 0.0
    total, spent = sum(minutes.values()) or 1.0, 0.0
    results = {name: result for name, result in read_results(output / RESULTS).items() if name in experiments}
    for experiment in wanted:
        if begun is not None:
            begun(experiment)
        share = minutes[experiment.name]
        part = part_of(progress, spent / total, (spent + share) / total)
        reproduction = reproduce(
            experiment, output, threads=threads, progress=part, skip_missing=True, **settings[experiment.name]
        )
        spent += share
        if progress is not None:
            progress(spent / total)
        results[experiment.name] = result_of(reproduction)
        results = {name: results[name] for name in experiments if name in results}
        write_results(output / RESULTS, results)
        with atomic_path(output / PAGE) as temporary:
            temporary.write_text(render_results(results, experiments, read_drawings(results, output)), encoding="utf-8")
        if ended is not None:
            ended(reproduction)
    return results


def read_drawings(results: Results, folder: Path) -> dict[str, str]:
    """Read the drawings that results name from the folder in which they were made."""
    names = [name for result in results.values() for name in result.figures]
    return {name: (folder / name).read_text(encoding="utf-8") for name in names if (folder / name).is_file()}


def _minutes_left(experiment: Experiment[Any], output: Path) -> float:
    """Guess how long it takes from here: its minutes, by the share of its rows that are missing."""
    kept = {experiment.key_of(row) for row in read_rows(output / experiment.runs_file, experiment.row)}
    keys = [key for task in experiment.tasks(experiment.choose({})) for key in task.keys]
    return experiment.minutes * sum(key not in kept for key in keys) / max(1, len(keys))
