"""Top coding: values above a limit become the limit."""

from functools import partial

from microagg.recode.limits import read_limit
from microagg.recode.step import StepKind

STEP = StepKind(
    "top",
    ("top:90", "top:99%"),
    "numbers above the limit become the limit; a limit by quantile is one that at least k records reach",
    partial(read_limit, "top"),
)
