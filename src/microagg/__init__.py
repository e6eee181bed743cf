"""Microaggregation: publish microdata in which every record hides among at least k.

>>> import microagg as ma
>>> labels = ma.partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3, method="univariate")
>>> round(ma.information_loss([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], labels), 2)
2.02
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for those who read the types; when it runs, _HOMES says the same (tests/test_public_api.py)
    from microagg import datasets, errors, semantic
    from microagg.anonymize import anonymize, anonymize_file, repeat
    from microagg.bounds.lower_bound import LowerBound, lower_bound
    from microagg.compare import Comparison, compare
    from microagg.compare.diff import Difference, diff
    from microagg.errors import MicroaggError
    from microagg.estimator import Microaggregator as Microaggregator
    from microagg.exposure import Exposure, assess, assess_file
    from microagg.mask import MASKS
    from microagg.partition import METHODS, partition
    from microagg.partition.mhm import cut_order
    from microagg.paths import PATHS, path, path_bound, path_length
    from microagg.plan import Plan, Suggestion, load_plan, save_plan
    from microagg.plan.suggest import suggest
    from microagg.refine import REFINEMENTS
    from microagg.release import FileRelease, Release
    from microagg.risk import RISKS
    from microagg.utility import METRICS, information_loss, sse, sst
    from microagg.verify import Verification, verify

__version__ = "1.0.0"

_HOMES = {
    "anonymize": ("anonymize", "anonymize_file", "repeat"),
    "bounds.lower_bound": ("LowerBound", "lower_bound"),
    "compare": ("Comparison", "compare"),
    "compare.diff": ("Difference", "diff"),
    "errors": ("MicroaggError",),
    "estimator": ("Microaggregator",),
    "exposure": ("Exposure", "assess", "assess_file"),
    "mask": ("MASKS",),
    "partition": ("METHODS", "partition"),
    "partition.mhm": ("cut_order",),
    "paths": ("PATHS", "path", "path_bound", "path_length"),
    "plan": ("Plan", "Suggestion", "load_plan", "save_plan"),
    "plan.suggest": ("suggest",),
    "refine": ("REFINEMENTS",),
    "release": ("FileRelease", "Release"),
    "risk": ("RISKS",),
    "utility": ("METRICS", "information_loss", "sse", "sst"),
    "verify": ("Verification", "verify"),
}
"""The module of each public name: imported when the name is used, not before."""
_HOME = {name: f"microagg.{module}" for module, names in _HOMES.items() for name in names}

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
    return sorted({*globals(), *_HOME, *__all__})


def __getattr__(name: str) -> Any:
    """Import what is used when it is used: a public name, or a module of the package."""
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    if not name.startswith("_"):
        try:
            return import_module(f"microagg.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"microagg.{name}":
                raise
    raise AttributeError(f"module 'microagg' has no attribute {name!r}")


class _Package(ModuleType):
    """Keeps the functions that share their name with a module, such as `partition`: imports would put that there."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
