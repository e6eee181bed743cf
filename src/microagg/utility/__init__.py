"""What a release lost: METRICS, one implementation of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.arrays import FloatArray, Progress, columns_within_range
from microagg.case import Case, Result
from microagg.errors import InvalidData
from microagg.schema import Kind
from microagg.semantic.attribute import Attribute
from microagg.utility.assess import assess
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
from microagg.utility.measure import Finding, Measure
from microagg.utility.metric import Metric
from microagg.utility.mixed import squared_errors
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
from microagg.utility.summary import Summary, summarise

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        INFORMATION_LOSS,
        SSE,
        SST,
        IL1S,
        MEAN_CHANGE,
        VARIANCE_CHANGE,
        COVARIANCE_CHANGE,
        CORRELATION_CHANGE,
        EIGENVALUE_CHANGE,
    )
}
"""What every release carries: losses that follow from the original and the released numbers alone."""

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
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
"""What needs more: categories, confidential columns, groups, a model."""


LARGEST = 1e140
"""The largest number that metrics are measured of."""


def measure(original: FloatArray, released: FloatArray) -> dict[str, float]:
    """Give every metric of a release; both sides standardised by the original."""
    _check_squares(original, released)
    return measure_summary(summarise(original, released))


def measure_columns(original: FloatArray, released: FloatArray, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Give the metrics that exist for single columns: metric -> column -> value."""
    _check_squares(original, released)
    return measure_summary_columns(summarise(original, released), names)


def _check_squares(*sides: FloatArray) -> None:
    """Refuse numbers whose squares, summed, are beyond the largest number."""
    if any(side.size and float(np.abs(side).max()) > LARGEST for side in sides):
        raise InvalidData(f"values beyond {LARGEST:g} cannot be squared and added up: standardise the columns first.")


def measure_summary(summary: Summary) -> dict[str, float]:
    """Give every metric of records that were summarised, at once or in parts."""
    return {name: metric.function(summary) for name, metric in METRICS.items()}


def measure_summary_columns(summary: Summary, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Give the same for single columns."""
    return {
        metric.name: dict(zip(names, metric.per_column(summary).tolist(), strict=True))
        for metric in METRICS.values()
        if metric.per_column is not None
    }


def measure_mixed(
    original: FloatArray, released: FloatArray, attributes: Sequence[Attribute], names: Sequence[str]
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Give the metrics of records of any kinds, overall and per column.

    SSE, SST and the information loss cover all columns, by the distance of each one's kind; every other metric covers
    the numeric columns alone, and is left out where there are none.
    """
    original, released = columns_within_range(original, released)
    numbers = [j for j, attribute in enumerate(attributes) if attribute.kind is Kind.NUMERIC]
    others = [j for j in range(len(attributes)) if j not in numbers]
    sse, sst = np.zeros(len(attributes)), np.zeros(len(attributes))
    sse[others], sst[others] = squared_errors(original[:, others], released[:, others], [attributes[j] for j in others])
    summary = summarise(original[:, numbers], released[:, numbers]).standardised() if numbers else None
    if summary is not None:
        sse[numbers], sst[numbers] = summary.squares, summary.spread
    by_column = np.divide(100.0 * sse, sst, out=np.zeros_like(sst), where=sst > 0)
    whole = float(sst.sum())
    losses = {
        INFORMATION_LOSS.name: 100.0 * float(sse.sum()) / whole if whole > 0 else 0.0,
        SSE.name: float(sse.sum()),
        SST.name: whole,
    }
    columns = {
        metric.name: dict(zip(names, values.tolist(), strict=True))
        for metric, values in ((INFORMATION_LOSS, by_column), (SSE, sse), (SST, sst))
    }
    if summary is not None:
        losses = {**measure_summary(summary), **losses}
        columns = {**measure_summary_columns(summary, [names[j] for j in numbers]), **columns}
    return losses, columns


def assess_all(case: Case, *, progress: Progress | None = None) -> tuple[Result, ...]:
    """Give every metric in METRICS and every measure in MEASURES that applies to a case.

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
        In the order of METRICS and MEASURES; those that do not apply (no numbers, no confidential column) are left out.

    Examples
    --------
    >>> from microagg.case import Confidential
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
    values, columns = measure_mixed(case.original, case.released, case.attributes, case.names)
    metrics = tuple(
        Result.of(metric, values[name], columns=columns.get(name)) for name, metric in METRICS.items() if name in values
    )
    return metrics + assess(case, MEASURES, progress)


__all__ = [
    "MEASURES",
    "METRICS",
    "Coefficients",
    "Finding",
    "Measure",
    "Metric",
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
    "measure_columns",
    "measure_mixed",
    "measure_summary",
    "measure_summary_columns",
    "mutual_information",
    "propensity",
    "quantile_changes",
    "record_losses",
    "sse",
    "sst",
    "summarise",
    "tails_kept",
]
