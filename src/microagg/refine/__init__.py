"""What improves a partition that exists: `function(X, labels, k, *, options) -> labels`."""

from microagg.refine.rcs import rcs

__all__ = ["rcs"]
