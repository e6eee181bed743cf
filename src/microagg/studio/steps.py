"""What changed from one plan to the next, small enough to be written down for every step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microagg.plan.plan import CHOICES, Plan

SET, UNSET, PUT, DROPPED = "set", "unset", "put", "dropped"
"""Values as a whole; choices without a value; parts of mappings or names of columns that came, and that went."""


def changes_of(before: Plan | None, after: Plan) -> dict[str, dict[str, Any]]:
    """Say what differs between two plans, as plain values; of no plan, all that is not the default.

    Of mappings only the keys that changed are told, and of names of columns those that came, with their places.

    >>> one = Plan(k=3, quasi=("age", "sex"), others="refuse")
    >>> changes_of(one, one.changed(quasi=("age", "pay", "sex")))
    {'put': {'quasi': [[1, 'pay']]}}
    """
    changes: dict[str, dict[str, Any]] = {SET: {}, UNSET: {}, PUT: {}, DROPPED: {}}
    for item in CHOICES:
        new = getattr(after, item.name)
        old = getattr(before, item.name) if before is not None else None if item.name == "k" else item.default
        if new == old and not (before is None and item.name == "k"):
            continue
        if new is None:
            changes[UNSET][item.name] = True
        elif isinstance(new, Mapping) and isinstance(old, Mapping) and old:
            parts = {key: value for key, value in new.items() if key not in old or old[key] != value}
            _note(changes, item.name, _plain(parts), [key for key in old if key not in new])
        elif _are_names(new) and _are_names(old) and old:
            gone = [name for name in old if name not in new]
            put = [[place, name] for place, name in enumerate(new) if name not in old]
            if _merged(old, put, gone) == new:
                _note(changes, item.name, put, gone)
            else:
                changes[SET][item.name] = list(new)
        else:
            changes[SET][item.name] = _plain(new)
    return {what: of for what, of in changes.items() if of}


def followed(before: Plan | None, changes: Mapping[str, Any]) -> Plan:
    """Give the plan that changes lead to.

    >>> one = Plan(k=3, quasi=("age", "sex"), kinds={"age": "numeric"})
    >>> two = Plan(k=5, quasi=("sex",), unit="house")
    >>> followed(one, changes_of(one, two)) == two, followed(None, changes_of(None, two)) == two
    (True, True)
    """
    values: dict[str, Any] = {} if before is None else {item.name: getattr(before, item.name) for item in CHOICES}
    known = {item.name: item for item in CHOICES}
    for name in changes.get(UNSET, {}):
        values[name] = None
    for name, value in changes.get(SET, {}).items():
        values[name] = known[name].form.read(name, value) if name in known else value
    put, dropped = changes.get(PUT, {}), changes.get(DROPPED, {})
    for name in {**put, **dropped}:
        old = values.get(name, ())
        if isinstance(old, Mapping):
            left = {key: value for key, value in old.items() if key not in dropped.get(name, ())}
            values[name] = left | dict(put.get(name, {}))
        else:
            values[name] = _merged(old, put.get(name, ()), dropped.get(name, ()))
    return Plan(**values)


def _note(changes: dict[str, dict[str, Any]], name: str, put: Any, gone: Any) -> None:
    if put:
        changes[PUT][name] = put
    if gone:
        changes[DROPPED][name] = gone


def _plain(value: Any) -> Any:
    """Give lists for tuples, as TOML has them."""
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return value


def _are_names(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(part, str) for part in value)


def _merged(old: Any, put: Any, gone: Any) -> tuple[str, ...]:
    names = [name for name in old if name not in gone]
    for place, name in put:
        names.insert(place, name)
    return tuple(names)
