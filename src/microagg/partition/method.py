"""A partition method as an entry of METHODS: its function, its name and how it is described to users."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy.typing as npt

from microagg.base.options import own_options
from microagg.base.types import IntArray


@dataclass(frozen=True)
class Method:
    """A partition method: call it like its function, `method(X, k, **options)`.

    Attributes
    ----------
    name : str
        What users type.
    function : callable
        `function(X, k, *, options) -> labels`.
    title, summary, reference : str
        For people: the full name, one line, and where it was published.
    steps : str
        How the running time grows.
    takes : {"numbers", "attributes"}
        Whether X holds numbers, or codes that the option `attributes` describes: categories, and numbers beside them.
    blanks : bool
        True where the value of a column is released if all records of a group have it, and left blank if they differ.
    per_column : bool
        True where labels have one column per column of X, so that the combination of columns is not k-anonymous.
    repeatable : mapping
        Options with which the labels follow from input and seed alone, for a method that otherwise watches the clock.
    depends_on_row_order : bool
        True where random draws or frequent ties name rows by their numbers, so that the groups change with the order
        of the records in the file.
    most_records : int or None
        How many records it takes at most; None where there is no such limit.
    deviations : tuple of str
        Where it departs from the text that it follows: what is written there, and what is done here.
    """

    name: str
    function: Callable[..., IntArray]
    title: str
    summary: str
    reference: str
    steps: str
    takes: Literal["numbers", "attributes"] = "numbers"
    blanks: bool = False
    per_column: bool = False
    repeatable: Mapping[str, Any] = field(default_factory=dict)
    depends_on_row_order: bool = False
    most_records: int | None = None
    deviations: tuple[str, ...] = ()

    def __call__(self, X: npt.ArrayLike, k: int, **options: Any) -> IntArray:
        """Partition the records of X into groups of at least k."""
        return self.function(X, k, **options)

    @property
    def options(self) -> dict[str, Any]:
        """The method's own options with their defaults; `attributes` describes the data and is not one of them."""
        return {name: default for name, default in own_options(self.function).items() if name != "attributes"}
