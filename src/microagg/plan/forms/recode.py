"""Steps of recoding by the names of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from microagg.errors import InvalidOption
from microagg.plan.forms.form import Flag
from microagg.plan.forms.reading import read_table, wrong
from microagg.plan.forms.tables import TableForm
from microagg.recode import check_steps


@dataclass(frozen=True)
class Recoding(TableForm):
    """What is done with columns before anything else: the steps of each, in their order."""

    described: str = "mapping of str to str or sequence of str, optional"

    def check(self, name: str, value: Any) -> dict[str, tuple[str, ...]]:
        """Give the steps of each column, if there are such."""
        return {column: check_steps(column, steps) for column, steps in super().check(name, value).items()}

    def read(self, name: str, value: Any) -> dict[str, Any]:
        """Give the steps in a plan file."""
        for steps in read_table(name, value).values():
            if not isinstance(steps, str) and not (isinstance(steps, list) and all(isinstance(s, str) for s in steps)):
                raise wrong(name, "a table of steps: a text for each column, or an array of texts", value)
        return dict(value)

    def parse(self, typed: Sequence[Any]) -> dict[str, list[str]]:
        """Read NAME=STEP each time; a column that is named again has a further step."""
        return split_steps(typed[0])

    def spell(self, flags: Sequence[Flag], value: Any) -> list[str]:
        """Write the flag for each step."""
        flag = flags[0].spellings[0]
        return [word for column, steps in value.items() for step in steps for word in (flag, f"{column}={step}")]

    def call(self, value: Any) -> Any:
        """Give the steps as lists."""
        return {column: list(steps) for column, steps in value.items()}

    def tell(self, value: Any) -> str:
        """Say the steps of each column."""
        return "; ".join(f"{column}: {', '.join(steps)}" for column, steps in value.items()) or "none"


def split_steps(texts: Sequence[str]) -> dict[str, list[str]]:
    """Read --recode, of which the last equals sign counts: steps have none.

    >>> split_steps(["age=top:90", "income=bottom:5%", "income=round:1000"])
    {'age': ['top:90'], 'income': ['bottom:5%', 'round:1000']}
    """
    steps: dict[str, list[str]] = {}
    for text in texts:
        name, equals, step = text.rpartition("=")
        if not equals or not name.strip():
            raise InvalidOption(f"--recode must be written NAME=STEP, such as age=top:90; got {text!r}.")
        steps.setdefault(name.strip(), []).append(step.strip())
    return steps
