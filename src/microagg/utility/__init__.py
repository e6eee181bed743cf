"""What a release lost: METRICS, one implementation of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.arrays import FloatArray
from microagg.schema import Kind
from microagg.semantic.attribute import Attribute
from microagg.utility.il1s import IL1S
from microagg.utility.metric import Metric
from microagg.utility.mixed import squared_errors
from microagg.utility.moments import (
    CORRELATION_CHANGE,
    COVARIANCE_CHANGE,
    EIGENVALUE_CHANGE,
    MEAN_CHANGE,
    VARIANCE_CHANGE,
)
from microagg.utility.squared_error import INFORMATION_LOSS, SSE, SST, information_loss, sse, sst
from microagg.utility.sums import Sums

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


def measure(original: FloatArray, released: FloatArray) -> dict[str, float]:
    """Give every metric of a release; both sides standardised by the original."""
    return measure_sums(Sums.of(original, released))


def measure_sums(sums: Sums) -> dict[str, float]:
    """Give every metric of a release whose records were summed, at once or in parts."""
    return {name: metric.function(sums) for name, metric in METRICS.items()}


def measure_columns(original: FloatArray, released: FloatArray, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Give the metrics that exist for single columns: metric -> column -> value."""
    return measure_columns_of(Sums.of(original, released), names)


def measure_columns_of(sums: Sums, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Give the same of records that were summed, at once or in parts."""
    return {
        metric.name: dict(zip(names, metric.per_column(sums).tolist(), strict=True))
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
    sse, sst = squared_errors(original, released, attributes)
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
    numbers = [j for j, attribute in enumerate(attributes) if attribute.kind is Kind.NUMERIC]
    if numbers:
        mean, deviation = original[:, numbers].mean(axis=0), original[:, numbers].std(axis=0, ddof=1)
        deviation = np.where(deviation > 0, deviation, np.inf)
        sides = ((original[:, numbers] - mean) / deviation, (released[:, numbers] - mean) / deviation)
        losses = {**measure(*sides), **losses}
        columns = {**measure_columns(*sides, [names[j] for j in numbers]), **columns}
    return losses, columns


__all__ = ["METRICS", "Metric", "Sums", "information_loss", "measure", "measure_columns", "measure_mixed", "sse", "sst"]
