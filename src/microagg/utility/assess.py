"""Every measure of utility of one case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from microagg.arrays import Progress
from microagg.case import Case, Result
from microagg.errors import MicroaggError
from microagg.utility.measure import Measure

_SAMPLED = "measured on a sample of the records"


def assess(case: Case, measures: Mapping[str, Measure], progress: Progress | None = None) -> tuple[Result, ...]:
    """Give the result of each measure that applies to the case.

    One that fails gives a result without a value that says why.
    """
    samples: dict[int, Case] = {}
    results = []
    for i, measure in enumerate(measures.values(), 1):
        results.append(_assess(measure, case, samples))
        if progress is not None:
            progress(i / len(measures))
    return tuple(result for result in results if result is not None)


def _assess(measure: Measure, case: Case, samples: dict[int, Case]) -> Result | None:
    """Take one measure, of a sample where records are many; samples are kept for the next one."""
    if measure.extra and not case.trees:
        return None
    rows = None if measure.at_most is None else case.sample_rows(case.most_records or measure.at_most)
    if rows is not None and len(rows) not in samples:
        samples[len(rows)] = case.take(rows)
    part = case if rows is None else samples[len(rows)]
    result = Result.of(measure, sampled=None if rows is None else len(rows))
    try:
        found = measure(part)
    except MicroaggError as error:
        return replace(result, note=str(error))
    if found is None:
        return None
    records = found.records
    if records is not None and rows is not None:
        records = np.full(case.n_records, np.nan)
        records[rows] = found.records
    return replace(
        result,
        value=found.value,
        before=found.before,
        columns=found.columns,
        records=records,
        note="; ".join(text for text in (found.note, _SAMPLED if rows is not None else "") if text),
    )
