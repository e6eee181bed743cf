"""`Microaggregator`, the scikit-learn transformer: it learns groups and releases their centroids."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from microagg import io
from microagg.anonymize import make_plan
from microagg.base.checks import check_k, check_seed, check_threads
from microagg.base.ranges import scaled, within_range
from microagg.base.schema import Kind, Storage
from microagg.base.table import Table
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.cell import CellTask, Records
from microagg.errors import IndexKeptWarning, InvalidData, InvalidOption, MissingExtra
from microagg.flow import release_table
from microagg.partition import METHODS, get_method
from microagg.plan import AUTO
from microagg.prepare.kinds import KindGiven, QuasiColumn, quasi_columns, text_of
from microagg.prepare.missing import Missing, check_missing, complete, middle_of, missing_values, policies_of
from microagg.prepare.patterns import find_patterns
from microagg.prepare.scale import FARTHEST, Scale, scale_of, weights_of
from microagg.prepare.space import Space
from microagg.semantic.attribute import numeric
from microagg.semantic.loss import changes, spread

try:
    from sklearn import get_config
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingExtra("Microaggregator needs scikit-learn: pip install 'microagg[sklearn]'.") from error

DISTANCES_AT_ONCE = 1 << 22
"""How many distances transform holds at a time: 32 MiB."""

UNKNOWN = ("error", "ignore")
"""What `transform` does with values that `fit` has not seen."""


class Microaggregator(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Microaggregation as a scikit-learn transformer.

    `fit_transform` gives the k-anonymous release of the records it was fitted on: each one becomes the mean of its
    own group. `transform` maps any records to the nearest centroid of the fitted groups: use it to bring new records
    to values that were already released. It promises no k of its own, because nothing says how many new records meet
    at a centroid; and on the fitted records it can differ from `fit_transform`, because in a group of at least k
    some records are nearer to a neighbouring group's mean.

    Arrays hold numbers. Frames may hold categories, dates and truth values as well, as in `anonymize`; what comes out
    then is a frame of the kind that came in.

    Parameters
    ----------
    k : int
        Least size of a group.
    method : str
        A name in METHODS, of a method that groups whole records; "auto" is mdav for numbers and mixed otherwise.
    standardize : bool
        Measure distances on columns brought to mean 0 and standard deviation 1. A constant column never counts then.
    column_weights : mapping of name to float, or sequence of float, optional
        How much each column counts in squared distances: by name, where fitted on a frame (1 for columns that are not
        named), or one number for each column.
    kinds : mapping of name to kind, optional
        What columns of a frame are treated as, as in `anonymize`.
    handle_unknown : {"error", "ignore"}
        What `transform` does with a category that was not there at `fit`, or a value that is missing: an error, or a
        column that does not count for this record.
    missing : {"refuse", "value", "impute", "impute-any-share"} or mapping of name to one of them
        What becomes of missing values, as in `anonymize`: an error (default); "value": they come out as missing, and
        records are grouped with such that lack the same; "impute": the median, or most frequent category, of what was
        fitted takes their place. Records cannot be left out ("drop"): a transformer gives a row for each row.
    random_state : int, RandomState or None
        Where the method makes random choices, they follow from this: from a number, the same ones each time, and those
        of `anonymize(seed=...)`; from a RandomState or None, others with each fit.
    n_jobs : int, optional
        How many threads to use. None and -1 are all processors, -2 all but one. The result does not depend on it.
    method_options : dict, optional
        The method's own options.

    Attributes
    ----------
    labels_ : array of n int
        The group of each fitted record.
    centroids_ : array of shape (groups, m)
        The common values of each group: means, in the units of the data; for frames with categories, what the release
        holds.
    n_features_in_ : int
        The number of columns fitted on.
    feature_names_in_ : array of str
        Their names, where fitted on a frame whose column names are all text.

    Examples
    --------
    >>> X = np.array([[1.0, 10.0], [2.0, 12.0], [9.0, 50.0], [8.0, 54.0]])
    >>> anonymizer = Microaggregator(k=2, method="univariate")
    >>> anonymizer.fit_transform(X).tolist()
    [[1.5, 11.0], [1.5, 11.0], [8.5, 52.0], [8.5, 52.0]]
    >>> anonymizer.transform([[7.0, 40.0]]).tolist()
    [[8.5, 52.0]]
    """

    _space: Space
    labels_: IntArray
    centroids_: npt.NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        k: int = 5,
        method: str = AUTO,
        standardize: bool = True,
        column_weights: Mapping[str, float] | Sequence[float] | None = None,
        kinds: Mapping[str, KindGiven] | None = None,
        handle_unknown: str = "error",
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        method_options: dict[str, Any] | None = None,
        missing: str | Mapping[str, str] = Missing.REFUSE.value,
    ) -> None:
        self.k = k
        self.method = method
        self.standardize = standardize
        self.column_weights = column_weights
        self.kinds = kinds
        self.handle_unknown = handle_unknown
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.method_options = method_options

    def fit(self, X: Any, y: object = None) -> Self:
        """Group the records of X; y is ignored.

        Parameters
        ----------
        X : array or frame of shape (n, m)
            The records, at least k of them: finite numbers; in frames also text, truth values and dates.
        y : ignored
            For pipelines.

        Returns
        -------
        Microaggregator
            Itself, fitted.
        """
        if self.handle_unknown not in UNKNOWN:
            raise InvalidOption(f"handle_unknown must be one of {', '.join(UNKNOWN)}; got {self.handle_unknown!r}.")
        options = dict(self.method_options or {})
        method = "mdav" if self.method == AUTO else self.method
        chosen = get_method(method, {} if self.method == AUTO else options)
        if chosen.blanks:
            raise InvalidOption(
                f"method {self.method!r} leaves values blank, which most estimators do not take; choose another, or "
                "make the release with microagg.anonymize."
            )
        if chosen.per_column:
            raise InvalidOption(
                f"method {self.method!r} groups each column on its own, so there is no centroid to transform to; "
                "choose one that groups whole records."
            )
        table = self._table(X)
        self._columns: list[QuasiColumn] | None = None
        if table is not None:
            validate_data(self, X, skip_check_array=True)
            self._fit_table(table, options)
            return self
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2, ensure_all_finite=self._finite)
        check_k(self.k, X.shape[0])
        names = self._names(X)
        self._attributes = (numeric(),) * len(names)
        filling = complete(X, names, self._attributes, self._policies(names)).filling
        plan = make_plan(k=self.k, method=method, seed=self._seed(), options=options)
        self._space = Space(
            names=names,
            attributes=self._attributes,
            scale=scale_of(X),
            spreads=(np.nan,) * len(names),
            column_weights=self._weights(names),
            standardize=bool(self.standardize),
            as_codes=METHODS[method].takes == "attributes",
            fills=self._fills(X, names),
        )
        records, patterns = Records(np.arange(len(X)), X, np.zeros(len(X), dtype=np.int64)), None
        if filling.opened is not None:
            points = replace(self._space, as_codes=False, standardize=True).points
            patterns = find_patterns(lambda task, _: task(records), filling.opened, points, self.k, per_column=False)
            if patterns is not None:
                records = replace(records, strata=patterns.divide(records.rows, records.strata, X))
        no_rounding = (None,) * len(names)
        task = CellTask(plan, self._space, no_rounding, self._threads(), opened=filling.opened, patterns=patterns)
        grouped = task(records)
        self.labels_ = grouped.labels
        self.centroids_ = grouped.released[np.unique(grouped.labels, return_index=True)[1]]
        return self

    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Group the records of X and give each one the mean of its own group: a k-anonymous release.

        Parameters
        ----------
        X : array or frame of shape (n, m)
            The records.
        y : ignored
            For pipelines.

        Returns
        -------
        array of shape (n, m), or the frame that `set_output` asks for; where a frame holds categories, a frame like it
        """
        self.fit(X, y)
        if self._columns is not None:
            return self._release(self._wrap(X), self._columns, self._centres[self.labels_])
        self._check_index(X)
        released: FloatArray = self.centroids_[self.labels_]
        return released

    def transform(self, X: Any) -> Any:
        """Give each record the nearest centroid of the fitted groups; ties go to the lower group number.

        Parameters
        ----------
        X : array or frame of shape (n, m)
            Any records with the columns that were fitted on.

        Returns
        -------
        array of shape (n, m), or the frame that `set_output` asks for; where a frame holds categories, a frame like it
        """
        check_is_fitted(self)
        if self._columns is not None:
            validate_data(self, X, skip_check_array=True, reset=False)
            return self._transform_table(self._wrap(X), self._columns)
        self._check_index(X)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False, ensure_all_finite=self._finite)
        lacks = self._lacks(X, self._space.names)
        released: FloatArray = self.centroids_[nearest(self._space.route(X), self._space.route(self.centroids_))]
        released[lacks] = np.nan
        return released

    def __sklearn_tags__(self) -> Any:
        """Say that missing values are taken, where they are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != Missing.REFUSE
        return tags

    @property
    def _finite(self) -> bool | str:
        """What scikit-learn is to allow among numbers."""
        return True if self.missing == Missing.REFUSE else "allow-nan"

    def _policies(self, names: Sequence[str]) -> list[str]:
        """Give what becomes of the missing values of each column."""
        policies = policies_of(check_missing(self.missing), names)
        if Missing.DROP in policies:
            raise InvalidOption(
                "missing='drop' leaves records out, and a transformer gives a row for each row. Choose missing='value' "
                "or missing='impute', or drop such rows beforehand."
            )
        return policies

    def _fills(self, values: FloatArray, names: Sequence[str]) -> FloatArray | None:
        """Give the medians that stand for missing numbers, NaN where they stay missing; None where none may be."""
        policies = self._policies(names)
        if set(policies) == {Missing.REFUSE}:
            return None
        fills = np.full(len(names), np.nan)
        for j, policy in enumerate(policies):
            if policy in (Missing.IMPUTE, Missing.IMPUTE_ANY):
                fills[j] = middle_of(values[~np.isnan(values[:, j]), j], numeric())
        return fills

    def _lacks(self, values: FloatArray, names: Sequence[str]) -> BoolArray:
        """Say which values of new records come out as missing; refuse those that must not be."""
        gaps, policies = np.isnan(values), np.array(self._policies(names))
        refused = gaps & (policies == Missing.REFUSE)
        if refused.any() and self.handle_unknown == "error":
            row, column = (int(place) for place in np.argwhere(refused)[0])
            raise missing_values(int(refused.any(axis=1).sum()), len(values), names[column], row)
        lacks: BoolArray = gaps & (policies == Missing.VALUE)
        return lacks

    def _seed(self) -> int:
        """Give the seed of this fit."""
        state = self.random_state
        if state is None or isinstance(state, np.random.RandomState):
            return int(check_random_state(state).randint(np.iinfo(np.int32).max))
        return check_seed(state, "random_state")

    def _threads(self) -> int | None:
        """Give the number of threads as the rest of the package counts them: None for all processors."""
        n_jobs = self.n_jobs
        if n_jobs is None:
            return None
        if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
            raise InvalidOption(
                f"n_jobs must be a whole number other than 0, or None for all processors; got {n_jobs!r}."
            )
        return int(n_jobs) if n_jobs > 0 else max(1, check_threads(None) + 1 + int(n_jobs))

    def _wrap(self, X: Any) -> io.FrameTable:
        """Make a table of a frame whose rows keep their labels."""
        _warn_of_index(X)
        return io.wrap(X, keep_index=True)

    def _check_index(self, X: Any) -> None:
        """Warn of the labels of rows where scikit-learn will lay them on the array that comes out."""
        asked = getattr(self, "_sklearn_output_config", {}).get("transform") or get_config()["transform_output"]
        if asked == "pandas":
            _warn_of_index(X)

    def _table(self, X: Any) -> Table | None:
        """Give a frame that holds other things than numbers, or is said to, as a table; None for everything else."""
        if not hasattr(X, "columns"):
            if self.kinds is not None:
                raise InvalidOption("kinds are of the columns of a frame; an array holds numbers and has no names.")
            return None
        table = io.wrap(X)
        only_numbers = all(table.storage(name) is Storage.NUMERIC for name in table.names)
        return None if only_numbers and not self.kinds else table

    def _fit_table(self, table: Table, options: dict[str, Any]) -> None:
        # Features that are numbers stay numbers, whatever they look like: rows that come later may hold others.
        numbers_of = [name for name in table.names if table.storage(name) is Storage.NUMERIC]
        kinds = {**dict.fromkeys(numbers_of, "numeric"), **(self.kinds or {})}
        columns = quasi_columns(table, table.names, kinds)
        plan = make_plan(
            k=self.k,
            quasi=table.names,
            kinds=kinds,
            method=self.method,
            column_weights=self._weights(table.names),
            standardize=self.standardize,
            missing=dict(zip(table.names, self._policies(table.names), strict=True)),
            seed=self._seed(),
            options=options,
        )
        release = release_table(table, plan, threads=self._threads())
        self.labels_ = release.labels
        self._centres = release.released[np.unique(release.labels, return_index=True)[1]]
        values = np.column_stack([column.values for column in columns])
        are_numbers = np.array([column.kind is Kind.NUMERIC for column in columns])
        scale = scale_of(values)
        self._units = Scale(np.where(are_numbers, scale.mean, 0.0), np.where(are_numbers, scale.deviation, 1.0))
        Z = self._units.apply(values)
        known = [Z[~np.isnan(values[:, j]), j] for j in range(len(columns))]
        self._spreads = np.array(
            [spread(v, c.attribute) if len(v) else 0.0 for v, c in zip(known, columns, strict=True)]
        )
        units = self._spreads
        self._middles = np.array([
            middle_of(values[~np.isnan(values[:, j]), j], column.attribute) or 0.0 for j, column in enumerate(columns)
        ])  # fmt: skip
        weights = within_range(weights_of(table.names, plan.column_weights))
        self._factors = np.divide(weights, units, out=np.zeros(len(columns)), where=units > 0)
        # The records themselves are not kept.
        self._columns = [replace(column, values=np.empty(0)) for column in columns]
        self.centroids_ = np.empty(self._centres.shape, dtype=object)
        for j, column in enumerate(self._columns):
            restored = column.restore(self._centres[:, j])
            self.centroids_[:, j] = restored if not np.ma.isMaskedArray(restored) else restored.tolist()

    def _transform_table(self, table: Table, columns: list[QuasiColumn]) -> Any:
        raw = np.column_stack([self._values(table, column) for column in columns])
        names = [column.name for column in columns]
        lacks = self._lacks(raw, names)
        imputed = np.array([policy in (Missing.IMPUTE, Missing.IMPUTE_ANY) for policy in self._policies(names)])
        raw = np.where(np.isnan(raw) & imputed, self._middles, raw)
        values, centres = (np.where(np.isnan(side), np.nan, self._units.apply(side)) for side in (raw, self._centres))
        chosen = np.empty(len(values), dtype=np.int64)
        step = max(1, DISTANCES_AT_ONCE // len(self._centres))
        for start in range(0, len(values), step):
            block = values[start : start + step]
            distances = np.zeros((len(block), len(self._centres)))
            for j, column in enumerate(columns):
                known, there = np.flatnonzero(~np.isnan(block[:, j])), ~np.isnan(centres[:, j])
                apart = changes(block[known, j][:, None], centres[there, j][None, :], column.attribute)
                distances[np.ix_(known, there)] += self._factors[j] * apart**2
                # What lacks a value is as far from one that does not as values are from each other.
                distances[np.ix_(known, ~there)] += self._factors[j] * self._spreads[j]
                both = np.ix_(lacks[start : start + step, j], there)
                distances[both] += self._factors[j] * self._spreads[j]
            chosen[start : start + step] = distances.argmin(axis=1)
        return self._release(table, columns, np.where(lacks, np.nan, self._centres[chosen]))

    def _release(self, table: Table, columns: list[QuasiColumn], values: FloatArray) -> Any:
        """Give a table with these values, numbers and codes."""
        return table.with_columns(
            {column.name: column.restore(values[:, j]) for j, column in enumerate(columns)}
        ).native()

    def _values(self, table: Table, column: QuasiColumn) -> FloatArray:
        """Give a column of new records as numbers or codes; NaN where it is missing or unknown, if that is allowed."""
        if column.kind is Kind.NUMERIC:
            if column.dates is not None:
                values = column.dates.seconds(table, column.name)
            elif column.storage is Storage.DATE:
                values = table.dates(column.name)
            else:
                values = table.numeric(column.name).values
        else:
            categories = table.categories(column.name)
            in_use = column.attribute.names[: column.attribute.n_values]
            code = {name: float(i) for i, name in enumerate(in_use)}
            codes = np.array([*(code.get(text_of(value), np.nan) for value in categories.values), np.nan])
            values = codes[categories.codes]
        gone = np.zeros(len(values), dtype=np.bool_)
        if self.missing != Missing.REFUSE:  # what may be missing is looked at later
            gone = table.categories(column.name).codes < 0
        lacking = np.flatnonzero(~np.isfinite(values) & ~gone)
        if lacking.size and self.handle_unknown == "error":
            raise InvalidData(
                f"column {column.name!r}: {lacking.size} of {len(values)} records hold a value that is missing or was "
                f"not there when the groups were made, the first is record {lacking[0] + 1}. Correct them, or use "
                "handle_unknown='ignore', which leaves the column out for such records."
            )
        return np.where(np.isfinite(values), values, np.nan)

    def _names(self, X: FloatArray) -> tuple[str, ...]:
        """Give the names of the columns, their numbers where they have none."""
        return tuple(str(name) for name in getattr(self, "feature_names_in_", range(X.shape[1])))

    def _weights(self, names: Sequence[str]) -> Mapping[str, float]:
        """Give the column weights by name."""
        weights = self.column_weights
        if weights is None or isinstance(weights, Mapping):
            return weights or {}
        if len(weights) != len(names):
            raise InvalidOption(
                f"column_weights must hold one number for each of {len(names)} columns; got {len(weights)}."
            )
        return dict(zip(names, weights, strict=True))


def _warn_of_index(frame: Any) -> None:
    """Say that labels of rows that may name people stay with them, as pipelines need it."""
    labels = getattr(getattr(frame, "index", None), "dtype", None)
    if labels is not None and labels.kind not in "iufMm":
        warnings.warn(
            "the index of the frame stays with its rows, and holds more than numbers: if it names people, the result "
            "is not fit to be published. Use reset_index(drop=True), or microagg.anonymize, which leaves it out.",
            IndexKeptWarning,
            stacklevel=4,
        )


def nearest(Z: FloatArray, centres: FloatArray) -> IntArray:
    """Give the number of the centre nearest to each record, the lower one of equals, a block of records at a time.

    Differences are squared and added column by column, so that neither the block nor rounding decides a tie. Where
    squares would overflow, all is scaled by a power of two, and what lies beyond 1e100 times that counts as 1e100.

    >>> nearest(np.array([[0.0], [1.0], [4.0]]), np.array([[0.0], [2.0]])).tolist()
    [0, 0, 1]
    """
    centres, exponent = scaled(centres)
    with np.errstate(over="ignore"):
        Z = np.clip(np.ldexp(Z, -exponent), -FARTHEST, FARTHEST)
    chosen = np.empty(len(Z), dtype=np.int64)
    step = max(1, DISTANCES_AT_ONCE // len(centres))
    for start in range(0, len(Z), step):
        block = Z[start : start + step]
        distances = np.zeros((len(block), len(centres)))
        for record_values, centre_values in zip(block.T, centres.T, strict=True):
            difference = record_values[:, None] - centre_values
            difference *= difference
            distances += difference
        chosen[start : start + step] = distances.argmin(axis=1)
    return chosen
