"""The masks by name, and how what users write of them is read."""

from __future__ import annotations

import math

from microagg.base.options import hint
from microagg.errors import InvalidOption
from microagg.mask import noise, pram, swap
from microagg.mask.mask import ChosenMask, Mask

MASKS: dict[str, Mask] = {mask.name: mask for mask in (noise.MASK, swap.MASK, pram.MASK)}
"""Every mask."""


def read_mask(text: str) -> ChosenMask:
    """Read a mask as users write it.

    >>> chosen = read_mask("noise:0.1:correlated")
    >>> chosen.mask.name, chosen.amount, chosen.words
    ('noise', 0.1, ('correlated',))
    """
    allowed = " or ".join(mask.pattern for mask in MASKS.values())
    if not isinstance(text, str):
        raise InvalidOption(f"a mask must be written {allowed}; got {text!r}.")
    name, *rest = text.strip().split(":")
    if name not in MASKS:
        raise InvalidOption(f"a mask must be written {allowed}; got {text!r}.{hint(name, MASKS)}")
    mask = MASKS[name]
    try:
        amount = float(rest[0])
    except (IndexError, ValueError):
        amount = math.nan
    if not mask.least <= amount <= mask.most:
        raise InvalidOption(
            f"mask {name}: the {mask.amount} must be a number from {mask.least:g} to {mask.most:g}; got {text!r}, "
            f"which is written {mask.pattern}."
        )
    words = tuple(rest[1:])
    for word in words:
        if word not in mask.words:
            known = ", ".join(mask.words) or "no words"
            raise InvalidOption(f"mask {name} takes {known} after its {mask.amount}; got {word!r}.")
    if len(set(words)) < len(words):
        raise InvalidOption(f"mask {name}: a word is given twice; got {text!r}.")
    return ChosenMask(mask, amount, words)


def check_mask(column: str, text: object) -> None:
    """Refuse what is no mask of a column.

    >>> check_mask("income", "swap:5")
    """
    try:
        read_mask(text)  # type: ignore[arg-type]
    except InvalidOption as error:
        raise InvalidOption(f"column {column!r}: {error}") from None
