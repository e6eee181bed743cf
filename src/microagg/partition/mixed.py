"""Mixed: local search on records of any kinds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.aggregate import common_values
from microagg.base.checks import check_count, check_threads
from microagg.base.effort import NORMAL, check_effort
from microagg.base.groups import in_order
from microagg.base.progress import Progress, part_of
from microagg.base.ranges import columns_within_range, within_range
from microagg.base.schema import Kind
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.constraints import Promises
from microagg.errors import InvalidOption
from microagg.partition import mdav, sa_mondrian, simple_mondrian
from microagg.partition.method import Method
from microagg.partition.promised import repaired
from microagg.refine.local import local
from microagg.risk.points import both_as_points
from microagg.semantic.attribute import Attribute, compress, nominal
from microagg.semantic.embedding import MOST_POINTS
from microagg.semantic.loss import changes, total

MOST_WORK = 2e9
"""How many coordinates MDAV may look at, about, for its groups to be tried as a start."""
MOST_COORDINATES = 2e7
"""How many coordinates all records may have as points for that."""

WORK = {"quick": (6, 8), "normal": (10, 30), "thorough": (20, 120)}
"""How many near tuples to look at, and rounds at most, by effort."""

MANY_TUPLES = 5_000
"""Of more distinct tuples than this, all groups are annealed at once."""
SWEEPS = {"quick": 35, "normal": 115, "thorough": 460}
"""How often each record looks for another place while groups are annealed, by effort."""
MOST_ROUNDS = 2
"""How often, before that and after it, records move and groups are founded and closed."""
FULL_WORK, MOST_MORE = 100_000, 5
"""Of fewer distinct tuples than the first, there is time for more of both: up to so many times as much."""
HEAT = 0.45
"""What a change may cost to begin with, in units of how far away near tuples are, squared."""

OBJECTIVES = ("spread", "semantic")

EXHAUSTIVE = 1 << 15
"""Up to so many distinct tuples all pairs are compared to find the near ones; of more, those that random cuts leave
together."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    attributes: Sequence[Attribute] | None = None,
    objective: str = "spread",
    neighbours: int | None = None,
    rounds: int | None = None,
    effort: str = NORMAL,
    threads: int | None = None,
    progress: Progress | None = None,
    promises: Promises | None = None,
) -> IntArray:
    """Search for groups of little loss, whatever the columns hold.

    The loss of a group is the sum, over columns, of the squared distances of its records to its common value: the mean
    of numbers, the median of ordinal values, the mode of nominal ones, the semantic centroid of a hierarchy. Each
    column is divided by the same sum over all records, so that all weigh the same, and multiplied by its weight.

    The search starts from Mondrian's cuts and changes groups as long as that lowers the loss: records move to the
    groups of near tuples or swap places with their records, groups are founded and closed. Equal records may part,
    since a tuple of k - 1 records loses less by taking in one record than by joining a large group.

    Of more than `MANY_TUPLES` distinct tuples, MDAV within cells of near tuples makes the groups to start with. Records
    move, and groups are founded and closed, as above. Then all groups are annealed at once, as in `fast`:
    in every round each group wishes that one of its records changes places with a record of a group near it, or goes
    there, and wishes that do not stand in each other's way come true. Time then grows like n log n, memory like n.
    Annealing is for "spread"; "semantic" is searched as above at any size.

    Parameters
    ----------
    X : array of shape (n, m)
        Codes, or numbers, as `attributes` describes them.
    k : int
        Least size of a group.
    attributes : sequence of Attribute, optional
        What each column means; without them every column is a number.
    objective : {"spread", "semantic"}
        "spread" as above. "semantic" squares the mean of a record's distances over columns instead, which is the loss
        of the literature on categories [1]_; numbers then have their median as common value.
    neighbours : int, optional
        How many near tuples to look at; 6, 10 or 20, as the effort says. Beyond some ten thousand distinct tuples, some
        of the nearest may be missed.
    rounds : int, optional
        When to stop where changes go on; 8, 30 or 120, as the effort says.
    effort : {"quick", "normal", "thorough"}
        How much time may go into less loss.
    threads : int, optional
        How many threads to use; all processors by default. The labels are the same on any number.
    progress : callable, optional
        Told the fraction done.
    promises : Promises, optional
        What groups must keep beside k: the groups to start with are repaired, and no change breaks it.

    Returns
    -------
    array of n int
        The group of each record.

    References
    ----------
    .. [1] S. Martinez, D. Sanchez, A. Valls. Semantic adaptive microaggregation of categorical microdata. Computers &
       Security 31 (2012) 653-672.

    Examples
    --------
    >>> from microagg.semantic import nominal, numeric
    >>> X = [[0, 1.0], [1, 9.0], [0, 2.0], [1, 8.0], [0, 9.0], [1, 1.0]]
    >>> partition(X, k=3, attributes=[nominal(["f", "m"]), numeric()]).tolist()
    [0, 1, 0, 1, 1, 0]
    """
    if objective not in OBJECTIVES:
        raise InvalidOption(f"objective must be one of {', '.join(OBJECTIVES)}; got {objective!r}.")
    near, most = WORK[check_effort(effort)]
    neighbours = near if neighbours is None else check_count("neighbours", neighbours)
    rounds = most if rounds is None else check_count("rounds", rounds)
    if attributes is None:
        attributes = [Attribute(Kind.NUMERIC)] * np.shape(X)[1] if np.ndim(X) == 2 else []
    plain = [attribute.weighing(1.0) for attribute in attributes]
    tuples = compress(X, k, plain)
    size = k if promises is None else promises.start_size(k)
    values = np.asarray(X, dtype=np.float64)
    weights = [attribute.weight for attribute in attributes]
    means = [attribute.kind is Kind.NUMERIC for attribute in attributes]
    anneals = objective == "spread" and tuples.n_tuples > MANY_TUPLES
    more = min(max(FULL_WORK / tuples.n_tuples, 1.0), MOST_MORE)
    if anneals:
        slots = np.empty(len(values), dtype=np.int64)
        _core.mixed_start(
            *tuples.space, size, check_threads(threads), *_weighing(weights, means), slots, part_of(progress, 0.0, 0.1)
        )
        starts = [tuples.hand_out(slots)]
    elif 2 * tuples.n_tuples > len(tuples.tuple_of):
        starts = [simple_mondrian.partition(X, size, attributes=plain, cut="median")]
    else:
        starts = [sa_mondrian.partition(X, size, attributes=plain)]
    if objective == "spread" and not anneals:
        starts += _from_points(values, size, attributes, tuples.tuple_of, check_threads(threads))
    kernel = None
    if promises is not None:
        starts = [repaired(X, start, k, promises, attributes, threads=threads) for start in starts]
        # Records are alike where they agree in the confidential columns too, which count nothing.
        n_secret = promises.codes.shape[1]
        secret = [nominal([str(code) for code in range(int(column.max()) + 1)]) for column in promises.codes.T]
        tuples = compress(np.column_stack([values, promises.codes]), k, [*plain, *secret])
        first = np.unique(tuples.tuple_of, return_index=True)[1]
        kernel = promises.take(first).kernel
        weights, means = weights + [0.0] * n_secret, means + [False] * n_secret
    searched = []
    for place, start in enumerate(starts):
        slots = start[np.argsort(tuples.tuple_of, kind="stable")]
        if anneals:
            _core.mixed_exchange(
                *tuples.space,
                k,
                neighbours,
                EXHAUSTIVE,
                min(rounds, round(MOST_ROUNDS * more)),
                SWEEPS[effort] * more,
                HEAT,
                0,
                check_threads(threads),
                *_weighing(weights, means),
                slots,
                part_of(progress, 0.1, 1.0),
                kernel,
            )
        else:
            _core.mixed_search(
                *tuples.space,
                k,
                neighbours,
                EXHAUSTIVE,
                rounds,
                objective == "semantic",
                check_threads(threads),
                *_weighing(weights, means),
                slots,
                part_of(progress, place / len(starts), (place + 1) / len(starts)),
                kernel,
            )
        searched.append(tuples.hand_out(slots))
    if len(searched) == 1:
        return searched[0]
    X = columns_within_range(values)[0]
    return min(searched, key=lambda labels: _loss(X, labels, attributes))


def _weighing(weights: Sequence[float], means: Sequence[bool]) -> tuple[FloatArray, BoolArray]:
    """Give how much each column counts, and whether its common value is the mean, as the kernels take it."""
    return within_range(np.array(weights, dtype=np.float64)), np.array(means)


def _from_points(
    X: FloatArray, k: int, attributes: Sequence[Attribute], tuple_of: IntArray, threads: int
) -> list[IntArray]:
    """Give the groups of MDAV with local search on points, to begin from them too, where that is quick.

    Once of all records; and once, where many are equal, of 2k at most of each kind: the others, at least k, are a group
    of their own.
    """
    n_coordinates = sum(max(1, attribute.n_values) for attribute in attributes)
    too_many = any(attribute.n_values > MOST_POINTS for attribute in attributes)
    if too_many or len(X) * n_coordinates > MOST_COORDINATES:
        return []
    order, counts = np.argsort(tuple_of, kind="stable"), np.bincount(tuple_of)
    place = np.empty(len(X), dtype=np.int64)
    place[order] = np.arange(len(X)) - np.repeat(np.cumsum(counts) - counts, counts)
    few_of_each = (counts[tuple_of] < 3 * k) | (place < 2 * k)
    tried = [np.ones_like(few_of_each)] + ([] if few_of_each.all() else [few_of_each])
    tried = [part for part in tried if int(part.sum()) ** 2 * n_coordinates / k <= MOST_WORK]
    if not tried:
        return []
    X = columns_within_range(X)[0]
    points = both_as_points(X, X, attributes)[0]
    starts = []
    for taking_part in tried:
        rows = np.flatnonzero(taking_part)
        chosen = np.ascontiguousarray(points[rows])
        labels = np.empty(len(X), dtype=np.int64)
        labels[rows] = local(chosen, mdav.partition(chosen, k, threads=threads), k, threads=threads)
        labels[~taking_part] = in_order(tuple_of[~taking_part]) + int(labels[rows].max()) + 1
        starts.append(labels)
    return starts


def _loss(X: FloatArray, labels: IntArray, attributes: Sequence[Attribute]) -> float:
    """What the search lowers."""
    Y = common_values(X, labels, attributes)
    loss = 0.0
    for j, attribute in enumerate(attributes):
        moved, whole = changes(X[:, j], Y[:, j], attribute), total(X[:, j], attribute)
        loss += attribute.weight * float(moved @ moved) / whole if whole > 0 else 0.0
    return loss


METHOD = Method(
    name="mixed",
    function=partition,
    title="Mixed local search",
    summary="local search on columns of any kinds, each weighing the same",
    reference="this package",
    steps="U log U",
    takes="attributes",
    depends_on_row_order=True,  # as local search does, from which it begins
)
