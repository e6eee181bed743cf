"""When the records of a survey arrive: a curve that never falls, given or observed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from microagg.base.types import FloatArray
from microagg.errors import InvalidData, InvalidOption

BURSTS: FloatArray = np.array([0.05, 0.25, 0.45, 0.65, 0.85])
BURST = 0.02
"""When bursts begin and how long each is, in shares of the time."""
SHAPES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "uniform": lambda passed: passed,
    "front": lambda passed: 1.0 - (1.0 - passed) ** 3,
    "back": lambda passed: passed**3,
    "bursts": lambda passed: 0.2 * passed + 0.16 * np.clip((passed[:, None] - BURSTS) / BURST, 0.0, 1.0).sum(axis=1),
}
"""Name -> the share of the records that have arrived when a share of the time has passed: at an even pace, most of them
early, most of them late, or a fifth at an even pace and the others in five bursts, as after invitations."""
CORNERS = 201
"""Points of a curve of such a shape."""


@dataclass(frozen=True, eq=False)
class Arrivals:
    """How many records are there at which time: straight lines between points.

    Attributes
    ----------
    times : array of float
        Seconds from any moment on, never falling; the survey closes at the last one. Equal times are a burst.
    counts : array of float
        How many records have arrived by then, never falling; the last is the number of all.

    Examples
    --------
    Two thirds of 900 records arrive in the last of three hours:

    >>> late = Arrivals([0.0, 7200.0, 10800.0], [0, 300, 900])
    >>> late.n_records, float(late.closes), late.time_of([150, 300, 600]).tolist()
    (900, 10800.0, [3600.0, 7200.0, 9000.0])
    """

    times: FloatArray
    counts: FloatArray

    def __init__(self, times: npt.ArrayLike, counts: npt.ArrayLike) -> None:
        for name, values in (("times", times), ("counts", counts)):
            array = np.array(values, dtype=np.float64)
            if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or (np.diff(array) < 0).any():
                raise InvalidData(f"{name} of arrivals must be finite numbers that never fall, at least one.")
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.times.size != self.counts.size:
            raise InvalidData(
                f"arrivals need one count for each time; got {self.times.size} times and {self.counts.size} counts."
            )
        if self.counts[0] < 0 or self.counts[-1] < 1 or self.counts[-1] % 1 != 0:
            raise InvalidData(
                "counts of arrivals must be at least 0 and end with the number of all records, a whole number of at "
                f"least 1; they go from {self.counts[0]:g} to {self.counts[-1]:g}."
            )

    @classmethod
    def uniform(cls, duration: float, n_records: int) -> Arrivals:
        """Give n records that arrive at an even pace from time 0 until closing.

        >>> float(Arrivals.uniform(36_000, 50_000).time_of(25_000))
        18000.0
        """
        return cls([0.0, duration], [0, n_records])

    @classmethod
    def shaped(cls, shape: str, duration: float, n_records: int) -> Arrivals:
        """Give n records that arrive from time 0 until closing, along one of SHAPES.

        >>> early, late = (Arrivals.shaped(shape, 100.0, 1000) for shape in ("front", "back"))
        >>> [round(float(curve.count_at(50.0))) for curve in (early, late)]
        [875, 125]
        """
        if shape not in SHAPES:
            raise InvalidOption(f"arrivals must be one of {', '.join(SHAPES)}; got {shape!r}.")
        if not (np.isfinite(duration) and duration > 0):
            raise InvalidOption(f"duration must be a positive number of seconds; got {duration!r}.")
        passed = np.linspace(0.0, 1.0, CORNERS)
        counts = np.maximum.accumulate(n_records * SHAPES[shape](passed))
        counts[-1] = n_records
        return cls(duration * passed, counts)

    @classmethod
    def observed(cls, times: npt.ArrayLike, closes: float | None = None) -> Arrivals:
        """Give the curve of records that arrived at these times, in any order; it closes with the last, or later.

        >>> Arrivals.observed([30.0, 10.0, 20.0], closes=60.0).time_of([1, 3]).tolist()
        [10.0, 30.0]
        """
        each = np.sort(np.asarray(times, dtype=np.float64), axis=None)
        counts = np.arange(1.0, each.size + 1.0)
        if closes is None or each.size == 0:
            return cls(each, counts)
        return cls(np.append(each, closes), np.append(counts, each.size))

    @property
    def n_records(self) -> int:
        """How many records there will be."""
        return int(self.counts[-1])

    @property
    def closes(self) -> float:
        """When the survey closes."""
        return float(self.times[-1])

    def count_at(self, time: npt.ArrayLike) -> FloatArray:
        """Give how many records are there at a time; in a burst, all that come with it.

        >>> Arrivals([0.0, 10.0, 10.0, 20.0], [0, 5, 8, 10]).count_at([5.0, 10.0, 30.0]).tolist()
        [2.5, 8.0, 10.0]
        """
        time = np.asarray(time, dtype=np.float64)
        last = np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, self.times.size - 1)
        after = np.minimum(last + 1, self.times.size - 1)
        step = self.times[after] - self.times[last]
        part = np.where(step > 0, (time - self.times[last]) / np.where(step > 0, step, 1.0), 0.0)
        counts = self.counts[last] + part * (self.counts[after] - self.counts[last])
        return np.where(time < self.times[0], 0.0, counts)

    def time_of(self, count: npt.ArrayLike) -> FloatArray:
        """Give the first moment at which so many records are there."""
        count = np.asarray(count, dtype=np.float64)
        if (count > self.counts[-1]).any():
            raise InvalidData(f"count must be at most the number of all records ({self.n_records}).")
        after = np.searchsorted(self.counts, count, side="left")
        before = np.maximum(after - 1, 0)
        step = self.counts[after] - self.counts[before]
        part = np.where(step > 0, (count - self.counts[before]) / np.where(step > 0, step, 1.0), 0.0)
        return self.times[before] + part * (self.times[after] - self.times[before])
