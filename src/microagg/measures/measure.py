"""One measure, of risk or of utility: a function of a case, with words for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from microagg.measures.case import Case
from microagg.measures.change import Change
from microagg.measures.finding import Finding


@dataclass(frozen=True)
class Measure:
    """A measure of risk or of utility; call it as `measure(case)`.

    Attributes
    ----------
    name : str
        What users type and read in JSON.
    function : callable
        `function(case) -> Finding`, or None where the case has nothing that could be measured.
    title, summary, reference : str
        For people: the name, one line, and where it was published.
    unit : str
        "percent", "standard deviations", "bits", or "" for a plain number.
    lowest, highest : float
        The range of values; highest may be infinite.
    lower_is_better : bool
        Where False, more is safer or better.
    needs : str
        What a case must have, in words.
    of_release : bool
        Whether it looks at one side alone, so that anybody who holds the release can take it: its value is public. It
        is taken of the original too, as the value before. False, the careful choice, by default.
    of_change : callable, optional
        Gives the same from a `Change`, the sums that parts of a table can be merged into: every release carries such
        a measure of utility, however large it is.
    extra : str
        The extra that it needs: measured where the case asks for it; "" where none is needed.
    at_most : int, optional
        How many records are measured at most; a sample of them beyond.
    whole_if : callable, optional
        Says of a case with more records where all of them can be measured all the same: there is little to do.
    sample_note : str
        What to know of a value that was measured on a sample.

    Examples
    --------
    >>> import numpy as np
    >>> from microagg.semantic.attribute import numeric
    >>> changed = Measure(
    ...     name="changed", function=lambda case: Finding(100.0 * float((case.original != case.released).mean())),
    ...     title="Changed values", summary="share of values that the release does not keep", unit="percent",
    ...     reference="none",
    ... )
    >>> X = np.array([[1.0], [2.0], [3.0], [3.0]])
    >>> case = Case(("x",), (numeric(),), X, np.array([[1.5], [1.5], [3.0], [3.0]]), np.array([0, 0, 1, 1]), 2)
    >>> changed(case).value
    50.0
    """

    name: str
    function: Callable[[Case], Finding | None]
    title: str
    summary: str
    reference: str
    unit: str = ""
    lowest: float = 0.0
    highest: float = float("inf")
    lower_is_better: bool = True
    needs: str = "records"
    of_release: bool = False
    of_change: Callable[[Change], Finding | None] | None = None
    extra: str = ""
    at_most: int | None = None
    whole_if: Callable[[Case], bool] | None = None
    sample_note: str = "measured on a sample of the records"

    def __call__(self, case: Case) -> Finding | None:
        """Measure a case, all its records."""
        return self.function(case)
