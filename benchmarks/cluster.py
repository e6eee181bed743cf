"""One release by whoever works: processor time, memory of driver and workers, and the same bytes.

    python benchmarks/cluster.py                                            # make cluster: 10^6 x 13 on every engine
    python benchmarks/cluster.py --records 10000000 --columns 4 --engines processes
    python benchmarks/cluster.py --records 100000000 --columns 4 --engines processes --method mdav --memory 200MB

Records are Gaussian, made part by part, so that no more than a part is in memory. Each engine runs in a process of its
own. Memory is resident memory, looked at ten times a second, of the driver and of the largest worker and of all
together; what files are mapped from the disk counts as theirs while they are read. Processor seconds are those of all
processes, the start of clusters included. The digest is that of all released values in their order.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import click
import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as parquet

ENGINES = ("cells", "processes", "dask", "ray", "spark")
"""By default; there are "serial", and "memory" (all at once, for the loss), too."""
EVERY = 0.1
"""Seconds between two looks at memory."""


def generate(folder: Path, records: int, columns: int, part: int) -> None:
    """Write the records, part by part."""
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, records, part)):
        rng = np.random.default_rng([0, number])
        rows = min(part, records - start)
        table = pa.table({f"x{j}": rng.normal(size=rows) for j in range(columns)})
        parquet.write_table(table, folder / f"{number:05d}.parquet")


def digest(folder: Path) -> str:
    """Give the checksum of all released values, column by column within parts of the source's size or less."""
    sums: dict[str, hashlib._Hash] = {}
    paths = sorted(folder.iterdir()) if folder.is_dir() else [folder]
    for path in paths:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=262_144):
                for name, column in zip(batch.schema.names, batch.columns, strict=True):
                    sums.setdefault(name, hashlib.sha256()).update(column.to_numpy().tobytes())
    return hashlib.sha256("".join(sums[name].hexdigest() for name in sorted(sums)).encode()).hexdigest()[:12]


class Watch:
    """The memory of a process and of all that it starts, while it runs, and the processor time of them."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self.driver = self.worker = self.together = 0
        self._seconds: dict[int, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def seconds(self) -> float:
        return sum(self._seconds.values())

    def _look(self) -> None:
        while not self._over.wait(EVERY):
            together = 0
            try:
                family = [self._process, *self._process.children(recursive=True)]
            except psutil.Error:
                return
            for process in family:
                try:
                    used, times = process.memory_info().rss, process.cpu_times()
                except psutil.Error:
                    continue
                together += used
                self._seconds[process.pid] = times.user + times.system
                if process.pid == self._process.pid:
                    self.driver = max(self.driver, used)
                else:
                    self.worker = max(self.worker, used)
            self.together = max(self.together, together)


WORK = """
import json, sys, time
import microagg as ma
asked = json.loads(sys.argv[1])
name, source, target, workers = (asked.pop(key) for key in ("name", "source", "target", "workers"))
engine, close = name, lambda: None
if __name__ == "__main__":
    start = time.perf_counter()
    if name == "dask":
        import distributed
        cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        )
        engine = distributed.Client(cluster)
    elif name == "ray":
        import ray
        ray.init(num_cpus=workers, include_dashboard=False, object_store_memory=200 << 20, logging_level="ERROR")
    elif name == "spark":
        engine = f"local[{workers},4]"
    started = time.perf_counter() - start
    told = [0.0]
    def progress(fraction):
        if fraction >= told[0] + 0.05:
            told[0] = fraction
            taken = time.perf_counter() - start
            print(f"{100 * fraction:3.0f}% of the cells, {taken:.0f} s", file=sys.stderr, flush=True)
    how = {} if name in ("cells", "memory") else {"engine": engine}
    if name == "memory":
        asked["memory"] = "unlimited"
    if not how:
        target += ".parquet"
        import pyarrow.parquet as parquet, glob
        with parquet.ParquetWriter(target + ".in.parquet", parquet.read_schema(sorted(glob.glob(source))[0])) as writer:
            for path in sorted(glob.glob(source)):
                writer.write_table(parquet.read_table(path))
        source = target + ".in.parquet"
    release = ma.anonymize_file(source, target, threads=workers, progress=progress, **how, **asked)
    print(json.dumps({
        "target": target, "start": started, "loss": release.information_loss, "steps": dict(release.seconds),
        "smallest": int(release.risks["smallest_class"]),
    }))
    if name == "dask":
        engine.close(); cluster.close()
"""


@click.command()
@click.option("--records", default=1_000_000, show_default=True)
@click.option("--columns", default=13, show_default=True)
@click.option("--part", default=250_000, show_default=True, help="Records of a file.")
@click.option("--k", default=10, show_default=True)
@click.option("--method", default="fast", show_default=True)
@click.option("--refine", default=None)
@click.option("--memory", default="1GB", show_default=True, help="What one cell may take.")
@click.option("--workers", default=2, show_default=True)
@click.option("--engines", default=",".join(ENGINES), show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="Where all lies; a temporary folder by default.")
def main(records, columns, part, k, method, refine, memory, workers, engines, folder) -> None:
    own = tempfile.mkdtemp(prefix="cluster-") if folder is None else None
    place = Path(own or folder)
    try:
        source = place / f"source-{records}-{columns}"
        if not source.exists():
            start = time.perf_counter()
            generate(source, records, columns, part)
            print(f"made {records:,} x {columns} in {time.perf_counter() - start:.0f} s", flush=True)
        asked = {"k": k, "method": method, "memory": memory, "quasi": [f"x{j}" for j in range(columns)]}
        asked |= {"exact_means": True, **({"refine": refine} if refine else {})}
        for name in engines.split(","):
            target = place / f"out-{name}"
            order = {"name": name, "source": str(source / "*.parquet"), "target": str(target), "workers": workers}
            start = time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, "-c", WORK, json.dumps({**asked, **order})], stdout=subprocess.PIPE, text=True
            )
            with Watch(psutil.Process(process.pid)) as watch:
                answer, _ = process.communicate()
            wall = time.perf_counter() - start
            if process.returncode:
                print(f"{name:10} failed with {process.returncode}", flush=True)
                continue
            made = json.loads(answer.splitlines()[-1])
            steps = ", ".join(f"{step} {taken:.0f}" for step, taken in made["steps"].items())
            print(
                f"{name:10} wall {wall:7.1f} s  processors {watch.seconds:7.1f} s  driver {watch.driver >> 20:5} MB  "
                f"worker {watch.worker >> 20:5} MB  together {watch.together >> 20:5} MB  loss {made['loss']:.4f}  "
                f"smallest class {made['smallest']}  digest {digest(Path(made['target']))}  ({steps})",
                flush=True,
            )
            if Path(made["target"]).is_dir():
                shutil.rmtree(made["target"])
    finally:
        if own is not None:
            shutil.rmtree(own, ignore_errors=True)


if __name__ == "__main__":
    main()
