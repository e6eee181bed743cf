"""A summary of the release in plain words, for readers who decide about it."""

from __future__ import annotations

import math

import numpy as np

from microagg.base.schema import Role
from microagg.gate import FEWEST
from microagg.report.charts.sizes import Bar
from microagg.report.facts import Facts
from microagg.report.moments import Moments
from microagg.report.words import listing, percent, shown, tidy

LOSS = "information_loss"


def paragraphs(facts: Facts, sizes: tuple[Bar, ...], before: Moments, after: Moments) -> dict[str, str]:
    """Tell what was done, what that protects and what it cost, each in a few sentences."""
    return {
        "What was done": _done(facts, sizes),
        "What it protects": _protects(facts, sizes),
        "What it cost": _cost(facts, before, after),
    }


def _done(facts: Facts, sizes: tuple[Bar, ...]) -> str:
    n_columns = len(facts.names)
    n_groups, least = sum(bar.groups for bar in sizes), sizes[0].low
    columns = "the column" if n_columns == 1 else f"the {n_columns:,} columns"
    if facts.per_column:
        text = (
            f"The values in {columns} that could point to a person were grouped column by column, at least {least:,} "
            "similar values in a group, and each value was replaced by the value that stands for its group."
        )
    else:
        groups = "one group" if n_groups == 1 else f"{n_groups:,} groups"
        n_records = sum(bar.records for bar in sizes)
        text = (
            f"{n_records:,} records were put into {groups} of at least {least:,} similar records. All "
            f"records of a group now carry the same values in {columns} that could point to a person."
        )
    removed = [shown(name, 40) for name, role in facts.roles.items() if role == Role.IDENTIFIER]
    left = [name for name, role in facts.roles.items() if role in (Role.CONFIDENTIAL, Role.OTHER)]
    kept = [name for name in left if name not in facts.masked]
    if removed:
        one = len(removed) == 1
        why = "which the noise does not cover" if facts.sealed else f"which name{'s' if one else ''} people outright"
        text += f" The column{'' if one else 's'} {listing(removed)}, {why}, {_was(removed)} removed."
    text += "".join(f" {sentence}" for sentence in facts.gaps)
    if kept:
        text += f" {len(kept):,} other column{'' if len(kept) == 1 else 's'} {_was(kept)} left as {_they(kept)}."
    if facts.masked:
        named = listing([shown(name, 40) for name in facts.masked])
        text += f" {named} {_was(list(facts.masked))} changed at random, which promises no k."
    return text


def _protects(facts: Facts, sizes: tuple[Bar, ...]) -> str:
    least = sizes[0].low
    if facts.headline.get("k_anonymous") is False and not facts.per_column:
        return (
            "Some records share their values with too few others: on the combination of these columns this release is "
            "not k-anonymous, and should not be published as it is."
        )
    if facts.per_column and len(facts.names) > 1:
        return (
            f"Each single value is shared by at least {least:,} records, so no column alone points to one person. The "
            "combination of several columns may still be unique: on the combination this release is not k-anonymous."
        )
    if facts.sealed:
        return (
            f"Differential privacy with epsilon = {facts.settings.get('Epsilon', '')}: the release would have been "
            "nearly as likely if any one record had held anything else. It also hides each record among at least "
            f"{least:,} that are exactly alike."
        )
    text = (
        "Whoever knows these values of a person and looks them up in the release finds not one record but at least "
        f"{least:,} that are exactly alike. The chance of picking the right one is at most 1 in {least:,} "
        f"({percent(100 / least)})."
    )
    confidential = [shown(name, 40) for name, role in facts.roles.items() if role == Role.CONFIDENTIAL]
    if facts.promises:
        text += f" In every group of records that are alike, there are {listing(list(facts.promises))}."
    elif confidential:
        text += (
            " This does not hide what a whole group has in common: where all its records agree in "
            f"{listing(confidential)}, that is known of each of them."
        )
    return text


def _cost(facts: Facts, before: Moments, after: Moments) -> str:
    if facts.gate.sealed and not facts.details:
        return (
            "Noise was added to the values of each group, so that it hardly shows what any single record held. How far "
            "they are from the original is not told: an exact figure would undo the noise. Its average size is known, "
            "and stands below."
        )
    if not facts.gate.tells_original:
        return (
            f"With fewer than {FEWEST} records, figures of the original data would give values away. This report tells "
            "of them only what can be worked out from the release itself. Whoever holds the data finds the losses in "
            "release.losses, or in a report with details."
        )
    sentences = []
    loss = facts.headline.get(LOSS)
    if isinstance(loss, int | float) and math.isfinite(loss):
        sentences.append(
            f"{percent(loss)} of the variation in these columns was lost (0% would be the original data, 100% would "
            "leave nothing but the averages)."
        )
    bound = facts.headline.get("lower_bound")
    if isinstance(bound, int | float) and math.isfinite(bound) and bound > 0:
        sentences.append(f"No way of forming such groups can lose less than {percent(bound)}.")
    columns = {name: value for name, value in facts.column_losses.get(LOSS, {}).items() if math.isfinite(value)}
    if len(columns) > 1:
        worst, best = max(columns, key=columns.__getitem__), min(columns, key=columns.__getitem__)
        most, least = percent(columns[worst]), percent(columns[best])
        sentences.append(f"{shown(worst, 40)} lost most ({most}), {shown(best, 40)} least ({least}).")
    varies = before.deviation > 0
    if varies.any():
        shift = float(np.max(np.abs(after.mean - before.mean)[varies] / before.deviation[varies]))
        if shift < 0.0005:
            sentences.append("The averages of the columns stayed the same.")
        else:
            sentences.append(f"No average moved by more than {_upper(shift)} standard deviations.")
    change = np.abs(after.correlation - before.correlation)
    if np.isfinite(change).any() and len(facts.names) > 1:
        sentences.append(f"No correlation between two columns changed by more than {_upper(float(np.nanmax(change)))}.")
    return " ".join(sentences)


def _upper(value: float) -> str:
    """Write a bound with two digits, rounded up so that it stays a bound."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1) if value > 0 else 1.0
    return tidy(math.ceil(value / unit * (1 - 1e-12)) * unit, 2)


def _was(names: list[str]) -> str:
    return "was" if len(names) == 1 else "were"


def _they(names: list[str]) -> str:
    return "it is" if len(names) == 1 else "they are"
