"""Probabilistic record linkage: which attributes agree, and how much each agreement says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_threads
from microagg.base.groups import equivalence_classes, keys_of
from microagg.base.progress import Progress, part_of
from microagg.base.schema import Kind
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.measures import Case, Finding, Measure
from microagg.risk.both_sides import check_both_sides
from microagg.risk.findings import percent
from microagg.semantic.attribute import Attribute

MOST_ATTRIBUTES = 16
"""With more attributes there are too many patterns to count."""
_STEPS = 200
_CLOSE_ENOUGH = 1e-8
_SURE = 1e-6
_SAME_WEIGHT = 6  # decimals


@dataclass(frozen=True)
class Agreement:
    """How often attributes agree.

    Attributes
    ----------
    matches, others : array of m float
        The chance that an attribute agrees, of pairs that are the same person and of pairs that are not: m and u of
        Fellegi and Sunter.
    """

    matches: FloatArray
    others: FloatArray

    @property
    def weights(self) -> tuple[FloatArray, FloatArray]:
        """What an agreement and a disagreement of each attribute add to the weight of a pair, in nats."""
        m, u = self.matches, self.others
        return np.log(m / u), np.log((1.0 - m) / (1.0 - u))


def estimate_agreement(totals: IntArray, n_attributes: int, n_records: int) -> Agreement:
    """Estimate the chances of agreement from the numbers of pairs of each pattern, by EM [1]_.

    Parameters
    ----------
    totals : array of 2 ** m int
        How many pairs have each pattern; bit j of a pattern is set where attribute j agrees.
    n_attributes : int
        m.
    n_records : int
        n: one of n pairs is a match, because every original has one release.

    References
    ----------
    .. [1] M. A. Jaro. Advances in record-linkage methodology as applied to matching the 1985 census of Tampa, Florida.
       Journal of the American Statistical Association 84 (1989) 414-420.

    Examples
    --------
    >>> agreement = estimate_agreement(np.array([80, 5, 5, 10]), 2, 10)
    >>> (agreement.matches > 0.95).all(), (agreement.others < 0.1).all()
    (np.True_, np.True_)
    """
    patterns = np.flatnonzero(totals)
    agrees = (patterns[:, None] >> np.arange(n_attributes) & 1).astype(np.float64)
    pairs = totals[patterns].astype(np.float64)
    share = min(1.0 / n_records, 0.5)
    u = np.clip(pairs @ agrees / pairs.sum(), _SURE, 1.0 - _SURE)
    m = np.maximum(np.full(n_attributes, 0.9), u)
    for _ in range(_STEPS):
        as_match = np.log(share) + agrees @ np.log(m) + (1.0 - agrees) @ np.log(1.0 - m)
        as_other = np.log(1.0 - share) + agrees @ np.log(u) + (1.0 - agrees) @ np.log(1.0 - u)
        belief = pairs / (1.0 + np.exp(np.clip(as_other - as_match, -700.0, 700.0)))
        doubt = pairs - belief
        new_m = np.clip(belief @ agrees / max(belief.sum(), 1e-300), _SURE, 1.0 - _SURE)
        new_u = np.clip(doubt @ agrees / max(doubt.sum(), 1e-300), _SURE, 1.0 - _SURE)
        moved = max(float(np.abs(new_m - m).max()), float(np.abs(new_u - u).max()))
        m, u = new_m, new_u
        if moved < _CLOSE_ENOUGH:
            break
    # An agreement never speaks against a match.
    return Agreement(np.maximum(m, u), u)


def probabilistic_linkage(
    original: npt.ArrayLike,
    released: npt.ArrayLike,
    attributes: Sequence[Attribute] | None = None,
    *,
    width: float = 0.1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Give the chance that each record is linked to its own release by the weights of Fellegi and Sunter [1]_.

    An attribute of an original and of a released record agrees where the categories are equal, or where no more than a
    share `width` of the original values lies between the numbers, whatever their scale. An agreement weighs log(m / u),
    a disagreement log((1 - m) / (1 - u)), where m and u are the chances of an agreement of pairs that are and that are
    not the same person. Somebody who holds the original values of a person takes a release of the highest weight for
    that person; of several, any: the chance is 1 / t where the own release is one of t such, else 0, so that the order
    of the rows does not matter.

    The chances m and u are estimated by EM from all pairs, under what is usually assumed: attributes agree
    independently of each other, given that a pair is or is not the same person; and every original has one release, so
    that one of n pairs is a match. Dependent quasi-identifiers break the first: the weights are then less than the best
    that somebody could do.

    Parameters
    ----------
    original, released : array of shape (n, m)
        The same records before and after, row by row: numbers, and codes of categories.
    attributes : sequence of Attribute, optional
        What the columns mean; numbers by default.
    width : float
        How far apart numbers may be, by rank, as a share of the records from 0 to 1.
    threads : int, optional
        How many threads to use; one per processor by default. The result is the same.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n float

    References
    ----------
    .. [1] I. P. Fellegi, A. B. Sunter. A theory for record linkage. Journal of the American Statistical Association 64
       (1969) 1183-1210.
    .. [2] V. Torra, J. Domingo-Ferrer. Record linkage methods for multidatabase data mining. Information Fusion in Data
       Mining (2003) 101-132.

    Examples
    --------
    >>> X = [[1.0, 1.0], [2.0, 2.0], [8.0, 1.0], [9.0, 2.0]]
    >>> probabilistic_linkage(X, [[1.5, 1.5], [1.5, 1.5], [8.5, 1.5], [8.5, 1.5]], width=0.25).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    before, after = check_both_sides(original, released)
    n, m = before.shape
    if m > MOST_ATTRIBUTES:
        raise InvalidData(
            f"probabilistic record linkage takes at most {MOST_ATTRIBUTES} attributes; got {m}. Choose those that are "
            "known best."
        )
    if not 0 <= width <= 1:
        raise InvalidOption(f"width must be between 0 and 1, a share of the records; got {width!r}.")
    classes = equivalence_classes(keys_of(after))
    is_number = [attributes is None or attributes[j].kind is Kind.NUMERIC for j in range(m)]
    reach = np.where(is_number, width * n, 0.0)
    before, after = before.copy(), after.copy()
    for j in np.flatnonzero(is_number):
        ordered = np.sort(before[:, j])
        before[:, j], after[:, j] = _places(ordered, before[:, j]), _places(ordered, after[:, j])
    counts = np.bincount(classes)
    columns = np.empty((m, len(counts)))
    columns[:, classes] = after.T
    threads = check_threads(threads)
    totals = np.zeros(1 << m, dtype=np.int64)
    _core.count_patterns(before, columns, counts, reach, threads, part_of(progress, 0.0, 0.5), totals)
    ranks = _ranks(estimate_agreement(totals, m, n))
    ties = np.empty(len(before), dtype=np.int64)
    _core.link_by_patterns(before, columns, counts, reach, classes, ranks, threads, part_of(progress, 0.5, 1.0), ties)
    chances: FloatArray = np.divide(1.0, ties, out=np.zeros(len(ties)), where=ties > 0)
    return chances


def _places(ordered: FloatArray, values: FloatArray) -> FloatArray:
    """Where values lie among ordered ones: the middle of their ranks."""
    places: FloatArray = (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / 2.0
    return places


def _ranks(agreement: Agreement) -> IntArray:
    """The rank of the weight of each pattern; weights that differ by rounding alone have the same."""
    agree, differ = agreement.weights
    weights = np.zeros(1)
    for j in range(len(agree)):
        weights = np.concatenate([weights + differ[j], weights + agree[j]])
    ranks: IntArray = np.unique(weights.round(_SAME_WEIGHT), return_inverse=True)[1].astype(np.int64)
    return ranks


def _linked(case: Case) -> Finding:
    chances = probabilistic_linkage(case.original, case.released, case.attributes)
    before = probabilistic_linkage(case.original, case.original, case.attributes)
    return Finding(percent(chances), before=percent(before), records=chances)


PROBABILISTIC_LINKAGE = Measure(
    name="probabilistic_linkage",
    function=_linked,
    title="Probabilistic record linkage",
    summary="share of records whose own release agrees best with their original values, agreements weighed by EM",
    reference="Fellegi and Sunter 1969; Torra and Domingo-Ferrer 2003",
    unit="percent",
    highest=100.0,
    at_most=5_000,
    sample_note="measured on a sample, among which a record is easier to find than among all",
)
