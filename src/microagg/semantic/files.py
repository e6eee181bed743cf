"""Hierarchies in files: edges, ARX's levels, and nested JSON or YAML."""

from __future__ import annotations

import csv
import importlib.util
import io
import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from microagg.errors import FileProblem, InvalidData, InvalidOption, MissingExtra
from microagg.semantic.hierarchy import Hierarchy

MOST_BYTES = {"json": 16 << 20, "yaml": 1 << 20, "csv": 16 << 20}
"""How large a file of a hierarchy may be. YAML is read about 20 times as slowly as the others."""
MOST_LEVELS = 100
"""How deep a hierarchy in a file may be; WordNet, the deepest in use, has 20 levels."""
MOST_NESTED = 1_000_000
"""How many names a nested file may hold: a node with several parents is written below each, with all below it."""

FORMATS = ("edges", "levels", "json", "yaml")
_SUFFIXES = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}


def read_hierarchy(path: str | os.PathLike[str]) -> Hierarchy:
    """Read a hierarchy from a file.

    A CSV file with the header ``child,parent`` holds edges. Any other CSV file holds levels as ARX writes them: one
    row per value, separated by semicolons, from the value to the most general name; a name that repeats along a row
    counts once. JSON and YAML hold nested objects, ``{"animal": {"canine": ["wolf", "dog"], "cat": null}}``, with the
    root as the only key; a node with several parents is written below each of them.

    A file may hold 100 levels and 16 MiB (YAML: 1 MiB, no merge keys) at most.

    Parameters
    ----------
    path : path
        A file named .json, .yaml or .yml, or a CSV file of any other name.

    Returns
    -------
    Hierarchy

    References
    ----------
    F. Prasser, F. Kohlmayer. Putting statistical disclosure control into practice: the ARX data anonymization tool.
    Medical Data Privacy Handbook (2015) 111-148.
    """
    path = Path(path)
    form = _SUFFIXES.get(path.suffix.lower(), "csv")
    text = _text(path, MOST_BYTES[form])
    readers = {"json": _from_json, "yaml": _from_yaml, "csv": _from_csv}
    try:
        hierarchy = readers[form](text)
        if hierarchy.n_levels > MOST_LEVELS:
            raise _too_deep()
    except (InvalidData, FileProblem) as error:
        raise type(error)(f"{path}: {error}") from error
    except RecursionError as error:
        raise InvalidData(f"{path}: {_too_deep()}") from error
    return hierarchy


def write_hierarchy(hierarchy: Hierarchy, path: str | os.PathLike[str], *, form: str | None = None) -> None:
    """Write a hierarchy; the suffix says the form, edges for CSV unless form is "levels".

    Levels can hold trees only, with one row for each leaf; shorter rows repeat the root.
    """
    path = Path(path)
    chosen = form or _SUFFIXES.get(path.suffix.lower(), "edges")
    if chosen not in FORMATS:
        raise InvalidOption(f"form must be one of {', '.join(FORMATS)}; got {chosen!r}.")
    if chosen == "json":
        text = json.dumps(to_nested(hierarchy), ensure_ascii=False, indent=2) + "\n"
    elif chosen == "yaml":
        text = _yaml().safe_dump(to_nested(hierarchy), allow_unicode=True, sort_keys=False)
    else:
        rows = [("child", "parent"), *hierarchy.edges] if chosen == "edges" else _levels(hierarchy)
        buffer = io.StringIO()
        csv.writer(buffer, delimiter="," if chosen == "edges" else ";", lineterminator="\n").writerows(rows)
        text = buffer.getvalue()
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileProblem(f"{path} cannot be written: {error.strerror}.") from error


def _text(path: Path, most: int) -> str:
    """Read the text of a file that is not too large."""
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise InvalidData(
                f"{path}: a hierarchy of this form may take {most >> 20} MiB at most. Keep the values that occur, or "
                "write edges (child,parent)."
            )
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(f"{path} is not UTF-8 text: {error}. Save it as UTF-8.") from error
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error


def _too_deep() -> InvalidData:
    return InvalidData(f"a hierarchy in a file may have {MOST_LEVELS} levels at most; this one is deeper. Merge some.")


def _from_json(text: str) -> Hierarchy:
    try:
        return from_nested(json.loads(text))
    except json.JSONDecodeError as error:
        raise FileProblem(f"this is not JSON: {error}.") from error
    except ValueError as error:
        if isinstance(error, InvalidData):
            raise
        raise FileProblem("this is not JSON: a number in it is too long. Names must be text.") from error


def _from_yaml(text: str) -> Hierarchy:
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


def from_nested(tree: Any) -> Hierarchy:
    """Build a hierarchy of nested mappings; leaves are lists of names, or names that hold nothing.

    >>> from_nested({"animal": {"canine": ["wolf", "dog"], "cat": None}}).edges
    (('canine', 'animal'), ('wolf', 'canine'), ('dog', 'canine'), ('cat', 'animal'))
    """
    if not isinstance(tree, dict) or len(tree) != 1:
        raise InvalidData("a nested hierarchy must be one object with one key, the root.")
    ((root, below),) = tree.items()
    edges = list(_nested_edges(str(root), below))
    return Hierarchy.from_edges(edges) if edges else Hierarchy((str(root),), ((),))


def to_nested(hierarchy: Hierarchy) -> dict[str, Any]:
    """Give a hierarchy as nested mappings; a leaf holds None.

    >>> to_nested(Hierarchy.from_edges([("dog", "animal"), ("cat", "animal")]))
    {'animal': {'dog': None, 'cat': None}}
    """
    if hierarchy.n_levels > MOST_LEVELS:
        raise InvalidOption(f"nested forms hold {MOST_LEVELS} levels at most; write edges (.csv).")
    n_written = 0

    def below(node: int) -> dict[str, Any] | None:
        nonlocal n_written
        n_written += 1
        if n_written > MOST_NESTED:
            raise InvalidOption(
                f"nested forms repeat what is below a node with several parents: more than {MOST_NESTED} names here. "
                "Write edges (.csv)."
            )
        return {hierarchy.names[child]: below(child) for child in hierarchy.children[node]} or None

    return {hierarchy.root: below(hierarchy.find(hierarchy.root))}


def _nested_edges(root: str, tree: Any) -> Iterator[tuple[str, str]]:
    """Give the edges of nested mappings, depth first.

    Of a mapping that occurs again (an alias in YAML) only the edges to its new parent are given: the others are known.
    """
    seen: dict[int, Any] = {}
    stack = [(root, iter(_below(root, tree)))]
    while stack:
        parent, names = stack[-1]
        name, deeper = next(names, (None, None))
        if name is None:
            stack.pop()
            continue
        yield name, parent
        below = _below(name, deeper)
        stack.append((name, iter([(lower, None) for lower, _ in below] if id(deeper) in seen else below)))
        seen[id(deeper)] = deeper


def _below(parent: str, tree: Any) -> list[tuple[str, Any]]:
    """Give the names right below a node, each with what is below it."""
    if tree is None:
        return []
    if isinstance(tree, dict):
        return [(str(name), deeper) for name, deeper in tree.items()]
    if not isinstance(tree, list):
        raise InvalidData(f"what is below {parent!r} must be an object, a list of names or null.")
    for name in tree:
        if isinstance(name, dict | list) or name is None:
            raise InvalidData(f"the list below {parent!r} must hold names only; write an object for deeper levels.")
    return [(str(name), None) for name in tree]


def _from_csv(text: str) -> Hierarchy:
    try:
        return _from_rows(text)
    except csv.Error as error:
        raise FileProblem(f"this is not CSV: {error}. Is a closing quote missing?") from error


def _from_rows(text: str) -> Hierarchy:
    lines = text.splitlines()
    if not any(line.strip() for line in lines):
        raise InvalidData("the file is empty.")
    if [cell.strip().lower() for cell in next(csv.reader(lines[:1]))] == ["child", "parent"]:
        edges = []
        for number, row in enumerate(csv.reader(lines[1:]), start=2):
            if len(row) != 2 or not all(cell.strip() for cell in row):
                if any(cell.strip() for cell in row):
                    raise InvalidData(f"line {number} must hold a child and a parent; it holds {len(row)} cells.")
                continue
            edges.append((row[0].strip(), row[1].strip()))
        return Hierarchy.from_edges(edges)
    edges, tops = [], set()
    for number, row in enumerate(csv.reader(lines, delimiter=";"), start=1):
        names = [cell.strip() for cell in row]
        if not any(names):
            continue
        if not all(names):
            raise InvalidData(f"line {number} has an empty level; every level of a value needs a name.")
        path = [name for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
        edges += list(itertools.pairwise(path))
        tops.add(path[-1])
    if not edges and len(tops) == 1:
        return Hierarchy((*tops,), ((),))
    if not edges:
        raise InvalidData(
            "the file holds neither edges nor levels: start it with the header child,parent, or write one row per "
            "value with its levels separated by semicolons."
        )
    return Hierarchy.from_edges(edges)


def _levels(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    paths = []
    for leaf, below in enumerate(hierarchy.children):
        if below:
            continue
        path = [leaf]
        while hierarchy.parents[path[-1]]:
            if len(hierarchy.parents[path[-1]]) > 1:
                raise InvalidOption(
                    f"levels can hold trees only, and {hierarchy.names[path[-1]]!r} has several parents. "
                    "Write edges, JSON or YAML, or make it a tree first."
                )
            path.append(hierarchy.parents[path[-1]][0])
        paths.append([hierarchy.names[node] for node in path])
    longest = max(len(path) for path in paths)
    return [(*path, *[path[-1]] * (longest - len(path))) for path in paths]


def _yaml() -> Any:
    if importlib.util.find_spec("yaml") is None:
        raise MissingExtra("hierarchies in YAML need the package PyYAML: pip install PyYAML. JSON works without.")
    return importlib.import_module("yaml")
