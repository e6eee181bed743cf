"""How exposed records are: RISKS from the sizes of classes alone, MEASURES with those that need more."""

from __future__ import annotations

from microagg.arrays import IntArray
from microagg.risk.classes import check_k_anonymous, class_sizes, equivalence_classes, keys_of
from microagg.risk.risk import Risk
from microagg.risk.sizes import AVERAGE_RISK, HIGHEST_RISK, SMALLEST_CLASS, UNIQUES

RISKS: dict[str, Risk] = {risk.name: risk for risk in (SMALLEST_CLASS, UNIQUES, HIGHEST_RISK, AVERAGE_RISK)}


def measure(sizes: IntArray) -> dict[str, float]:
    """Give every risk of records in classes of these sizes.

    >>> import numpy as np
    >>> measure(np.array([2, 2, 3, 3, 3]))["smallest_class"]
    2
    """
    return {name: risk(sizes) for name, risk in RISKS.items()}


__all__ = [
    "RISKS",
    "Risk",
    "check_k_anonymous",
    "class_sizes",
    "equivalence_classes",
    "keys_of",
    "measure",
]
