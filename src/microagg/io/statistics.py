"""Files of SPSS, Stata and SAS, through pyreadstat: labels, formats and declared missing values are kept.

Values that a file declares missing (99 in SPSS, .a in Stata) count as missing here, and are written back as they were
in columns that nobody replaced. A replaced column keeps its label, and its value labels where it holds values that it
held before (the mode of a group). Others lose them, and all lose their declared missing values: the mean of some codes
has no label, and may happen to be 99.

What is written beside the values is what they need. The notes and the label of the file, labels and declared missing
values that no record holds, and the declared widths of text stay behind: they may tell of records that do too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import duckdb
import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyreadstat

from microagg.base.table import Described, NumericColumn, RecodedColumn
from microagg.errors import FileProblem, InvalidData, InvalidOption
from microagg.io.columns import check_known, check_names
from microagg.io.duck import DuckTable
from microagg.io.foreign import foreign_reader
from microagg.io.frames import FrameTable, wrap

PRECISION = 1e-6
"""To so much of itself a number must come back from a file that was written; the formats hold 7 digits and more."""
OTHER = "Round it or give it in other units, or write .csv or .parquet."
READERS: dict[str, Callable[..., tuple[pd.DataFrame, Any]]] = {
    ".sav": pyreadstat.read_sav,
    ".zsav": pyreadstat.read_sav,
    ".dta": pyreadstat.read_dta,
    ".sas7bdat": pyreadstat.read_sas7bdat,
    ".xpt": pyreadstat.read_xport,
}


@dataclass(frozen=True)
class Labels:
    """What a statistics file says about its columns, beside the values."""

    family: str
    """Which program's file it came from: formats and declared missing values mean something to that one alone."""
    columns: Mapping[str, str]
    values: Mapping[str, Mapping[Any, str]]
    formats: Mapping[str, str]
    measures: Mapping[str, str]
    widths: Mapping[str, int]
    missing_ranges: Mapping[str, list[Any]]
    missing_tags: Mapping[str, list[str]]


@dataclass(frozen=True)
class LabelledTable(FrameTable):
    """A frame with the labels of the file that it came from."""

    labels: Labels = field(kw_only=True)

    def numeric(self, name: str) -> NumericColumn:
        """Give the column as numbers; whole ones too where the file shows no decimals and there are none."""
        column = super().numeric(name)
        shows_none = _shows_no_decimals(self.labels.formats.get(name, ""))
        present = column.values[~np.isnan(column.values)]
        is_whole = shows_none and present.size > 0 and bool((present == np.floor(present)).all())
        return replace(column, is_integer=column.is_integer or is_whole)

    def described(self, name: str) -> Described:
        """Say what the file says of the column: what values stand for, and how it is measured."""
        check_known(name, self.names)
        if name in self.recodings:
            return self.recodings[name]
        return Described(self.labels.values.get(name, {}), self.labels.measures.get(name))

    def with_columns(self, columns: Mapping[str, npt.NDArray[np.generic]]) -> Self:
        """Replace these columns; declared missing values go, and value labels where other values come in."""
        labels = self.labels
        fractions = {name for name, array in columns.items() if _has_fractions(np.asarray(array))}
        anew = [name for name, array in columns.items() if name in labels.values and not self._held(name, array)]
        hidden = {name for name in fractions if _shows_no_decimals(labels.formats.get(name, ""))}
        texts = {name for name, array in columns.items() if any(isinstance(value, str) for value in array.tolist())}
        hidden |= {name for name in texts if self._series(name).dtype != nw.String}
        kept = replace(
            labels,
            values=_without(labels.values, anew),
            missing_ranges=_without(labels.missing_ranges, columns),
            missing_tags=_without(labels.missing_tags, columns),
            formats=_without(labels.formats, hidden),
        )
        return replace(super().with_columns(columns), labels=kept)

    def recoded(self, columns: Mapping[str, RecodedColumn]) -> Self:
        """Put others in the place of these columns; those of text keep their label alone."""
        labels = self.labels
        texts = [name for name, column in columns.items() if column.texts is not None]
        others = {name: column.values[~np.isnan(column.values)] for name, column in columns.items()}
        anew = [name for name, values in others.items() if name in labels.values and not self._held(name, values)]
        kept = replace(
            labels,
            values=_without(labels.values, [*texts, *anew]),
            formats=_without(labels.formats, [name for name, column in columns.items() if not column.is_integer]),
            measures=_without(labels.measures, texts),
            widths=_without(labels.widths, texts),
            missing_ranges=_without(labels.missing_ranges, columns),
            missing_tags=_without(labels.missing_tags, columns),
        )
        return replace(super().recoded(columns), labels=kept)

    def _held(self, name: str, array: npt.NDArray[np.generic]) -> bool:
        """Say whether a column held all values of an array before, none of them declared missing."""
        before = {value for value in self._objects(name) if value is not None}
        return {value for value in array.tolist() if value is not None and value == value} <= before

    def unify(self, names: Collection[str]) -> Self:
        """Let equal values of these columns be released alike; several declared missing values become missing.

        To write one of them for all would be to invent answers.
        """
        labels = self.labels
        mixed = {name: self._series(name) for name in names if self._has_several_gaps(name)}
        cleared = replace(
            labels,
            missing_ranges=_without(labels.missing_ranges, mixed),
            missing_tags=_without(labels.missing_tags, mixed),
        )
        frame = self.frame.with_columns(*mixed.values()) if mixed else self.frame
        return super(LabelledTable, replace(self, frame=frame, labels=cleared)).unify(names)

    def _has_several_gaps(self, name: str) -> bool:
        """Say whether values are missing in more than one way."""
        gaps = np.array(self._series(name).is_null().to_numpy(), dtype=bool)
        return len(np.unique(self.spellings(name)[gaps])) > 1

    def plain(self) -> pd.DataFrame:
        """Give the frame with declared missing values as missing ones."""
        return pd.DataFrame({name: self._series(name).to_native() for name in self.names})

    def _series(self, name: str) -> nw.Series[Any]:
        check_known(name, self.names)
        values = self.frame.to_native()[name]
        if name in self.labels.missing_tags:
            values = values.mask([isinstance(value, str) for value in values])
        for declared in self.labels.missing_ranges.get(name, ()):
            low, high = (declared["lo"], declared["hi"]) if isinstance(declared, dict) else (declared, declared)
            values = values.mask((values >= low) & (values <= high))
        return nw.from_native(values, series_only=True)


def read(path: Path) -> LabelledTable:
    """Read a file of SPSS, Stata or SAS.

    Parameters
    ----------
    path : Path
        The file; its suffix says of which program.
    """
    suffix = path.suffix.lower()
    reader = READERS[suffix]
    declared = {"user_missing": True} if suffix in (".sav", ".zsav", ".dta") else {}
    with foreign_reader(path.name, f"{suffix} file"):
        frame, meta = reader(path, **declared)
        if meta.missing_user_values:
            # With tags, pyreadstat gives 0 for a missing whole number: take the values without, then lay the tags in.
            tagged, (frame, _) = frame, reader(path)
            for name in meta.missing_user_values:
                is_tag = np.array([isinstance(value, str) for value in tagged[name]], dtype=bool)
                frame[name] = frame[name].astype(object).mask(is_tag, tagged[name])
        check_names(frame.columns, path.name)
        labels = Labels(
            family=suffix.replace("zsav", "sav"),
            columns={name: label for name, label in meta.column_names_to_labels.items() if label},
            values=dict(meta.variable_value_labels),
            formats={n: shown for n, shown in meta.original_variable_types.items() if shown and not _is_text(shown)},
            measures={name: measure for name, measure in meta.variable_measure.items() if measure != "unknown"},
            widths={name: width for name, width in meta.variable_display_width.items() if width > 0},
            missing_ranges=dict(meta.missing_ranges),
            missing_tags=dict(meta.missing_user_values),
        )
        return LabelledTable(wrap(frame).frame, labels=labels)


def write(table: DuckTable | FrameTable, path: Path, *, suffix: str) -> None:
    """Write a file of SPSS, Stata or SAS transport.

    Parameters
    ----------
    table : table
        With labels where it came from such a file: of columns, and of values that some record holds. Formats and
        declared missing values are kept within a program.
    path : Path
        Where to.
    suffix : str
        Which kind of file.
    """
    if suffix == ".sas7bdat":
        raise InvalidOption("SAS data files (.sas7bdat) can be read but not written; write .xpt, .sav, .dta or .csv.")
    family = suffix.replace("zsav", "sav")
    labels = table.labels if isinstance(table, LabelledTable) else None
    same = labels is not None and labels.family == family
    frame = _frame(table, keep_declared=same)
    kept = set(frame.columns)
    options: dict[str, Any] = {}
    if labels is not None:
        labels = _needed(labels, frame)
        options = {"column_labels": labels.columns}
        if family != ".xpt":
            options["variable_value_labels"] = {name: _keys(named) for name, named in labels.values.items()}
    if labels is not None and same:
        options["variable_format"] = _only(labels.formats, kept)
        if family == ".sav":
            numbers = {name for name in kept if frame[name].dtype != object}
            options |= {
                "missing_ranges": labels.missing_ranges,
                "variable_measure": _only(labels.measures, kept),
                "variable_display_width": _only(labels.widths, numbers),
            }
        elif family == ".dta":
            options["missing_user_values"] = labels.missing_tags or None
    try:
        if family == ".sav":
            pyreadstat.write_sav(frame, path, compress=suffix == ".zsav", **options)
        elif family == ".dta":
            pyreadstat.write_dta(frame, path, **options)
        else:
            pyreadstat.write_xport(frame, path, **options)
        written, _ = READERS[suffix](path, **({"user_missing": True} if family == ".sav" else {}))
    except pyreadstat.ReadstatError as error:
        if "range of representable values" in str(error):
            raise InvalidData(f"A {suffix} file cannot hold a number that is so large or small. {OTHER}") from error
        raise FileProblem(f"The {suffix} file cannot be written: {error}. Is the disk full?") from error
    except pyreadstat.PyreadstatError as error:
        raise InvalidData(f"The {suffix} file cannot be written: {error}. Rename or leave out the column.") from error
    # The SAS writer does not notice a full disk.
    if len(written) != len(frame):
        raise FileProblem(f"The {suffix} file was cut short: {len(written)} of {len(frame)} records. Is the disk full?")
    for position, name in enumerate(frame.columns):
        if frame[name].dtype.kind == "f" and not _holds(written.iloc[:, position], frame[name]):
            raise InvalidData(f"A {suffix} file cannot hold a number of column {name!r}, as large or small. {OTHER}")


def _holds(written: pd.Series, wanted: pd.Series) -> bool:
    """Say whether a file holds the numbers that it was to hold: SAS turns 1e80 into infinity, and 1e-90 into 0."""
    before = wanted.to_numpy(dtype=np.float64, na_value=np.nan)
    there = np.isfinite(before)
    if written.dtype.kind not in "fiu":
        return not there.any()
    after = written.to_numpy(dtype=np.float64, na_value=np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        return bool((np.abs(after - before)[there] <= PRECISION * np.abs(before[there])).all())


def _frame(table: DuckTable | FrameTable, *, keep_declared: bool) -> pd.DataFrame:
    """Give a pandas frame to write."""
    if isinstance(table, LabelledTable):
        return table.native() if keep_declared else table.plain()
    if isinstance(table, FrameTable):
        table = table.to_duck()
    try:
        return table.native().df()
    except duckdb.Error as error:
        raise InvalidData(
            "A column holds values that statistics files have no type for. Convert it to text, or leave it out."
        ) from error


def _needed(labels: Labels, frame: pd.DataFrame) -> Labels:
    """Leave out what no value of the frame needs."""
    asked = {*labels.values, *labels.missing_ranges, *labels.missing_tags}
    held = {name: set(frame[name].dropna().tolist()) for name in frame.columns if name in asked}
    values = {
        name: {key: text for key, text in named.items() if key in held[name]}
        for name, named in _only(labels.values, held).items()
    }
    ranges = {n: _held_ranges(declared, held[n]) for n, declared in _only(labels.missing_ranges, held).items()}
    tags = {n: [tag for tag in declared if tag in held[n]] for n, declared in _only(labels.missing_tags, held).items()}
    return replace(
        labels,
        columns=_only(labels.columns, set(frame.columns)),
        values={name: named for name, named in values.items() if named},
        missing_ranges={name: marks for name, marks in ranges.items() if marks},
        missing_tags={name: marks for name, marks in tags.items() if marks},
    )


def _held_ranges(declared: Sequence[Any], held: Collection[Any]) -> list[Any]:
    """Give the declared missing values that occur; of a range, the part between those."""
    kept: list[Any] = []
    for item in declared:
        low, high = (item["lo"], item["hi"]) if isinstance(item, dict) else (item, item)
        inside = sorted(value for value in held if isinstance(value, type(low)) or not isinstance(low, str))
        inside = [value for value in inside if low <= value <= high]
        if inside:
            kept.append({"lo": inside[0], "hi": inside[-1]} if isinstance(item, dict) else item)
    return kept


def _is_text(shown: str) -> bool:
    """Say whether a format is one of text: A20 (SPSS), %20s (Stata), $20 (SAS)."""
    return re.fullmatch(r"A\d+|%-?\d+s|\$.*", shown) is not None


def _without(labels: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: label for name, label in labels.items() if name not in names}


def _only(labels: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: label for name, label in labels.items() if name in names}


def _keys(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Give value labels with keys that are whole where they can be: Stata knows no others."""
    return {int(key) if isinstance(key, float) and key.is_integer() else key: text for key, text in labels.items()}


def _has_fractions(array: npt.NDArray[np.generic]) -> bool:
    """Say whether an array holds numbers that are not whole."""
    return array.dtype.kind == "f" and not bool(((array == np.floor(array.astype(np.float64))) | np.isnan(array)).all())


def _shows_no_decimals(shown: str) -> bool:
    """Say whether a format such as F3.0 (SPSS) or %8.0f (Stata) shows whole numbers alone."""
    return re.fullmatch(r"F\d+(\.0)?|%-?\d+\.0fc?", shown) is not None
