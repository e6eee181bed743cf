"""Special uniques: records that few of their attributes make unique (SUDA2)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_count
from microagg.base.groups import class_sizes
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.measures import Case, Finding, Measure
from microagg.risk.findings import highest_percent

MOST_ATTRIBUTES = 27
"""With more attributes the DIS scores would fall where the scores rise."""


@dataclass(frozen=True)
class MinimalUniques:
    """Some attributes, and the records that are unique on them but not on fewer of them."""

    attributes: tuple[int, ...]
    records: IntArray


@dataclass(frozen=True)
class Suda:
    """What SUDA2 finds.

    Attributes
    ----------
    minimal_uniques : tuple of MinimalUniques
        Fewest attributes first; sets of attributes without such records are left out.
    scores : array of n float
        Of each record; 0 where it has no minimal unique.
    dis : array of n float
        The scores as chances, between 0 and 1, that a match with the record is right.
    contributions : array of shape (n, m)
        The share of a record's score from minimal uniques in which an attribute takes part; 0 where there is no score.
    """

    minimal_uniques: tuple[MinimalUniques, ...]
    scores: FloatArray
    dis: FloatArray
    contributions: FloatArray


def minimal_uniques(
    keys: npt.NDArray[np.int64], *, max_size: int | None = None, progress: Progress | None = None
) -> tuple[MinimalUniques, ...]:
    """Find the minimal sample uniques: records unique on some attributes, and on no part of them [1]_.

    The sets of attributes are walked by size. A record that is unique on a part of a set is done with; the others can
    only equal each other there, so that each walk looks at fewer records.

    Parameters
    ----------
    keys : array of shape (n, m)
        The quasi-identifiers as whole numbers that are equal where the values are, as `keys_of` gives them.
    max_size : int, optional
        The largest number of attributes to look at together; all by default.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    tuple of MinimalUniques

    References
    ----------
    .. [1] A. M. Manning, D. J. Haglin, J. A. Keane. A recursive search algorithm for statistical disclosure assessment.
       Data Mining and Knowledge Discovery 16 (2008) 165-196.

    Examples
    --------
    >>> uniques = minimal_uniques(np.array([[1, 1], [1, 2], [2, 1], [2, 2], [2, 2], [3, 2]]))
    >>> [(unique.attributes, unique.records.tolist()) for unique in uniques]
    [((0,), [5]), ((0, 1), [0, 1, 2])]
    """
    keys, max_size = _checked(keys, max_size)
    n, m = keys.shape
    if int(class_sizes(keys).min()) > 1:
        return ()  # who is not alone on all attributes is not alone on fewer
    n_sets = sum(comb(m, size) for size in range(1, max_size + 1))
    columns = np.ascontiguousarray(keys.T)
    uniques: list[MinimalUniques] = []
    # One bit a record, for each set of attributes of one size: is it unique on them?
    smaller: dict[tuple[int, ...], npt.NDArray[np.uint8]] = {(): np.packbits(np.zeros(n, dtype=np.bool_))}
    done = 0
    for size in range(1, max_size + 1):
        unique: dict[tuple[int, ...], npt.NDArray[np.uint8]] = {}
        for attributes in combinations(range(m), size):
            bits = np.bitwise_or.reduce([smaller[part] for part in combinations(attributes, size - 1)])
            left = np.flatnonzero(np.unpackbits(bits, count=n) == 0)
            alone = left[_unique_rows(np.column_stack([columns[j][left] for j in attributes]))]
            if len(alone):
                uniques.append(MinimalUniques(attributes, alone))
                new = np.zeros(n, dtype=np.bool_)
                new[alone] = True
                bits = bits | np.packbits(new)
            unique[attributes] = bits
            done += 1
            if progress is not None:
                progress(done / n_sets)
        smaller = unique
    return tuple(uniques)


def suda2(
    keys: npt.NDArray[np.int64],
    *,
    max_size: int | None = None,
    fraction: float = 0.01,
    progress: Progress | None = None,
) -> Suda:
    """Score how special the uniques are: the fewer attributes it takes, and the more ways there are, the higher [1]_.

    A minimal unique of s of m attributes scores (m - s) (m - s - 1) ... (m - M), M the largest size looked at or m - 1.
    The DIS scores share the chance that a match with a unique is right [2]_ among the records by their score, as
    sdcMicro does.

    Parameters
    ----------
    keys, max_size, progress
        As in `minimal_uniques`.
    fraction : float
        The share of the population that is in the sample.

    Returns
    -------
    Suda

    References
    ----------
    .. [1] M. J. Elliot, A. Manning, K. Mayes, J. Gurd, M. Bane. SUDA: a program for detecting special uniques. Joint
       UNECE/Eurostat work session on statistical data confidentiality (2005).
    .. [2] C. J. Skinner, M. J. Elliot. A measure of disclosure risk for microdata. Journal of the Royal Statistical
       Society B 64 (2002) 855-867.

    Examples
    --------
    >>> keys = np.array([[1, 1, 1], [1, 1, 1], [1, 2, 2], [2, 1, 2], [2, 1, 1]])
    >>> suda2(keys).scores.tolist()
    [0.0, 0.0, 3.0, 2.0, 1.0]
    """
    keys, max_size = _checked(keys, max_size)
    if not 0 < fraction <= 1:
        raise InvalidOption(f"fraction must be above 0 and at most 1; got {fraction!r}.")
    n, m = keys.shape
    uniques = minimal_uniques(keys, max_size=max_size, progress=progress)
    scores, contributions = np.zeros(n), np.zeros((n, m))
    for unique in uniques:
        score = float(prod(m - i for i in range(len(unique.attributes), min(max_size, m - 1) + 1)))
        scores[unique.records] += score
        for attribute in unique.attributes:
            contributions[unique.records, attribute] += score
    scored = scores > 0
    contributions[scored] /= scores[scored, None]
    return Suda(uniques, scores, _dis(scores, keys, fraction), contributions)


def _dis(scores: FloatArray, keys: IntArray, fraction: float) -> FloatArray:
    scored = scores > 0
    dis = np.zeros(len(scores))
    if not scored.any():
        return dis
    paired = int((class_sizes(keys) == 2).sum())
    powers = scores[scored] ** (1.0 + (8.0 - keys.shape[1]) / 20.0)
    dis[scored] = 1.0 / (1.0 + paired * (1.0 - fraction) / fraction / (powers * (1.0 / powers).sum()))
    return dis


def _unique_rows(keys: IntArray) -> npt.NDArray[np.bool_]:
    unique: npt.NDArray[np.bool_] = class_sizes(keys) == 1
    return unique


def _checked(keys: npt.NDArray[np.int64], max_size: int | None) -> tuple[IntArray, int]:
    keys = np.ascontiguousarray(keys, dtype=np.int64)
    if keys.ndim != 2 or len(keys) == 0 or not 1 <= keys.shape[1] <= MOST_ATTRIBUTES:
        raise InvalidData(
            f"keys must be a matrix of at least one record and 1 to {MOST_ATTRIBUTES} attributes; "
            f"got shape {keys.shape}."
        )
    if max_size is None:
        return keys, keys.shape[1]
    return keys, min(check_count("max_size", max_size), keys.shape[1])


def _most_special(case: Case) -> Finding:
    """The highest DIS score; and in how much of the scores of special records each attribute takes part, in percent."""
    scored = suda2(case.keys, max_size=3)
    special = scored.scores > 0
    parts = 100.0 * scored.contributions[special].mean(axis=0) if special.any() else np.zeros(len(case.names))
    columns = dict(zip(case.names, parts.tolist(), strict=False))  # strata are keys too, and have no name
    return Finding(highest_percent(scored.dis), columns=columns, records=scored.dis)


SUDA = Measure(
    name="suda",
    function=_most_special,
    title="Highest DIS-SUDA score",
    summary="chance that a match with the most special unique is right (sampling fraction 1 percent)",
    reference="Elliot et al. 2005",
    unit="percent",
    highest=100.0,
    of_release=True,
    at_most=20_000,
    whole_if=lambda case: int(case.class_sizes.min()) > 1,
    sample_note="measured on a sample of the records, among which more are unique than among all",
)
