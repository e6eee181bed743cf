"""How long categories and mixed data take: seconds, and the loss of `mixed`.

    python benchmarks/categories.py --record
    python benchmarks/categories.py --records 30162,100000,1000000

Adult (occupation, native country) with SA-MDAV, once as it is and once drawn up to a million records of the same
tuples; then mixed data, all records distinct: four numbers, two nominal columns, two ordinal ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import click
import numpy as np
import results

from microagg.aggregate import release_values
from microagg.base.schema import Kind
from microagg.datasets.benchmark import data_folders
from microagg.measures.squared_errors import squared_errors
from microagg.partition import partition
from microagg.reproduce.category_records import load
from microagg.semantic import Attribute, group_centroids, nominal, numeric, ordinal

VALUES = {"nominal": (2, 40), "ordinal": (7, 15)}


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    spent = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        spent.append(time.perf_counter() - begin)
    return min(spent)


def mixed_records(n: int) -> tuple[np.ndarray, list[Attribute]]:
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(n, 3))
    columns = [hidden @ rng.normal(size=3) + 0.5 * rng.normal(size=n) for _ in range(4)]
    attributes = [numeric()] * 4
    for kind, make in (("nominal", nominal), ("ordinal", ordinal)):
        for size in VALUES[kind]:
            place = (hidden @ rng.normal(size=3) + rng.normal(size=n)) * size / 4 + size / 2
            columns.append(np.clip(np.round(place), 0, size - 1))
            attributes.append(make([str(value) for value in range(size)]))
    return np.column_stack(columns), attributes


def loss(X: np.ndarray, labels: np.ndarray, attributes: list[Attribute]) -> float:
    Y = np.empty_like(X)
    for j, attribute in enumerate(attributes):
        if attribute.kind is Kind.NUMERIC:
            Y[:, [j]] = release_values(X[:, [j]], labels)
        else:
            Y[:, j] = group_centroids(X[:, j].astype(np.int64), labels, attribute)[labels]
    sse, sst = squared_errors(X, Y, attributes)
    return 100 * sse.sum() / sst.sum()


@click.command(help="Print how long categories and mixed data take.")
@click.option("--records", default="30162,100000", show_default=True, help="Sizes of the mixed data.")
@click.option("-k", default=5, show_default=True)
@click.option("--record", is_flag=True, help="Put the figures into results.csv and write the tables of the docs anew.")
def main(records: str, k: int, record: bool) -> None:
    figures = {}
    adult = load("adult", "graph", data_folders()[0])
    many = adult.X[np.random.default_rng(0).integers(0, len(adult.X), 10**6)]
    for name, X in (("Adult, 30,162 records", adult.X), ("Adult, drawn to 10^6", many)):
        spent = seconds(lambda X=X: partition(X, k, method="sa_mdav", attributes=adult.attributes))
        print(f"{name:22}  sa_mdav  {spent:8.4f} s")
        figures["categories: sa_mdav, s", results.shape("adult", *X.shape), k] = f"{spent:.3f}"
    for n in map(int, records.split(",")):
        X, attributes = mixed_records(n)
        begin = time.perf_counter()
        labels = partition(X, k, method="mixed", attributes=attributes)
        spent = time.perf_counter() - begin
        print(f"mixed, {n:9,} x 8    mixed    {spent:8.2f} s   loss {loss(X, labels, attributes):.3f} %", flush=True)
        figures["categories: mixed, s", results.shape("mixed", *X.shape), k] = f"{spent:.1f}"
    if record:
        results.record_all("categories.py", figures)


if __name__ == "__main__":
    main()
