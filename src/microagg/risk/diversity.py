"""l-diversity and p-sensitivity: how many values of a confidential attribute a class leaves possible."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.measures import Composition, Measure, compose
from microagg.risk.findings import CONFIDENTIAL, lowest_of_classes

_MACHANAVAJJHALA = "Machanavajjhala et al. 2007"


def distinct_diversity(classes: IntArray, confidential: npt.ArrayLike) -> FloatArray:
    """Give for each record the number of different confidential values in its class [1]_.

    The table is distinct l-diverse, and p-sensitive [2]_, for the lowest of these numbers.

    Parameters
    ----------
    classes : array of n int
        The class of each record, 0 to C-1, as `equivalence_classes` gives them.
    confidential : array of n
        The confidential value of each record.

    Returns
    -------
    array of n float

    References
    ----------
    .. [1] A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam. l-diversity: privacy beyond k-anonymity.
       ACM Transactions on Knowledge Discovery from Data 1 (2007) 3.
    .. [2] T. M. Truta, B. Vinay. Privacy protection: p-sensitive k-anonymity property. ICDE Workshops (2006) 94.

    Examples
    --------
    >>> distinct_diversity(np.array([0, 0, 0, 1, 1]), ["flu", "cold", "flu", "flu", "flu"]).tolist()
    [2.0, 2.0, 2.0, 1.0, 1.0]
    """
    made = compose(classes, confidential)
    values: FloatArray = distinct_by_class(made)[made.classes]
    return values


def entropy_diversity(classes: IntArray, confidential: npt.ArrayLike) -> FloatArray:
    """Give for each record the exponential of the entropy of the confidential values in its class [1]_.

    A class of l equally frequent values has l; the table is entropy l-diverse for the lowest of these numbers.

    Parameters
    ----------
    classes, confidential
        As in `distinct_diversity`.

    Returns
    -------
    array of n float

    References
    ----------
    .. [1] A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam. l-diversity: privacy beyond k-anonymity.
       ACM Transactions on Knowledge Discovery from Data 1 (2007) 3.

    Examples
    --------
    >>> entropy_diversity(np.array([0, 0, 0, 0, 1]), ["flu", "cold", "flu", "cold", "flu"]).round(9).tolist()
    [2.0, 2.0, 2.0, 2.0, 1.0]
    """
    made = compose(classes, confidential)
    values: FloatArray = entropy_by_class(made)[made.classes]
    return values


def recursive_diversity(classes: IntArray, confidential: npt.ArrayLike, *, c: float = 2.0) -> FloatArray:
    """Give for each record the highest l for which its class is recursively (c, l)-diverse; 0 where there is none [1]_.

    With the counts of the values in the class in descending order, r1 to rm, the class is (c, l)-diverse if
    r1 < c (rl + ... + rm).

    Parameters
    ----------
    classes, confidential
        As in `distinct_diversity`.
    c : float
        How many times more frequent than the rarer values together the most frequent one may be.

    Returns
    -------
    array of n float

    References
    ----------
    .. [1] A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam. l-diversity: privacy beyond k-anonymity.
       ACM Transactions on Knowledge Discovery from Data 1 (2007) 3.

    Examples
    --------
    >>> recursive_diversity(np.array([0] * 6), [1, 1, 1, 2, 2, 3], c=2).tolist()  # 3 < 2 (2 + 1), but not 2 * 1
    [2.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    """
    made = compose(classes, confidential)
    values: FloatArray = recursive_by_class(made, c=c)[made.classes]
    return values


def distinct_by_class(made: Composition) -> FloatArray:
    """Count the different values of each class."""
    return np.bincount(made.of_class).astype(np.float64)


def entropy_by_class(made: Composition) -> FloatArray:
    """Give the exponential of the entropy of each class."""
    shares = made.shares
    by_class: FloatArray = np.exp(-made.sum_by_class(shares * np.log(shares)))
    return by_class


def recursive_by_class(made: Composition, *, c: float = 2.0) -> FloatArray:
    """Give the highest l for which each class is (c, l)-diverse."""
    if not (np.isfinite(c) and c > 0):
        raise InvalidOption(f"c must be a finite number above 0; got {c!r}.")
    most, left = _most_and_left(made)
    return made.sum_by_class((most < c * left).astype(np.float64))


def largest_and_rest(made: Composition, l: int) -> tuple[FloatArray, FloatArray]:  # noqa: E741
    """Give, for each class, the records of its most frequent value, and those of its l-th most frequent and rarer ones.

    >>> [part.tolist() for part in largest_and_rest(compose(np.array([0] * 6), [1, 1, 1, 2, 2, 3]), 2)]
    [[3.0], [3.0]]
    """
    most, left = _most_and_left(made)
    place = made.starts + (l - 1)
    n_values = np.bincount(made.of_class)
    rest = np.where(n_values >= l, left[np.minimum(place, len(left) - 1)], 0)
    return most[made.starts].astype(np.float64), rest.astype(np.float64)


def _most_and_left(made: Composition) -> tuple[IntArray, IntArray]:
    """Of each pair, in descending order of counts: those of the most frequent value, of this value and rarer ones."""
    counts = made.counts[np.lexsort((-made.counts, made.of_class))]
    starts = made.starts
    before = np.cumsum(counts) - counts  # records of classes before this one, and of more frequent values
    left = made.class_sizes[made.of_class] - (before - before[starts][made.of_class])
    return counts[starts][made.of_class], left


DISTINCT_DIVERSITY = Measure(
    name="distinct_diversity",
    function=lambda case: lowest_of_classes(case, distinct_by_class),
    title="Distinct l-diversity",
    summary="every class has at least this many different confidential values",
    reference=_MACHANAVAJJHALA,
    lowest=1.0,
    lower_is_better=False,
    needs=CONFIDENTIAL,
    of_release=True,
)
P_SENSITIVITY = Measure(
    name="p_sensitivity",
    function=lambda case: lowest_of_classes(case, distinct_by_class),
    title="p-sensitivity",
    summary="beside k-anonymity: every class has at least this many different values of the confidential attribute",
    reference="Truta and Vinay 2006",
    lowest=1.0,
    lower_is_better=False,
    needs=CONFIDENTIAL,
    of_release=True,
)
ENTROPY_DIVERSITY = Measure(
    name="entropy_diversity",
    function=lambda case: lowest_of_classes(case, entropy_by_class),
    title="Entropy l-diversity",
    summary="the values in every class are as uncertain as this many equally frequent ones",
    reference=_MACHANAVAJJHALA,
    lowest=1.0,
    lower_is_better=False,
    needs=CONFIDENTIAL,
    of_release=True,
)
RECURSIVE_DIVERSITY = Measure(
    name="recursive_diversity",
    function=lambda case: lowest_of_classes(case, recursive_by_class),
    title="Recursive (c, l)-diversity",
    summary="the l for which, l - 1 values ruled out, the most frequent one is still below c times the rest (c = 2)",
    reference=_MACHANAVAJJHALA,
    lower_is_better=False,
    needs=CONFIDENTIAL,
    of_release=True,
)
