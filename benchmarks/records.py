"""The lowest loss known of each kind of data, size and k: measures `fast`, keeps what is lower, says what changed.

    python benchmarks/records.py                                  # make records: what changed; writes the table
    python benchmarks/records.py --records 10000,100000 --k 3,10  # measures these, and keeps what is lower
    python benchmarks/records.py --records 1000000 --data gaussian --k 3,10 --effort normal

Columns are standardised; the loss is 100 * SSE / SST. CPU seconds are those of all threads. The records of the papers'
data come from benchmarks/best.py, the lowest losses that are printed from the papers.
"""

from __future__ import annotations

import resource
import time

import click
import numpy as np
import results

from microagg import information_loss
from microagg.base.effort import EFFORTS
from microagg.base.types import FloatArray
from microagg.datasets import census_like, clustered, gaussian
from microagg.partition import partition
from microagg.prepare.scale import standardise

COLUMNS = 13


def heavy_tailed(n: int) -> FloatArray:
    return np.random.default_rng(0).standard_t(3, size=(n, COLUMNS))


def with_ties(n: int) -> FloatArray:
    return np.round(2.0 * gaussian(n, COLUMNS, seed=0))


DATA = {
    "gaussian": lambda n: gaussian(n, COLUMNS, seed=0),
    "census_like": lambda n: census_like(n, seed=0),
    "clustered": lambda n: clustered(n, COLUMNS, max(1, n // 100), seed=0),
    "heavy_tailed": heavy_tailed,
    "integers": with_ties,
}


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(data: str, n: int, k: int, effort: str) -> list[results.Figure]:
    """Give what is to be kept: the loss of MDAV, and of `fast` where it is the lowest so far."""
    X = standardise(DATA[data](n))
    name, source = results.shape(data, n, COLUMNS), f"benchmarks/records.py on {time.strftime('%Y-%m-%d')}"
    known = results.read()
    new = []
    if ("record: mdav, loss %", name, str(k)) not in known:
        loss = information_loss(X, partition(X, k, method="mdav"))
        new.append(results.Figure("record: mdav, loss %", name, str(k), f"{loss:.4f}", source))
    start = cpu_seconds()
    loss = information_loss(X, partition(X, k, method="fast", effort=effort))
    seconds = cpu_seconds() - start
    before = results.value(known, "record: loss %", name, k)
    if not before or loss < float(before):
        print(
            f"{name}, k = {k}: {before or 'nothing'} -> {loss:.4f} by fast, {effort}, {seconds:.1f} CPU s", flush=True
        )
        shown = {"loss %": f"{loss:.4f}", "CPU s": f"{seconds:.1f}", "how": f"fast, {effort}"}
        new += [results.Figure(f"record: {what}", name, str(k), each, source) for what, each in shown.items()]
    return new


@click.command(help=__doc__)
@click.option("--data", default=",".join(DATA), show_default=True)
@click.option("--records", default="", help="How many; nothing is measured without.")
@click.option("--k", "ks", default="2,3,5,10,20,50", show_default=True)
@click.option("--effort", type=click.Choice(EFFORTS), default="normal", show_default=True)
def main(data: str, records: str, ks: str, effort: str) -> None:
    for n in [int(each) for each in records.split(",") if each]:
        for name in data.split(","):
            for k in map(int, ks.split(",")):
                results.record(measure(name, n, k, effort))
    for line in results.changes_of("records"):
        print(line)
    results.write_docs()


if __name__ == "__main__":
    main()
