"""Tracks: sequences of positions on the earth, their projection to metres, and points at equal distances along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microagg.base.checks import check_count, check_number
from microagg.base.types import FloatArray
from microagg.errors import InvalidData, InvalidOption

EARTH_RADIUS = 6_371_008.8
"""Mean radius in metres."""
MOST_POINTS = 10_000
"""Of a record."""
MOST_PIECES = 100_000
"""Records that one track may be cut into."""
LEAST_SPACING = 1e-3
"""A millimetre."""
MOST_LATITUDE, MOST_LONGITUDE = 90.0, 360.0
"""Positions are degrees within these; longitudes may be counted once around the earth, either way."""


@dataclass(frozen=True)
class Track:
    """A sequence of positions: an array of shape (points, 2), latitude and longitude in degrees."""

    name: str
    positions: FloatArray


@dataclass(frozen=True)
class Plane:
    """A local projection to metres, true to scale along the meridians and at the latitude of its origin.

    Good for a city or a region: 100 km north or south of the origin, east-west distances are off by about 1.5 percent
    at 40 degrees.
    """

    latitude: float
    longitude: float

    def to_metres(self, positions: FloatArray) -> FloatArray:
        """Give metres east and north of the origin; longitudes may lie on both sides of 180 degrees."""
        east = np.radians((positions[:, 1] - self.longitude + 180.0) % 360.0 - 180.0) * self._scale
        north = np.radians(positions[:, 0] - self.latitude)
        return np.column_stack([east, north]) * EARTH_RADIUS

    def to_degrees(self, metres: FloatArray) -> FloatArray:
        """Give latitudes and longitudes back."""
        latitude = self.latitude + np.degrees(metres[:, 1] / EARTH_RADIUS)
        longitude = self.longitude + np.degrees(metres[:, 0] / (EARTH_RADIUS * self._scale))
        return np.column_stack([latitude, (longitude + 180.0) % 360.0 - 180.0])

    @property
    def _scale(self) -> float:
        return max(float(np.cos(np.radians(self.latitude))), 1e-6)


def plane_of(tracks: Sequence[Track]) -> Plane:
    """Choose the projection for tracks: its origin is their mean position.

    >>> plane_of([Track("a", np.array([[41.0, 2.0], [43.0, 4.0]]))])
    Plane(latitude=42.0, longitude=3.0)
    """
    if not tracks:
        raise InvalidData("there must be at least one track; got none.")
    positions = np.concatenate([track.positions for track in tracks])
    if not (np.abs(positions) <= [MOST_LATITUDE, MOST_LONGITUDE]).all():
        raise InvalidData(
            f"positions must be latitudes from -{MOST_LATITUDE:g} to {MOST_LATITUDE:g} degrees and longitudes from "
            f"-{MOST_LONGITUDE:g} to {MOST_LONGITUDE:g}; a track holds others. Correct or leave out such positions."
        )
    first = positions[0, 1]
    east = (positions[:, 1] - first + 180.0) % 360.0 - 180.0
    longitude = (first + float(east.mean()) + 180.0) % 360.0 - 180.0
    return Plane(float(positions[:, 0].mean()), float(longitude))


def inside(tracks: Sequence[Track], box: Sequence[float]) -> list[Track]:
    """Keep what of the tracks lies in a box, as the thesis does with its cities.

    Every stretch of positions without one outside becomes a track of its own, under the name of the track that it is
    of. Where a track leaves the box and comes back, there are several, and k counts records then, not people.

    Parameters
    ----------
    tracks : sequence of Track
        The tracks.
    box : four numbers
        South, west, north and east in degrees; a box whose east is less than its west lies across 180 degrees.

    Returns
    -------
    list of Track
        In the order of the tracks; none where nothing is inside.

    Examples
    --------
    >>> track = Track("a", np.array([[1.0, 1.0], [1.0, 2.0], [9.0, 2.0], [2.0, 2.0]]))
    >>> [piece.positions.tolist() for piece in inside([track], (0, 0, 3, 3))]
    [[[1.0, 1.0], [1.0, 2.0]], [[2.0, 2.0]]]
    """
    if len(box) != 4:
        raise InvalidOption(f"box must have four numbers, south, west, north and east; got {len(box)}.")
    south, north = (check_number("box", box[place], -MOST_LATITUDE, MOST_LATITUDE) for place in (0, 2))
    west, east = (check_number("box", box[place], -180.0, 180.0) for place in (1, 3))
    if south > north:
        raise InvalidOption(f"box must have its south below its north; got {south:g} and {north:g}.")
    pieces = []
    for track in tracks:
        latitude, longitude = track.positions.T
        longitude = np.where(np.abs(longitude) > 180.0, (longitude + 180.0) % 360.0 - 180.0, longitude)
        from_west, to_east = west <= longitude, longitude <= east
        across = from_west & to_east if west <= east else from_west | to_east
        places = np.flatnonzero((south <= latitude) & (latitude <= north) & across)
        runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(places) else []
        pieces += [Track(track.name, track.positions[run]) for run in runs]
    return pieces


def resample(metres: FloatArray, points: int, spacing: float | None = None) -> list[FloatArray]:
    """Give records of a given number of points, at equal distances along a track.

    Parameters
    ----------
    metres : array of shape (n, 2)
        The track, projected.
    points : int
        How many points each record has, at least 2.
    spacing : float, optional
        Metres from one point to the next. A track is cut into as many records as it is long enough for, and what is
        left at its end is left out. Without spacing the whole track is one record.

    Returns
    -------
    list of arrays of shape (points, 2)
        None where the track is too short, or does not move.

    Examples
    --------
    >>> resample(np.array([[0.0, 0.0], [0.0, 10.0]]), 3)[0].tolist()
    [[0.0, 0.0], [0.0, 5.0], [0.0, 10.0]]
    >>> [record[:, 1].tolist() for record in resample(np.array([[0.0, 0.0], [0.0, 10.0]]), 2, spacing=4.0)]
    [[0.0, 4.0], [4.0, 8.0]]
    """
    check_count("points", points, 2, MOST_POINTS)
    if spacing is not None:
        spacing = check_number("spacing", spacing, LEAST_SPACING)
    steps = np.sqrt((np.diff(metres, axis=0) ** 2).sum(axis=1))
    moving = np.concatenate([[True], steps > 0])
    metres, along = metres[moving], np.concatenate([[0.0], np.cumsum(steps[steps > 0])])
    length = float(along[-1])
    if length == 0:
        return []
    reach = length if spacing is None else spacing * (points - 1)
    # A track that was written with points at this spacing must not lose its last record to rounding.
    pieces = 1 if spacing is None else int(length / reach * (1 + 1e-9))
    if pieces > MOST_PIECES:
        raise InvalidOption(
            f"spacing would cut one track into {pieces:,} records; at most {MOST_PIECES:,} are allowed. Choose a "
            "larger spacing, or more points."
        )
    records = []
    for piece in range(pieces):
        at = np.minimum(piece * reach + np.linspace(0.0, reach, points), length)
        records.append(np.column_stack([np.interp(at, along, metres[:, axis]) for axis in (0, 1)]))
    return records
