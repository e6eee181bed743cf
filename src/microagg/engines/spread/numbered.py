"""Spark frames with the number of each record: from 0 on, by what the data say, never by how Spark deals them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa

from microagg.engines.spread.parts import ROW
from microagg.engines.spread.spark import BLOCK, SparkParts, SparkStage, column_of, without_pandas
from microagg.errors import InvalidData, InvalidOption

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PLACE = "struct<file_path", "row_index:bigint"
"""What Spark's column of metadata begins with, and has where it knows the place of a record in its file."""


def spark_parts(frame: DataFrame, stage: SparkStage, row_id: str | None, block: int = BLOCK) -> SparkParts:
    """Number the records of a frame.

    A frame that is Parquet files, all their records and no more, is numbered by the names of its files and the places
    in them, and read where it lies. Any other is written to the stage first: in the order of `row_id` where that is
    given, of the files that it was filtered from, or else as it comes.

    Parameters
    ----------
    frame : DataFrame
        The records.
    stage : SparkStage
        Where what must be written goes.
    row_id : str, optional
        A column that has another value in each record.
    block : int
        As in `SparkParts`.
    """
    from pyspark.sql import functions
    from pyspark.sql.pandas.types import to_arrow_schema

    if ROW in frame.columns:
        raise InvalidData(f"the name {ROW!r} is taken by microagg: give this column another one.")
    if untyped := [field.name for field in frame.schema if field.dataType.typeName() == "void"]:
        raise InvalidData(f"column {untyped[0]!r} has no type: leave it out, or give it one (cast).")
    schema = to_arrow_schema(frame.schema, timezone="UTC")
    nodes, has_places = plan_of(frame)
    if row_id is not None:
        if row_id not in frame.columns:
            raise InvalidOption(f"row_id: there is no column {row_id!r}.")
        frame = stage.write(frame.orderBy(column_of(row_id)))
        check_unique(frame, row_id)
    elif has_places and "Filter" in nodes:
        frame = stage.write(frame.orderBy("_metadata.file_path", "_metadata.row_index"))
    elif not has_places:
        frame = stage.write(frame)
    names = [column_of(name) for name in schema.names]
    place = [functions.col(f"_metadata.{part}").alias(f"{ROW} {part}") for part in ("file_path", "row_index")]
    placed = frame.select(*names, *place)
    path, row = (column_of(f"{ROW} {part}") for part in ("file_path", "row_index"))
    counted = placed.groupBy(path.alias("path")).agg((functions.max(row) + 1).alias("n")).collect()
    starts, n_records = starts_of({str(each["path"]): int(each["n"]) for each in counted})
    with without_pandas():
        of_files = frame.sparkSession.createDataFrame(
            pa.table(
                {"path": pa.array(list(starts), pa.string()), "start": pa.array(list(starts.values()), pa.int64())}
            )
        )
    joined = placed.join(functions.broadcast(of_files), path == of_files["path"])
    numbered = joined.select(*names, (of_files["start"] + row).alias(ROW))
    return SparkParts(numbered, schema, stage, n_records, block=block)


def starts_of(sizes: dict[str, int]) -> tuple[dict[str, int], int]:
    """Give the number of the first record of each file, in the order of their names, and that of all records.

    >>> starts_of({"b": 2, "a": 5})
    ({'a': 0, 'b': 5}, 7)
    """
    starts, n_records = {}, 0
    for path in sorted(sizes, key=unquote):
        starts[path] = n_records
        n_records += sizes[path]
    return starts, n_records


def plan_of(frame: DataFrame) -> tuple[frozenset[str], bool]:
    """Give the steps that a frame is made of, and whether each of its records has one place in one file."""
    analysed: Any = frame._jdf.queryExecution().analyzed()
    names: set[str] = set()
    open_nodes = [analysed]
    while open_nodes:
        node = open_nodes.pop()
        names.add(str(node.nodeName()))
        children = node.children()
        open_nodes += [children.apply(place) for place in range(children.size())]
    hidden = analysed.metadataOutput()
    kinds = [str(hidden.apply(place).dataType().simpleString()) for place in range(hidden.size())]
    knows = len(kinds) == 1 and all(part in kinds[0] for part in PLACE)
    return frozenset(names), knows and names <= {"Project", "Filter", "LogicalRelation", "SubqueryAlias"} and bool(
        analysed.deterministic()
    )


def check_unique(frame: DataFrame, row_id: str) -> None:
    """Refuse ids that two records share, or that one lacks."""
    n_ids, n_records = frame.select(column_of(row_id)).na.drop().distinct().count(), frame.count()
    if n_ids != n_records:
        raise InvalidData(
            f"row_id: column {row_id!r} must have another value in each record; {n_records} records have {n_ids}. Name "
            "a column that tells them apart, or leave row_id out."
        )
