"""Checks of original and released records that are compared with each other."""

from __future__ import annotations

import numpy.typing as npt

from microagg.base.checks import check_matrix
from microagg.base.types import FloatArray
from microagg.errors import InvalidData


def check_both_sides(original: npt.ArrayLike, released: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Give both as finite matrices of the same records and columns, or say what is wrong with them.

    >>> check_both_sides([[1]], [[2]])[1].tolist()
    [[2.0]]
    """
    before, after = check_matrix(original, "original"), check_matrix(released, "released")
    if before.shape != after.shape:
        raise InvalidData(
            f"original and released must hold the same records and columns; got {before.shape} and {after.shape}."
        )
    return before, after
