"""Frames of Spark: the bytes that every other engine gives, whatever partitions and workers there are."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from cluster_people import LIGHT, PLAN, N, assert_same, assert_same_facts, write_people

import microagg as ma
from microagg.errors import InfeasibleK, InvalidData, InvalidOption


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    write_people(folder)
    return folder


@pytest.fixture(scope="module")
def expected(people, tmp_path_factory):
    """What one process makes of the same files, one cell after the other."""
    target = tmp_path_factory.mktemp("serial") / "released"
    release = ma.anonymize_file(people, target, engine="serial", **PLAN)
    return release, pq.read_table(target)


@pytest.fixture(scope="module")
def light(people, tmp_path_factory):
    """The same of a plan that asks for little."""
    target = tmp_path_factory.mktemp("light") / "released"
    release = ma.anonymize_file(people, target, engine="serial", **LIGHT)
    return release, pq.read_table(target)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "stage"
    place.mkdir()
    return place


def test_a_frame_of_files_gives_the_same_bytes_and_keeps_its_types(spark, people, expected, folder, tmp_path):
    """Strata, weights, categories, dates, gaps and a promise at once; only what was asked for changes."""
    frame = spark.read.parquet(str(people))
    release = ma.spark.anonymize(frame, folder=str(folder), **PLAN)
    assert_same(release.frame.toArrow(), expected[1])
    assert_same_facts(release, expected[0])
    wanted = [field for field in frame.schema if field.name not in PLAN["identifiers"]]
    assert [(field.name, field.dataType) for field in release.frame.schema] == [
        (field.name, field.dataType) for field in wanted
    ]
    assert release.data is release.frame
    (own,) = folder.iterdir()
    assert own.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in own.iterdir()] == ["release"], "nothing but the release is left"
    release.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_an_id_gives_the_same_bytes_however_records_are_dealt(spark, people, light):
    """A frame that is no file: dealt anew, in another order, on another number of partitions."""
    frame = spark.read.parquet(str(people)).repartition(5, "town").sortWithinPartitions("age")
    release = ma.spark.anonymize(frame, row_id="id", **LIGHT)
    assert_same(release.frame.toArrow(), light[1])
    assert_same_facts(release, light[0])


def test_any_other_frame_is_written_down_first_and_released_whole(spark, people, folder):
    """Without an order of its own, and shuffled: every record once, and grouped once, however often one looks."""
    frame = spark.read.parquet(str(people)).where("age < 60").union(spark.read.parquet(str(people)).where("age >= 60"))
    release = ma.spark.anonymize(frame, folder=str(folder), **LIGHT, shuffle=True)
    first, second = release.frame.toArrow(), release.frame.toArrow()
    assert first.equals(second)
    assert sorted(first["id"].to_pylist()) == list(range(N))
    assert first["id"].to_pylist() != frame.toArrow()["id"].to_pylist()


def test_refusals_leave_nothing_behind(spark, people, folder):
    """What is refused, by the driver or by a worker, is said as it is everywhere."""
    frame = spark.read.parquet(str(people))
    with pytest.raises(InfeasibleK, match="k must be between 2 and the number of records"):
        ma.spark.anonymize(frame, folder=str(folder), **{**LIGHT, "k": N + 1})
    with pytest.raises(InvalidOption, match="bound"):
        ma.spark.anonymize(frame, 3, folder=str(folder), quasi=["age"], bound=1.0)
    with pytest.raises(InvalidData, match=r"row_id: column 'age' must have another value in each record; 1200 records"):
        ma.spark.anonymize(frame, 3, folder=str(folder), row_id="age")
    with pytest.raises(InvalidOption, match="row_id: there is no column 'ids'"):
        ma.spark.anonymize(frame, 3, folder=str(folder), row_id="ids")
    with pytest.raises(InvalidData, match="column 'nothing' has no type"):
        ma.spark.anonymize(frame.selectExpr("age", "null as nothing"), 3, folder=str(folder))
    with pytest.raises(InvalidData, match=r"Call microagg\.spark\.anonymize"):
        ma.anonymize(frame, 3)
    with pytest.raises(InvalidData, match="takes a frame of Spark; got Table"):
        ma.spark.anonymize(pq.read_table(people), 3)
    assert not list(folder.iterdir())


def test_files_are_released_by_a_master_of_spark(spark, people, light, tmp_path):
    """A folder of Parquet files in, a folder of Parquet files out: the same as of any other engine."""
    release = ma.anonymize_file(people, tmp_path / "released", engine=spark.sparkContext.master, **LIGHT)
    assert_same_facts(release, light[0])
    assert {path.name for path in (tmp_path / "released").iterdir()} == {"part-00000.parquet"}
    released = pq.read_table(tmp_path / "released")
    assert_same(released, light[1])
    assert released["id"].to_pylist() == list(range(N)), "records keep their order"
    assert [path.name for path in tmp_path.iterdir()] == ["released"], "nothing lies beside it"
    with pytest.raises(InvalidOption, match="a session of Spark runs already"):
        ma.anonymize_file(people, None, engine="spark://127.0.0.1:1", **LIGHT)
