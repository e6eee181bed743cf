"""Bands: numbers become text such as "30-39", in its order."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray
from microagg.recode.column import Holds, SteppedColumn, What
from microagg.recode.step import Fit, Fitted, StepKind, check_numbers, finite_limits, read_number, shown, wrong
from microagg.semantic.bands import Bands, check_bands


def _read(text: str) -> Fit:
    allowed = "a width above 0 (bands:10), or two or more cut points in ascending order (bands:18,30,45,65)"
    numbers = [read_number(part.strip()) for part in text.split(",")]
    given = tuple(number for number in numbers if number is not None)
    if len(given) < len(numbers) or list(given) != sorted(set(given)) or (len(given) == 1 and given[0] <= 0):
        raise wrong("bands", allowed, text)

    def fit(column: SteppedColumn, k: int) -> Fitted:
        date = column.holds.what is What.DATES
        check_numbers(column, "bands", "Use date:month, date:quarter or date:year." if date else "Use prefix or rare.")
        whole = column.holds.is_integer and all(number.is_integer() for number in given)
        bands = Bands(width=given[0], whole=whole) if len(given) == 1 else Bands(cuts=given, whole=whole)
        limits = finite_limits(column)
        first, last = (0.0, -1.0) if limits is None else _places(bands, limits)
        check_bands(column.name, first, last)

        def apply(values: FloatArray) -> FloatArray:
            return bands.places(values) - first

        texts = bands.names(int(first), int(last)) if limits is not None else ()
        edges = f"of {shown(given[0])}" if len(given) == 1 else f"cut at {', '.join(map(shown, given))}"
        return Fitted(apply, Holds(What.TEXTS, texts=texts, ordered=True), f"put into bands {edges}")

    return fit


def _places(bands: Bands, limits: tuple[float, float]) -> tuple[float, float]:
    first, last = bands.places(np.array(limits)).tolist()
    return first, last


STEP = StepKind(
    "bands",
    ("bands:10", "bands:18,30,45,65"),
    'numbers become bands of this width, or between these cut points, as text in its order: "30-39", "65 or more"',
    _read,
)
