"""Microaggregation in two stages: most records before a survey closes, the rest after, and when to start."""

from __future__ import annotations

from microagg.incremental.nearest import nearest
from microagg.incremental.two_stage import second_stage, two_stage

__all__ = ["nearest", "second_stage", "two_stage"]
