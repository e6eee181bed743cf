"""Attribute disclosure: groups that give a confidential value away, though nobody is re-identified."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.measures import Case, Composition, Finding, Measure, compose
from microagg.risk.findings import CONFIDENTIAL, highest, worst_of_columns


@dataclass(frozen=True)
class DisclosingGroup:
    """A group that tells about its members.

    Attributes
    ----------
    group : int
        The number of the class.
    size : int
        How many records it has.
    homogeneity : float
        The share of its most frequent confidential value.
    skewness : float
        How much more likely, relative to all records, the value is that gained most.
    """

    group: int
    size: int
    homogeneity: float
    skewness: float


def homogeneity(classes: IntArray, confidential: npt.ArrayLike) -> FloatArray:
    """Give for each record the share of the most frequent confidential value in its class [1]_.

    Where it is 1, everybody in the class has the same value, and who knows the class knows the value.

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

    Examples
    --------
    >>> homogeneity(np.array([0, 0, 1, 1]), ["flu", "cold", "flu", "flu"]).tolist()
    [0.5, 0.5, 1.0, 1.0]
    """
    made = compose(classes, confidential)
    shares: FloatArray = _homogeneity(made)[made.classes]
    return shares


def skewness(classes: IntArray, confidential: npt.ArrayLike) -> FloatArray:
    """Give for each record the highest relative gain of a confidential value in its class: the beta of [1]_.

    A value with share p in the class and q among all records gains (p - q) / q: 0 where the class tells nothing, 9
    where a value is ten times as likely as without it.

    Parameters
    ----------
    classes, confidential
        As in `homogeneity`.

    Returns
    -------
    array of n float

    References
    ----------
    .. [1] J. Cao, P. Karras. Publishing microdata with a robust privacy guarantee. Proceedings of the VLDB Endowment 5
       (2012) 1388-1399.

    Examples
    --------
    >>> skewness(np.array([0, 0, 1, 1]), ["flu", "cold", "flu", "flu"]).round(3).tolist()
    [1.0, 1.0, 0.333, 0.333]
    """
    made = compose(classes, confidential)
    gains: FloatArray = _skewness(made)[made.classes]
    return gains


def disclosing_groups(
    classes: IntArray,
    confidential: npt.ArrayLike,
    *,
    most_homogeneity: float = 1.0,
    most_skewness: float = float("inf"),
) -> list[DisclosingGroup]:
    """Name the groups whose homogeneity or skewness reaches a limit, the most homogeneous first.

    Parameters
    ----------
    classes, confidential
        As in `homogeneity`.
    most_homogeneity : float
        Groups with a value of at least this share are named; by default those where all have the same.
    most_skewness : float
        Groups with a relative gain of at least this are named; by default none.

    Returns
    -------
    list of DisclosingGroup

    Examples
    --------
    >>> disclosing_groups(np.array([0, 0, 1, 1]), ["flu", "cold", "flu", "flu"])[0].group
    1
    """
    for name, limit in (("most_homogeneity", most_homogeneity), ("most_skewness", most_skewness)):
        if np.isnan(limit) or limit < 0:
            raise InvalidOption(f"{name} must be a number of at least 0; got {limit!r}.")
    made = compose(classes, confidential)
    alike, gains = _homogeneity(made), _skewness(made)
    named = np.flatnonzero((alike >= most_homogeneity) | (gains >= most_skewness))
    named = named[np.lexsort((named, -gains[named], -alike[named]))]
    return [
        DisclosingGroup(group, int(made.class_sizes[group]), float(alike[group]), float(gains[group]))
        for group in named.tolist()
    ]


def _homogeneity(made: Composition) -> FloatArray:
    return made.highest_by_class(made.shares)


def _skewness(made: Composition) -> FloatArray:
    whole = made.value_sizes[made.of_value] / len(made.classes)
    return made.highest_by_class((made.shares - whole) / whole)


def _in_homogeneous_groups(case: Case) -> Finding | None:
    def share(by_class: FloatArray, sizes: IntArray) -> float:
        return 100.0 * float(sizes[by_class == 1.0].sum() / sizes.sum())

    return worst_of_columns(case, lambda made, _: _homogeneity(made), share)


def _greatest_gain(case: Case) -> Finding | None:
    return worst_of_columns(case, lambda made, _: _skewness(made), highest, numbers=False)


HOMOGENEITY = Measure(
    name="homogeneity",
    function=_in_homogeneous_groups,
    title="Homogeneous groups",
    summary="share of records in groups where everybody has the same confidential value",
    reference="Machanavajjhala et al. 2007",
    unit="percent",
    highest=100.0,
    needs=CONFIDENTIAL,
    of_release=True,
)
SKEWNESS = Measure(
    name="skewness",
    function=_greatest_gain,
    title="Skewness of groups",
    summary="how much more likely a group makes a confidential value at most, relative to everybody (beta-likeness)",
    reference="Cao and Karras 2012",
    needs=f"{CONFIDENTIAL} of categories",
    of_release=True,
)
