"""Lower bounds: how low the information loss of any partition can be."""

from microagg.bounds.lower_bound import LowerBound, lower_bound, suits_columns

__all__ = ["LowerBound", "lower_bound", "suits_columns"]
