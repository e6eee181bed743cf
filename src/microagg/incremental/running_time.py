"""How long a stage takes: a constant times a power of the number of records, fitted to short runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_count, check_records
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.incremental.two_stage import JOINS, check_stages, second_stage
from microagg.partition import partition


@dataclass(frozen=True)
class RunningTime:
    """Seconds for n records: constant * n^exponent * n_base^base_exponent.

    Attributes
    ----------
    constant, exponent : float
        MDAV without a search structure has exponent 2.
    base_exponent : float
        How a second stage depends on the number of records before it: 0 for a method on the new records alone, about
        1 where each new record is compared with all groups.
    """

    constant: float
    exponent: float
    base_exponent: float = 0.0

    def seconds(self, n: npt.ArrayLike, n_base: npt.ArrayLike = 1.0) -> FloatArray:
        """Give the seconds for n records, after n_base others.

        >>> RunningTime(2e-6, 2.0).seconds([1000, 2000]).round(9).tolist()
        [2.0, 8.0]
        """
        n, n_base = np.asarray(n, dtype=np.float64), np.asarray(n_base, dtype=np.float64)
        return self.constant * n**self.exponent * n_base**self.base_exponent

    @classmethod
    def fit(cls, n: npt.ArrayLike, seconds: npt.ArrayLike, n_base: npt.ArrayLike | None = None) -> RunningTime:
        """Fit constant and exponents to measured runs: least squares of the logarithms, in proportion to the seconds.

        What disturbs a measurement adds to it, so that the logarithm of a longer run is known better.

        Parameters
        ----------
        n, seconds : array of float
            How many records each run had, and how long it took.
        n_base : array of float, optional
            How many records there were before them; without it, the time does not depend on that.

        Returns
        -------
        RunningTime

        Examples
        --------
        >>> fitted = RunningTime.fit([1000, 2000, 4000], [0.01, 0.04, 0.16])
        >>> round(fitted.exponent, 6), round(float(fitted.seconds(8000)), 6)
        (2.0, 0.64)
        """
        given = [n, seconds] if n_base is None else [n, seconds, n_base]
        columns = [np.atleast_1d(np.asarray(values, dtype=np.float64)) for values in given]
        if len({c.shape for c in columns}) > 1 or not all((np.isfinite(c) & (c > 0)).all() for c in columns):
            raise InvalidData("measured runs need positive numbers of records and seconds, one of each for every run.")
        size, spent, *before = (np.log(c) for c in columns)
        terms = np.column_stack([np.ones_like(size), size, *before])
        if np.linalg.matrix_rank(terms) < terms.shape[1]:
            raise InvalidData(
                f"{terms.shape[1]} unknowns cannot be fitted to these runs: use more of them, of different sizes."
            )
        known = columns[1] / columns[1].max()
        solution = np.linalg.lstsq(terms * known[:, None], spent * known, rcond=None)[0]
        return cls(float(np.exp(solution[0])), *(float(exponent) for exponent in solution[1:]))


@dataclass(frozen=True)
class TwoStageTime:
    """How long the base stage and the second stage take.

    >>> TwoStageTime.quadratic(one_run=7200.0, n_records=50_000).base.exponent
    2.0
    """

    base: RunningTime
    rest: RunningTime

    @classmethod
    def quadratic(cls, one_run: float, n_records: int) -> TwoStageTime:
        """Give the paper's model of 2MDAV: both stages quadratic, `one_run` seconds for all n records."""
        each = RunningTime(one_run / n_records**2, 2.0)
        return cls(each, each)


def calibrate(
    X: npt.ArrayLike,
    k: int,
    *,
    base: str = "mdav",
    rest: str = "mdav",
    base_options: Mapping[str, Any] | None = None,
    rest_options: Mapping[str, Any] | None = None,
    refine: str | None = None,
    refine_options: Mapping[str, Any] | None = None,
    runs: int = 4,
    repeats: int = 3,
    threads: int | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> TwoStageTime:
    """Measure both stages on the first records of X, on this machine, and fit their running times.

    Parameters
    ----------
    X : array of shape (n, m)
        Records like those to come, at least 16k of them: the more there are, the less is extrapolated.
    k, base, rest, base_options, rest_options, refine, refine_options, threads
        As in `two_stage`.
    runs : int
        How many sizes to run: n, n/2, n/4 and so on, as long as they are at least 8k.
    repeats : int
        How often each is run; the fastest counts.
    clock : callable
        Seconds that have passed.

    Returns
    -------
    TwoStageTime

    Examples
    --------
    >>> times = calibrate(np.random.default_rng(0).normal(size=(2000, 3)), k=3)
    >>> bool(times.base.seconds(4000) > 0)
    True
    """
    X = check_records(X, k)
    check_stages(base, base_options, rest, rest_options, refine, refine_options)
    repeats = check_count("repeats", repeats)
    sizes = [X.shape[0] >> halvings for halvings in range(check_count("runs", runs))]
    sizes = [size for size in sizes if size >= 8 * k]
    if len(sizes) < 2:
        raise InvalidOption(
            f"calibration needs at least 2 runs and 16k = {16 * k} records; got runs={runs} and {X.shape[0]} records."
        )

    improving: dict[str, Any] = {"refine": refine, "refine_options": refine_options}

    def spent(run: Callable[[], IntArray]) -> float:
        times = []
        for _ in range(repeats):
            begin = clock()
            run()
            times.append(clock() - begin)
        return min(times)

    def stage(size: int, method: str, options: Mapping[str, Any] | None) -> Callable[[], IntArray]:
        return partial(partition, X[:size], k, method=method, **improving, threads=threads, **(options or {}))

    def alone(method: str, options: Mapping[str, Any] | None) -> RunningTime:
        return RunningTime.fit(sizes, [spent(stage(size, method, options)) for size in sizes])

    second: dict[str, Any] = {"rest": rest, "rest_options": rest_options, **improving, "threads": threads}

    def joining() -> RunningTime:
        # New records in two shares of each size: the fit needs both numbers to vary on their own.
        pairs = [(size, n_base) for size in sizes for n_base in (size // 2, size - size // 8)]
        seconds = []
        for size, n_base in pairs:
            labels = stage(n_base, base, base_options)()
            seconds.append(spent(partial(second_stage, X[:size], labels, k, **second)))
        return RunningTime.fit([size - n_base for size, n_base in pairs], seconds, [n_base for _, n_base in pairs])

    first = alone(base, base_options)
    if rest in JOINS or refine is not None:
        return TwoStageTime(first, joining())
    same = rest == base and dict(rest_options or {}) == dict(base_options or {})
    return TwoStageTime(first, first if same else alone(rest, rest_options))
