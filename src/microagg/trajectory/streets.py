"""Made-up trips on a street grid, for tests and examples."""

from __future__ import annotations

import numpy as np

from microagg.base.checks import check_count, generator
from microagg.trajectory.track import Plane, Track


def street_trips(n: int, *, blocks: int = 20, block: float = 120.0, seed: int = 0, noise: float = 4.0) -> list[Track]:
    """Make up trips through a town of square blocks: each drives from crossing to crossing, often towards the centre.

    Parameters
    ----------
    n : int
        How many trips.
    blocks : int
        How many blocks the town has along each side.
    block : float
        Metres from one crossing to the next.
    seed : int
        Everything follows from it.
    noise : float
        Standard deviation, in metres, of the error of each position.

    Returns
    -------
    list of Track
        Trips of different length, with positions at the crossings and halfway between them.

    Examples
    --------
    >>> trips = street_trips(3, seed=0)
    >>> [trip.name for trip in trips]
    ['trip-1', 'trip-2', 'trip-3']
    """
    check_count("n", n)
    check_count("blocks", blocks, 2)
    random = generator(seed)
    plane = Plane(41.12, 1.25)
    trips = []
    for number in range(1, n + 1):
        start = random.integers(0, blocks + 1, size=2)
        end = np.clip(np.rint(random.normal(blocks / 2, blocks / 5, size=2)), 0, blocks).astype(np.int64)
        if np.array_equal(start, end):
            end = np.where(end < blocks, end + 1, end - 1)
        turns = [0] * int(abs(end - start)[0]) + [1] * int(abs(end - start)[1])
        steps = np.zeros((2 * len(turns) + 1, 2))
        for i, axis in enumerate(random.permutation(turns)):
            steps[2 * i + 1 : 2 * i + 3, axis] = np.sign(end - start)[axis] / 2
        crossings = start + np.cumsum(steps, axis=0) - blocks / 2
        metres = crossings * block + random.normal(0.0, noise, size=crossings.shape)
        trips.append(Track(f"trip-{number}", plane.to_degrees(metres)))
    return trips
