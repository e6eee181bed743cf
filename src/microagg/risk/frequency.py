"""Risk from frequencies: how many records, and how many people, share the quasi-identifiers of a record."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microagg.base.checks import check_labels
from microagg.base.groups import check_weights
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData
from microagg.measures import Case, Finding, Measure
from microagg.risk.findings import highest_percent, percent

MOST_PEOPLE = 1e15
"""More than there are of anything that is asked: sums of weights beyond it would only overflow."""
_SERIES_BELOW = 0.01
_SERIES_TERMS = 8  # 0.01 ** 8 is below the rounding of 1


def sample_frequency(classes: IntArray) -> IntArray:
    """Give for each record the number of records in its class.

    >>> sample_frequency(np.array([0, 1, 0])).tolist()
    [2, 1, 2]
    """
    classes = check_labels(classes, len(classes))
    frequencies: IntArray = np.bincount(classes)[classes]
    return frequencies


def population_frequency(classes: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Estimate for each record how many people of the population are in its class: the sum of the weights.

    Parameters
    ----------
    classes : array of n int
        The class of each record, 0 to C-1, as `equivalence_classes` gives them.
    weights : array of n float, optional
        How many people each record stands for; without weights the records are the population. More than 1e15 people
        count as 1e15.

    Returns
    -------
    array of n float

    Examples
    --------
    >>> population_frequency(np.array([0, 1, 0]), np.array([10.0, 5.0, 2.5])).tolist()
    [12.5, 5.0, 12.5]
    """
    if weights is None:
        return sample_frequency(classes).astype(np.float64)
    classes = check_labels(classes, len(classes))
    sums = np.bincount(classes, check_weights(weights, len(classes))).astype(np.float64, copy=False)
    people: FloatArray = np.minimum(sums, MOST_PEOPLE)[classes]
    return people


def individual_risk(classes: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Estimate the chance that a record is re-identified, after Benedetti and Franconi [1]_.

    With f records of a class that stand for F people and p = f / F, it is the expectation of 1 / F when F given f is
    negative binomial: p / (1 - p) log(1 / p) for f = 1, p / (1 - p) - (p / (1 - p))^2 log(1 / p) for f = 2, and by the
    approximation p / (f - (1 - p)) beyond, as in sdcMicro [2]_. Where the records are the population it is 1 / f.

    Parameters
    ----------
    classes, weights
        As in `population_frequency`; the weights of a class must add up to at least its number of records.

    Returns
    -------
    array of n float

    References
    ----------
    .. [1] R. Benedetti, L. Franconi. Statistical and technological solutions for controlled data dissemination. New
       Techniques and Technologies for Statistics (1998) 225-232.
    .. [2] M. Templ, A. Kowarik, B. Meindl. Statistical disclosure control for micro-data using the R package sdcMicro.
       Journal of Statistical Software 67 (2015) 4.

    Examples
    --------
    >>> individual_risk(np.array([0, 1, 1]), np.array([17.0, 65.0, 45.0])).round(3).tolist()
    [0.177, 0.017, 0.017]
    """
    f = sample_frequency(classes).astype(np.float64)
    if weights is None:
        return 1.0 / f
    F = _checked_population(f, population_frequency(classes, weights))
    p = f / F
    q = 1.0 - p
    # Where p is close to 1 the formulas cancel; there the series in q that they come from is short.
    short = q < _SERIES_BELOW
    odds = p / np.where(short, 1.0, q)
    surprise = -np.log(p)
    powers = [(j, q**j) for j in range(_SERIES_TERMS)]
    one = np.where(short, p * sum(power / (j + 1) for j, power in powers), odds * surprise)
    two = np.where(short, p * p * sum(power * (j + 1) / (j + 2) for j, power in powers), odds - odds * odds * surprise)
    risk: FloatArray = np.where(f == 1, one, np.where(f == 2, two, p / (f - q)))
    return risk


def global_risk(classes: IntArray, weights: FloatArray | None = None) -> float:
    """Give the share of records that are expected to be re-identified, in percent: the mean individual risk [1]_.

    Without weights it is the number of classes per record.

    Parameters
    ----------
    classes, weights
        As in `individual_risk`.

    Returns
    -------
    float

    References
    ----------
    .. [1] M. Templ, A. Kowarik, B. Meindl. Statistical disclosure control for micro-data using the R package sdcMicro.
       Journal of Statistical Software 67 (2015) 4.

    Examples
    --------
    >>> global_risk(np.array([0, 0, 1, 1, 1]))
    40.0
    """
    return 100.0 * float(individual_risk(classes, weights).mean())


def prosecutor_risk(classes: IntArray) -> FloatArray:
    """Give the chance 1 / f that a record is re-identified by somebody who knows that the person is in the file [1]_.

    References
    ----------
    .. [1] K. El Emam, F. K. Dankar. Protecting privacy using k-anonymity. Journal of the American Medical Informatics
       Association 15 (2008) 627-637.

    Examples
    --------
    >>> prosecutor_risk(np.array([0, 1, 0])).tolist()
    [0.5, 1.0, 0.5]
    """
    chances: FloatArray = 1.0 / sample_frequency(classes)
    return chances


def journalist_risk(classes: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Give the chance 1 / F that a record is re-identified by somebody who does not know who is in the file [1]_.

    References
    ----------
    .. [1] K. El Emam, F. K. Dankar. Protecting privacy using k-anonymity. Journal of the American Medical Informatics
       Association 15 (2008) 627-637.

    Examples
    --------
    >>> journalist_risk(np.array([0, 1, 0]), np.array([6.0, 5.0, 4.0])).tolist()
    [0.1, 0.2, 0.1]
    """
    f = sample_frequency(classes).astype(np.float64)
    chances: FloatArray = 1.0 / _checked_population(f, population_frequency(classes, weights))
    return chances


def marketer_risk(classes: IntArray, weights: FloatArray | None = None) -> float:
    """Give the share of records, in percent, that are re-identified by matching all of them to the population [1]_.

    References
    ----------
    .. [1] F. K. Dankar, K. El Emam. A method for evaluating marketer re-identification risk. EDBT/ICDT Workshops
       (2010) 28.

    Examples
    --------
    >>> marketer_risk(np.array([0, 1, 0]), np.array([6.0, 5.0, 4.0]))  # the mean of 1/10, 1/5, 1/10
    13.333333333333334
    """
    return 100.0 * float(journalist_risk(classes, weights).mean())


def _checked_population(f: FloatArray, F: FloatArray) -> FloatArray:
    """Refuse classes with fewer people than records; what is less by rounding alone is as many."""
    short = f * (1.0 - 1e-9) > F
    if short.any():
        raise InvalidData(
            f"the weights of a class must add up to at least its number of records; those of record "
            f"{int(np.argmax(short)) + 1} do not. Give weights that sum to the population, or none."
        )
    return np.maximum(F, f)


def _individual(case: Case) -> FloatArray:
    return individual_risk(case.classes, case.weights)


def _journalist(case: Case) -> FloatArray:
    return journalist_risk(case.classes, case.weights)


def _chances(overall: Callable[[FloatArray], float], records: FloatArray) -> Finding:
    return Finding(overall(records), records=records)


INDIVIDUAL_RISK = Measure(
    name="individual_risk",
    function=lambda case: _chances(highest_percent, case.once(_individual)),
    title="Highest individual risk",
    summary="chance to re-identify the most exposed record, where records stand for more people than themselves",
    reference="Benedetti and Franconi 1998",
    unit="percent",
    highest=100.0,
    of_release=True,
)
GLOBAL_RISK = Measure(
    name="global_risk",
    function=lambda case: _chances(percent, case.once(_individual)),
    title="Global risk",
    summary="share of records that are expected to be re-identified: the mean individual risk",
    reference="Templ, Kowarik and Meindl 2015",
    unit="percent",
    highest=100.0,
    of_release=True,
)
PROSECUTOR_RISK = Measure(
    name="prosecutor_risk",
    function=lambda case: _chances(highest_percent, prosecutor_risk(case.classes)),
    title="Prosecutor risk",
    summary="chance to re-identify the most exposed record, for somebody who knows that the person is in the file",
    reference="El Emam and Dankar 2008",
    unit="percent",
    highest=100.0,
    of_release=True,
)
JOURNALIST_RISK = Measure(
    name="journalist_risk",
    function=lambda case: _chances(highest_percent, case.once(_journalist)),
    title="Journalist risk",
    summary="chance to re-identify the most exposed record, for somebody who does not know who is in the file",
    reference="El Emam and Dankar 2008",
    unit="percent",
    highest=100.0,
    of_release=True,
)
MARKETER_RISK = Measure(
    name="marketer_risk",
    function=lambda case: _chances(percent, case.once(_journalist)),
    title="Marketer risk",
    summary="share of records that are re-identified by matching all of them to the population",
    reference="Dankar and El Emam 2010",
    unit="percent",
    highest=100.0,
    of_release=True,
)
