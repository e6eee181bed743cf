"""How methods use many cores: seconds on 1, 2, 4, 8 and 16 threads, and a digest of the labels, which must not change.

    python benchmarks/cores.py                                             # MDAV and fast, 10^6 x 13, k = 10
    python benchmarks/cores.py --records 100000 --methods mdav --k 3 --threads 1,2

Run it on a machine that does nothing else. Where a digest differs from the first one, it ends with an error.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time

import click

from microagg.datasets import gaussian
from microagg.partition import partition


@click.command(help=__doc__)
@click.option("--records", "n", default=1_000_000, show_default=True)
@click.option("--columns", "m", default=13, show_default=True)
@click.option("--k", default=10, show_default=True)
@click.option("--methods", default="mdav,fast", show_default=True)
@click.option("--threads", "counts", default="1,2,4,8,16", show_default=True)
def main(n: int, m: int, k: int, methods: str, counts: str) -> None:
    X = gaussian(n, m, seed=0)
    print(f"{n:,} x {m}, k = {k}, {os.cpu_count()} processors")
    print(f"{'method':>8} {'threads':>8} {'seconds':>9} {'CPU s':>9} {'times':>6}  labels")
    differs = False
    for method in methods.split(","):
        first: tuple[float, str] | None = None
        for threads in map(int, counts.split(",")):
            start, cpu = time.perf_counter(), time.process_time()
            labels = partition(X, k, method=method, threads=threads)
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
            digest = hashlib.sha256(labels.tobytes()).hexdigest()[:12]
            first = first or (seconds, digest)
            differs |= digest != first[1]
            print(
                f"{method:>8} {threads:>8} {seconds:>9.2f} {cpu:>9.2f} {first[0] / seconds:>6.2f}  {digest}", flush=True
            )
    if differs:
        sys.exit("labels depend on the number of threads.")


if __name__ == "__main__":
    main()
