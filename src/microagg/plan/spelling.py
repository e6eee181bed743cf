"""How names, pairs and values are written on a command line: readers and writers side by side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from microagg.errors import InvalidOption

_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)')


def split_names(text: str | None) -> list[str]:
    """Split a list of column names at its commas; a name in quotes may hold commas, and quotes written twice.

    >>> split_names("age, income"), split_names('age,"net, pay"')
    (['age', 'income'], ['age', 'net, pay'])
    """
    names = [quoted.replace('""', '"') or plain.strip() for quoted, plain in _NAME.findall(text or "")]
    return [name for name in names if name]


def join_names(names: Sequence[str]) -> str:
    """Join names by commas; one that a comma or a space would tear apart is quoted.

    >>> join_names(["age", "net, pay"])
    'age,"net, pay"'
    """
    return ",".join(
        '"' + name.replace('"', '""') + '"' if "," in name or name != name.strip() or name.startswith('"') else name
        for name in names
    )


def split_pair(text: str) -> tuple[str, str]:
    """Split NAME=VALUE at its last equals sign.

    >>> split_pair("net=pay=2")
    ('net=pay', '2')
    """
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip():
        raise InvalidOption(f"options must be written NAME=VALUE; got {text!r}.")
    return name.strip(), value.strip()


def split_kinds(texts: Sequence[str]) -> dict[str, str]:
    """Read --kind, of which the first equals sign counts.

    >>> split_kinds(["sex=nominal", "job=hierarchy:job.csv"])
    {'sex': 'nominal', 'job': 'hierarchy:job.csv'}
    """
    kinds = {}
    for text in texts:
        name, equals, kind = text.partition("=")
        if not equals or not name.strip():
            raise InvalidOption(f"--kind must be written NAME=KIND; got {text!r}.")
        kinds[name.strip()] = kind.strip()
    return kinds


def read_option(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE; a value that looks like a number or truth value becomes one.

    >>> read_option("gamma=0.2"), read_option("gamma=auto")
    (('gamma', 0.2), ('gamma', 'auto'))
    """
    name, value = split_pair(text)
    if value.lower() in {"true", "false"}:
        return name, value.lower() == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def read_options(texts: Iterable[str]) -> dict[str, Any]:
    """Read NAME=VALUE several times; NAME.PART=VALUE is a part of an option that has parts, such as path_options.

    >>> read_options(["path=nearest_neighbour", "path_options.dummy=city"])
    {'path': 'nearest_neighbour', 'path_options': {'dummy': 'city'}}
    """
    return nested(dict(map(read_option, texts)))


def nested(options: Mapping[str, Any]) -> dict[str, Any]:
    """Gather options that are spelt NAME.PART under their names.

    >>> nested({"c": 3, "path_options.kicks": 100, "path_options.depth": 3})
    {'c': 3, 'path_options': {'kicks': 100, 'depth': 3}}
    """
    gathered: dict[str, Any] = {}
    for name, value in options.items():
        outer, dot, part = name.partition(".")
        if dot and outer not in options:
            gathered.setdefault(outer, {})[part] = value
        elif dot:
            raise InvalidOption(f"the option {outer!r} must have either a value or parts ({name!r}); got both.")
        else:
            gathered[name] = value
    return gathered


def flat(options: Mapping[str, Any]) -> dict[str, Any]:
    """Spell options that have parts NAME.PART, as `read_options` reads them.

    >>> flat({"c": 3, "path_options": {"kicks": 100}})
    {'c': 3, 'path_options.kicks': 100}
    """
    spelt: dict[str, Any] = {}
    for name, value in options.items():
        if isinstance(value, Mapping):
            spelt.update({f"{name}.{part}": inner for part, inner in value.items()})
        else:
            spelt[name] = value
    return spelt
