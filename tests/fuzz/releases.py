"""Generated tables x methods x options x frames x formats: the judge counts what comes out."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fuzz import judge
from fuzz.generators import FRAMES, TEXT, TYPED, Sample, chance_of, sample, write_file
from fuzz.parts import Failure, Outcome, Told, attempt, command, files_in, temporary_place

NAME = "releases"
DECLARED = (98.0, 99.0)
NEAR = 1e-6


def run(numbers: Iterable[int], folder: Path) -> Iterator[Told]:
    for number in numbers:
        place = folder / str(number)
        place.mkdir(parents=True)
        with temporary_place(place):
            yield number, *case(number, place)


def case(number: int, folder: Path) -> tuple[str, list[Failure]]:
    import microagg as ma

    chance = chance_of(NAME, number)
    made = sample(chance, ma.METHODS)
    way = chance.choice(["frame", "frame", "file", "file", "command"])
    if way == "frame":
        return frame_case(chance, made)
    came = chance.choice([*TEXT * 3, *TYPED])
    went = chance.choice([came, came, *TEXT, *TYPED])
    streams = {came, went} <= {*TEXT, ".parquet"} and all(c.kind not in ("text", "truth") for c in made.of("quasi"))
    if streams and way == "file" and chance.random() < 0.5:
        for option in ("suppress", "outliers", "kinds"):
            made.options.pop(option, None)
        if made.options.get("missing") == "impute-any-share":
            made.options["missing"] = "drop"
        if made.options["method"] != "auto" and ma.METHODS[made.options["method"]].takes != "numbers":
            made.options["method"] = "mdav"
        made.options["memory"] = "1MB"
    return file_case(chance, made, folder, way, came, went)


def frame_case(chance: Any, made: Sample) -> tuple[str, list[Failure]]:
    import microagg as ma

    kind = chance.choice(list(FRAMES))
    try:
        frame = FRAMES[kind](chance, made)
    except Exception as error:  # noqa: BLE001 - a frame that cannot exist is no case
        return f"no case ({type(error).__name__})", []
    before = judge.frame_cells(frame)
    outcome = attempt(lambda: ma.anonymize(frame, **made.asked()))
    failures = list(outcome.failures or ())
    if outcome.result is None:
        return "refused", failures
    if judge.frame_cells(frame) != before:
        failures.append(Failure("input_changed", f"the {kind} frame that was given"))
    data = outcome.result.data
    if type(data) is not type(frame):
        failures.append(Failure("other_frame", f"{type(frame)} became {type(data)}"))
    failures += metadata(data, made)
    failures += judged(judge.frame_cells(data), made, before)
    return "released", failures


def metadata(data: Any, made: Sample) -> list[Failure]:
    """What a frame carries beside its values."""
    cells = judge.frame_cells(data)
    released = {judge.text_of(c) for column in cells.values() for c in column}
    found = []
    if hasattr(data, "attrs"):
        labels = [text for entry in data.index for text in (entry if isinstance(entry, tuple) else [entry])]
        found += [("index", text) for text in labels if text in made.secrets]
        found += [("attrs", str(text)) for text in data.attrs.values() if text in made.secrets]
        import pandas as pd

        if not isinstance(data.index, pd.RangeIndex):
            found.append(("index", "an index that was given"))
        for name in data.columns:
            if isinstance(data[name].dtype, pd.CategoricalDtype):
                unused = {str(c) for c in data[name].cat.categories} - {judge.text_of(c) for c in cells[name]}
                found += [("levels", level) for level in sorted(unused)[:1]]
    elif hasattr(data, "to_pylist"):
        kept = repr(data.schema.metadata)
        found += [("schema", word) for word in made.secrets if word in kept and word not in released]
        for name in data.column_names:
            array = data.column(name).combine_chunks()
            if hasattr(array, "dictionary"):
                unused = set(map(str, array.dictionary.to_pylist())) - released
                found += [("levels", level) for level in sorted(unused)[:1]]
    else:
        import polars as pl

        for column in data.get_columns():
            if isinstance(column.dtype, pl.Enum):
                found += [("levels", level) for level in column.dtype.categories if level not in released][:1]
    return [Failure(f"metadata:{what}", f"{text!r}") for what, text in found[:2]]


def file_case(chance: Any, made: Sample, folder: Path, way: str, came: str, went: str) -> tuple[str, list[Failure]]:
    import microagg as ma

    source = folder / f"input{came}"
    try:
        made = write_file(chance, made, source)
    except Exception as error:  # noqa: BLE001 - a file that cannot exist is no case
        return f"no case ({type(error).__name__})", []
    target = folder / f"released{went}"
    before = judge.read(source) if came == went and came in TEXT else None
    there = files_in(folder)
    asked = made.asked()
    if way == "command":
        outcome = by_command(source, target, made)
    else:
        asked.setdefault("memory", "unlimited")
        outcome = attempt(lambda: ma.anonymize_file(source, target, **asked))
    failures = list(outcome.failures or ())
    refused = outcome.result is None
    # A release that lives keeps its private folder; one that is gone leaves nothing.
    outcome.result = None
    if refused and target.exists():
        failures.append(Failure("left_behind", "a release that was refused was written"))
    gc.collect()
    left = files_in(folder) - there - {target}
    if left:
        failures.append(Failure("left_behind", ", ".join(sorted(path.name for path in left))[:200]))
    if refused or not target.exists():
        return "refused", failures
    try:
        cells = judge.read(target)
    except Exception as error:  # noqa: BLE001 - whatever the other library says
        return "released", [*failures, Failure(f"unreadable:{went}", f"{type(error).__name__} {error!s:.200}")]
    released = [judge.text_of(c) for column in cells.values() for c in column]
    for word in judge.secrets_in(judge.content(target), made.secrets, released)[:1]:
        failures.append(Failure(f"metadata:{went}", f"{word!r} of the input is in the file"))
    if went in (".sav", ".zsav", ".dta", ".xpt", ".xlsx") and set(made.names("quasi")) - set(cells):
        return "released", [*failures, Failure("names", f"columns are called {list(cells)}")]
    return "released", failures + judged(cells, made, before, typed=went)


def by_command(source: Path, target: Path, made: Sample) -> Outcome:
    """The same through the command line; names with commas cannot be written there."""
    asked = made.asked()
    names = [name for key in ("quasi", "identifiers", "confidential", "by") for name in asked[key]]
    if any("," in name or "=" in name or name.startswith((" ", "-")) or name.strip() != name for name in names):
        return Outcome(refused="not asked")
    arguments = ["anonymize", str(source), "-o", str(target), "-k", str(made.k), "--json"]
    for flag, key in (
        ("--quasi", "quasi"),
        ("--drop", "identifiers"),
        ("--confidential", "confidential"),
        ("--by", "by"),
    ):
        if asked[key]:
            arguments += [flag, ",".join(asked[key])]
    for key in ("method", "refine", "missing", "suppress", "outliers", "aggregate", "weights"):
        if key in asked:
            arguments += [f"--{key}", str(asked[key])]
    arguments += [f"--option=iterations={asked['iterations']}"] if "iterations" in asked else []
    arguments += ["--shuffle"] if asked.get("shuffle") else []
    arguments += [] if asked.get("standardise", True) else ["--raw"]
    for name, kind in asked.get("kinds", {}).items():
        arguments += ["--kind", f"{name}={kind}"]
    arguments += [f"--recode={name}={step}" for name, given in asked.get("recode", {}).items() for step in given]
    rounding = asked.get("round")
    if rounding is True:
        arguments.append("--round")
    for name, digits in (rounding or {}).items() if isinstance(rounding, dict) else ():
        arguments += ["--round-column", f"{name}={digits}"]
    for name, weight in asked.get("column_weights", {}).items():
        arguments += ["--column-weight", f"{name}={weight}"]
    outcome = attempt(lambda: command(*arguments))
    printed = outcome.result
    if printed is None:
        return outcome
    failures = outcome.failures or []
    if "Traceback" in printed.err:
        failures.append(Failure(f"traceback:{printed.err.strip().splitlines()[-1][:60]}@command", printed.err[-300:]))
    if printed.code not in (0, 1, 2):
        failures.append(Failure("exit_code", str(printed.code)))
    if printed.code != 0:
        if not printed.err.strip():
            failures.append(Failure("silent", f"exit code {printed.code} and not a word"))
        outcome.refused, outcome.result = printed.err, None
    outcome.failures = failures
    return outcome


def judged(cells: judge.Cells, made: Sample, before: judge.Cells | None, *, typed: str = "") -> list[Failure]:
    """All that must hold of a release."""
    quasi, by = made.names("quasi"), made.names("by")
    texts: list[str] = []
    per_column = made.options.get("method") == "individual"
    if not per_column:  # such a release says itself that it is not k-anonymous, and is not written
        texts += judge.problems_of_k(cells, quasi, by, made.k, DECLARED)
    if made.options.get("missing") != "value" and made.options.get("method") != "blank":
        texts += judge.not_finite(cells, [column.name for column in made.of("quasi") if not may_look_missing(column)])
    texts += [f"identifier_released: {name!r}" for name in made.names("identifier") if name in cells]
    rows = [int(float(judge.text_of(c))) for c in cells["row"]]
    if len(set(rows)) < len(rows) or not set(rows) <= set(range(made.n)):
        texts.append("rows: some records are there twice, or are no records of the input")
        return [Failure.of(text) for text in texts]
    if not made.options.get("shuffle") and rows != sorted(rows):
        texts.append("order: rows are not in the order of the input")
    expected = list(range(made.n))
    if made.options.get("missing") == "drop":
        expected = [i for i in expected if all(column.values[i] is not None for column in made.of("quasi"))]
    lost = set(expected) - set(rows)
    if set(rows) - set(expected) or len(lost) > made.options.get("suppress", 0.0) * len(expected):
        texts.append(f"records: {len(rows)} of {len(expected)} came out")
    if before is not None:
        for name in made.names("confidential", "weights"):
            if [before[name][i] for i in rows] != cells[name] and typed in ("", *TEXT):
                same = [judge.text_of(before[name][i]) for i in rows] == [judge.text_of(c) for c in cells[name]]
                texts += [] if same else [f"untouched: column {name!r} is not what it was"]
    for name in by:
        column = next(column for column in made.columns if column.name == name)
        if typed in ("", *TEXT) and before is not None:
            loosely = [judge.plain(before[name][i]) for i in rows] == [judge.plain(c) for c in cells[name]]
            texts += [] if loosely else [f"strata_changed: {column.name!r}"]
    if not per_column and not texts:  # what is wrong already would be found wrong again
        texts += common_values(cells, made, rows)
    return [Failure.of(text) for text in texts]


def may_look_missing(column: Any) -> bool:
    """What stands for a missing number is a text like any other in a column of text, or where there is nothing else."""
    present = [value for value in column.values if value is not None]
    return not present or (column.kind == "text" and any(judge.plain(value) is None for value in present))


def common_values(cells: judge.Cells, made: Sample, rows: list[int]) -> list[str]:
    """What a class releases must lie among what its records had; and must not be one record's by its weight."""
    quasi = made.names("quasi")
    groups: dict[tuple[Any, ...], list[int]] = {}
    for position, key in enumerate(zip(*(cells[name] for name in [*quasi, *made.names("by")]), strict=True)):
        groups.setdefault(key, []).append(position)
    found = []
    rounding = made.options.get("round", {})
    weights = made.of("weights")
    for column in made.of("quasi"):
        coded = column.name in {**made.options.get("kinds", {}), **made.options.get("recode", {})}
        if (
            column.kind not in ("number", "whole", "decimal")
            or coded
            or rounding is True
            or column.name in (rounding or {})
        ):
            continue
        present = [float(value) for value in column.values if value is not None]
        if not present:
            continue
        middle = sorted(present)[(len(present) - 1) // 2 : len(present) // 2 + 1]
        for members in groups.values():
            raw = [column.values[rows[i]] for i in members]
            values = [float(value) for value in raw if value is not None] + middle * (None in raw)
            released = judge.plain(cells[column.name][members[0]])
            if made.options.get("missing") == "value" and None in raw:
                found += [] if released is None else [f"invented: {column.name!r} of {len(members)} records"]
                continue
            if (made.options.get("missing") == "value" or made.options.get("method") == "blank") and released is None:
                continue  # blanked, so that k records lack the same
            low, high = min(values), max(values)
            slack = NEAR * max(abs(low), abs(high))
            if not isinstance(released, float) or not low - slack <= released <= high + slack:
                found.append(f"not_between: {column.name!r} of {len(members)} records")
                break
            if weights and None not in raw and made.options.get("aggregate") != "median":
                step = 1.0 if all(value.is_integer() for value in present) else 0.0
                found += dominated([float(weights[0].values[rows[i]]) for i in members], values, released, step)
    return found[:2]


def dominated(shares: list[float], values: list[float], released: float, step: float = 0.0) -> list[str]:
    """The (1, 50%) rule: no record has more than half of the weight of a weighted mean; means are rounded to a step."""
    top = max(shares)
    if not top or sum(share / top for share in shares) >= 2.0 - 1e-9 or max(values) == min(values):
        return []
    weighted = math.fsum(s / top * v for s, v in zip(shares, values, strict=True)) / sum(s / top for s in shares)
    even = math.fsum(v / len(values) for v in values)
    near = NEAR * (max(values) - min(values))
    if abs(weighted - even) > near + step / 2.0 and abs(released - weighted) <= near:
        return ["dominant_weight: one record has more than half of the weight of its group"]
    return []
