"""What the value of a measure means, in words for readers who do not compute."""

from __future__ import annotations

import math
from collections.abc import Callable

from microagg.measures import Result
from microagg.report.words import percent, shown, tidy


def meaning(row: Result, *, n_records: int) -> str:
    """Say what the value after means; "" for measures without such words.

    >>> meaning(Result("highest_risk", "Highest risk", "", "", 20.0), n_records=100)
    'Nobody can be found with a chance above 20% (1 in 5).'
    """
    value = row.value if row.value is not None else row.before
    if row.name not in _WORDS or value is None or not math.isfinite(value):
        return ""
    about = shown(next(iter(row.columns)), 40) if row.columns and len(row.columns) == 1 else "a confidential column"
    return _WORDS[row.name](float(value), about, n_records)


def one_in(share: float) -> str:
    """Give a share in percent as people say chances.

    >>> one_in(20.0), one_in(0.13), one_in(0.0), one_in(66.0)
    ('20% (1 in 5)', '0.13% (1 in 769)', '0%', '66%')
    """
    return f"{percent(share)} (1 in {round(100 / share):,})" if 0 < share <= 50 else percent(share)


def _records(count: float) -> str:
    return f"{round(count):,} record{'' if round(count) == 1 else 's'}"


def _guess(share: float, column: str, means: str) -> str:
    if share <= 0:
        return f"Guessing {column} with {means} is no better than without the release."
    return f"Guessing {column} with {means} is wrong {percent(share)} less than without the release."


_WORDS: dict[str, Callable[[float, str, int], str]] = {
    "smallest_class": lambda v, c, n: (
        "At least one record has no look-alike." if v < 2 else f"Every record has at least {tidy(v - 1)} look-alikes."
    ),
    "uniques": lambda v, c, n: (
        "No record is alone with its values."
        if v == 0
        else f"{_records(v)} of {n:,} {'is' if v == 1 else 'are'} alone with {'its' if v == 1 else 'their'} values."
    ),
    "highest_risk": lambda v, c, n: (
        "At least one record can be found for certain."
        if v >= 100
        else f"Nobody can be found with a chance above {one_in(v)}."
    ),
    "average_risk": lambda v, c, n: f"A record picked at random is found with a chance of {one_in(v)}.",
    "prosecutor_risk": lambda v, c, n: f"Who knows that a person is in the file has a chance of at most {one_in(v)}.",
    "journalist_risk": lambda v, c, n: f"Who does not know who is in the file has a chance of at most {one_in(v)}.",
    "household_risk": lambda v, c, n: f"Of {percent(v)} of the units at least one record is expected to be found.",
    "marketer_risk": lambda v, c, n: f"Who matches all records to people is right for {percent(v)} of them.",
    "individual_risk": lambda v, c, n: (
        f"Counting the people that a record stands for, nobody can be found with a chance above {one_in(v)}."
    ),
    "global_risk": lambda v, c, n: f"Of {n:,} records, {tidy(n * v / 100, 3)} are expected to be found.",
    "distinct_diversity": lambda v, c, n: (
        f"In at least one group all agree in {c}: it is known of everybody there."
        if v < 2
        else f"Every group leaves at least {tidy(v)} possibilities for {c}."
    ),
    "t_closeness": lambda v, c, n: (
        f"What a group tells of {c} differs by at most {tidy(v, 3)} from what is known of everybody (0: not at all)."
    ),
    "homogeneity": lambda v, c, n: (
        f"No group gives {c} away."
        if v == 0
        else f"For {percent(v)} of the records, everybody in the group has the same value of {c}."
    ),
    "skewness": lambda v, c, n: (
        f"A group may make a value of {c} up to {tidy(v + 1, 3)} times as likely as it is for everybody."
    ),
    "record_linkage": lambda v, c, n: (
        f"Who holds the original values and takes the nearest released record is right for {one_in(v)} of the records."
    ),
    "probabilistic_linkage": lambda v, c, n: (
        f"Who compares value by value and takes the record that agrees best is right for {one_in(v)} of the records."
    ),
    "inference_linear": lambda v, c, n: _guess(v, c, "a regression"),
    "inference_nearest": lambda v, c, n: _guess(v, c, "the nearest group"),
    "inference_trees": lambda v, c, n: _guess(v, c, "boosted trees"),
    "rank_interval": lambda v, c, n: f"{percent(v)} of the released values still tell roughly where a record ranks.",
    "deviation_interval": lambda v, c, n: f"{percent(v)} of the released values are very near to the original ones.",
    "suda": lambda v, c, n: (
        "No record is unique on any few columns."
        if v == 0
        else f"A match with the most special record is right with a chance of {one_in(v)}."
    ),
    "information_loss": lambda v, c, n: f"{percent(100 - v)} of the differences between records are kept.",
    "worst_column": lambda v, c, n: f"No column lost more than {percent(v)} of its variation.",
    "semantic_loss": lambda v, c, n: f"Of what would be lost if all records were the same, {percent(v)} was lost.",
    "worst_groups": lambda v, c, n: f"A tenth of the groups carries {percent(v)} of the loss (10% would be even).",
    "quantile_change": lambda v, c, n: f"Quantiles moved by {tidy(v, 2)} standard deviations on average.",
    "tails_kept": lambda v, c, n: f"Of the records at the lower and upper ends, {percent(v)} are still there.",
    "pair_correlation": lambda v, c, n: f"The correlation of two columns moved by {tidy(v, 2)} on average.",
    "pair_association": lambda v, c, n: f"The association of two columns moved by {tidy(v, 2)} of 1 on average.",
    "pair_information": lambda v, c, n: f"What a column tells of another moved by {tidy(v, 2)} bits on average.",
    "propensity_mse": lambda v, c, n: (
        "A model tells released from original records "
        + ("hardly." if v < 0.01 else "to some degree." if v < 0.1 else "well.")
    ),
    "interval_overlap": lambda v, c, n: (
        f"Regressions on the release give confidence intervals that share {percent(v)} with those on the data."
        if v >= 0
        else "Regressions on the release give confidence intervals apart from those on the data."
    ),
    "coefficient_change": lambda v, c, n: f"Regression coefficients moved by {tidy(v, 2)} standard errors on average.",
    "classification": lambda v, c, n: f"Trained on the release, a linear model names {percent(v)} of {c} rightly.",
    "classification_trees": lambda v, c, n: f"Trained on the release, boosted trees name {percent(v)} of {c} rightly.",
    "mean_change": lambda v, c, n: (
        "Averages are the same as before." if v < 5e-4 else f"An average moved by {tidy(v, 2)} standard deviations."
    ),
    "variance_change": lambda v, c, n: f"The spread of a column changed by {percent(v)} on average.",
    "correlation_change": lambda v, c, n: f"A correlation moved by {tidy(v, 2)} on average, on a scale from −1 to 1.",
}
