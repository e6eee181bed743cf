"""Data to try the studio with: made up, and said to be so."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from microagg.datasets import load


@dataclass(frozen=True)
class Example:
    """Data to try something with.

    Attributes
    ----------
    title, words : str
        What it is, in short and in a sentence.
    rows : callable
        Gives the names of the columns and the records.
    """

    title: str
    words: str
    rows: Callable[[], tuple[list[str], list[list[Any]]]]


def _clinic() -> tuple[list[str], list[list[Any]]]:
    """Make up patients of a clinic: names, numbers, categories, dates, gaps, and something to protect."""
    rng = np.random.default_rng(7)
    n = 1200
    age = np.clip(rng.gamma(9.0, 6.0, n), 18, 97).astype(int)
    sex = rng.choice(["female", "male"], n, p=[0.53, 0.47])
    height = np.where(sex == "male", rng.normal(178, 7, n), rng.normal(165, 6.5, n)).round().astype(int)
    weight = (height - 100 + rng.normal(2, 11, n) + (age - 50) * 0.06).round(1)
    first = [
        "Ada",
        "Ben",
        "Cleo",
        "Dan",
        "Eva",
        "Finn",
        "Gita",
        "Hugo",
        "Ines",
        "Jan",
        "Kaya",
        "Leo",
        "Mia",
        "Nils",
        "Olga",
        "Paul",
        "Rosa",
        "Sven",
        "Tina",
        "Uwe",
        "Vera",
    ]
    parts = [
        "Abel",
        "Brandt",
        "Costa",
        "Dumas",
        "Ek",
        "Fischer",
        "Garcia",
        "Holm",
        "Ivanova",
        "Jansen",
        "Klein",
        "Lund",
        "Moreau",
        "Novak",
        "Olsen",
    ]
    last = [*parts, *(f"{one}-{other}" for one in parts for other in parts if one < other)]
    region = rng.choice(["north", "south", "east", "west", "islands"], n, p=[0.3, 0.29, 0.2, 0.17, 0.04])
    job = rng.choice(
        ["office", "nursing", "teaching", "building", "retired", "student", "farming"],
        n,
        p=[0.27, 0.12, 0.1, 0.14, 0.22, 0.1, 0.05],
    )
    pay = (rng.lognormal(7.7, 0.45, n) * np.where(job == "student", 0.4, 1.0)).round(-1).astype(int)
    ill = rng.choice(["asthma", "diabetes", "hypertension", "migraine", "none"], n, p=[0.12, 0.1, 0.24, 0.09, 0.45])
    day = np.datetime64("2023-01-01") + rng.integers(0, 720, n)
    lacks = rng.random(n) < 0.03
    rows = [
        [
            f"P{100000 + i}",
            f"{rng.choice(first)} {rng.choice(last)}",
            age[i],
            sex[i],
            height[i],
            "" if lacks[i] else weight[i],
            region[i],
            job[i],
            pay[i],
            str(day[i]),
            ill[i],
        ]
        for i in range(n)
    ]
    names = ["patient_id", "name", "age", "sex", "height", "weight", "region", "job", "pay", "admitted", "diagnosis"]
    return names, rows


def _embedded(name: str) -> Callable[[], tuple[list[str], list[list[Any]]]]:
    def rows() -> tuple[list[str], list[list[Any]]]:
        dataset = load(name, download=False)
        return list(dataset.columns), dataset.X.astype(int).tolist()

    return rows


EXAMPLES: dict[str, Example] = {
    "clinic": Example("A clinic", "1,200 invented patients: names, numbers, categories, dates and gaps.", _clinic),
    "companies": Example("Companies", "11 companies by surface and employees, from a paper.", _embedded("companies")),
    "patients": Example("Patients", "9 invented cardiac patients, from a thesis.", _embedded("patients")),
}
"""The examples by their names."""


def write_example(name: str, path: Path) -> Path:
    """Write an example as a CSV file that nobody else may read."""
    names, rows = EXAMPLES[name].rows()
    with open(path, "w", newline="", encoding="utf-8", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)
    return path
