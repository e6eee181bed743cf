"""What to know before publishing a release, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from microagg.gate import Gate
from microagg.plan import Plan
from microagg.prepare.missing import Gaps
from microagg.semantic.attribute import Attribute
from microagg.semantic.embedding import not_shown

MOSTLY_ALONE = 0.5
"""From which share of records on, that have a value of their own in an untouched column, a release warns of it."""

MOST_NAMED = 8
"""How many columns a warning names."""

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
    largest = sorted(counts, key=lambda name: -counts[name])[:MOST_NAMED]
    named = ", ".join(f"{name}: {words(counts[name])}" for name in counts if name in largest)
    more = len(counts) - len(largest)
    return named + (f"; and {more:,} more columns" if more else "")


def of_points(attributes: Mapping[str, Attribute]) -> tuple[str, ...]:
    """Say how much of the distances of a hierarchy is lost where its values were grouped as points."""
    lost = {name: not_shown(attribute) for name, attribute in attributes.items()}
    named = ", ".join(f"{name}: {100 * share:.0f}% are lost" for name, share in lost.items() if share >= MENTIONED)
    if not named:
        return ()
    return (
        f"Categories were grouped as points, which cannot show all distances ({named}). "
        "Method mixed uses the distances themselves.",
    )


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


def of_untouched(untouched: Mapping[str, float], plan: Plan) -> tuple[str, ...]:
    """Warn of columns that point to single persons; of weights there is a warning of their own."""
    return tuple(
        f"Column {name!r} is released as it is, and {100 * share:.0f}% of the records have a value there that no other "
        "record has: whoever knows it of a person finds the record. Leave the column out (identifiers, --drop), or "
        "make it a quasi-identifier."
        for name, share in untouched.items()
        if share >= MOSTLY_ALONE and name != plan.weights
    )


def of_untouched_together(untouched: Mapping[str, float], count: int, n_records: int) -> tuple[str, ...]:
    """Say to how many records the columns that leave as they are point together, where that is more than one does."""
    names = list(untouched)
    if len(names) < 2 or count <= round(max(untouched.values()) * n_records):
        return ()
    shown = ", ".join(map(repr, names[:MOST_NAMED])) + (", ..." if len(names) > MOST_NAMED else "")
    return (
        f"{len(names):,} columns are released as they are ({shown}): {count:,} of {n_records:,} records have a "
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
