"""Whether `auto` keeps its word: at or below MDAV with local search, in about the time of MDAV.

    python benchmarks/auto.py [--folder ../shared/data] [--k 2,3,5,10] [--most 5000]

Each file of the folder, all its columns that are fit (names and constants are left out; `?` is missing and dropped).
The loss is the information loss of the release in percent, the seconds are those of the processor. Of files of more
than `--most` records, MDAV is given a sample: it takes minutes for more where there are categories.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import click
import numpy as np
import pandas as pd

import microagg as ma
from microagg.release import Release

FILES = {
    "census.csv": [],
    "tarragona.csv": [],
    "eia.csv": [],
    "eia_full.csv": ["UTILITYID", "UTILNAME", "YEAR"],
    "adult_full.csv.gz": ["fnlwgt", "income"],
    "adult_occupation_country.csv": [],
    "analytics_os_country.csv.gz": [],
}
"""The files, and which of their columns are left out."""


def timed(data: pd.DataFrame, k: int, **how: str) -> tuple[Release, float]:
    start = time.process_time()
    release = ma.anonymize(data, k, quasi=list(data.columns), missing="drop", **how)
    return release, time.process_time() - start


def row(name: str, data: pd.DataFrame, k: int, *, with_mdav: bool) -> str:
    auto, seconds = timed(data, k)
    again, _ = timed(data, k)
    same = "same" if np.array_equal(auto.labels, again.labels) else "DIFFERS"
    chosen = auto.plan.method + (f" + {auto.plan.refine}" if auto.plan.refine else "")
    told = any("average risk" in warning.lower() for warning in auto.warnings)
    risen = auto.risks["average_risk"] > auto.risks_before["average_risk"]
    risk = f"{auto.risks_before['average_risk']:6.1f} -> {auto.risks['average_risk']:5.1f}"
    risk += (" told" if told else " NOT TOLD") if risen else ""
    line = f"{name:30}{k:3}  {chosen:13}{auto.information_loss:9.4f}{seconds:8.2f}  {same}  {risk}"
    if not with_mdav:
        return line
    _, plain = timed(data, k, method="mdav")
    local, _ = timed(data, k, method="mdav", refine="local")
    verdict = "" if auto.information_loss <= local.information_loss * (1 + 1e-9) else "  HIGHER"
    return f"{line}  | mdav + local {local.information_loss:9.4f}, mdav {plain:7.2f} s{verdict}"


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), default=Path("../shared/data"))
@click.option("--k", "ks", default="2,3,5,10")
@click.option("--most", default=5_000)
@click.option("--files", default=",".join(FILES))
def main(folder: Path, ks: str, most: int, files: str) -> None:
    warnings.simplefilter("ignore")
    print(f"{'file':30}{'k':>3}  {'auto means':13}{'loss %':>9}{'seconds':>8}  twice  average risk %")
    for name in files.split(","):
        data = pd.read_csv(folder / name, na_values="?").drop(columns=FILES[name])
        for k in map(int, ks.split(",")):
            print(row(name, data, k, with_mdav=len(data) <= most), flush=True)
        if len(data) > most:
            sample = data.sample(most, random_state=0, ignore_index=True)
            for k in map(int, ks.split(",")):
                print(row(f"  {most:,} of them", sample, k, with_mdav=True), flush=True)


if __name__ == "__main__":
    main()
