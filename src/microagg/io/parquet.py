"""Parquet files, through DuckDB: types are kept."""

# ruff: noqa: S608 - identifiers in our SQL are our own (c0, c1, ...); every text of others goes through literal().

from __future__ import annotations

from collections import Counter
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
    import duckdb

    database = Database(spool)
    link = database.link(path)
    try:
        schema = database.connection.execute(
            f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({link})"
        ).fetchall()
        names = check_names(_top_level(schema[1:]), path.name)
        if not names:
            raise InvalidData(f"{path.name}: the file has no columns.")
        columns = ", ".join(f"c{position}" for position in range(len(names)))
        database.connection.execute(
            f"CREATE TABLE base AS SELECT * FROM read_parquet({link}, hive_partitioning = false) AS file({columns})"
        )
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise InvalidData(f"{path.name} cannot be read as Parquet: it is damaged or of another format.") from error
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
