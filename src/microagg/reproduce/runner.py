"""The runner of all experiments: what is missing is run, kept as it comes, compared, drawn and written."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from microagg.base.checks import check_threads
from microagg.base.progress import Progress
from microagg.errors import FileProblem
from microagg.io import atomic_path
from microagg.reproduce.comparison import PrintedComparison
from microagg.reproduce.experiment import Experiment, Key, Reproduction, Row, Task
from microagg.reproduce.rows import keep_rows, read_rows, write_table
from microagg.reproduce.tables import to_markdown


def reproduce(
    experiment: Experiment[Row],
    output: Path,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    skip_missing: bool = False,
    **settings: Any,
) -> Reproduction[Row]:
    """Run what has not been run yet, and write comparisons (CSV, Markdown) and drawings (SVG) beside the runs.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    output : Path
        A folder; rows that are kept there are not run again.
    threads : int, optional
        How many tasks at a time; one per processor by default. Experiments that take the time run one after the other.
    progress : callable, optional
        Told the fraction of the missing rows that is done.
    skip_missing : bool
        Whether to go on where the data of a task are missing, and to say so in the result; an error otherwise.
    **settings
        The experiment's own settings: `names` (datasets), `methods`, `ks`, `seeds` and others.

    Returns
    -------
    Reproduction
        All rows that were asked for, new or kept, and what follows from them.
    """
    chosen = experiment.choose(settings)
    threads = check_threads(threads)
    tasks = list(experiment.tasks(chosen))
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileProblem(f"Cannot create the folder {output}: {error.strerror}.") from error
    rows, skipped = run_tasks(
        experiment,
        tasks,
        output / experiment.runs_file,
        threads=1 if experiment.alone else threads,
        progress=progress,
        skip_missing=skip_missing,
    )
    comparisons = tuple(experiment.compare(experiment, rows))
    result = Reproduction(experiment, chosen, tuple(rows), comparisons, experiment.draw(rows), tuple(skipped))
    _write(result, output)
    return result


def run_tasks(
    experiment: Experiment[Row],
    tasks: Sequence[Task[Row]],
    kept: Path,
    *,
    threads: int,
    progress: Progress | None,
    skip_missing: bool,
) -> tuple[list[Row], list[str]]:
    """Run the tasks of which a row is missing and keep their rows as they come; give all rows, and what was skipped."""
    done = {experiment.key_of(row): row for row in read_rows(kept, experiment.row)}
    missing = [(task, [key for key in task.keys if key not in done]) for task in tasks]
    missing = [(task, keys) for task, keys in missing if keys]
    total, finished = sum(len(keys) for _, keys in missing), 0
    skipped: dict[str, None] = {}
    with ThreadPoolExecutor(threads) as pool:
        futures = {pool.submit(_run_task, task, keys): len(keys) for task, keys in missing}
        try:
            for future in as_completed(futures):
                try:
                    rows = future.result()
                except FileProblem as problem:
                    if not skip_missing:
                        raise
                    skipped[str(problem)] = None
                    rows = []
                keep_rows(kept, rows)
                done |= {experiment.key_of(row): row for row in rows}
                finished += futures[future]
                if progress is not None:
                    progress(finished / total)
        finally:
            pool.shutdown(cancel_futures=True)
    wanted: list[Key] = [key for task in tasks for key in task.keys]
    return [done[key] for key in wanted if key in done], list(skipped)


def _run_task(task: Task[Row], keys: Sequence[Key]) -> list[Row]:
    return list(task.run(keys))


def _write(result: Reproduction[Any], output: Path) -> None:
    name, summary = result.experiment.name, result.table
    headings = [field.name for field in fields(PrintedComparison)]
    comparisons = [asdict(row) for row in result.comparisons]
    if summary:
        write_table(output / f"{name}.csv", list(summary[0]), summary)
        write_table(output / f"{name}-printed.csv", headings, comparisons)
    else:
        write_table(output / f"{name}.csv", headings, comparisons)
    for file_name, text in {f"{name}.md": to_markdown(result.comparisons), **result.drawings}.items():
        with atomic_path(output / file_name) as temporary:
            temporary.write_text(text, encoding="utf-8")
