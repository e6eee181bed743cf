"""The common parts of all measures of risk and utility: what a measure is, what it is given, what it returns."""

from __future__ import annotations

from microagg.measures.assess import assess
from microagg.measures.case import Case, Confidential
from microagg.measures.change import Change, ChangeSums, at_centre
from microagg.measures.composition import Composition, compose
from microagg.measures.finding import Finding
from microagg.measures.measure import Measure
from microagg.measures.result import Result
from microagg.measures.summary import Summary, summarise

__all__ = [
    "Case",
    "Change",
    "ChangeSums",
    "Composition",
    "Confidential",
    "Finding",
    "Measure",
    "Result",
    "Summary",
    "assess",
    "at_centre",
    "compose",
    "summarise",
]
