"""Surveys: answers arrive until a deadline, and the release is ready soon after it."""

from __future__ import annotations

from microagg.survey.definition import Definition, Field
from microagg.survey.store import Removed
from microagg.survey.survey import Publication, Receipt, Status, Survey, surveys

__all__ = ["Definition", "Field", "Publication", "Receipt", "Removed", "Status", "Survey", "surveys"]
