"""Tasks that tests send to workers of Spark: these import them by name."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
from cluster_people import N

from microagg.engines.spread.numbered import spark_parts
from microagg.engines.spread.parts import ROW
from microagg.engines.spread.spark import SparkStage
from microagg.errors import InfeasibleK


def parts_of(spark, folder, stage):
    return spark_parts(spark.read.parquet(str(folder)), SparkStage(spark, str(stage)), None, block=300)


def count_rows(table):
    return table.num_rows, table.column_names


def add_rows(one, other):
    return one[0] + other[0], one[1]


def by_age(table):
    return table.column("age").to_numpy().astype(np.int64) % 4, table


def keep_rows(number, table):
    return table.num_rows, pa.table({"y": np.full(table.num_rows, float(number)), ROW: table.column(ROW)})


def refuse(number, table):
    raise InfeasibleK("k is too large.")


def with_number(records, made):
    place = records.schema.get_field_index("weight")
    return records.set_column(place, "weight", made.column("y")).drop_columns([ROW])


@dataclass(frozen=True)
class DieOnce:
    """Kills the process that works, or the whole executor, the first time."""

    marker: str
    whole_executor: bool = False

    def __call__(self, number, table):
        path = Path(self.marker)
        if not path.exists():
            path.touch()
            if self.whole_executor:  # it started the daemon that started this process
                os.kill(psutil.Process(os.getppid()).ppid(), signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
        return keep_rows(number, table)


def check_survives(parts, task):
    """Every record is there once, though somebody died."""
    counts, made = parts.shuffle(by_age, task, ["age"], n_buckets=4)
    assert Path(task.marker).exists()
    assert sum(counts.values()) == made.n_records == N
    assert made.fold(count_rows, add_rows, ["y"]) == (N, ["y", ROW])
    return made


def check_put(parts, made):
    """Every record is beside its own value."""
    parts.put(made, with_number, ["id", "age", "weight"])
    released = parts._stage.spark.read.parquet(parts._stage.released).toArrow().to_pylist()
    assert sorted(row["id"] for row in released) == list(range(N))
    assert all(row["weight"] == row["age"] % 4 for row in released)


if __name__ == "__main__":
    import spark_tasks
    from spark_session import session

    people, place = sys.argv[1], Path(sys.argv[2])
    with session("local-cluster[2,1,512]", **{"spark.executor.memory": "512m"}) as cluster:
        spark_tasks.check_survives(
            parts_of(cluster, people, place), spark_tasks.DieOnce(str(place / "died"), whole_executor=True)
        )
    (place / "survived").touch()
