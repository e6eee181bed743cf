"""Tracks that may be published: every one is the same as at least k-1 others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from microagg.base.checks import check_k
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.partition import check_refinement, get_method, partition
from microagg.prepare.scale import standardise
from microagg.risk import check_k_anonymous, class_sizes, keys_of
from microagg.trajectory.track import Plane, Track, inside, plane_of, resample
from microagg.utility import information_loss


@dataclass(frozen=True)
class TrackRelease:
    """Released tracks, and what they cost.

    Attributes
    ----------
    tracks : tuple of Track
        The released tracks, those of a group after each other: named 1, 2, ..., not as they came and not in the order
        in which they came.
    originals : tuple of Track
        The records that they stand for, in the same order; for the data protector, not for publication.
    k : int
        Least size of a group.
    groups : int
        How many different tracks there are.
    left_out : int
        How many tracks were too short, did not move, or lay outside the box.
    information_loss : float
        100 SSE / SST, of the standardised coordinates, or of metres where those were grouped.
    mean_shift : float
        How many metres a point lies, on average, from where it was.
    """

    tracks: tuple[Track, ...]
    originals: tuple[Track, ...]
    k: int
    groups: int
    left_out: int
    information_loss: float
    mean_shift: float


def release_tracks(
    tracks: Sequence[Track],
    k: int,
    *,
    points: int = 30,
    spacing: float | None = None,
    box: Sequence[float] | None = None,
    standardize: bool = True,
    method: str = "mdav",
    refine: str | None = None,
    refine_options: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> TrackRelease:
    """Microaggregate tracks: a record is p positions, 2p numbers, and a group's records become their mean [1]_.

    Positions are projected to metres, and each of the 2p columns is standardised before records are grouped, as in the
    thesis: east and west count as much as north and south, however wide the city is.

    Parameters
    ----------
    tracks : sequence of Track
        The tracks.
    k : int
        Least size of a group.
    points : int
        How many positions a record has.
    spacing : float, optional
        Metres from one position to the next: a long track becomes several records. Without it every track is one
        record, from its first position to its last. Several records of one person weaken what k promises: they may
        fall into the same group.
    box : four float, optional
        South, west, north and east in degrees: only what lies inside is released (`inside`).
    standardize : bool
        False: group the metres themselves, so that records are near where they are near on the ground.
    method : str
        A name in METHODS.
    refine, refine_options : str, mapping, optional
        What improves the groups afterwards, and its own options, as for `partition`.
    seed, threads, progress
        As for `partition`.
    **options
        The method's own options.

    Returns
    -------
    TrackRelease
        The released tracks and what they cost.

    References
    ----------
    .. [1] A. Maya-Lopez. Contributions to statistical disclosure control: enhancing multivariate microaggregation
       using graph theory. Doctoral thesis, Universitat Rovira i Virgili (2023), section 2.3.

    Examples
    --------
    >>> from microagg.trajectory import street_trips
    >>> released = release_tracks(street_trips(20, seed=1), k=5, points=10)
    >>> len(released.tracks), released.tracks[0].positions.shape
    (20, (10, 2))
    """
    chosen = get_method(method, options)
    if chosen.per_column:
        raise InvalidOption(f"method {method!r} groups each column on its own, so tracks would stay unique.")
    check_refinement(refine, chosen, refine_options)
    if not isinstance(standardize, bool):
        raise InvalidOption(f"standardize must be True or False; got {standardize!r}.")
    left_out = 0
    if box is not None:
        pieces = inside(tracks, box)
        if not pieces:
            raise InvalidData("no track has a position inside the box. Choose a larger one.")
        left_out = len({track.name for track in tracks}) - len({piece.name for piece in pieces})
        tracks = pieces
    plane = plane_of(tracks)
    records: list[FloatArray] = []
    for track in tracks:
        found = resample(plane.to_metres(track.positions), points, spacing)
        left_out += not found
        records += found
    if not records:
        raise InvalidData("no track is long enough. Ask for fewer points or a smaller spacing.")
    check_k(k, len(records))
    X = np.array(records).reshape(len(records), 2 * points)
    grouped = standardise(X) if standardize else X
    labels = partition(
        grouped,
        k,
        method=method,
        refine=refine,
        refine_options=refine_options,
        seed=seed,
        threads=threads,
        progress=progress,
        **options,
    )
    if labels.ndim != 1:
        raise InvalidData(
            f"method {method!r} groups each column on its own, which leaves tracks as unique as they were."
        )
    centroids = np.array([X[labels == group].mean(axis=0) for group in range(int(labels.max()) + 1)])
    # Inside a group the released tracks are equal, so the order of their originals tells nothing; groups are put in
    # the order of their first position, so that their order tells nothing either.
    order = np.lexsort((labels, centroids[labels, 1], centroids[labels, 0]))
    shift = (X - centroids[labels]).reshape(-1, 2)
    released = _named(plane, centroids[labels], order)
    # What is counted is what is released: degrees, not the metres in which records were grouped.
    positions = np.array([track.positions.ravel() for track in released])
    check_k_anonymous(class_sizes(keys_of(positions)), k)
    return TrackRelease(
        released,
        _named(plane, X, order),
        k,
        len(centroids),
        left_out,
        information_loss(grouped, labels),
        float(np.sqrt((shift**2).sum(axis=1)).mean()),
    )


def _named(plane: Plane, X: FloatArray, order: IntArray) -> tuple[Track, ...]:
    return tuple(
        Track(str(number), plane.to_degrees(X[row].reshape(-1, 2))) for number, row in enumerate(order, start=1)
    )
