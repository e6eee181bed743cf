"""What the user asks for, checked against the table it is asked of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from microagg.errors import InvalidData, InvalidOption
from microagg.schema import Role, no_such_column


@dataclass(frozen=True)
class Plan:
    """Everything that decides a release, apart from the data.

    Attributes
    ----------
    k : int
        Least number of records that share their quasi-identifiers.
    quasi : tuple of str, optional
        Columns to microaggregate; None means every column that has no other role.
    identifiers, confidential : tuple of str
        Columns to leave out, and columns to keep that must not be learned about a person.
    by : tuple of str
        Strata: records of different values here are never mixed.
    weights : str, optional
        Column of survey weights, which enter the group means.
    kinds : mapping
        What quasi-identifiers are treated as, where that is not to be guessed.
    method, options : str, mapping
        The partition method and its own options; "auto" is mdav for numbers alone and mixed for anything else.
    refine, refine_options : str, mapping
        What improves the partition afterwards, if anything, and its own options.
    column_weights : mapping
        How much a quasi-identifier counts in the distance; 1 where nothing is said.
    standardise : bool
        Bring the columns to mean 0 and standard deviation 1 first.
    aggregate : str
        The common value of a group: "mean" or "median".
    centroid : str
        The common value of categories in a hierarchy: "semantic" or "subsumer".
    suppress, beyond : float
        The largest share of records that may be suppressed, and how far from all frequent tuples such records lie.
    outliers : str
        What becomes of outliers that are not suppressed: "group" them like all others, or let them "join" the group of
        the nearest frequent tuple.
    missing : str
        "refuse", "drop" or "impute".
    round : bool, tuple of str or mapping
        True: columns of whole numbers stay whole. Names: these are rounded to whole numbers. A mapping gives digits.
    bound : float, optional
        Seconds to spend on proving how low the loss of any partition can be.
    shuffle : bool
        Put the released rows into a random order, which does not follow from the seed.
    seed : int
        What random choices follow from.
    """

    k: int
    quasi: tuple[str, ...] | None = None
    identifiers: tuple[str, ...] = ()
    confidential: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    weights: str | None = None
    kinds: Mapping[str, Any] = field(default_factory=dict)
    method: str = "auto"
    refine: str | None = None
    refine_options: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    column_weights: Mapping[str, float] = field(default_factory=dict)
    standardise: bool = True
    aggregate: str = "mean"
    centroid: str = "semantic"
    suppress: float = 0.0
    beyond: float = 0.5
    outliers: str = "group"
    missing: str = "refuse"
    round: bool | tuple[str, ...] | Mapping[str, int] = False
    bound: float | None = None
    shuffle: bool = False
    seed: int = 0

    def roles(self, names: Sequence[str]) -> dict[str, Role]:
        """Give every column its role, or say which name is wrong.

        >>> Plan(k=3, quasi=("age",), identifiers=("name",)).roles(["name", "age", "pay"])["pay"].value
        'other'
        """
        known = set(names)
        claims = {Role.IDENTIFIER: self.identifiers, Role.CONFIDENTIAL: self.confidential}
        for what, columns in {
            "quasi": self.quasi or (),
            "identifiers": self.identifiers,
            "confidential": self.confidential,
            "by": self.by,
            "weights": (self.weights,) if self.weights is not None else (),
            "round": tuple(self.round) if not isinstance(self.round, bool) else (),
        }.items():
            for name in columns:
                if name not in known:
                    raise InvalidOption(f"{what}: {no_such_column(name, names)}")
        roles: dict[str, Role] = {}
        for role, columns in claims.items():
            for name in columns:
                _claim(roles, name, role)
        bystanders = {*self.by, *((self.weights,) if self.weights is not None else ())}
        if self.quasi is None:
            quasi: Collection[str] = [name for name in names if name not in roles and name not in bystanders]
        else:
            quasi = self.quasi
        for name in quasi:
            if name in bystanders:
                what = "weights" if name == self.weights else "by"
                raise InvalidOption(f"column {name!r} is named in quasi and in {what}; it can have one role only.")
            _claim(roles, name, Role.QUASI)
        for name in bystanders & set(self.identifiers):
            raise InvalidOption(f"column {name!r} is an identifier and is left out; it cannot serve as by or weights.")
        if Role.QUASI not in roles.values():
            raise InvalidData("there is no quasi-identifier to microaggregate: name at least one column in quasi.")
        return {name: roles.get(name, Role.OTHER) for name in names}

    def changed(self, **changes: Any) -> Plan:
        """Give the plan with some of its choices made anew.

        Kinds and options are added to those that stand, name by name. Another method, or another refinement, does not
        inherit the options of the one before it, and what was said of columns that are quasi-identifiers no longer is
        dropped.

        >>> plan = Plan(k=3, quasi=("age", "sex"), kinds={"sex": "nominal"}, method="vmdav", options={"gamma": 0.1})
        >>> plan.changed(k=5, method="mdav", quasi=("age",))
        Plan(k=5, quasi=('age',), ..., kinds={}, method='mdav', refine=None, refine_options={}, options={}, ...)
        """
        known = [item.name for item in fields(self)]
        for name in changes:
            if name not in known:
                raise InvalidOption(f"a plan has no {name!r}; it has {', '.join(known)}.")
        plan = self
        if changes.get("method", self.method) != self.method:
            plan = replace(plan, options={})
        if changes.get("refine", self.refine) != self.refine:
            plan = replace(plan, refine_options={})
        if "quasi" in changes and changes["quasi"] is not None:
            quasi = set(changes["quasi"])
            plan = replace(
                plan,
                kinds={name: kind for name, kind in plan.kinds.items() if name in quasi},
                column_weights={name: weight for name, weight in plan.column_weights.items() if name in quasi},
            )
        for name in ("kinds", "options", "refine_options", "column_weights"):
            if name in changes:
                changes[name] = {**getattr(plan, name), **(changes[name] or {})}
        return replace(plan, **changes)


def _claim(roles: dict[str, Role], name: str, role: Role) -> None:
    taken = roles.get(name)
    if taken is role:
        raise InvalidOption(f"column {name!r} is named twice as {role}.")
    if taken is not None:
        raise InvalidOption(f"column {name!r} is named as {taken} and as {role}; it can have one role only.")
    roles[name] = role
