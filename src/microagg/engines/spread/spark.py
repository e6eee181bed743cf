"""Records in a Spark frame: Spark deals them out, brings them together, and works again on what a lost worker had.

    fold      each partition gives one small value, pickled; the driver merges them
    shuffle   what is sent lies packed, one block of Arrow bytes for each bucket and piece of a partition, so that Spark
              moves few large rows and never takes them apart; one partition for each bucket
    put       records and what was made of them meet by blocks of rows

What comes out of a shuffle, and the release, is written to a folder that all workers see, once: frames are lazy, and
would be worked out again each time that somebody looks at them. Workers need microagg and pyarrow, nothing else.
"""

from __future__ import annotations

import pickle
import threading
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel

from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.engines.chance import chances
from microagg.engines.spread.parts import ROW, BucketTask, Make, Parts, Route, Small
from microagg.errors import InvalidData, MicroaggError
from microagg.prepare.missing import no_record_left

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

PIECE = 64 << 20
"""Bytes of records that a task looks at together; those of one bucket are one row for Spark."""
BATCH = 10_000
"""How many released records go back to Spark at a time."""
BLOCK = 250_000
"""How many records meet what was made of them at a time."""

SCATTER = 4_000
"""What the order of scattered records follows from, beside the secret."""

DISK_ONLY = StorageLevel.DISK_ONLY
BUCKET, SENT, TOLD, KEPT, BLOCK_OF, FAILED = "bucket", "sent", "told", "kept", "block", "failed"
SENT_ROWS = f"{BUCKET} int, {SENT} binary, {FAILED} binary"
"""What is sent to a bucket: packed records, or the error that came up on the way."""
WORKED = f"{BUCKET} int, {TOLD} binary, {BLOCK_OF} long, {KEPT} binary"
"""What comes out of a bucket: what the driver is told, or a block of what is kept."""

Batches = Iterator[pa.RecordBatch]


class SparkParts:
    """The partitions of a frame; see `Parts`.

    Parameters
    ----------
    frame : DataFrame
        The records, with ROW; or rows of packed tables.
    schema : pa.Schema
        The columns of the records, without ROW.
    stage : SparkStage
        Where what is made lies.
    n_records : int
        How many there are.
    is_packed : bool
        Whether the frame has tables in its column KEPT.
    block : int
        How many records meet what was made of them at a time.
    """

    def __init__(
        self,
        frame: DataFrame,
        schema: pa.Schema,
        stage: SparkStage,
        n_records: int,
        *,
        is_packed: bool = False,
        block: int = BLOCK,
    ) -> None:
        self.frame, self.schema, self.n_records, self.threads = frame, schema, n_records, 1
        self._stage, self._is_packed, self._block = stage, is_packed, block

    def _select(self, columns: Sequence[str]) -> tuple[DataFrame, Reading]:
        """Give the frame with what is needed of it, and how tables are made of its batches."""
        names = tuple(dict.fromkeys([*columns, ROW]))
        if self._is_packed:
            return self.frame.select(KEPT), Reading(names, None)
        wanted = pa.schema([*(self.schema.field(name) for name in columns), pa.field(ROW, pa.int64())])
        # Numbers for names: Spark's functions on Arrow know no column whose name has a dot.
        numbered = [column_of(name).alias(str(place)) for place, name in enumerate(names)]
        return self.frame.select(*numbered), Reading(names, wanted)

    def fold(
        self, function: Callable[[pa.Table], Small], merge: Callable[[Small, Small], Small], columns: Sequence[str]
    ) -> Small:
        """Run a function on pieces of each partition, and merge what it gives: in the order of the partitions."""
        frame, reading = self._select(columns)
        with without_pandas():
            told = frame.mapInArrow(Fold(reading, function, merge), f"{BUCKET} int, {TOLD} binary").collect()
        values: list[Small] = [unpacked(row[TOLD]) for row in sorted(told, key=lambda row: int(row[BUCKET]))]
        if not values:
            return function(reading.empty())
        whole = values[0]
        for value in values[1:]:
            whole = merge(whole, value)
        return whole

    def shuffle(
        self,
        route: Route,
        task: BucketTask,
        columns: Sequence[str],
        *,
        n_buckets: int,
        sizes: IntArray | None = None,
        progress: Progress | None = None,
    ) -> tuple[Mapping[int, Any], Parts]:
        """Send every record to its bucket, and do the task for each; what it gives is written down once."""
        frame, reading = self._select(columns)
        with without_pandas():
            sent = self._dealt(frame.mapInArrow(Send(reading, route), SENT_ROWS), n_buckets)
            done = sent.mapInArrow(Work(task, sizes, self._block), WORKED)
        # Cells are made once, so they are written down; counts alone need no file.
        with told_of_tasks(self._stage.spark, n_buckets, progress):
            worked = done.persist(DISK_ONLY) if sizes is None else self._stage.write(done, WORKED)
        try:
            rows = worked.where(f"{TOLD} is not null").select(BUCKET, TOLD).collect()
            told = {int(row[BUCKET]): unpacked(row[TOLD]) for row in rows}
            n_kept = sum(n_rows for _, n_rows, _ in told.values())
            if sizes is None and n_kept:
                worked = self._stage.write(done, WORKED)
        finally:
            done.unpersist()
        if sizes is not None and (lost := set(np.flatnonzero(sizes).tolist()) - set(told)):
            raise InvalidData(f"{len(lost)} cells got no records: the files of the frame changed while they were read.")
        if progress is not None:
            progress(1.0)
        answers = {number: answer for number, (answer, _, _) in told.items()}
        schema = next((kind for _, n_rows, kind in told.values() if n_rows), pa.schema([]))
        kept = worked.where(f"{KEPT} is not null").select(BLOCK_OF, KEPT)
        return answers, SparkParts(kept, schema, self._stage, n_kept, is_packed=True, block=self._block)

    def _dealt(self, sent: DataFrame, n_buckets: int) -> DataFrame:
        """Bring the rows of each bucket together: one partition for each, in their order, where Spark can.

        Before Spark 4.1 partitions are dealt by hashing: some are empty then, and others hold several buckets.
        """
        deal = getattr(sent, "repartitionById", sent.repartition)
        dealt: DataFrame = deal(n_buckets, column_of(BUCKET)).sortWithinPartitions(BUCKET)
        return dealt

    def put(self, made: Any, make: Make, columns: Sequence[str], *, scatter: int | None = None) -> None:
        """Write the release into the folder: records and what was made of them meet by blocks of rows."""
        from pyspark.sql import functions
        from pyspark.sql.pandas.types import from_arrow_schema

        frame, reading = self._select(columns)
        first = made.frame.select(KEPT).first()
        if first is None:
            raise no_record_left()
        wanted = make(reading.empty(), read_packed(first[KEPT]).slice(0, 0)).schema
        if scatter is not None:
            wanted = wanted.append(pa.field(ROW, pa.float64()))
        numbered = pa.schema([field.with_name(str(place)) for place, field in enumerate(wanted)])
        nothing = functions.lit(None).cast("binary")
        with without_pandas():
            sent = frame.mapInArrow(Send(reading, BlockRoute(self._block)), SENT_ROWS)
            own = made.frame.select(functions.col(BLOCK_OF).cast("int").alias(BUCKET), nothing.alias(SENT), KEPT)
            both = sent.select(BUCKET, SENT, nothing.alias(KEPT)).union(own)
            dealt = self._dealt(both, 1 + self.n_records // self._block)
            done = dealt.mapInArrow(Put(reading.names, make, numbered, scatter), from_arrow_schema(numbered))
            if scatter is not None:
                done = done.orderBy(column_of(numbered.names[-1])).drop(numbered.names[-1])
            self._stage.write_release(done.toDF(*[name for name in wanted.names if name != ROW]))

    def publish(self) -> None:
        """Let the release appear."""
        self._stage.publish()

    def discard(self) -> None:
        """Remove what was made on the way."""
        self._stage.discard()


@dataclass(frozen=True, eq=False)
class Reading:
    """How tables are made of the batches of a partition.

    Attributes
    ----------
    names : tuple of str
        Their columns.
    schema : pa.Schema, optional
        Their types, where batches hold records; None where these hold packed tables.
    """

    names: tuple[str, ...]
    schema: pa.Schema | None

    def pieces(self, batches: Batches) -> Iterator[pa.Table]:
        """Give the records of a partition, some at a time."""
        held: list[pa.Table] = []
        size = 0
        for batch in batches:
            for table in self._tables(batch):
                if table.num_rows:
                    held.append(table)
                    size += table.nbytes
                if size > PIECE:
                    yield pa.concat_tables(held).combine_chunks()
                    held, size = [], 0
        if held:
            yield pa.concat_tables(held).combine_chunks()

    def _tables(self, batch: pa.RecordBatch) -> Iterator[pa.Table]:
        if self.schema is not None:
            yield self.named(pa.Table.from_batches([batch]))
            return
        for packed in batch.column(KEPT):
            yield read_packed(packed.as_buffer()).select(self.names)

    def named(self, table: pa.Table) -> pa.Table:
        """Give records of Spark with the names and types of the frame: Spark names time zones by its session."""
        if self.schema is None:
            raise InvalidData("packed tables have their names.")
        return table.select(range(len(self.names))).rename_columns(self.names).cast(self.schema)

    def empty(self) -> pa.Table:
        """Give a table of no records."""
        if self.schema is None:
            raise no_record_left()
        return self.schema.empty_table()


@dataclass(frozen=True, eq=False)
class Fold:
    """What is folded in a partition."""

    reading: Reading
    function: Callable[[pa.Table], Any]
    merge: Callable[[Any, Any], Any]

    def __call__(self, batches: Batches) -> Batches:
        """Give one value for all records of the partition."""
        from pyspark import TaskContext

        context = TaskContext.get()
        answer: bytes | None = None
        try:
            whole: Any = None
            for place, table in enumerate(self.reading.pieces(batches)):
                part = self.function(table)
                whole = part if place == 0 else self.merge(whole, part)
                answer = b""
            answer = None if answer is None else packed(whole)
        except MicroaggError as error:
            answer = packed_error(error)
        if answer is not None:
            number = 0 if context is None else context.partitionId()
            yield record_batch({BUCKET: pa.array([number], pa.int32()), TOLD: pa.array([answer], pa.binary())})


@dataclass(frozen=True, eq=False)
class Send:
    """How records go to their buckets."""

    reading: Reading
    route: Route

    def __call__(self, batches: Batches) -> Batches:
        """Give blocks of packed records, each with its bucket."""
        try:
            for table in self.reading.pieces(batches):
                buckets, sent = self.route(table)
                if sent.num_rows == 0:
                    continue
                order = np.argsort(buckets, kind="stable")
                ordered, numbers = sent.take(pa.array(order)), buckets[order]
                starts = np.flatnonzero(np.diff(numbers, prepend=-1))
                for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(numbers)], strict=True):
                    yield self._row(int(numbers[start]), write_packed(ordered.slice(start, end - start)), None)
        except MicroaggError as error:
            yield self._row(0, None, packed_error(error))

    def _row(self, bucket: int, sent: bytes | None, failed: bytes | None) -> pa.RecordBatch:
        return record_batch(
            {
                BUCKET: pa.array([bucket], pa.int32()),
                SENT: pa.array([sent], pa.binary()),
                FAILED: pa.array([failed], pa.binary()),
            }
        )


@dataclass(frozen=True, eq=False)
class Work:
    """What is done with each bucket of a partition, one after the other."""

    task: BucketTask
    sizes: IntArray | None
    block: int

    def __call__(self, batches: Batches) -> Batches:
        """Give what the task tells and keeps of each bucket."""
        for number, (sent, failed) in by_bucket(batches, SENT, FAILED):
            yield from self._done(number, sent, failed[0].to_pybytes() if failed else None)

    def _done(self, number: int, packed_tables: list[pa.Buffer], failed: bytes | None) -> Batches:
        """Give one row with what is told, and one for each block of what is kept."""
        kept: pa.Table | None = None
        try:
            if failed is None:
                sent = pa.concat_tables([read_packed(each) for each in packed_tables]).combine_chunks()
                if self.sizes is not None and sent.num_rows != int(self.sizes[number]):
                    raise InvalidData(
                        f"a cell of {int(self.sizes[number])} records got {sent.num_rows}: files of the frame changed "
                        "while they were read."
                    )
                answer, kept = self.task(number, sent)
                failed = packed((answer, *kept_of(kept)))
        except MicroaggError as error:
            failed, kept = packed_error(error), None
        yield self._row(number, failed, None, None)
        if kept is not None and kept.num_rows:
            blocks = np.zeros(kept.num_rows, dtype=np.int64)
            if ROW in kept.column_names:
                blocks = kept.column(ROW).to_numpy() // self.block
            order = np.argsort(blocks, kind="stable")
            ordered, blocks = kept.take(pa.array(order)), blocks[order]
            starts = np.flatnonzero(np.diff(blocks, prepend=-1))
            for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(blocks)], strict=True):
                yield self._row(number, None, int(blocks[start]), write_packed(ordered.slice(start, end - start)))

    def _row(self, bucket: int, told: bytes | None, block: int | None, kept: bytes | None) -> pa.RecordBatch:
        return record_batch(
            {
                BUCKET: pa.array([bucket], pa.int32()),
                TOLD: pa.array([told], pa.binary()),
                BLOCK_OF: pa.array([block], pa.int64()),
                KEPT: pa.array([kept], pa.binary()),
            }
        )


@dataclass(frozen=True)
class BlockRoute:
    """Sends records to the blocks of their rows."""

    block: int

    def __call__(self, table: pa.Table) -> tuple[IntArray, pa.Table]:
        """Give the block of each record, and all of it."""
        blocks: IntArray = table.column(ROW).to_numpy() // self.block
        return blocks, table


@dataclass(frozen=True, eq=False)
class Put:
    """How released records are made of blocks of records, and of what was made of them."""

    names: tuple[str, ...]
    make: Make
    wanted: pa.Schema
    scatter: int | None

    def __call__(self, batches: Batches) -> Batches:
        """Give the released records of the blocks of a partition, in the order of their rows."""
        for _, (sent, kept) in by_bucket(batches, SENT, KEPT):
            if kept:
                released = self._released(in_order(sent), in_order(kept))
                yield from released.to_batches(max_chunksize=BATCH)

    def _released(self, records: pa.Table, made: pa.Table) -> pa.Table:
        rows = made.column(ROW).to_numpy()
        here = np.flatnonzero(np.isin(records.column(ROW).to_numpy(), rows))
        records = records if len(here) == len(records) else records.take(pa.array(here))
        if not np.array_equal(records.column(ROW).to_numpy(), rows):
            raise InvalidData("records that were grouped are gone: files of the frame changed while they were read.")
        released = self.make(records, made)
        if self.scatter is not None:
            released = released.append_column(ROW, pa.array(chances(rows, self.scatter, SCATTER)))
        return released.rename_columns(self.wanted.names).cast(self.wanted)


def kept_of(table: pa.Table | None) -> tuple[int, pa.Schema | None]:
    """Give how many rows a task kept, and their columns without ROW."""
    if table is None:
        return 0, None
    return table.num_rows, pa.schema([field for field in table.schema if field.name != ROW])


def in_order(packed_tables: Sequence[pa.Buffer]) -> pa.Table:
    """Give the records of packed tables in the order of their rows."""
    table = pa.concat_tables([read_packed(each) for each in packed_tables]).combine_chunks()
    return table.take(pa.array(np.argsort(table.column(ROW).to_numpy(), kind="stable")))


def by_bucket(batches: Batches, *names: str) -> Iterator[tuple[int, list[list[pa.Buffer]]]]:
    """Give what is in these columns of each bucket, one bucket after the other; rows are sorted by it."""
    number, held = -1, [[] for _ in names]  # type: tuple[int, list[list[pa.Buffer]]]
    for batch in batches:
        columns = [batch.column(name) for name in names]
        for place, bucket in enumerate(batch.column(BUCKET).to_pylist()):
            if bucket != number and number >= 0:
                yield number, held
                held = [[] for _ in names]
            number = bucket
            for column, own in zip(columns, held, strict=True):
                if column[place].is_valid:
                    own.append(column[place].as_buffer())
    if number >= 0:
        yield number, held


class SparkStage:
    """A private folder that all workers see, for what is made on the way and for the release.

    Parameters
    ----------
    spark : SparkSession
        Whose file systems are used: local ones, HDFS, object stores.
    folder : str
        Where a folder of its own is made.
    """

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark: Any = spark
        self._folder = f"{folder.rstrip('/')}/microagg-{uuid.uuid4().hex}"
        self._n_written = 0
        self._is_published = False
        self.released = f"{self._folder}/release"
        private = self.spark._jvm.org.apache.hadoop.fs.permission.FsPermission("700")
        path, files = self._path(self._folder)
        files.mkdirs(path, private)

    def _path(self, folder: str) -> tuple[Any, Any]:
        """Give a folder, and the file system in which it lies."""
        path = self.spark._jvm.org.apache.hadoop.fs.Path(folder)
        return path, path.getFileSystem(self.spark._jsc.hadoopConfiguration())

    def write(self, frame: DataFrame, schema: Any = None) -> DataFrame:
        """Write a frame down, and give what was written; where the columns are known, Spark need not look for them."""
        self._n_written += 1
        path = f"{self._folder}/{self._n_written}"
        frame.write.parquet(path)
        written: DataFrame = self.spark.read.schema(schema or frame.schema).parquet(path)
        return written

    def write_release(self, frame: DataFrame) -> None:
        """Write the release."""
        frame.write.parquet(self.released)

    def publish(self) -> None:
        """Keep the release."""
        self._is_published = True

    def discard(self) -> None:
        """Remove all but a release that was published."""
        own = [f"{self._folder}/{number + 1}" for number in range(self._n_written)]
        for folder in own if self._is_published else [self._folder]:
            path, files = self._path(folder)
            files.delete(path, True)


@contextmanager
def told_of_tasks(spark: Any, n_tasks: int, progress: Progress | None) -> Iterator[None]:
    """Tell how many of these tasks are done, every second, while the block runs."""
    if progress is None:
        yield
        return
    over, tracker = threading.Event(), spark.sparkContext.statusTracker()

    def look() -> None:
        while not over.wait(1.0):
            for number in tracker.getActiveStageIds():
                stage = tracker.getStageInfo(number)
                if stage is not None and stage.numTasks == n_tasks:
                    progress(stage.numCompletedTasks / n_tasks)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def column_of(name: str) -> Column:
    """Name a column to Spark, whatever its name is made of."""
    from pyspark.sql import functions

    return functions.col("`" + name.replace("`", "``") + "`")


@contextmanager
def without_pandas() -> Iterator[None]:
    """Let Spark not warn of the version of pandas: nothing here uses it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        yield


def record_batch(columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
    """Make a batch of a few values."""
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def write_packed(table: pa.Table) -> bytes:
    """Give a table as Arrow bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    packed_bytes: bytes = sink.getvalue().to_pybytes()
    return packed_bytes


def read_packed(packed_table: Any) -> pa.Table:
    """Give the table of Arrow bytes."""
    return pa.ipc.open_stream(packed_table).read_all()


def packed(answer: Any) -> bytes:
    """Give the answer of a task as bytes."""
    return pickle.dumps((True, answer))


def packed_error(error: MicroaggError) -> bytes:
    """Give an error that users shall see as it is."""
    return pickle.dumps((False, error))


def unpacked(answer: bytes) -> Any:
    """Give the answer of a task that Spark ran, or raise its error."""
    went_well, value = pickle.loads(answer)  # noqa: S301 (written by our own tasks)
    if not went_well:
        raise value
    return value
