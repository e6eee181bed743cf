"""A file of finished candidates, so that an interrupted comparison goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from microagg import io
from microagg.base.schema import Storage
from microagg.base.table import Table
from microagg.compare.candidates import DECIDED_LATER, Candidate
from microagg.errors import FileProblem
from microagg.files.text import MOST_JSON, parse_json, read_text
from microagg.plan import Plan, PlanFile, dump

PRIVATE = "Keep this file as private as the data: checksums and exact losses tell whether a guess is right."


class Kept:
    """Finished candidates in a file, each under a checksum of all that decides it: data, plan, hierarchies, version.

    The file is readable by the user alone, and says that it is as private as the data: checksums and exact losses tell
    whether a guess of values is right.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self._path = path
        self._fingerprint = fingerprint
        self._entries = _read_entries(path)

    def get(self, plan: Plan, wanted: set[str]) -> dict[str, Any] | None:
        """Give a candidate that is kept with all the measures that are wanted."""
        entry = self._entries.get(self._key(plan))
        if entry is None or not wanted <= set(entry["values"]):
            return None
        values = {name: math.nan if value is None else value for name, value in entry["values"].items()}
        return {**entry, "values": values}

    def put(self, plan: Plan, outcome: Mapping[str, Any]) -> None:
        """Keep a candidate: the file is whole at any moment."""
        values = {name: value if math.isfinite(value) else None for name, value in outcome["values"].items()}
        self._entries[self._key(plan)] = {**outcome, "values": values}
        content = {"microagg": "results of a comparison", "private": PRIVATE, "candidates": self._entries}
        with io.atomic_path(self._path, mode=io.PRIVATE) as temporary:
            temporary.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")

    def _key(self, plan: Plan) -> str:
        from microagg import __version__

        files = [kind.partition(":")[2] for kind in plan.kinds.values() if isinstance(kind, str)]
        marks = [io.sha256(file) for file in files if file and Path(file).is_file()]
        parts = (__version__, self._fingerprint, dump(PlanFile(plan)), *marks)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


_ENTRY = {item.name for item in fields(Candidate)} - set(DECIDED_LATER) | {"method", "refine"}


def _read_entries(path: Path) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    try:
        entries: dict[str, dict[str, Any]] = parse_json(read_text(path, MOST_JSON))["candidates"]
        # Without the refinement that was chosen, as it was once kept, a candidate is made again.
        entries = {key: entry for key, entry in entries.items() if set(entry) != _ENTRY - {"refine"}}
        if all(set(entry) == _ENTRY and isinstance(entry["values"], dict) for entry in entries.values()):
            return entries
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise FileProblem(f"{path} does not hold results of a comparison. Move it away or name another file.")


def fingerprint_of(table: Table) -> str:
    """Give a checksum of what a table holds."""
    digest = hashlib.sha256()
    for name in table.names:
        digest.update(f"{name!r} {table.storage(name)}\n".encode("utf-8", "backslashreplace"))
        if table.storage(name) is Storage.NUMERIC:
            column = table.numeric(name)
            digest.update(column.values.tobytes() + str(column.is_integer).encode())
        else:
            categories = table.categories(name)
            digest.update(categories.codes.tobytes() + repr(categories.values).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()
