"""The column check: what each column of a table seems to be, and which columns give another one away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from microagg.base.table import Table
from microagg.prepare.check.finding import Bond, ColumnFinding, Seems, Tie
from microagg.prepare.check.judge import judge
from microagg.prepare.check.look import Look, look_at, sample_rows
from microagg.prepare.check.ties import find_ties

VERIFIED_ROWS = 100_000
"""In how many records at the most it is verified that a column gives another one away."""


def check_columns(table: Table) -> tuple[ColumnFinding, ...]:
    """Say of each column what it seems to be and why, and which other columns it gives away.

    At most 10,000 records are looked at, the same ones every time, fewer where there are many columns; near-unique
    columns are counted in all records, and what gives another column away is verified in up to 100,000.

    Parameters
    ----------
    table : Table
        A file or a frame.

    Returns
    -------
    tuple of ColumnFinding
        One for each column, in order.
    """
    looks = look_at(table)
    ties: defaultdict[str, list[Tie]] = defaultdict(list)
    for tie in verified_ties(table, looks):
        ties[tie.column].append(tie)
    judged = [replace(judge(look), ties=tuple(ties[look.name]), share_missing=look.share_missing) for look in looks]
    return tuple(_told_by_another(judged))


def _told_by_another(findings: Sequence[ColumnFinding]) -> list[ColumnFinding]:
    """Let a column that tells an identifier be one: the name of a firm, beside its number."""
    named = {finding.name for finding in findings if finding.seems is Seems.IDENTIFIER}
    told = []
    for finding in findings:
        telling = [tie.other for tie in finding.ties if tie.other in named and tie.bond is not Bond.SAME_ORDER]
        if telling and finding.seems in (Seems.CATEGORY, Seems.CODE, Seems.GEOGRAPHY):
            reason = f"it tells {telling[0]!r}, which seems to be an identifier"
            finding = replace(finding, seems=Seems.IDENTIFIER, reasons=(reason, *finding.reasons), kind=None)
        told.append(finding)
    return told


def verified_ties(
    table: Table,
    looks: Collection[Look],
    columns: Collection[str] | None = None,
    others: Collection[str] | None = None,
) -> list[Tie]:
    """Find what gives another column away; where not all records were looked at, verify it in more of them."""
    ties = find_ties(list(looks), columns, others)
    n_seen = len(next(iter(looks)).values) if looks else 0
    if not ties or n_seen == table.n_records:
        return ties
    involved = dict.fromkeys(name for tie in ties for name in (tie.column, tie.other))
    rows = sample_rows(table.n_records, len(involved), VERIFIED_ROWS)
    if len(rows) <= n_seen:
        return ties
    values = table.peek(involved, rows)
    more = [Look(name, values[name], table.n_records) for name in involved]
    known = {(tie.column, tie.other) for tie in ties}
    return [tie for tie in find_ties(more, columns, others) if (tie.column, tie.other) in known]


__all__ = ["Bond", "ColumnFinding", "Look", "Seems", "Tie", "check_columns", "judge", "look_at", "verified_ties"]
