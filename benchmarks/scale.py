"""A million records and more: `fast` beside MDAV, paths and mixed data, and files larger than memory.

    python benchmarks/scale.py --record            # make scale: fast on 10^5, 10^6 and 10^7 records
    python benchmarks/scale.py --others --record   # hm2 and compress beside univariate, and mixed beside mdav_generic
    python benchmarks/scale.py --others --million --threads 2 --wall --out there.csv   # on an idle machine elsewhere,
    python benchmarks/results.py there.csv                                             # and into the docs here
    python benchmarks/scale.py --outofcore         # a CSV of 5 * 10^6 x 8 within 500 MB, and in memory
    python benchmarks/scale.py --outofcore --records 1000000 --memory 200MB --method mdav

Each case runs in a process of its own: its peak memory is its own, with the interpreter and the data. CPU seconds are
those of all threads; on a busy machine they tell more than the clock. The loss is 100 * SSE / SST.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import click
import numpy as np
import results
from case import peak_bytes
from categories import loss
from rich.console import Console
from rich.table import Table

from microagg import anonymize_file, information_loss
from microagg.datasets import census_like, gaussian
from microagg.io import from_arrays, write
from microagg.partition import partition
from microagg.prepare.scale import standardise
from microagg.semantic import Attribute, Hierarchy, hierarchical, nominal, numeric, ordinal

K = 10
PATHS = ("univariate", "hm2", "compress")
MIXED = ("nominal", "taxonomy", "names")
"""Numbers and names; the same with ranks and a tree; names alone."""
VALUES = (5, 8, 15, 40)
"""Of the columns of categories in mixed data."""
CASES = (
    ("gaussian", 100_000, 13, "mdav"),
    ("gaussian", 100_000, 13, "fast"),
    ("gaussian", 1_000_000, 13, "mdav"),
    ("gaussian", 1_000_000, 13, "fast"),
    ("census_like", 100_000, 13, "mdav"),
    ("census_like", 100_000, 13, "fast"),
    ("census_like", 1_000_000, 13, "mdav"),
    ("census_like", 1_000_000, 13, "fast"),
    ("gaussian", 10_000_000, 4, "fast"),
)
"""Data, records, columns, method."""
OTHERS = (
    *((data, n, 13, method) for n in (100_000, 1_000_000) for data in ("gaussian", "census_like") for method in PATHS),
    *((data, n, 8, method) for n in (10_000, 100_000) for data in MIXED for method in ("mdav_generic", "mixed")),
    *((data, 1_000_000, 8, "mixed") for data in MIXED),
)
"""The same of other methods: those that cut an order beside `univariate`, and mixed data."""
PLAIN = ("univariate", "mdav_generic")
"""What these are compared with."""
COLUMNS = 8
"""Of the file that is larger than memory."""


def records_of(data: str, n: int, m: int) -> np.ndarray:
    return standardise(gaussian(n, m, seed=0) if data == "gaussian" else census_like(n, seed=0))


def mixed_records(n: int, data: str) -> tuple[np.ndarray, list[Attribute]]:
    """Make up four columns of numbers and four of categories that hang together, or eight of these.

    With a taxonomy, one column of categories is a tree, and one is ordinal.
    """
    random = np.random.default_rng(0)
    hidden = random.normal(size=(n, 3))
    columns, attributes = [], []
    if data != "names":
        columns = [hidden @ random.normal(size=3) + 0.7 * random.normal(size=n) for _ in range(4)]
        columns[3] = np.round(20.0 + 15.0 * np.abs(columns[3]))
        attributes = [numeric()] * 4
    for size in VALUES if data != "names" else 2 * VALUES:
        place = hidden @ random.normal(size=3) + 0.8 * random.normal(size=n)
        borders = np.quantile(place, np.cumsum(random.dirichlet(np.full(size, 1.5)))[:-1])
        columns.append(np.searchsorted(borders, place).astype(float))
        attributes.append(nominal([f"{value:02}" for value in range(size)]))
    if data == "taxonomy":
        leaves = [f"{value:02}" for value in range(VALUES[-1])]
        edges = [(leaf, f"branch {place // 8}") for place, leaf in enumerate(leaves)]
        tree = Hierarchy.from_edges([*edges, *((branch, "all") for branch in sorted({branch for _, branch in edges}))])
        attributes[5], attributes[7] = ordinal(attributes[5].names), hierarchical(tree)
        columns[7] = np.array([attributes[7].code[leaf] for leaf in leaves], dtype=float)[columns[7].astype(int)]
    return np.column_stack(columns), attributes


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def group(data: str, n: int, m: int, method: str, threads: int | None) -> dict[str, float]:
    """Partition records that lie in memory."""
    X, attributes = mixed_records(n, data) if data in MIXED else (records_of(data, n, m), None)
    options = {} if attributes is None else {"attributes": attributes}
    start, cpu = time.perf_counter(), cpu_seconds()
    labels = partition(X, K, method=method, threads=threads, **options)
    seconds, cpu = time.perf_counter() - start, cpu_seconds() - cpu
    peak = peak_bytes()
    lost = information_loss(X, labels) if attributes is None else loss(X, labels, attributes)
    return {"seconds": seconds, "cpu": cpu, "peak_bytes": peak, "loss": lost}


def release(source: str, target: str, method: str, memory: str) -> dict[str, float]:
    """Take a file through the whole flow."""
    start, cpu = time.perf_counter(), cpu_seconds()
    done = anonymize_file(source, target, K, method=method, memory=memory)
    seconds, cpu = time.perf_counter() - start, cpu_seconds() - cpu
    return {
        "seconds": seconds,
        "cpu": cpu,
        "peak_bytes": peak_bytes(),
        "loss": done.information_loss,
        **{f"seconds_{step}": value for step, value in done.seconds.items()},
    }


def measured(function: str, *arguments: object) -> dict[str, float]:
    """Run one of the functions above in a process of its own."""
    command = [sys.executable, __file__, "--case", json.dumps([function, *arguments])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def in_memory(
    console: Console, cases: Iterable[tuple[str, int, int, str]], threads: int | None
) -> list[dict[str, object]]:
    """Measure methods, with the ratio of their loss to that of a plain one, and their growth over n log n."""
    rows: list[dict[str, object]] = []
    known: dict[tuple[str, int, str], dict[str, float]] = {}
    for data, n, m, method in cases:
        with console.status(f"{method}, {data} {n} x {m}"):
            result = known[data, n, method] = measured("group", data, n, m, method, threads)
        row: dict[str, object] = {"data": data, "records": n, "columns": m, "method": method, **result}
        if method != "mdav" and (data, n, "mdav") in known:
            row["less_than_mdav"] = 100.0 * (1.0 - result["loss"] / known[data, n, "mdav"]["loss"])
        plain = known.get((data, n, "univariate"), known.get((data, n, "mdav_generic")))
        if plain is not None and method not in PLAIN:
            row["of_plain"] = result["loss"] / plain["loss"]
        before = known.get((data, n // 10, method))
        if before is not None:
            row["growth"] = result["cpu"] / before["cpu"] / (10.0 * math.log(n) / math.log(n // 10))
        rows.append(row)
    return rows


def out_of_core(console: Console, n: int, memory: str, method: str) -> list[dict[str, object]]:
    """Measure a file that is worked on cell by cell, and the same in memory."""
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "records.csv")
        X = gaussian(n, COLUMNS, seed=0)
        write(from_arrays({f"x{j}": X[:, j] for j in range(COLUMNS)}), source)
        del X
        for allowed in ("unlimited", memory):
            with console.status(f"{method}, {n} x {COLUMNS}, memory {allowed}"):
                result = measured("release", str(source), str(Path(folder, "released.csv")), method, allowed)
            rows.append({"memory": allowed, "records": n, "columns": COLUMNS, "method": method, **result})
        rows[1]["file_bytes"] = source.stat().st_size
    rows[1]["more_than_in_memory"] = 100.0 * (float(rows[1]["loss"]) / float(rows[0]["loss"]) - 1.0)
    return rows


def digits(value: object, count: int = 3) -> str:
    """Write a number with so many digits that count, and no fewer than it has before the point."""
    number = float(str(value))
    before = max(1, math.floor(math.log10(abs(number))) + 1) if number else 1
    return f"{number:,.{max(0, count - before)}f}"


def figures_of(rows: list[dict[str, object]], wall: bool) -> dict[tuple[str, str, int], str]:
    """Give what the tables of the docs show."""
    figures: dict[tuple[str, str, int], str] = {}
    for row in rows:
        data = results.shape(str(row.get("data", "gaussian")), int(str(row["records"])), int(str(row["columns"])))
        seconds, cpu, lost = digits(row["seconds"]), digits(row["cpu"]), digits(row["loss"], 4)
        peak = f"{float(str(row['peak_bytes'])) / 2**20:,.0f}"
        if "memory" in row:
            shown = {"CPU s": cpu, "peak MB": peak, "loss %": lost}
            figures |= {
                (f"out of core: {row['method']}, {row['memory']}, {what}", data, K): value
                for what, value in shown.items()
            }
            if "file_bytes" in row:
                figures["out of core: file MB", data, K] = f"{float(str(row['file_bytes'])) / 1e6:.0f}"
        elif row["method"] in (*PATHS, "mdav_generic", "mixed"):
            shown = {"CPU s": cpu, "loss %": lost, "peak MB": peak} | ({"s": seconds} if wall else {})
            if "of_plain" in row:
                shown["of plain"] = f"{float(str(row['of_plain'])):.2f}"
            figures |= {(f"scale: {row['method']}, {what}", data, K): value for what, value in shown.items()}
        elif row["method"] == "mdav":
            figures |= {("scale: mdav, s", data, K): seconds, ("scale: mdav, loss %", data, K): lost}
        else:
            shown = {"fast, s": seconds, "fast, CPU s": cpu, "fast, loss %": lost, "peak MB": peak}
            if "less_than_mdav" in row:
                shown["less %"] = f"{float(str(row['less_than_mdav'])):.1f}"
            figures |= {(f"scale: {what}", data, K): value for what, value in shown.items()}
    return figures


def table_of(rows: list[dict[str, object]], title: str) -> Table:
    shown = {
        "data": "data",
        "memory": "memory",
        "records": "records",
        "columns": "columns",
        "method": "method",
        "seconds": "seconds",
        "cpu": "CPU s",
        "peak_bytes": "peak MB",
        "loss": "loss %",
        "less_than_mdav": "less than mdav %",
        "of_plain": "of the plain loss",
        "growth": "growth / (n log n)",
        "more_than_in_memory": "more loss %",
    }
    names = [name for name in shown if any(name in row for row in rows)]
    table = Table(title=title)
    for name in names:
        table.add_column(shown[name], justify="left" if name in ("data", "memory", "method") else "right")
    for row in rows:
        table.add_row(*[cell(name, row.get(name, "")) for name in names])
    return table


def cell(name: str, value: object) -> str:
    if name == "peak_bytes":
        return f"{float(str(value)) / 2**20:,.0f}"
    if isinstance(value, float):
        return f"{value:.4f}" if name == "loss" else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


@click.command()
@click.option("--quick", is_flag=True, help="10^5 records only.")
@click.option("--million", is_flag=True, help="10^6 records only.")
@click.option("--others", is_flag=True, help="hm2, compress and mixed instead.")
@click.option("--only", default="", help="These methods only, separated by commas.")
@click.option("--threads", type=int, help="How many; all processors by default.")
@click.option("--wall", is_flag=True, help="Record the time on the clock of --others too: the machine is idle.")
@click.option("--outofcore", is_flag=True, help="A file larger than memory instead.")
@click.option("--records", type=int, default=5_000_000, show_default=True, help="Of that file.")
@click.option("--memory", default="500MB", show_default=True, help="What the work on it may take.")
@click.option("--method", default="fast", show_default=True, help="How it is grouped.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--record", is_flag=True, help="Put the figures into results.csv and write the tables of the docs anew.")
@click.option("--out", type=click.Path(dir_okay=False), help="Write the figures as rows of results.csv to this file.")
@click.option("--case", hidden=True)
def main(
    quick: bool,
    million: bool,
    others: bool,
    only: str,
    threads: int | None,
    wall: bool,
    outofcore: bool,
    records: int,
    memory: str,
    method: str,
    as_json: bool,
    record: bool,
    out: str | None,
    case: str | None,
) -> None:
    if case is not None:
        function, *arguments = json.loads(case)
        print(json.dumps({"group": group, "release": release}[function](*arguments)))
        return
    console = Console(stderr=True)
    if outofcore:
        rows = out_of_core(console, records, memory, method)
    else:
        cases = [
            each
            for each in (OTHERS if others else CASES)
            if (not quick or each[1] <= 100_000) and (not million or each[1] == 1_000_000)
        ]
        rows = in_memory(console, [each for each in cases if not only or each[3] in only.split(",")], threads)
    if record:
        results.record_all("scale.py", figures_of(rows, wall))
    if out is not None:
        results.write(results.measured_by("scale.py", figures_of(rows, wall)), Path(out))
    if as_json:
        print(json.dumps(rows))
    else:
        title = "A file, cell by cell and in memory" if outofcore else f"Records in memory, k = {K}"
        Console(width=None if sys.stdout.isatty() else 120).print(table_of(rows, title))


if __name__ == "__main__":
    main()
