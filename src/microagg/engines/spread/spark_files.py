"""Parquet files as parts, worked on by Spark."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from microagg.engines.spread.numbered import spark_parts
from microagg.engines.spread.spark import SparkParts, SparkStage
from microagg.errors import InvalidOption

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


TIMES = "spark.sql.parquet.outputTimestampType"
"""How Spark writes moments into Parquet files."""


class SparkFileStage(SparkStage):
    """A stage whose release becomes files of a folder.

    Parameters
    ----------
    spark : SparkSession
        Who works.
    folder : Path
        A private folder that all workers see.
    target : Path, optional
        Where the files of the release go; None where nothing is written.
    """

    def __init__(self, spark: SparkSession, folder: Path, target: Path | None) -> None:
        super().__init__(spark, folder.resolve().as_uri())
        self._target, self._written = target, folder / Path(self.released).relative_to(Path(self._folder).parent)

    def write_release(self, frame: DataFrame) -> None:
        """Write the release, if it is to be written."""
        if self._target is None:
            return
        before = self.spark.conf.get(TIMES)
        self.spark.conf.set(TIMES, "TIMESTAMP_MICROS")  # its default is a type that others read as nanoseconds
        try:
            super().write_release(frame)
        finally:
            self.spark.conf.set(TIMES, before)

    def publish(self) -> None:
        """Number the files of the release from 0."""
        if self._target is not None:
            self._target.mkdir(mode=0o700)
            for number, path in enumerate(sorted(self._written.glob("part-*.parquet"))):
                path.rename(self._target / f"part-{number:05d}.parquet")


@contextmanager
def open_parts(
    engine: Any, files: Sequence[Path], staging: Path, target: Path | None, threads: int | None
) -> Iterator[SparkParts]:
    """Open Parquet files; see `EnginePlace.open`. A session that was there before stays."""
    running = SparkSession.getActiveSession()
    spark = engine if isinstance(engine, SparkSession) else running
    if isinstance(engine, str) and running is not None and running.sparkContext.master != engine:
        raise InvalidOption(
            f"a session of Spark runs already, with master {running.sparkContext.master!r}: give it as the engine, or "
            "stop it."
        )
    if spark is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
        spark = SparkSession.builder.master(engine).appName("microagg").config(map=settings).getOrCreate()
    try:
        frame = spark.read.parquet(*[path.resolve().as_uri() for path in files])
        yield spark_parts(frame, SparkFileStage(spark, staging, target), None)
    finally:
        if running is None and not isinstance(engine, SparkSession):
            spark.stop()
