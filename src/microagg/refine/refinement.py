"""A refinement: its function, its name, its options, and what to tell people about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from microagg.base.options import check_options, own_options
from microagg.base.types import IntArray
from microagg.errors import InvalidOption


@dataclass(frozen=True)
class Refinement:
    """What improves a partition that exists: call it like its function, `refinement(X, labels, k, **options)`.

    Attributes
    ----------
    name : str
        What users type.
    function : callable
        `function(X, labels, k, *, options) -> labels`; the result is never worse than what came in
        (but for options that say so: `literal` of rcs).
    check : callable
        `check(*, options)` with the same options and defaults: refuses values that the function cannot use. The
        function begins with it too.
    title, summary, reference : str
        For people: the full name, one line, and where it was published.
    steps : str
        How the running time grows.
    repeatable : mapping
        Options with which the labels follow from input and seed alone, for one that otherwise watches the clock.
    deviations : tuple of str
        Where it departs from the text that it follows: what is written there, and what is done here.
    """

    name: str
    function: Callable[..., IntArray]
    check: Callable[..., None]
    title: str
    summary: str
    reference: str
    steps: str
    repeatable: Mapping[str, Any] = field(default_factory=dict)
    deviations: tuple[str, ...] = ()

    def __call__(self, X: npt.ArrayLike, labels: npt.ArrayLike, k: int, **options: Any) -> IntArray:
        """Improve the partition of the records of X into groups of at least k."""
        return self.function(X, labels, k, **options)

    @property
    def options(self) -> dict[str, Any]:
        """Its own options with their defaults."""
        return own_options(self.function)

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Refuse options that it does not have, and values that it cannot use, before anything is grouped."""
        if not isinstance(options, Mapping):
            raise InvalidOption(f"refine_options must map names of options to values; got {options!r}.")
        check_options(f"refinement {self.name!r}", self.options, options)
        self.check(**options)
