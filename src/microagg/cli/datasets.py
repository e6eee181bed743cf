"""`microagg datasets`: example and benchmark data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np

from microagg import datasets as data
from microagg import io
from microagg.cli.console import json_option, number, print_json, print_table
from microagg.errors import InvalidOption


@click.command(short_help="List example data, or write one to a file.")
@click.argument("name", required=False)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Where to write it; the name says the format.")
@click.option("--records", type=int, default=1000, show_default=True, help="For generated data: how many records.")
@click.option("--columns", type=int, default=4, show_default=True, help="For generated data: how many columns.")
@click.option("--seed", type=int, default=0, show_default=True, help="For generated data: what they follow from.")
@json_option
def datasets(name: str | None, output: str | None, records: int, columns: int, seed: int, as_json: bool) -> None:
    """List the data that come with the package or can be fetched; with NAME and -o, write one to a file.

    \b
    microagg datasets patients -o patients.csv
    microagg datasets census_like --records 100000 -o large.csv
    """
    if name is None:
        _list(as_json)
        return
    if output is None:
        raise InvalidOption("name a file with -o to write the data to.")
    io.format_of(output)
    values = data.generate(name, records, m=columns, seed=seed) if name in data.GENERATORS else data.load(name).values
    io.write(io.from_arrays({column: _stored(array) for column, array in values.items()}), Path(output))
    written = len(next(iter(values.values())))
    if as_json:
        print_json({"name": name, "records": written, "columns": list(values), "output": output})
    else:
        click.echo(f"{name}: {written:,} records x {len(values)} columns, written to {output}")


def _list(as_json: bool) -> None:
    described: Mapping[str, Any] = {
        entry.name: {
            "title": entry.title,
            "description": entry.description,
            "records": entry.n_records,
            "columns": len(entry.columns),
            "source": entry.source,
        }
        for entry in data.DATASETS.values()
    }
    if as_json:
        print_json({**described, **{name: {"description": text} for name, text in data.GENERATORS.items()}})
        return
    print_table(
        ["dataset", "what it is", "records", "columns"],
        [
            [name, entry["description"], number(entry["records"]), number(entry["columns"])]
            for name, entry in described.items()
        ]
        + [[name, text, "any", "13" if name == "census_like" else "any"] for name, text in data.GENERATORS.items()],
    )


def _stored(array: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    """Write whole numbers without a decimal point, and text as Python text."""
    if array.dtype.kind == "f" and np.array_equal(array, np.rint(array)):
        return array.astype(np.int64)
    return array if array.dtype.kind == "f" else array.astype(object)
