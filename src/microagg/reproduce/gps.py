"""The GPS tables of the thesis, for whoever has them: 30 positions in each record; and made-up trips in their place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.types import FloatArray
from microagg.datasets.benchmark import data_folders
from microagg.errors import FileProblem
from microagg.prepare.scale import standardise
from microagg.reproduce.comparison import ResultTable
from microagg.reproduce.grid import Run, load_standardised
from microagg.trajectory import plane_of, resample, street_trips

CITIES = ("barcelona", "madrid", "tarraco")
SURROGATE = "streets (surrogate)"
"""Made-up trips on a street grid, as many as Madrid has records, in place of the cities."""
SURROGATE_NOTE = (
    f"{SURROGATE} is no dataset of the papers: 959 made-up trips of 30 positions on a street grid (`street_trips`) "
    "stand in for the GPS tables, which are not published. Whoever has them puts barcelona.csv, madrid.csv and "
    "tarraco.csv into the folder that MICROAGG_DATA names: they are run too, then."
)
TRIPS, POSITIONS = 959, 30


def load_records(name: str) -> FloatArray:
    """Load a dataset of the package, the table of a city (NAME.csv in MICROAGG_DATA) or made-up trips, standardised."""
    if name == SURROGATE:
        return standardise(made_up_trips())
    return standardise(read_city(name)) if name in CITIES else load_standardised(name)


def made_up_trips() -> FloatArray:
    """Make up trips: 30 positions (latitude, longitude) in each record, at equal distances along the trip.

    >>> made_up_trips().shape
    (959, 60)
    """
    trips = street_trips(TRIPS, seed=0)
    plane = plane_of(trips)
    metres = [resample(plane.to_metres(trip.positions), POSITIONS)[0] for trip in trips]
    return np.array([plane.to_degrees(record).ravel() for record in metres])


def read_city(name: str) -> FloatArray:
    """Read the table of a city: a line of headings, then one line of numbers for each record."""
    for folder in data_folders():
        path = folder / f"{name}.csv"
        if path.is_file():
            try:
                X = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2, dtype=np.float64)
            except ValueError as error:
                raise FileProblem(
                    f"{path} cannot be used: it must hold a line of headings and lines of numbers. Replace it."
                ) from error
            return X
    raise FileProblem(
        f"{name}.csv is not in {' or '.join(str(folder) for folder in data_folders())}. Put a table with a record of "
        "30 positions (latitude, longitude) in each line into a folder, and name the folder in the environment "
        "variable MICROAGG_DATA."
    )


def surrogate_table(runs: Sequence[Run]) -> list[ResultTable]:
    """Write the losses of the made-up trips, which stand beside nothing that is printed: mean, deviation."""
    ks = sorted({run.k for run in runs})
    lines = []
    for method in dict.fromkeys(run.method for run in runs if run.dataset == SURROGATE):
        cells = []
        for k in ks:
            losses = [r.information_loss for r in runs if (r.dataset, r.method, r.k) == (SURROGATE, method, k)]
            spread = f" ± {np.std(losses, ddof=1):.2g}" if len(losses) > 1 else ""
            cells.append(f"{np.mean(losses):.4g}{spread}" if losses else "")
        lines.append((method, *cells))
    title = f"Loss on {SURROGATE}, mean and standard deviation over the seeds"
    return [ResultTable(title, ("method", *(f"k = {k}" for k in ks)), tuple(lines))] if lines else []
