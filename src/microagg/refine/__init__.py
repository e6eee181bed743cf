"""What improves a partition that exists: `function(X, labels, k, *, options) -> labels`, listed in REFINEMENTS."""

from __future__ import annotations

from collections.abc import Callable

from microagg.arrays import IntArray
from microagg.refine.local import local
from microagg.refine.rcs import rcs
from microagg.refine.search import search

REFINEMENTS: dict[str, Callable[..., IntArray]] = {"local": local, "search": search, "rcs": rcs}

__all__ = ["REFINEMENTS", "local", "rcs", "search"]
