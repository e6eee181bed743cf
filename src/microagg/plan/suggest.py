"""Roles and kinds of columns as the column check would choose them, with reasons: a plan to read and to change."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import Any

from microagg import io
from microagg.base.schema import Kind, Role, Storage, no_such_column
from microagg.base.table import Table
from microagg.errors import InvalidData, InvalidOption
from microagg.plan.file import FileMark, PlanFile, dump
from microagg.plan.plan import Plan
from microagg.prepare.check import ColumnFinding, Seems, check_columns, names
from microagg.prepare.check.names import NameWords
from microagg.prepare.check.repeated import numbering_column
from microagg.prepare.dates import guessed_dates
from microagg.prepare.missing import Missing

WEIGHTS = "weights"
"""The role of a column of survey weights in a suggestion, beside those of `Role`."""
UNIT = "unit"
"""The role of a column that numbers what k counts, where persons or things have several records each."""
KEEP = "keep"
"""The role of a column that stays as it is, whatever it seems to be, because somebody says so."""
ROLES = (Role.QUASI.value, Role.IDENTIFIER.value, Role.CONFIDENTIAL.value, Role.OTHER.value, KEEP, WEIGHTS, UNIT)
"""The roles that a suggestion may give a column."""
_INSTEAD = {WEIGHTS: Role.OTHER.value, UNIT: Role.IDENTIFIER.value}
"""Roles that one column can have at a time, and what becomes of the column that had it before."""

FEW_LOST = 0.05
"""Up to which share of the records is left out where they lack a value."""
SHOWN = 60
"""How many columns a notebook shows at the most."""
LONGEST_NAME = 80


@dataclass(frozen=True)
class SuggestedColumn:
    """What is suggested for a column.

    Attributes
    ----------
    finding : ColumnFinding
        What it seems to be, and why.
    role : str
        One of ROLES.
    kind : str or None
        What it is treated as where it is a quasi-identifier.
    """

    finding: ColumnFinding
    role: str
    kind: str | None = None

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.finding.name

    @property
    def note(self) -> str:
        """What it seems to be and why, in one line."""
        several = "; records share its values, so k counts these and not records" if self.role == UNIT else ""
        return f"{self.finding.seems}: {self.finding.why}{several}"


@dataclass(frozen=True, repr=False)
class Suggestion:
    """Roles and kinds for the columns of a table, with reasons; notebooks show it as a table.

    Attributes
    ----------
    columns : tuple of SuggestedColumn
        One for each column, in order.
    n_records : int
        How many records the table has.
    """

    columns: tuple[SuggestedColumn, ...]
    n_records: int

    @property
    def roles(self) -> dict[str, str]:
        """The suggested role of each column."""
        return {column.name: column.role for column in self.columns}

    @property
    def kinds(self) -> dict[str, str]:
        """What each suggested quasi-identifier is treated as."""
        return {c.name: c.kind for c in self.columns if c.role == Role.QUASI and c.kind is not None}

    def named(self, role: str) -> tuple[str, ...]:
        """Give the columns of a role."""
        return tuple(column.name for column in self.columns if column.role == role)

    def changed(self, name: str, role: str, kind: str | None = None) -> Suggestion:
        """Give the suggestion with another role, or another kind, for one column.

        >>> import pandas as pd
        >>> suggest(pd.DataFrame({"age": [30, 40], "ill": ["no", "yes"]})).changed("ill", "confidential").roles
        {'age': 'quasi', 'ill': 'confidential'}
        """
        if name not in self.roles:
            raise InvalidOption(no_such_column(name, list(self.roles)))
        if role not in ROLES:
            raise InvalidOption(f"the role of column {name!r} must be one of {', '.join(ROLES)}; got {role!r}.")
        before = self.roles.get(name)
        columns = []
        for column in self.columns:
            if column.name == name:
                kept = kind or column.kind or column.finding.kind or Kind.NOMINAL
                column = replace(column, role=role, kind=str(kept) if role == Role.QUASI else None)
            elif role in _INSTEAD and column.role == role and before != role:
                column = replace(column, role=_INSTEAD[role])
            columns.append(column)
        return replace(self, columns=tuple(columns))

    def plan(self, k: int = 5, **choices: Any) -> Plan:
        """Make a plan of the suggestion.

        Parameters
        ----------
        k : int
            Every record will share its quasi-identifiers with at least k - 1 others.
        **choices
            Everything else that a plan says; see `Plan`.
        """
        if not self.named(Role.QUASI):
            raise InvalidData("no column seems fit to be a quasi-identifier: name those that are (quasi).")
        (weights,), (unit,) = self.named(WEIGHTS) or (None,), self.named(UNIT) or (None,)
        suggested: dict[str, Any] = {
            "quasi": self.named(Role.QUASI),
            "identifiers": self.named(Role.IDENTIFIER),
            "confidential": self.named(Role.CONFIDENTIAL),
            "keep": self.named(KEEP),
            "kinds": self.kinds,
            "weights": weights,
            "unit": unit,
            "shuffle": unit is not None,  # neighbours in the file would tell which records belong together
            "missing": self._missing(),
        }
        return Plan(k=k, **{**suggested, **choices})

    def toml(self, k: int = 5, *, source: FileMark | None = None, **choices: Any) -> str:
        """Write the plan of the suggestion as TOML, with the reason for each column behind its name."""
        from microagg import __version__

        notes = {column.name: column.note for column in self.columns}
        return dump(PlanFile(self.plan(k, **choices), source, version=__version__), notes)

    def _missing(self) -> str:
        """Choose what becomes of missing values: where few records have some, these are left out; else they stay."""
        worst = max((column.finding.share_missing for column in self.columns if column.role == Role.QUASI), default=0.0)
        if not worst:
            return Missing.REFUSE.value
        if worst <= FEW_LOST:
            return Missing.DROP.value
        return Missing.VALUE.value

    def __repr__(self) -> str:
        lines = [f"Suggested roles of {len(self.columns):,} columns ({self.n_records:,} records):"]
        width = min(LONGEST_NAME, max((len(legible(name)) for name in self.roles), default=0))
        for column in self.columns[:SHOWN]:
            kind = f" ({column.kind})" if column.kind else ""
            lines.append(f"  {legible(column.name):<{width}}  {column.role + kind:<20}  {legible(column.note, None)}")
        return "\n".join([*lines, *self._more()])

    def _repr_html_(self) -> str:
        def cell(text: str, tag: str = "td") -> str:
            return f'<{tag} style="text-align:left">{html.escape(text)}</{tag}>'

        headings = "".join(cell(text, "th") for text in ("column", "role", "kind", "seems to be", "why"))
        rows = "".join(
            "<tr>"
            + "".join(
                cell(legible(text, limit))
                for text, limit in (
                    (column.name, LONGEST_NAME),
                    (column.role, None),
                    (column.kind or "", None),
                    (str(column.finding.seems), None),
                    (column.finding.why, None),
                )
            )
            + "</tr>"
            for column in self.columns[:SHOWN]
        )
        more = "".join(f"<p>{html.escape(line)}</p>" for line in self._more())
        return f"<table><thead><tr>{headings}</tr></thead><tbody>{rows}</tbody></table>{more}"

    def _more(self) -> list[str]:
        """Say how many columns are not shown, by their roles."""
        rest = self.columns[SHOWN:]
        if not rest:
            return []
        counts: dict[str, int] = {}
        for column in rest:
            counts[column.role] = counts.get(column.role, 0) + 1
        told = ", ".join(f"{count:,} {role}" for role, count in counts.items())
        return [f"... and {len(rest):,} more columns ({told}): see .columns"]


def legible(text: str, limit: int | None = LONGEST_NAME) -> str:
    """Give a text for a terminal or a page: on one line, without marks that change what is shown, cut to a limit.

    >>> legible("a" + chr(27) + "[31m"), legible("x" * 90)[-3:]
    ('a?[31m', 'xx…')
    """
    plain = "".join(c if c.isprintable() else "?" for c in text)
    return plain if limit is None or len(plain) <= limit else plain[: limit - 1] + "…"


def suggest(data: Any) -> Suggestion:
    """Suggest what each column of a frame is for, and what it is treated as, with reasons.

    Columns that seem to name somebody are suggested to be left out; what is known of people by others is a
    quasi-identifier, and what a release is usually about is confidential. Where a column numbers persons who have
    several records each, k is to count persons (`unit`). The suggestion is a beginning: read it, change what you know
    better, and run the plan that it makes.

    Parameters
    ----------
    data : pandas, polars or pyarrow frame
        One record per row.

    Returns
    -------
    Suggestion
        Notebooks show it as a table; `suggestion.plan(k=5)` is a plan for `microagg.repeat`.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"email": [f"p{i}@b.org" for i in range(40)], "age": [20 + i % 9 for i in range(40)]})
    >>> suggestion = suggest(people)
    >>> suggestion.roles
    {'email': 'identifier', 'age': 'quasi'}
    >>> suggestion
    Suggested roles of 2 columns (40 records):
      email  identifier            identifier: 40 of 40 values look like e-mail addresses
      age    quasi (numeric)       number: whole numbers, 9 different values in 40 records
    >>> suggestion.plan(k=3).quasi
    ('age',)
    """
    return suggest_table(io.wrap(data))


def suggest_table(table: Table) -> Suggestion:
    """Suggest roles and kinds for the columns of a table; see `suggest`."""
    found = check_columns(table)
    columns: list[SuggestedColumn] = []
    weights: str | None = None
    for finding in found:
        role = _role(finding, weights)
        if role == WEIGHTS:
            weights = finding.name
        kind = _kind(finding, table) if role == Role.QUASI else None
        columns.append(SuggestedColumn(finding, role, kind))
    suggestion = Suggestion(tuple(columns), table.n_records)
    unit = numbering_column(found)
    return _without_give_aways(suggestion if unit is None else suggestion.changed(unit.name, UNIT))


def _kind(finding: ColumnFinding, table: Table) -> str | None:
    """Give the kind of a column as the table can be read: dates may be text there."""
    if finding.kind is None:
        return None
    if finding.seems is Seems.DATE and table.storage(finding.name) is not Storage.DATE:
        return "date" if guessed_dates(table, finding.name) is not None else Kind.NOMINAL.value
    return str(finding.kind)


def _role(finding: ColumnFinding, weights: str | None) -> str:
    if finding.is_identifying or finding.seems is Seems.EMPTY:
        return Role.IDENTIFIER.value
    if finding.seems is Seems.CONSTANT:
        return Role.OTHER.value
    if finding.seems is Seems.WEIGHT:
        return WEIGHTS if weights is None and not finding.ties else Role.QUASI.value
    if finding.kind is None:
        return Role.IDENTIFIER.value
    return Role.CONFIDENTIAL.value if NameWords(finding.name).has(names.SENSITIVE) else Role.QUASI.value


def _without_give_aways(suggestion: Suggestion) -> Suggestion:
    """Make what would tell the value of a quasi-identifier one itself: it must not leave as it is."""
    for column in suggestion.columns:
        tells = any(suggestion.roles[tie.other] == Role.QUASI for tie in column.finding.ties)
        if tells and column.role in (Role.CONFIDENTIAL, Role.OTHER, WEIGHTS):
            suggestion = suggestion.changed(column.name, Role.QUASI.value)
    return suggestion
