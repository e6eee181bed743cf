"""Plans: what decides a release, apart from the data. Declared once in plan.py; everything else walks over it."""

from microagg.plan.command import call_of, command_of, settings_of
from microagg.plan.field import Choice, choice, choices_of
from microagg.plan.file import (
    FileMark,
    PlanFile,
    changes_of_input,
    dump,
    load_plan,
    parse,
    read_plan_file,
    record,
    save_plan,
    second_release,
    settled,
)
from microagg.plan.keywords import plan_of, takes_choices
from microagg.plan.plan import AUTO, CHOICES, JOIN, OUTLIERS, Plan, in_present_words
from microagg.plan.settle import SettledRoles, settle_roles
from microagg.plan.suggest import SuggestedColumn, Suggestion, suggest, suggest_table

__all__ = [
    "AUTO",
    "CHOICES",
    "JOIN",
    "OUTLIERS",
    "Choice",
    "FileMark",
    "Plan",
    "PlanFile",
    "SettledRoles",
    "SuggestedColumn",
    "Suggestion",
    "call_of",
    "changes_of_input",
    "choice",
    "choices_of",
    "command_of",
    "dump",
    "in_present_words",
    "load_plan",
    "parse",
    "plan_of",
    "read_plan_file",
    "record",
    "save_plan",
    "second_release",
    "settings_of",
    "settle_roles",
    "settled",
    "suggest",
    "suggest_table",
    "takes_choices",
]
