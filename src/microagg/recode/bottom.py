"""Bottom coding: values below a limit become the limit."""

from functools import partial

from microagg.recode.limits import read_limit
from microagg.recode.step import StepKind

STEP = StepKind(
    "bottom",
    ("bottom:18", "bottom:1%"),
    "numbers below the limit become the limit; a limit by quantile is one that at least k records do not exceed",
    partial(read_limit, "bottom"),
)
