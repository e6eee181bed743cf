"""What is known of a release or of data before one: every measure, and the groups that give something away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from microagg import risk, utility
from microagg.base.groups import check_weights
from microagg.base.progress import Progress, part_of
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.measures import Case, Change, Finding, Result, assess
from microagg.prepare.confidential import confidential_columns
from microagg.semantic.attribute import Attribute

RISKS_TAKEN = 0.9
"""How far measures of risk take the progress: with 10^4 and 10^5 records they took nine tenths of the time."""


OF_UNITS = ("household_risk",)
"""What compares nothing, and is not public all the same: a release need not tell which records belong together."""


@dataclass(frozen=True)
class Homogeneous:
    """Groups that agree in a confidential column: the column, the numbers of the groups where they are known, how many
    groups and how many records.
    """

    column: str
    groups: tuple[int, ...]
    n_groups: int
    records: int


@dataclass(frozen=True, repr=False)
class Assessment:
    """Every measure that applies.

    Attributes
    ----------
    risks, losses : tuple of Result
        The measures of risk and of utility, each with its value before where there is one, what it means, its range
        and reference, and on how many records it was taken.
    homogeneous : tuple of Homogeneous
        The groups whose records all have the same confidential value.
    """

    risks: tuple[Result, ...]
    losses: tuple[Result, ...]
    homogeneous: tuple[Homogeneous, ...]

    def __repr__(self) -> str:
        names = ", ".join(result.name for result in (*self.risks, *self.losses)[:3])
        return f"<Assessment: {len(self.risks)} measures of risk, {len(self.losses)} of loss ({names}, ...)>"

    def __getitem__(self, name: str) -> Result:
        """Give one measure by its name; of a name that measures of both rooms have, the risk."""
        return {result.name: result for result in (*self.losses, *self.risks)}[name]


def assess_release(case: Case, *, progress: Progress | None = None) -> Assessment:
    """Take every measure of a release."""
    return Assessment(
        risk.assess_all(case, progress=part_of(progress, 0.0, RISKS_TAKEN)),
        utility.assess_all(case, progress=part_of(progress, RISKS_TAKEN, 1.0)),
        homogeneous_groups(case),
    )


def known_assessment(
    risks: Mapping[str, float], risks_before: Mapping[str, float], losses: Mapping[str, float]
) -> Assessment:
    """Tell what is known already: the risks and losses that every release carries."""
    return Assessment(
        tuple(Result.of(risk.RISKS[name], Finding(value, risks_before.get(name))) for name, value in risks.items()),
        tuple(Result.of(utility.METRICS[name], Finding(value)) for name, value in losses.items()),
        (),
    )


def assess_original(case: Case, *, progress: Progress | None = None) -> Assessment:
    """Take every measure of data before any release: those that compare nothing."""
    alone = {name: measure for name, measure in risk.MEASURES.items() if measure.of_release or name in OF_UNITS}
    return Assessment(assess(case, alone, progress), (), homogeneous_groups(case))


def make_case(
    *,
    names: tuple[str, ...],
    attributes: tuple[Attribute, ...],
    original: FloatArray,
    released: FloatArray,
    labels: IntArray,
    k: int,
    table: Table,
    confidential: list[str],
    by: tuple[str, ...] = (),
    weights: str | None = None,
    units: IntArray | None = None,
    seed: int = 0,
    change: Change | None = None,
) -> Case:
    """Gather what measures may ask for; confidential columns, strata and weights come from the table.

    How far the records moved is worked out only where it is not known already (`change`).
    """
    case = Case(
        names=names,
        attributes=attributes,
        original=original,
        released=released,
        labels=labels,
        k=k,
        confidential=confidential_columns(table, confidential),
        strata=np.column_stack([table.codes(name) for name in by]) if by else None,
        weights=check_weights(table.numeric(weights).values, len(original)) if weights else None,
        units=units,
        seed=seed,
    )
    if change is not None:
        vars(case)["change"] = change  # where the cached property looks for it
    return case


def homogeneous_groups(case: Case) -> tuple[Homogeneous, ...]:
    """Name the groups whose records all have the same confidential value, for each confidential column."""
    if case.labels.ndim == 2:
        return ()
    sizes = np.bincount(case.labels)
    alike = []
    for name, column in case.confidential.items():
        # A value that is missing from all records of a group gives nothing away.
        lacking = np.bincount(case.labels, weights=~column.present)
        disclosing = (found for found in risk.disclosing_groups(case.labels, column.values) if found.size > 1)
        groups = sorted(found.group for found in disclosing if not lacking[found.group])
        if groups:
            alike.append(Homogeneous(name, tuple(groups), len(groups), int(sizes[groups].sum())))
    return tuple(alike)
