"""Inferential disclosure: how well a model of the release predicts what is confidential about somebody left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.measures import Case, Confidential, Finding, Measure
from microagg.models import LeftOut, design_of, predict_confidential, predict_left_out
from microagg.risk.both_sides import check_both_sides
from microagg.risk.findings import CONFIDENTIAL
from microagg.semantic.attribute import Attribute, numeric

_REFERENCE = "Palley and Simonoff 1987; Templ, Kowarik and Meindl 2015"


def inference(
    original: npt.ArrayLike,
    released: npt.ArrayLike,
    attributes: Sequence[Attribute] | None,
    confidential: npt.NDArray[Any],
    meaning: Attribute | None = None,
    seed: int = 0,
    *,
    model: str = "linear",
    folds: int = 10,
) -> LeftOut:
    """Predict a confidential attribute of each record, left out, by a model of the released records [1]_.

    Somebody who knows the original quasi-identifiers of a person trains a model on the release and asks it for the
    confidential value of that person, who need not be in the release at all. The error is compared with that of
    guessing the mean, or the most frequent value, for everybody: `skill` is the share of it that the model removes.
    Released = original tells what the original would have given away.

    Parameters
    ----------
    original, released : array of shape (n, m)
        The quasi-identifiers before and after: numbers, and codes of categories.
    attributes : sequence of Attribute, or None
        What the columns mean; numbers where it is None.
    confidential : array of n
        Numbers, NaN where one is missing, or codes, -1 where one is missing; such records are left aside.
    meaning : Attribute, optional
        What the confidential attribute means; numbers by default.
    seed : int
        What the parts that are left out follow from.
    model : {"linear", "nearest", "trees"}
        Least squares for numbers and Fisher's discriminant for categories; the mean or most frequent value of the
        nearest released group; boosted trees, with the extra `sklearn`.
    folds : int
        How many parts the records are left out in.

    Returns
    -------
    LeftOut

    References
    ----------
    .. [1] M. A. Palley, J. S. Simonoff. The use of regression methodology for the compromise of confidential
       information in statistical databases. ACM Transactions on Database Systems 12 (1987) 593-608.

    Examples
    --------
    >>> ages = np.arange(20.0)[:, None]
    >>> groups = np.repeat(ages.reshape(10, 2).mean(axis=1), 2)[:, None]
    >>> round(inference(ages, groups, None, 100.0 + 3.0 * ages[:, 0]).skill, 2)
    1.0
    """
    before, after = check_both_sides(original, released)
    meaning = meaning or numeric()
    column = Confidential(np.asarray(confidential), meaning)
    there = column.present
    before, after, values = before[there], after[there], column.values[there]
    described = attributes if attributes is not None else [numeric()] * before.shape[1]
    names = [str(j) for j in range(before.shape[1])]
    made = design_of(before, after, described, names) if len(before) else None
    known = made.original if made is not None else np.zeros((0, 0))
    seen = made.released if made is not None else np.zeros((0, 0))
    return predict_left_out(known, seen, values, is_number=column.is_number, model=model, folds=folds, seed=seed)


def _inferred(case: Case, model: str, folds: int) -> Finding | None:
    """The skill for each confidential column; the highest counts."""
    if not case.confidential:
        return None

    def attempts(of_release: bool) -> dict[str, LeftOut]:
        return {name: case.once(predict_confidential, name, of_release, model, folds) for name in case.confidential}

    after, before = attempts(True), attempts(False)
    skills = {name: 100.0 * attempt.skill for name, attempt in after.items()}
    highest_before = 100.0 * max(attempt.skill for attempt in before.values())
    note = next((attempt.note for attempt in after.values()), "")
    return Finding(max(skills.values()), before=highest_before, columns=skills, note=note)


def _measure(
    model: str, title: str, how: str, reference: str, at_most: int, extra: str = "", folds: int = 10
) -> Measure:
    return Measure(
        name=f"inference_{model}",
        function=lambda case: _inferred(case, model, folds),
        title=title,
        summary=f"share of the error of guessing a confidential value that {how} trained on the release removes",
        reference=reference,
        unit="percent",
        highest=100.0,
        needs=CONFIDENTIAL,
        extra=extra,
        at_most=at_most,
    )


INFERENCE_LINEAR = _measure(
    "linear", "Inference by regression", "a regression (of categories, a discriminant)", _REFERENCE, 5_000
)
INFERENCE_NEAREST = _measure(
    "nearest", "Inference from the nearest group", "the nearest group", "Cover and Hart 1967", 3_000
)
INFERENCE_TREES = _measure(
    "trees", "Inference by boosted trees", "boosted trees", "Friedman 2001", 2_000, extra="sklearn", folds=5
)
