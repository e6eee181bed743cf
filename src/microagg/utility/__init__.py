"""What a release lost: METRICS, one implementation of each."""

from __future__ import annotations

from collections.abc import Sequence

from microagg.arrays import FloatArray
from microagg.utility.il1s import IL1S
from microagg.utility.metric import Metric
from microagg.utility.moments import (
    CORRELATION_CHANGE,
    COVARIANCE_CHANGE,
    EIGENVALUE_CHANGE,
    MEAN_CHANGE,
    VARIANCE_CHANGE,
)
from microagg.utility.squared_error import INFORMATION_LOSS, SSE, SST, information_loss, sse, sst

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
    return {name: metric(original, released) for name, metric in METRICS.items()}


def measure_columns(original: FloatArray, released: FloatArray, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Give the metrics that exist for single columns: metric -> column -> value."""
    return {
        metric.name: dict(zip(names, metric.per_column(original, released).tolist(), strict=True))
        for metric in METRICS.values()
        if metric.per_column is not None
    }


__all__ = ["METRICS", "Metric", "information_loss", "measure", "measure_columns", "sse", "sst"]
