"""`microagg assess`: how exposed is a file as it is."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from microagg import io, risk
from microagg.arrays import check_k
from microagg.cli.console import (
    drop_option,
    file_argument,
    json_option,
    number,
    print_json,
    print_table,
    quasi_option,
    split_names,
    split_quasi,
)
from microagg.errors import InvalidData
from microagg.plan import Plan
from microagg.schema import Role

SHOWN = 10
"""How many of the smallest classes are listed, and how many rows of each."""


@click.command(short_help="Tell the k, the uniques and the smallest groups of a file.")
@file_argument
@quasi_option
@drop_option
@click.option("-k", "--k", "k", type=int, default=3, show_default=True, help="Count the records that violate this k.")
@json_option
def assess(file: str, quasi: str | None, drop: str, k: int, as_json: bool) -> None:
    """Tell how exposed the records of FILE are: its k, its uniques, its smallest groups.

    Records that are equal on all quasi-identifiers form a class; a record in a class of 1 is unique. Columns of any
    kind may be named. Missing values count as equal to each other.
    """
    table = io.read(file, numeric=())
    if table.n_records == 0:
        raise InvalidData(f"{file} has no records.")
    check_k(k, max(2, table.n_records))
    names = split_quasi(quasi)
    plan = Plan(k=k, quasi=None if names is None else tuple(names), identifiers=tuple(split_names(drop)))
    columns = [name for name, role in plan.roles(table.names).items() if role is Role.QUASI]
    classes = risk.equivalence_classes(np.column_stack([table.codes(name) for name in columns]))
    counts = np.bincount(classes)
    sizes = counts[classes]
    smallest = [
        {"size": int(counts[c]), "records": (np.flatnonzero(classes == c)[:SHOWN] + 1).tolist()}
        for c in np.argsort(counts, kind="stable")[:SHOWN]
    ]
    found: dict[str, Any] = {
        "records": table.n_records,
        "quasi": columns,
        "classes": len(counts),
        "violations": {str(bound): int((sizes < bound).sum()) for bound in sorted({2, 3, 5, 10, k})},
        "risks": {name: measure(sizes) for name, measure in risk.RISKS.items()},
        "smallest": smallest,
    }
    found["k"] = int(counts.min())
    found["uniques"] = int((counts == 1).sum())
    if as_json:
        print_json(found)
        return
    print_table(
        [file, ""],
        [
            ["records", number(table.n_records)],
            ["quasi-identifiers", ", ".join(columns)],
            ["different combinations", number(len(counts))],
            ["k", number(int(counts.min()))],
            *[
                [measure.title.lower(), f"{number(measure(sizes))} {measure.unit}".strip()]
                for measure in risk.RISKS.values()
                if measure.name != "smallest_class"
            ],
            *[[f"records that violate {bound}-anonymity", number(n)] for bound, n in found["violations"].items()],
        ],
    )
    click.echo()
    print_table(
        ["Smallest groups", "records (row numbers)"],
        [[number(group["size"]), ", ".join(map(str, group["records"]))] for group in smallest],
    )
