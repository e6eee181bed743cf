"""What improves a partition that exists: one file each, `function(X, labels, k, *, options) -> labels`.

A new refinement costs its file, one line in REFINEMENTS and its test. Plans, the command line, comparisons, surveys and
the common tests follow from REFINEMENTS.
"""

from __future__ import annotations

from microagg.refine.local import REFINEMENT as LOCAL
from microagg.refine.local import local
from microagg.refine.rcs import REFINEMENT as RCS
from microagg.refine.rcs import rcs
from microagg.refine.refinement import Refinement
from microagg.refine.repair import repair
from microagg.refine.search import REFINEMENT as SEARCH
from microagg.refine.search import search

REFINEMENTS: dict[str, Refinement] = {r.name: r for r in (LOCAL, SEARCH, RCS)}

__all__ = ["REFINEMENTS", "Refinement", "local", "rcs", "repair", "search"]
