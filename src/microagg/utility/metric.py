"""What the house knows of a loss measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from microagg.arrays import FloatArray
from microagg.utility.summary import Summary, summarise


@dataclass(frozen=True)
class Metric:
    """A measure of what a release lost; call it as `metric(original, released)`.

    Both are standardised by the mean and standard deviation of the original, column by column.

    Attributes
    ----------
    name : str
        What users type and read in JSON.
    function : callable
        `function(summary) -> float`: every metric follows from a `Summary`, so that one pass gives all of them.
    title, summary, reference : str
        For people: the name, one line, and where it was published.
    unit : str
        "percent", "standard deviations", or "" for a plain number.
    lowest, highest : float
        The range of values; highest may be infinite. 0 is no loss for every metric but `sst`.
    lower_is_better : bool
        Where False, more is better.
    per_column : callable, optional
        `per_column(summary)` gives the same for every column alone.
    """

    name: str
    function: Callable[[Summary], float]
    title: str
    summary: str
    reference: str
    unit: str = ""
    lowest: float = 0.0
    highest: float = float("inf")
    lower_is_better: bool = True
    per_column: Callable[[Summary], FloatArray] | None = None

    def __call__(self, original: FloatArray, released: FloatArray) -> float:
        """Measure the loss of a release."""
        return self.function(summarise(original, released))
