"""Tracks in files: GPX and CSV in; GPX, CSV and GeoJSON out, whole or not at all."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import escape

import numpy as np

from microagg.errors import FileProblem
from microagg.io import atomic_path
from microagg.trajectory.track import Track

SEPARATOR = "\n"
COLUMNS = {
    "track": ("track", "track_id", "trip", "trip_id", "id", "name"),
    "latitude": ("latitude", "lat", "y"),
    "longitude": ("longitude", "lon", "lng", "long", "x"),
}
"""What the columns of a CSV file may be called, in any case; other columns are left alone."""


def read_tracks(path: Path) -> list[Track]:
    """Read the tracks of a GPX or CSV file; the ending of its name says which.

    GPX: every segment of a track, and every route, is a track here. Times, heights and everything else are left
    behind. A file with a document type declaration is refused: it could define entities that grow without bound or
    read other files, and GPX needs none. CSV: a column each for the track, the latitude and the longitude in degrees;
    the positions of a track follow in the order of the lines.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of Track
        In the order of the file.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise FileProblem(f"Cannot read tracks from {path}: its name must end in {' or '.join(READERS)}.")
    try:
        tracks = reader(path)
    except FileProblem:
        raise
    except OSError as error:
        raise FileProblem(f"Cannot read {path}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise FileProblem(f"Cannot read {path}: it is not UTF-8 text.") from error
    if not tracks:
        raise FileProblem(f"Cannot read tracks from {path}: it holds none.")
    return tracks


def _read_gpx(path: Path) -> list[Track]:
    gathered: list[tuple[str, list[tuple[float, float]]]] = []
    parser = expat.ParserCreate(namespace_separator=SEPARATOR)
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def refuse_doctype(*_: object) -> None:
        raise FileProblem(f"Cannot read {path}: it has a document type declaration, which GPX files do not need.")

    def begin(tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(SEPARATOR)[2]
        if name in ("trkseg", "rte"):
            gathered.append((str(len(gathered) + 1), []))
        elif name in ("trkpt", "rtept"):
            where = f"{path}, line {parser.CurrentLineNumber}"
            if not gathered:
                raise FileProblem(f"Cannot read {where}: a point outside any track.")
            gathered[-1][1].append(_position(attributes.get("lat", ""), attributes.get("lon", ""), where))

    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.EntityDeclHandler = refuse_doctype
    parser.StartElementHandler = begin
    try:
        with path.open("rb") as file:
            parser.ParseFile(file)
    except expat.ExpatError as error:
        raise FileProblem(f"Cannot read {path}, line {error.lineno}: {expat.ErrorString(error.code)}.") from error
    return [Track(name, np.array(positions)) for name, positions in gathered if positions]


def _read_csv(path: Path) -> list[Track]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = csv.reader(file)
        header = [name.strip().lower() for name in next(lines, [])]
        places = {}
        for column, names in COLUMNS.items():
            in_header = [header.index(name) for name in names if name in header]
            if not in_header:
                raise FileProblem(f"Cannot read {path}: it needs a column {column} (or {', '.join(names[1:])}).")
            places[column] = in_header[0]
        gathered: dict[str, list[tuple[float, float]]] = {}
        for line in lines:
            if not line:
                continue
            where = f"{path}, line {lines.line_num}"
            if len(line) <= max(places.values()):
                raise FileProblem(f"Cannot read {where}: it has {len(line)} cells, the header {len(header)}.")
            position = _position(line[places["latitude"]], line[places["longitude"]], where)
            gathered.setdefault(line[places["track"]], []).append(position)
    return [Track(name, np.array(positions)) for name, positions in gathered.items()]


def _position(latitude: str, longitude: str, where: str) -> tuple[float, float]:
    try:
        position = float(latitude), float(longitude)
    except ValueError:
        raise FileProblem(f"Cannot read {where}: latitude and longitude must be numbers.") from None
    if not all(map(math.isfinite, position)) or abs(position[0]) > 90 or abs(position[1]) > 180:
        raise FileProblem(
            f"Cannot read {where}: a latitude must lie between -90 and 90 degrees, a longitude between -180 and 180."
        )
    return position


def write_tracks(tracks: Sequence[Track], path: Path) -> None:
    """Write tracks as GPX, CSV or GeoJSON; the ending of the name says which. Seven digits, a centimetre, are kept."""
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise FileProblem(f"Cannot write tracks to {path}: its name must end in {' or '.join(WRITERS)}.")
    with atomic_path(path) as temporary:
        temporary.write_text(writer(tracks), encoding="utf-8")


def _gpx(tracks: Sequence[Track]) -> str:
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gpx version="1.1" creator="microagg" xmlns="http://www.topografix.com/GPX/1/1">\n'
    ]
    for track in tracks:
        points = "".join(f'<trkpt lat="{lat:.7f}" lon="{lon:.7f}"/>\n' for lat, lon in track.positions.tolist())
        parts.append(f"<trk><name>{escape(track.name)}</name><trkseg>\n{points}</trkseg></trk>\n")
    return "".join([*parts, "</gpx>\n"])


def _csv(tracks: Sequence[Track]) -> str:
    lines = [f"{track.name},{lat:.7f},{lon:.7f}\n" for track in tracks for lat, lon in track.positions.tolist()]
    return "".join(["track,latitude,longitude\n", *lines])


def _geojson(tracks: Sequence[Track]) -> str:
    features = [
        {
            "type": "Feature",
            "properties": {"track": track.name},
            "geometry": {
                "type": "LineString",
                "coordinates": [[round(lon, 7), round(lat, 7)] for lat, lon in track.positions.tolist()],
            },
        }
        for track in tracks
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}) + "\n"


READERS: dict[str, Callable[[Path], list[Track]]] = {".gpx": _read_gpx, ".csv": _read_csv}
WRITERS: dict[str, Callable[[Sequence[Track]], str]] = {".gpx": _gpx, ".csv": _csv, ".geojson": _geojson}
