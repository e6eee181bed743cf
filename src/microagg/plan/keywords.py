"""Keywords of functions that take what a plan says: their signature, their help, and plans made of them."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING
from typing import Any, TypeVar

from microagg.base.options import nearest
from microagg.errors import InvalidOption
from microagg.partition import METHODS
from microagg.plan.plan import AUTO, AUTOMATIC, CHOICES, Plan, in_present_words

Function = TypeVar("Function", bound=Callable[..., Any])
MARK = "{choices}"
WIDTH = 112


def plan_of(what: str, asked: Mapping[str, Any], also: Collection[str] = ()) -> Plan:
    """Make a plan of keywords: those that are no choice of a plan are options of the method.

    Parameters
    ----------
    what : str
        What was called, for messages.
    asked : mapping
        The keywords; "options" may hold options of the method too.
    also : collection of str
        What else it takes, which may have been meant.

    Examples
    --------
    >>> plan_of("anonymize", {"k": 3, "method": "vmdav", "gamma": 0.1}).options
    {'gamma': 0.1}
    >>> plan_of("anonymize", {"k": 3, "quassi": ["age"]})
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidOption: anonymize has no option 'quassi'; did you mean 'quasi'?
    """
    asked = in_present_words(asked)
    known = [item.name for item in CHOICES]
    method = asked.get("method", AUTO)
    names = AUTOMATIC if method == AUTO else (method,) if isinstance(method, str) and method in METHODS else ()
    own = {option for name in names for option in METHODS[name].options}
    more = {name: value for name, value in asked.items() if name not in known}
    for name in more:
        meant = None if name in own or not names else nearest(name, [*known, *also, *own])
        if meant is not None and meant not in own:
            raise InvalidOption(f"{what} has no option {name!r}; did you mean {meant!r}?")
    chosen = {name: value for name, value in asked.items() if name in known and name != "options"}
    options = asked.get("options")
    if more:
        options = {**(options or {}), **more}
    return Plan(**chosen, options=options if options is not None else {})


def takes_choices(function: Function) -> Function:
    """Show the choices of a plan in the signature and in the help of a function that takes them as keywords.

    They stand after its own parameters that have no default, and before those that have one; in the docstring, in the
    place of {choices}.
    """
    signature = inspect.signature(function)
    own = list(signature.parameters.values())
    named = {item.name for item in own}
    shown = [item for item in CHOICES if item.name not in named and item.name != "options"]
    keywords = [
        inspect.Parameter(
            item.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if item.default is MISSING else _default(item.default),
        )
        for item in shown
    ]
    first = [item for item in own if item.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    options = inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD)
    rest = [item for item in own if item.kind is inspect.Parameter.KEYWORD_ONLY]
    function.__signature__ = signature.replace(parameters=[*first, *keywords, *rest, options])  # type: ignore[attr-defined]
    if function.__doc__ is not None:
        function.__doc__ = function.__doc__.replace(f"    {MARK}\n", textwrap.indent(described(shown), "    "))
    return function


def described(items: Collection[Any] = CHOICES) -> str:
    """Write what there is to choose, as docstrings do.

    >>> print(described(CHOICES[:1]))
    k : int
        Every record will share its quasi-identifiers with at least k - 1 others.
    <BLANKLINE>
    """
    lines = []
    for item in items:
        text = textwrap.wrap(" ".join(item.doc.split()), WIDTH)
        lines += [f"{item.name} : {item.form.described}", *(f"    {line}" for line in text)]
    return "\n".join(lines) + "\n"


def _default(value: Any) -> Any:
    """Give a default as a call shows it: None for a mapping that is empty."""
    return None if isinstance(value, Mapping) else value


if Plan.__doc__ is not None:
    Plan.__doc__ += textwrap.indent(f"\nAttributes\n----------\n{described()}", "    ")
