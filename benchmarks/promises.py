"""What promises on confidential columns cost: loss beside the published algorithms, and time beside none.

    python benchmarks/promises.py [--k 2,5,10] [--t 0.05,0.13,0.25] [--best SECONDS] [--adult RECORDS]
                                  [--speed RECORDS] [--record]

The first tables are the set-up of Soria-Comas, Domingo-Ferrer, Sanchez and Martinez (2015): Census, with TAXINC and
POTHVAL as quasi-identifiers, and FEDTAX (which goes with them) or FICA (which does less) as confidential. Then Adult's
numbers with the income class as confidential. Losses are 100 SSE / SST on standardised columns; every partition that is
counted keeps k and t. The last table gives processor seconds in one run: l = 3 of a made-up column of five values,
equally frequent or most of them one, for 10^5 x 13 records at k = 5.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import results

from microagg.base.types import FloatArray
from microagg.constraints import Promises, promise
from microagg.datasets import gaussian, load
from microagg.partition import partition
from microagg.utility import information_loss

PUBLISHED = ("t_merge", "t_swap", "t_first")
NUMBERS = ("age", "education_num", "capital_gain", "capital_loss", "hours_per_week")
SHARES = {"even": [0.2] * 5, "skewed": [0.7, 0.15, 0.08, 0.05, 0.02]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k", default="2,5,10")
    parser.add_argument("--t", default="0.05,0.13,0.25")
    parser.add_argument("--best", type=float, default=5.0, help="Seconds of method best.")
    parser.add_argument("--adult", type=int, default=3000, help="Records of Adult: the second algorithm is slow.")
    parser.add_argument("--speed", type=int, default=100_000)
    parser.add_argument(
        "--record", action="store_true", help="Put the figures into results.csv and write the tables of the docs anew."
    )
    arguments = parser.parse_args()
    ks, ts = [int(k) for k in arguments.k.split(",")], [float(t) for t in arguments.t.split(",")]
    ours: dict[str, dict[str, Any]] = {
        "mdav + local": {"method": "mdav", "refine": "local"},
        "fast": {"method": "fast"},
        "best": {"method": "best", "time_limit": arguments.best},
    }
    print(f"{'data':>16} {'k':>3} {'t':>5}", *(f"{name:>14}" for name in (*PUBLISHED, *ours)), "  least of ours wins")
    n_won = n_all = 0
    figures: dict[tuple[str, str, int], str] = {}
    for name, X, secret in (*census(), *adult(arguments.adult)):
        for k in ks:
            for t in ts:
                promises = promise({"t": {"secret": t}}, {"secret": secret})
                losses = [loss(X, k, promises, {"method": method}) for method in PUBLISHED]
                own = [loss(X, k, promises, how) for how in ours.values()]
                won = max(own) < min(losses)
                n_won, n_all = n_won + won, n_all + 1
                for how, value in zip((*PUBLISHED, *ours), (*losses, *own), strict=True):
                    figures[f"promises: t = {t:g}, {how}, loss %", name, k] = f"{value:.2f}"
                print(f"{name:>16} {k:>3} {t:>5}", *(f"{value:>14.3f}" for value in (*losses, *own)), f"  {won}")
    print(f"All of ours are below all of the published ones in {n_won} of {n_all} cases.")
    if arguments.speed:
        figures |= speed(arguments.speed)
    if arguments.record:
        results.record_all("promises.py", figures)


def loss(X: FloatArray, k: int, promises: Promises, how: Mapping[str, Any]) -> float:
    labels = partition(X, k, promises=promises, **how)
    if not promises.kept(labels) or np.bincount(labels).min() < k:
        raise SystemExit(f"{how} broke a promise")
    return information_loss(X, labels)


def standardised(X: FloatArray) -> FloatArray:
    Z: FloatArray = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return Z


def census() -> Iterator[tuple[str, FloatArray, FloatArray]]:
    data = load("census")
    X = standardised(np.column_stack([data.values[name] for name in ("TAXINC", "POTHVAL")]))
    for name in ("FEDTAX", "FICA"):
        yield f"Census {name}", X, np.asarray(data.values[name])


def adult(n_records: int) -> Iterator[tuple[str, FloatArray, Any]]:
    """The numbers of Adult, of records drawn at random."""
    if n_records:
        data = load("adult")
        rows = np.sort(np.random.default_rng(0).permutation(len(data.values["age"]))[:n_records])
        X = np.column_stack([np.asarray(data.values[name], dtype=np.float64)[rows] for name in NUMBERS])
        yield "Adult income", standardised(X), np.asarray(data.values["income"])[rows]


def speed(n_records: int) -> dict[tuple[str, str, int], str]:
    figures = {}
    X = gaussian(n_records, 13, seed=0)
    titles = f"{'without s':>10} {'with l=3 s':>11} {'ratio':>6} {'without %':>10} {'with %':>8}"
    print(f"\n{'values':>8} {'method':>14} {titles}")
    for name, shares in SHARES.items():
        promises = promise({"l": {"ill": 3}}, {"ill": np.random.default_rng(1).choice(5, n_records, p=shares)})
        for title, how in {"mdav + local": {"method": "mdav", "refine": "local"}, "fast": {"method": "fast"}}.items():
            seconds, losses = [], []
            for kept in (None, promises):
                start = time.process_time()
                labels = partition(X, 5, promises=kept, **how)
                seconds.append(time.process_time() - start)
                losses.append(information_loss(X, labels))
            ratio = seconds[1] / seconds[0]
            print(
                f"{name:>8} {title:>14} {seconds[0]:>10.2f} {seconds[1]:>11.2f} {ratio:>6.2f} "
                f"{losses[0]:>10.3f} {losses[1]:>8.3f}"
            )
            data = results.shape("gaussian", *X.shape)
            shown = (f"{seconds[0]:.1f}", f"{seconds[1]:.1f}", f"{ratio:.2f}", *(f"{each:.2f}" for each in losses))
            for what, value in zip(results.PROMISED, shown, strict=True):
                figures[f"promises: {name}, {title}, {what}", data, 5] = value
    return figures


if __name__ == "__main__":
    main()
