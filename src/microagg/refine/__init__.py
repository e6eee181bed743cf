"""What improves a partition that exists: `function(X, labels, k, *, options) -> labels`, listed in REFINEMENTS."""

from __future__ import annotations

from collections.abc import Callable

from microagg.arrays import IntArray
from microagg.refine.local import local

REFINEMENTS: dict[str, Callable[..., IntArray]] = {"local": local}

__all__ = ["REFINEMENTS", "local"]
