"""One look at the columns of a table, for all who ask about them before a release."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from microagg.base.table import Table
from microagg.prepare.check.finding import ColumnFinding, Tie
from microagg.prepare.check.judge import judge
from microagg.prepare.check.look import Look, look_at, sample_rows
from microagg.prepare.check.ties import find_ties

VERIFIED_ROWS = 100_000
"""In how many records at the most it is verified that a column gives another one away."""


class TableLook:
    """What is seen of some columns of a table; nothing is read before somebody asks, and each column is read once.

    Parameters
    ----------
    table : Table
        Whose columns.
    names : sequence of str
        Which of them somebody may ask about.
    """

    def __init__(self, table: Table, names: Sequence[str]) -> None:
        self.table = table
        self.names = tuple(names)
        self._findings: dict[str, ColumnFinding] = {}

    @cached_property
    def looks(self) -> dict[str, Look]:
        """What is seen of each column."""
        return {look.name: look for look in look_at(self.table, self.names)}

    def finding(self, name: str) -> ColumnFinding:
        """Say what a column seems to be."""
        if name not in self._findings:
            self._findings[name] = judge(self.looks[name])
        return self._findings[name]

    def ties(self, columns: Collection[str], others: Collection[str]) -> list[Tie]:
        """Find which of some columns give one of others away."""
        return verified_ties(self.table, [self.looks[name] for name in (*columns, *others)], columns, others)


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
