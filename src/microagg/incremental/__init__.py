"""Microaggregation in two stages: most records before a survey closes, the rest after, and when to start."""

from __future__ import annotations

from microagg.incremental.arrivals import Arrivals
from microagg.incremental.nearest import nearest, nearest_moving
from microagg.incremental.price import MeasuredPrice, measure_price
from microagg.incremental.regroup import regroup
from microagg.incremental.running_time import RunningTime, TwoStageTime, calibrate
from microagg.incremental.schedule import Schedule, plan
from microagg.incremental.two_stage import second_stage, stages, two_stage

__all__ = [
    "Arrivals",
    "MeasuredPrice",
    "RunningTime",
    "Schedule",
    "TwoStageTime",
    "calibrate",
    "measure_price",
    "nearest",
    "nearest_moving",
    "plan",
    "regroup",
    "second_stage",
    "stages",
    "two_stage",
]
