"""Where the loss is: which columns and which groups lose most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.ranges import columns_within_range
from microagg.base.types import FloatArray, IntArray
from microagg.measures import Case, Finding, Measure
from microagg.semantic.attribute import Attribute
from microagg.semantic.loss import changes, spread

WORST_SHARE = 0.1
"""The share of the groups that are counted as those that lose most."""


def record_losses(original: FloatArray, released: FloatArray, attributes: Sequence[Attribute]) -> FloatArray:
    """Give the squared change of each value in units of its column's spread: its part of SSE.

    >>> from microagg.semantic.attribute import numeric
    >>> record_losses(np.array([[1.0], [2.0], [3.0]]), np.array([[2.0], [2.0], [2.0]]), [numeric()]).ravel().tolist()
    [1.0, 0.0, 1.0]
    """
    original, released = columns_within_range(original, released)
    losses = np.zeros(original.shape)
    for j, attribute in enumerate(attributes):
        before, after = np.ascontiguousarray(original[:, j]), np.ascontiguousarray(released[:, j])
        unit = spread(before, attribute)
        if unit > 0:
            losses[:, j] = changes(before, after, attribute) ** 2 / unit
    return losses


def group_losses(losses: FloatArray, labels: IntArray) -> FloatArray:
    """Give the part of SSE of each group and column, as an array of shape (groups, columns).

    Parameters
    ----------
    losses : array of shape (n, m)
        Of each value, as `record_losses` gives them.
    labels : array of n int, or of shape (n, m)
        The group of each record; of each column where each was grouped alone. Columns with fewer groups than others
        have 0 in the rows beyond.

    Examples
    --------
    >>> group_losses(np.array([[1.0], [0.0], [3.0]]), np.array([0, 0, 1])).tolist()
    [[1.0], [3.0]]
    """
    n_groups = int(labels.max()) + 1
    of_column = [labels if labels.ndim == 1 else labels[:, j] for j in range(losses.shape[1])]
    return np.column_stack([np.bincount(of_column[j], losses[:, j], n_groups) for j in range(losses.shape[1])])


def _worst_groups(case: Case) -> Finding | None:
    if case.labels.ndim == 2:
        return None
    by_group, by_column = np.zeros(int(case.labels.max()) + 1), np.zeros(len(case.names))
    for j in range(len(case.names)):  # one after the other: those of all columns take as much room as the data
        side = slice(j, j + 1)
        losses = record_losses(case.original[:, side], case.released[:, side], case.attributes[side])[:, 0]
        by_group += np.bincount(case.labels, losses, len(by_group))
        by_column[j] = losses.sum()
    whole = float(by_group.sum())
    worst = np.sort(by_group)[::-1][: max(1, int(np.ceil(WORST_SHARE * len(by_group))))]
    return Finding(
        100.0 * float(worst.sum()) / whole if whole > 0 else 0.0,
        columns=dict(zip(case.names, (100.0 * by_column / (whole or 1.0)).tolist(), strict=True)),
        records=(by_group / np.bincount(case.labels) / len(case.names))[case.labels],
    )


WORST_GROUPS = Measure(
    name="worst_groups",
    function=_worst_groups,
    title="Loss of the worst groups",
    summary="share of the whole loss that the tenth of the groups with the greatest loss has; each column's share too",
    reference="Domingo-Ferrer and Mateo-Sanz 2002",
    unit="percent",
    highest=100.0,
    needs="groups of whole records",
)
