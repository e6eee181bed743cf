"""Hierarchies in files: edges, ARX's levels, and nested JSON or YAML."""

from __future__ import annotations

import os
from pathlib import Path

from microagg.errors import FileProblem, InvalidData, InvalidOption
from microagg.semantic.formats import edges, levels, nested_json, nested_yaml
from microagg.semantic.formats.form import MOST_LEVELS, HierarchyFormat, too_deep
from microagg.semantic.hierarchy import Hierarchy

FORMATS: dict[str, HierarchyFormat] = {
    form.name: form for form in (edges.FORMAT, levels.FORMAT, nested_json.FORMAT, nested_yaml.FORMAT)
}
"""Name -> form. A new one is a file in `formats` and a place in this list."""


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
    forms = _forms(path)
    text = _text(path, max(form.most_bytes for form in forms))
    try:
        hierarchy = next(form for form in forms if form.recognizes(text)).read(text)
        if hierarchy.n_levels > MOST_LEVELS:
            raise too_deep()
    except (InvalidData, FileProblem) as error:
        raise type(error)(f"{path}: {error}") from error
    except RecursionError as error:
        raise InvalidData(f"{path}: {too_deep()}") from error
    return hierarchy


def write_hierarchy(hierarchy: Hierarchy, path: str | os.PathLike[str], *, form: str | None = None) -> None:
    """Write a hierarchy; the suffix says the form, edges for CSV unless form is "levels".

    Levels can hold trees only, with one row for each leaf; shorter rows repeat the root.
    """
    path = Path(path)
    chosen = form or _forms(path)[0].name
    if chosen not in FORMATS:
        raise InvalidOption(f"form must be one of {', '.join(FORMATS)}; got {chosen!r}.")
    text = FORMATS[chosen].write(hierarchy)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileProblem(f"{path} cannot be written: {error.strerror}.") from error


def _forms(path: Path) -> list[HierarchyFormat]:
    """Give the forms that a file of this name may have: those of its suffix, else those without a suffix."""
    suffix = path.suffix.lower()
    return [form for form in FORMATS.values() if suffix in form.suffixes] or [
        form for form in FORMATS.values() if not form.suffixes
    ]


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
