"""Lower bounds: how low the information loss of any partition can be; and better partitions from the same programs."""

from microagg.bounds.columns import priced_groups
from microagg.bounds.lower_bound import LowerBound, lower_bound
from microagg.bounds.master import GroupChoice, can_choose
from microagg.bounds.regions import Region, choose_in, regions_of

__all__ = [
    "GroupChoice",
    "LowerBound",
    "Region",
    "can_choose",
    "choose_in",
    "lower_bound",
    "priced_groups",
    "regions_of",
]
