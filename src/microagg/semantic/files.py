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

FORMATS = ("edges", "levels", "json", "yaml")
_SUFFIXES = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}


def read_hierarchy(path: str | os.PathLike[str]) -> Hierarchy:
    """Read a hierarchy from a file.

    A CSV file with the header ``child,parent`` holds edges. Any other CSV file holds levels as ARX writes them: one
    row per value, separated by semicolons, from the value to the most general name; a name that repeats along a row
    counts once. JSON and YAML hold nested objects, ``{"animal": {"canine": ["wolf", "dog"], "cat": null}}``, with the
    root as the only key; a node with several parents is written below each of them.

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
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(f"{path} is not UTF-8 text: {error}. Save it as UTF-8.") from error
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error
    form = _SUFFIXES.get(path.suffix.lower())
    try:
        if form is not None:
            return from_nested(json.loads(text) if form == "json" else _yaml().safe_load(text))
        return _from_csv(text)
    except json.JSONDecodeError as error:
        raise FileProblem(f"{path} is not JSON: {error}.") from error
    except InvalidData as error:
        raise InvalidData(f"{path}: {error}") from error


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

    def below(node: int) -> dict[str, Any] | None:
        return {hierarchy.names[child]: below(child) for child in hierarchy.children[node]} or None

    return {hierarchy.root: below(hierarchy.find(hierarchy.root))}


def _nested_edges(parent: str, below: Any) -> Iterator[tuple[str, str]]:
    if below is None:
        return
    if isinstance(below, dict):
        for name, deeper in below.items():
            yield str(name), parent
            yield from _nested_edges(str(name), deeper)
    elif isinstance(below, list):
        for name in below:
            if isinstance(name, dict | list) or name is None:
                raise InvalidData(f"the list below {parent!r} must hold names only; write an object for deeper levels.")
            yield str(name), parent
    else:
        raise InvalidData(f"what is below {parent!r} must be an object, a list of names or null.")


def _from_csv(text: str) -> Hierarchy:
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
