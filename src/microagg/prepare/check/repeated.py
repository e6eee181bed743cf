"""Persons or things that have several records each: which column numbers them."""

from __future__ import annotations

from collections.abc import Iterable

from microagg.prepare.check.finding import ColumnFinding, Seems
from microagg.prepare.check.names import NameWords


def numbering_column(findings: Iterable[ColumnFinding]) -> ColumnFinding | None:
    """Give the column whose values k should count, and not records: persons first, and the finest that records share.

    None where there is none, or where another column numbers the records as those of persons: then one record is one
    person, and what persons share (their family, their doctor) need not be counted.

    >>> visits = ColumnFinding("patient_id", Seems.IDENTIFIER, ("40 different values in 90 records",), n_units=40)
    >>> numbering_column([visits]).name
    'patient_id'
    >>> persons = ColumnFinding("person_id", Seems.IDENTIFIER, ("90 different values in 90 records",))
    >>> numbering_column([visits, persons]) is None
    True
    """
    identifiers = [finding for finding in findings if finding.seems is Seems.IDENTIFIER]
    if any(not finding.n_units and _numbers_persons(finding.name) for finding in identifiers):
        return None
    repeated = [finding for finding in identifiers if finding.n_units]
    return max(repeated, key=lambda finding: (_numbers_persons(finding.name), finding.n_units), default=None)


def _numbers_persons(name: str) -> bool:
    words = NameWords(name)
    return words.says_id and words.says_person
