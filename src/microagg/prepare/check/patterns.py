"""What texts look like that point to a person: e-mail addresses, telephone and account numbers, and their like."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

MOST_TEXT = 200
"""Longer texts match nothing: they are no numbers or names, and patterns must not take long."""


def _iban(text: str) -> bool:
    """Say whether a text is an International Bank Account Number: its check digits are right (ISO 13616)."""
    compact = text.replace(" ", "").upper()
    if re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", compact) is None:
        return False
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def _card(text: str) -> bool:
    """Say whether a text is the number of a payment card: 13 to 19 digits whose check digit is right (Luhn)."""
    digits = re.sub(r"[ -]", "", text)
    if re.fullmatch(r"\d{13,19}", digits) is None:
        return False
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(digits))]
    return sum(d - 9 * (d > 9) for d in doubled) % 10 == 0


def _phone(text: str) -> bool:
    """Say whether a text is written as telephone numbers are: 7 to 15 digits, with marks that plain numbers lack."""
    if re.fullmatch(r"(\+|00)?[\d(][\d ()./-]{5,24}", text) is None or _is_date(text):
        return False
    n_digits = sum(c.isdigit() for c in text)
    groups = re.findall(r"\d+", text)
    marked = text.startswith("+") or "(" in text or (len(groups) >= 3 and all(len(part) >= 2 for part in groups))
    return 7 <= n_digits <= 15 and marked and re.fullmatch(r"[\d.]+", text) is None


def _is_date(text: str) -> bool:
    date = r"\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}"
    return re.fullmatch(rf"{date}([ T]\d{{1,2}}[:.]\d{{2}}.*)?", text) is not None


def _like(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


PATTERNS: dict[str, Callable[[str], bool]] = {
    "e-mail addresses": _like(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"),
    "universally unique identifiers": _like(r"\{?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?"),
    "social security numbers": _like(
        r"\d{3}-\d{2}-\d{4}|\d{2} ?\d{6} ?[A-Z] ?\d{3}|[12] \d{2} \d{2} \d{2} \d{3} \d{3}.*"
    ),
    "bank account numbers (IBAN)": _iban,
    "payment card numbers": _card,
    "addresses of computers": _like(r"(\d{1,3}\.){3}\d{1,3}|([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}"),
    "addresses of web pages": _like(r"(https?://|www\.)\S+"),
    "telephone numbers": _phone,
    "addresses of houses": _like(
        r"\d{1,5}[A-Za-z]? [^\d]{3,40}(st|street|ave|avenue|rd|road|blvd|lane|ln|drive|dr)\b\.?.*"
        r"|[^\d]{3,40}(str\.|straße|strasse|weg|gasse|platz) ?\d{1,4} ?[a-z]?(,.*)?"
    ),
}
"""What values may look like -> whether a text does."""

MOSTLY = 0.7
"""From which share of the values on a column is said to hold what they look like."""

_PARTICLE = r"(?:de|del|della|der|den|di|da|dos|du|la|le|van|von|zu|al|el|bin|ibn|y|e|of)"
_WORD = r"[^\W\d_a-zß-öø-ÿ][\w'’.()-]*"
_NAME = re.compile(rf"{_WORD},?(?: (?:{_PARTICLE} )?{_WORD},?){{1,4}}")


def pattern_of(texts: Sequence[str]) -> tuple[str, int] | None:
    """Say what most of some texts look like, and how many do.

    >>> pattern_of(["a@b.org", "c.d@e.com"])
    ('e-mail addresses', 2)
    >>> pattern_of(["north", "south"])
    """
    if not texts:
        return None
    first = texts[:50]
    for what, matches in PATTERNS.items():
        if sum(len(text) <= MOST_TEXT and matches(text) for text in first) < MOSTLY / 2 * len(first):
            continue
        count = sum(len(text) <= MOST_TEXT and matches(text) for text in texts)
        if count >= MOSTLY * len(texts):
            return what, count
    return None


def n_like_names(texts: Sequence[str]) -> int:
    """Count the texts that are written as names of people are: two to five words with capitals.

    >>> n_like_names(["Ada Lovelace", "Cumings, Mrs. John", "blue"])
    2
    """
    return sum(len(text) <= 80 and _NAME.fullmatch(text) is not None for text in texts)
