"""What values a choice may have: how they are checked, read from a plan file, spelt on a command line and told."""

from microagg.plan.forms.columns import ColumnName, ColumnNames, Rounding
from microagg.plan.forms.form import Check, Flag, Form
from microagg.plan.forms.policies import Policies
from microagg.plan.forms.reading import read_number, read_table, read_text
from microagg.plan.forms.recode import Recoding
from microagg.plan.forms.single import Number, OneOf, Truth, WholeNumber
from microagg.plan.forms.tables import Kinds, LimitsOfColumns, Options, Promised, TableForm, Texts, Weights

__all__ = [
    "Check",
    "ColumnName",
    "ColumnNames",
    "Flag",
    "Form",
    "Kinds",
    "LimitsOfColumns",
    "Number",
    "OneOf",
    "Options",
    "Policies",
    "Promised",
    "Recoding",
    "Rounding",
    "TableForm",
    "Texts",
    "Truth",
    "Weights",
    "WholeNumber",
    "read_number",
    "read_table",
    "read_text",
]
