"""Recoding before grouping: top and bottom coding, bands, rounding, prefixes, rare categories, parts of dates.

A new step costs its file and one line in STEPS. Steps are fitted to all records, wherever these are, and done with them
part by part: in memory and cell by cell the same comes out.
"""

from microagg.recode.run import Outcome, recode_spooled, recode_table
from microagg.recode.steps import STEPS, check_steps, read_step

__all__ = ["STEPS", "Outcome", "check_steps", "read_step", "recode_spooled", "recode_table"]
