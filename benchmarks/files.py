"""Time to read and write 10^6 x 13 numbers as CSV and Parquet: python benchmarks/files.py [records]"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from microagg import io

COLUMNS = 13
REPEATS = 3
GROUP = 5


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the best of some runs, and what came out."""
    best, result = float("inf"), None
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(COLUMNS)]
    records = {name: np.round(rng.normal(50_000, 10_000, n), 2) for name in names}
    # What a release holds: means of groups, with all their digits.
    means = {name: np.repeat(rng.normal(50_000, 10_000, -(-n // GROUP)), GROUP)[:n] for name in names}
    print(f"{n} records x {COLUMNS} columns, best of {REPEATS}, {os.cpu_count()} processors")
    print(f"{'':34}{'seconds':>8}{'MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".csv", ".parquet"):
            path, out = Path(folder, f"in{suffix}"), Path(folder, f"out{suffix}")
            io.write(io.from_arrays(records), path)
            size = path.stat().st_size / 1e6
            for hint, said in (((), "as text"), ("*", "as numbers at once")) if suffix == ".csv" else (((), ""),):

                def read(hint: Any = hint, path: Path = path) -> Any:
                    table = io.read(path, numeric=hint)
                    for name in names:
                        table.numeric(name)
                    return table

                seconds, table = timed(read)
                print(f"{f'read {suffix} {said}':34}{seconds:8.2f}{size:8.0f}")
            for columns, said in ((means, "all replaced"), ({names[0]: means[names[0]]}, "one replaced")):
                released = table.with_columns(columns)
                seconds, _ = timed(lambda released=released, out=out: io.write(released, out))
                print(f"{f'write {suffix} {said}':34}{seconds:8.2f}{out.stat().st_size / 1e6:8.0f}")


if __name__ == "__main__":
    main()
