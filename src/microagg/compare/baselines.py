"""Masks on the quasi-identifiers, beside the candidates of a comparison: what others use, and what it risks.

A mask promises no k. Such a row is there to be seen: it is never chosen, and no plan makes it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from microagg import risk, utility
from microagg.assessment import make_case
from microagg.base.schema import Role
from microagg.base.table import Table
from microagg.compare.run import measure_further
from microagg.engines import MemoryEngine
from microagg.errors import MicroaggError
from microagg.flow import prepare
from microagg.mask import mask_values, read_mask
from microagg.measures import Change, ChangeSums
from microagg.plan import Plan


@dataclass(frozen=True)
class Baselines:
    """What came of the baselines: outcomes by their texts, why others could not be made, and what to know."""

    outcomes: dict[str, dict[str, Any]]
    failures: dict[str, str]
    notes: tuple[str, ...]


def make_baselines(table: Table, plan: Plan, texts: Sequence[str], wanted: set[str]) -> Baselines:
    """Mask the quasi-identifiers in each of these ways, and measure what comes out; nothing of it is released.

    Parameters
    ----------
    table : Table
        The records.
    plan : Plan
        Which columns are quasi-identifiers, and what is done before they are grouped.
    texts : sequence of str
        The masks, as users write them.
    wanted : set of str
        What to measure beside the losses and risks that every release has.
    """
    outcomes: dict[str, dict[str, Any]] = {}
    failures: dict[str, str] = {}
    notes = []
    for text in texts:
        try:
            outcomes[text], left = _outcome(table, plan, text, wanted)
        except MicroaggError as error:
            failures[text] = str(error)
            continue
        if left:
            notes.append(f"{text} leaves {', '.join(left)} as they are: it takes {read_mask(text).mask.takes} alone.")
    if outcomes:
        notes.append(
            f"Baselines ({', '.join(outcomes)}) change values at random and promise no k: they are shown, and never "
            "chosen."
        )
    return Baselines(outcomes, failures, tuple(notes))


def _outcome(table: Table, plan: Plan, text: str, wanted: set[str]) -> tuple[dict[str, Any], list[str]]:
    """Give what is to be known of a mask, as plain values, and the columns that it leaves as they are."""
    begin = time.perf_counter()
    engine = MemoryEngine(table)
    prepared = prepare(engine, plan)
    space, records = prepared.space, engine.everything()
    # Nothing of this is released, so the numbers may follow from the seed: the same comparison comes out again.
    random = np.random.default_rng(plan.seed)
    masked, left = mask_values(records.values, prepared.columns, read_mask(text), random)
    sums = ChangeSums.of(records.values, masked, space.attributes, space.scale.apply)
    change = Change.of_sums(sums, space.attributes, space.spreads, space.names)
    case = make_case(
        names=space.names,
        attributes=space.attributes,
        original=records.values,
        released=masked,
        labels=risk.equivalence_classes(risk.keys_of(masked)),
        k=plan.k,
        table=engine.table,
        confidential=[name for name, role in prepared.roles.items() if role is Role.CONFIDENTIAL],
        by=plan.by,
        weights=plan.weights,
        seed=plan.seed,
        change=change,
    )
    sizes, n_classes = np.unique(np.bincount(case.classes), return_counts=True)
    values = {**utility.measure_change(change)[0], **risk.measure_counts(sizes, n_classes)}
    if further := wanted - set(values):
        values |= measure_further(case, further)
    return {
        "values": {name: float(value) for name, value in values.items()},
        "k_anonymous": False,
        "records": engine.n_records,
        "suppressed": prepared.n_suppressed,
        "groups": int(n_classes.sum()),
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "seconds": time.perf_counter() - begin,
    }, left
