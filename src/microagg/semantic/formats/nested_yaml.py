"""Nested mappings in YAML, where PyYAML is installed."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from microagg.errors import FileProblem, InvalidData, MissingExtra
from microagg.semantic.formats.form import HierarchyFormat
from microagg.semantic.formats.nested import from_nested, to_nested
from microagg.semantic.hierarchy import Hierarchy


def read(text: str) -> Hierarchy:
    """Read nested mappings of plain values."""
    yaml = _yaml()

    class Loader(yaml.SafeLoader):  # type: ignore[misc,name-defined]
        """Reads plain values, without merge keys: a few lines of them can stand for any number of nodes."""

        def flatten_mapping(self, node: Any) -> None:
            if any(key.tag == "tag:yaml.org,2002:merge" for key, _ in node.value):
                raise InvalidData("merge keys (<<) are not taken: write the names below each node.")
            super().flatten_mapping(node)

    try:
        tree = yaml.load(text, Loader)
    except yaml.MarkedYAMLError as error:
        where = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise FileProblem(f"this is not YAML{where}: {error.problem}.") from error
    except yaml.YAMLError as error:
        raise FileProblem("this is not YAML: it holds characters that have no place in a text.") from error
    except InvalidData:
        raise
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        # PyYAML's readers of dates and numbers raise what they happen to raise.
        raise FileProblem("this is not YAML: a date or a number in it is impossible. Put names in quotes.") from error
    return from_nested(tree)


def write(hierarchy: Hierarchy) -> str:
    """Write nested mappings; a leaf holds null."""
    text: str = _yaml().safe_dump(to_nested(hierarchy), allow_unicode=True, sort_keys=False)
    return text


def _yaml() -> Any:
    if importlib.util.find_spec("yaml") is None:
        raise MissingExtra("hierarchies in YAML need PyYAML: pip install 'microagg[io]'. JSON works without.")
    return importlib.import_module("yaml")


FORMAT = HierarchyFormat("yaml", read, write, (".yaml", ".yml"), most_bytes=1 << 20)
"""YAML is read about 20 times as slowly as the others."""
