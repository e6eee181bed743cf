"""Prefixes: of texts and codes such as postcodes, the first characters stay."""

from __future__ import annotations

import numpy as np

from microagg.recode.column import Holds, SteppedColumn, What
from microagg.recode.step import Fit, Fitted, StepKind, finite_limits, unfit, wrong
from microagg.recode.texts import code_map, texts_of


def _read(text: str) -> Fit:
    if not text.isdecimal() or int(text) < 1:
        raise wrong("prefix", "how many characters stay, a whole number of at least 1 (prefix:3)", text)
    length = int(text)

    def fit(column: SteppedColumn, k: int) -> Fitted:
        _check(column)
        values, _ = column.frequencies()
        places: dict[str, int] = {}
        codes = [places.setdefault(each[:length], len(places)) for each in texts_of(column, values)]
        many = "the first character" if length == 1 else f"the first {length} characters"
        return Fitted(
            code_map(values, np.array(codes, dtype=np.float64)),
            Holds(What.TEXTS, texts=tuple(places)),
            f"{many} of each value kept",
        )

    return fit


def _check(column: SteppedColumn) -> None:
    """Refuse dates, and numbers unless they are codes that have all their digits."""
    if column.holds.what is What.DATES:
        raise unfit(column, "prefix", "text", "Use date:month, date:quarter or date:year.")
    if column.holds.what is What.TEXTS:
        return
    if not column.holds.is_code or not column.holds.is_integer:
        raise unfit(
            column,
            "prefix",
            "text",
            "Use round:1000 or bands:1000 for numbers; if they are codes, say so: kinds={...: 'nominal'}, --kind "
            "NAME=nominal.",
        )
    limits = finite_limits(column)
    if limits is not None and (limits[0] < 0 or len(f"{limits[0]:.0f}") != len(f"{limits[1]:.0f}")):
        raise unfit(
            column,
            "prefix",
            "codes of the same number of digits",
            "Zeros before the others may have been lost: read the column as text, as it was written.",
        )


STEP = StepKind("prefix", ("prefix:3",), "the first characters of texts and postcodes stay, zeros too", _read)
