"""Where the records of a release are worked on: cell by cell, where they do not fit into memory."""

from microagg.engines.cells import ROW, STRATUM, VALUES, WEIGHT, Cells, Sample
from microagg.engines.gathered import Gathered
from microagg.engines.memory import Budget, parse_memory, private_folder

__all__ = [
    "ROW",
    "STRATUM",
    "VALUES",
    "WEIGHT",
    "Budget",
    "Cells",
    "Gathered",
    "Sample",
    "parse_memory",
    "private_folder",
]
