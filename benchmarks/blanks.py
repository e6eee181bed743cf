"""How many values local suppression blanks: ours, and the plain way of suppressing column by column.

    MICROAGG_DATA=FOLDER python benchmarks/blanks.py
    python benchmarks/blanks.py --k 5 --k 10

Adult (records without missing values), some sets of categorical keys. The plain way is what local suppression does in
other programs, in its simplest form: as long as records are not among k, the value of the least important column that
is left is blanked in them; the column with the most categories is the least important. It is counted in two ways:

- strict: a blank is equal to blanks only, as everywhere in microagg. What is blank throughout in the end and fewer than
  k is filled up with records that are blanked throughout too.
- wildcard: a blank is equal to anything, as sdcMicro counts.

For information, "wildcard, by record" blanks in each record the fewest values, of all sets of columns, with which k
records match it: the fewest blanks that counting blanks as anything can do with, record by record.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import click
import numpy as np
import pandas as pd

from microagg.aggregate import agreed_values
from microagg.datasets.benchmark import data_folders
from microagg.partition import partition
from microagg.semantic.attribute import nominal

KEYS = {
    "sex, race, marital status": ("sex", "race", "marital_status"),
    "age, sex, race, education, marital status": ("age", "sex", "race", "education", "marital_status"),
    "8 categorical columns": (
        *("workclass", "education", "marital_status", "occupation"),
        *("relationship", "race", "sex", "native_country"),
    ),
}
BLANK = -1
AT_ONCE = 500
"""Tuples that are compared with all others together."""


def adult(columns: tuple[str, ...]) -> np.ndarray:
    """Read the columns of Adult as codes, without records that lack a value."""
    path = next(folder / "adult_full.csv.gz" for folder in data_folders() if (folder / "adult_full.csv.gz").exists())
    frame = pd.read_csv(path, na_values="?").dropna()
    return np.column_stack([pd.factorize(frame[name], sort=True)[0] for name in columns])


def strict_sizes(X: np.ndarray) -> np.ndarray:
    """Give for each record how many are equal to it, blanks included."""
    _, which, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    return counts[which.ravel()]


def wildcard_sizes(X: np.ndarray) -> np.ndarray:
    """Give for each record how many match it, where a blank matches anything."""
    tuples, which, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    sizes = np.empty(len(tuples), dtype=np.int64)
    for start in range(0, len(tuples), AT_ONCE):
        part = tuples[start : start + AT_ONCE]
        match = np.ones((len(part), len(tuples)), dtype=bool)
        for j in range(X.shape[1]):
            own, theirs = part[:, j, None], tuples[None, :, j]
            match &= (own == theirs) | (own == BLANK) | (theirs == BLANK)
        sizes[start : start + AT_ONCE] = match @ counts
    return sizes[which.ravel()]


def by_column(X: np.ndarray, k: int, sizes: Callable[[np.ndarray], np.ndarray]) -> int:
    """Blank the least important column that is left in all records that are not among k; give the number of blanks."""
    X = X.copy()
    for column in np.argsort([-len(np.unique(values)) for values in X.T], kind="stable").tolist():
        exposed = sizes(X) < k
        X[exposed, column] = BLANK
    left = sizes(X) < k
    if left.any():  # blank throughout, and too few
        others = np.flatnonzero((strict_sizes(X) >= 2 * k) & ~left)[: k - int(left.sum())]
        X[others] = BLANK
    if (sizes(X) < k).any():
        raise RuntimeError("records are left that are not among k.")
    return int((X == BLANK).sum())


def by_record(X: np.ndarray, k: int) -> int:
    """Blank the fewest values of each record with which k records, unchanged, match it."""
    exposed = strict_sizes(X) < k
    needed = np.where(exposed, X.shape[1], 0)
    for n_blank in range(X.shape[1], 0, -1):
        for kept in itertools.combinations(range(X.shape[1]), X.shape[1] - n_blank):
            enough = strict_sizes(X[:, kept]) >= k if kept else np.full(len(X), len(X) >= k)
            needed[exposed & enough] = n_blank
    return int(needed.sum())


def ours(X: np.ndarray, k: int) -> int:
    """Give the number of blanks of method `blank`."""
    attributes = [nominal([str(code) for code in range(int(column.max()) + 1)]) for column in X.T]
    released = agreed_values(X.astype(float), partition(X, k, method="blank", attributes=attributes))
    if strict_sizes(np.where(np.isnan(released), BLANK, released)).min() < k:
        raise RuntimeError("records are left that are not among k.")
    return int(np.isnan(released).sum())


@click.command()
@click.option("--k", "ks", type=int, multiple=True, default=(3, 5, 10), show_default=True)
def main(ks: tuple[int, ...]) -> None:
    """Print the blanks of each way."""
    print("| keys | k | values | blank | seconds | plain, strict | plain, wildcard | wildcard, by record |")
    print("|---|---|---|---|---|---|---|---|")
    for name, columns in KEYS.items():
        X = adult(columns)
        for k in ks:
            begin = time.perf_counter()
            n_blanks = ours(X, k)
            spent = time.perf_counter() - begin
            plain = [by_column(X, k, sizes) for sizes in (strict_sizes, wildcard_sizes)]
            counts = " | ".join(f"{count:,}" for count in (*plain, by_record(X, k)))
            print(f"| {name} | {k} | {X.size:,} | {n_blanks:,} | {spent:.1f} | {counts} |")


if __name__ == "__main__":
    main()
