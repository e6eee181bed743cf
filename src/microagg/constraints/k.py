"""k: every class has at least k records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from microagg.base.checks import check_count
from microagg.base.types import FloatArray
from microagg.constraints.constraint import Constraint, ConstraintKind, Sensitive
from microagg.measures.composition import Composition


@dataclass(frozen=True)
class AtLeastK(Constraint):
    """Every class has at least k records. Kernels keep it by the sizes of groups."""

    k: int
    name: ClassVar[str] = "k"

    @property
    def level(self) -> float:
        """The figure that is promised."""
        return float(self.k)

    def reached(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give the sizes of the classes."""
        return made.class_sizes.astype(np.float64)

    def lacks(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give how many records are lacking."""
        return np.maximum(0.0, self.k - self.reached(made, column))

    def kernel(self, column: Sensitive) -> tuple[int, float, float]:
        """Kernels take k by itself."""
        raise NotImplementedError

    def spelled(self) -> str:
        """Give what the user writes for it."""
        return str(self.k)

    def best(self, reached: float) -> str:
        """Say what can be had."""
        return f"choose k of at most {int(reached)}"

    def words(self, column: str) -> str:
        """Say what is promised."""
        return f"at least {self.k} records look the same"

    def least_size(self, column: Sensitive) -> int:
        """Give k."""
        return self.k


KIND = ConstraintKind(
    name="k",
    title="k-anonymity",
    summary="every record shares its quasi-identifiers with at least k - 1 others",
    reference="Samarati 2001",
    read=lambda column, said: AtLeastK(check_count("k", said, 2)),
    stops="linkage: whoever knows the quasi-identifiers of a person finds k records, not one",
)


def read(said: Any) -> Constraint:
    """Make the constraint of k.

    >>> read(3).spelled()
    '3'
    """
    return KIND.read("", said)
