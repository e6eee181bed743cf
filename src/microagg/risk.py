"""How exposed records are: classes of records that look the same on their quasi-identifiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.arrays import FloatArray, IntArray
from microagg.errors import InvalidData, NotKAnonymous


def keys_of(values: FloatArray) -> IntArray:
    """Give whole numbers that are equal where the floats are equal: 0 equals -0, and missing equals missing.

    >>> keys_of(np.array([0.0, -0.0, 1.5])).tolist() == keys_of(np.array([0.0, 0.0, 1.5])).tolist()
    True
    """
    tidy = np.add(values, 0.0, order="C")
    missing = np.isnan(tidy)
    if missing.any():
        tidy[missing] = np.nan
    return tidy.view(np.int64)


def class_sizes(keys: npt.NDArray[np.int64]) -> IntArray:
    """Give for each record the number of records, itself included, whose row of keys is the same.

    >>> class_sizes(np.array([[1, 2], [1, 3], [1, 2]])).tolist()
    [2, 1, 2]
    """
    classes = equivalence_classes(keys)
    sizes: IntArray = np.bincount(classes)[classes]
    return sizes


def equivalence_classes(keys: npt.NDArray[np.int64]) -> IntArray:
    """Number the classes of equal rows in order of first appearance.

    >>> equivalence_classes(np.array([[1, 2], [1, 3], [1, 2]])).tolist()
    [0, 1, 0]
    """
    keys = np.ascontiguousarray(keys, dtype=np.int64)
    if keys.ndim != 2 or keys.shape[0] == 0:
        raise InvalidData(f"keys must be a matrix of at least one record; got shape {keys.shape}.")
    classes = np.empty(keys.shape[0], dtype=np.int64)
    _core.equal_rows(keys, classes)
    return classes


def check_k_anonymous(sizes: IntArray, k: int) -> None:
    """Raise NotKAnonymous unless every record is in a class of at least k.

    >>> check_k_anonymous(np.array([2, 2]), 2)
    """
    exposed = int((sizes < k).sum())
    if exposed:
        raise NotKAnonymous(
            f"{exposed} of {len(sizes)} records share their quasi-identifiers with fewer than {k} records "
            f"(the smallest class has {int(sizes.min())}). The release is refused and nothing was written."
        )


@dataclass(frozen=True)
class Risk:
    """A measure of exposure, from the class size of each record; call it as `risk(sizes)`.

    `lowest` and `highest` bound its values; where `lower_is_better` is False, more is safer.
    """

    name: str
    function: Callable[[IntArray], float]
    title: str
    summary: str
    reference: str
    unit: str = ""
    lowest: float = 0.0
    highest: float = float("inf")
    lower_is_better: bool = True

    def __call__(self, sizes: IntArray) -> float:
        """Measure the risk."""
        return self.function(sizes)


RISKS: dict[str, Risk] = {
    risk.name: risk
    for risk in (
        Risk(
            name="smallest_class",
            function=lambda sizes: int(sizes.min()),
            title="Smallest class",
            summary="every record shares its quasi-identifiers with at least this many records, itself included: the k",
            reference="Samarati and Sweeney 1998",
            lowest=1.0,
            lower_is_better=False,
        ),
        Risk(
            name="uniques",
            function=lambda sizes: int((sizes == 1).sum()),
            title="Uniques",
            summary="records whose quasi-identifiers nobody shares",
            reference="Samarati and Sweeney 1998",
        ),
        Risk(
            name="highest_risk",
            function=lambda sizes: 100.0 / float(sizes.min()),
            title="Highest risk",
            summary="chance to re-identify the most exposed record, for somebody who knows that the person is in it",
            reference="El Emam and Dankar 2008 (prosecutor)",
            unit="percent",
            highest=100.0,
        ),
        Risk(
            name="average_risk",
            function=lambda sizes: 100.0 * float((1.0 / sizes).mean()),
            title="Average risk",
            summary="share of records that such a person would re-identify on average by picking one of each class",
            reference="El Emam and Dankar 2008 (marketer)",
            unit="percent",
            highest=100.0,
        ),
    )
}


def measure(sizes: IntArray) -> dict[str, float]:
    """Give every risk of records in classes of these sizes.

    >>> measure(np.array([2, 2, 3, 3, 3]))["smallest_class"]
    2
    """
    return {name: risk(sizes) for name, risk in RISKS.items()}
