"""Where the records of a release are: in memory, or on disk and worked on cell by cell. One file for each place."""

from microagg.engines.budget import parse_memory
from microagg.engines.cells import CellsEngine, open_cells
from microagg.engines.engine import Engine
from microagg.engines.memory import MemoryEngine

__all__ = ["CellsEngine", "Engine", "MemoryEngine", "open_cells", "parse_memory"]
