"""What came out of experiments, in one file: the page of all experiments and the docs are made of it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from microagg.datasets.benchmark import data_folders
from microagg.errors import FileProblem
from microagg.files.atomic import atomic_path
from microagg.reproduce.comparison import PrintedComparison, ResultTable
from microagg.reproduce.experiment import Reproduction

DIGITS = 6
"""Significant digits of the numbers in the file: more than anybody prints, and the same on another processor."""


@dataclass(frozen=True)
class ExperimentResult:
    """What came out of an experiment, without its rows: numbers, tables, names of drawings, and what was skipped."""

    settings: Mapping[str, Any]
    comparisons: tuple[PrintedComparison, ...]
    tables: tuple[ResultTable, ...]
    figures: tuple[str, ...]
    skipped: tuple[str, ...]


Results = dict[str, ExperimentResult]
"""By the names of the experiments."""


def result_of(reproduction: Reproduction[Any]) -> ExperimentResult:
    """Take what is published from what was run; folders are not."""
    experiment = reproduction.experiment
    return ExperimentResult(
        {s.name: reproduction.chosen[s.name] for s in experiment.settings if s.form != "folder"},
        tuple(_rounded(row) for row in reproduction.comparisons),
        tuple(experiment.further(reproduction.rows)) if reproduction.rows else (),
        tuple(reproduction.drawings),
        tuple(_without_folders(reason) for reason in reproduction.skipped),
    )


def write_results(path: Path, results: Results) -> None:
    """Write results as JSON, a line for each number, so that two versions can be compared."""
    parts = []
    for name, result in results.items():
        head = {"settings": result.settings, "figures": result.figures, "skipped": result.skipped}
        written = [f" {_line(key)}: {_line(value)}" for key, value in head.items()]
        for key, lines in (("tables", result.tables), ("comparisons", result.comparisons)):
            body = ",\n".join(f"  {_line(asdict(one))}" for one in lines)
            written.append(f" {_line(key)}: [\n{body}\n ]" if body else f" {_line(key)}: []")
        parts.append(f"{_line(name)}: {{\n" + ",\n".join(written) + "\n}")
    with atomic_path(path) as temporary:
        temporary.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def read_results(path: Path) -> Results:
    """Read what `write_results` has written; nothing where there is no file."""
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {
            name: ExperimentResult(
                {key: _as_given(value) for key, value in result["settings"].items()},
                tuple(_comparison(row) for row in result["comparisons"]),
                tuple(
                    ResultTable(table["title"], tuple(table["headings"]), tuple(map(tuple, table["rows"])))
                    for table in result["tables"]
                ),
                tuple(result["figures"]),
                tuple(result["skipped"]),
            )
            for name, result in content.items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileProblem(
            f"{path} does not hold results of experiments. Move it away or name another folder."
        ) from error


def _without_folders(reason: str) -> str:
    """Name the folders in a reason by what they are for: where they lie is nobody else's business."""
    named = os.environ.get("MICROAGG_DATA")
    for folder in data_folders():
        reason = reason.replace(str(folder), "MICROAGG_DATA" if named and folder == Path(named) else "the cache")
    return reason


def _rounded(row: PrintedComparison) -> PrintedComparison:
    numbers: dict[str, Any] = {name: value for name, value in asdict(row).items() if isinstance(value, float)}
    rounded: dict[str, Any] = {name: float(f"{value:.{DIGITS}g}") for name, value in numbers.items()}
    return replace(row, **rounded)


def _line(value: Any) -> str:
    def plain(one: Any) -> Any:
        if isinstance(one, float) and math.isnan(one):
            return None
        if isinstance(one, Mapping):
            return {key: plain(each) for key, each in one.items()}
        return [plain(each) for each in one] if isinstance(one, list | tuple) else one

    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False)


def _as_given(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _comparison(row: Mapping[str, Any]) -> PrintedComparison:
    numbers = {field.name for field in fields(PrintedComparison) if field.type == "float"}
    values: dict[str, Any] = {k: math.nan if v is None and k in numbers else v for k, v in row.items()}
    return PrintedComparison(**values)
