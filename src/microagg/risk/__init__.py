"""How exposed records are: MEASURES, and among them RISKS, which every release carries."""

from __future__ import annotations

from microagg.base.groups import class_sizes, equivalence_classes, keys_of
from microagg.base.progress import Progress
from microagg.measures import Case, Measure, Result, assess
from microagg.risk.attribute import HOMOGENEITY, SKEWNESS, DisclosingGroup, disclosing_groups, homogeneity, skewness
from microagg.risk.classes import check_k_anonymous, violating_records
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
from microagg.risk.household import HOUSEHOLD_RISK, household_risk
from microagg.risk.inference import INFERENCE_LINEAR, INFERENCE_NEAREST, INFERENCE_TREES, inference
from microagg.risk.interval import DEVIATION_INTERVAL, RANK_INTERVAL, deviation_interval, rank_interval
from microagg.risk.linkage import RECORD_LINKAGE, record_linkage
from microagg.risk.probabilistic import (
    PROBABILISTIC_LINKAGE,
    Agreement,
    estimate_agreement,
    probabilistic_linkage,
)
from microagg.risk.sizes import (
    AVERAGE_RISK,
    HIGHEST_RISK,
    OF_SIZES,
    SMALLEST_CLASS,
    UNIQUES,
    VIOLATIONS,
    measure,
    measure_counts,
)
from microagg.risk.suda import SUDA, MinimalUniques, Suda, minimal_uniques, suda2

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        SMALLEST_CLASS,
        UNIQUES,
        HIGHEST_RISK,
        AVERAGE_RISK,
        VIOLATIONS,
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
        HOUSEHOLD_RISK,
        RECORD_LINKAGE,
        PROBABILISTIC_LINKAGE,
        RANK_INTERVAL,
        DEVIATION_INTERVAL,
        HOMOGENEITY,
        SKEWNESS,
        INFERENCE_LINEAR,
        INFERENCE_NEAREST,
        INFERENCE_TREES,
        SUDA,
    )
}
"""Every measure of risk."""

RISKS: dict[str, Measure] = {name: MEASURES[name] for name in OF_SIZES}
"""Those that every release carries: what the sizes of the classes tell."""


def assess_all(case: Case, *, progress: Progress | None = None) -> tuple[Result, ...]:
    """Give every measure in MEASURES that a case has the needs of: of the release, and of the original (`before`).

    A measure of a confidential attribute is taken of each of them: its value is the worst, and `columns` holds all. One
    that is slow on so many records is taken on a sample that follows from the seed, and says so (`sampled`, `note`).

    Parameters
    ----------
    case : Case
        The records before and after, and what else is known.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    tuple of Result
        In the order of MEASURES; those that do not apply (no confidential column, no numbers) are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from microagg.measures import Confidential
    >>> from microagg.semantic.attribute import nominal, numeric
    >>> case = Case(
    ...     names=("age",), attributes=(numeric(),), labels=np.array([0, 0, 1, 1]), k=2,
    ...     original=np.array([[20.0], [24.0], [50.0], [60.0]]), released=np.array([[22.0], [22.0], [55.0], [55.0]]),
    ...     confidential={"ill": Confidential(np.array([0, 1, 1, 1]), nominal(["no", "yes"]))},
    ... )
    >>> results = {result.name: result for result in assess_all(case)}
    >>> results["record_linkage"].before, results["record_linkage"].value, results["homogeneity"].columns
    (100.0, 50.0, {'ill': 50.0})
    """
    return assess(case, MEASURES, progress)


__all__ = [
    "MEASURES",
    "RISKS",
    "Agreement",
    "DisclosingGroup",
    "MinimalUniques",
    "Suda",
    "assess_all",
    "check_k_anonymous",
    "class_sizes",
    "deviation_interval",
    "disclosing_groups",
    "distinct_diversity",
    "entropy_diversity",
    "equivalence_classes",
    "estimate_agreement",
    "global_risk",
    "homogeneity",
    "household_risk",
    "individual_risk",
    "inference",
    "journalist_risk",
    "keys_of",
    "marketer_risk",
    "measure",
    "measure_counts",
    "minimal_uniques",
    "population_frequency",
    "probabilistic_linkage",
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
