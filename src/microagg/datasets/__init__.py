"""Datasets: the small tables of the papers, the benchmark files of the field, and generators of any size."""

from __future__ import annotations

from collections.abc import Mapping

from microagg.datasets import benchmark, embedded
from microagg.datasets.dataset import Column, Dataset, Entry
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


GENERATORS = {
    "census_like": "normal records with the mean and covariance of Census (13 columns)",
    "clustered": "records around centres that are uniform between 0 and 1",
    "gaussian": "independent standard normal columns",
    "uniform": "independent columns, uniform between 0 and 1",
}
"""What `generate` can make, with one line each."""


def generate(name: str, n: int, *, m: int = 4, seed: int = 0) -> Mapping[str, Column]:
    """Make up a table of n records; columns are named as in Census, or c1, c2, ...

    Parameters
    ----------
    name : str
        A name in GENERATORS.
    n : int
        How many records.
    m : int
        How many columns; `census_like` always has 13.
    seed : int
        Everything follows from it.

    Examples
    --------
    >>> list(generate("gaussian", 5, m=3, seed=0))
    ['c1', 'c2', 'c3']
    """
    if name not in GENERATORS:
        raise InvalidOption(f"generator must be one of {', '.join(GENERATORS)}; got {name!r}.")
    if name == "census_like":
        return dict(zip(DATASETS["census"].columns, census_like(n, seed=seed).T, strict=True))
    if name == "clustered":
        X = clustered(n, m, max(1, n // 100), seed=seed)
    else:
        X = gaussian(n, m, seed=seed) if name == "gaussian" else uniform(n, m, seed=seed)
    return {f"c{j}": column for j, column in enumerate(X.T, start=1)}


__all__ = [
    "DATASETS",
    "GENERATORS",
    "Dataset",
    "Entry",
    "census_like",
    "clustered",
    "gaussian",
    "generate",
    "load",
    "uniform",
]
