"""What to know before publishing a release, in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from microagg.base.folding import SOME, folded
from microagg.base.limits import ColumnLimits
from microagg.base.types import IntArray
from microagg.gate import Gate
from microagg.mask import read_mask
from microagg.plan import Plan
from microagg.plan.differential import PER_COLUMN, share_of
from microagg.prepare.missing import Gaps
from microagg.recode import Outcome
from microagg.report.words import shown
from microagg.semantic.attribute import Attribute
from microagg.semantic.embedding import not_shown

MOSTLY_ALONE = 0.5
"""From which share of records on, that have a value of their own in an untouched column, a release warns of it."""

ROUNDING = 1e-9
"""What is less than this share more is the rounding of floating point."""

MUCH_BLANKED = 0.05
"""From which share of all values on it is advised how fewer could be blanked."""

MENTIONED = 0.01
"""From which share on it is said that points cannot show all distances of a hierarchy."""


def of_outliers(gate: Gate, count: int, n_records: int, what: str) -> tuple[str, ...]:
    """Say what became of records that resemble nobody; how many they are, where the gate lets that pass."""
    if not count:
        return ()
    told = gate.count(count, of=n_records)
    number = f"{gate.words(count).capitalize()} records" if told is None else f"{told:,} of {n_records:,} records"
    return (f"{number} resemble nobody and {what}.",)


def of_exposed(count: int, k: int) -> tuple[str, ...]:
    """Say that columns which were grouped alone are no k-anonymity together."""
    if not count:
        return ()
    return (
        f"Each column is grouped alone: {count} records share the combination of their quasi-identifiers with fewer "
        f"than {k} records. This is NOT k-anonymity.",
    )


def of_risk(gate: Gate, before: float, after: float) -> tuple[str, ...]:
    """Say that records are easier to find on average than they were: large classes became smaller ones.

    >>> of_risk(Gate(1000, 5), 6.0, 9.9)[0].partition(":")[0], of_risk(Gate(1000, 5), 6.0, 6.0)
    ('The average risk rose from 6% to 9.9%', ())
    """
    if after <= before * (1 + ROUNDING):
        return ()
    was = gate.figure(before)
    told = "" if was is None else f" from {was:.3g}% to {after:.3g}%"
    return (
        f"The average risk rose{told}: classes that many records shared were divided. Every record is among k all the "
        "same; method mixed leaves such classes alone.",
    )


def of_recoded(gate: Gate, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Say what each step of recoding did, as far as the gate lets that pass.

    >>> done = Outcome("age", "top:90", "{share} top coded at 90", "", 12, 1000, 0.31)
    >>> of_recoded(Gate(1000, 5), [done])
    ('age: 1.2% of the values top coded at 90 (0.31% of its variance lost)',)
    """
    return tuple(f"{each.column}: {_recoded(gate, each)}" for each in outcomes)


def _recoded(gate: Gate, done: Outcome) -> str:
    words = done.words if gate.tells_original or not done.words_of_few else done.words_of_few
    if "{share}" not in words:
        return words
    count = gate.count(done.changed, of=done.present)
    lost = gate.figure(done.lost) if count is not None else None
    if count is None:
        share = f"{gate.words(done.changed) if done.changed < gate.k else 'almost all'} of the values"
    else:
        share = "none" if count == 0 else f"{100 * count / done.present:.2g}%"
        share = f"{share} of the values" if count < done.present else "all values"
    told = "" if not lost else f" ({lost:.2g}% of its variance lost)"
    return words.replace("{share}", share) + told


def of_gaps(gate: Gate, gaps: Gaps, n_columns: int = 1) -> tuple[str, ...]:
    """Say what became of missing values.

    >>> of_gaps(Gate(300, 5), Gaps(dropped=12))
    ('Records that lack a value of a quasi-identifier were left out: 12.',)
    >>> of_gaps(Gate(300, 5), Gaps(imputed={"age": 3}))
    ('Missing values were replaced before grouping, by the median or the most frequent value (age: fewer than 5).',)
    """
    told = []
    if gaps.dropped:
        told.append(f"Records that lack a value of a quasi-identifier were left out: {gate.words(gaps.dropped)}.")
    if gaps.imputed:
        told.append(
            "Missing values were replaced before grouping, by the median or the most frequent value "
            f"({_named(gaps.imputed, gate.words)})."
        )
    if gaps.missing:
        # With those that are blanked, as anybody can count them in the release.
        public = {name: count + gaps.blanked.get(name, 0) for name, count in gaps.missing.items()}
        told.append(f"Missing values are released as missing ({_named(public, '{:,}'.format)}); nothing is invented.")
    if gaps.blanked:
        told.append(
            f"Some of these were blanked, so that at least {gate.k} records lack the same: "
            f"{_named(gaps.blanked, gate.words)}."
        )
        lost = sum(gaps.blanked.values()) / (gate.n_records * n_columns)
        if lost >= MUCH_BLANKED:
            told.append(
                f"Records lack different combinations of {len(gaps.missing):,} columns, and {100 * lost:.0f}% of all "
                "values are blanked for that. Leave out columns that lack many values, or choose drop or impute for "
                "them (missing={'income': 'impute', '*': 'value'}, --missing income=impute)."
            )
    return tuple(told)


def _named(counts: Mapping[str, int], words: Callable[[int], str]) -> str:
    """Name columns with their counts: the largest ones where there are many."""
    most = sorted(counts, key=lambda name: -counts[name])
    return folded([f"{name}: {words(counts[name])}" for name in most], which="the worst")


def of_blanks(blanks: Mapping[str, int], n_values: int) -> tuple[str, ...]:
    """Say how many values are left blank, by column; anybody can count them in the release.

    >>> of_blanks({"job": 12, "sex": 3}, 400)
    ('Left blank, so that every record is among k: 15 of 400 values (job: 12, sex: 3).',)
    """
    if not blanks:
        return ()
    most = sorted(blanks, key=lambda name: -blanks[name])
    named = folded([f"{name}: {blanks[name]:,}" for name in most], which="the worst")
    total = sum(blanks.values())
    return (f"Left blank, so that every record is among k: {total:,} of {n_values:,} values ({named}).",)


def of_masks(masks: Mapping[str, str]) -> tuple[str, ...]:
    """Say which columns were changed at random, and that this is no k-anonymity.

    >>> of_masks({"pay": "noise:0.1"})
    ('Changed at random, which hides values and promises no k: pay (Additive noise (share 0.1)).',)
    """
    if not masks:
        return ()
    named = folded([f"{name} ({read_mask(text).title})" for name, text in masks.items()])
    return (f"Changed at random, which hides values and promises no k: {named}.",)


def of_points(attributes: Mapping[str, Attribute]) -> tuple[str, ...]:
    """Say how much of the distances of a hierarchy is lost where its values were grouped as points."""
    lost = {name: not_shown(attribute) for name, attribute in attributes.items()}
    most = sorted(((name, share) for name, share in lost.items() if share >= MENTIONED), key=lambda item: -item[1])
    named = folded([f"{name}: {100 * share:.0f}% are lost" for name, share in most], which="the worst")
    if not named:
        return ()
    return (
        f"Categories were grouped as points, which cannot show all distances ({named}). "
        "Method mixed uses the distances themselves.",
    )


def of_epsilon(plan: Plan, n_records: int) -> tuple[str, ...]:
    """Say what epsilon means, how large the noise is, and what is not covered: all of it follows from the plan alone.

    >>> of_epsilon(Plan(k=50, epsilon=1.0, limits={"age": (0, 120)}, method="individual"), 1000)[1]
    'The noise alone moves a released value by this much on average: age 2.4.'
    """
    epsilon = plan.epsilon or 0.0
    n_groups = n_records // plan.k
    noise, drowned = [], []
    for name, stated in plan.limits.items():
        limits = ColumnLimits.of(name, stated)
        spread = 1 if plan.method == PER_COLUMN else n_groups
        size = limits.width * spread / (plan.k * float(share_of(plan, name)))
        noise.append(f"{name} {size:.3g}")
        if size > limits.width / 2:
            drowned.append(name)
    told = [
        f"Differential privacy with epsilon = {epsilon:g}: whatever one record held, no outcome is more than "
        f"{_factor(epsilon)} times as likely with it as with any other record in its place.",
        f"The noise alone moves a released value by this much on average: {folded(noise)}.",
        "Not covered: how many records there are, several records of one person, and further releases of the same "
        "people, whose epsilons add up. Values outside the limits count as the limits.",
    ]
    if drowned:
        told.append(
            f"The noise is more than half of the range of {folded(drowned)}: hardly anything is left of the data. "
            "Choose a larger k, fewer columns, a larger epsilon, or method individual."
        )
    if plan.method == PER_COLUMN and len(plan.limits) > 1:
        told.append(
            "Each column is in an order of its own: which values belonged to one record is not released, because no "
            "noise covers it. Relations between columns are gone."
        )
    return tuple(told)


def _factor(epsilon: float) -> str:
    return f"{math.exp(epsilon):.3g}" if epsilon <= 20 else f"e^{epsilon:g}"


def of_units(plan: Plan, n_units: int, n_alone: int) -> tuple[str, ...]:
    """Say how units were counted, and what tells which records belong together.

    Parameters
    ----------
    plan : Plan
        With a unit.
    n_units : int
        How many there are.
    n_alone : int
        How many of them no other one is like, by all their released records together.
    """
    told = [f"k counts the {n_units:,} units of {plan.unit!r}, not records: every group has at least {plan.k} of them."]
    if plan.unit_alias and n_alone:
        told.append(
            f"A random number tells which records belong together, and {n_alone:,} of {n_units:,} units differ from "
            "all others by their records together, or by how many they are: whoever knows that of a unit may find it. "
            "Leave the number out (unit_alias), or group columns of the unit only."
        )
    if not plan.unit_alias and not plan.shuffle:
        told.append(
            "Rows are in the order of the input, which may tell which of them belong together: shuffle=True, --shuffle "
            "puts them into another one."
        )
    return tuple(told)


def of_strata(sizes: Sequence[int], k: int) -> tuple[str, ...]:
    """Say where there was nothing to choose: strata, or all records, of one group."""
    told = []
    small = sum(size < 2 * k for size in sizes)
    if len(sizes) > 1 and small:
        told.append(f"{small} of {len(sizes)} strata have fewer than 2k records and became one group each.")
    if sum(sizes) < 2 * k:
        told.append("There are fewer than 2k records, so all of them became one group with one common value.")
    return tuple(told)


def of_weights(plan: Plan, n_records: int, n_rare: int, n_groups: int, n_equal: int) -> tuple[str, ...]:
    """What to know of survey weights: what is released of them, and which were not used. All of it can be counted in
    the release.
    """
    shared = (
        f"{n_rare:,} of {n_records:,} records have a weight that fewer than k = {plan.k} records share, which may "
        "single them out. Round the weights beforehand, or leave the column out of what you publish."
        if n_rare
        else f"every weight is shared by at least k = {plan.k} records."
    )
    told = [f"The weight column {plan.weights!r} is released as it is: {shared}"]
    if n_groups:
        told.append(
            f"Groups in which one record has more than half of the weight, or all weights are 0: {n_groups:,} "
            f"({n_equal:,} records). There all records count equally: a weighted value would be near to that record's "
            "own."
        )
    return tuple(told)


def of_homogeneous(alike: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Say in which confidential columns groups agree: each of a few columns, or the worst of many.

    >>> of_homogeneous([{"column": "ill", "groups": 1, "records": 5}])[0]
    "In 1 group (5 records) everybody has the same ill: who finds a person's group knows it of that person."
    """
    if len(alike) > SOME:
        worst = sorted(alike, key=lambda column: -column["records"])
        named = [f"{each['column']} ({each['groups']:,} groups, {each['records']:,} records)" for each in worst]
        return (
            f"There are groups in which everybody has the same value of a confidential column: "
            f"{folded(named, which='the worst', fits=SOME)}. Who finds a person's group knows it of that person.",
        )
    return tuple(
        f"In {each['groups']:,} group{'' if each['groups'] == 1 else 's'} ({each['records']:,} records) everybody has "
        f"the same {each['column']}: who finds a person's group knows it of that person."
        for each in alike
    )


def of_vanished(
    gate: Gate, before: Mapping[str, tuple[Sequence[str], IntArray]], after: Sequence[IntArray]
) -> tuple[str, ...]:
    """Say how many categories no released record has any more; which, where at least k records had them.

    Parameters
    ----------
    gate : Gate
        What may be told.
    before : mapping of str to pair
        For each column the names of its codes, and how many records had each; nothing for numbers.
    after : sequence of array of int
        How many released records have each code, in the order of the columns.

    Examples
    --------
    >>> job = {"job": (("baker", "clerk", "spy"), np.array([6, 93, 1]))}
    >>> of_vanished(Gate(100, 5), job, [np.array([0, 100, 0])])
    ("Categories that no released record has any more: job 2 ('baker' and 1 that fewer than 5 had).",)
    """
    gone = []
    for (name, (labels, counts)), left in zip(before.items(), after, strict=True):
        # What is missing has a code too where it is released as missing: behind those that have names.
        lost = np.flatnonzero((counts > 0) & (left == 0)) if len(counts) else np.empty(0, dtype=np.int64)
        lost = lost[lost < len(labels)]
        if len(lost):
            named = [shown(labels[code], 40) for code in lost.tolist() if counts[code] >= gate.least]
            gone.append((shown(name, 40), len(lost), named if gate.tells_original else []))
    if not gone:
        return ()
    if not gate.tells_original:
        return (f"Some categories have no released record any more: {folded([name for name, _, _ in gone])}.",)
    gone.sort(key=lambda column: -column[1])
    told = folded(
        [f"{name} {count:,}{_vanished(named, count, gate)}" for name, count, named in gone], which="the worst"
    )
    return (f"Categories that no released record has any more: {told}.",)


def _vanished(named: Sequence[str], count: int, gate: Gate) -> str:
    """Name vanished categories that may be named, and count the others."""
    rest = count - len(named)
    parts = [folded([repr(name) for name in named], "categories", fits=SOME)] if named else []
    parts += [f"{rest:,} that fewer than {gate.least} had"] if rest else []
    return f" ({' and '.join(parts)})" if named else ""


def of_untouched(untouched: Mapping[str, float], plan: Plan) -> tuple[str, ...]:
    """Warn of columns that point to single persons; of weights there is a warning of their own."""
    pointing = {name: share for name, share in untouched.items() if share >= MOSTLY_ALONE and name != plan.weights}
    if len(pointing) > SOME:
        most = sorted(pointing.items(), key=lambda item: -item[1])
        named = ", ".join(f"{name!r} {100 * share:.0f}%" for name, share in most[:SOME])
        return (
            f"{len(pointing):,} columns are released as they are in which most records have a value that no other "
            f"record has (the worst five: {named}): whoever knows one of a person finds the record. Leave them out "
            "(identifiers, --drop), or make them quasi-identifiers.",
        )
    return tuple(
        f"Column {name!r} is released as it is, and {100 * share:.0f}% of the records have a value there that no other "
        "record has: whoever knows it of a person finds the record. Leave the column out (identifiers, --drop), or "
        "make it a quasi-identifier."
        for name, share in pointing.items()
    )


def of_untouched_together(untouched: Mapping[str, float], count: int, n_records: int) -> tuple[str, ...]:
    """Say to how many records the columns that leave as they are point together, where that is more than one does."""
    names = list(untouched)
    if len(names) < 2 or count <= round(max(untouched.values()) * n_records):
        return ()
    listed = ", ".join(map(repr, names[:SOME])) + (", ..." if len(names) > SOME else "")
    return (
        f"{len(names):,} columns are released as they are ({listed}): {count:,} of {n_records:,} records have a "
        "combination of values there that no other record has.",
    )


def of_index(lost: str | None) -> tuple[str, ...]:
    """Say that the labels of the rows are not released, where there were some."""
    if lost is None:
        return ()
    return (f"The index of the frame ({lost}) is not released; rows are numbered anew. keep_index=True releases it.",)


def of_a_sample(n_drawn: int, n_records: int) -> tuple[str, ...]:
    """Say that charts show some of the records only."""
    if n_drawn == n_records:
        return ()
    return (
        f"The release was made cell by cell: charts of values show a sample of {n_drawn:,} records, in whole groups. "
        "All other numbers are those of all records.",
    )
