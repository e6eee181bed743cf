"""What a release lost: MEASURES, and among them METRICS, which every release carries."""

from __future__ import annotations

import numpy as np

from microagg.base.progress import Progress
from microagg.base.types import FloatArray
from microagg.errors import InvalidData
from microagg.measures import Case, Change, Measure, Result, Summary, assess, summarise
from microagg.utility.breakdown import WORST_GROUPS, group_losses, record_losses
from microagg.utility.classification import CLASSIFICATION, CLASSIFICATION_TREES, accuracy
from microagg.utility.dependence import (
    PAIR_ASSOCIATION,
    PAIR_CORRELATION,
    PAIR_INFORMATION,
    cramers_v,
    mutual_information,
)
from microagg.utility.il1s import IL1S
from microagg.utility.moments import (
    CORRELATION_CHANGE,
    COVARIANCE_CHANGE,
    EIGENVALUE_CHANGE,
    MEAN_CHANGE,
    VARIANCE_CHANGE,
)
from microagg.utility.propensity import PROPENSITY_MSE, PROPENSITY_RATIO, Propensity, propensity
from microagg.utility.quantiles import QUANTILE_CHANGE, TAILS_KEPT, quantile_changes, tails_kept
from microagg.utility.regression import (
    COEFFICIENT_CHANGE,
    INTERVAL_OVERLAP,
    Coefficients,
    compare_coefficients,
    interval_overlap,
)
from microagg.utility.semantic import SEMANTIC_LOSS
from microagg.utility.squared_error import INFORMATION_LOSS, SSE, SST, information_loss, sse, sst
from microagg.utility.values_kept import VALUES_KEPT

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        INFORMATION_LOSS,
        SSE,
        SST,
        IL1S,
        MEAN_CHANGE,
        VARIANCE_CHANGE,
        COVARIANCE_CHANGE,
        CORRELATION_CHANGE,
        EIGENVALUE_CHANGE,
        VALUES_KEPT,
        SEMANTIC_LOSS,
        WORST_GROUPS,
        QUANTILE_CHANGE,
        TAILS_KEPT,
        PAIR_CORRELATION,
        PAIR_ASSOCIATION,
        PAIR_INFORMATION,
        PROPENSITY_MSE,
        PROPENSITY_RATIO,
        INTERVAL_OVERLAP,
        COEFFICIENT_CHANGE,
        CLASSIFICATION,
        CLASSIFICATION_TREES,
    )
}
"""Every measure of utility."""

METRICS: dict[str, Measure] = {name: measure for name, measure in MEASURES.items() if measure.of_change is not None}
"""Those that every release carries: losses that follow from sums of the original and the released values."""


LARGEST = 1e140
"""The largest number that metrics are measured of."""


def measure(original: FloatArray, released: FloatArray) -> dict[str, float]:
    """Give every metric of a release of numbers; both sides standardised by the original."""
    if any(side.size and float(np.abs(side).max()) > LARGEST for side in (original, released)):
        raise InvalidData(f"values beyond {LARGEST:g} cannot be squared and added up: standardise the columns first.")
    return measure_change(Change.of_numbers(summarise(original, released)))[0]


def measure_change(change: Change) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Give every metric that sums tell, overall and per column."""
    findings = {name: metric.of_change(change) for name, metric in METRICS.items() if metric.of_change is not None}
    known = {name: finding for name, finding in findings.items() if finding is not None}
    columns = {name: dict(finding.columns) for name, finding in known.items() if finding.columns is not None}
    return {name: finding.value for name, finding in known.items()}, columns


def assess_all(case: Case, *, progress: Progress | None = None) -> tuple[Result, ...]:
    """Give every measure in MEASURES that applies to a case.

    A measure that is slow on so many records is taken on a sample that follows from the seed, and says so (`sampled`,
    `note`).

    Parameters
    ----------
    case : Case
        The records before and after, and what else is known.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    tuple of Result
        In the order of MEASURES; those that do not apply (no numbers, no confidential column) are left out.

    Examples
    --------
    >>> from microagg.measures import Confidential
    >>> from microagg.semantic.attribute import numeric
    >>> case = Case(
    ...     names=("age",), attributes=(numeric(),), labels=np.array([0, 0, 1, 1]), k=2,
    ...     original=np.array([[20.0], [24.0], [50.0], [60.0]]), released=np.array([[22.0], [22.0], [55.0], [55.0]]),
    ...     confidential={"pay": Confidential(np.array([1.0, 2.0, 4.0, 5.0]), numeric())},
    ... )
    >>> results = {result.name: result for result in assess_all(case)}
    >>> round(results["information_loss"].value, 2), results["information_loss"].better
    (5.06, 'lower')
    """
    return assess(case, MEASURES, progress)


__all__ = [
    "MEASURES",
    "METRICS",
    "Coefficients",
    "Propensity",
    "Summary",
    "accuracy",
    "assess_all",
    "compare_coefficients",
    "cramers_v",
    "group_losses",
    "information_loss",
    "interval_overlap",
    "measure",
    "measure_change",
    "mutual_information",
    "propensity",
    "quantile_changes",
    "record_losses",
    "sse",
    "sst",
    "summarise",
    "tails_kept",
]
