"""Making and measuring candidate releases, several at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from microagg.base.checks import check_threads
from microagg.base.progress import Progress
from microagg.base.table import Table
from microagg.compare.kept import Kept
from microagg.compare.limits import LOSSES, RISKS
from microagg.errors import InvalidOption, MicroaggError
from microagg.flow import release_table
from microagg.measures import Case, assess
from microagg.plan import Plan
from microagg.release import Release


class _Stopped(Exception):
    """Ends a candidate whose comparison was interrupted."""


def make_all(
    table: Table,
    plans: Sequence[Plan],
    wanted: set[str],
    jobs: int,
    kept: Kept | None,
    progress: Progress | None,
) -> list[dict[str, Any] | MicroaggError]:
    """Make every candidate that is not kept already, several at a time; the outcomes come in the order of the plans."""
    outcomes: dict[int, dict[str, Any] | MicroaggError] = {}
    if kept is not None:
        known = {i: kept.get(plan, wanted) for i, plan in enumerate(plans)}
        outcomes.update({i: outcome for i, outcome in known.items() if outcome is not None})
    fractions = [float(i in outcomes) for i in range(len(plans))]
    stop = threading.Event()
    threads = max(1, check_threads(None) // jobs)

    def make(place: int) -> dict[str, Any] | MicroaggError:
        def watch(fraction: float) -> None:
            if stop.is_set():
                raise _Stopped
            fractions[place] = fraction

        watch(0.0)
        try:
            return outcome_of(release_table(table, plans[place], threads=threads, progress=watch), wanted)
        except MicroaggError as error:
            return error

    def collect(done: set[Future[dict[str, Any] | MicroaggError]]) -> None:
        for future in done:
            place, outcome = places[future], future.result()
            outcomes[place], fractions[place] = outcome, 1.0
            if kept is not None and not isinstance(outcome, MicroaggError):
                kept.put(plans[place], outcome)

    with ThreadPoolExecutor(jobs) as pool:
        places = {pool.submit(make, i): i for i in range(len(plans)) if i not in outcomes}
        pending = set(places)
        try:
            while pending:
                done, pending = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
                collect(done)
                if progress is not None:
                    progress(sum(fractions) / len(plans))
        except BaseException:
            stop.set()
            for future in pending:
                future.cancel()
            raise
    return [outcomes[i] for i in range(len(plans))]


def outcome_of(release: Release, wanted: set[str]) -> dict[str, Any]:
    """Give what is to be known of a release, as plain values."""
    values = {**release.losses, **release.risks}
    further = wanted - set(values)
    if further:
        values |= measure_further(release.case, further)
    summary = release.summary
    counts = {name: summary[name] for name in ("records", "suppressed", "groups", "smallest", "largest", "seconds")}
    plain = {name: float(value) for name, value in values.items()}
    chosen = {"method": release.plan.method, "refine": release.plan.refine}  # what auto means here
    return {**chosen, "values": plain, "k_anonymous": release.k_anonymous, **counts}


def measure_further(case: Case, names: set[str]) -> dict[str, float]:
    """Take measures that a release does not carry by itself."""
    # Of a name that measures of both rooms have, the risk.
    wanted = {name: measure for name, measure in {**LOSSES, **RISKS}.items() if name in names}
    results = {result.name: result for result in assess(case, wanted)}
    for name in sorted(names):
        result = results.get(name)
        if result is None or result.value is None:
            reason = "its needs are not met (numeric quasi-identifiers, confidential columns)"
            raise InvalidOption(
                f"{name} cannot be measured here: {result.note if result is not None and result.note else reason}. "
                "Choose another measure."
            )
    return {name: results[name].value or 0.0 for name in names}
