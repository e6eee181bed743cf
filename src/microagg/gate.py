"""The gate: every number and name that is told of data passes it on its way to a page, a file, a screen or a log.

What anybody can work out from a release is public, and passes as it is. What was measured on the original data passes
if many records stand behind it, rounded so that no single one of them shows; else it is withheld. An exact figure is
as good as a checksum: whoever guesses the few values inside a group can try each guess against it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg import risk
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.measures import Result

FEWEST = 50
"""With fewer records nothing is told of the original but what anybody can work out from the release."""
LEAST_DIGITS = 3
"""How many significant digits a figure of the original has at least."""
DOMINANCE = 0.8
"""A sum is withheld where fewer than k records make up more than this share of it."""
COUNTS = {"uniques", "violations"}
"""Measures that count records."""
SHARES = {"homogeneity", "record_linkage", "probabilistic_linkage", "values_kept"}
"""Measures that are a share of the records, in percent."""
NARROW = {"quantile_change": 0.01, "tails_kept": 0.05}
"""Measures that look at the ends of a column, and the share of the records that lie beyond."""
_EXPLAINED = " ~ "
_PAIR = " x "
_FAILED = "could not be measured with these data"


@dataclass(frozen=True)
class Withheld:
    """Something that is not told, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class Gate:
    """What may be told of data of which a release was made, or is to be made.

    Attributes
    ----------
    n_records : int
        How many records there are.
    k : int
        How many must share what is told of the original.
    details : bool
        Whether everything is told. What comes out is as confidential as the data then.
    sealed : bool
        Whether nothing is told that was measured on the original, as differential privacy wants it.

    Examples
    --------
    >>> gate = Gate(1080, k=5)
    >>> gate.figure(9.088371942), gate.count(4), gate.count(5)
    (9.0884, None, 5)
    >>> Gate(20, k=5).figure(9.088371942) is None
    True
    """

    n_records: int
    k: int
    details: bool = False
    sealed: bool = False

    @property
    def tells_original(self) -> bool:
        """Whether anything is told of the original that cannot be worked out from the release."""
        return self.details or (not self.sealed and self.n_records >= FEWEST)

    @property
    def least(self) -> int:
        """How many records must share what is told of the original."""
        return 1 if self.details else self.k

    @property
    def digits(self) -> int:
        """How many significant digits figures of the original have: more, the more records there are.

        >>> [Gate(n, k=3).digits for n in (50, 100, 101, 1080, 10**6)]
        [3, 3, 4, 5, 7]
        """
        return max(LEAST_DIGITS, math.ceil(math.log10(max(1, self.n_records))) + 1)

    def figure(self, value: float | None) -> float | None:
        """Round a figure of the original; None where it is withheld."""
        if value is None or self.details:
            return value
        return significant(value, self.digits) if self.tells_original else None

    def lower_bound(self, value: float | None) -> float | None:
        """Round down, so that a bound stays one.

        >>> Gate(1080, k=3).lower_bound(8.99999)
        8.9999
        """
        rounded = self.figure(value)
        if rounded is None or value is None or rounded <= value:
            return rounded
        step = 10.0 ** (math.floor(math.log10(abs(rounded))) - self.digits + 1)
        return significant(rounded - step, self.digits)

    def mean(self, value: float, deviation: float) -> float:
        """Round a mean, which is told at all, as a figure in units of the standard deviation: years stay years.

        >>> Gate(50, k=3).mean(1987.654321, 12.3)
        1987.7
        """
        if self.details or not (deviation > 0 and math.isfinite(value)):
            return value
        step = math.floor(math.log10(deviation)) - self.digits + 1
        return significant(value, max(1, math.floor(math.log10(abs(value) or 1.0)) - step + 1))

    def rough(self, value: float, unit: str) -> float:
        """Give a figure for comparing candidates: of few records whole percent, or two digits."""
        rounded = self.figure(value)
        if rounded is not None or not math.isfinite(value):
            return value if rounded is None else rounded
        return float(round(value)) if unit == "percent" else significant(value, 2)

    def figures(self, values: npt.ArrayLike) -> FloatArray:
        """Round figures of the original, which are told at all."""
        given = np.asarray(values, dtype=np.float64)
        if self.details:
            return given
        return significant_all(given, self.digits)

    def count(self, count: int | None, of: int | None = None) -> int | None:
        """Give a number of records of the original; None where it, or what is left of them all, is 1 to k - 1.

        >>> Gate(300, k=5).count(297, of=300) is None, Gate(300, k=5).count(0), Gate(300, k=5).count(300, of=300)
        (True, 0, 300)
        """
        if count is None or self.details:
            return count
        if not self.tells_original or 0 < count < self.k or (of is not None and 0 < of - count < self.k):
            return None
        return count

    def words(self, count: int) -> str:
        """Write a number of records of the original.

        >>> Gate(300, k=5).words(1234), Gate(300, k=5).words(2), Gate(30, k=5).words(9)
        ('1,234', 'fewer than 5', 'some')
        """
        told = self.count(count)
        if told is not None:
            return f"{told:,}"
        return f"fewer than {self.k}" if count < self.k and self.tells_original else "some"

    def cells(self, counts: IntArray) -> BoolArray:
        """Say which cells of a partition of the original records may be told.

        Cells of 1 to k - 1 records are withheld, and further ones, the smallest first, until at least k records are
        behind all of them together: whoever knows how many there are in all learns nothing of a few.

        >>> Gate(100, k=5).cells(np.array([60, 0, 33, 7, 2])).tolist()
        [True, True, True, False, False]
        """
        told: BoolArray = (counts == 0) | (counts >= self.least)
        missing = int(counts[~told].sum())
        if missing:
            for cell in np.argsort(counts, kind="stable").tolist():
                if missing >= self.least:
                    break
                if told[cell] and counts[cell]:
                    told[cell] = False
                    missing += int(counts[cell])
        return told

    def cuts(self, sizes: IntArray, candidates: Sequence[int]) -> set[int]:
        """Say below which sizes of classes the records may be counted, so that no two counts differ by a few.

        Parameters
        ----------
        sizes : array of n int
            The size of the class of each record.
        candidates : sequence of int
            The sizes in question, those first that matter most.

        Examples
        --------
        >>> sizes = np.repeat([1, 2, 4, 30], [10, 2, 8, 60])
        >>> sorted(Gate(80, k=5).cuts(sizes, [2, 3, 5, 10]))
        [2, 5, 10]
        """
        told: dict[int, int] = {}
        for size in candidates if self.tells_original else ():
            below = int((sizes < size).sum())
            known = [0, len(sizes), *told.values()]
            if all(self.count(abs(below - other)) is not None for other in known):
                told[size] = below
        return set(told)

    def names(self, before: IntArray, after: IntArray) -> BoolArray:
        """Say which categories may be named, by how many records hold them in the original and in the release.

        >>> Gate(100, k=5).names(np.array([90, 6, 4, 1]), np.array([99, 0, 1, 0])).tolist()
        [True, True, True, False]
        """
        enough = before >= self.least if self.tells_original else np.zeros(len(before), dtype=np.bool_)
        named: BoolArray = (after > 0) | enough
        return named

    def dominated(self, values: FloatArray) -> bool:
        """Say whether fewer than k records make up most of the squares of a column around its mean.

        >>> Gate(100, k=3).dominated(np.append(np.arange(99.0), 1e9)), Gate(100, k=3).dominated(np.arange(100.0))
        (True, False)
        """
        if self.details or len(values) < 2:
            return False
        scale = float(np.abs(values).max()) or 1.0
        squares = (values / scale - float((values / scale).mean())) ** 2
        most = min(len(squares), max(1, self.k - 1))
        limit = DOMINANCE * float(squares.sum())
        if most * float(squares.max()) <= limit:
            return False
        return float(np.partition(squares, len(squares) - most)[-most:].sum()) > limit

    def seconds(self, seconds: float) -> float:
        """Round a time to two digits.

        >>> Gate(100, k=3).seconds(12.3456)
        12.0
        """
        return seconds if self.details else significant(seconds, 2)

    def results(
        self, rows: Sequence[Result], columns: Collection[str], categories: Mapping[str, Collection[str]] | None = None
    ) -> tuple[Result, ...]:
        """Pass measures, each with what may be told of it; those of which nothing may be told are left out.

        Parameters
        ----------
        rows : sequence of Result
            Measures of a release.
        columns : collection of str
            The columns of the data.
        categories : mapping of str to collection of str, optional
            For columns of categories, those that may be named.
        """
        if self.details:
            return tuple(rows)
        passed = [self._result(row, columns, categories or {}) for row in rows]
        alone = next((row.before for row in passed if row is not None and row.name == "uniques"), None)
        return tuple(self._apart(row, alone) for row in passed if row is not None)

    def _apart(self, row: Result, uniques: float | None) -> Result:
        """Withhold the records below k where they are a few more than those that are alone, which are told."""
        if row.name != "violations" or row.before is None or self.count(round(row.before - (uniques or 0))) is not None:
            return row
        return replace(row, before=None)

    def _result(
        self, row: Result, columns: Collection[str], categories: Mapping[str, Collection[str]]
    ) -> Result | None:
        # Without a value after, all that a measure says is of the original.
        is_public = of_the_release(row.name) and row.value is not None
        if not is_public and not self.tells_original:
            return None
        row = replace(row, records=None)
        if row.value is None and row.before is None:
            return replace(row, note=_FAILED if row.note else "", columns=None)
        if row.name in NARROW and self.n_records * NARROW[row.name] < self.k:
            return None
        value, note, by_column = row.value, row.note, dict(row.columns or {})
        named = {name: part for name, part in by_column.items() if is_named(name, columns, categories)}
        if len(named) < len(by_column):
            # The mean of all and the others would give away what is left out.
            finite = [part for part in named.values() if math.isfinite(part)]
            value = float(np.mean(finite)) if finite else None
            note = "; ".join(filter(None, (note, f"without categories that fewer than {self.k} records hold")))
        if not is_public:
            value = self._measured(row.name, value)
            passed = {name: self._measured(row.name, part) for name, part in named.items()}
            named = {name: part for name, part in passed.items() if part is not None}
        before = self._measured(row.name, row.before)
        sides = {"before": (row.before, before), "after": (row.value, value)}
        hidden = [side for side, (was, told) in sides.items() if was is not None and told is None]
        if hidden and self.tells_original:
            note = "; ".join(filter(None, (note, f"withheld {' and '.join(hidden)}: fewer than {self.k} records")))
        return replace(row, value=value, before=before, note=note, columns=named or None)

    def _measured(self, name: str, value: float | None) -> float | None:
        """Pass the value of a measure of the original."""
        if value is None or not self.tells_original:
            return None
        if name in COUNTS and self.count(round(value), of=self.n_records) is None:
            return None
        if name in SHARES and 0 < value * self.n_records / 100 < self.k * (1 - 1e-9):
            return None
        return self.figure(value)

    def risks_before(self, risks: Mapping[str, float]) -> dict[str, float | None]:
        """Pass the risks of the original."""
        return {name: value if self.details else self._measured(name, value) for name, value in risks.items()}

    def summary(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """Pass what is told of a release in a line, a card or JSON; a key that has no rule does not pass.

        >>> gate = Gate(60, k=5)
        >>> gate.summary({"k": 5, "information_loss": 9.0883719, "suppressed": 2, "sha256": {"input": "a"}, "x": 1})
        {'k': 5, 'information_loss': 9.09, 'suppressed': None, 'sha256': {}}
        """
        return {name: self._told(name, value) for name, value in told.items() if name in SUMMARY}

    def _told(self, name: str, value: Any) -> Any:
        rule = SUMMARY[name]
        if rule == "file":
            return {what: mark for what, mark in value.items() if what == "output"}
        if self.details or rule == "public":
            return value
        if rule == "count":
            return self.count(value)
        if rule == "gaps":
            return self._gaps(value)
        if rule == "bound":
            return self.lower_bound(value)
        if rule == "seconds":
            return self.seconds(value)
        if rule == "promises":
            return [{**each, "before": self.figure(each["before"])} for each in value]
        if rule == "before":
            return self.risks_before(value)
        return self._nested(value)

    def missing(self, before: int, after: int, of: int) -> int | None:
        """Give how many records lacked a value; None where it, or how many were blanked besides, is 1 to k - 1.

        >>> Gate(300, k=5).missing(40, 50, of=300), Gate(300, k=5).missing(40, 42, of=300)
        (40, None)
        """
        return self.count(before, of=of) if self.count(abs(after - before)) is not None else None

    def _gaps(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Pass what became of missing values, column by column."""
        told: dict[str, Any] = {"dropped": self.count(value["dropped"])}
        for what in ("imputed", "missing", "blanked"):
            told[what] = {name: self.count(count) for name, count in value[what].items()}
        for name, count in value["missing"].items():
            told["missing"][name] = self.missing(count, count + value["blanked"].get(name, 0), of=self.n_records)
        return told

    def _nested(self, value: Any) -> Any:
        """Round a figure, or those of a dictionary."""
        if isinstance(value, Mapping):
            return {name: self._nested(inner) for name, inner in value.items()}
        return self.figure(value)

    @property
    def withheld(self) -> tuple[Withheld, ...]:
        """What is not told, and why."""
        if self.details:
            return ()
        if not self.tells_original:
            return (
                Withheld(
                    "what was measured on the original data: losses, attacks, values and risks before",
                    "the noise covers the released values; an exact figure beside them would undo it"
                    if self.sealed
                    else f"there are fewer than {FEWEST} records, so that exact figures, and few candidates for the "
                    "values in a group, would give values away; only what can be worked out from the release is told",
                ),
            )
        return (
            Withheld(
                f"counts of 1 to {self.k - 1} records of the original data, and names that they alone hold",
                f"nothing is told that fewer than {self.k} records share",
            ),
            Withheld(
                f"digits of figures of the original data beyond the first {self.digits}",
                "exact figures would tell whether a guess of the values is right",
            ),
        )


SUMMARY = {
    **dict.fromkeys(
        ("method", "refine", "k", "records", "groups", "smallest", "largest", "k_anonymous", "risks", "roles"), "public"
    ),
    **dict.fromkeys(("kinds", "untouched", "untouched_together", "recoded", "warnings", "homogeneous"), "public"),
    "suppressed": "count",
    "missing": "gaps",
    "lower_bound": "bound",
    **dict.fromkeys(("information_loss", "losses", "column_losses"), "figure"),
    "blanks": "public",
    "risks_before": "before",
    "promises": "promises",
    "seconds": "seconds",
    "sha256": "file",
}
"""How what is told of a release in short passes the gate; the seconds of single steps have no rule, and stay."""


def significant(value: float, digits: int) -> float:
    """Round to so many significant digits.

    >>> significant(9.0883719, 5), significant(123456.0, 3), significant(float("inf"), 3)
    (9.0884, 123000.0, inf)
    """
    return float(f"{value:.{digits - 1}e}") if math.isfinite(value) else float(value)


def significant_all(values: FloatArray, digits: int) -> FloatArray:
    """Round each of many values to so many significant digits.

    >>> significant_all(np.array([9.0883719, 123456.0, np.inf, 0.0, -1e-30]), 3).tolist()
    [9.09, 123000.0, inf, 0.0, -1e-30]
    """
    given = np.ravel(values)
    # For these a whole number divided by an exact power of ten is what Python reads of the digits.
    simple = (np.abs(given) >= 1e-12) & (np.abs(given) < 1e12)
    usual = np.where(simple, given, 1.0)
    power = digits - 1 - np.floor(np.log10(np.abs(usual))).astype(np.int64)
    shift = 10.0 ** np.abs(power)
    shifted = np.where(power >= 0, usual * shift, usual / shift)
    whole = np.rint(shifted)
    rounded = np.where(power >= 0, whole / shift, whole * shift)
    # Beside a half, the value itself decides, and not what its product was rounded to.
    unclear = ~simple | (np.abs(np.abs(shifted - whole) - 0.5) < 1e-6)
    rounded[unclear] = [significant(value, digits) for value in given[unclear].tolist()]
    return rounded.reshape(np.shape(values))


def of_the_release(name: str) -> bool:
    """Say whether anybody can take a measure of a release who holds the release alone.

    >>> of_the_release("t_closeness"), of_the_release("record_linkage"), of_the_release("information_loss")
    (True, False, False)
    """
    return name in risk.MEASURES and risk.MEASURES[name].of_release


def is_named(text: str, columns: Collection[str], categories: Mapping[str, Collection[str]]) -> bool:
    """Say whether a part of a measure names nothing but columns, and categories that may be named.

    Parts are columns ("age"), pairs ("age x income") and what explains a column ("income ~ age", "income ~ job=baker").

    >>> is_named("age x pay", ["age", "pay"], {}), is_named("pay ~ job=spy", ["pay", "job"], {"job": ["baker"]})
    (True, False)
    """
    if text in columns:
        return True
    for joint in (_PAIR, _EXPLAINED):
        at = text.find(joint)
        while at >= 0:
            left, right = text[:at], text[at + len(joint) :]
            if left in columns and (right in columns or (joint == _EXPLAINED and _is_category(right, categories))):
                return True
            at = text.find(joint, at + 1)
    return False


def _is_category(text: str, categories: Mapping[str, Collection[str]]) -> bool:
    return any(
        text.startswith(f"{column}=") and text[len(column) + 1 :] in named for column, named in categories.items()
    )
