"""Cross-prediction: models trained on released records predict values of original records that were left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_count
from microagg.base.groups import equivalence_classes, keys_of
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption, MissingExtra
from microagg.models.design import design_of_all
from microagg.models.linear import least_squares

FEWEST_RECORDS = 4
"""With fewer there is nothing to learn from."""
TREES = 50
"""How many trees are boosted."""
MOST_TERMS = 100
"""How many columns a linear model takes; of more, those that tell most about the values that it is trained on."""
_RIDGE = 1e-6
_AS_NEAR = 1e-9
_FIRST_COLUMNS = 8

Predictor = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
"""`predict(known, values, asked)`: what records with known columns and values say about the values of others."""


@dataclass(frozen=True)
class LeftOut:
    """Predictions of records left out.

    Attributes
    ----------
    predicted, guessed : array of n float
        By the model, and by the mean or the most frequent value of the records that it was trained on.
    error, guess_error : float
        The mean squared error of numbers; the share of wrong codes.
    note : str
        What to know of the model, "" where there is nothing.
    """

    predicted: FloatArray
    guessed: FloatArray
    error: float
    guess_error: float
    note: str = ""

    @property
    def skill(self) -> float:
        """The share of the error of guessing that the model removes; 0 where it removes nothing."""
        return max(0.0, 1.0 - self.error / self.guess_error) if self.guess_error > 0 else 0.0


def predict_left_out(
    known: FloatArray,
    trained_on: FloatArray,
    values: npt.ArrayLike,
    *,
    is_number: bool,
    model: str = "linear",
    folds: int = 10,
    seed: int = 0,
) -> LeftOut:
    """Predict the value of each record by a model of the others, with records left out in turns.

    Parameters
    ----------
    known : array of shape (n, p)
        What is known of each record when its value is asked for.
    trained_on : array of shape (n, p)
        The same records as the model sees them.
    values : array of n
        Numbers, or codes from 0.
    is_number : bool
        Whether they are numbers.
    model : str
        A name in MODELS. The linear ones take the 100 columns that tell most about the values of the records that they
        are trained on [1]_, where there are more.
    folds : int
        How many parts are left out, one after the other. Which record is in which part follows from the seed and from
        what the record holds, so that the order of the rows does not matter.
    seed : int
        What the parts follow from.

    Returns
    -------
    LeftOut

    References
    ----------
    .. [1] J. Fan, J. Lv. Sure independence screening for ultrahigh dimensional feature space. Journal of the Royal
       Statistical Society B 70 (2008) 849-911.

    Examples
    --------
    >>> X = np.arange(20.0)[:, None]
    >>> prediction = predict_left_out(X, X, 2.0 * X[:, 0], is_number=True)
    >>> round(prediction.skill, 6)
    1.0
    """
    if model not in MODELS:
        raise InvalidOption(f"model must be one of {', '.join(MODELS)}; got {model!r}.")
    folds = check_count("folds", folds, 2)
    target = np.asarray(values, dtype=np.float64)
    n = len(target)
    if n < FEWEST_RECORDS:
        raise InvalidData(f"at least {FEWEST_RECORDS} records are needed to predict one by the others; got {n}.")
    part_of = _parts(np.column_stack([target, known, trained_on]), min(folds, n), seed)
    predicted, guessed = np.empty(n), np.empty(n)
    number, code = MODELS[model]
    predict = number if is_number else code
    for part in range(min(folds, n)):
        out = part_of == part
        seen = target[~out]
        guessed[out] = seen.mean() if is_number else _most_frequent(seen)
        predicted[out] = seen[0] if seen.min() == seen.max() else predict(trained_on[~out], seen, known[out])
    if is_number:
        error, guess_error = float(((predicted - target) ** 2).mean()), float(((guessed - target) ** 2).mean())
        if target.min() == target.max():
            error = guess_error = 0.0
    else:
        error, guess_error = float((predicted != target).mean()), float((guessed != target).mean())
    n_terms = trained_on.shape[1]
    many = n_terms > MOST_TERMS and model == "linear"
    note = f"each model took the {MOST_TERMS} of {n_terms:,} terms that tell most" if many else ""
    return LeftOut(predicted, guessed, error, guess_error, note)


def predict_confidential(case: Any, name: str, of_release: bool, model: str = "linear", folds: int = 10) -> LeftOut:
    """Predict a confidential column of a case, trained on the release or on the original.

    Several measures stand on the same predictions: `case.once(predict_confidential, name, True)`.
    """
    made, column = case.once(design_of_all), case.confidential[name]
    there = column.present
    known, seen = made.original[there], (made.released if of_release else made.original)[there]
    values = column.values[there]
    return predict_left_out(known, seen, values, is_number=column.is_number, model=model, folds=folds, seed=case.seed)


def _parts(rows: FloatArray, folds: int, seed: int) -> IntArray:
    """The part of each record: drawn in the order of what the records hold."""
    width = _FIRST_COLUMNS
    while True:
        order = np.lexsort(rows[:, :width].T[::-1])
        ordered = rows[order, :width]
        # Where no two records agree in the first columns, the others do not matter.
        if width >= rows.shape[1] or (ordered[1:] != ordered[:-1]).any(axis=1).all():
            break
        width *= 4
    parts = np.empty(len(rows), dtype=np.int64)
    parts[order] = np.random.default_rng(seed).permutation(len(rows)) % folds
    return parts


def _most_frequent(codes: FloatArray) -> int:
    return int(np.bincount(codes.astype(np.int64)).argmax())


def _line(known: FloatArray, values: FloatArray, asked: FloatArray) -> FloatArray:
    used = _telling(known, (values - values.mean())[:, None])
    return least_squares(known[:, used], values).predict(asked[:, used])


def _discriminant(known: FloatArray, values: FloatArray, asked: FloatArray) -> FloatArray:
    """Fisher's linear discriminant: the centre that is nearest, in units of the spread within classes."""
    classes, place = np.unique(values.astype(np.int64), return_inverse=True)
    counts = np.bincount(place)
    of_class = (place[:, None] == np.arange(len(classes))).astype(np.float64)
    used = _telling(known, (of_class - counts / len(place)) / np.sqrt(counts))
    known, asked = known[:, used], asked[:, used]
    centres = of_class.T @ known / counts[:, None]
    gaps = known - centres[place]
    within = gaps.T @ gaps / len(known)
    whole = known - known.mean(axis=0)
    within += np.diag(_RIDGE * np.maximum((whole**2).mean(axis=0), 1e-12))
    slopes = np.linalg.solve(within, centres.T)
    constants = np.log(counts / counts.sum()) - 0.5 * (centres.T * slopes).sum(axis=0)
    scores = asked @ slopes + constants
    # Scores that differ by rounding alone are equal: the lower code wins, whatever the order of the records.
    best = scores.max(axis=1, keepdims=True)
    chosen: FloatArray = classes[(scores >= best - _AS_NEAR * (1.0 + np.abs(best))).argmax(axis=1)].astype(np.float64)
    return chosen


def _telling(known: FloatArray, values: FloatArray) -> IntArray:
    """Give the columns to use: all, or those that explain most of some centred values, in their order."""
    if known.shape[1] <= MOST_TERMS:
        return np.arange(known.shape[1])
    spread = ((known - known.mean(axis=0)) ** 2).sum(axis=0)
    told = ((values.T @ known) ** 2).sum(axis=0) / np.where(spread > 0, spread, np.inf)
    # Shares that differ by rounding alone are equal: the earlier column is taken, whatever the order of the records.
    unit = _AS_NEAR * (float(told.max()) or 1.0)
    used: IntArray = np.sort(np.argsort(-np.round(told / unit), kind="stable")[:MOST_TERMS])
    return used


def _nearest(known: FloatArray, asked: FloatArray) -> tuple[FloatArray, IntArray]:
    """Which different known rows are nearest to each that is asked about, as 0 and 1; and the row of each record."""
    place = equivalence_classes(keys_of(known))
    points = np.empty((int(place.max()) + 1, known.shape[1]))
    points[place] = known
    squares = (points**2).sum(axis=1)
    distances = squares - 2.0 * asked @ points.T + (asked**2).sum(axis=1)[:, None]
    least = distances.min(axis=1, keepdims=True)
    near: FloatArray = (distances <= least + _AS_NEAR * (1.0 + np.abs(least))).astype(np.float64)
    return near, place


def _mean_of_nearest(known: FloatArray, values: FloatArray, asked: FloatArray) -> FloatArray:
    near, place = _nearest(known, asked)
    sums, counts = np.bincount(place, values), np.bincount(place)
    means: FloatArray = near @ sums / (near @ counts)
    return means


def _mode_of_nearest(known: FloatArray, values: FloatArray, asked: FloatArray) -> FloatArray:
    near, place = _nearest(known, asked)
    codes = values.astype(np.int64)
    counts = np.zeros((near.shape[1], int(codes.max()) + 1))
    np.add.at(counts, (place, codes), 1.0)
    modes: FloatArray = (near @ counts).argmax(axis=1).astype(np.float64)
    return modes


def _boosted_line(known: FloatArray, values: FloatArray, asked: FloatArray) -> FloatArray:
    return _boosted("HistGradientBoostingRegressor", known, values, asked)


def _boosted_codes(known: FloatArray, values: FloatArray, asked: FloatArray) -> FloatArray:
    return _boosted("HistGradientBoostingClassifier", known, values, asked)


def _boosted(name: str, known: FloatArray, values: FloatArray, asked: FloatArray) -> FloatArray:
    try:
        from sklearn import ensemble
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise MissingExtra("boosted trees need scikit-learn: pip install 'microagg[sklearn]'.") from error
    # Nothing here is random: no records are held back, and few enough are used that none are drawn.
    trees = getattr(ensemble, name)(max_iter=TREES, early_stopping=False, random_state=0)
    with threadpool_limits(1):  # the tables are small: threads would only wait for each other
        predicted: FloatArray = trees.fit(known, values).predict(asked)
    return predicted


MODELS: dict[str, tuple[Predictor, Predictor]] = {
    "linear": (_line, _discriminant),
    "nearest": (_mean_of_nearest, _mode_of_nearest),
    "trees": (_boosted_line, _boosted_codes),
}
"""How to predict numbers, and codes: least squares and Fisher's discriminant; the records of the nearest released row;
gradient boosting, with the extra `sklearn`."""
