"""The lowest loss known of each kind of data, size and k: measures `fast`, keeps what is lower, says what changed.

    python benchmarks/records.py                                  # make records: what changed; writes the table
    python benchmarks/records.py --records 10000,100000 --k 3,10  # measures these, and keeps what is lower
    python benchmarks/records.py --records 1000000 --data gaussian --k 3,10 --effort normal
    python benchmarks/records.py --records 10000 --data heavy_tailed --columns 2,30 --k 3,50   # beside MDAV alone
    python benchmarks/records.py --records 10000 --data heavy_tailed --columns 2 --k 3 --bound 240   # and what is least

Columns are standardised; the loss is 100 * SSE / SST. CPU seconds are those of all threads. What is measured is printed
beside MDAV, whose labels are the same on a graphics card (--mdav-on cuda). The table of records holds data of 13
columns, the one beside MDAV any number. The records of the papers' data come from benchmarks/best.py, the lowest losses
that are printed from the papers.
"""

from __future__ import annotations

import itertools
import resource
import time

import click
import numpy as np
import results

from microagg import information_loss
from microagg.base.effort import EFFORTS
from microagg.base.types import FloatArray
from microagg.bounds import lower_bound
from microagg.datasets import census_like, clustered, gaussian
from microagg.partition import partition
from microagg.prepare.scale import standardise

COLUMNS = 13


def heavy_tailed(n: int, m: int) -> FloatArray:
    return np.random.default_rng(0).standard_t(3, size=(n, m))


def with_ties(n: int, m: int) -> FloatArray:
    return np.round(2.0 * gaussian(n, m, seed=0))


DATA = {
    "gaussian": lambda n, m: gaussian(n, m, seed=0),
    "census_like": lambda n, _: census_like(n, seed=0),
    "clustered": lambda n, m: clustered(n, m, max(1, n // 100), seed=0),
    "heavy_tailed": heavy_tailed,
    "integers": with_ties,
}
"""By name: n records of m columns (13 of census_like, whatever is asked for)."""


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(data: str, n: int, m: int, k: int, effort: str, mdav_on: str, bound: float) -> list[results.Figure]:
    """Print MDAV and `fast`; give what is to be kept: both losses, and a record where there is one."""
    X = standardise(DATA[data](n, m))
    name, source = results.shape(data, n, X.shape[1]), f"benchmarks/records.py on {time.strftime('%Y-%m-%d')}"
    known = results.read()
    new = []
    mdav = results.value(known, "record: mdav, loss %", name, k)
    if not mdav:
        mdav = f"{information_loss(X, partition(X, k, method='mdav', device=mdav_on)):.4f}"
        new.append(results.Figure("record: mdav, loss %", name, str(k), mdav, source))
    start, clock = cpu_seconds(), time.perf_counter()
    labels = partition(X, k, method="fast", effort=effort)
    loss = information_loss(X, labels)
    seconds, wall = cpu_seconds() - start, time.perf_counter() - clock
    before = results.value(known, "record: loss %", name, k)
    print(
        f"{name}, k = {k}: MDAV {mdav}, fast, {effort} {loss:.4f} ({100 * (1 - loss / float(mdav)):.2f}% less) in "
        f"{seconds:.1f} CPU s, {wall:.1f} s; lowest before {before or 'unknown'}",
        flush=True,
    )
    if bound:
        least = lower_bound(X, k, method="columns", time_limit=bound, upper=labels).loss
        print(f"  nothing below {least:.4f}: at most {100 * (1 - least / float(mdav)):.2f}% less than MDAV", flush=True)
    if effort == "normal":
        new.append(results.Figure("record: fast, loss %", name, str(k), f"{loss:.4f}", source))
    if X.shape[1] == COLUMNS and (not before or loss < float(before)):
        shown = {"loss %": f"{loss:.4f}", "CPU s": f"{seconds:.1f}", "how": f"fast, {effort}"}
        new += [results.Figure(f"record: {what}", name, str(k), each, source) for what, each in shown.items()]
    return new


@click.command(help=__doc__)
@click.option("--data", default=",".join(DATA), show_default=True)
@click.option("--records", default="", help="How many; nothing is measured without.")
@click.option("--k", "ks", default="2,3,5,10,20,50", show_default=True)
@click.option("--columns", default=str(COLUMNS), show_default=True, help="Of all data but census_like.")
@click.option("--effort", type=click.Choice(EFFORTS), default="normal", show_default=True)
@click.option("--mdav-on", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option("--bound", default=0.0, metavar="SECONDS", help="Say below what no partition is; at most so long.")
def main(data: str, records: str, ks: str, columns: str, effort: str, mdav_on: str, bound: float) -> None:
    sizes = [int(each) for each in records.split(",") if each]
    for n, m, name, k in itertools.product(
        sizes, map(int, columns.split(",")), data.split(","), map(int, ks.split(","))
    ):
        results.record(measure(name, n, m, k, effort, mdav_on, bound))
    for line in results.changes_of("records"):
        print(line)
    results.write_docs()


if __name__ == "__main__":
    main()
