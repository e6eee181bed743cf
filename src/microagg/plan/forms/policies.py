"""One word for all columns, or one for each column that is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from microagg.errors import InvalidOption
from microagg.plan.forms.form import Flag, Form
from microagg.plan.forms.reading import read_text, wrong


@dataclass(frozen=True)
class Policies(Form):
    """A word, or a mapping of names of columns to words; "*" names all columns that are not named.

    Attributes
    ----------
    rule : callable
        Gives what a plan holds, or says what is wrong with it.
    meanings : mapping of str to str
        What each word means, for people.
    """

    described: str = "str or mapping of str to str"
    rule: Callable[[object], str | dict[str, str]] = str
    meanings: tuple[tuple[str, str], ...] = ()

    @property
    def repeats(self) -> bool:
        """Whether the flag may be typed several times."""
        return True

    def check(self, name: str, value: Any) -> str | dict[str, str]:
        """Give the word, or the words of columns, if the rule allows them."""
        return self.rule(value)

    def read(self, name: str, value: Any) -> Any:
        """Give the word of a plan file, or those of its table."""
        if isinstance(value, str):
            return value
        if not isinstance(value, dict):
            raise wrong(name, "a text, or a table of texts", value)
        return {column: read_text(f"{name} of {column!r}", word) for column, word in value.items()}

    def parse(self, typed: Sequence[Any]) -> Any:
        """Read WORD, for all columns, or NAME=WORD each time."""
        words: dict[str, str] = {}
        for text in typed[0]:
            name, equals, word = text.rpartition("=")
            column = name.strip() if equals else "*"
            if column in words:
                raise InvalidOption(f"--missing is given twice for {column!r}: {words[column]} and {word.strip()}.")
            words[column] = word.strip()
        return words

    def spell(self, flags: Sequence[Flag], value: Any) -> list[str]:
        """Write the flag for all columns, and for each that is named."""
        words = value if isinstance(value, Mapping) else {"*": value}
        typed = [word if column == "*" else f"{column}={word}" for column, word in words.items()]
        return [word for text in typed for word in (flags[0].spellings[0], text)]

    def tell(self, value: Any) -> str:
        """Say what becomes of all columns, and of each that is named."""
        meaning = dict(self.meanings)
        words: Mapping[str, str] = value if isinstance(value, Mapping) else {"*": value}
        others = [meaning[word] for column, word in words.items() if column == "*"]
        named = [f"{column}: {meaning[word]}" for column, word in words.items() if column != "*"]
        return "; ".join([*named, *([f"others: {word}" for word in others] if named else others)])
