"""Classification: how well a model trained on the release classifies originals that it has not seen."""

from __future__ import annotations

import numpy as np

from microagg.base.schema import Kind
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidData
from microagg.measures import Case, Finding, Measure
from microagg.models import LeftOut, design_of_all, predict_confidential, predict_left_out


def accuracy(
    known: FloatArray, trained_on: FloatArray, codes: IntArray, *, model: str = "linear", folds: int = 10, seed: int = 0
) -> float:
    """Give the share of records, left out, whose class a model names, in percent.

    Parameters
    ----------
    known, trained_on : array of shape (n, p)
        The columns of the originals that are asked about, and of the records that the model is trained on.
    codes : array of n int
        The class of each record.
    model, folds, seed
        As in `predict_left_out`.

    Examples
    --------
    >>> X = np.repeat([0.0, 5.0], 10)[:, None] + np.arange(20)[:, None] / 20
    >>> accuracy(X, X, np.repeat([0, 1], 10))
    100.0
    """
    return _accuracy(predict_left_out(known, trained_on, codes, is_number=False, model=model, folds=folds, seed=seed))


def _accuracy(prediction: LeftOut) -> float:
    return 100.0 * (1.0 - prediction.error)


def _classes(values: FloatArray, is_number: bool) -> IntArray:
    """Categories are classes; numbers are cut at their median."""
    codes: IntArray = ((values > np.median(values)) if is_number else values).astype(np.int64)
    return codes


def _targets(case: Case) -> dict[str, tuple[IntArray, BoolArray, list[int]]]:
    """The classes of the originals, which records have one, and the quasi-identifiers that are to tell them."""
    every = list(range(len(case.names)))
    targets = {}
    for target in [case.target] if case.target is not None else list(case.confidential):
        if target in case.confidential:
            column = case.confidential[target]
            there = column.present
            if there.any():
                codes = np.zeros(case.n_records, dtype=np.int64)
                codes[there] = _classes(column.values[there].astype(np.float64), column.is_number)
                targets[target] = (codes, there, every)
        else:
            place = case.names.index(target)
            codes = _classes(case.original[:, place], case.kinds[place] is Kind.NUMERIC)
            targets[target] = (codes, np.ones(case.n_records, dtype=np.bool_), [j for j in every if j != place])
    return targets


def _predicted(case: Case, name: str, of_release: bool, model: str, folds: int) -> LeftOut:
    """Predict the class of each original by a model of the others, as they are released or as they were."""
    if name in case.confidential and not case.confidential[name].is_number:
        return case.once(predict_confidential, name, of_release, model, folds)
    codes, there, others = _targets(case)[name]
    made = case.once(design_of_all)
    used = np.isin(made.column_of, others)
    known, seen = (side[there][:, used] for side in (made.original, made.released if of_release else made.original))
    return predict_left_out(known, seen, codes[there], is_number=False, model=model, folds=folds, seed=case.seed)


def _measured(case: Case, model: str = "linear", folds: int = 10) -> Finding | None:
    after: dict[str, float] = {}
    before: list[float] = []
    note = ""
    for name, (_, _, others) in _targets(case).items():
        if not others:
            continue
        try:
            before.append(_accuracy(_predicted(case, name, False, model, folds)))
        except InvalidData:
            continue
        prediction = _predicted(case, name, True, model, folds)
        after[name], note = _accuracy(prediction), prediction.note
    if not after:
        return None
    return Finding(float(np.mean(list(after.values()))), before=float(np.mean(before)), columns=after, note=note)


_ASKED = "a confidential column, or a target"

CLASSIFICATION = Measure(
    name="classification",
    function=_measured,
    title="Classification accuracy",
    summary="share of originals, left out, whose confidential class a linear discriminant trained on the release names",
    reference="Fisher 1936; Templ, Kowarik and Meindl 2015",
    unit="percent",
    highest=100.0,
    lower_is_better=False,
    needs=_ASKED,
    at_most=5_000,
)
CLASSIFICATION_TREES = Measure(
    name="classification_trees",
    function=lambda case: _measured(case, model="trees", folds=5),
    title="Classification accuracy of boosted trees",
    summary="share of originals, left out, whose confidential class boosted trees trained on the release name",
    reference="Friedman 2001",
    unit="percent",
    highest=100.0,
    lower_is_better=False,
    needs=_ASKED,
    extra="sklearn",
    at_most=2_000,
)
