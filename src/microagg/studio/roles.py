"""Give columns roles and kinds: from one plan to the next."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from microagg.errors import InvalidOption
from microagg.plan.plan import CHOICES, Plan
from microagg.studio.overview import Overview
from microagg.studio.project import ROLES, SINGLE, roles_of

KINDS = ("numeric", "nominal", "ordinal", "date")
"""What a quasi-identifier can be treated as without further words."""
OF_QUASI = ("kinds", "column_weights")
OF_CONFIDENTIAL = ("l", "p", "t")


def with_roles(plan: Plan, look: Overview, roles: Mapping[str, str | None], kinds: Mapping[str, str]) -> Plan:
    """Give some columns other roles, or other kinds.

    What was said of a column that its new role has no use for is dropped: kinds of what is no quasi-identifier any
    more, promises of what is not confidential.

    Parameters
    ----------
    plan : Plan
        What stands.
    look : Overview
        The columns, in their order.
    roles : mapping of str to str or None
        Names in ROLES by columns; None for undecided.
    kinds : mapping of str to str
        What quasi-identifiers are treated as; those that get this role without a kind get the suggested one.
    """
    for role in roles.values():
        if role is not None and role not in ROLES:
            raise InvalidOption(f"a role must be one of {', '.join(ROLES)}; got {role!r}.")
    standing = roles_of(plan)
    for role in SINGLE:
        named = [name for name, given in roles.items() if given == role]
        if len(named) > 1:
            raise InvalidOption(f"{ROLES[role]}: one column can be this, not {len(named)}.")
        if named:
            standing = {name: other for name, other in standing.items() if other != role}
    standing |= {name: role for name, role in roles.items() if role is not None}
    standing = {name: role for name, role in standing.items() if roles.get(name, role) is not None}
    ordered = [column.name for column in look.columns if column.name in standing]
    values: dict[str, Any] = {item.name: getattr(plan, item.name) for item in CHOICES}
    for role in ROLES:
        named = [name for name in ordered if standing[name] == role]
        values[role] = (named[0] if named else None) if role in SINGLE else tuple(named)
    quasi = set(values["quasi"])
    given = {name: kind for name, kind in {**plan.kinds, **kinds}.items() if kind}
    for name in quasi - set(given):
        given[name] = look.by_name[name].kind or _fallback(look, name)
    values["kinds"] = _of({name: given[name] for name in ordered if name in given}, quasi)
    values["column_weights"] = _of(plan.column_weights, quasi)
    for field in OF_CONFIDENTIAL:
        values[field] = _of(getattr(plan, field), set(values["confidential"]))
    values["recode"] = {
        name: how for name, how in plan.recode.items() if standing.get(name) not in ("identifiers", "unit")
    }
    values["mask"] = {name: how for name, how in plan.mask.items() if standing.get(name) in ("confidential", "keep")}
    if isinstance(plan.missing, Mapping):
        values["missing"] = _of(plan.missing, {*quasi, "*"})
    if plan.unit is not None and values["unit"] is None:
        values["unit_alias"] = False
    return Plan(**values)


def suggested(look: Overview, names: Collection[str] | None = None) -> dict[str, str | None]:
    """Give the suggested roles of some columns, or of all."""
    return {column.name: column.role for column in look.columns if names is None or column.name in names}


def _of(said: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: what for name, what in said.items() if name in names}


def _fallback(look: Overview, name: str) -> str:
    return "numeric" if look.by_name[name].storage == "numeric" else "nominal"
