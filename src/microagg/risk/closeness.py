"""t-closeness: how far the confidential values of a class are from those of everybody."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg.arrays import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.risk.composition import Composition, compose
from microagg.risk.risk import Risk

DISTANCES = ("equal", "ordered")


def t_closeness(classes: IntArray, confidential: npt.ArrayLike, *, distance: str = "equal") -> FloatArray:
    """Give for each record the distance of the confidential values of its class to those of all records [1]_.

    It is the earth mover's distance of the two distributions, from 0 to 1; the table is t-close for the highest.

    Parameters
    ----------
    classes : array of n int
        The class of each record, 0 to C-1, as `equivalence_classes` gives them.
    confidential : array of n
        The confidential value of each record.
    distance : {"equal", "ordered"}
        How far apart two values are: all the same, or the values between them, as a share of all steps.

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
    """
    if distance not in DISTANCES:
        raise InvalidOption(f"distance must be one of {', '.join(DISTANCES)}; got {distance!r}.")
    made = compose(classes, confidential)
    by_class = _equal(made) if distance == "equal" else _ordered(made)
    values: FloatArray = np.clip(by_class, 0.0, 1.0)[made.classes]
    return values


def _equal(made: Composition) -> FloatArray:
    whole = (made.value_sizes / len(made.classes))[made.of_value]
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
    cumulative = np.cumsum(made.value_sizes) / len(made.classes)
    prefix = np.concatenate([[0.0], np.cumsum(cumulative)])
    starts = np.searchsorted(made.of_class, np.arange(len(made.class_sizes)))
    up_to = np.cumsum(made.counts)
    share = (up_to - (up_to - made.counts)[starts][made.of_class]) / made.class_sizes[made.of_class]
    end = np.append(made.of_value[1:], n_values)
    end[starts[1:] - 1] = n_values
    turn = np.clip(np.searchsorted(cumulative, share), made.of_value, end)
    below = (turn - made.of_value) * share - (prefix[turn] - prefix[made.of_value])
    above = prefix[end] - prefix[turn] - (end - turn) * share
    distances: FloatArray = (prefix[made.of_value[starts]] + made.sum_by_class(below + above)) / (n_values - 1)
    return distances


T_CLOSENESS = Risk(
    name="t_closeness",
    function=lambda classes, confidential, distance="equal": float(
        t_closeness(classes, confidential, distance=distance).max()
    ),
    title="t-closeness",
    summary="how far the confidential values of a class are at most from those of everybody: the t",
    reference="Li, Li and Venkatasubramanian 2007",
    highest=1.0,
    needs=("classes", "confidential"),
    per_record=t_closeness,
)
