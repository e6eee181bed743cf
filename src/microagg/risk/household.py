"""Risk of units, such as households, of which a file holds several records."""

from __future__ import annotations

import numpy as np

from microagg.base.groups import units_by_class
from microagg.base.types import FloatArray, IntArray
from microagg.measures import Case, Finding, Measure
from microagg.risk.findings import percent
from microagg.risk.frequency import individual_risk


def household_risk(classes: IntArray, units: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Give for each unit the chance that at least one of its records is found, as sdcMicro defines it [1]_.

    1 less the product of 1 - r over the records of the unit, where r is the risk of a record: 1 by the number of units
    in its class, or its individual risk where records stand for more people than themselves.

    Parameters
    ----------
    classes : array of n int
        The class of each record, 0 to C-1.
    units : array of n int
        The unit of each record, 0 to U-1.
    weights : array of n float, optional
        How many people each record stands for.

    Returns
    -------
    array of U float

    References
    ----------
    .. [1] M. Templ, A. Kowarik, B. Meindl. Statistical disclosure control for micro-data using the R package sdcMicro.
       Journal of Statistical Software 67 (2015) 4.

    Examples
    --------
    >>> household_risk(np.array([0, 1, 0, 1]), np.array([0, 0, 1, 2])).tolist()
    [0.75, 0.5, 0.5]
    """
    if weights is None:
        risks: FloatArray = 1.0 / units_by_class(classes, units)[classes]
    else:
        risks = individual_risk(classes, weights)
    with np.errstate(divide="ignore"):  # log of 0: found for certain
        missed = np.bincount(units, np.log1p(-risks))
    found: FloatArray = -np.expm1(missed)
    return found


def _expected(case: Case) -> Finding | None:
    if case.units is None:
        return None
    risks, before = (household_risk(side.classes, case.units, case.weights) for side in (case, case.before))
    return Finding(percent(risks), percent(before), records=risks[case.units])


HOUSEHOLD_RISK = Measure(
    name="household_risk",
    function=_expected,
    title="Household risk",
    summary="share of units, such as households, of which at least one record is expected to be found",
    reference="Templ, Kowarik and Meindl 2015",
    unit="percent",
    highest=100.0,
    needs="units: a column that says which records belong together",
)
