"""Differential privacy through microaggregation: noise on the means of groups that one record can hardly change.

Grouping makes the noise smaller: the mean of k records depends on each of them by a k-th of the range only. It helps
only where one record cannot rearrange the groups, so groups are consecutive records of an order that does not depend on
the data (`partition/insensitive.py`), or of the values of one column (individual ranking).

What is released is the noisy mean of each group, as often as the group has records, in an order that tells nothing.
That is why no other column can stand beside them, and why the noise covers all that is released.
"""

from microagg.differential.noise import discrete_laplace
from microagg.differential.task import PrivateTask, limits_of, noisy_means, sensitivity

__all__ = ["PrivateTask", "discrete_laplace", "limits_of", "noisy_means", "sensitivity"]
