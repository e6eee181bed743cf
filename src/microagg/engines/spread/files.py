"""Parquet files as parts, for whoever can run a function on many items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

from microagg.engines.spread.host import Host
from microagg.engines.spread.map_parts import Item, MapParts
from microagg.errors import FileProblem, InvalidData
from microagg.io.columns import check_names

PART_RECORDS, PART_VALUES = 1_000_000, 16_000_000
"""About how many records a part has, fewer of many columns: row groups are put together up to so many, never divided.
"""


@contextmanager
def open_parts(
    engine: Any, files: Sequence[Path], staging: Path, target: Path | None, threads: int | None
) -> Iterator[MapParts]:
    """Open Parquet files; see `EnginePlace.open`."""
    items, schema = items_of(files)
    host = host_of(engine, threads)
    try:
        yield MapParts(host, staging, items, schema, target)
    finally:
        close = getattr(host, "close", None)
        if close is not None:
            close()


def host_of(engine: Any, threads: int | None) -> Host:
    """Give who works."""
    if engine == "serial":
        from microagg.engines.spread.hosts.serial import SerialHost

        return SerialHost(threads)
    if engine == "processes":
        from microagg.engines.spread.hosts.processes import ProcessHost

        return ProcessHost(threads)
    if isinstance(engine, str) and engine.startswith("ray"):
        from microagg.engines.spread.hosts.ray import RayHost

        return RayHost(engine)
    from microagg.engines.spread.hosts.dask import DaskHost

    return DaskHost(engine)


def items_of(files: Sequence[Path]) -> tuple[list[Item], pa.Schema]:
    """Give the parts of files, and their columns, which must be the same in all."""
    items: list[Item] = []
    first, schema = 0, None
    for path in files:
        try:
            with parquet.ParquetFile(path) as file:
                found, described = file.metadata, file.schema_arrow.remove_metadata()
        except pa.ArrowInvalid as error:
            raise InvalidData(f"{path.name} cannot be read as Parquet: it is damaged or of another format.") from error
        except OSError as error:
            raise FileProblem(f"Cannot read {path}: {error.strerror or error}.") from error
        if schema is None:
            schema = described
            check_names(schema.names, path.name)
        elif not schema.equals(described):
            raise InvalidData(
                f"{path.name} has other columns, or of other types, than {files[0].name}: files that are read together "
                "must have the same ones in the same order."
            )
        most = min(PART_RECORDS, PART_VALUES // max(1, len(schema.names)))
        groups: list[int] = []
        held = 0
        for group in range(found.num_row_groups):
            size = found.row_group(group).num_rows
            if groups and held + size > most:
                items.append(Item(str(path.resolve()), tuple(groups), first, held))
                first, groups, held = first + held, [], 0
            groups.append(group)
            held += size
        if held:
            items.append(Item(str(path.resolve()), tuple(groups), first, held))
            first += held
    if schema is None or not schema.names:
        raise InvalidData(f"{files[0].name}: the file has no columns." if files else "there are no files to read.")
    return items, schema
