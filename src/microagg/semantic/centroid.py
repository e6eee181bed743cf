"""One category for a whole group: mode, median, semantic centroid or least common subsumer."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg.base.groups import bounded_weights
from microagg.base.schema import Kind
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.semantic.attribute import UNIT, Attribute

CENTROIDS = ("semantic", "subsumer")
MOST_COSTS = 1 << 22
"""How many summed distances are held at a time."""


def group_centroids(
    codes: IntArray,
    labels: IntArray,
    attribute: Attribute,
    *,
    weights: FloatArray | None = None,
    centroid: str = "semantic",
) -> IntArray:
    """Give the code that stands for each group: its place in `attribute.names`.

    Nominal: the most frequent value. Ordinal: the lower median. Hierarchy: the node, inner ones included, with the
    least summed distance to the records of the group [1]_; or with centroid="subsumer" the deepest least common
    subsumer of its values. Ties go to the lower code: values of the data before other nodes, in post-order.

    Parameters
    ----------
    codes, labels : arrays of n int
        The value and the group of each record.
    attribute : Attribute
        What the codes mean; not a numeric one.
    weights : array of n float, optional
        How often each record counts; see `microagg.base.groups.bounded_weights`.
    centroid : {"semantic", "subsumer"}
        What stands for a group of values of a hierarchy.

    Returns
    -------
    array of G int

    References
    ----------
    .. [1] S. Martinez, D. Sanchez, A. Valls. Semantic adaptive microaggregation of categorical microdata. Computers &
       Security 31 (2012) 653-672.

    Examples
    --------
    >>> from microagg.semantic.attribute import ordinal
    >>> levels = ordinal(["low", "middle", "high"])
    >>> group_centroids(np.array([0, 0, 2, 1, 2]), np.array([0, 0, 0, 1, 1]), levels).tolist()
    [0, 1]
    """
    if centroid not in CENTROIDS:
        raise InvalidOption(f"centroid must be one of {', '.join(CENTROIDS)}; got {centroid!r}.")
    pairs, inverse = np.unique(labels * attribute.n_values + codes, return_inverse=True)
    groups, values = np.divmod(pairs, attribute.n_values)
    if weights is not None:
        weights = bounded_weights(labels, weights)
    counts = np.bincount(inverse, weights).astype(np.float64)
    return _common_values(groups, values, counts, attribute, centroid)


def common_value(counts: npt.NDArray[np.generic], attribute: Attribute) -> int:
    """Give the code that stands for records of which so many have each value: mode, median or semantic centroid.

    >>> from microagg.semantic.attribute import ordinal
    >>> common_value(np.array([2, 1, 2]), ordinal(["low", "middle", "high"]))
    1
    """
    values = np.flatnonzero(counts)
    everybody = np.zeros(len(values), dtype=np.int64)
    return int(_common_values(everybody, values, counts[values].astype(np.float64), attribute, "semantic")[0])


def _common_values(
    groups: IntArray, values: IntArray, counts: FloatArray, attribute: Attribute, centroid: str
) -> IntArray:
    """Give the code for each group, of how often each value occurs in it; ordered by groups, then by values."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    if attribute.kind is Kind.HIERARCHY and centroid == "subsumer":
        return _subsumers(values, starts, attribute)
    if attribute.kind is Kind.HIERARCHY and attribute.distance is not None:
        return _semantic(values, counts, starts, np.round(attribute.distance * UNIT))
    if attribute.kind is Kind.ORDINAL:
        before = np.cumsum(counts) - counts
        until = np.cumsum(counts)
        totals = np.add.reduceat(counts, starts)
        first = np.repeat(before[starts], np.diff([*starts, len(groups)]))
        reached = 2 * (until - first) >= np.repeat(totals, np.diff([*starts, len(groups)]))
        at = np.flatnonzero(reached)
        medians: IntArray = values[at[np.flatnonzero(np.diff(groups[at], prepend=-1))]]
        return medians
    order = np.lexsort((values, -counts, groups))
    modes: IntArray = values[order[starts]]
    return modes


def _semantic(values: IntArray, counts: FloatArray, starts: IntArray, distance: FloatArray) -> IntArray:
    """Sum the distances of each group to every candidate, some groups at a time."""
    chosen = np.empty(len(starts), dtype=np.int64)
    ends = np.append(starts[1:], len(values))
    step = max(1, MOST_COSTS // distance.shape[1])
    begin = 0
    while begin < len(starts):
        # As many groups as fit, at least one.
        end = max(begin + 1, int(np.searchsorted(ends, starts[begin] + step, side="right")))
        rows = slice(starts[begin], ends[end - 1])
        costs = np.add.reduceat(distance[values[rows]] * counts[rows, None], starts[begin:end] - starts[begin], axis=0)
        chosen[begin:end] = costs.argmin(axis=1)
        begin = end
    return chosen


def _subsumers(values: IntArray, starts: IntArray, attribute: Attribute) -> IntArray:
    hierarchy = attribute.hierarchy
    if hierarchy is None:
        raise InvalidOption("the least common subsumer needs a hierarchy.")
    nodes = np.array([hierarchy.find(name) for name in attribute.names])
    above = hierarchy.steps_up[nodes[: attribute.n_values]][:, nodes] >= 0
    common = np.logical_and.reduceat(above[values], starts, axis=0)
    strictly = (hierarchy.steps_up[np.ix_(nodes, nodes)] > 0).astype(np.float32)
    least = common & ~((common.astype(np.float32) @ strictly) > 0)
    chosen: IntArray = np.where(least, hierarchy.depths[nodes], 0).argmax(axis=1)
    return chosen
