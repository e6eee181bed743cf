"""Trajectories: tracks of positions, microaggregated as records of 2p numbers.

read -> cut and resample -> project -> partition -> mean -> write and draw
"""

from microagg.trajectory.drawing import draw_tracks
from microagg.trajectory.files import read_tracks, write_tracks
from microagg.trajectory.release import TrackRelease, release_tracks
from microagg.trajectory.streets import street_trips
from microagg.trajectory.track import Plane, Track, plane_of, resample

__all__ = [
    "Plane",
    "Track",
    "TrackRelease",
    "draw_tracks",
    "plane_of",
    "read_tracks",
    "release_tracks",
    "resample",
    "street_trips",
    "write_tracks",
]
