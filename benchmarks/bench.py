"""How fast, how good and how large: every method x size x k, and beside them what other packages do.

    python benchmarks/bench.py                    # make bench
    python benchmarks/bench.py --quick
    python benchmarks/bench.py --sizes 1000,10000,100000 --record
    python benchmarks/bench.py --sizes 1000,100000 --k 3,10 --methods mdav,univariate --json

Each case runs in a process of its own (case.py): its peak memory is its own, and includes the interpreter and the data.
The time is that of the grouping alone, the best of up to three runs after a warm-up on a few records. The loss is
100 * SSE / SST on standardised columns, computed here from the labels, for all packages alike.

Peers are measured where they are installed, in the same run: anonypyx and microagg1d in the interpreter that
MICROAGG_PEERS_PYTHON names (this one by default), sdcMicro through Rscript. What is absent is skipped with a line.
A case that would take longer than --budget seconds, judged by the size before it, is skipped with a line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click
import numpy as np
import results
from rich.console import Console
from rich.table import Table

from microagg.base.types import FloatArray
from microagg.datasets import census_like, clustered, gaussian, uniform
from microagg.partition import METHODS

HERE = Path(__file__).parent
DATA = {
    "gaussian": lambda n, m, seed: gaussian(n, m, seed=seed),
    "uniform": lambda n, m, seed: uniform(n, m, seed=seed),
    "clustered": lambda n, m, seed: clustered(n, m, max(1, n // 100), seed=seed),
    "census_like": lambda n, m, seed: census_like(n, seed=seed),
}
GRACE = 4.0
"""A case is stopped after this many budgets: the estimate was wrong then."""
PLAIN_WIDTH = 110
"""Columns of text where the output is no terminal."""
MEMORY_SHARE = 0.5
"""A case that would need more than this share of the machine's memory is not started."""


@dataclass(frozen=True)
class Contender:
    """Something that groups records: what to call it, how to run it, and how its cost grows with the records."""

    name: str
    runner: str
    method: str
    time_power: float
    memory_power: float = 1.0
    one_column: bool = False
    against: str | None = None


@dataclass(frozen=True)
class Measurement:
    """What one case took and gave."""

    name: str
    records: int
    columns: int
    k: int
    seconds: float
    records_per_second: float
    information_loss: float
    peak_bytes: int
    before_bytes: int
    against: str | None = None


@dataclass
class Run:
    """Everything measured and everything left out, with the folder that the cases share."""

    folder: Path
    console: Console
    budget: float
    threads: int | None
    measured: list[Measurement] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    stopped: set[tuple[str, int, int]] = field(default_factory=set)

    def skip(self, line: str) -> None:
        self.skipped.append(line)
        self.console.print(f"[yellow]skipped[/] {line}", highlight=False)

    def too_much(self, contender: Contender, n: int, m: int, k: int) -> str | None:
        """Say why not to start a case, judged by the same one on fewer records."""
        if n < k:
            return "fewer records than k"
        if (contender.name, m, k) in self.stopped:
            return "fewer records took too long already"
        same = [before for before in self.measured if (before.name, before.columns, before.k) == (contender.name, m, k)]
        if not same:
            return None
        growth = n / same[-1].records
        seconds = same[-1].seconds * growth**contender.time_power
        if seconds > self.budget:
            return f"would take about {seconds:.0f} s, more than the budget of {self.budget:g} s"
        extra = (same[-1].peak_bytes - same[-1].before_bytes) * growth**contender.memory_power
        if extra > MEMORY_SHARE * machine_memory():
            return f"would need about {extra / 2**30:.1f} GiB"
        return None

    def measure(self, contender: Contender, X: FloatArray, k: int) -> None:
        """Run one case, or say why not."""
        n, m = X.shape
        what = f"{contender.name}, {n} x {m}, k={k}"
        reason = self.too_much(contender, n, m, k)
        if reason is not None:
            self.skip(f"{what}: {reason}")
            return
        try:
            with self.console.status(what):
                result, released = run_case(contender, X, k, self.folder, self.threads, GRACE * self.budget)
        except subprocess.TimeoutExpired:
            self.stopped.add((contender.name, m, k))
            self.skip(f"{what}: stopped after {GRACE * self.budget:g} s")
            return
        except subprocess.CalledProcessError as error:
            self.skip(f"{what}: failed: {(error.stderr.strip().splitlines() or ['no message'])[-1]}")
            return
        self.measured.append(
            Measurement(
                name=contender.name,
                records=n,
                columns=m,
                k=k,
                seconds=result["seconds"],
                records_per_second=n / result["seconds"],
                information_loss=100.0 * float(((X - released) ** 2).sum() / (X**2).sum()),
                peak_bytes=int(result["peak_bytes"]),
                before_bytes=int(result["before_bytes"]),
                against=contender.against,
            )
        )


def run_case(
    contender: Contender, X: FloatArray, k: int, folder: Path, threads: int | None, timeout: float
) -> tuple[dict[str, float], FloatArray]:
    """Measure in a process of its own; give what it printed, and the records that it would release."""
    if contender.runner == "sdcMicro":
        data, out = folder / "X.csv", folder / "released.csv"
        np.savetxt(data, X, delimiter=",", fmt="%.17g")
        command = ["Rscript", str(HERE / "sdcmicro.R"), str(data), str(k), str(out)]
    else:
        data, out = folder / "X.npy", folder / "labels.npy"
        np.save(data, X)
        case = {
            "runner": contender.runner,
            "method": contender.method,
            "k": k,
            "threads": threads,
            "data": str(data),
            "labels": str(out),
        }
        python = sys.executable if contender.runner == "microagg" else peers_python()
        command = [python, str(HERE / "case.py"), json.dumps(case)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=timeout)
    result = json.loads(done.stdout.splitlines()[-1])
    released = np.loadtxt(out, delimiter=",", ndmin=2) if out.suffix == ".csv" else means(X, np.load(out))
    return result, released


def means(X: FloatArray, labels: np.ndarray) -> FloatArray:
    """Give each record the mean of its group; labels of shape (n, m) group each column on its own."""
    released = np.empty_like(X)
    for j in range(X.shape[1]):
        groups = labels[:, j] if labels.ndim == 2 else labels
        released[:, j] = (np.bincount(groups, X[:, j]) / np.bincount(groups))[groups]
    return released


def peers_python() -> str:
    return os.environ.get("MICROAGG_PEERS_PYTHON") or sys.executable


def machine_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def our_contenders(names: list[str]) -> list[Contender]:
    """Our methods; one whose steps hold n^2 is taken to be quadratic in time. None keeps an n x n matrix."""
    return [Contender(name, "microagg", name, 2.0 if "n^2" in METHODS[name].steps else 1.0) for name in names]


def peer_contenders(run: Run) -> list[Contender]:
    """The peers that are installed; a line for each that is not."""
    peers = [
        Contender("anonypyx MDAV", "anonypyx", "MDAV-generic", 2.0, 2.0, against="mdav"),
        Contender("microagg1d", "microagg1d", "auto", 1.0, one_column=True, against="univariate"),
        Contender("microagg1d wilber", "microagg1d", "wilber", 1.0, one_column=True, against="univariate"),
        Contender("sdcMicro MDAV", "sdcMicro", "mdav", 2.0, against="mdav"),
    ]
    present = []
    for peer in peers:
        if peer.runner == "sdcMicro":
            where, command = "Rscript", ["Rscript", "-e", "library(sdcMicro)"]
        else:
            where, command = peers_python(), [peers_python(), "-c", f"import {peer.runner}"]
        if shutil.which(where) is None:
            run.skip(f"{peer.name}: {where} is not installed")
        elif subprocess.run(command, capture_output=True, check=False).returncode != 0:
            run.skip(f"{peer.name}: {peer.runner} is not installed for {where}")
        else:
            present.append(peer)
    return present


def standardised(X: FloatArray) -> FloatArray:
    Z: FloatArray = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return Z


def methods_table(measured: list[Measurement], title: str) -> Table:
    table = Table(title=title)
    table.add_column("method")
    for heading in ("records", "columns", "k", "seconds", "records/s", "loss %", "peak MiB"):
        table.add_column(heading, justify="right")
    for m in measured:
        table.add_row(
            m.name,
            str(m.records),
            str(m.columns),
            str(m.k),
            f"{m.seconds:.4f}",
            f"{m.records_per_second:,.0f}",
            f"{m.information_loss:.4f}" if m.information_loss >= 0.01 else f"{m.information_loss:.2e}",
            f"{m.peak_bytes / 2**20:.0f}",
        )
    return table


def ratios(measured: list[Measurement]) -> list[dict[str, float | int | str]]:
    """Set each peer beside our method on the same records: above 1, ours is faster, better or smaller."""
    ours = {(m.name, m.records, m.columns, m.k): m for m in measured if m.against is None}
    pairs = [(m, ours.get((m.against, m.records, m.columns, m.k))) for m in measured if m.against is not None]
    return [
        {
            "peer": peer.name,
            "method": own.name,
            "records": peer.records,
            "columns": peer.columns,
            "k": peer.k,
            "seconds": peer.seconds / own.seconds,
            "information_loss": peer.information_loss / own.information_loss,
            "peak_bytes": peer.peak_bytes / own.peak_bytes,
        }
        for peer, own in pairs
        if own is not None
    ]


def figures_of(
    data: str, measured: list[Measurement], rows: list[dict[str, float | int | str]]
) -> dict[tuple[str, str, int], str]:
    """Give what the tables of the docs show."""
    figures: dict[tuple[str, str, int], str] = {}
    for each in measured:
        if each.against is None:
            shown = {
                "s": f"{each.seconds:.3f}" if each.seconds < 0.2 else f"{each.seconds:.2f}",
                "loss %": f"{each.information_loss:.4g}",
                "peak MB": f"{each.peak_bytes / 2**20:.0f}",
            }
            of = results.shape(data, each.records, each.columns)
            figures |= {(f"bench: {each.name}, {what}", of, each.k): value for what, value in shown.items()}
    for row in rows:
        of, pair = results.shape(data, int(row["records"]), int(row["columns"])), f"{row['peer']} / {row['method']}"
        figures[f"bench: {pair}, time", of, int(row["k"])] = f"{row['seconds']:.3g}"
        figures[f"bench: {pair}, loss", of, int(row["k"])] = f"{row['information_loss']:.4f}"
    return figures


def ratios_table(rows: list[dict[str, float | int | str]]) -> Table:
    table = Table(title="peer / ours, same run, same records (above 1: ours is faster, better, smaller)")
    for heading in ("peer", "ours"):
        table.add_column(heading)
    for heading in ("records", "columns", "k", "time", "loss", "peak"):
        table.add_column(heading, justify="right")
    for r in rows:
        table.add_row(
            str(r["peer"]),
            str(r["method"]),
            str(r["records"]),
            str(r["columns"]),
            str(r["k"]),
            f"{r['seconds']:.2f}",
            f"{r['information_loss']:.4f}",
            f"{r['peak_bytes']:.2f}",
        )
    return table


def numbers(context: click.Context, parameter: click.Parameter, value: str) -> list[int]:
    try:
        return sorted({int(part) for part in value.split(",")})
    except ValueError:
        raise click.BadParameter("whole numbers with commas between them, please") from None


def method_names(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str]:
    names = [name for name, m in METHODS.items() if m.most_records is None] if value is None else value.split(",")
    for name in names:
        if name not in METHODS:
            raise click.BadParameter(f"must be among {', '.join(METHODS)}; got {name!r}")
    return names


@click.command()
@click.option("--sizes", default="1000,10000,50000", callback=numbers, help="Records, with commas between.")
@click.option("--k", "ks", default="3,10", callback=numbers, help="Least sizes of groups, with commas between.")
@click.option("--methods", callback=method_names, help="Names in METHODS, with commas between; all by default.")
@click.option("--data", default="gaussian", type=click.Choice(list(DATA)), help="What to make the records of.")
@click.option("--columns", default=13, type=click.IntRange(1), help="Columns; census_like always has 13.")
@click.option("--threads", type=click.IntRange(1), help="Threads for our methods; all processors by default.")
@click.option("--seed", default=0, type=click.IntRange(0), help="The records follow from it.")
@click.option("--budget", default=60.0, type=click.FloatRange(min=0, min_open=True), help="Seconds a case may take.")
@click.option("--peers/--no-peers", default=True, help="Also measure other packages, where they are installed.")
@click.option("--quick", is_flag=True, help="1000 and 5000 records, k=5, budget of 5 seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else on standard output.")
@click.option("--record", is_flag=True, help="Put the figures into results.csv and write the tables of the docs anew.")
def main(
    sizes: list[int],
    ks: list[int],
    methods: list[str],
    data: str,
    columns: int,
    threads: int | None,
    seed: int,
    budget: float,
    peers: bool,
    quick: bool,
    as_json: bool,
    record: bool,
) -> None:
    """Measure every method on every size and k, and the peers beside them."""
    if quick:
        sizes, ks, budget = [1000, 5000], [5], min(budget, 5.0)
    console = Console(stderr=as_json)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder), console, budget, threads)
        ours = our_contenders(methods)
        rivals = [p for p in (peer_contenders(run) if peers else []) if counterpart(run, p, methods)]
        single = {p.against for p in rivals if p.one_column}
        for n in sizes:
            X = standardised(DATA[data](n, columns, seed))
            for k in ks:
                for contender in ours + [p for p in rivals if not p.one_column]:
                    run.measure(contender, X, k)
                first = np.ascontiguousarray(X[:, :1])
                for contender in [c for c in ours if c.name in single] + [p for p in rivals if p.one_column]:
                    run.measure(contender, first, k)
    rows = ratios(run.measured)
    if record:
        results.record_all("bench.py", figures_of(data, run.measured, rows))
    if as_json:
        report = {
            "data": data,
            "seed": seed,
            "threads": threads,
            "processors": os.cpu_count(),
            "measured": [asdict(m) for m in run.measured],
            "ratios": rows,
            "skipped": run.skipped,
        }
        click.echo(json.dumps(report))
        return
    order = sorted(run.measured, key=lambda m: (m.columns, m.records, m.k))
    console.print(methods_table(order, f"{data} records, best of up to 3 runs"))
    if rows:
        console.print(ratios_table(rows))


def counterpart(run: Run, peer: Contender, methods: list[str]) -> bool:
    """Measure a peer only where our method of the same kind is measured too."""
    if peer.against in methods:
        return True
    run.skip(f"{peer.name}: its counterpart {peer.against} is not among the methods measured")
    return False


if __name__ == "__main__":
    main()
