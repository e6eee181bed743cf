"""Messages in the words of the command line, where they speak of keywords."""

from __future__ import annotations

import re

from microagg.plan import CHOICES

_FLAGS = {choice.name: choice.flags[0].spellings[-1] for choice in CHOICES if choice.name != "standardize"}
_FLAGS |= {"key": "--key", "header_row": "--header-row"}
_ELSEWHERE = {"memory", "engine", "accept_not_k_anonymous", "escape_formulas", "keep_index", "details"}
_KEYWORD = re.compile(r"\b([a-z_]+)=(?:'([^']*)'|(True)|(\[\.\.\.\])|\{\.\.\.: '([^']*)'\})")
_BOTH = re.compile(r"(?<![\w-])([a-z_]+), (--[a-z-]+)")


def in_flags(message: str) -> str:
    """Say a message with flags where it has keywords of Python; what is said in both ways is said once.

    >>> in_flags("Choose missing='drop' to leave such records out, or missing='impute'.")
    'Choose --missing drop to leave such records out, or --missing impute.'
    >>> in_flags("work in memory: memory='unlimited', --memory unlimited."), in_flags("left out (identifiers, --drop)")
    ('work in memory: --memory unlimited.', 'left out (--drop)')
    >>> in_flags("(identifiers=[...], --drop id,name)"), in_flags("(quasi=[...], --quasi)")
    ('(--drop id,name)', '(--quasi NAMES)')
    >>> in_flags("say what it is: kinds={...: 'nominal'}, --kind NAME=nominal")
    'say what it is: --kind NAME=nominal'
    >>> in_flags("shuffle=True, --shuffle puts them into another order")
    '--shuffle puts them into another order'
    """
    message = _KEYWORD.sub(_flag, message)
    message = _BOTH.sub(lambda both: both[2] if _FLAGS.get(both[1]) == both[2] else both[0], message)
    message = re.sub(r"(--[a-z-]+) NAMES, (?=\1 [^\s)])", "", message)
    return re.sub(r"(--[a-z-]+)( [^\s,;.()]+)?, \1(?:\2)?(?=[\s,;.)]|$)", r"\1\2", message)


def _flag(keyword: re.Match[str]) -> str:
    name, text, yes, names, of_column = keyword.groups()
    if name not in _FLAGS and name not in _ELSEWHERE:
        return keyword[0]
    flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
    if yes:
        return flag
    if names:
        return f"{flag} NAMES"
    return f"{flag} NAME={of_column}" if of_column is not None else f"{flag} {text}"
