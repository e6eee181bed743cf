"""Two releases of the same data: what differs, and what somebody who holds both can learn.

A release hides every record among at least k. Somebody who holds two of them knows that a person is in a class of the
first *and* in a class of the second, so that only the records in both remain: classes of 5 and 5 may share one record.
This is the intersection attack, the simplest of the composition attacks [1]_.

.. [1] S. R. Ganta, S. P. Kasiviswanathan, A. Smith. Composition attacks and auxiliary information in data privacy.
   KDD (2008) 265-273.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from microagg import io, risk
from microagg.base.checks import check_count
from microagg.base.folding import folded
from microagg.base.groups import in_order
from microagg.base.schema import Role, Storage, no_such_column
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.errors import FileProblem, InvalidData, InvalidOption
from microagg.files.text import MOST_JSON, parse_json, read_text
from microagg.gate import Gate
from microagg.plan import Plan, read_plan_file, settled
from microagg.prepare.kinds import text_of
from microagg.release import AnyRelease

Alignment = Literal["key", "order", "columns", "none"]
"""How records of one release are found in the other: by a key, their order, columns that stayed, or not at all."""


@dataclass(frozen=True)
class ColumnChange:
    """How a column differs between the releases, over the records that are in both.

    Attributes
    ----------
    name : str
        The column.
    records : int
        How many records have another value.
    mean_change : float or None
        The mean absolute difference of numbers; None for other columns.
    """

    name: str
    records: int
    mean_change: float | None


@dataclass(frozen=True)
class Difference:
    """What differs between two releases, and what they tell together.

    Attributes
    ----------
    names : tuple of str
        The two releases.
    records : tuple of int
        How many records each has.
    alignment : str
        How records were found again: "key", "order", "columns" or "none".
    link : tuple of str
        The columns that found them.
    linked : int
        How many records were found in both.
    columns : tuple of ColumnChange
        The columns of both, in their order.
    missing : tuple of tuple of str
        The columns that only the first has, and only the second.
    choices : dict of str to tuple
        What the plans say differently, where both are known.
    losses : tuple of dict of str to float
        What each lost, where that is known.
    risks : tuple of dict of str to float
        Every risk in RISKS of the first, of the second, and of both together; the last is empty where no record could
        be found again.
    k : int
        What both promise.
    below : int
        How many records share their quasi-identifiers with fewer than k when both releases are known.
    disclosed : dict of str to int
        For confidential columns: how many records have a value that both releases together give away, and neither
        does alone.
    warnings : tuple of str
        What to know before publishing.
    """

    names: tuple[str, str]
    records: tuple[int, int]
    alignment: Alignment
    link: tuple[str, ...]
    linked: int
    columns: tuple[ColumnChange, ...]
    missing: tuple[tuple[str, ...], tuple[str, ...]]
    choices: Mapping[str, tuple[Any, Any]]
    losses: tuple[Mapping[str, float], Mapping[str, float]]
    risks: tuple[Mapping[str, float], Mapping[str, float], Mapping[str, float]]
    k: int
    below: int
    disclosed: Mapping[str, int]
    warnings: tuple[str, ...]

    @property
    def safe(self) -> bool:
        """Whether every record that was found in both still hides among at least k."""
        return self.below == 0

    @property
    def summary(self) -> dict[str, Any]:
        """Plain values, ready for JSON, exact: for the holder of the data."""
        return {**asdict(self), "safe": self.safe}

    @property
    def published(self) -> dict[str, Any]:
        """The same as it passes the gate: the losses are those of the original, all else follows from the releases."""
        return {**self.summary, "losses": tuple(self.losses_told)}

    def _repr_html_(self) -> str:
        """Show it in a notebook: key figures, what differs, and what both tell together."""
        from microagg.report.difference import render_difference

        return render_difference(self.published)

    @property
    def losses_told(self) -> tuple[dict[str, float | None], ...]:
        """What each release lost, rounded, or None where it has few records."""
        gates = (Gate(n_records, self.k) for n_records in self.records)
        return tuple(
            {name: gate.figure(value) for name, value in losses.items()}
            for gate, losses in zip(gates, self.losses, strict=True)
        )


@dataclass(frozen=True)
class Side:
    """One of the releases, and what is known of it."""

    name: str
    table: Table
    quasi: tuple[str, ...] | None = None
    confidential: tuple[str, ...] = ()
    k: int | None = None
    plan: Plan | None = None
    losses: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def diff(
    first: Any,
    second: Any,
    *,
    quasi: Sequence[str] | None = None,
    confidential: Sequence[str] = (),
    key: str | None = None,
    k: int | None = None,
) -> Difference:
    """Compare two releases of the same data, and combine them as an intruder would.

    Parameters
    ----------
    first, second : Release, frame or path
        A path may name a released file, a plan that names its output (`--save-plan`), what `microagg anonymize
        --json` printed, or a report in JSON.
    quasi : sequence of str, optional
        The quasi-identifiers, strata included; as the plans say by default.
    confidential : sequence of str
        Columns about which nothing must be learned; as the plans say by default.
    key : str, optional
        A column that tells records apart and is the same in both. Without it records are matched by their order where
        the columns that are no quasi-identifiers agree row by row, else by the values of these columns.
    k : int, optional
        What is to hold; the smaller k of the plans by default, else the smaller class of the two releases.

    Returns
    -------
    Difference

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [20, 21, 22, 60, 61, 62], "pay": [1, 9, 2, 8, 3, 7]})
    >>> one = pd.DataFrame({"age": [21, 21, 21, 61, 61, 61], "pay": people["pay"]})
    >>> other = pd.DataFrame({"age": [34, 34, 48, 48, 34, 48], "pay": people["pay"]})
    >>> difference = diff(one, other, quasi=["age"])
    >>> difference.k, difference.below, difference.risks[2]["smallest_class"], difference.safe
    (3, 6, 1, False)
    """
    sides = (_side(first, "first"), _side(second, "second"))
    a, b = sides
    used = [tuple(quasi) if quasi is not None else side.quasi for side in sides]
    used = [own if own is not None else other for own, other in zip(used, reversed(used), strict=True)]
    quasi_a, quasi_b = (_checked(side, names) for side, names in zip(sides, used, strict=True))
    common = [name for name in a.table.names if name in b.table.names]
    unchanged = [name for name in common if name not in quasi_a and name not in quasi_b]
    match = _match(a.table, b.table, key, unchanged)
    classes_a, classes_b = _classes(a.table, quasi_a), _classes(b.table, quasi_b)
    sizes_a, sizes_b = np.bincount(classes_a)[classes_a], np.bincount(classes_b)[classes_b]
    together = _combined_sizes(match, classes_a, classes_b)
    promised = [side.k for side in sides if side.k is not None]
    bound = check_count("k", k, 2) if k is not None else min(promised or [int(sizes_a.min()), int(sizes_b.min())])
    below = int((together < bound).sum())
    secret = tuple(confidential) or tuple(dict.fromkeys((*a.confidential, *b.confidential)))
    disclosed = _disclosed(a, b, match, classes_a, classes_b, secret)
    notes = (*a.notes, *b.notes, *_warnings(match, len(together), bound, below, together, disclosed))
    return Difference(
        names=(a.name, b.name),
        records=(a.table.n_records, b.table.n_records),
        alignment=match.how,
        link=match.link,
        linked=len(match.rows_a),
        columns=tuple(_change(a.table, b.table, name, match) for name in common),
        missing=(
            tuple(name for name in a.table.names if name not in common),
            tuple(name for name in b.table.names if name not in common),
        ),
        choices=_choices(a.plan, b.plan),
        losses=(a.losses, b.losses),
        risks=(risk.measure(sizes_a), risk.measure(sizes_b), risk.measure(together) if len(together) else {}),
        k=bound,
        below=below,
        disclosed=disclosed,
        warnings=notes,
    )


def _side(what: Any, position: str) -> Side:
    """Read a release, whatever it is given as."""
    if isinstance(what, AnyRelease):
        return Side(
            position,
            what.table,
            _quasi_of(what.roles, what.plan),
            tuple(name for name, role in what.roles.items() if role is Role.CONFIDENTIAL),
            what.plan.k,
            settled(what),
            dict(what.losses),
        )
    if not isinstance(what, str | os.PathLike):
        return Side(position, io.wrap(what))
    path = Path(what)
    if path.suffix.lower() == ".toml":
        return _side_of_plan(path)
    if path.suffix.lower() == ".json":
        return _side_of_json(path)
    return Side(str(path), io.read(path))


def _quasi_of(roles: Mapping[str, Any], plan: Plan) -> tuple[str, ...]:
    return (*(name for name, role in roles.items() if role == Role.QUASI), *plan.by)


def _side_of_plan(path: Path) -> Side:
    content = read_plan_file(path)
    if content.output is None:
        raise InvalidOption(f"{path} names no output: make the release with -o and --save-plan, or name its file.")
    released = _beside(content.output.file, path)
    table, plan = io.read(released), content.plan
    losses = {name: value for name, value in content.results.items() if name == "information_loss"}
    return Side(
        str(released),
        table,
        _quasi_of(plan.roles([*plan.identifiers, *table.names]), plan),
        plan.confidential,
        plan.k,
        plan,
        losses,
        _changed(released, content.output.sha256, path),
    )


def _side_of_json(path: Path) -> Side:
    """Read a release by what `anonymize --json` printed of it, or by its report in JSON."""
    try:
        content = parse_json(read_text(path, MOST_JSON))
        released, k, losses, checksum = _told(content)
        roles = dict(content["roles"])
    except (ValueError, KeyError, TypeError) as error:
        raise FileProblem(
            f"{path} is neither what microagg anonymize --json prints nor a report in JSON. Name the released file."
        ) from error
    if not isinstance(released, str):
        raise InvalidOption(f"{path} names no output: make the release with -o, or name its file.")
    released_path = _beside(released, path)
    return Side(
        released,
        io.read(released_path),
        tuple(name for name, role in roles.items() if role == Role.QUASI),
        tuple(name for name, role in roles.items() if role == Role.CONFIDENTIAL),
        k,
        losses=losses,
        notes=_changed(released_path, checksum, path),
    )


def _told(content: Any) -> tuple[str | None, int, dict[str, float], str | None]:
    """Give the released file, k, the losses and the checksum of the file, as far as they are told."""
    if "sources" in content:
        source = content["sources"].get("output", {"name": None, "sha256": None})
        losses = {row["name"]: row["after"] for row in content["losses"] if row["after"] is not None}
        return source["name"], content["headline"]["k"], losses, source["sha256"]
    losses = {name: value for name, value in content["losses"].items() if value is not None}
    return content["output"], content["k"], losses, None


def _changed(released: Path, checksum: str | None, path: Path) -> tuple[str, ...]:
    if checksum is None or io.sha256(released) == checksum:
        return ()
    return (f"{released} is not the release that {path} was written for: its SHA-256 differs.",)


def _beside(name: str, path: Path) -> Path:
    """Find a file by its name, from here or from where the file that names it lies."""
    return Path(name) if Path(name).exists() else path.parent / name


def _checked(side: Side, names: tuple[str, ...] | None) -> tuple[str, ...]:
    if not names:
        raise InvalidOption("the quasi-identifiers are not known: name them (quasi, --quasi), or give plans.")
    for name in names:
        if name not in side.table.names:
            raise InvalidOption(f"{side.name}: {no_such_column(name, side.table.names)}")
    if side.table.n_records == 0:
        raise InvalidData(f"{side.name} has no records.")
    return names


def _classes(table: Table, names: Sequence[str]) -> IntArray:
    return risk.equivalence_classes(np.column_stack([table.codes(name) for name in names]))


@dataclass(frozen=True)
class _Match:
    """Which rows are the same record, and how that was found; the link codes of all rows where columns found them."""

    how: Alignment
    link: tuple[str, ...]
    rows_a: IntArray
    rows_b: IntArray
    codes_a: IntArray | None = None
    codes_b: IntArray | None = None


def _match(a: Table, b: Table, key: str | None, unchanged: Sequence[str]) -> _Match:
    """Find the records of one release in the other."""
    if key is not None:
        for table, position in ((a, "first"), (b, "second")):
            if key not in table.names:
                raise InvalidOption(f"key: the {position} release: {no_such_column(key, table.names)}")
        codes_a, codes_b = _joint_codes(a, b, key)
        for codes, position in ((codes_a, "first"), (codes_b, "second")):
            if len(np.unique(codes)) < len(codes):
                raise InvalidOption(f"key: column {key!r} must tell records apart; values repeat in the {position}.")
        return _Match("key", (key,), *_same(codes_a, codes_b))
    pairs = [_joint_codes(a, b, name) for name in unchanged]
    if a.n_records == b.n_records and all(np.array_equal(one, other) for one, other in pairs):
        rows = np.arange(a.n_records)
        return _Match("order", tuple(unchanged), rows, rows)
    if not pairs:
        nothing = np.empty(0, dtype=np.int64)
        return _Match("none", (), nothing, nothing)
    stacked = np.column_stack([np.concatenate(pair) for pair in pairs])
    classes = risk.equivalence_classes(stacked)
    codes_a, codes_b = classes[: a.n_records], classes[a.n_records :]
    return _Match("columns", tuple(unchanged), *_same(_unique_ones(codes_a), _unique_ones(codes_b)), codes_a, codes_b)


def _unique_ones(codes: IntArray) -> IntArray:
    """Give codes that occur once, and -1 for the others."""
    alone: IntArray = np.where(np.bincount(codes)[codes] == 1, codes, -1)
    return alone


def _same(codes_a: IntArray, codes_b: IntArray) -> tuple[IntArray, IntArray]:
    """Give the rows of either side that have the same code, which no other row of its side has; -1 is no code."""
    row_of = {code: row for row, code in enumerate(codes_b.tolist()) if code >= 0}
    rows = [(row, row_of[code]) for row, code in enumerate(codes_a.tolist()) if code in row_of]
    both = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _joint_codes(a: Table, b: Table, name: str) -> tuple[IntArray, IntArray]:
    """Give whole numbers that are equal where a column of the two tables holds the same."""
    if a.storage(name) is Storage.NUMERIC and b.storage(name) is Storage.NUMERIC:
        keys = risk.keys_of(np.concatenate([a.numeric(name).values, b.numeric(name).values]))
        codes = in_order(keys)
        return codes[: a.n_records], codes[a.n_records :]
    number: dict[str, int] = {}
    both = []
    for table in (a, b):
        column = table.categories(name)
        known = [number.setdefault(text_of(value), len(number) + 1) for value in column.values]
        both.append(np.array([*known, 0], dtype=np.int64)[column.codes])
    return both[0], both[1]


def _change(a: Table, b: Table, name: str, match: _Match) -> ColumnChange:
    codes_a, codes_b = _joint_codes(a, b, name)
    changed = int((codes_a[match.rows_a] != codes_b[match.rows_b]).sum())
    mean = None
    if a.storage(name) is Storage.NUMERIC and b.storage(name) is Storage.NUMERIC and len(match.rows_a):
        apart: FloatArray = np.abs(a.numeric(name).values[match.rows_a] - b.numeric(name).values[match.rows_b])
        mean = None if np.isnan(apart).all() else float(np.nanmean(apart))
    return ColumnChange(name, changed, mean)


def _combined_sizes(match: _Match, classes_a: IntArray, classes_b: IntArray) -> IntArray:
    """For each record that was found in both, give how many records remain for somebody who knows both its classes."""
    pairs = np.column_stack([classes_a[match.rows_a], classes_b[match.rows_b]])
    if len(pairs) == 0:
        return np.empty(0, dtype=np.int64)
    if match.codes_a is None or match.codes_b is None:
        return risk.class_sizes(pairs)
    # Rows that are not unique in the columns that stayed may be the same record: as many as occur in both classes.
    held_a, held_b = _contents(classes_a, match.codes_a), _contents(classes_b, match.codes_b)
    return np.array([sum((held_a[one] & held_b[other]).values()) for one, other in pairs.tolist()], dtype=np.int64)


def _contents(classes: IntArray, codes: IntArray) -> list[Counter[int]]:
    held: list[Counter[int]] = [Counter() for _ in range(int(classes.max()) + 1)]
    for group, code in zip(classes.tolist(), codes.tolist(), strict=True):
        held[group][code] += 1
    return held


def _disclosed(
    a: Side, b: Side, match: _Match, classes_a: IntArray, classes_b: IntArray, names: Sequence[str]
) -> dict[str, int]:
    """Count the records whose confidential value both releases together give away, and neither does alone."""
    for name in names:
        if name not in a.table.names:
            raise InvalidOption(f"confidential: {a.name}: {no_such_column(name, a.table.names)}")
    if match.how not in ("key", "order"):
        return {}
    together = risk.equivalence_classes(np.column_stack([classes_a[match.rows_a], classes_b[match.rows_b]]))
    disclosed = {}
    for name in names:
        values = a.table.codes(name)[match.rows_a]
        alone = [_one_value(classes, values) for classes in (classes_a[match.rows_a], classes_b[match.rows_b])]
        disclosed[name] = int((_one_value(together, values) & ~alone[0] & ~alone[1]).sum())
    return disclosed


def _one_value(classes: IntArray, values: IntArray) -> Any:
    """Say of each record whether its class holds one value only."""
    numbers = in_order(classes)
    different = np.unique(np.column_stack([numbers, values]), axis=0)
    return np.bincount(different[:, 0])[numbers] == 1


def _choices(one: Plan | None, other: Plan | None) -> dict[str, tuple[Any, Any]]:
    if one is None or other is None:
        return {}
    pairs = {item.name: (getattr(one, item.name), getattr(other, item.name)) for item in fields(Plan)}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _nothing_matched(match: _Match) -> str:
    """Say that no record was found again, why, and what to do."""
    if match.how == "key":
        why = (
            f"no value of the key {match.link[0]!r} is in both. Name a column that holds the same in both (key, --key)"
        )
    elif match.how == "columns":
        why = (
            f"no combination of values in the columns that are no quasi-identifiers ({folded(list(match.link))}) is in "
            "both and belongs to one record. Name a column that tells records apart (key, --key), and check that both "
            "are releases of the same data, with these quasi-identifiers (quasi, --quasi)"
        )
    else:
        why = "they differ in length, and no column stayed as it was. Name a key if there is one (key, --key)"
    return f"No record of one release could be found in the other, so nothing is said of both together: {why}."


def _warnings(
    match: _Match, linked: int, k: int, below: int, together: IntArray, disclosed: Mapping[str, int]
) -> list[str]:
    if not linked:
        return [_nothing_matched(match)]
    notes = []
    if match.how == "order" and not match.link:
        notes.append("No column stayed as it was; the records are taken to be in the same order in both releases.")
    if below:
        notes.append(
            f"{below} of {linked} records hide among fewer than k = {k} when both releases are known; the smallest "
            f"combined class has {int(together.min())}. Whoever holds both can combine them: publish one of them only."
        )
    for name, count in disclosed.items():
        if count:
            notes.append(f"Both releases together give away the {name!r} of {count} records, which neither does alone.")
    return notes
