"""Taking many measures of one case: sampling where records are many, missing extras, measures that fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from microagg.base.progress import Progress
from microagg.base.types import FloatArray
from microagg.errors import MicroaggError
from microagg.measures.case import Case
from microagg.measures.measure import Measure
from microagg.measures.result import Result


def assess(case: Case, measures: Mapping[str, Measure], progress: Progress | None = None) -> tuple[Result, ...]:
    """Give the result of each measure that applies to the case: of the release, and of the original if that is known.

    One that is slow on so many records is taken of a sample that follows from the seed, and says so. One that fails
    (weights that do not fit, too many columns) gives a result without a value that says why.

    Parameters
    ----------
    case : Case
        The records before and after, and what else is known.
    measures : mapping of str to Measure
        Some or all of a registry.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    tuple of Result
        In the order of the measures; those that do not apply are left out.
    """
    samples = _Samples(case)
    results = []
    for i, measure in enumerate(measures.values(), 1):
        results.append(_assess(measure, samples))
        if progress is not None:
            progress(i / len(measures))
    return tuple(result for result in results if result is not None)


class _Samples:
    """A case and the original beside itself, whole and in samples; each is drawn once."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self._drawn: dict[tuple[bool, int], Case] = {}

    def of(self, measure: Measure, *, is_original: bool) -> Case:
        """What a measure looks at, of the release or of the original."""
        side = self.case.before if is_original else self.case
        if measure.at_most is None:
            return side
        most = side.most_records or measure.at_most
        if side.n_records <= most or (measure.whole_if is not None and measure.whole_if(side)):
            return side
        if (is_original, most) not in self._drawn:
            self._drawn[is_original, most] = side.sample(most)
        return self._drawn[is_original, most]


def _assess(measure: Measure, samples: _Samples) -> Result | None:
    case = samples.case
    if measure.extra and not case.trees:
        return None
    part = samples.of(measure, is_original=False)
    result = Result.of(measure, sampled=None if part is case else part.n_records)
    note = measure.sample_note if part is not case else ""
    try:
        finding = measure(part)
        if finding is None:
            return None
        before = finding.before
        if before is None and measure.of_release:
            earlier_part = samples.of(measure, is_original=True)
            earlier = measure(earlier_part)
            before = None if earlier is None else earlier.value
            if part is case and earlier_part is not case.before:
                note = f"the original was {measure.sample_note}"
    except MicroaggError as error:
        return replace(result, note=str(error))
    return replace(
        result,
        value=finding.value,
        before=before,
        columns=finding.columns,
        records=_of_all_records(finding.records, part),
        note="; ".join(text for text in (finding.note, note) if text),
    )


def _of_all_records(records: FloatArray | None, part: Case) -> FloatArray | None:
    """The values of all records; NaN for those that are not in the sample."""
    if records is None or part.rows is None:
        return records
    every = np.full(part.whole.n_records, np.nan)
    every[part.rows] = records
    return every
