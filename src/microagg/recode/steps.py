"""The steps that there are, and how they are written: NAME:WHAT, the same text in Python, plans and commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microagg.base.options import hint
from microagg.errors import InvalidOption
from microagg.recode import bands, bottom, date, prefix, rare, rounding, top
from microagg.recode.step import Fit, StepKind

STEPS: dict[str, StepKind] = {
    kind.name: kind for kind in (top.STEP, bottom.STEP, bands.STEP, rounding.STEP, prefix.STEP, rare.STEP, date.STEP)
}
"""Name -> kind of step."""


def read_step(text: str) -> Fit:
    """Read a step.

    >>> read_step("tpo:90")
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidOption: recode: there is no step 'tpo:90'. Did you mean 'top'? Steps are top:90, ...
    """
    name, _, rest = text.strip().partition(":")
    kind = STEPS.get(name.strip().lower())
    if kind is None:
        listed = ", ".join(each.examples[0] for each in STEPS.values())
        raise InvalidOption(f"recode: there is no step {text!r}.{hint(name, STEPS)} Steps are {listed}.")
    return kind.read(rest.strip())


def check_steps(column: str, given: Any) -> tuple[str, ...]:
    """Give the steps of a column as a tuple of texts; a single one may stand alone.

    >>> check_steps("age", "top:90"), check_steps("income", ["bottom:5%", "top:99%"])
    (('top:90',), ('bottom:5%', 'top:99%'))
    """
    steps = [given] if isinstance(given, str) else given
    if not isinstance(steps, Sequence) or not all(isinstance(step, str) for step in steps) or not steps:
        raise InvalidOption(
            f"recode: the steps of column {column!r} must be a text such as 'top:90', or a list of such; got {given!r}."
        )
    for step in steps:
        read_step(step)
    return tuple(step.strip() for step in steps)
