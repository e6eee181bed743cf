"""Parquet files, through DuckDB: types are kept."""

# ruff: noqa: S608 - identifiers in our SQL are our own (c0, c1, ...); every text of others goes through literal().

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from microagg.errors import InvalidData
from microagg.io.columns import check_names
from microagg.io.duck import Database, DuckTable, Spool, describe


def read(path: Path, *, spool: Spool | None = None) -> DuckTable:
    """Read a Parquet file.

    Parameters
    ----------
    path : Path
        The file.
    spool : Spool, optional
        Where the records go if they need not fit into memory.
    """
    return read_parts([path], path.name, spool=spool)


def read_parts(paths: Sequence[Path], name: str, *, spool: Spool | None = None) -> DuckTable:
    """Read Parquet files with the same columns as one table, one after the other.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    name : str
        What messages call them.
    spool : Spool, optional
        Where the records go if they need not fit into memory.
    """
    import duckdb

    database = Database(spool)
    links = [database.link(path, number) for number, path in enumerate(paths)]
    try:
        schemas = [
            database.connection.execute(
                f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({link})"
            ).fetchall()
            for link in links
        ]
        names = check_names(_top_level(schemas[0][1:]), name)
        if not names:
            raise InvalidData(f"{name}: the file has no columns.")
        other = next((i for i, schema in enumerate(schemas) if _top_level(schema[1:]) != list(names)), None)
        if other is not None:
            raise InvalidData(f"{name}: {paths[other].name} has other columns than {paths[0].name}.")
        columns = ", ".join(f"c{position}" for position in range(len(names)))
        database.connection.execute(
            f"CREATE TABLE base AS SELECT * FROM read_parquet([{', '.join(links)}], hive_partitioning = false) "
            f"AS file({columns})"
        )
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise InvalidData(f"{name} cannot be read as Parquet: it is damaged or of another format.") from error
    return DuckTable(describe(database, names), names)


def write(table: DuckTable, path: Path) -> None:
    """Write a Parquet file."""
    if "" in table.names:
        raise InvalidData(f"Parquet needs a name for every column; column {table.names.index('') + 1} has none.")
    alike = [name for name, count in Counter(name.casefold() for name in table.names).items() if count > 1]
    if alike:
        clash = ", ".join(repr(name) for name in table.names if name.casefold() in alike)
        raise InvalidData(f"Parquet cannot be written with names that differ in case alone: {clash}. Rename them.")
    table.copy(path, "FORMAT parquet", as_text=False)


def _top_level(schema: list[tuple[str, int]]) -> list[str]:
    """Give the names of the columns from a schema listed depth first, each entry with its number of children."""
    names = []
    inside = 0
    for name, n_children in schema:
        if inside == 0:
            names.append(name)
        else:
            inside -= 1
        inside += n_children
    return names
