"""Records in files, worked on by whoever can run a function on many items and sees the same folder.

    fold      one job for each part: read it where it lies, run the function
    shuffle   one job for each part: route it into one file, one batch of rows for each bucket;
              then one job for each bucket, the largest first: read its batches, do the task, write one file
    put       what cells made, sent to the parts of the source; each is read again, and written as a part of the release

Files are written under another name and renamed: a job that runs twice leaves one whole file. A bucket that is done is
not done again, by a driver that was killed and starts anew with the same work.
"""

from __future__ import annotations

import errno
import logging
import os
import pickle
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as parquet

from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.engines.spread.host import Host
from microagg.engines.spread.parts import ROW, BucketTask, Make, Route, Small
from microagg.errors import FileProblem, InvalidData
from microagg.io.connection import FULL

log = logging.getLogger("microagg.spread")


@dataclass(frozen=True)
class Item:
    """A part.

    Attributes
    ----------
    path : str
        The file in which it lies.
    groups : tuple of int, optional
        The row groups of a Parquet file that it is; None for a file of Arrow batches, which is a part as a whole.
    first : int
        The row of its first record, of Parquet files; other files hold their rows.
    n_records : int
        How many records it has.
    """

    path: str
    groups: tuple[int, ...] | None
    first: int
    n_records: int

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Give some columns, and ROW."""
        if self.groups is None:
            with pa.memory_map(self.path) as source:
                table = pa.ipc.open_file(source).read_all()
            return table.select([*columns, *([ROW] if ROW in table.column_names else [])])
        rows = pa.array(np.arange(self.first, self.first + self.n_records))
        if not columns:
            return pa.table({ROW: rows})
        with parquet.ParquetFile(self.path) as file:
            table = file.read_row_groups(list(self.groups), columns=list(columns), use_threads=False)
        return table.select(list(columns)).append_column(ROW, rows)


@dataclass(frozen=True)
class FoldJob:
    """Run a function on a part."""

    function: str
    item: Item
    columns: tuple[str, ...]

    def __call__(self) -> Any:
        """Run it."""
        return _load(self.function)(self.item.read(self.columns))


@dataclass(frozen=True)
class RouteJob:
    """Send the records of a part to their buckets: one file, one batch for each bucket."""

    function: str
    item: Item
    columns: tuple[str, ...]
    path: str

    def __call__(self) -> dict[int, tuple[int, int]]:
        """Write the file; give of each bucket its batch and how many rows that has."""
        buckets, sent = _load(self.function)(self.item.read(self.columns))
        order = np.argsort(buckets, kind="stable")
        ordered = buckets[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        table = sent.take(pa.array(order)).combine_chunks()
        index: dict[int, tuple[int, int]] = {}
        temporary = f"{self.path}.{secrets.token_hex(8)}"
        with pa.OSFile(temporary, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
                index[int(ordered[start])] = (len(index), end - start)
                for batch in table.slice(start, end - start).to_batches():
                    writer.write_batch(batch)
        os.replace(temporary, self.path)
        _write(f"{self.path}.index", index)
        return index


@dataclass(frozen=True)
class BucketJob:
    """Do a task with all that was sent to a bucket."""

    function: str
    number: int
    sent: tuple[tuple[str, int], ...]
    n_rows: int
    path: str

    def __call__(self) -> tuple[Any, int]:
        """Do it; give its result, and how many rows it left."""
        parts = []
        for path, place in self.sent:
            with pa.memory_map(path) as source:
                parts.append(pa.ipc.open_file(source).get_batch(place))
        table = pa.Table.from_batches(parts)
        if len(table) != self.n_rows:
            raise InvalidData(f"bucket {self.number} got {len(table):,} rows of {self.n_rows:,}: nothing was released.")
        result, made = _load(self.function)(self.number, table)
        if made is not None:
            temporary = f"{self.path}.{secrets.token_hex(8)}"
            with pa.OSFile(temporary, "wb") as sink, pa.ipc.new_file(sink, made.schema) as writer:
                writer.write_table(made)
            os.replace(temporary, self.path)
        done = (result, 0 if made is None else len(made))
        _write(f"{self.path}.done", done)
        return done


def _write(path: str, what: Any) -> None:
    temporary = f"{path}.{secrets.token_hex(8)}"
    Path(temporary).write_bytes(pickle.dumps(what, protocol=pickle.HIGHEST_PROTOCOL))
    os.replace(temporary, path)


@lru_cache(maxsize=2)
def _load(path: str) -> Callable[..., Any]:
    """Read a function; it is in a private folder, written by the driver."""
    function: Callable[..., Any] = pickle.loads(Path(path).read_bytes())  # noqa: S301
    return function


def run_job(job: Callable[[], Any]) -> Any:
    """Do a job: what hosts are given to run."""
    return job()


class MapParts:
    """Parts in files; see `microagg.engines.spread.parts.Parts`.

    Parameters
    ----------
    host : Host
        Who works on them.
    staging : Path
        A private folder that all workers see.
    items : sequence of Item
        The parts, in the order of their rows.
    schema : pa.Schema
        Their columns.
    target : Path, optional
        A folder for the parts of the release, which nobody sees yet; None where nothing is written.
    """

    def __init__(
        self, host: Host, staging: Path, items: Sequence[Item], schema: pa.Schema, target: Path | None = None
    ) -> None:
        self._host, self._staging, self._items, self._target = host, staging, list(items), target
        self.schema = schema
        self.n_records = sum(item.n_records for item in items)
        self._stages = iter(range(1_000_000))
        self._token = secrets.token_hex(8)

    @property
    def threads(self) -> int:
        """How many threads a function may use."""
        return self._host.threads

    @property
    def items(self) -> Sequence[Item]:
        """The parts."""
        return self._items

    def fold(
        self,
        function: Callable[[pa.Table], Small],
        merge: Callable[[Small, Small], Small],
        columns: Sequence[str],
    ) -> Small:
        """Run a function on each part, and merge what it gives in their order."""
        with self._room():
            return self._folded(function, merge, columns)

    def _folded(
        self, function: Callable[[pa.Table], Small], merge: Callable[[Small, Small], Small], columns: Sequence[str]
    ) -> Small:
        stage = self._stage()
        path = self._sent(stage, "function", function)
        waiting: dict[int, Small] = {}
        whole: Small | None = None
        merged = 0
        for number, part in self._run([FoldJob(path, item, tuple(columns)) for item in self._items]):
            waiting[number] = part
            while merged in waiting:
                next_part = waiting.pop(merged)
                whole = next_part if merged == 0 else merge(whole, next_part)  # type: ignore[arg-type]
                merged += 1
        self._remove(stage)
        return whole  # type: ignore[return-value]

    def shuffle(
        self,
        route: Route,
        task: BucketTask,
        columns: Sequence[str],
        *,
        n_buckets: int,
        sizes: IntArray | None = None,
        progress: Progress | None = None,
    ) -> tuple[Mapping[int, Any], MapParts]:
        """Send every record to its bucket, and do the task for each bucket that got something."""
        with self._room():
            stage = self._stage()
            results = self._shuffled(stage, route, task, columns, n_buckets, sizes, progress)
        items = [
            Item(str(stage / f"bucket-{number}.arrow"), None, 0, n_rows)
            for number, (_, n_rows) in sorted(results.items())
            if n_rows
        ]
        schema = pa.schema([])
        if items:
            with pa.memory_map(items[0].path) as source:
                schema = pa.ipc.open_file(source).schema
            if ROW in schema.names:
                schema = schema.remove(schema.get_field_index(ROW))
        else:
            self._remove(stage)
        made = MapParts(self._host, self._staging, items, schema)
        made._stages = self._stages
        return {number: result for number, (result, _) in results.items()}, made

    def _shuffled(
        self,
        stage: Path,
        route: Route,
        task: BucketTask,
        columns: Sequence[str],
        n_buckets: int,
        sizes: IntArray | None,
        progress: Progress | None,
    ) -> dict[int, tuple[Any, int]]:
        finished = stage / "finished"
        if finished.exists():  # by a driver that was killed later
            return {number: _read(f"{stage}/bucket-{number}.arrow.done") for number in _read(str(finished))}
        routing = self._sent(stage, "route", route)
        routed = [stage / f"part-{number}.arrow" for number in range(len(self._items))]
        index: dict[int, dict[int, tuple[int, int]]] = {}
        jobs: dict[int, RouteJob] = {}
        for number, (item, path) in enumerate(zip(self._items, routed, strict=True)):
            if Path(f"{path}.index").exists():
                index[number] = _read(f"{path}.index")
            else:
                jobs[number] = RouteJob(routing, item, tuple(columns), str(path))
        for place, part in self._run(list(jobs.values())):
            index[list(jobs)[place]] = part
        sent: dict[int, list[tuple[str, int]]] = {}
        counts = np.zeros(n_buckets, dtype=np.int64)
        for number in sorted(index):
            for bucket, (batch, n_rows) in index[number].items():
                sent.setdefault(bucket, []).append((str(routed[number]), batch))
                counts[bucket] += n_rows
        if sizes is not None and not np.array_equal(counts, sizes):
            raise InvalidData("records were lost on their way to cells, or came twice: nothing was released.")
        results = self._buckets(stage, self._sent(stage, "task", task), sent, counts, progress)
        _write(str(finished), sorted(results))
        for path in routed:
            path.unlink(missing_ok=True)
        return results

    def _buckets(
        self,
        stage: Path,
        task: str,
        sent: Mapping[int, Sequence[tuple[str, int]]],
        counts: IntArray,
        progress: Progress | None,
    ) -> dict[int, tuple[Any, int]]:
        """Do the buckets that are not done yet, the largest first."""
        results: dict[int, tuple[Any, int]] = {}
        jobs: list[BucketJob] = []
        for bucket in sorted(sent, key=lambda number: (-counts[number], number)):
            path = stage / f"bucket-{bucket}.arrow"
            if Path(f"{path}.done").exists():
                results[bucket] = _read(f"{path}.done")
            else:
                jobs.append(BucketJob(task, bucket, tuple(sent[bucket]), int(counts[bucket]), str(path)))
        if results:
            log.info("%d of %d buckets were done already", len(results), len(sent))
        done = int(counts[list(results)].sum())
        for place, result in self._run(jobs):
            job = jobs[place]
            results[job.number] = result
            done += job.n_rows
            log.debug("%d of %d buckets done", len(results), len(sent))
            if progress is not None:
                progress(done / int(counts.sum()))
        return results

    def put(self, made: MapParts, make: Make, columns: Sequence[str], *, scatter: int | None = None) -> None:
        """Write the parts of the release."""
        if self._target is None:
            return
        folder = self._target
        folder.mkdir(mode=0o700, exist_ok=True)
        first = np.array([item.first for item in self._items])
        names = made.schema.names
        writing = PartWriter(str(folder), make, tuple(self._items), tuple(columns), writes=scatter is None)
        _, whole = made.shuffle(PartRoute(first), writing, names, n_buckets=len(self._items))
        if scatter is not None:
            n_parts = len(self._items)
            whole.shuffle(
                ScatterRoute(scatter, n_parts), ScatterWriter(str(folder), scatter), whole.schema.names,
                n_buckets=n_parts,
            )  # fmt: skip

    def publish(self) -> None:
        """Number the parts of the release from 0."""
        if self._target is None:
            return
        written = sorted(self._target.glob("part-*.made"))
        for stray in {*self._target.iterdir()} - {*written}:  # of workers that died
            stray.unlink()
        for number, path in enumerate(written):
            path.rename(self._target / f"part-{number:05d}.parquet")

    def discard(self) -> None:
        """Remove the parts of the release; the rest goes with the folder in which it lies."""
        if self._target is not None:
            shutil.rmtree(self._target, ignore_errors=True)

    def _stage(self) -> Path:
        stage = self._staging / f"{next(self._stages):04d}"
        stage.mkdir(mode=0o700, exist_ok=True)
        return stage

    def _sent(self, stage: Path, name: str, function: Any) -> str:
        """Write a function where workers find it; each run under another name, as workers remember them."""
        path = stage / f"{name}-{self._token}.pickle"
        path.write_bytes(pickle.dumps(function, protocol=pickle.HIGHEST_PROTOCOL))
        return str(path)

    def _remove(self, stage: Path) -> None:
        shutil.rmtree(stage, ignore_errors=True)

    def _run(self, jobs: Sequence[Callable[[], Any]]) -> Iterator[tuple[int, Any]]:
        return self._host.map(run_job, jobs)

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Say what to do where the disk is full, here or where a worker is: in one clear error."""
        try:
            yield
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            if not full and not any(said in str(error) for said in FULL):
                raise
            raise FileProblem(
                f"The disk is full: there is no room for what lies between, in {self._staging.parent.parent}. Make "
                "room, or write elsewhere. Nothing was released."
            ) from error


def _read(path: str) -> Any:
    return pickle.loads(Path(path).read_bytes())  # noqa: S301 - our own, in a private folder


@dataclass(frozen=True, eq=False)
class PartRoute:
    """Sends what cells made back to the parts of the source."""

    first: IntArray

    def __call__(self, table: pa.Table) -> tuple[IntArray, pa.Table]:
        """Give the part of each row."""
        rows = table.column(ROW).to_numpy()
        return np.searchsorted(self.first, rows, side="right") - 1, table


@dataclass(frozen=True, eq=False)
class PartWriter:
    """Reads a part of the source again, puts in what was made of it, and writes it."""

    folder: str
    make: Make
    items: tuple[Item, ...]
    columns: tuple[str, ...]
    writes: bool

    def __call__(self, number: int, made: pa.Table) -> tuple[int, pa.Table | None]:
        """Write a part, or give it."""
        made = made.take(pa.array(np.argsort(made.column(ROW).to_numpy(), kind="stable")))
        item = self.items[number]
        rows = made.column(ROW).to_numpy()
        if len(rows) > 1 and not (np.diff(rows) > 0).all():
            raise InvalidData("records came twice: nothing was released.")
        source = item.read(self.columns)
        if len(rows) < len(source):
            source = source.take(pa.array(rows - item.first))
        table = self.make(source, made)
        if not self.writes:
            return len(table), table.append_column(ROW, pa.array(rows))
        write_part(table, self.folder, number)
        return len(table), None


@dataclass(frozen=True)
class ScatterRoute:
    """Sends records to parts by chance."""

    secret: int
    n_parts: int

    def __call__(self, table: pa.Table) -> tuple[IntArray, pa.Table]:
        """Give the part of each row; the same ones where it is asked twice."""
        first = int(table.column(ROW).to_numpy()[0])
        return np.random.default_rng([self.secret, first, 0]).integers(0, self.n_parts, len(table)), table


@dataclass(frozen=True)
class ScatterWriter:
    """Writes records in an order by chance."""

    folder: str
    secret: int

    def __call__(self, number: int, table: pa.Table) -> tuple[int, None]:
        """Write a part."""
        order = np.argsort(table.column(ROW).to_numpy(), kind="stable")
        order = order[np.random.default_rng([self.secret, number, 1]).permutation(len(order))]
        write_part(table.take(pa.array(order)).drop_columns([ROW]), self.folder, number)
        return len(table), None


def write_part(table: pa.Table, folder: str, number: int) -> None:
    """Write a part of a release: whole, or not at all."""
    path = Path(folder) / f"part-{number:05d}.parquet.made"
    temporary = Path(folder) / f"writing-{number}-{secrets.token_hex(8)}"
    parquet.write_table(table, temporary)
    temporary.replace(path)
