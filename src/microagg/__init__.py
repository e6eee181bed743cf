"""Microaggregation: publish microdata in which every record hides among at least k.

>>> import microagg as ma
>>> labels = ma.partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3, method="univariate")
>>> round(ma.information_loss([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], labels), 2)
2.02
"""

from typing import TYPE_CHECKING, Any

from microagg import datasets, errors, semantic
from microagg.anonymize import anonymize, anonymize_file, repeat
from microagg.bounds import LowerBound, lower_bound
from microagg.compare import Comparison, compare
from microagg.compare.diff import Difference, diff
from microagg.errors import MicroaggError
from microagg.exposure import Exposure, assess, assess_file
from microagg.mask import MASKS
from microagg.partition import METHODS, partition
from microagg.partition.mhm import cut_order
from microagg.paths import PATHS, path, path_bound, path_length
from microagg.plan import Plan, Suggestion, load_plan, save_plan, suggest
from microagg.refine import REFINEMENTS
from microagg.release import FileRelease, Release
from microagg.risk import RISKS
from microagg.utility import METRICS, information_loss, sse, sst
from microagg.verify import Verification, verify

if TYPE_CHECKING:
    from microagg.estimator import Microaggregator as Microaggregator

__version__ = "0.1.0"

# Without Microaggregator: `from microagg import *` must not need scikit-learn.
__all__ = [
    "MASKS",
    "METHODS",
    "METRICS",
    "PATHS",
    "REFINEMENTS",
    "RISKS",
    "Comparison",
    "Difference",
    "Exposure",
    "FileRelease",
    "LowerBound",
    "MicroaggError",
    "Plan",
    "Release",
    "Suggestion",
    "Verification",
    "anonymize",
    "anonymize_file",
    "assess",
    "assess_file",
    "compare",
    "cut_order",
    "datasets",
    "diff",
    "errors",
    "information_loss",
    "load_plan",
    "lower_bound",
    "partition",
    "path",
    "path_bound",
    "path_length",
    "repeat",
    "save_plan",
    "semantic",
    "sse",
    "sst",
    "suggest",
    "verify",
]


def __dir__() -> list[str]:
    return sorted([*globals(), "Microaggregator"])


def __getattr__(name: str) -> Any:
    """Import what needs an extra when it is used, not before."""
    if name == "Microaggregator":
        from microagg.estimator import Microaggregator

        return Microaggregator
    raise AttributeError(f"module 'microagg' has no attribute {name!r}")
