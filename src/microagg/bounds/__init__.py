"""Lower bounds: how low the information loss of any partition can be; and better partitions from the same programs."""

from microagg.bounds.columns import priced_groups
from microagg.bounds.lower_bound import LowerBound, lower_bound
from microagg.bounds.master import can_choose
from microagg.bounds.regions import choose_in_regions

__all__ = ["LowerBound", "can_choose", "choose_in_regions", "lower_bound", "priced_groups"]
