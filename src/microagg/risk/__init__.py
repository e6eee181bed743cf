"""How exposed records are: RISKS from the sizes of classes alone, MEASURES with those that need more."""

from __future__ import annotations

from microagg.arrays import IntArray
from microagg.risk.attribute import HOMOGENEITY, SKEWNESS, DisclosingGroup, disclosing_groups, homogeneity, skewness
from microagg.risk.classes import check_k_anonymous, class_sizes, equivalence_classes, keys_of, violating_records
from microagg.risk.closeness import T_CLOSENESS, t_closeness
from microagg.risk.diversity import (
    DISTINCT_DIVERSITY,
    ENTROPY_DIVERSITY,
    P_SENSITIVITY,
    RECURSIVE_DIVERSITY,
    distinct_diversity,
    entropy_diversity,
    recursive_diversity,
)
from microagg.risk.frequency import (
    GLOBAL_RISK,
    INDIVIDUAL_RISK,
    JOURNALIST_RISK,
    MARKETER_RISK,
    PROSECUTOR_RISK,
    global_risk,
    individual_risk,
    journalist_risk,
    marketer_risk,
    population_frequency,
    prosecutor_risk,
    sample_frequency,
)
from microagg.risk.interval import DEVIATION_INTERVAL, RANK_INTERVAL, deviation_interval, rank_interval
from microagg.risk.linkage import RECORD_LINKAGE, record_linkage
from microagg.risk.risk import Risk
from microagg.risk.sizes import AVERAGE_RISK, HIGHEST_RISK, SMALLEST_CLASS, UNIQUES
from microagg.risk.suda import SUDA, MinimalUniques, Suda, minimal_uniques, suda2

RISKS: dict[str, Risk] = {risk.name: risk for risk in (SMALLEST_CLASS, UNIQUES, HIGHEST_RISK, AVERAGE_RISK)}
"""What the sizes of the classes tell; every release carries these."""

MEASURES: dict[str, Risk] = {
    **RISKS,
    **{
        risk.name: risk
        for risk in (
            DISTINCT_DIVERSITY,
            P_SENSITIVITY,
            ENTROPY_DIVERSITY,
            RECURSIVE_DIVERSITY,
            T_CLOSENESS,
            INDIVIDUAL_RISK,
            GLOBAL_RISK,
            PROSECUTOR_RISK,
            JOURNALIST_RISK,
            MARKETER_RISK,
            RECORD_LINKAGE,
            RANK_INTERVAL,
            DEVIATION_INTERVAL,
            HOMOGENEITY,
            SKEWNESS,
            SUDA,
        )
    },
}
"""Every measure, with those that need more than class sizes: see `Risk.needs`."""


def measure(sizes: IntArray, records: IntArray | None = None) -> dict[str, float]:
    """Give every risk of records in classes of these sizes: one for each record, or `records` of each size.

    >>> import numpy as np
    >>> measure(np.array([2, 2, 3, 3, 3]))["smallest_class"]
    2
    >>> measure(np.array([2, 2, 3, 3, 3])) == measure(np.array([2, 3]), np.array([2, 3]))
    True
    """
    return {name: risk(sizes, records) for name, risk in RISKS.items()}


__all__ = [
    "MEASURES",
    "RISKS",
    "DisclosingGroup",
    "MinimalUniques",
    "Risk",
    "Suda",
    "check_k_anonymous",
    "class_sizes",
    "deviation_interval",
    "disclosing_groups",
    "distinct_diversity",
    "entropy_diversity",
    "equivalence_classes",
    "global_risk",
    "homogeneity",
    "individual_risk",
    "journalist_risk",
    "keys_of",
    "marketer_risk",
    "measure",
    "minimal_uniques",
    "population_frequency",
    "prosecutor_risk",
    "rank_interval",
    "record_linkage",
    "recursive_diversity",
    "sample_frequency",
    "skewness",
    "suda2",
    "t_closeness",
    "violating_records",
]
