"""What the engine asks of Spark, without the engine: every record once, in its bucket, and back beside its values."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from spark_session import session

from microagg.engines.spread.numbered import spark_parts
from microagg.engines.spread.parts import ROW
from microagg.engines.spread.spark import SparkStage
from microagg.errors import InfeasibleK, InvalidData

pytestmark = pytest.mark.xdist_group("spark")
N = 1000


@pytest.fixture(scope="module")
def spark():
    with session() as started:
        yield started


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Every type that a frame of people may have, in three files, with gaps."""
    rng = np.random.default_rng(0)
    first = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    table = pa.table(
        {
            "id": pa.array(np.arange(N)),
            "a.ge": pa.array(rng.integers(18, 90, N), pa.int32()),
            "small": pa.array(rng.integers(0, 99, N), pa.int16()),
            "height": pa.array(rng.normal(size=N), pa.float32()),
            "pay": pa.array(rng.lognormal(8, 1, N)),
            "tax": pa.array(
                [decimal.Decimal(int(each)) / 100 for each in rng.integers(0, 99999, N)], pa.decimal128(10, 2)
            ),
            "town": pa.array([("Oslo", "Lima", None)[i] for i in rng.integers(0, 3, N)]),
            "born": pa.array([first.date() + datetime.timedelta(int(i)) for i in rng.integers(0, 900, N)]),
            "seen": pa.array([first + datetime.timedelta(seconds=int(i)) for i in rng.integers(0, 9**6, N)]),
            "well": pa.array([(True, False, None)[i] for i in rng.integers(0, 3, N)]),
        }
    )
    folder = tmp_path_factory.mktemp("people")
    for number, start in enumerate(range(0, N, 400)):
        pq.write_table(table.slice(start, 400), folder / f"part-{number}.parquet")
    return folder, table


@pytest.fixture
def parts(spark, people, tmp_path):
    return spark_parts(spark.read.parquet(str(people[0])), SparkStage(spark, str(tmp_path)), None, block=300)


def count_rows(table):
    return table.num_rows, table.column_names


def add_rows(one, other):
    return one[0] + other[0], one[1]


def by_age(table):
    return table.column("a.ge").to_numpy().astype(np.int64) % 4, table


def keep_rows(number, table):
    return table.num_rows, pa.table({"y": np.full(table.num_rows, float(number)), ROW: table.column(ROW)})


def refuse(number, table):
    raise InfeasibleK("k is too large.")


def with_number(records, made):
    place = records.schema.get_field_index("pay")
    return records.set_column(place, "pay", made.column("y")).drop_columns([ROW])


def test_every_record_has_the_number_of_its_place_in_the_files(parts, people):
    """The same one in every engine: by the names of files, and the rows in them."""
    rows = {row["id"]: row[ROW] for row in parts.frame.select("id", f"`{ROW}`").collect()}
    assert rows == {i: i for i in range(N)}
    assert parts.n_records == N
    assert parts.schema.names == people[1].column_names


def test_records_are_folded_shuffled_and_put_back_with_their_types(spark, parts, people):
    """Names with dots, gaps and every type survive; each record meets what was made of it."""
    assert parts.fold(count_rows, add_rows, ["a.ge", "seen"]) == (N, ["a.ge", "seen", ROW])
    counts, made = parts.shuffle(by_age, keep_rows, ["a.ge"], n_buckets=4)
    assert sum(counts.values()) == made.n_records == N
    assert made.fold(count_rows, add_rows, ["y"]) == (N, ["y", ROW])
    parts.put(made, with_number, parts.schema.names)
    frame = spark.read.parquet(parts._stage.released)
    assert frame.schema == spark.read.parquet(str(people[0])).schema
    released, original = frame.toArrow().sort_by("id"), people[1]
    for name in original.column_names:
        wanted = [age % 4 for age in original["a.ge"].to_pylist()] if name == "pay" else original[name].to_pylist()
        assert released[name].to_pylist() == wanted
    parts.publish()
    parts.discard()
    assert [path.name for path in Path(parts._stage.released).parent.iterdir()] == ["release"]


def test_a_secret_order_is_kept_by_the_files(spark, parts):
    """Else the order of the release would be that of the original."""
    _, made = parts.shuffle(by_age, keep_rows, ["a.ge"], n_buckets=4)
    parts.put(made, with_number, ["id", "pay"], scatter=2**200)
    order = [row["id"] for row in spark.read.parquet(parts._stage.released).collect()]
    assert sorted(order) == list(range(N))
    assert abs(np.corrcoef(order, np.arange(N))[0, 1]) < 0.15


def test_errors_of_tasks_arrive_as_they_are(parts):
    """And nothing is left behind."""
    with pytest.raises(InfeasibleK, match="too large"):
        parts.shuffle(by_age, refuse, ["a.ge"], n_buckets=4)
    with pytest.raises(InvalidData, match="a cell of 1 records got"):
        parts.shuffle(by_age, keep_rows, ["a.ge"], n_buckets=4, sizes=np.ones(4, dtype=np.int64))
    parts.discard()
    assert not Path(parts._stage.released).parent.exists()
