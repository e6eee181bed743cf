"""Frames of Dask: the bytes that every other engine gives, and the types that they had."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cluster_people import PLAN, assert_same, assert_same_facts, write_people

import microagg as ma
from microagg.errors import InvalidData

pytest.importorskip("distributed", reason="distributed is not installed: pip install 'microagg[dask]'")
frames = pytest.importorskip("dask.dataframe", reason="dask is not installed: pip install 'microagg[dask]'")

# Dask calls pandas in ways that pandas 3 warns of.
pytestmark = pytest.mark.filterwarnings("ignore:.*inplace:DeprecationWarning")


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    write_people(folder)
    return folder


def test_a_frame_gives_the_same_bytes_and_keeps_its_types(people, tmp_path):
    """On a cluster of two workers, dealt anew: neither partitions nor index say anything."""
    import distributed

    expected = ma.anonymize_file(people, tmp_path / "serial", engine="serial", **PLAN)
    place = tmp_path / "place"
    place.mkdir()
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        frame = frames.read_parquet(people).repartition(npartitions=5)
        release = ma.dask.anonymize(frame, folder=str(place), **PLAN)
        released = pa.Table.from_pandas(release.frame.compute(), preserve_index=False)
    assert_same(released, pq.read_table(tmp_path / "serial"))
    assert_same_facts(release, expected)
    assert release.frame.dtypes.to_dict() == frame.drop(columns=PLAN["identifiers"]).dtypes.to_dict()
    (own,) = place.iterdir()
    assert [path.name for path in own.iterdir()] == ["release"], "nothing but the release is left"


def test_what_is_no_frame_of_dask_is_refused(people):
    """And frames of Dask are sent here by the call for frames in memory."""
    with pytest.raises(InvalidData, match=r"Call microagg\.dask\.anonymize"):
        ma.anonymize(frames.read_parquet(people), 3)
    with pytest.raises(InvalidData, match="takes a frame of Dask; got Table"):
        ma.dask.anonymize(pq.read_table(people), 3)
