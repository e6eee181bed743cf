"""Nested objects in JSON."""

from __future__ import annotations

import json

from microagg.errors import FileProblem, InvalidData
from microagg.semantic.formats.form import HierarchyFormat
from microagg.semantic.formats.nested import from_nested, to_nested
from microagg.semantic.hierarchy import Hierarchy


def read(text: str) -> Hierarchy:
    """Read nested objects.

    >>> read('{"animal": {"canine": ["wolf", "dog"], "cat": null}}').root
    'animal'
    """
    try:
        return from_nested(json.loads(text))
    except json.JSONDecodeError as error:
        raise FileProblem(f"this is not JSON: {error}.") from error
    except ValueError as error:
        if isinstance(error, InvalidData):
            raise
        raise FileProblem("this is not JSON: a number in it is too long. Names must be text.") from error


def write(hierarchy: Hierarchy) -> str:
    """Write nested objects; a leaf holds null."""
    return json.dumps(to_nested(hierarchy), ensure_ascii=False, indent=2) + "\n"


FORMAT = HierarchyFormat("json", read, write, (".json",))
