"""The face that scikit-learn knows: a transformer that learns groups and releases their centroids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from microagg.arrays import FloatArray, IntArray, check_k
from microagg.errors import InvalidOption, MissingExtra
from microagg.groups import group_means
from microagg.partition import get_method, partition
from microagg.prepare import Scale, scale_of, weigh

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingExtra("Microaggregator needs scikit-learn: pip install 'microagg[sklearn]'.") from error

DISTANCES_AT_ONCE = 1 << 22
"""How many distances transform holds at a time: 32 MiB."""


class Microaggregator(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Microaggregation as a scikit-learn transformer.

    `fit_transform` gives the k-anonymous release of the records it was fitted on: each one becomes the mean of its
    own group. `transform` maps any records to the nearest centroid of the fitted groups: use it to bring new records
    to values that were already released. It promises no k of its own, because nothing says how many new records meet
    at a centroid; and on the fitted records it can differ from `fit_transform`, because in a group of at least k
    some records are nearer to a neighbouring group's mean.

    Parameters
    ----------
    k : int
        Least size of a group.
    method : str
        A name in METHODS, of a method that groups whole records.
    standardise : bool
        Measure distances on columns brought to mean 0 and standard deviation 1. A constant column never counts then.
    column_weights : mapping of name to float, or sequence of float, optional
        How much each column counts in squared distances: by name, where fitted on a frame (1 for columns that are not
        named), or one number for each column.
    seed : int
        Where the method makes random choices, they follow from this.
    threads : int, optional
        How many threads to use; all processors by default. The result does not depend on it.
    method_options : dict, optional
        The method's own options.

    Attributes
    ----------
    labels_ : array of n int
        The group of each fitted record.
    centroids_ : array of shape (groups, m)
        The mean of each group, in the units of the data.
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

    labels_: IntArray
    centroids_: FloatArray
    n_features_in_: int

    def __init__(
        self,
        k: int = 5,
        method: str = "mdav",
        standardise: bool = True,
        column_weights: Mapping[str, float] | Sequence[float] | None = None,
        seed: int = 0,
        threads: int | None = None,
        method_options: dict[str, Any] | None = None,
    ) -> None:
        self.k = k
        self.method = method
        self.standardise = standardise
        self.column_weights = column_weights
        self.seed = seed
        self.threads = threads
        self.method_options = method_options

    def fit(self, X: Any, y: object = None) -> Self:
        """Group the records of X; y is ignored.

        Parameters
        ----------
        X : array or frame of shape (n, m)
            The records: finite numbers, at least k of them.
        y : ignored
            For pipelines.

        Returns
        -------
        Microaggregator
            Itself, fitted.
        """
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        k = check_k(self.k, X.shape[0])
        options = dict(self.method_options or {})
        if get_method(self.method, options).per_column:
            raise InvalidOption(
                f"method {self.method!r} groups each column on its own, so there is no centroid to transform to; "
                "choose one that groups whole records."
            )
        no_scale = Scale(np.zeros(X.shape[1]), np.ones(X.shape[1]))
        self._scale = scale_of(X) if self.standardise else no_scale
        self.labels_ = partition(
            self._prepare(X), k, method=self.method, seed=self.seed, threads=self.threads, **options
        )
        self.centroids_ = group_means(X, self.labels_)
        return self

    def fit_transform(self, X: Any, y: object = None) -> npt.NDArray[np.float64]:
        """Group the records of X and give each one the mean of its own group: a k-anonymous release.

        Parameters
        ----------
        X : array or frame of shape (n, m)
            The records.
        y : ignored
            For pipelines.

        Returns
        -------
        array of shape (n, m), or the frame that `set_output` asks for
        """
        self.fit(X, y)
        released: FloatArray = self.centroids_[self.labels_]
        return released

    def transform(self, X: Any) -> npt.NDArray[np.float64]:
        """Give each record the nearest centroid of the fitted groups; ties go to the lower group number.

        Parameters
        ----------
        X : array or frame of shape (n, m)
            Any records with the columns that were fitted on.

        Returns
        -------
        array of shape (n, m), or the frame that `set_output` asks for
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        released: FloatArray = self.centroids_[nearest(self._prepare(X), self._prepare(self.centroids_))]
        return released

    def _prepare(self, X: FloatArray) -> FloatArray:
        """Bring records to the space in which distances are measured."""
        Z = self._scale.apply(X)
        weights = self.column_weights
        if weights is None:
            return Z
        names = [str(name) for name in getattr(self, "feature_names_in_", range(X.shape[1]))]
        if not isinstance(weights, Mapping):
            if len(weights) != len(names):
                raise InvalidOption(
                    f"column_weights must hold one number for each of {len(names)} columns; got {len(weights)}."
                )
            weights = dict(zip(names, weights, strict=True))
        return weigh(Z, names, weights)


def nearest(Z: FloatArray, centres: FloatArray) -> IntArray:
    """Give the number of the centre nearest to each record, the lower one of equals, a block of records at a time.

    Differences are squared and added column by column, so that neither the block nor rounding decides a tie.

    >>> nearest(np.array([[0.0], [1.0], [4.0]]), np.array([[0.0], [2.0]])).tolist()
    [0, 0, 1]
    """
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
