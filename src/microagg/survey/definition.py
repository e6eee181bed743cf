"""What a survey asks for: its fields, their rules, and how it will be released."""

from __future__ import annotations

import datetime
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from microagg.base.checks import check_count, check_k, check_seed
from microagg.base.schema import Role
from microagg.constraints import CONSTRAINTS
from microagg.errors import InvalidAnswers, InvalidOption, Problem
from microagg.files.text import MOST_TOML, parse_toml, read_text
from microagg.incremental.two_stage import check_stages

TYPES: Final = ("number", "integer", "category", "date", "boolean", "text")
"""What a field may hold."""
FORMATS: Final = ("csv", "parquet")
"""What a release may be written as."""
PROMISES: Final = ("l", "p", "t")
"""What may be promised of confidential fields."""
FORMULAS: Final = ("escape", "keep")
"""What becomes of text that spreadsheet programs take for formulas."""
SURPLUS: Final = ("refuse", "ignore")
"""What becomes of answers that hold more than the fields."""
NAME = re.compile(r"[a-z0-9_-]{1,64}")
"""What a survey may be called."""
EXACT = 2**53
"""Beyond this, floats skip whole numbers."""
LARGEST = 1e50
"""Numbers lie within plus and minus this: the fourth powers of 10^9 of them can still be added up."""
SMALLEST = 1e-50
"""Numbers nearer to 0 than this are taken as 0, for the same reason."""
MOST_CHOICES = 2000
"""How many choices a category may have."""
LONGEST_NAME = 64
"""How many characters the name of a field may have."""
LONGEST = {"category": 200, "text": 10_000}
"""How many characters a value may have."""
MOST_PROBLEMS = 100
"""How many problems of one batch are named."""

Row = tuple[Any, ...]
"""The values of one answer in the order of the fields: int, float, str, bool, ISO dates, None where there is none."""


def read_closes(text: str) -> datetime.datetime:
    """Read when a survey closes.

    >>> read_closes("2026-09-01T20:00:00+02:00").isoformat()
    '2026-09-01T20:00:00+02:00'
    """
    try:
        closes = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise InvalidOption("closes must be a moment such as 2026-09-01T20:00:00+02:00; it cannot be read.") from None
    return check_closes(closes)


def check_closes(closes: datetime.datetime) -> datetime.datetime:
    """Refuse a moment that different people would take for different ones."""
    if not isinstance(closes, datetime.datetime) or closes.utcoffset() is None:
        raise InvalidOption(
            f"closes must be a moment with a time zone, such as 2026-09-01T20:00:00+02:00; got {closes!r}."
        )
    return closes


@dataclass(frozen=True)
class Field:
    """One question of a survey.

    Attributes
    ----------
    name : str
        The name of the column.
    type : {"number", "integer", "category", "date", "boolean", "text"}
        What an answer holds here. Dates are ISO text, 2026-09-01.
    role : str
        "quasi" (microaggregated), "confidential" or "other" (released as they are), "identifier" (never released).
    required : bool
        Whether every answer must have it. Missing quasi-identifiers are released as missing: nothing is invented.
    least, most : number or ISO date, optional
        The smallest and the largest value allowed. Numbers lie within plus and minus 1e50 in any case, whole numbers
        within 2^53.
    choices : sequence of str, optional
        The only values allowed of a category, at most 2000. Without them any text is taken; the rarest ones are
        released as "(other)" where there are too many to be grouped apart.

    Examples
    --------
    >>> Field("age", "integer", least=0, most=120).to_dict()
    {'name': 'age', 'type': 'integer', 'role': 'quasi', 'least': 0, 'most': 120}
    """

    name: str
    type: str
    role: str = Role.QUASI
    required: bool = True
    least: float | str | None = None
    most: float | str | None = None
    choices: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip() or len(self.name) > LONGEST_NAME:
            raise InvalidOption(f"the name of a field must be text of 1 to {LONGEST_NAME} characters.")
        if not self.name.isprintable():
            raise InvalidOption("the name of a field must have printable characters only: no line breaks, no tabs.")
        what = f"field {self.name!r}"
        if self.type not in TYPES:
            raise InvalidOption(f"{what}: type must be one of {', '.join(TYPES)}; got {self.type!r}.")
        if self.role not in {role.value for role in Role}:
            raise InvalidOption(f"{what}: role must be one of {', '.join(Role)}; got {self.role!r}.")
        if self.role == Role.QUASI and self.type == "text":
            raise InvalidOption(
                f"{what}: free text cannot be a quasi-identifier. Make it a category, or give it another role."
            )
        if not isinstance(self.required, bool):
            raise InvalidOption(f"{what}: required must be true or false; got {self.required!r}.")
        if self.choices is not None:
            if self.type != "category":
                raise InvalidOption(f"{what}: choices are for fields of type category.")
            choices = tuple(self.choices) if not isinstance(self.choices, str) else ()
            if not choices or not all(isinstance(c, str) and c for c in choices) or len(set(choices)) < len(choices):
                raise InvalidOption(f"{what}: choices must be a list of different texts.")
            if len(choices) > MOST_CHOICES:
                raise InvalidOption(f"{what}: there may be {MOST_CHOICES} choices at most; got {len(choices)}.")
            for choice in choices:
                try:
                    _category(choice)
                except Refused as refused:
                    raise InvalidOption(f"{what}: each of the choices {refused}.") from None
            object.__setattr__(self, "choices", choices)
        object.__setattr__(self, "role", Role(self.role))
        self._check_limits(what)

    def _check_limits(self, what: str) -> None:
        if self.least is None and self.most is None:
            return
        if self.type not in {"number", "integer", "date"}:
            raise InvalidOption(f"{what}: least and most are for numbers, integers and dates.")
        for name in ("least", "most"):
            given = getattr(self, name)
            if given is not None:
                try:
                    object.__setattr__(self, name, _READERS[self.type](given))
                except Refused as refused:
                    raise InvalidOption(f"{what}: {name} {refused}; got {given!r}.") from None
        # Dates in ISO form are ordered as text.
        if self.least is not None and self.most is not None and self.least > self.most:  # type: ignore[operator]
            raise InvalidOption(f"{what}: least must not be above most.")

    def to_dict(self) -> dict[str, Any]:
        """Give the field as plain values, without what is as by default."""
        described: dict[str, Any] = {"name": self.name, "type": self.type, "role": str(self.role)}
        if not self.required:
            described["required"] = False
        for name in ("least", "most"):
            if getattr(self, name) is not None:
                described[name] = getattr(self, name)
        if self.choices is not None:
            described["choices"] = list(self.choices)
        return described

    def reader(self) -> Callable[[Any], Any]:
        """Give the function that checks and normalises one value."""
        read, required, least, most = _READERS[self.type], self.required, self.least, self.most
        choices = None if self.choices is None else frozenset(self.choices)
        bounded = least is not None or most is not None

        def reader(value: Any) -> Any:
            if value is None:
                if required:
                    raise Refused("is required")
                return None
            answer = read(value)
            if bounded:
                if least is not None and answer < least:
                    raise Refused(f"must be at least {least}")
                if most is not None and answer > most:
                    raise Refused(f"must be at most {most}")
            if choices is not None and answer not in choices:
                raise Refused("must be one of the choices of this field")
            return answer

        return reader


@dataclass(frozen=True)
class Definition:
    """A survey: what is asked, until when, and how its answers will be released.

    Attributes
    ----------
    name : str
        Small letters, digits, - and _, at most 64.
    k : int
        Every released record will share its quasi-identifiers with at least k - 1 others.
    fields : sequence of Field
        The questions; at least one is a quasi-identifier.
    closes : datetime, optional
        When the survey closes by itself, with a time zone. Without it, nothing is grouped before `close` is called.
    expected : int, optional
        How many answers are expected in all; else the pace so far is taken to go on.
    method : str
        The method of the base stage, and of everything where there is one stage only.
    rest : str
        What happens to the answers after the base stage: "nearest_moving", they join its groups, whose centroids move
        with each of them, or "nearest", as published, they join by the centroids of the base stage, or a method.
    refine : str, optional
        What improves the whole in the end; None for nothing.
    refine_options : mapping
        Its own options: in TOML, a table [refine_options].
    l, p, t : mapping of str to int, float or str
        What is promised of confidential fields, as in `microagg.anonymize`: in TOML, tables [l], [p] and [t]. Where the
        answers make it impossible nothing is published, and they are kept.
    deadline : float, optional
        Seconds allowed from closing to the release; the release is as early as can be without.
    keep_identifiers : bool
        Keep identifiers in a table of their own, which the release never reads; they are dropped at the door else.
    seed : int
        What random choices of the methods follow from.
    format : {"csv", "parquet"}
        What the release is written as.
    surplus : {"refuse", "ignore"}
        What becomes of answers that hold more than the fields: they are refused, or what is no field is left aside and
        never stored.
    formulas : {"escape", "keep"}
        What becomes of text that spreadsheet programs take for formulas when they open a CSV file, because it begins
        with = + - @, a tab or the end of a line: an apostrophe is put before it, or it is kept as it was sent.

    Examples
    --------
    >>> survey = Definition("wellbeing", k=5, fields=[Field("age", "integer", least=0), Field("pay", "number")])
    >>> survey.check([{"age": 31.0, "pay": 2200}])
    [(31, 2200.0)]
    >>> survey.check([{"age": -1, "pay": 2200}])
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidAnswers: answer 1, field 'age': must be at least 0. None of the answers was taken.
    """

    name: str
    k: int
    fields: Sequence[Field]
    closes: datetime.datetime | None = None
    expected: int | None = None
    method: str = "mdav"
    rest: str = "nearest_moving"
    refine: str | None = "local"
    refine_options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    l: Mapping[str, Any] = field(default_factory=dict, hash=False)  # noqa: E741
    p: Mapping[str, Any] = field(default_factory=dict, hash=False)
    t: Mapping[str, Any] = field(default_factory=dict, hash=False)
    deadline: float | None = None
    keep_identifiers: bool = False
    seed: int = 0
    format: str = "csv"
    formulas: str = "escape"
    surplus: str = "refuse"

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple(self.fields))
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            raise InvalidOption(
                f"the name of a survey must be 1 to 64 small letters, digits, - and _; got {self.name!r}."
            )
        check_k(self.k, EXACT)
        if not self.fields or not all(isinstance(field, Field) for field in self.fields):
            raise InvalidOption("a survey needs at least one field.")
        names = [field.name.casefold() for field in self.fields]
        if len(set(names)) < len(names):
            raise InvalidOption("each field needs a name of its own, in whatever case it is written.")
        if not any(field.role == Role.QUASI for field in self.fields):
            raise InvalidOption("a survey needs at least one field whose role is quasi.")
        if self.closes is not None:
            check_closes(self.closes)
        if self.expected is not None:
            check_count("expected", self.expected, least=self.k)
        if self.deadline is not None and not (_is_number(self.deadline) and 0 <= self.deadline < math.inf):
            raise InvalidOption(f"deadline must be a number of seconds of at least 0; got {self.deadline!r}.")
        if not isinstance(self.keep_identifiers, bool):
            raise InvalidOption(f"keep_identifiers must be true or false; got {self.keep_identifiers!r}.")
        check_seed(self.seed)
        if self.format not in FORMATS:
            raise InvalidOption(f"format must be one of {', '.join(FORMATS)}; got {self.format!r}.")
        if self.formulas not in FORMULAS:
            raise InvalidOption(f"formulas must be one of {', '.join(FORMULAS)}; got {self.formulas!r}.")
        if self.surplus not in SURPLUS:
            raise InvalidOption(f"surplus must be one of {', '.join(SURPLUS)}; got {self.surplus!r}.")
        for what in PROMISES:
            _check_promised(what, getattr(self, what), self.named(Role.CONFIDENTIAL))
        check_stages(self.method, None, self.rest, None, self.refine, self.refine_options)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a definition from a TOML file: the attributes as keys, each field as a table [[fields]]."""
        return cls.from_dict(parse_toml(read_text(path, MOST_TOML), Path(path).name))

    @classmethod
    def from_dict(cls, described: Mapping[str, Any]) -> Self:
        """Make a definition of plain values, as `to_dict` gives them.

        >>> plain = {"name": "a", "k": 3, "fields": [{"name": "age", "type": "integer"}], "method": "vmdav"}
        >>> Definition.from_dict(plain).method
        'vmdav'
        """
        asked = dict(described)
        _known("a survey", asked, _NAMES, ("name", "k", "fields"))
        if not isinstance(asked["fields"], list) or not all(isinstance(item, Mapping) for item in asked["fields"]):
            raise InvalidOption("fields must be a list of tables: in TOML, [[fields]] before each of them.")
        for item in asked["fields"]:
            _known("a field", item, _FIELD_NAMES, ("name", "type"))
        asked["fields"] = [Field(**item) for item in asked["fields"]]
        if isinstance(asked.get("closes"), str):
            asked["closes"] = read_closes(asked["closes"])
        if asked.get("refine") == "none":
            asked["refine"] = None
        return cls(**asked)

    def to_dict(self) -> dict[str, Any]:
        """Give the definition as plain values, ready for JSON."""
        described = {name: getattr(self, name) for name in _NAMES}
        described["fields"] = [field.to_dict() for field in self.fields]
        described |= {name: dict(getattr(self, name)) for name in ("refine_options", *PROMISES)}
        described["closes"] = None if self.closes is None else self.closes.isoformat()
        return described

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields, in order."""
        return tuple(field.name for field in self.fields)

    def named(self, role: Role) -> tuple[str, ...]:
        """Give the names of the fields of one role.

        >>> Definition("a", 3, [Field("age", "integer"), Field("id", "text", "identifier")]).named(Role.IDENTIFIER)
        ('id',)
        """
        return tuple(field.name for field in self.fields if field.role == role)

    @cached_property
    def _readers(self) -> list[tuple[str, Callable[[Any], Any]]]:
        return [(field.name, field.reader()) for field in self.fields]

    def check(self, records: Iterable[Any]) -> list[Row]:
        """Check answers against the fields, and give them as rows in the order of the fields.

        Parameters
        ----------
        records : iterable of mappings
            Field name -> value: numbers, text, truth values, ISO dates; None or nothing where there is no value.

        Returns
        -------
        list of tuple

        Raises
        ------
        InvalidAnswers
            With a `Problem` for each rule that was broken, the first hundred of them.
        """
        readers, known = self._readers, set(self.names)
        rows: list[Row] = []
        problems: list[Problem] = []
        for index, record in enumerate(records):
            if type(record) is not dict and not isinstance(record, Mapping):
                problems.append(Problem(index, None, "must be an object with the fields of the survey"))
                continue
            row = []
            seen = 0
            for name, reader in readers:
                value = record.get(name)
                seen += value is not None
                try:
                    row.append(reader(value))
                except Refused as refused:
                    problems.append(Problem(index, name, str(refused)))
            if len(record) > seen and self.surplus == "refuse":
                problems += [
                    Problem(index, str(name)[:LONGEST_NAME], "is not a field of this survey")
                    for name in record
                    if name not in known
                ]
            if len(problems) >= MOST_PROBLEMS:
                break
            rows.append(tuple(row))
        if problems:
            raise InvalidAnswers(problems[:MOST_PROBLEMS])
        return rows


_NAMES = tuple(item.name for item in fields(Definition))
_FIELD_NAMES = tuple(item.name for item in fields(Field))


class Refused(Exception):
    """A value breaks a rule; the message is the rule."""


def _check_promised(what: str, promised: Any, confidential: Sequence[str]) -> None:
    """Refuse promises of what is no confidential field, and such as nobody can read."""
    if not isinstance(promised, Mapping):
        raise InvalidOption(f"{what} must be a table of confidential fields; got {promised!r}.")
    for name, said in promised.items():
        if name not in confidential:
            allowed = ", ".join(map(repr, confidential)) or "none"
            raise InvalidOption(f"{what} is promised of confidential fields ({allowed}); got {name!r}.")
        CONSTRAINTS[what].read(name, said)


def _known(what: str, given: Mapping[str, Any], known: Sequence[str], needed: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise InvalidOption(f"{what} has no attribute {name!r}; it may have {', '.join(known)}.")
    for name in needed:
        if name not in given:
            raise InvalidOption(f"{what} needs {name}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """Give NumPy's scalars as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _number(value: Any) -> float:
    if type(value) is not float:
        value = _plain(value)
        if not _is_number(value):
            raise Refused("must be a number")
        try:
            value = float(value)
        except OverflowError:
            raise Refused(f"must be a finite number between -{LARGEST:g} and {LARGEST:g}") from None
    if not -LARGEST <= value <= LARGEST:
        raise Refused(f"must be a finite number between -{LARGEST:g} and {LARGEST:g}")
    # One zero, not two that look different in a file.
    return 0.0 if -SMALLEST < value < SMALLEST else value


def _integer(value: Any) -> int:
    if type(value) is not int:
        value = _plain(value)
        if not _is_number(value) or (isinstance(value, float) and not value.is_integer()):
            raise Refused("must be a whole number")
        value = int(value)
    if not -EXACT <= value <= EXACT:
        raise Refused(f"must be between -{EXACT} and {EXACT}")
    return value  # type: ignore[no-any-return]


def _text(value: Any, longest: int) -> str:
    if not isinstance(value, str):
        raise Refused("must be text")
    if len(value) > longest:
        raise Refused(f"must have at most {longest} characters")
    if "\0" in value or not (value.isascii() or _is_unicode(value)):
        raise Refused("must be text without zero bytes and unpaired surrogates")
    return value


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _category(value: Any) -> str:
    text = _text(value, LONGEST["category"])
    if not text:
        raise Refused("must not be empty")
    return text


def _date(value: Any) -> str:
    if isinstance(value, str) and len(value) == len("2026-09-01"):
        try:
            return datetime.date.fromisoformat(value).isoformat()
        except ValueError:
            pass
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    raise Refused("must be a date such as 2026-09-01")


def _boolean(value: Any) -> bool:
    value = _plain(value)
    if isinstance(value, bool) or (_is_number(value) and value in (0, 1)):
        return bool(value)
    raise Refused("must be true or false, or 1 or 0")


_READERS: dict[str, Callable[[Any], Any]] = {
    "number": _number,
    "integer": _integer,
    "category": _category,
    "date": _date,
    "boolean": _boolean,
    "text": lambda value: _text(value, LONGEST["text"]),
}
