"""Distance-based record linkage: how often a released record is nearest to the original that it came from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_threads
from microagg.base.groups import class_sizes, equivalence_classes, keys_of
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.measures import Case, Finding, Measure
from microagg.risk.both_sides import check_both_sides
from microagg.risk.findings import percent
from microagg.risk.points import both_as_points


def record_linkage(
    original: npt.ArrayLike,
    released: npt.ArrayLike,
    rows: IntArray | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Give the chance that each record is linked to its own release by the least Euclidean distance [1]_.

    Somebody who holds the original values of a person takes the nearest released record for that person; of several
    that are equally near, any. The chance is 1 / t where the own release is one of t nearest ones, else 0, so that the
    order of the rows does not matter.

    Parameters
    ----------
    original, released : array of shape (n, m)
        The same records before and after, row by row, standardised as the intruder would.
    rows : array of int, optional
        Whom to look for, among all releases: the rows of some records; all by default.
    threads : int, optional
        How many threads to use; one per processor by default. The result is the same.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n float, or of one for each of the rows

    References
    ----------
    .. [1] J. Domingo-Ferrer, V. Torra. A quantitative comparison of disclosure control methods for microdata.
       Confidentiality, Disclosure and Data Access (2001) 111-134.

    Examples
    --------
    >>> record_linkage([[1.0], [2.0], [8.0], [9.0]], [[1.5], [1.5], [8.5], [8.5]]).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    before, after = check_both_sides(original, released)
    classes = equivalence_classes(keys_of(after))
    points = np.empty((int(classes.max()) + 1, after.shape[1]))
    points[classes] = after
    sizes = np.bincount(classes)
    if rows is not None:
        before, classes = before[rows], classes[rows]
    return _chances(before, points, classes, sizes, check_threads(threads), progress)


def _chances(
    before: FloatArray, points: FloatArray, own: IntArray, sizes: IntArray, threads: int, progress: Progress | None
) -> FloatArray:
    """The chance that each original is linked to its own among different points, which so many records share."""
    ties = np.empty(len(before), dtype=np.int64)
    _core.link_records(before, points, own, sizes, threads, progress, ties)
    chances: FloatArray = np.divide(1.0, ties, out=np.zeros(len(ties)), where=ties > 0)
    return chances


def _linked(case: Case) -> Finding:
    """The records of a sample are looked for among all releases."""
    whole = case.whole
    classes = whole.classes if whole.strata is None else equivalence_classes(keys_of(whole.released))
    last_rows = np.empty(int(classes.max()) + 1, dtype=np.int64)
    last_rows[classes] = np.arange(len(classes))
    before, points = both_as_points(case.original, whole.released[last_rows], whole.attributes, whole.original)
    own = classes if case.rows is None else classes[case.rows]
    chances = _chances(before, points, own, np.bincount(classes), check_threads(None), None)
    # Each original is nearest to itself and to its equals, whatever stratum these are in.
    alike = whole.before.class_sizes if whole.strata is None else class_sizes(keys_of(whole.original))
    return Finding(percent(chances), before=percent(1.0 / alike), records=chances)


RECORD_LINKAGE = Measure(
    name="record_linkage",
    function=_linked,
    title="Record linkage",
    summary="share of records whose own release is the nearest one to their original values, ties as a fraction",
    reference="Domingo-Ferrer and Torra 2001",
    unit="percent",
    highest=100.0,
    at_most=10_000,
    sample_note="a sample of the records was looked for among all releases",
)
