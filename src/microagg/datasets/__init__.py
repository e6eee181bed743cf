"""Datasets: the small tables of the papers, the benchmark files of the field, and generators of any size."""

from __future__ import annotations

from microagg.datasets import benchmark, embedded
from microagg.datasets.dataset import Dataset, Entry
from microagg.datasets.generators import census_like, clustered, gaussian, uniform
from microagg.errors import InvalidOption

DATASETS: dict[str, Entry] = {e.name: e for e in (embedded.COMPANIES, embedded.PATIENTS, *benchmark.ENTRIES)}


def load(name: str, *, download: bool = True) -> Dataset:
    """Load a dataset by its name.

    The small tables are part of the package. The others are looked for in the folder that the environment variable
    MICROAGG_DATA names, then in a cache (MICROAGG_CACHE, else the platform's place for caches), and are otherwise
    downloaded once into the cache. The SHA-256 of their values is checked each time.

    Parameters
    ----------
    name : str
        A name in DATASETS.
    download : bool
        False to leave the network alone: FileProblem then says where the file was looked for.

    Returns
    -------
    Dataset
        The values by column, and `X`, the numeric ones as a matrix.

    Examples
    --------
    >>> companies = load("companies")
    >>> companies.columns, companies.X.shape
    (('surface', 'employees'), (11, 2))
    """
    entry = DATASETS.get(name)
    if entry is None:
        raise InvalidOption(f"dataset must be one of {', '.join(DATASETS)}; got {name!r}.")
    return entry.load(download=download)


__all__ = ["DATASETS", "Dataset", "Entry", "census_like", "clustered", "gaussian", "load", "uniform"]
