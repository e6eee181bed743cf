"""The command line that makes the release of a plan, to be copied into a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from microagg.partition import METHODS
from microagg.plan import Plan
from microagg.semantic.hierarchy import Hierarchy


def command_of(plan: Plan, source: str = "INPUT", target: str = "OUTPUT") -> str:
    """Write a plan as a call of `microagg anonymize`.

    >>> command_of(Plan(k=3, quasi=("age", "net, pay"), method="mdav"), "people.csv", "out.csv")
    'microagg anonymize people.csv -k 3 --quasi \\'age,"net, pay"\\' --method mdav --seed 0 -o out.csv'
    """
    words = ["microagg", "anonymize", source, "-k", str(plan.k)]
    words += ["--quasi", _join(plan.quasi) if plan.quasi is not None else "*"]
    for flag, names in (("--drop", plan.identifiers), ("--confidential", plan.confidential), ("--by", plan.by)):
        if names:
            words += [flag, _join(names)]
    if plan.weights is not None:
        words += ["--weights", plan.weights]
    for name, kind in plan.kinds.items():
        words += ["--kind", f"{name}={_kind(kind)}"]
    words += ["--method", plan.method]
    if plan.refine is not None:
        words += ["--refine", plan.refine]
    for name, value in plan.refine_options.items():
        words += ["--refine-option", f"{name}={value}"]
    for name, value in plan.options.items():
        words += ["--option", f"{name}={value}"]
    for name, weight in plan.column_weights.items():
        words += ["--column-weight", f"{name}={weight}"]
    if not plan.standardise:
        words += ["--raw"]
    if plan.aggregate != "mean":
        words += ["--aggregate", plan.aggregate]
    if plan.centroid != "semantic":
        words += ["--centroid", plan.centroid]
    if plan.suppress:
        words += ["--suppress", str(plan.suppress)]
    if plan.outliers != "group":
        words += ["--outliers", plan.outliers]
    if plan.suppress or plan.outliers != "group":
        words += ["--beyond", str(plan.beyond)]
    if plan.missing != "refuse":
        words += ["--missing", plan.missing]
    words += _rounding(plan)
    if plan.bound is not None:
        words += ["--bound", str(plan.bound)]
    if plan.shuffle:
        words += ["--shuffle"]
    words += ["--seed", str(plan.seed), "-o", target]
    if plan.method in METHODS and METHODS[plan.method].per_column:
        words += ["--accept-not-k-anonymous"]
    return shlex.join(words)


def _join(names: Sequence[str]) -> str:
    """Join names by commas; one that a comma or a space would tear apart is quoted."""
    return ",".join(
        '"' + name.replace('"', '""') + '"' if "," in name or name != name.strip() or name.startswith('"') else name
        for name in names
    )


def _rounding(plan: Plan) -> list[str]:
    if isinstance(plan.round, bool):
        return ["--round"] if plan.round else []
    digits = plan.round if isinstance(plan.round, Mapping) else dict.fromkeys(plan.round, 0)
    return [word for name, count in digits.items() for word in ("--round-column", f"{name}={count}")]


def _kind(kind: Any) -> str:
    """Write what --kind takes; a hierarchy in memory stands in no file that we know of."""
    if isinstance(kind, str):
        return kind
    return "hierarchy:FILE" if isinstance(kind, Hierarchy) else f"ordinal:{','.join(map(str, kind))}"
