"""Roles of the columns of a table, settled before a release: no column that nobody spoke of may name anybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from microagg.base.schema import Role
from microagg.base.table import Table
from microagg.errors import LikelyIdentifier
from microagg.io.shared import SharedTable
from microagg.plan.columns import untouched_columns
from microagg.plan.plan import Plan
from microagg.plan.spelling import join_names
from microagg.prepare.check import Bond, ColumnFinding, TableLook
from microagg.prepare.check.look import Look
from microagg.prepare.check.names import NameWords
from microagg.prepare.check.pairs import MOST_PAIRED, PairTie, pairable, verified_pairs
from microagg.prepare.check.repeated import numbering_column

MOST_TOLD = 5
"""How many columns an error names with reasons."""


@dataclass(frozen=True)
class ExposedColumn:
    """A column that would leave as it is and must not: it may name somebody, or tell a quasi-identifier.

    Attributes
    ----------
    column : str
        Its name.
    why : str
        Why, in words, with counts and without values.
    """

    column: str
    why: str


@dataclass(frozen=True)
class SettledRoles:
    """What each column of a table is for.

    Attributes
    ----------
    roles : dict of str to Role
        The role of each column.
    notes : tuple of str
        What was decided without being asked, to be said aloud.
    look : TableLook, optional
        What was seen of the columns, for whoever asks next.
    """

    roles: dict[str, Role]
    notes: tuple[str, ...] = ()
    look: TableLook | None = field(default=None, repr=False, compare=False)


_SETTLED: WeakKeyDictionary[SharedTable, dict[object, SettledRoles | LikelyIdentifier]] = WeakKeyDictionary()


def settle_roles(table: Table, plan: Plan) -> SettledRoles:
    """Give every column its role, and refuse a release in which a column that nobody spoke of may name somebody.

    Where no quasi-identifiers are named, they are all columns without another role that are fit: never those that seem
    to hold ids, names or free text. Those are left out where the plan says `others="drop"`, else refused.

    Parameters
    ----------
    table : Table
        What is to be released.
    plan : Plan
        What is to be done with it.

    Raises
    ------
    LikelyIdentifier
        A column that would be released as it is seems to be an identifier, or gives a quasi-identifier away, and the
        plan does not say that it may stay (`keep`).
    """
    roles = plan.roles(table.names)
    if table.n_records == 0:
        return SettledRoles(roles)
    if not isinstance(table, SharedTable):
        return _settle(table, plan, roles)
    # Many plans ask this of a table that is shared: it is checked once for each choice of roles.
    asked = (plan.quasi is None, plan.others, plan.keep, plan.by, plan.unit, tuple(roles.items()))
    settled = _SETTLED.setdefault(table, {})
    if asked not in settled:
        try:
            settled[asked] = _settle(table, plan, roles)
        except LikelyIdentifier as refused:
            settled[asked] = refused
    answer = settled[asked]
    if isinstance(answer, LikelyIdentifier):
        raise answer
    return answer


def _settle(table: Table, plan: Plan, roles: dict[str, Role]) -> SettledRoles:
    notes: tuple[str, ...] = ()
    # Of those that are left out, nobody asks but whether k should count them.
    asked = {name for name, role in roles.items() if role is not Role.IDENTIFIER}
    numbering = [name for name in roles if plan.unit is None and NameWords(name).says_id]
    look = TableLook(table, [name for name in roles if name in asked.union(numbering)])
    if plan.quasi is None:
        roles, notes = _without_identifiers(look, plan, roles)
    exposed = exposed_columns(look, roles, plan)
    if exposed:
        raise refusal(exposed)
    notes += (*_of_confidential(look, roles, plan), *_of_pairs(look, roles, plan), *_of_units(look, numbering))
    return SettledRoles(roles, notes, look)


def _of_units(look: TableLook, names: Sequence[str]) -> tuple[str, ...]:
    """Warn where records are counted, and a column numbers persons or things that have several of them."""
    unit = numbering_column([look.finding(name) for name in names])
    if unit is None:
        return ()
    return (
        f"k counts records, and {unit.name!r} seems to number persons or things that have several records each "
        f"({unit.reasons[-1]}): a group may be of fewer than k of them. Count them with unit={unit.name!r}.",
    )


def _of_confidential(look: TableLook, roles: Mapping[str, Role], plan: Plan) -> tuple[str, ...]:
    """Refuse what the release is about where it gives a quasi-identifier away and nobody said that it may stay; warn of
    it where somebody did, or where it nearly does.
    """
    secret = [name for name, role in roles.items() if role is Role.CONFIDENTIAL]
    quasi = [name for name, role in roles.items() if role is Role.QUASI]
    ties = look.ties(secret, quasi) if secret else []
    reasons: dict[str, list[str]] = {}
    for tie in ties:
        if tie.bond is not Bond.NEARLY and tie.column not in plan.keep:
            reasons.setdefault(tie.column, []).append(tie.words)
    if reasons:
        raise refusal([ExposedColumn(name, "; ".join(why)) for name, why in reasons.items()], confidential=True)
    told = "; ".join(f"{tie.column!r} {tie.words}" for tie in ties[:MOST_TOLD])
    more = f" (and {len(ties) - MOST_TOLD:,} more)" if len(ties) > MOST_TOLD else ""
    return (
        (f"Confidential columns tell what grouping hides: {told}{more}. Group those too, or leave one out.",)
        if ties
        else ()
    )


def _of_pairs(look: TableLook, roles: Mapping[str, Role], plan: Plan) -> tuple[str, ...]:
    """Refuse columns of which two together give a quasi-identifier away, unless somebody said that both may stay."""
    names, quasi = untouched_columns(roles, plan), [name for name, role in roles.items() if role is Role.QUASI]
    spoken_of = {*plan.keep, *plan.by}
    names += [name for name in plan.by if roles[name] is Role.OTHER]
    if len(names) < 2:
        return ()
    looks = [look.looks[name] for name in (*names, *quasi)]
    ties = verified_pairs(look.table, looks, names, quasi)
    refused = [tie for tie in ties if not spoken_of.issuperset(tie.columns)]
    if refused:
        unsaid = [name for name in names if name not in spoken_of and any(name in tie.columns for tie in refused)]
        raise _pair_refusal(refused, unsaid)
    told = "; ".join(tie.words for tie in ties[:MOST_TOLD])
    more = f" (and {len(ties) - MOST_TOLD:,} more)" if len(ties) > MOST_TOLD else ""
    return (
        *((f"Columns that stay as they are tell what grouping hides: {told}{more}.",) if ties else ()),
        *_not_paired(looks, names),
    )


def _not_paired(looks: Sequence[Look], names: Sequence[str]) -> tuple[str, ...]:
    """Say where not every pair of columns was looked at."""
    if len(names) <= MOST_PAIRED or len(pairable(looks, names)) < MOST_PAIRED:
        return ()
    return (
        f"Of {len(names):,} columns that are released as they are, pairs of the {MOST_PAIRED} with the fewest values "
        "were looked at for whether they tell a quasi-identifier together.",
    )


def untouched(roles: Mapping[str, Role], plan: Plan) -> list[str]:
    """Give the columns that would be released as they are, and of which the plan does not say that they may stay."""
    return [name for name in untouched_columns(roles, plan) if name not in plan.keep]


def exposed_columns(look: TableLook, roles: Mapping[str, Role], plan: Plan) -> list[ExposedColumn]:
    """Find the columns that would leave as they are, and may name somebody or give a quasi-identifier away."""
    names = untouched(roles, plan)
    if not names:
        return []
    quasi = [name for name, role in roles.items() if role is Role.QUASI]
    reasons = {name: [_seems(look.finding(name))] for name in names if look.finding(name).is_identifying}
    for tie in look.ties(names, quasi):
        reasons.setdefault(tie.column, []).append(tie.words)
    return [ExposedColumn(name, "; ".join(reasons[name])) for name in names if name in reasons]


def refusal(exposed: Sequence[ExposedColumn], *, every: bool = False, confidential: bool = False) -> LikelyIdentifier:
    """Build the error: what, why, and the three ways out.

    Parameters
    ----------
    exposed : sequence of ExposedColumn
        The columns that must be spoken of.
    every : bool
        Whether all columns were to be quasi-identifiers.
    confidential : bool
        Whether they were named as confidential.
    """
    names = [each.column for each in exposed]
    told = ". ".join(f"Column {each.column!r} {each.why}" for each in exposed[:MOST_TOLD])
    more = f" (and {len(names) - MOST_TOLD:,} more columns)" if len(names) > MOST_TOLD else ""
    one = len(names) == 1
    which = "confidential column{s}" if confidential else "column{s} that nobody spoke of"
    word = f"a {which.format(s='')}" if one else f"{len(names):,} {which.format(s='s')}"
    fate = (
        f"cannot be {'a quasi-identifier' if one else 'quasi-identifiers'} unnamed" if every else "would be released "
    )
    fate += "" if every else "as it is" if one else "as they are"
    listed = join_names(names[:MOST_TOLD])
    return LikelyIdentifier(
        f"{word} {fate}. {told}{more}. For each, leave it out (identifiers=[...], --drop {listed}), make it a "
        f"quasi-identifier by its name (quasi=[...], --quasi), or say that it may stay (keep=[...], --keep {listed}).",
        tuple(names),
    )


def _pair_refusal(ties: Sequence[PairTie], names: Sequence[str]) -> LikelyIdentifier:
    told = "; ".join(tie.words for tie in ties[:MOST_TOLD])
    more = f" (and {len(ties) - MOST_TOLD:,} more pairs)" if len(ties) > MOST_TOLD else ""
    listed = join_names(names[:MOST_TOLD])
    return LikelyIdentifier(
        f"columns that would be released as they are tell a quasi-identifier together. {told}{more}. Of each pair, "
        f"leave one out (identifiers=[...], --drop NAMES), make one a quasi-identifier by its name (quasi=[...], "
        f"--quasi), or say that both may stay (keep=[...], --keep {listed}).",
        tuple(names),
    )


def _without_identifiers(
    look: TableLook, plan: Plan, roles: dict[str, Role]
) -> tuple[dict[str, Role], tuple[str, ...]]:
    """Take from the quasi-identifiers that nobody named those that seem to name somebody."""
    quasi = [name for name, role in roles.items() if role is Role.QUASI]
    unfit = {name: finding for name in quasi if (finding := look.finding(name)).is_identifying}
    if not unfit:
        return roles, ()
    if plan.others != "drop":
        raise refusal([ExposedColumn(name, _seems(finding)) for name, finding in unfit.items()], every=True)
    notes = [f"Column {name!r} is left out: it {_seems(finding)}." for name, finding in list(unfit.items())[:MOST_TOLD]]
    if len(unfit) > MOST_TOLD:
        notes.append(f"{len(unfit) - MOST_TOLD:,} more columns are left out: they seem to be identifiers or free text.")
    return {**roles, **dict.fromkeys(unfit, Role.IDENTIFIER)}, tuple(notes)


def _seems(finding: ColumnFinding) -> str:
    article = "an" if str(finding.seems)[0] in "aeiou" else ""
    return f"seems to be {article} {finding.seems} ({'; '.join(finding.reasons)})".replace("  ", " ")
