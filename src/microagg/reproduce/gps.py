"""The GPS tables of the thesis, for whoever has them: 30 positions in each record."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray
from microagg.datasets.benchmark import data_folders
from microagg.errors import FileProblem
from microagg.prepare.scale import standardise
from microagg.reproduce.grid import load_standardised

CITIES = ("barcelona", "madrid", "tarraco")


def load_records(name: str) -> FloatArray:
    """Load a dataset of the package, or the table of a city (NAME.csv in MICROAGG_DATA), standardised."""
    return standardise(read_city(name)) if name in CITIES else load_standardised(name)


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
