"""Regression: how far the coefficients that an analyst would publish moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from microagg.base.schema import Kind
from microagg.base.types import BoolArray, FloatArray
from microagg.measures import Case, Finding, Measure
from microagg.models import design_of, least_squares

DEVIATES = 1.959963984540054
"""Half the width of an interval in standard errors: 95 percent of a normal distribution."""


@dataclass(frozen=True)
class Coefficients:
    """The coefficients of one regression before and after, the constant left out.

    Attributes
    ----------
    names : tuple of str
        Of the columns of the model that the original can tell apart.
    before, after : array of p float
        The coefficients; numbers are in standard deviations of the original.
    overlap : array of p float
        The share that the 95 percent intervals have in common, from 0 to 1.
    change : array of p float
        How far a coefficient moved, in standard errors of the original.
    """

    names: tuple[str, ...]
    before: FloatArray
    after: FloatArray
    overlap: FloatArray
    change: FloatArray


def interval_overlap(
    before: FloatArray, before_errors: FloatArray, after: FloatArray, after_errors: FloatArray
) -> FloatArray:
    """Give the overlap of confidence intervals: the mean of its shares of either interval [1]_.

    1 where both are the same, 0 where they do not meet, or where the release does not tell the coefficient at all.

    Parameters
    ----------
    before, after : array of p float
        The coefficients.
    before_errors, after_errors : array of p float
        Their standard errors.

    References
    ----------
    .. [1] A. F. Karr, C. N. Kohnen, A. Oganian, J. P. Reiter, A. P. Sanil. A framework for evaluating the utility of
       data altered to protect confidentiality. The American Statistician 60 (2006) 224-232.

    Examples
    --------
    >>> one, two = np.array([1.0]), np.array([0.5])
    >>> interval_overlap(one, two, one, two).tolist(), interval_overlap(one, two, one, two / 2).tolist()
    ([1.0], [0.75])
    """
    known = np.isfinite(before_errors) & np.isfinite(after_errors)
    b, b_half = np.where(known, before, 0.0), DEVIATES * np.where(known, before_errors, 1.0)
    a, a_half = np.where(known, after, 0.0), DEVIATES * np.where(known, after_errors, 1.0)
    common = np.minimum(b + b_half, a + a_half) - np.maximum(b - b_half, a - a_half)
    common = np.clip(common, 0.0, None)
    # An interval without width is met or not.
    same = (b == a).astype(np.float64)
    shares = [np.where(half > 0, common / np.where(half > 0, 2.0 * half, 1.0), same) for half in (b_half, a_half)]
    overlap: FloatArray = np.where(known, (shares[0] + shares[1]) / 2.0, 0.0)
    return overlap


def compare_coefficients(
    original: FloatArray,
    released: FloatArray,
    before: npt.NDArray[np.float64],
    after: npt.NDArray[np.float64],
    names: tuple[str, ...],
) -> Coefficients:
    """Fit the values before by the original columns, those after by the released ones, and compare the coefficients.

    Parameters
    ----------
    original, released : array of shape (n, p)
        The columns of the model, as `design_of` makes them.
    before, after : array of n float
        What is explained; the same twice where it was not changed.
    names : tuple of str
        Of the columns.

    Returns
    -------
    Coefficients

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([0.1, 0.9, 2.1, 2.9])
    >>> compare_coefficients(X, X, y, y, ("x",)).overlap.round(9).tolist()
    [1.0]
    """
    fits = least_squares(original, before), least_squares(released, after)
    (b, b_errors), (a, a_errors) = ((fit.coefficients[1:], fit.errors[1:]) for fit in fits)
    told: BoolArray = np.isfinite(b_errors)
    b, b_errors, a, a_errors = b[told], b_errors[told], a[told], a_errors[told]
    gaps = np.abs(a - b)
    change = np.divide(gaps, b_errors, out=np.where(gaps > 0, np.inf, 0.0), where=b_errors > 0)
    return Coefficients(
        names=tuple(name for name, kept in zip(names, told.tolist(), strict=True) if kept),
        before=b,
        after=a,
        overlap=interval_overlap(b, b_errors, a, a_errors),
        change=change,
    )


def _regressions(case: Case) -> dict[str, Coefficients]:
    """One regression for each number to be explained, on all other quasi-identifiers."""
    wanted = [case.target] if case.target is not None else list(case.confidential)
    coefficients: dict[str, Coefficients] = {}
    for target in wanted:
        rows = np.arange(case.n_records)
        if target in case.confidential:
            column = case.confidential[target]
            if not column.is_number:
                continue
            rows = np.flatnonzero(column.present)
            before = after = column.values[rows].astype(np.float64)
            others = list(range(len(case.names)))
        else:
            place = case.names.index(target)
            if case.kinds[place] is not Kind.NUMERIC:
                continue
            before, after = case.original[:, place], case.released[:, place]
            others = [j for j in range(len(case.names)) if j != place]
        if len(rows) == 0 or not others:
            continue
        made = design_of(
            case.original[rows][:, others],
            case.released[rows][:, others],
            [case.attributes[j] for j in others],
            [case.names[j] for j in others],
        )
        compared = compare_coefficients(made.original, made.released, before, after, made.names)
        if compared.names:
            coefficients[target] = compared
    return coefficients


def _named(coefficients: dict[str, Coefficients], part: str) -> dict[str, float]:
    return {
        f"{target} ~ {name}": float(value)
        for target, compared in coefficients.items()
        for name, value in zip(compared.names, getattr(compared, part).tolist(), strict=True)
    }


def _overlap(case: Case) -> Finding | None:
    values = _named(case.once(_regressions), "overlap")
    columns = {name: 100.0 * value for name, value in values.items()}
    return Finding(float(np.mean(list(columns.values()))), before=100.0, columns=columns) if columns else None


def _change(case: Case) -> Finding | None:
    columns = _named(case.once(_regressions), "change")
    return Finding(float(np.mean(list(columns.values()))), columns=columns) if columns else None


_ASKED = "a confidential column of numbers, or a target of numbers"

INTERVAL_OVERLAP = Measure(
    name="interval_overlap",
    function=_overlap,
    title="Overlap of confidence intervals",
    summary="what the 95 percent intervals of regression coefficients have in common, on average over coefficients",
    reference="Karr, Kohnen, Oganian, Reiter and Sanil 2006",
    unit="percent",
    highest=100.0,
    lower_is_better=False,
    needs=_ASKED,
    at_most=20_000,
)
COEFFICIENT_CHANGE = Measure(
    name="coefficient_change",
    function=_change,
    title="Change of regression coefficients",
    summary="how far regression coefficients moved, on average over coefficients",
    reference="Snoke, Raab, Nowok, Dibben and Slavkovic 2018",
    unit="standard errors",
    needs=_ASKED,
    at_most=20_000,
)
