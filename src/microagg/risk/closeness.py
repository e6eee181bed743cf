"""t-closeness: how far the confidential values of a class are from those of everybody."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.schema import Kind
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.measures import Case, Composition, Confidential, Finding, Measure, compose
from microagg.risk.findings import CONFIDENTIAL, highest, worst_of_columns
from microagg.semantic import Hierarchy

DISTANCES = ("equal", "ordered", "hierarchical")
_MOST_AT_ONCE = 4_000_000


def t_closeness(
    classes: IntArray,
    confidential: npt.ArrayLike,
    *,
    distance: str = "equal",
    hierarchy: Hierarchy | None = None,
) -> FloatArray:
    """Give for each record the distance of the confidential values of its class to those of all records [1]_.

    It is the earth mover's distance of the two distributions, from 0 to 1; the table is t-close for the highest.

    Parameters
    ----------
    classes : array of n int
        The class of each record, 0 to C-1, as `equivalence_classes` gives them.
    confidential : array of n
        The confidential value of each record.
    distance : {"equal", "ordered", "hierarchical"}
        How far apart two values are: all the same; the steps between them in their order, as a share of all steps; or
        the height of the lowest node above both in a hierarchy, as a share of the height of the root.
    hierarchy : Hierarchy, optional
        A tree that holds every value; for the hierarchical distance, and needed there.

    Returns
    -------
    array of n float

    References
    ----------
    .. [1] N. Li, T. Li, S. Venkatasubramanian. t-closeness: privacy beyond k-anonymity and l-diversity. ICDE (2007)
       106-115.

    Examples
    --------
    >>> salaries = [3, 4, 5, 6, 11, 8, 7, 9, 10]  # the example of Li et al.
    >>> t_closeness(np.repeat([0, 1, 2], 3), salaries, distance="ordered").round(3).tolist()[::3]
    [0.375, 0.167, 0.236]
    >>> ills = Hierarchy.from_edges([("flu", "lungs"), ("asthma", "lungs"), ("ulcer", "stomach"),
    ...                              ("gastritis", "stomach"), ("lungs", "ill"), ("stomach", "ill")])
    >>> ill = ["flu", "flu", "asthma", "asthma", "ulcer", "gastritis"]
    >>> t_closeness(np.array([0, 0, 1, 1, 2, 2]), ill, distance="hierarchical", hierarchy=ills).round(3).tolist()[::2]
    [0.5, 0.5, 0.667]
    """
    made = compose(classes, confidential)
    values: FloatArray = closeness_by_class(made, distance=distance, hierarchy=hierarchy)[made.classes]
    return values


def closeness_by_class(made: Composition, *, distance: str = "equal", hierarchy: Hierarchy | None = None) -> FloatArray:
    """Give the distance of each class to all records: those of `made.value_sizes`, of which it may hold a part."""
    if distance not in DISTANCES:
        raise InvalidOption(f"distance must be one of {', '.join(DISTANCES)}; got {distance!r}.")
    if (hierarchy is not None) != (distance == "hierarchical"):
        raise InvalidOption(f"distance 'hierarchical' and a hierarchy go together; got distance {distance!r}.")
    if hierarchy is not None:
        by_class = _hierarchical(made, hierarchy)
    else:
        by_class = _equal(made) if distance == "equal" else _ordered(made)
    return np.clip(by_class, 0.0, 1.0)


def _distance_of(column: Confidential) -> dict[str, Any]:
    """The distance that fits a column: by steps where its values have an order, along a hierarchy that is a tree."""
    if column.attribute.kind in {Kind.NUMERIC, Kind.ORDINAL}:
        return {"distance": "ordered"}
    hierarchy = column.attribute.hierarchy
    is_tree = hierarchy is not None and all(len(above) <= 1 for above in hierarchy.parents)
    if is_tree and column.present.all():
        return {"distance": "hierarchical", "hierarchy": hierarchy}
    return {"distance": "equal"}


def _equal(made: Composition) -> FloatArray:
    whole = (made.value_sizes / made.value_sizes.sum())[made.of_value]
    absent = 1.0 - made.sum_by_class(whole)
    distances: FloatArray = (made.sum_by_class(np.abs(made.shares - whole)) + absent) / 2.0
    return distances


def _ordered(made: Composition) -> FloatArray:
    """Add up |P - Q| of the cumulative shares of class and all records over the values.

    P is constant from one value of the class to the next, and Q grows: where it passes P is found by bisection, and
    prefix sums of Q do the rest.
    """
    n_values = len(made.value_sizes)
    if n_values == 1:
        return np.zeros(len(made.class_sizes))
    cumulative = np.cumsum(made.value_sizes) / made.value_sizes.sum()
    prefix = np.concatenate([[0.0], np.cumsum(cumulative)])
    starts = made.starts
    up_to = np.cumsum(made.counts)
    share = (up_to - (up_to - made.counts)[starts][made.of_class]) / made.class_sizes[made.of_class]
    end = np.append(made.of_value[1:], n_values)
    end[starts[1:] - 1] = n_values
    turn = np.clip(np.searchsorted(cumulative, share), made.of_value, end)
    below = (turn - made.of_value) * share - (prefix[turn] - prefix[made.of_value])
    above = prefix[end] - prefix[turn] - (end - turn) * share
    distances: FloatArray = (prefix[made.of_value[starts]] + made.sum_by_class(below + above)) / (n_values - 1)
    return distances


def _hierarchical(made: Composition, hierarchy: Hierarchy) -> FloatArray:
    """Move what a node has too much of to where it is missing below the same node, from the bottom up.

    What can be moved below a node is the lesser of all that is too much and all that is missing in its parts: its
    children, and the value that it may be itself. The rest is left to the node above.
    """
    if any(len(above) > 1 for above in hierarchy.parents):
        raise InvalidData("the hierarchy must be a tree; a node has several parents. Make it one with `tree()`.")
    heights = np.zeros(len(hierarchy.names))
    for node in hierarchy.post_order:
        heights[node] = max((heights[child] + 1 for child in hierarchy.children[node]), default=0)
    nodes = np.array([hierarchy.find(str(value)) for value in made.values.tolist()])
    whole = np.zeros((len(heights), 1))
    whole[nodes, 0] = made.value_sizes / made.value_sizes.sum()
    n_classes = len(made.class_sizes)
    distances = np.zeros(n_classes)
    at_once = max(1, _MOST_AT_ONCE // len(heights))
    for begin in range(0, n_classes, at_once):
        end = min(n_classes, begin + at_once)
        pairs = slice(*np.searchsorted(made.of_class, [begin, end]).tolist())
        extra = np.zeros((len(heights), end - begin))
        extra[nodes[made.of_value[pairs]], made.of_class[pairs] - begin] = made.shares[pairs]
        extra -= whole
        for node in hierarchy.post_order:
            if hierarchy.children[node]:
                parts = extra[[node, *hierarchy.children[node]]]
                extra[node] = parts.sum(axis=0)
                too_much = np.maximum(parts, 0.0).sum(axis=0)
                distances[begin:end] += heights[node] * np.minimum(too_much, too_much - extra[node])
    distances /= max(1.0, heights.max())
    return distances


def _t_closeness(case: Case) -> Finding | None:
    return worst_of_columns(case, lambda made, column: closeness_by_class(made, **_distance_of(column)), highest)


T_CLOSENESS = Measure(
    name="t_closeness",
    function=_t_closeness,
    title="t-closeness",
    summary="how far the confidential values of a class are at most from those of everybody: the t",
    reference="Li, Li and Venkatasubramanian 2007",
    highest=1.0,
    needs=CONFIDENTIAL,
    of_release=True,
)
