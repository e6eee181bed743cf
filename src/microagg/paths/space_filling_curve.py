"""Space-filling curve: the records in the order in which a Hilbert curve meets them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_count, check_points
from microagg.base.projection import principal_components
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.paths.heuristic import PathHeuristic
from microagg.paths.order import begin_at, check_start

KEY_BITS = 62


def space_filling_curve(X: npt.ArrayLike, *, components: int = 4, start: int | None = None) -> IntArray:
    """Sort the records along a Hilbert curve through their leading principal components [1]_.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    components : int
        How many principal components the curve runs through, 1 to 31; all of them where there are fewer.
    start : int, optional
        Where the path begins: the path is cut there and its pieces are joined anew.

    Returns
    -------
    array of n int
        The records along the curve. Nothing is random: records in the same cell of the curve's finest grid follow in
        the order of their rows.

    References
    ----------
    .. [1] L. K. Platzman, J. J. Bartholdi. Spacefilling curves and the planar travelling salesman problem. Journal of
       the ACM 36 (1989) 719-737. The curve in any dimension: J. Skilling. Programming the Hilbert curve. AIP
       Conference Proceedings 707 (2004) 381-387.

    Examples
    --------
    >>> space_filling_curve([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]).tolist() in (
    ...     [0, 2, 1, 3], [3, 1, 2, 0], [0, 3, 1, 2], [2, 1, 3, 0], [2, 0, 3, 1], [1, 3, 0, 2], [1, 2, 0, 3],
    ...     [3, 0, 2, 1])
    True
    """
    X = check_points(X)
    if check_count("components", components, 1) > KEY_BITS // 2:
        raise InvalidOption(f"components must be at most {KEY_BITS // 2}; got {components}.")
    projected = principal_components(X, components)
    order = np.argsort(hilbert_key(projected), kind="stable").astype(np.int64, copy=False)
    return order if start is None else begin_at(X, order, check_start(start, X.shape[0]))


def hilbert_key(points: FloatArray) -> npt.NDArray[np.uint64]:
    """Give the position of each point along a Hilbert curve through their bounding cube.

    >>> hilbert_key(np.array([[0.0], [2.0], [1.0]])).argsort().tolist()
    [0, 2, 1]
    """
    n, dimensions = points.shape
    bits = min(KEY_BITS // dimensions, 30)
    low = points.min(axis=0)
    width = float((points.max(axis=0) - low).max()) or 1.0
    cells = np.minimum((points - low) / width * 2.0**bits, 2.0**bits - 1).astype(np.uint64)
    axes = [np.ascontiguousarray(cells[:, j]) for j in range(dimensions)]
    # Skilling's transform: undo the excess work of the curve from the coarsest bit to the second finest.
    for bit in range(bits - 1, 0, -1):
        lower = np.uint64((1 << bit) - 1)
        for j in range(dimensions):
            is_set = (axes[j] >> np.uint64(bit)) & np.uint64(1) == 1
            swap = np.where(is_set, np.uint64(0), (axes[0] ^ axes[j]) & lower)
            axes[0] = np.where(is_set, axes[0] ^ lower, axes[0] ^ swap)
            axes[j] = axes[0] if j == 0 else axes[j] ^ swap
    for j in range(1, dimensions):
        axes[j] ^= axes[j - 1]
    parity = np.zeros(n, dtype=np.uint64)
    for bit in range(bits - 1, 0, -1):
        is_set = (axes[-1] >> np.uint64(bit)) & np.uint64(1) == 1
        parity ^= np.where(is_set, np.uint64((1 << bit) - 1), np.uint64(0))
    key = np.zeros(n, dtype=np.uint64)
    axes = [axis ^ parity for axis in axes]
    for bit in range(bits - 1, -1, -1):
        for axis in axes:
            key = (key << np.uint64(1)) | ((axis >> np.uint64(bit)) & np.uint64(1))
    return key


HEURISTICS = (
    PathHeuristic(
        name="space_filling_curve",
        function=space_filling_curve,
        title="Space-filling curve",
        summary="the records along a Hilbert curve through their leading principal components",
        reference="Platzman and Bartholdi 1989",
        steps="n log n",
    ),
)
