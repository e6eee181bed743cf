"""`microagg.anonymize` for frames of Spark: the records stay on the cluster, and so does the release.

    from microagg import spark

    release = spark.anonymize(spark_session.read.parquet("people"), k=5, quasi=["age", "income"])
    release.frame.write.parquet("released")

Workers need microagg with its extra `spark`, and memory for one cell each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microagg.base.progress import Progress
from microagg.engines.spread.open import cell_memory
from microagg.engines.spread.released import FrameRelease, new_folder, with_frame
from microagg.errors import InvalidData, InvalidOption, MissingExtra
from microagg.flow import make_release
from microagg.partition import warn_of_columns
from microagg.plan import plan_of, takes_choices
from microagg.plan.method import check_spreadable
from microagg.release import FileRelease

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KEYWORDS = ("row_id", "folder", "memory", "progress")


@takes_choices
def anonymize(
    frame: DataFrame,
    k: int,
    *,
    row_id: str | None = None,
    folder: str | None = None,
    memory: str | int = "auto",
    progress: Progress | None = None,
    **asked: Any,
) -> FrameRelease:
    """Make a frame of Spark k-anonymous; see `microagg.anonymize`.

    Spark samples the records, sends each to a cell of such that lie together, groups them cell by cell, and checks that
    every record of what it wrote is among k or more. Nothing is collected but sums, counts and the sample.

    The same records give the same release on any number of workers and partitions, and after any of them was lost, if
    their order follows from the data: from `row_id`, or from the Parquet files that the frame reads. Any other frame is
    written down first, in the order in which Spark happens to give its records.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        One record per row.
    k : int
        Every record will share its quasi-identifiers with at least k - 1 others.
    {choices}
    row_id : str, optional
        A column that has another value in each record: the records are sorted by it, and written down, first. It is a
        column like others, and is released unless it is among the identifiers.
    folder : str, optional
        A folder that all workers see, in any file system that Spark knows, for what is written down. By default the
        checkpoint folder of the session; on one machine, a temporary one that is removed when Python ends.
    memory : str or int
        What the work on one cell may take on a worker, such as "1GB", the default; the release depends on it.
    progress : callable, optional
        Told the fraction done every now and then.
    **options
        The method's own options, such as `gamma` of vmdav.

    Returns
    -------
    FrameRelease
        `release.frame` is the released frame; losses, risks and report as of every release.
    """
    try:
        from microagg.engines.spread.numbered import spark_parts
        from microagg.engines.spread.spark import SparkStage
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"frames of Spark need {error.name}, which is not installed. Install it with: pip install 'microagg[spark]'"
        ) from error
    from microagg.engines.spread.engine import SpreadEngine

    spark = session_of(frame)
    plan = plan_of("microagg.spark.anonymize", {"k": k, **asked}, KEYWORDS)
    check_spreadable(plan, units=True)
    stage = SparkStage(spark, folder_of(spark) if folder is None else folder)
    try:
        parts = spark_parts(frame, stage, row_id)
        release = make_release(SpreadEngine(parts, cell_memory(memory)), plan, progress=progress)
        parts.publish()
    finally:
        stage.discard()
    if not isinstance(release, FileRelease):
        raise InvalidData("a frame on a cluster is released there.")
    warn_of_columns(release.plan.method, release.labels)
    return with_frame(release, with_decimals(spark.read.parquet(stage.released), frame), stage.released)


def with_decimals(released: DataFrame, frame: DataFrame) -> DataFrame:
    """Round means to the digits that a column of decimals has; all other types are kept already."""
    from microagg.engines.spread.spark import column_of

    kinds = {field.name: field.dataType for field in frame.schema if field.dataType.typeName() == "decimal"}
    columns = [
        column_of(name).cast(kinds[name]).alias(name) if name in kinds else column_of(name) for name in released.columns
    ]
    return released.select(*columns)


def session_of(frame: Any) -> SparkSession:
    """Give the session of a frame, which must be one of Spark on a cluster that this program drives."""
    if not type(frame).__module__.startswith("pyspark.sql."):
        raise InvalidData(
            f"microagg.spark.anonymize takes a frame of Spark; got {type(frame).__name__}. Frames in memory are for "
            "microagg.anonymize."
        )
    if not hasattr(frame, "_jdf"):
        raise InvalidData(
            "frames of Spark Connect are not supported: run the program on the cluster itself (spark-submit)."
        )
    session: SparkSession = frame.sparkSession
    return session


def folder_of(spark: SparkSession) -> str:
    """Give a folder that all workers see: the session's, or a temporary one where all of them are on this machine."""
    context: Any = spark.sparkContext
    checkpoints = context.getCheckpointDir()
    if checkpoints is not None:
        return str(checkpoints)
    if not context.master.startswith("local"):
        raise InvalidOption(
            "say where the release shall lie: folder=, or spark.sparkContext.setCheckpointDir(...), a folder that all "
            "workers see."
        )
    return new_folder(None).as_uri()
