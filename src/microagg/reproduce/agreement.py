"""How well our numbers agree with the printed ones: counts for each table, what does not agree, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from microagg.reproduce.comparison import LOSS, PrintedComparison
from microagg.reproduce.experiment import Experiment
from microagg.reproduce.results import Results

CLOSE, NEAR = 2.0, 10.0
"""Percent of the printed number within which ours agrees, and within which it is near; better is off too."""

IN_PRINTED_RANGE = "Within the least and the most that are printed for the repetitions."
IN_OUR_RANGE = "The printed number lies within the range of our seeds."
UNKNOWN = "We do not know why."


@dataclass(frozen=True)
class PrintedTable:
    """The numbers of one experiment that are of one kind and printed in one place."""

    experiment: str
    measure: str
    source: str
    comparisons: tuple[PrintedComparison, ...]

    @property
    def by_dataset(self) -> list[tuple[str, PrintedTable]]:
        """Its numbers apart by dataset, which papers mostly print in tables of their own."""
        names = dict.fromkeys(row.dataset for row in self.comparisons)
        return [
            (name, replace(self, comparisons=tuple(row for row in self.comparisons if row.dataset == name)))
            for name in names
        ]

    @property
    def close(self) -> int:
        """How many numbers are within 2% of the printed ones."""
        return sum(agreement(row) == "close" for row in self.comparisons)

    @property
    def near(self) -> int:
        """How many numbers are within 10% of the printed ones, those within 2% among them."""
        return sum(agreement(row) != "far" for row in self.comparisons)


@dataclass(frozen=True)
class Disagreement:
    """Numbers of one row of a table that are more than 2% off, for the same reason."""

    experiment: str
    measure: str
    dataset: str
    method: str
    comparisons: tuple[PrintedComparison, ...]
    reason: str

    @property
    def place(self) -> str:
        """Write which row of which table it is; losses need no words."""
        words = [self.experiment, self.dataset, self.method, *([] if self.measure == LOSS else [self.measure])]
        return ", ".join(words)

    @property
    def cells(self) -> str:
        """Write which numbers these are, and how far off."""
        return ", ".join(
            f"k = {row.k} ({row.difference_percent:+.1f}%)" if row.k else f"{row.difference_percent:+.1f}%"
            for row in self.comparisons
        )


def agreement(row: PrintedComparison) -> Literal["close", "near", "far"]:
    """Say whether a number is within 2% of the printed one, within 10%, or beyond."""
    off = abs(row.difference_percent)
    return "close" if off <= CLOSE else "near" if off <= NEAR else "far"


def printed_tables(results: Results) -> list[PrintedTable]:
    """Gather the numbers of each experiment by what they are and where they are printed."""
    tables: dict[tuple[str, str, str], list[PrintedComparison]] = {}
    for name, result in results.items():
        for row in result.comparisons:
            tables.setdefault((name, row.measure, row.source), []).append(row)
    return [PrintedTable(*key, tuple(rows)) for key, rows in tables.items()]


def reason_of(experiment: Experiment[Any], row: PrintedComparison) -> str:
    """Say why a number is not as printed: what is declared for it, what the ranges tell, what may be the cause."""
    declared = experiment.reason(row)
    if declared:
        return declared
    if not math.isnan(row.printed_least) and row.printed_least <= row.ours <= row.printed_most:
        return IN_PRINTED_RANGE
    if row.ours_least <= row.printed <= row.ours_most:
        return IN_OUR_RANGE
    return experiment.reason(row, general=True) or UNKNOWN


def disagreements(results: Results, experiments: Mapping[str, Experiment[Any]]) -> list[Disagreement]:
    """List all numbers that are more than 2% off, row by row, with the reason."""
    gathered: dict[tuple[str, str, str, str, str], list[PrintedComparison]] = {}
    for name, result in results.items():
        for row in result.comparisons:
            if agreement(row) != "close":
                key = (name, row.measure, row.dataset, row.method, reason_of(experiments[name], row))
                gathered.setdefault(key, []).append(row)
    return [
        Disagreement(name, measure, dataset, method, tuple(rows), reason)
        for (name, measure, dataset, method, reason), rows in gathered.items()
    ]


def by_reason(listed: Sequence[Disagreement]) -> dict[str, list[Disagreement]]:
    """Put together what has the same reason; what nobody can explain comes first."""
    reasons = dict.fromkeys(one.reason for one in listed)
    order = [UNKNOWN, *(why for why in reasons if why not in (UNKNOWN, IN_PRINTED_RANGE, IN_OUR_RANGE))]
    order += [IN_PRINTED_RANGE, IN_OUR_RANGE]
    return {why: [one for one in listed if one.reason == why] for why in order if why in reasons}
