"""What options a function takes, read from its signature, so that nothing is said twice."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from microagg.errors import InvalidOption

COMMON_OPTIONS = frozenset({"seed", "threads", "progress", "promises", "effort", "device"})
"""Accepted everywhere: what makes no random choices, has no threads, no long loops or no search honours them by doing
nothing; groups of what knows of no promises are repaired afterwards; what has no kernels is refused on a device."""


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
    microagg.errors.InvalidOption: method 'vmdav' cannot honour the option 'gama'; did you mean 'gamma'? It takes gamma.
    """
    for option in asked:
        if option not in taken:
            allowed, question = ", ".join(taken) or "no options", did_you_mean(option, taken)
            rule = f"{question} It takes {allowed}." if question else f"it takes {allowed}."
            raise InvalidOption(f"{what} cannot honour the option {option!r}; {rule[0].lower()}{rule[1:]}")


def nearest(name: object, known: Iterable[str]) -> str | None:
    """Give the name that was probably meant, if there is one that looks alike, whatever its case.

    >>> nearest("quassi", ["k", "quasi"]), nearest("zzz", ["k", "quasi"]), nearest("AGE", ["age", "Agent"])
    ('quasi', None, 'age')
    """
    folded = {each.casefold(): each for each in reversed(list(known))}
    close = difflib.get_close_matches(str(name).casefold(), list(folded), n=1)
    return folded[close[0]] if close else None


def hint(name: object, allowed: Iterable[str]) -> str:
    """Put the question at the end of a sentence: a space before it, where there is one.

    >>> hint("max_pases", ["max_passes", "time_limit"]), hint("colour", ["gamma"])
    (" Did you mean 'max_passes'?", '')
    """
    question = did_you_mean(name, allowed)
    return f" {question}" if question else ""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Ask whether the name that looks alike was meant; nothing where there is none.

    >>> did_you_mean("quassi", ["k", "quasi"]), did_you_mean("zzz", ["k", "quasi"])
    ("Did you mean 'quasi'?", '')
    """
    close = nearest(name, known)
    return "" if close is None else f"Did you mean {close!r}?"


def takes(function: Callable[..., Any], name: str) -> bool:
    """Say whether a function has a keyword.

    >>> takes(own_options, "seed")
    False
    """
    return name in _keywords(function)


def _keywords(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    every = inspect.signature(function).parameters
    return {name: p for name, p in every.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
