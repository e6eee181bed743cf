"""How many values the release keeps as they were."""

from __future__ import annotations

from microagg.measures import Case, Finding, Measure


def _values_kept(case: Case) -> Finding:
    kept = case.original == case.released
    if case.blanked is not None:
        kept &= ~case.blanked  # a reader may guess it, but the release does not have it
    # Not by column: the share of one that few records keep would follow from all the others.
    return Finding(100.0 * float(kept.mean()), before=100.0, records=100.0 * kept.mean(axis=1))


VALUES_KEPT = Measure(
    name="values_kept",
    function=_values_kept,
    title="Values kept",
    summary="share of the values of quasi-identifiers that the release has as they were",
    reference="Templ, Kowarik and Meindl 2015",
    unit="percent",
    highest=100.0,
    lower_is_better=False,
)
