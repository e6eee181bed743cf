"""The public names and how they are called, as text: python tests/public_api.py writes tests/public_api.txt anew.

Public is what `microagg` and the modules in MODULES list in `__all__`, and what else the reference names. A change of
that file is a change for users: see docs/stability.md.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LISTED = ROOT / "tests" / "public_api.txt"
MODULES = ("risk", "utility", "semantic", "incremental", "survey", "trajectory", "datasets", "errors")
OF_MODULES = {"microagg", *(f"microagg.{name}" for name in MODULES)}
DIRECTIVE = re.compile(r"^\.\. (?:auto(?:function|class)|data):: (\S+)$", re.MULTILINE)


def documented() -> list[str]:
    """Give the full names in the pages of the reference, as often as they stand there."""
    pages = sorted((ROOT / "docs" / "reference").glob("*.md"))
    names = [name for page in pages for name in DIRECTIVE.findall(page.read_text(encoding="utf-8"))]
    return [name if name.startswith("microagg.") else f"microagg.{name}" for name in names]


def exported() -> dict[str, Any]:
    """Give what the public modules list in `__all__`, by full name; modules themselves are left out."""
    names = {}
    for module in sorted(OF_MODULES):
        loaded = import_module(module)
        names |= {f"{module}.{name}": getattr(loaded, name) for name in loaded.__all__}
    return {name: value for name, value in names.items() if not inspect.ismodule(value)}


def value_of(name: str) -> Any:
    """Give what a full name stands for."""
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


def call_of(function: Any) -> str:
    """Give how a function is called: names, kinds and defaults, without types."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return "(...)"
    plain = [
        parameter.replace(annotation=parameter.empty, default=parameter.default)
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    text = str(signature.replace(parameters=plain, return_annotation=signature.empty))
    return re.sub(r"<factory>|<(?:function )?[^ ]*(?: object)? at 0x[0-9a-f]+>", "...", text)


def lines_of(name: str, value: Any) -> list[str]:
    """Give the lines of one name: its call, and its public members where it is a class."""
    if inspect.isfunction(value):
        return [f"{name}{call_of(value)}"]
    if not inspect.isclass(value):
        keys = f" {', '.join(sorted(map(str, value)))}" if isinstance(value, dict) else ""
        return [f"{name}: {type(value).__name__}{keys}"]
    if issubclass(value, BaseException):
        return [f"{name} < {', '.join(parent.__name__ for parent in value.__bases__)}"]
    lines = [f"{name}{call_of(value)}"]
    fields = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
    for member in sorted(dir(value)):
        if member.startswith("_") or member in fields:
            continue
        owner = next(parent for parent in value.__mro__ if member in vars(parent))
        if not owner.__module__.startswith("microagg"):  # scikit-learn's, and no business of ours
            continue
        what = inspect.getattr_static(value, member)
        if isinstance(what, classmethod | staticmethod):
            lines.append(f"{name}.{member}{call_of(getattr(value, member))}")
        elif inspect.isfunction(what):
            lines.append(f"{name}.{member}{call_of(what)}")
        else:
            lines.append(f"{name}.{member}")
    return lines


def listing() -> str:
    """Give all lines, in order of names."""
    names = (
        exported()
        | {name: value_of(name) for name in documented()}
        | {"microagg.Microaggregator": value_of("microagg.Microaggregator")}
    )
    return "".join(f"{line}\n" for name in sorted(names) for line in lines_of(name, names[name]))


if __name__ == "__main__":
    sys.exit(LISTED.write_text(listing(), encoding="utf-8") and 0)
