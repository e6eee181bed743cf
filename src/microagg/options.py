"""What options a function takes, read from its signature, so that nothing is said twice."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from microagg.errors import InvalidOption

COMMON_OPTIONS = frozenset({"seed", "threads", "progress"})
"""Accepted everywhere: what makes no random choices, has no threads or no long loops honours them by doing nothing."""


def own_options(function: Callable[..., Any]) -> dict[str, Any]:
    """Give the keyword-only parameters of a function with their defaults, without the common ones.

    >>> def cut(X, k, *, gamma=0.2, seed=0): ...
    >>> own_options(cut)
    {'gamma': 0.2}
    """
    return {name: p.default for name, p in _keywords(function).items() if name not in COMMON_OPTIONS}


def honoured(function: Callable[..., Any], common: Mapping[str, Any]) -> dict[str, Any]:
    """Of the common options, give those that mean something to a function.

    >>> def cut(X, k, *, gamma=0.2, seed=0): ...
    >>> honoured(cut, {"seed": 3, "threads": 2})
    {'seed': 3}
    """
    keywords = _keywords(function)
    return {name: value for name, value in common.items() if name in keywords}


def check_options(what: str, taken: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Refuse an option that something cannot honour.

    >>> check_options("method 'vmdav'", {"gamma": 0.2}, {"gamma": 1.0})
    >>> check_options("method 'vmdav'", {"gamma": 0.2}, {"gama": 1.0})
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidOption: method 'vmdav' cannot honour the option 'gama'; it takes gamma. Did you mean 'gamma'?
    """
    for option in asked:
        if option not in taken:
            allowed = ", ".join(taken) or "no options"
            raise InvalidOption(f"{what} cannot honour the option {option!r}; it takes {allowed}.{hint(option, taken)}")


def hint(name: object, allowed: Iterable[str]) -> str:
    """Name what somebody who misspelt a name may have meant; nothing where no name is near.

    >>> hint("max_pases", ["max_passes", "time_limit"]), hint("colour", ["gamma"])
    (" Did you mean 'max_passes'?", '')
    """
    close = difflib.get_close_matches(str(name), list(allowed), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _keywords(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    every = inspect.signature(function).parameters
    return {name: p for name, p in every.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
