"""The small tables of the papers: few records, and an optimal partition that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from microagg.datasets.dataset import Column, Entry


def table(columns: tuple[str, ...], rows: list[tuple[float, ...]]) -> Callable[[bool], Mapping[str, Column]]:
    """Give a reader of rows that are written out here: it needs no file, so no download either."""

    def read(download: bool) -> Mapping[str, Column]:
        return {name: np.array([row[j] for row in rows], dtype=np.float64) for j, name in enumerate(columns)}

    return read


COMPANY_COLUMNS = ("surface", "employees")
COMPANIES = Entry(
    name="companies",
    title="The 11 companies",
    description="surface in square metres and number of employees of 11 companies in a town",
    source="Table I of the paper that introduced MF-TSP, microaggregation by way of the travelling salesman problem; "
    "k=3: the optimum is {1,2,3,10} {4,5,9} {6,7,8,11}, information loss 34.0218 percent",
    licence="11 pairs of numbers quoted from a paper, which states no licence for them",
    n_records=11,
    columns=COMPANY_COLUMNS,
    read=table(
        COMPANY_COLUMNS,
        [
            (790, 55),
            (710, 44),
            (730, 32),
            (810, 17),
            (950, 3),
            (510, 25),
            (400, 45),
            (330, 50),
            (510, 5),
            (760, 52),
            (50, 12),
        ],
    ),
)

PATIENT_COLUMNS = ("age", "height", "weight", "heart_rate_min", "heart_rate_max")
PATIENTS = Entry(
    name="patients",
    title="The 9 cardiac patients",
    description="age, height, weight and range of the heart rate of 9 invented patients with arrhythmia",
    source="A. Maya-López. Contributions to statistical disclosure control: enhancing multivariate microaggregation "
    "using graph theory. Doctoral thesis, Universitat Rovira i Virgili (2023), the five numeric key attributes of "
    "Table 3.1; k=3: the optimum is "
    "{1,5,9} {2,3,6} {4,7,8}, information loss 36.4145 percent (the thesis prints 36.7941)",
    licence="a small table of invented persons, quoted from a thesis with its author and title",
    n_records=9,
    columns=PATIENT_COLUMNS,
    read=table(
        PATIENT_COLUMNS,
        [
            (59, 169, 56, 50, 84),
            (68, 181, 94, 74, 86),
            (39, 175, 78, 63, 99),
            (32, 176, 69, 61, 84),
            (63, 173, 74, 55, 83),
            (56, 184, 83, 67, 97),
            (45, 179, 61, 57, 81),
            (27, 178, 90, 62, 91),
            (74, 165, 68, 53, 82),
        ],
    ),
)
