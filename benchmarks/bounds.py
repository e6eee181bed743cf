"""Print what no partition of the benchmark files is below, beside the best partition, and whether it is proven optimal.

python benchmarks/bounds.py --datasets tarragona --k 3 --seconds 3600 --prove

The search before it (`best`, --best-seconds) gives column generation a partition to improve; where --partitions names
a folder that holds one (tarragona-3.txt: a group number for each record), that one is taken, and a better one is put in
its place. Processor seconds are those of the bound alone. With --record, a bound that is higher and a partition that is
better than those of results.csv take their place there, and the tables of the docs are written anew. With --out, what
came out is added to a file instead, which many processes may do beside each other; afterwards

python benchmarks/bounds.py --merge FILE

records what is better in it.
"""

from __future__ import annotations

import csv
import math
import time
from pathlib import Path

import click
import numpy as np
import results

from microagg import datasets, information_loss
from microagg.bounds import lower_bound
from microagg.partition import partition


def standardised(name: str) -> np.ndarray:
    X = np.column_stack(list(datasets.load(name).values.values()))
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def rounded_down(loss: float) -> str:
    """Write a bound with four digits that are not above it.

    >>> rounded_down(14.46729)
    '14.4672'
    """
    return f"{math.floor(loss * 1e4) / 1e4:.4f}"


@click.command(help="Print lower bounds of the benchmark files, and the partitions that column generation finds.")
@click.option("--datasets", "names", default="census,tarragona,eia", show_default=True)
@click.option("--k", "ks", default="2,3,4,5,6,7,8,9,10", show_default=True)
@click.option("--seconds", default=120.0, show_default=True, help="For each bound.")
@click.option("--best-seconds", default=20.0, show_default=True, help="For the search before each.")
@click.option("--prove", is_flag=True, help="Branch on pairs of records until the bound meets the best partition.")
@click.option("--threads", default=None, type=int)
@click.option("--partitions", type=click.Path(path_type=Path), help="Folder of partitions to begin from, and to keep.")
@click.option("--record", is_flag=True, help="Put figures that are better into results.csv and the docs.")
@click.option("--out", type=click.Path(path_type=Path), help="Add what came out to this file.")
@click.option("--merge", type=click.Path(path_type=Path, exists=True), help="Record what such a file holds; no bounds.")
def main(
    names: str,
    ks: str,
    seconds: float,
    best_seconds: float,
    prove: bool,
    threads: int | None,
    partitions: Path | None,
    record: bool,
    out: Path | None,
    merge: Path | None,
) -> None:
    if merge is not None:
        with merge.open(newline="", encoding="utf-8") as file:
            for name, k, bound, loss, optimal, spent in csv.reader(file):
                keep(name, int(k), float(bound), float(loss), optimal == "optimal", float(spent))
        return
    print(f"{'data':10} {'k':>2}  {'nothing below':>13}  {'partition':>9}  {'between':>8}  {'CPU s':>6}")
    for name in names.split(","):
        X = standardised(name)
        for k in map(int, ks.split(",")):
            kept = None if partitions is None else partitions / f"{name}-{k}.txt"
            if kept is not None and kept.exists():
                labels = np.loadtxt(kept, dtype=np.int64)
            else:
                labels = partition(X, k, method="best", time_limit=best_seconds, seed=0, threads=threads)
            before = time.process_time()
            bound = lower_bound(
                X, k, method="columns", time_limit=seconds, prove=prove, gap=1e-6, upper=labels, threads=threads
            )
            spent = time.process_time() - before
            labels = labels if bound.partition is None else bound.partition
            loss = information_loss(X, labels)
            between = "optimal" if bound.proven_optimal else f"{100 * (1 - bound.loss / loss):.3f}%"
            print(f"{name:10} {k:2}  {bound.loss:13.5f}  {loss:9.5f}  {between:>8}  {spent:6.1f}", flush=True)
            if kept is not None:
                kept.parent.mkdir(parents=True, exist_ok=True)
                np.savetxt(kept, labels, fmt="%d")
            if out is not None:
                with out.open("a", encoding="utf-8") as file:
                    file.write(f"{name},{k},{bound.loss!r},{loss!r},{between},{spent:.1f}\n")
            if record:
                keep(name, k, bound.loss, loss, bound.proven_optimal, spent)


def keep(name: str, k: int, bound: float, loss: float, optimal: bool, spent: float) -> None:
    """Record a bound that is higher, and a partition that is better, than those known."""
    known = results.read()
    new = {}
    if float(results.value(known, "lower bound", name, k) or 0.0) < float(rounded_down(bound)):
        new["lower bound", name, k] = rounded_down(bound)
        new["proof: CPU s", name, k] = f"{spent:.0f}"
    if float(results.value(known, "proof: loss %", name, k) or math.inf) > loss + 5e-5:
        new["proof: loss %", name, k] = f"{loss:.4f}"
    if optimal:
        new["proof: optimal", name, k] = "optimal"
    results.record_all("bounds.py", new)


if __name__ == "__main__":
    main()
