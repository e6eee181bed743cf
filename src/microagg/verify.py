"""Hold a released file against its certificate: whether it is the file, and whether it keeps what was promised.

Both are looked at on their own. The SHA-256 says whether a single byte differs. The promises are counted anew from the
file as it lies there, so that a copy in another format can keep them, and a file with the right name can break them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from microagg import io, risk
from microagg.base.folding import folded
from microagg.base.groups import units_by_class
from microagg.base.table import Table
from microagg.base.types import IntArray
from microagg.constraints import Sensitive
from microagg.engines import parse_memory
from microagg.engines.budget import LEAST_DATABASE, free_memory, private_folder
from microagg.engines.spread.open import checksum_of, source_files
from microagg.errors import FileProblem, InvalidData, InvalidOption
from microagg.io import parquet
from microagg.io.formulas import MARK
from microagg.measures.composition import compose_codes
from microagg.plan import read_plan_file
from microagg.prepare.confidential import codes_of, confidential_columns
from microagg.report.certificate import Certificate, Certified, read_certificate

OF_THE_FILE = ("file", "plan", "source")
"""Checks of bytes; all others are of what the file says."""


@dataclass(frozen=True)
class Check:
    """One thing that was held against the certificate.

    Attributes
    ----------
    what : str
        "file", "plan", "source", "columns", "records", or a promise: "k", "unit", "l", "p", "t", "epsilon".
    column : str, optional
        The column that the promise is about.
    holds : bool or None
        Whether it holds; None where a file cannot show it.
    certified : str
        What the certificate says.
    counted : str
        What the file says.
    """

    what: str
    column: str | None
    holds: bool | None
    certified: str
    counted: str

    @property
    def title(self) -> str:
        """What was checked, for people."""
        return self.what if self.column is None else f"{self.what} of {self.column}"


@dataclass(frozen=True, repr=False)
class Verification:
    """What became of a file that was held against its certificate.

    Attributes
    ----------
    file, report : str
        What was looked at.
    checks : tuple of Check
        Everything that was looked at, one by one.
    """

    file: str
    report: str
    checks: tuple[Check, ...]

    @property
    def same_file(self) -> bool:
        """Whether it is, byte by byte, the file that was certified."""
        return all(check.holds is True for check in self.checks if check.what == "file")

    @property
    def promises_hold(self) -> bool:
        """Whether columns, records and all promises that a file can show are as certified, whatever its bytes are."""
        return all(check.holds is not False for check in self.checks if check.what not in OF_THE_FILE)

    @property
    def holds(self) -> bool:
        """Whether it is the file that was certified, and keeps what was promised."""
        return self.same_file and all(check.holds is not False for check in self.checks)

    @property
    def broken(self) -> tuple[Check, ...]:
        """What does not hold."""
        return tuple(check for check in self.checks if check.holds is False)

    @property
    def summary(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        said = {"holds": self.holds, "same_file": self.same_file, "promises_hold": self.promises_hold}
        return {"file": self.file, "report": self.report, **said, "checks": [asdict(check) for check in self.checks]}

    def __repr__(self) -> str:
        told = ", ".join(check.title for check in self.broken)
        return f"<Verification of {self.file}: {f'does not hold: {told}' if told else 'holds'}>"


def verify(
    released: str | os.PathLike[str],
    report: str | os.PathLike[str],
    *,
    plan: str | os.PathLike[str] | None = None,
    memory: str | int = "auto",
    sheet: str | None = None,
    header_row: int | None = None,
) -> Verification:
    """Hold a released file against the certificate in its report: its SHA-256, and what it promises, counted anew.

    Parameters
    ----------
    released : path
        The released file, in any format that microagg writes; or the folder of Parquet files that an engine wrote, of
        which the SHA-256 is that of the SHA-256 of its files, in order of their names.
    report : path
        The report of the release in JSON.
    plan : path, optional
        The private plan of the release (`save_plan`): whether it names this release, and whether the source that it
        names is still there and unchanged.
    memory : str or int
        How much memory the file may take; a larger one is read from disk. See `anonymize_file`.
    sheet, header_row
        Which sheet of a workbook is read, and which of its rows names the columns; the first by default.

    Returns
    -------
    Verification

    Raises
    ------
    MicroaggError
        The report is none, is of another thing, or holds no certificate; or the file cannot be read as a table.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> import microagg as ma
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     people, out, report = (Path(folder, name) for name in ("people.csv", "out.csv", "report.json"))
    ...     pd.DataFrame({"age": [21, 60, 23, 64, 22, 65]}).to_csv(people, index=False)
    ...     _ = ma.anonymize_file(people, out, k=3, report=report)
    ...     before = ma.verify(out, report).holds
    ...     _ = out.write_text(out.read_text().replace("22", "23", 1))
    ...     before, [(check.title, check.holds, check.counted) for check in ma.verify(out, report).checks[-1:]]
    (True, [('k', False, '1')])
    """
    path, certificate = Path(released), read_certificate(report)
    parts = _parts(path) if path.is_dir() else None
    checks = [_file_check(path, parts, certificate)]
    if plan is not None:
        checks += _source_checks(Path(plan), certificate)
    reading = {name: value for name, value in (("sheet", sheet), ("header_row", header_row)) if value is not None}
    with _opened(path, parts, memory, reading) as table:
        checks += _table_checks(table, certificate)
    return Verification(os.fspath(released), os.fspath(report), tuple(checks))


def _parts(folder: Path) -> list[Path]:
    """Give the Parquet files of a folder, in order of their names."""
    parts = source_files(folder)
    if io.format_of(parts[0]).suffix != ".parquet":
        raise InvalidData(f"{folder} is no folder that an engine wrote: its files are not Parquet. Name a file.")
    return parts


def _file_check(path: Path, parts: Sequence[Path] | None, certificate: Certificate) -> Check:
    counted = f"SHA-256 {io.sha256(path) if parts is None else checksum_of(parts)}"
    more = [] if parts is None else sorted(each.name for each in path.iterdir() if each not in parts)
    if more:
        counted += f"; not certified: {folded(more)}"
    if certificate.file is None or certificate.file.sha256 is None:
        return Check("file", None, False, "no file: the report was written without one", counted)
    certified = f"SHA-256 {certificate.file.sha256}"
    return Check("file", None, certified == counted, certified, counted)


def _source_checks(path: Path, certificate: Certificate) -> list[Check]:
    """Look whether a private plan belongs to the certificate, and whether its source is still what it was."""
    content = read_plan_file(path)
    released = None if certificate.file is None else certificate.file.sha256
    if content.output is None or content.input is None:
        raise InvalidOption(f"{path} names no input and output: it must be the one of --save-plan, made with -o.")
    belongs = Check(
        "plan", None, content.output.sha256 == released, f"SHA-256 {released}", f"SHA-256 {content.output.sha256}"
    )
    named = Path(content.input.file)
    checksum = _checksum_of_source(named) or _checksum_of_source(path.parent / named)
    if checksum is None:
        return [belongs, Check("source", None, None, f"named {named.name} in the plan", "the source is not there")]
    same = checksum == content.input.sha256
    told = "as the plan says" if same else "another file than the one that was released"
    return [belongs, Check("source", None, same, f"named {named.name} in the plan", told)]


def _checksum_of_source(source: Path) -> str | None:
    """Give the checksum of what a plan names: a file in any format, a folder, or a pattern; None if it is not there."""
    if source.is_file():
        return io.sha256(source)
    try:
        files = source_files(source)
    except FileProblem:
        return None
    return io.sha256(files[0]) if len(files) == 1 else checksum_of(files)


@contextmanager
def _opened(path: Path, parts: Sequence[Path] | None, memory: str | int, reading: Mapping[str, Any]) -> Iterator[Table]:
    """Read a file, or parts; from disk where it does not fit into memory comfortably."""
    if parts is not None:
        if reading:
            raise InvalidOption("sheet and header_row are of workbooks: leave them out for a folder of Parquet files.")
        # Each part may fit into memory where all of them together do not.
        database = (parse_memory(memory, parts[0]) or free_memory() or LEAST_DATABASE) // 2
        with io.within_limits(), private_folder(None) as folder:
            yield parquet.read_parts(parts, path.name, spool=io.Spool(folder, database))
        return
    allowed = None if reading else parse_memory(memory, path)
    if allowed is None:
        yield io.read(path, **reading)
        return
    with io.within_limits(), private_folder(None) as folder:
        yield io.read_spooled(path, io.Spool(folder, allowed // 2))


def _table_checks(table: Table, certificate: Certificate) -> list[Check]:
    """Count what the file says of itself."""
    if table.n_records == 0:
        raise InvalidData("the released file has no records.")
    # With escape_formulas, names of columns that look like formulas are written with a mark.
    named = {name: name if name in table.names else MARK + name for name in certificate.columns}
    missing = [name for name, written in named.items() if written not in table.names]
    more = [name for name in table.names if name not in named.values()]
    told = [
        *([f"missing: {folded(missing)}"] if missing else []),
        *([f"not certified: {folded(more)}"] if more else []),
    ]
    n_columns, n_records = len(certificate.columns), certificate.records
    return [
        Check("columns", None, not told, f"{n_columns:,}", "; ".join(told) or f"{len(table.names):,}, the same"),
        Check("records", None, table.n_records == n_records, f"{n_records:,}", f"{table.n_records:,}"),
        *(_promise_check(table, certificate, named, promise) for promise in certificate.promises),
    ]


def _promise_check(table: Table, certificate: Certificate, named: Mapping[str, str], promise: Certified) -> Check:
    """Count one promise anew."""
    column = promise.column
    reached = "" if promise.reached is None else f" (reached {promise.reached:.6g})"
    certified = f"{promise.words}{reached}"
    if promise.promise == "epsilon":
        return Check("epsilon", None, None, certified, "a file cannot show it: it is a promise of how it was made")
    needed = [*certificate.quasi, *certificate.strata, *([] if column is None else [column])]
    missing = [name for name in needed if named.get(name) not in table.names]
    if missing == [column] and promise.promise == "unit" and column not in certificate.columns:
        return Check("unit", column, None, certified, "cannot be counted: the column that names units is left out")
    if missing:
        return Check(promise.promise, column, False, certified, f"cannot be counted without {folded(missing)}")
    constraint = promise.constraint
    worst, kept = [], True
    for quasi in [[name] for name in certificate.quasi] if certificate.each else [list(certificate.quasi)]:
        classes = _classes(table, [named[name] for name in (*quasi, *certificate.strata)])
        if promise.promise == "k":
            figures = np.bincount(classes).astype(np.float64)
        elif promise.promise == "unit":
            figures = units_by_class(classes, table.codes(named[str(column)])).astype(np.float64)
        else:
            ((name, values),) = confidential_columns(table, [named[str(column)]]).items()
            codes, sizes = codes_of(values)
            sensitive = Sensitive(name, values.is_number, sizes)
            composition = compose_codes(classes, codes, sizes)
            figures = constraint.reached(composition, sensitive)
            kept = kept and bool(constraint.keeps(composition, sensitive).all())
        if promise.promise in ("k", "unit"):
            kept = kept and bool((figures >= constraint.level).all())
        worst.append(constraint.worst(figures))
    return Check(promise.promise, column, kept, certified, f"{constraint.worst(np.array(worst)):.6g}")


def _classes(table: Table, names: list[str]) -> IntArray:
    """Number the classes of records that a reader of the file cannot tell apart; two columns at a time."""
    classes = np.zeros(table.n_records, dtype=np.int64)
    for name in names:
        classes = risk.equivalence_classes(np.column_stack([classes, table.spellings(name)]))
    return classes
