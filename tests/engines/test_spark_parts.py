"""What the engine asks of Spark, without the engine: every record once, in its bucket, and back beside its values."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from cluster_people import N, write_people

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'microagg[spark]'")

from spark_tasks import (
    DieOnce,
    add_rows,
    by_age,
    check_put,
    check_survives,
    count_rows,
    keep_rows,
    parts_of,
    refuse,
    with_number,
)

from microagg.engines.spread.parts import ROW
from microagg.errors import InfeasibleK, InvalidData


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    return folder, write_people(folder)


@pytest.fixture
def parts(spark, people, tmp_path):
    return parts_of(spark, people[0], tmp_path)


def test_records_are_folded_shuffled_and_put_back_with_their_types(spark, parts, people):
    """Rows by files and places in them; names with dots, gaps and every type survive, and nothing is left behind."""
    rows = {row["id"]: row[ROW] for row in parts.frame.select("id", f"`{ROW}`").collect()}
    assert rows == {i: i for i in range(N)}
    assert parts.n_records == N
    assert parts.fold(count_rows, add_rows, ["a.visits", "seen"]) == (N, ["a.visits", "seen", ROW])
    counts, made = parts.shuffle(by_age, keep_rows, ["age"], n_buckets=4)
    assert sum(counts.values()) == made.n_records == N
    assert made.fold(count_rows, add_rows, ["y"]) == (N, ["y", ROW])
    parts.put(made, with_number, parts.schema.names)
    frame = spark.read.parquet(parts._stage.released)
    assert frame.schema == spark.read.parquet(str(people[0])).schema
    released, original = frame.toArrow().sort_by("id"), people[1]
    for name in original.column_names:
        wanted = [age % 4 for age in original["age"].to_pylist()] if name == "weight" else original[name].to_pylist()
        assert released[name].to_pylist() == wanted, name
    files = sorted(Path(parts._stage.released).glob("part-*.parquet"))
    order = [row for path in files for row in pq.read_table(path, columns=["id"])["id"].to_pylist()]
    assert order == list(range(N)), "files hold records in the order that they had"
    parts.publish()
    parts.discard()
    assert [path.name for path in Path(parts._stage.released).parent.iterdir()] == ["release"]


def test_a_secret_order_is_kept_by_the_files(spark, parts):
    """Else the order of the release would be that of the original."""
    _, made = parts.shuffle(by_age, keep_rows, ["age"], n_buckets=4)
    parts.put(made, with_number, ["id", "weight"], scatter=2**100 + 1)
    order = [row["id"] for row in spark.read.parquet(parts._stage.released).collect()]
    assert sorted(order) == list(range(N))
    assert abs(np.corrcoef(order, np.arange(N))[0, 1]) < 0.15


def test_errors_of_tasks_arrive_as_they_are(parts):
    """And nothing is left behind."""
    with pytest.raises(InfeasibleK, match="too large"):
        parts.shuffle(by_age, refuse, ["age"], n_buckets=4)
    with pytest.raises(InvalidData, match="a cell of 1 records got"):
        parts.shuffle(by_age, keep_rows, ["age"], n_buckets=4, sizes=np.ones(4, dtype=np.int64))
    parts.discard()
    assert not Path(parts._stage.released).parent.exists()


def test_a_killed_worker_is_made_up_for(parts, tmp_path):
    """It dies in the middle of a bucket; Spark runs that again."""
    check_put(parts, check_survives(parts, DieOnce(str(tmp_path / "died"))))


@pytest.mark.skipif("MICROAGG_CLUSTER" not in os.environ, reason="four processes of Java: part of `make cluster`")
def test_a_killed_executor_is_made_up_for(people, tmp_path):
    """With all that it had sent to others: two executors of their own, in a program of its own, one of them killed."""
    tests = Path(__file__).parents[1]
    subprocess.run(
        [sys.executable, tests / "spark_tasks.py", people[0], tmp_path],
        check=True, timeout=300, env={**os.environ, "PYTHONPATH": str(tests)}, capture_output=True,
    )  # fmt: skip
    assert (tmp_path / "survived").exists()
