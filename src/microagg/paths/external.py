"""Concorde and LKH, where the user has them: TSPLIB files out, a tour back."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_count, check_points, check_seed, check_time_limit
from microagg.base.types import FloatArray, IntArray
from microagg.errors import FileProblem, InvalidOption, MissingExtra
from microagg.files.scratch import private_folder
from microagg.paths.heuristic import PathHeuristic
from microagg.paths.order import check_start, path_length

MOST_RECORDS = 5_000
LONGEST = 2**31 - 1
"""Tour lengths must fit into 32 bits, in Concorde at least."""


def concorde(
    X: npt.ArrayLike,
    *,
    start: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    executable: str = "concorde",
) -> IntArray:
    """Let Concorde [1]_ find the shortest path.

    The distances, scaled to whole numbers, and a dummy city at distance 0 from every record are written as a TSPLIB
    file into a temporary folder. Rounding makes the path shortest up to about n / scale, which is far below what
    any heuristic leaves.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared; at most 5,000, since the file holds every pair.
    start : int, optional
        The record at which the path begins.
    seed : int
        Handed to the executable.
    time_limit : float, optional
        Seconds after which the executable is ended, which is an error: it writes its tour last.
    executable : str
        Its name on PATH, or where it is.

    Returns
    -------
    array of n int
        The records along the path.

    References
    ----------
    .. [1] D. Applegate, R. Bixby, V. Chvatal, W. Cook. The Traveling Salesman Problem: A Computational Study.
       Princeton University Press, 2006.
    """
    X = check_points(X)
    seed = check_seed(seed)

    def arguments(folder: Path) -> list[str]:
        # -x: leave no files behind; -s: seed; -o: the tour
        return ["-x", "-s", str(seed % 2**31 or 1), "-o", str(folder / "tour"), str(folder / "records.tsp")]

    def read(folder: Path) -> list[int]:
        numbers = [int(word) for word in (folder / "tour").read_text(encoding="ascii").split()]
        return numbers[1:]

    return _solve(X, start, time_limit, executable, arguments, read)


def lkh(
    X: npt.ArrayLike,
    *,
    runs: int = 1,
    start: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    executable: str = "LKH",
) -> IntArray:
    """Let LKH [1]_ find a short path.

    Parameters
    ----------
    X, start, seed, time_limit, executable
        As for `concorde`. LKH is told its time limit, and ended some seconds later if it has not stopped.
    runs : int
        How many times LKH starts anew.

    Returns
    -------
    array of n int
        The records along the path.

    References
    ----------
    .. [1] K. Helsgaun. An effective implementation of the Lin-Kernighan traveling salesman heuristic. European Journal
       of Operational Research 126 (2000) 106-130.
    """
    X = check_points(X)
    settings = {"RUNS": check_count("runs", runs, 1), "SEED": check_seed(seed) % 2**31 or 1}
    if time_limit is not None:
        settings["TIME_LIMIT"] = max(1, int(check_time_limit(time_limit)))

    def arguments(folder: Path) -> list[str]:
        lines = [f"PROBLEM_FILE = {folder / 'records.tsp'}", f"OUTPUT_TOUR_FILE = {folder / 'tour'}"]
        lines += [f"{name} = {value}" for name, value in settings.items()]
        (folder / "parameters").write_text(
            "\n".join([*lines, "PRECISION = 1", "TRACE_LEVEL = 0", ""]), encoding="ascii"
        )
        return [str(folder / "parameters")]

    def read(folder: Path) -> list[int]:
        words = (folder / "tour").read_text(encoding="ascii").split()
        numbers = [int(word) for word in words[words.index("TOUR_SECTION") + 1 :] if word != "EOF"]
        return [number - 1 for number in numbers if number != -1]

    return _solve(X, start, None if time_limit is None else time_limit + 10, executable, arguments, read)


def scale_of(distances: FloatArray) -> float:
    """Choose the factor from distances to whole numbers: as large as keeps every tour within 31 bits.

    >>> scale_of(np.array([[0.0, 2.0], [2.0, 0.0]])) > 1e6
    True
    """
    # With a start, every other edge of the dummy costs more than all the rest: room for twice that.
    longest_tour = float(distances.max(axis=1).sum()) * 4
    return LONGEST / longest_tour if longest_tour > 0 else 1.0


def tsplib(X: FloatArray, start: int | None) -> str:
    """Give the records and the dummy city, which is the last, as a TSPLIB file.

    >>> tsplib(np.array([[0.0], [1.0]]), None).splitlines()[:3]
    ['NAME : records', 'TYPE : TSP', 'DIMENSION : 3']
    """
    n = X.shape[0]
    distances = np.empty((n, n))
    for i, x in enumerate(X):
        distances[i] = np.sqrt(((X - x) ** 2).sum(axis=1))
    whole = np.rint(distances * scale_of(distances)).astype(np.int64)
    to_dummy = np.zeros(n, dtype=np.int64)
    if start is not None:
        to_dummy[:] = whole.max(axis=1).sum()
        to_dummy[start] = 0
    header = [
        "NAME : records",
        "TYPE : TSP",
        f"DIMENSION : {n + 1}",
        "EDGE_WEIGHT_TYPE : EXPLICIT",
        "EDGE_WEIGHT_FORMAT : LOWER_DIAG_ROW",
        "EDGE_WEIGHT_SECTION",
    ]
    rows = [" ".join(map(str, whole[i, : i + 1].tolist())) for i in range(n)]
    return "\n".join([*header, *rows, " ".join(map(str, [*to_dummy.tolist(), 0])), "EOF", ""])


def _solve(
    X: FloatArray,
    start: int | None,
    time_limit: float | None,
    executable: str,
    arguments: Callable[[Path], list[str]],
    read: Callable[[Path], list[int]],
) -> IntArray:
    n = X.shape[0]
    seconds = None if time_limit is None else check_time_limit(time_limit)
    first = None if start is None else check_start(start, n)
    if n > MOST_RECORDS:
        raise InvalidOption(f"{executable} is given at most {MOST_RECORDS} records; got {n}. Use the heuristic 'lk'.")
    if not isinstance(executable, str | os.PathLike):
        raise InvalidOption(f"executable must be a name on PATH, or a path; got {executable!r}.")
    found = shutil.which(executable)
    if found is None:
        raise MissingExtra(
            f"the executable {executable!r} was not found on PATH. Install it, name it with executable=, "
            "or use the heuristic 'lk', which needs nothing."
        )
    if n < 4:  # five cities are the fewest that both take
        return exhaustive(X, first)
    with private_folder() as folder:
        (folder / "records.tsp").write_text(tsplib(X, first), encoding="ascii")
        try:
            done = subprocess.run(  # noqa: S603  the user names the executable; no shell is involved
                [found, *arguments(folder)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise FileProblem(f"{executable} had no tour after {time_limit} seconds; raise time_limit.") from error
        except OSError as error:
            raise FileProblem(f"{executable} cannot be run: {error}.") from error
        try:
            tour = np.array(read(folder), dtype=np.int64)
        except (OSError, ValueError) as error:
            raise FileProblem(
                f"{executable} left no tour that can be read (it ended with code {done.returncode})."
            ) from error
    if tour.shape != (n + 1,) or not np.array_equal(np.sort(tour), np.arange(n + 1)):
        raise FileProblem(f"{executable} did not give a tour of all {n} records and the dummy city.")
    at = int(np.flatnonzero(tour == n)[0])
    order = np.concatenate([tour[at + 1 :], tour[:at]])
    if first is not None and order[0] != first:
        order = order[::-1].copy()
        if order[0] != first:
            raise FileProblem(f"{executable} gave a path that does not begin at record {first}.")
    return order


def exhaustive(X: FloatArray, start: int | None) -> IntArray:
    """Give the shortest path through a handful of records, by trying all.

    >>> exhaustive(np.array([[0.0], [2.0], [1.0]]), None).tolist()
    [0, 2, 1]
    """
    orders = (o for o in permutations(range(X.shape[0])) if start is None or o[0] == start)
    return np.array(min(orders, key=lambda order: path_length(X, order)), dtype=np.int64)


HEURISTICS = (
    PathHeuristic(
        name="concorde",
        function=concorde,
        title="Concorde",
        summary="the shortest path, by the executable of that name",
        reference="Applegate, Bixby, Chvatal and Cook 2006",
        steps="unknown in advance",
        needs="the executable concorde",
    ),
    PathHeuristic(
        name="lkh",
        function=lkh,
        title="LKH",
        summary="a path that is rarely longer than the shortest, by the executable of that name",
        reference="Helsgaun 2000",
        steps="about n^2.2",
        needs="the executable LKH",
    ),
)
