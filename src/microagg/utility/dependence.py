"""Pairwise dependence: correlations, Cramer's V and mutual information, before and after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.schema import Kind
from microagg.base.types import FloatArray, IntArray
from microagg.measures import Case, Finding, Measure, summarise

BINS = 10
"""Numbers are cut at the quantiles of the original into so many classes for the mutual information."""
MOST_PAIRS = 1_000
"""How many pairs of columns are looked at where each takes a table of counts, and how many are told of one by one."""


def cramers_v(a: IntArray, b: IntArray, *, corrected: bool = True) -> float:
    """Give Cramer's V of two columns of codes, from 0 to 1; by default corrected for its bias in small samples [1]_.

    Parameters
    ----------
    a, b : array of n int
        Codes from 0.
    corrected : bool
        Whether to take off what chance alone would give.

    References
    ----------
    .. [1] W. Bergsma. A bias-correction for Cramer's V and Tschuprow's T. Journal of the Korean Statistical Society 42
       (2013) 323-328.

    Examples
    --------
    >>> cramers_v(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), corrected=False)
    1.0
    """
    table = _table(a, b)
    n = float(table.sum())
    rows, columns = table.shape
    if min(rows, columns) < 2:
        return 0.0
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / n
    phi = float(((table - expected) ** 2 / expected).sum()) / n
    r, c = float(rows), float(columns)
    if corrected:
        phi = max(0.0, phi - (r - 1.0) * (c - 1.0) / (n - 1.0))
        r, c = r - (r - 1.0) ** 2 / (n - 1.0), c - (c - 1.0) ** 2 / (n - 1.0)
    least = min(r, c) - 1.0
    return float(min(1.0, np.sqrt(phi / least))) if least > 0 else 0.0


def mutual_information(a: IntArray, b: IntArray) -> float:
    """Give what one column of codes tells about another, in bits.

    >>> mutual_information(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    shares = _table(a, b) / len(a)
    apart = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0)
    there = shares > 0
    return max(0.0, float((shares[there] * np.log2(shares[there] / apart[there])).sum()))


def _table(a: IntArray, b: IntArray) -> FloatArray:
    """How often each pair of codes occurs; codes that do not occur have no row or column."""
    width = int(b.max()) + 1
    counts = np.bincount(a * width + b, minlength=(int(a.max()) + 1) * width).reshape(-1, width).astype(np.float64)
    return counts[counts.any(axis=1)][:, counts.any(axis=0)]


@dataclass(frozen=True)
class _Column:
    name: str
    before: npt.NDArray[Any]
    after: npt.NDArray[Any]
    is_number: bool
    kept: bool


def _columns(case: Case) -> list[_Column]:
    """The quasi-identifiers, and confidential columns without gaps, which are kept as they are."""
    quasi = [
        _Column(name, case.original[:, j], case.released[:, j], case.kinds[j] is Kind.NUMERIC, False)
        for j, name in enumerate(case.names)
    ]
    kept = [
        _Column(name, column.values, column.values, column.is_number, True)
        for name, column in case.confidential.items()
        if column.present.all()
    ]
    return quasi + kept


def _pairs(columns: list[_Column]) -> tuple[IntArray, IntArray]:
    """The pairs of columns of which at least one was changed."""
    ones, others = np.triu_indices(len(columns), 1)
    kept = np.array([column.kept for column in columns], dtype=np.bool_)
    changed = ~(kept[ones] & kept[others])
    return ones[changed], others[changed]


def _finding(columns: list[_Column], ones: IntArray, others: IntArray, changes: FloatArray, note: str) -> Finding:
    """The mean of the changes of pairs; where pairs are many, those that changed most are told of one by one."""
    told = np.arange(len(changes))
    if len(changes) > MOST_PAIRS:
        told = np.argsort(-changes, kind="stable")[:MOST_PAIRS]
        note = f"pair by pair, the {MOST_PAIRS:,} of {len(changes):,} pairs of columns that changed most are told"
    named = zip(ones[told].tolist(), others[told].tolist(), changes[told].tolist(), strict=True)
    by_pair = {f"{columns[a].name} x {columns[b].name}": change for a, b, change in named}
    return Finding(float(changes.mean()), columns=by_pair, note=note)


def _changes(case: Case, columns: list[_Column], dependence: Callable[[IntArray, IntArray], float]) -> Finding | None:
    """The change of each pair; where pairs are many, of a sample of them that follows from the seed."""
    ones, others = _pairs(columns)
    if not len(ones):
        return None
    note = ""
    if len(ones) > MOST_PAIRS:
        note = f"of a sample of {MOST_PAIRS:,} of {len(ones):,} pairs of columns"
        drawn = np.random.default_rng(case.seed).choice(len(ones), MOST_PAIRS, replace=False, shuffle=False)
        drawn.sort()
        ones, others = ones[drawn], others[drawn]
    used = np.unique([ones, others]).tolist()
    classes = dict(zip(used, _in_classes([columns[j] for j in used]), strict=True))
    changes = [
        abs(dependence(classes[a].after, classes[b].after) - dependence(classes[a].before, classes[b].before))
        for a, b in zip(ones.tolist(), others.tolist(), strict=True)
    ]
    return _finding(columns, ones, others, np.array(changes), note)


def _correlations(case: Case) -> Finding | None:
    columns = [column for column in _columns(case) if column.is_number]
    ones, others = _pairs(columns)
    if not len(ones):
        return None
    summary = case.change.numbers if _has_all_sums(case) else None
    if summary is None:
        sides = (np.column_stack([getattr(column, side) for column in columns]) for side in ("before", "after"))
        summary = summarise(*sides)
    moved = np.abs(summary.correlation(1) - summary.correlation(0))
    return _finding(columns, ones, others, moved[ones, others], "")


def _has_all_sums(case: Case) -> bool:
    """Whether all columns of numbers are quasi-identifiers, of which every release has the sums."""
    return not any(column.is_number for column in case.confidential.values())


def _associations(case: Case) -> Finding | None:
    return _changes(case, [column for column in _columns(case) if not column.is_number], cramers_v)


def _information(case: Case) -> Finding | None:
    return _changes(case, _columns(case), mutual_information)


def _in_classes(columns: list[_Column]) -> list[_Column]:
    """Codes as whole numbers; numbers cut at the quantiles of the original."""
    numbers = [column.before for column in columns if column.is_number]
    cuts = iter(np.quantile(np.stack(numbers), np.arange(1, BINS) / BINS, axis=1).T if numbers else ())
    return [_cut(column, np.unique(next(cuts)) if column.is_number else None) for column in columns]


def _cut(column: _Column, cuts: FloatArray | None) -> _Column:
    before, after = column.before, column.after
    if cuts is not None:
        before, after = np.searchsorted(cuts, before, "right"), np.searchsorted(cuts, after, "right")
    return replace(column, before=before.astype(np.int64), after=after.astype(np.int64))


_ASKED = "two columns, quasi-identifiers or confidential"

PAIR_CORRELATION = Measure(
    name="pair_correlation",
    function=_correlations,
    title="Change of correlations, pair by pair",
    summary="how far the correlation of two columns moved, confidential ones included, on average over pairs",
    reference="Domingo-Ferrer and Torra 2001",
    highest=2.0,
    needs=f"{_ASKED}, both of numbers",
    at_most=200_000,
    whole_if=_has_all_sums,
)
PAIR_ASSOCIATION = Measure(
    name="pair_association",
    function=_associations,
    title="Change of associations of categories",
    summary="how far Cramer's V (corrected for bias) of two columns of categories moved, on average over pairs",
    reference="Cramer 1946; Bergsma 2013",
    highest=1.0,
    needs=f"{_ASKED}, both of categories",
    at_most=100_000,
)
PAIR_INFORMATION = Measure(
    name="pair_information",
    function=_information,
    title="Change of mutual information",
    summary="how far what one column tells about another moved, on average over pairs; numbers cut into tenths",
    reference="Cover and Thomas 2006",
    unit="bits",
    needs=_ASKED,
    at_most=50_000,
)
