"""Count who is alone before anything is done: the job behind the page of exposure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb

import numpy as np
import numpy.typing as npt

from microagg import __version__
from microagg.base.groups import equivalence_classes
from microagg.base.progress import part_of
from microagg.base.types import IntArray
from microagg.exposure import assess_table
from microagg.gate import Gate, significant
from microagg.plan.plan import Plan
from microagg.recode import recode_table
from microagg.report import Source as NamedSource
from microagg.report.exposure import ExposureDocument, build_exposure
from microagg.risk.suda import MinimalUniques, minimal_uniques
from microagg.risk.without import sizes_without
from microagg.studio.source import DataSource
from microagg.studio.worker import JobTask

MOST_TOGETHER = 3
"""How many columns are looked at together for special uniques."""
MOST_LOOKED_AT = 400_000_000
"""Records times sets of columns that are looked at for them."""
MOST_SETS = 12
"""How many sets of columns are listed."""


@dataclass(frozen=True)
class WithoutColumn:
    """What would be if a column were not there; None where that is withheld.

    Attributes
    ----------
    name : str
        The column.
    uniques, below : int or None
        How many records would be alone, and in groups of fewer than k.
    special : int or None
        How many records it helps to single out, with a few other columns; roughly.
    """

    name: str
    uniques: int | None
    below: int | None
    special: int | None = None


@dataclass(frozen=True)
class Exposed:
    """What the page shows.

    Attributes
    ----------
    document : ExposureDocument
        What the report of exposure tells.
    columns : tuple of WithoutColumn
        The quasi-identifiers, those first whose removal helps most.
    helps : bool
        Whether any removal helps by enough to be told.
    special : tuple of pairs of int and int or None
        So many columns together suffice to single out so many records, which fewer columns do not.
    sets : tuple of pairs of names and int
        The sets of columns that single out most records.
    together : int
        Up to how many columns were looked at together; 0 where there are too many.
    """

    document: ExposureDocument
    columns: tuple[WithoutColumn, ...]
    helps: bool
    special: tuple[tuple[int, int | None], ...]
    sets: tuple[tuple[tuple[str, ...], int], ...]
    together: int


def plan_of_exposure(plan: Plan) -> Plan:
    """Give what a plan says of exposure: other columns need not be decided."""
    named = {*(plan.quasi or ()), *plan.confidential}
    return Plan(
        k=plan.k,
        quasi=plan.quasi,
        confidential=plan.confidential,
        recode={name: steps for name, steps in plan.recode.items() if name in named},
        weights=plan.weights,
        unit=plan.unit,
        seed=plan.seed,
    )


def expose(task: JobTask, source: DataSource, plan: Plan, exact: bool) -> Exposed:
    """Count who is alone, which columns make them so, and who is alone on few columns already."""
    table, _ = recode_table(source.read(), plan.recode, plan.k)
    plan = replace(plan, recode={})
    task(0.1)
    exposure = assess_table(table, plan, part_of(task, 0.1, 0.6))
    names = tuple(plan.quasi or ())
    keys = np.column_stack([table.codes(name) for name in names])
    gate = Gate(len(exposure.classes), plan.k, details=exact)
    document = build_exposure(
        title=source.name,
        version=__version__,
        classes=exposure.classes,
        k=plan.k,
        risks=exposure.assessment.risks,
        violations=exposure.violations,
        roles={name: str(role) for name, role in exposure.roles.items()},
        sources={"input": NamedSource(source.name)},
        details=exact,
    )
    special = _special(names, keys, gate, task)
    sizes = np.bincount(equivalence_classes(keys))
    columns = _without(names, keys, sizes, gate, special, task)
    below = int(sizes[sizes < plan.k].sum())
    helps = any(column.below is not None and column.below < below for column in columns)
    return Exposed(document, columns, helps, special.by_size, special.sets, special.together)


def _without(
    names: Sequence[str], keys: npt.NDArray[np.int64], sizes: IntArray, gate: Gate, special: Special, task: JobTask
) -> tuple[WithoutColumn, ...]:
    """Say what each column does; a count that differs from that of all columns by a few is withheld."""
    alone, below = int((sizes == 1).sum()), int(sizes[sizes < gate.k].sum())
    found = []
    for place, (name, others) in enumerate(zip(names, sizes_without(keys), strict=True)):
        counts = int((others == 1).sum()), int(others[others < gate.k].sum())
        told = [
            count if gate.count(count) is not None and gate.count(abs(count - all_)) is not None else None
            for count, all_ in zip(counts, (alone, below), strict=True)
        ]
        found.append(WithoutColumn(name, told[0], told[1], special.by_column.get(name)))
        task(0.8 + 0.2 * (place + 1) / len(names))
    most = len(keys) + 1
    return tuple(sorted(found, key=lambda c: (c.below if c.below is not None else most, -(c.special or 0))))


@dataclass(frozen=True)
class Special:
    """The records that few columns single out: by how many columns, by column, and by which sets of them."""

    together: int
    by_size: tuple[tuple[int, int | None], ...] = ()
    by_column: Mapping[str, int | None] = field(default_factory=dict)
    sets: tuple[tuple[tuple[str, ...], int], ...] = ()


def _special(names: Sequence[str], keys: npt.NDArray[np.int64], gate: Gate, task: JobTask) -> Special:
    """Find the records that few columns single out, and which these are."""
    n_records, n_columns = keys.shape
    together = 0
    while together < min(MOST_TOGETHER, n_columns):
        if n_records * sum(comb(n_columns, size) for size in range(1, together + 2)) > MOST_LOOKED_AT:
            break
        together += 1
    if not together or not gate.tells_original:
        return Special(together)
    found = minimal_uniques(keys, max_size=together, progress=part_of(task, 0.6, 0.8))
    fewest = np.full(n_records, together + 1)
    takes_part = np.zeros((n_columns, n_records), dtype=np.bool_)
    for unique in found:
        fewest[unique.records] = np.minimum(fewest[unique.records], len(unique.attributes))
        for column in unique.attributes:
            takes_part[column, unique.records] = True
    counts = np.bincount(fewest, minlength=together + 2)[1:]
    told = gate.cells(counts)
    return Special(
        together,
        tuple(
            (size, int(count) if tell else None)
            for size, count, tell in zip(range(1, together + 1), counts[:-1], told[:-1], strict=True)
        ),
        {name: _about(int(takes_part[j].sum()), gate) for j, name in enumerate(names)},
        _sets(names, found, gate),
    )


def _about(count: int, gate: Gate) -> int | None:
    """Give a number of records, roughly: it may differ from that of all by a few."""
    told = gate.count(count)
    return None if told is None else round(significant(told, 2)) if not gate.details else told


def _sets(names: Sequence[str], found: Sequence[MinimalUniques], gate: Gate) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Give the sets of columns that single out most records, as many as may be told."""
    sets = [(tuple(names[j] for j in unique.attributes), len(unique.records)) for unique in found]
    told = [each for each in sets if gate.count(each[1]) is not None]
    return tuple(sorted(told, key=lambda each: (-each[1], len(each[0])))[:MOST_SETS])
