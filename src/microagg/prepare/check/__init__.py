"""The column check: what each column of a table seems to be, and which columns give another one away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from microagg.base.table import Table
from microagg.prepare.check.finding import Bond, ColumnFinding, Seems, Tie
from microagg.prepare.check.table_look import TableLook, verified_ties


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
    look = TableLook(table, table.names)
    ties: defaultdict[str, list[Tie]] = defaultdict(list)
    for tie in verified_ties(table, look.looks.values()):
        ties[tie.column].append(tie)
    judged = [
        replace(look.finding(name), ties=tuple(ties[name]), share_missing=seen.share_missing)
        for name, seen in look.looks.items()
    ]
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


__all__ = ["Bond", "ColumnFinding", "Seems", "TableLook", "Tie", "check_columns"]
