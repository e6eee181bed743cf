"""Trajectories: tracks of positions, microaggregated as records of 2p numbers.

read -> keep what is in a box -> cut and resample -> project -> standardise -> partition -> mean -> write and draw
"""

from microagg.trajectory.drawing import draw_tracks
from microagg.trajectory.files import read_tracks, write_tracks
from microagg.trajectory.release import TrackRelease, release_tracks
from microagg.trajectory.streets import street_trips
from microagg.trajectory.track import Plane, Track, inside, plane_of, resample

__all__ = [
    "Plane",
    "Track",
    "TrackRelease",
    "draw_tracks",
    "inside",
    "plane_of",
    "read_tracks",
    "release_tracks",
    "resample",
    "street_trips",
    "write_tracks",
]
