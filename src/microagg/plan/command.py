"""A plan in words: the command line and the call in Python that make its release, and the settings of a report."""

from __future__ import annotations

import shlex
from typing import Any

from microagg.partition import METHODS
from microagg.plan.plan import CHOICES, Plan


def command_of(plan: Plan, source: str = "INPUT", target: str = "OUTPUT") -> str:
    """Write a plan as a call of `microagg anonymize`.

    >>> command_of(Plan(k=3, quasi=("age", "net, pay"), method="mdav"), "people.csv", "out.csv")
    'microagg anonymize people.csv -k 3 --quasi \\'age,"net, pay"\\' --method mdav --seed 0 -o out.csv'
    """
    words = ["microagg", "anonymize", source]
    for item in CHOICES:
        value = getattr(plan, item.name)
        if item.differs(value) if item.needed is None else item.needed(plan):
            words += item.form.spell(item.flags, value)
    words += ["-o", target]
    if plan.method in METHODS and METHODS[plan.method].per_column:
        words += ["--accept-not-k-anonymous"]
    return shlex.join(words)


def call_of(plan: Plan, memory: int | None = None) -> str:
    """Write a plan as a call in Python; of a file where the work was done within so many bytes.

    >>> call_of(Plan(k=3, quasi=("age",), method="vmdav", options={"gamma": 0.1}))
    "microagg.anonymize(data, k=3, quasi=['age'], method='vmdav', gamma=0.1)"
    """
    asked: dict[str, Any] = {
        item.name: item.form.call(getattr(plan, item.name))
        for item in CHOICES
        if item.name != "options" and (item.name == "method" or item.differs(getattr(plan, item.name)))
    }
    asked.update(plan.options)
    if memory is not None:
        asked["memory"] = memory
    arguments = ", ".join(f"{name}={value!r}" for name, value in asked.items())
    return f"microagg.anonymize{'(data' if memory is None else '_file(source, target'}, {arguments})"


def settings_of(plan: Plan) -> dict[str, str]:
    """Say for people what a plan decides: heading -> words. Roles and kinds of columns are told elsewhere.

    >>> settings_of(Plan(k=3, shuffle=True))["Row order"]
    'shuffled'
    """
    settings = {}
    for item in CHOICES:
        if item.title:
            value = getattr(plan, item.name)
            settings[item.title] = item.form.tell(value) if item.words is None else item.words(plan)
        if item.name == "method" and plan.method in METHODS:
            settings["Published in"] = METHODS[plan.method].reference
    return settings
