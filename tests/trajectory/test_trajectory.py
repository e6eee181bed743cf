"""Trajectories: files, projection, points at equal distances, and releases of equal tracks."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from microagg.cli import cli
from microagg.errors import FileProblem, InfeasibleK, InvalidData, InvalidOption, NotKAnonymous
from microagg.partition import partition
from microagg.trajectory import (
    Plane,
    Track,
    draw_tracks,
    inside,
    plane_of,
    read_tracks,
    release_tracks,
    resample,
    street_trips,
    write_tracks,
)
from microagg.utility import information_loss

GPX = """<?xml version="1.0"?>
<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="1" lon="1"><name>home</name></wpt>
<trk><name>Ada &amp; Bob</name>
<trkseg><trkpt lat="41.1" lon="1.2"><ele>3</ele><time>2020-01-01T00:00:00Z</time></trkpt>
<trkpt lat="41.2" lon="1.3"/></trkseg>
<trkseg><trkpt lat="42" lon="2"/></trkseg></trk>
<rte><rtept lat="-10.5" lon="-70"/><rtept lat="-10.6" lon="-70"/></rte>
<trk><trkseg></trkseg></trk>
</gpx>"""

BOMB = """<?xml version="1.0"?>
<!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<gpx><trk><name>&b;</name><trkseg><trkpt lat="1" lon="1"/></trkseg></trk></gpx>"""

READS_OTHER_FILES = """<?xml version="1.0"?>
<!DOCTYPE gpx SYSTEM "file:///etc/passwd">
<gpx><trk><trkseg><trkpt lat="1" lon="1"/></trkseg></trk></gpx>"""


def written(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_gpx_segments_and_routes_are_tracks(tmp_path: Path) -> None:
    tracks = read_tracks(written(tmp_path, "a.gpx", GPX))
    assert [track.positions.tolist() for track in tracks] == [
        [[41.1, 1.2], [41.2, 1.3]],
        [[42.0, 2.0]],
        [[-10.5, -70.0], [-10.6, -70.0]],
    ]
    assert not any("Ada" in track.name for track in tracks)


@pytest.mark.parametrize("content", [BOMB, READS_OTHER_FILES], ids=["entities that grow", "another file"])
def test_gpx_with_a_document_type_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(FileProblem, match="document type declaration"):
        read_tracks(written(tmp_path, "a.gpx", content))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.gpx", GPX.replace('lat="41.2"', 'lat="north"'), "line 6: latitude and longitude must be numbers"),
        ("a.gpx", GPX.replace('lat="41.2"', 'lat="91"'), "between -90 and 90"),
        ("a.gpx", GPX.replace('lat="41.2"', 'lat="nan"'), "between -90 and 90"),
        ("a.gpx", GPX.replace('lat="41.2"', ""), "must be numbers"),
        ("a.gpx", GPX.replace("</gpx>", ""), "^Cannot read [^:]*, line 10: no element found"),
        ("a.gpx", '<gpx><trkpt lat="1" lon="1"/></gpx>', "outside any track"),
        ("a.gpx", "<gpx/>", "it holds none"),
        ("a.csv", "id,lat\n1,2\n", "needs a column longitude"),
        ("a.csv", "id,lat,lon\n1,2\n", "line 2: it has 2 cells"),
        ("a.csv", "id,lat,lon\n1,2,181\n", "line 2: a latitude must lie"),
        ("a.csv", "", "needs a column track"),
        ("a.kml", "<kml/>", "must end in .gpx or .csv"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(FileProblem, match=message):
        read_tracks(written(tmp_path, name, content))


def test_missing_file_and_foreign_text_are_told(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="Cannot read"):
        read_tracks(tmp_path / "nosuch.gpx")
    (tmp_path / "a.csv").write_bytes(b"id,lat,lon\n\xff,1,2\n")
    with pytest.raises(FileProblem, match="not UTF-8"):
        read_tracks(tmp_path / "a.csv")


def test_csv_lines_of_a_track_stay_in_order(tmp_path: Path) -> None:
    content = "Trip,time,LAT,Lng\nb,1,1.5,2\na,1,3,4\nb,2,5,6\n"
    tracks = read_tracks(written(tmp_path, "a.csv", content))
    assert {track.name: track.positions.tolist() for track in tracks} == {
        "b": [[1.5, 2.0], [5.0, 6.0]],
        "a": [[3.0, 4.0]],
    }


@pytest.mark.parametrize("ending", ["gpx", "csv"])
def test_what_is_written_can_be_read(tmp_path: Path, ending: str) -> None:
    trips = street_trips(5, seed=3)
    write_tracks(trips, tmp_path / f"a.{ending}")
    back = read_tracks(tmp_path / f"a.{ending}")
    assert len(back) == 5
    for before, after in zip(trips, back, strict=True):
        np.testing.assert_allclose(after.positions, before.positions, atol=5e-8, rtol=0)


def test_geojson_has_longitude_first(tmp_path: Path) -> None:
    write_tracks([Track("1", np.array([[41.0, 2.0], [42.0, 3.0]]))], tmp_path / "a.geojson")
    (feature,) = json.loads((tmp_path / "a.geojson").read_text())["features"]
    assert feature["geometry"] == {"type": "LineString", "coordinates": [[2.0, 41.0], [3.0, 42.0]]}


def test_names_cannot_break_out_of_gpx(tmp_path: Path) -> None:
    write_tracks([Track("a</name><x>", np.array([[1.0, 2.0]]))], tmp_path / "a.gpx")
    assert len(read_tracks(tmp_path / "a.gpx")) == 1


def great_circle(a: np.ndarray, b: np.ndarray) -> float:
    """Metres between two positions, by the haversine formula."""
    (lat1, lon1), (lat2, lon2) = np.radians(a), np.radians(b)
    h = np.sin((lat2 - lat1) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    return float(2 * 6_371_008.8 * np.arcsin(np.sqrt(h)))


@pytest.mark.parametrize("origin", [(41.12, 1.25), (-33.9, 151.2), (64.1, -179.99), (0.0, 179.999)])
def test_metres_are_metres_and_come_back(origin: tuple[float, float]) -> None:
    """Within a town, also one through which the date line runs, distances agree with the great circle."""
    random = np.random.default_rng(0)
    positions = np.array(origin) + random.uniform(-0.05, 0.05, size=(30, 2))
    positions[:, 1] = (positions[:, 1] + 180) % 360 - 180
    plane = plane_of([Track("a", positions)])
    metres = plane.to_metres(positions)
    np.testing.assert_allclose(plane.to_degrees(metres), positions, atol=1e-9)
    for i, j in random.integers(0, 30, size=(50, 2)):
        straight = float(np.sqrt(((metres[i] - metres[j]) ** 2).sum()))
        assert straight == pytest.approx(great_circle(positions[i], positions[j]), rel=3e-3, abs=0.01)


def test_points_lie_at_equal_distances_along_the_track() -> None:
    corner = np.array([[0.0, 0.0], [0.0, 0.0], [30.0, 0.0], [30.0, 10.0]])
    (record,) = resample(corner, 5)
    assert record.tolist() == [[0, 0], [10, 0], [20, 0], [30, 0], [30, 10]]


def test_spacing_cuts_long_tracks_and_leaves_the_rest_out() -> None:
    straight = np.column_stack([np.linspace(0, 95, 7), np.zeros(7)])
    records = resample(straight, 5, spacing=10.0)
    assert [record[:, 0].round(9).tolist() for record in records] == [[0, 10, 20, 30, 40], [40, 50, 60, 70, 80]]
    assert resample(straight, 5, spacing=30.0) == []


def test_spacing_that_fits_exactly_keeps_the_last_record() -> None:
    track = np.column_stack([np.cumsum(np.full(31, 0.1)), np.zeros(31)])
    assert len(resample(track, 4, spacing=0.1)) == 10


@pytest.mark.parametrize("still", [[[3.0, 4.0]], [[3.0, 4.0], [3.0, 4.0]]])
def test_tracks_that_do_not_move_give_nothing(still: list[list[float]]) -> None:
    assert resample(np.array(still), 4) == []


@pytest.mark.parametrize(
    ("points", "spacing", "message"),
    [
        (1, None, "points must be"),
        (2.5, None, "points must be"),
        (3, 0.0, "spacing must"),
        (3, np.inf, "spacing must"),
        (3, "far", "spacing must"),
        (10**9, None, "points must be"),
        (3, 1e-3, "at most 100,000"),
    ],
)
def test_options_of_resampling_that_cannot_be(points, spacing, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        resample(np.array([[0.0, 0.0], [0.0, 1000.0]]), points, spacing)


@pytest.mark.parametrize("method", ["mdav", "npn_mhm"])
def test_every_released_track_is_the_same_as_k_less_1_others(tmp_path: Path, method: str) -> None:
    """Also in the file, where numbers are rounded; and names, order and number of positions tell nobody apart."""
    trips = street_trips(83, seed=1)
    release = release_tracks(trips, 5, points=12, method=method)
    write_tracks(release.tracks, tmp_path / "a.csv")
    back = read_tracks(tmp_path / "a.csv")
    times = Counter(track.positions.tobytes() for track in back)
    assert len(back) == 83
    assert min(times.values()) >= 5
    assert len(times) == release.groups
    assert [track.name for track in release.tracks] == [str(i) for i in range(1, 84)]
    assert {track.positions.shape for track in release.tracks} == {(12, 2)}


def test_released_tracks_are_the_means_of_what_they_stand_for() -> None:
    release = release_tracks(street_trips(40, seed=2), 4, points=6)
    sums: dict[bytes, list[np.ndarray]] = {}
    for released, original in zip(release.tracks, release.originals, strict=True):
        sums.setdefault(released.positions.tobytes(), []).append(original.positions)
    for released_bytes, originals in sums.items():
        np.testing.assert_allclose(np.frombuffer(released_bytes).reshape(6, 2), np.mean(originals, axis=0), atol=1e-9)


def test_short_tracks_are_counted_as_left_out() -> None:
    still = Track("still", np.array([[41.12, 1.25], [41.12, 1.25]]))
    release = release_tracks([*street_trips(10, seed=0), still], 3, points=5)
    assert (len(release.tracks), release.left_out) == (10, 1)


@pytest.mark.parametrize(
    ("k", "options", "error", "message"),
    [
        (9, {}, InfeasibleK, r"number of records \(8\)"),
        (1, {}, InfeasibleK, "k must be"),
        (3, {"spacing": 1e6}, InvalidData, "no track is long enough"),
        (3, {"method": "individual"}, InvalidOption, "tracks would stay unique"),
        (3, {"method": "nosuch"}, InvalidOption, "method must be one of"),
    ],
)
def test_releases_that_cannot_be(k: int, options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        release_tracks(street_trips(8), k, **options)


def test_a_release_with_a_small_group_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[release_tracks.__module__]
    monkeypatch.setattr(module, "partition", lambda X, k, **_: np.arange(len(X)) // (k - 1))
    with pytest.raises(NotKAnonymous, match="with fewer than 3 records"):
        release_tracks(street_trips(8), 3)


def test_no_tracks_is_an_error() -> None:
    with pytest.raises(InvalidData, match="at least one track"):
        release_tracks([], 3)


def test_trips_keep_to_the_streets() -> None:
    """Without noise every position lies on a crossing or halfway between two, one coordinate on a street."""
    for trip in street_trips(20, blocks=6, block=100.0, seed=4, noise=0.0):
        places = Plane(41.12, 1.25).to_metres(trip.positions) / 50.0
        np.testing.assert_allclose(places, np.rint(places), atol=1e-5)
        assert ((np.rint(places) % 2 == 0).any(axis=1)).all()
        steps = np.abs(np.diff(np.rint(places), axis=0)).sum(axis=1)
        assert (steps == 1).all()
    again = street_trips(2, seed=4)
    np.testing.assert_array_equal(again[1].positions, street_trips(2, seed=4)[1].positions)


def test_drawing_shows_originals_and_released_tracks() -> None:
    release = release_tracks(street_trips(20, seed=2), 4, points=6)
    root = ElementTree.fromstring(draw_tracks(release))  # noqa: S314
    kinds = Counter(node.get("class") for node in root.iter("{http://www.w3.org/2000/svg}path"))
    assert kinds == {"before": 20, "after": release.groups}


def test_command_writes_a_release_and_a_drawing(tmp_path: Path) -> None:
    write_tracks(street_trips(60, seed=0), tmp_path / "in.gpx")
    arguments = ["trajectories", str(tmp_path / "in.gpx"), "-k", "5", "-o", str(tmp_path / "out.geojson")]
    drawing = tmp_path / "map.svg"
    result = CliRunner().invoke(cli, [*arguments, "--points", "8", "--drawing", str(drawing), "--json"])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["tracks"] == 60
    assert summary["mean_shift_metres"] > 0
    assert len(json.loads((tmp_path / "out.geojson").read_text())["features"]) == 60
    assert drawing.read_text().startswith("<svg")


def test_command_refuses_an_output_it_cannot_write_before_it_works(tmp_path: Path) -> None:
    write_tracks(street_trips(9, seed=0), tmp_path / "in.csv")
    result = CliRunner().invoke(cli, ["trajectories", str(tmp_path / "in.csv"), "-k", "3", "-o", "out.kml"])
    assert "must be a .gpx, .csv, .geojson file" in str(result.exception)


def test_tracks_are_standardised_unless_metres_are_asked_for() -> None:
    """A town that is ten times as wide as high: in metres east and west decide alone, standardised both count."""
    random = np.random.default_rng(4)
    tracks = [
        Track(str(i), np.column_stack([y + np.linspace(0, 1e-4, 4), np.full(4, x)]))
        for i, (y, x) in enumerate(random.random((60, 2)) * [0.001, 0.01])
    ]
    metres = np.array([plane_of(tracks).to_metres(t.positions).ravel() for t in tracks])
    both, raw = (release_tracks(tracks, 5, points=4, standardize=how) for how in (True, False))
    assert {frozenset(t.positions.ravel().tolist()) for t in both.tracks} != {
        frozenset(t.positions.ravel().tolist()) for t in raw.tracks
    }
    Z = (metres - metres.mean(axis=0)) / metres.std(axis=0, ddof=1)
    assert both.information_loss == pytest.approx(information_loss(Z, partition(Z, 5)), rel=1e-6)
    assert raw.information_loss == pytest.approx(information_loss(metres, partition(metres, 5)), rel=1e-6)
    with pytest.raises(InvalidOption, match="standardize must be True or False"):
        release_tracks(tracks, 5, standardize="yes")


def test_a_box_keeps_the_stretches_inside() -> None:
    track = Track("a", np.array([[0.0, 0.0], [1.0, 1.0], [5.0, 1.0], [1.0, 179.0], [1.0, -179.0], [1.0, 170.0]]))
    assert [p.positions.tolist() for p in inside([track], (-1, -1, 2, 2))] == [[[0.0, 0.0], [1.0, 1.0]]]
    across = inside([track], (0, 175, 2, -175))
    assert [piece.positions.tolist() for piece in across] == [[[1.0, 179.0], [1.0, -179.0]]]
    assert inside([track], (50, 50, 51, 51)) == []


def test_a_release_of_a_box_holds_nothing_from_outside() -> None:
    trips = street_trips(200, seed=2)
    positions = np.concatenate([t.positions for t in trips])
    south, west = np.quantile(positions, 0.2, axis=0)
    north, east = np.quantile(positions, 0.8, axis=0)
    released = release_tracks(trips, 3, points=5, box=(south, west, north, east))
    places = np.concatenate([t.positions for t in released.tracks])
    assert places.min(axis=0) == pytest.approx([south, west], abs=0.01)
    assert (places >= [south - 1e-9, west - 1e-9]).all()
    assert (places <= [north + 1e-9, east + 1e-9]).all()
    assert released.left_out > 0


@pytest.mark.parametrize(
    ("box", "message"),
    [
        ((1, 2, 3), "four numbers"),
        ((1, 2, 0, 3), "south below its north"),
        ((-91, 0, 1, 1), "between -90 and 90"),
        ((0, 0, 1, 200), "between -180 and 180"),
    ],
)
def test_boxes_that_cannot_be(box: tuple[float, ...], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        release_tracks(street_trips(5, seed=0), 2, box=box)


def test_box_and_metres_on_the_command_line(tmp_path: Path) -> None:
    write_tracks(street_trips(30, seed=1), tmp_path / "trips.csv")
    words = [
        "trajectories",
        str(tmp_path / "trips.csv"),
        "-k",
        "3",
        "-o",
        str(tmp_path / "out.csv"),
        "--raw",
    ]
    assert CliRunner().invoke(cli, [*words, "--box", "-90,-180,90,180"], catch_exceptions=False).exit_code == 0
    with pytest.raises(InvalidOption, match="SOUTH,WEST,NORTH,EAST"):
        CliRunner().invoke(cli, [*words, "--box", "here"], catch_exceptions=False)
    with pytest.raises(InvalidData, match="no track has a position inside"):
        CliRunner().invoke(cli, [*words, "--box", "80,0,81,1"], catch_exceptions=False)


@pytest.mark.parametrize(("block", "unit"), [(120.0, " m on average"), (12_000.0, " km on average")])
def test_metres_become_kilometres(block: float, unit: str, tmp_path: Path) -> None:
    """Positions that moved by 12,345 m moved by 12.3 km, for people; programs get metres."""
    write_tracks(street_trips(60, block=block, seed=0), tmp_path / "in.gpx")
    arguments = ["trajectories", str(tmp_path / "in.gpx"), "-k", "5", "-o", str(tmp_path / "out.gpx"), "--points", "8"]
    said = CliRunner().invoke(cli, arguments).output
    assert unit in said
    metres = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).stdout)["mean_shift_metres"]
    assert (metres > 1000) == (unit == " km on average")
