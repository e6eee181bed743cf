"""`choice`: a field of a plan, declared once with its help, check and spelling on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

from microagg.plan.forms import Flag, Form

_KEY = "choice"


@dataclass(frozen=True)
class Choice:
    """A field of the plan, as the command line, plan files, reports and help texts see it.

    Attributes
    ----------
    name : str
        The keyword of `anonymize` and the key in a plan file.
    form : Form
        What values it takes: how they are checked, stored and spelt.
    default : object
        What holds where nothing is said; `dataclasses.MISSING` where something must be.
    help : str
        One line for the command line.
    doc : str
        What the help of `anonymize` says.
    comment : str
        What a plan file says beside the value.
    flags : tuple of Flag
        How it is spelt on the command line.
    title : str
        Its heading among the settings in a report; "" where the report tells it elsewhere.
    words : callable, optional
        `words(plan)` says for people what was chosen; the form says it where this is None.
    needed : callable, optional
        `needed(plan)` says whether a printed command has it; those that differ from their default where this is None.
    formerly : tuple of str
        Names that it had before, which are still understood.
    """

    name: str
    form: Form
    default: Any
    help: str
    doc: str
    comment: str
    flags: tuple[Flag, ...]
    title: str
    words: Callable[[Any], str] | None = None
    needed: Callable[[Any], bool] | None = None
    formerly: tuple[str, ...] = ()

    def differs(self, value: Any) -> bool:
        """Say whether a value is another than the default."""
        return self.default is MISSING or bool(value != self.default)


def choice(
    help: str,
    form: Form,
    *,
    default: Any = MISSING,
    doc: str | None = None,
    comment: str | None = None,
    flag: str | None = None,
    flags: tuple[Flag, ...] = (),
    metavar: str | None = None,
    title: str | None = None,
    words: Callable[[Any], str] | None = None,
    needed: Callable[[Any], bool] | None = None,
    formerly: str | None = None,
) -> Any:
    """Declare a field of the plan; see `Choice` for what is said of it.

    What is left out is derived: the flag and the title from the name, the comment and the documentation from the help.

    >>> @dataclass(frozen=True)
    ... class Small:
    ...     seed: int = choice("What random choices follow from.", Form(), default=0)
    >>> (shown,) = choices_of(Small)
    >>> shown.flags[0].spellings, shown.title, shown.comment
    (('--seed',), 'Seed', 'what random choices follow from')
    """
    declared = {
        "help": help,
        "form": form,
        "doc": help if doc is None else doc,
        "comment": help[:1].lower() + help[1:].rstrip(".") if comment is None else comment,
        "flags": flags or (Flag(tuple(flag.split()) if flag else (), help=help, metavar=metavar),),
        "title": title,
        "words": words,
        "needed": needed,
        "formerly": () if formerly is None else (formerly,),
    }
    if isinstance(default, Mapping):
        return field(default_factory=dict, metadata={_KEY: {**declared, "default": dict(default)}})
    return field(default=default, metadata={_KEY: {**declared, "default": default}})


def choices_of(plan: type) -> tuple[Choice, ...]:
    """Give the choices of a plan in their order."""
    return tuple(_choice(item) for item in fields(plan))


def _choice(item: Field[Any]) -> Choice:
    declared = dict(item.metadata[_KEY])
    if declared["title"] is None:
        declared["title"] = item.name.replace("_", " ").capitalize()
    declared["flags"] = tuple(flag.named(item.name) for flag in declared["flags"])
    return Choice(name=item.name, **declared)
