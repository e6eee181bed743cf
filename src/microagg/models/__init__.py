"""The statistical models that measures of risk and utility fit."""

from __future__ import annotations

from microagg.models.design import Design, design_of, design_of_all
from microagg.models.left_out import MODELS, LeftOut, predict_confidential, predict_left_out
from microagg.models.linear import LinearFit, least_squares
from microagg.models.logistic import LogisticFit, logistic

__all__ = [
    "MODELS",
    "Design",
    "LeftOut",
    "LinearFit",
    "LogisticFit",
    "design_of",
    "design_of_all",
    "least_squares",
    "logistic",
    "predict_confidential",
    "predict_left_out",
]
