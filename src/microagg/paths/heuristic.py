"""What the house knows of a path heuristic: its function, its name and what to tell people about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from microagg.base.options import own_options
from microagg.base.types import IntArray


@dataclass(frozen=True)
class PathHeuristic:
    """A path heuristic: call it like its function, `heuristic(X, **options)`.

    Attributes
    ----------
    name : str
        What users type.
    function : callable
        `function(X, *, options) -> order`.
    title, summary, reference : str
        For people: the full name, one line, and where it was published.
    steps : str
        How the running time grows.
    needs : str
        What must be there beyond the core: an extra, an executable; empty for nothing.
    deviations : tuple of str
        Where it departs from the text that it follows: what is written there, and what is done here.
    """

    name: str
    function: Callable[..., IntArray]
    title: str
    summary: str
    reference: str
    steps: str
    needs: str = ""
    deviations: tuple[str, ...] = ()

    def __call__(self, X: npt.ArrayLike, **options: Any) -> IntArray:
        """Order the records of X along a short path."""
        return self.function(X, **options)

    @property
    def options(self) -> dict[str, Any]:
        """The heuristic's own options with their defaults."""
        return own_options(self.function)
