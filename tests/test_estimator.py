"""The estimator: scikit-learn's own checks, the promise of fit_transform, and the rule of transform."""

from __future__ import annotations

import subprocess
import sys

import checks
import numpy as np
import pandas as pd
import polars as pl
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from microagg import anonymize, estimator
from microagg.errors import IndexKeptWarning, InfeasibleK, InvalidData, InvalidOption
from microagg.estimator import Microaggregator, nearest
from microagg.partition import METHODS, partition

METHOD = "univariate"
WHOLE_RECORDS = [
    name
    for name, method in METHODS.items()
    if not method.per_column and not method.blanks and method.most_records is None
]
FIT_TRANSFORM_IS_NOT_TRANSFORM = (
    "fit_transform gives each fitted record the mean of its own group, which is what makes the release k-anonymous; "
    "transform gives any record the nearest centroid"
)
QUICKLY: dict[str, dict[str, object]] = {
    "hm2": {"path": "greedy_edge"},
    "compress": {"path": "greedy_edge"},
    "best": {"iterations": 1},
}
"""Options of methods that would take long with their defaults: some of scikit-learn's checks have tens of fits."""
GROUPS_ARE_CELLS = ("mondrian", "mst", "mf_tsp")
"""Methods whose groups, on the data of the checks, are such that each record is nearest to the mean of its own."""
EXPECTED_TO_FAIL = {
    "check_transformer_general": FIT_TRANSFORM_IS_NOT_TRANSFORM,
    "check_transformer_data_not_an_array": FIT_TRANSFORM_IS_NOT_TRANSFORM,
}


def records(n: int = 60, m: int = 3) -> np.ndarray:
    return np.random.default_rng(7).normal(size=(n, m)) * [1.0, 50.0, 0.01][:m] + [0.0, 300.0, 5.0][:m]


@parametrize_with_checks(
    [
        Microaggregator(),
        Microaggregator(standardize=False),
        *(Microaggregator(method=name, method_options=QUICKLY.get(name)) for name in WHOLE_RECORDS),
    ],
    expected_failed_checks=lambda estimator: {} if estimator.method in GROUPS_ARE_CELLS else EXPECTED_TO_FAIL,
)
def test_sklearn_checks(estimator, check) -> None:
    """The default and every method that groups whole records keep the contract of scikit-learn's estimators."""
    check(estimator)


def test_random_states() -> None:
    """A number is the seed of `anonymize`; a RandomState gives its next number, and others with each fit."""
    X = records(200)
    numbered = Microaggregator(k=4, method="fast", random_state=3)
    assert np.array_equal(numbered.fit(X).labels_, numbered.fit(X).labels_)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    assert np.array_equal(numbered.labels_, partition(Z, 4, method="fast", seed=3))
    drawing = Microaggregator(k=4, method="fast", random_state=np.random.RandomState(0))
    first = drawing.fit(X).labels_
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    assert np.array_equal(first, partition(Z, 4, method="fast", seed=seed))
    assert not np.array_equal(first, drawing.fit(X).labels_)
    checks.assert_partition(Microaggregator(k=4, method="fast", random_state=None).fit(X).labels_, 200, 4)


def test_jobs_are_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted as scikit-learn counts them: negative numbers from the number of processors down."""
    monkeypatch.setattr(estimator, "check_threads", lambda threads: 8)
    given = {None: None, 1: 1, 3: 3, -1: 8, -2: 7, -8: 1, -100: 1}
    assert {n_jobs: Microaggregator(n_jobs=n_jobs)._threads() for n_jobs in given} == given


@pytest.mark.parametrize("method", WHOLE_RECORDS)
@pytest.mark.parametrize("k", [2, 5, 31])
def test_fit_transform_is_the_k_anonymous_release(method: str, k: int) -> None:
    X = records()
    fitted = Microaggregator(k=k, method=method, method_options=QUICKLY.get(method))
    released = fitted.fit_transform(X)
    checks.assert_partition(fitted.labels_, len(X), k)
    _, counts = np.unique(released, axis=0, return_counts=True)
    assert counts.min() >= k
    for g in range(fitted.labels_.max() + 1):
        assert released[fitted.labels_ == g] == pytest.approx(
            np.tile(X[fitted.labels_ == g].mean(axis=0), (np.sum(fitted.labels_ == g), 1)), rel=1e-12
        )


def test_labels_are_those_of_partition_on_standardised_records() -> None:
    X = records()
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    assert np.array_equal(Microaggregator(k=4, method=METHOD).fit(X).labels_, partition(Z, 4, method=METHOD))
    assert np.array_equal(
        Microaggregator(k=4, method=METHOD, standardize=False).fit(X).labels_, partition(X, 4, method=METHOD)
    )


def test_transform_takes_the_nearest_centroid_in_standardised_space() -> None:
    X, new = records(), records(40)[::-1] * 1.01
    fitted = Microaggregator(k=4, method=METHOD).fit(X)
    scale = X.std(axis=0, ddof=1)
    for record, given in zip(new, fitted.transform(new), strict=True):
        distances = (((fitted.centroids_ - record) / scale) ** 2).sum(axis=1)
        assert given == pytest.approx(fitted.centroids_[distances.argmin()])


def test_transform_does_not_depend_on_the_size_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = Microaggregator(k=3, method=METHOD).fit(records())
    whole = fitted.transform(records())
    monkeypatch.setattr(estimator, "DISTANCES_AT_ONCE", 1)
    assert np.array_equal(fitted.transform(records()), whole)


def test_ties_go_to_the_lower_group_number() -> None:
    centres = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    assert nearest(np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, 0.0]]), centres).tolist() == [0, 0, 2]


def test_weight_zero_takes_a_column_out_of_the_distance() -> None:
    X = records(m=2)
    alone = Microaggregator(k=4, method="univariate").fit(X[:, :1])
    for weights in ([1.0, 0.0], {"b": 0.0}):
        frame = pd.DataFrame(X, columns=["a", "b"])
        weighted = Microaggregator(k=4, method="univariate", column_weights=weights).fit(frame)
        assert checks.groups(weighted.labels_) == checks.groups(alone.labels_)


@pytest.mark.parametrize(
    ("options", "error", "why"),
    [
        ({"k": 61}, InfeasibleK, "between 2 and the number of records"),
        ({"k": 1}, InfeasibleK, "between 2"),
        ({"n_jobs": 0}, InvalidOption, "n_jobs must be a whole number other than 0"),
        ({"n_jobs": 1.5}, InvalidOption, "n_jobs must be a whole number"),
        ({"n_jobs": True}, InvalidOption, "n_jobs must be a whole number"),
        ({"random_state": -1}, InvalidOption, "random_state must be a whole number from 0"),
        ({"random_state": "x"}, InvalidOption, "random_state must be a whole number from 0"),
        ({"handle_unknown": "refuse"}, InvalidOption, "handle_unknown must be one of error, ignore"),
        ({"k": 2.5}, InfeasibleK, "whole number"),
        ({"method": "nothing"}, InvalidOption, "must be one of"),
        ({"method_options": {"nothing": 1}}, InvalidOption, "cannot honour the option 'nothing'"),
        ({"column_weights": [1.0]}, InvalidOption, "each of 3 columns; got 1"),
        ({"column_weights": {"x": 1.0}}, InvalidOption, "got 'x'"),
        ({"column_weights": [1.0, -1.0, 1.0]}, InvalidOption, "at least 0"),
    ],
)
def test_bad_options(options: dict[str, object], error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        Microaggregator(**{"method": METHOD, **options}).fit(records())


def test_a_method_that_leaves_blanks_is_refused() -> None:
    """What comes out of a transformer goes into an estimator: most take no missing values."""
    with pytest.raises(InvalidOption, match="leaves values blank"):
        Microaggregator(k=2, method="blank").fit(np.eye(4))


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.per_column])
def test_methods_of_single_columns_are_refused(method: str) -> None:
    with pytest.raises(InvalidOption, match="each column on its own"):
        Microaggregator(method=method).fit(records())


def test_method_options_reach_the_method() -> None:
    X = records()
    by_sum = Microaggregator(k=3, method="univariate", standardize=False, method_options={"projection": "sum"}).fit(X)
    assert np.array_equal(by_sum.labels_, partition(X, 3, method="univariate", projection="sum"))


def test_transform_before_fit() -> None:
    with pytest.raises(NotFittedError):
        Microaggregator().transform(records())


@pytest.mark.parametrize(("frame", "kind"), [(pd.DataFrame, "pandas"), (pl.DataFrame, "polars")])
def test_frames_in_and_out(frame: type, kind: str) -> None:
    data = frame(dict(zip("abc", records().T, strict=True)))
    anonymizer = Microaggregator(k=4, method=METHOD).set_output(transform=kind)
    released = anonymizer.fit_transform(data)
    assert isinstance(released, frame)
    assert list(released.columns) == ["a", "b", "c"]
    assert anonymizer.feature_names_in_.tolist() == anonymizer.get_feature_names_out().tolist() == ["a", "b", "c"]
    assert isinstance(anonymizer.transform(data), frame)
    assert np.array_equal(released.to_numpy(), clone(anonymizer).set_output(transform="default").fit_transform(data))


def test_pandas_index_is_kept() -> None:
    data = pd.DataFrame(records(), columns=list("abc"), index=np.arange(60)[::-1])
    released = Microaggregator(k=4, method=METHOD).set_output(transform="pandas").fit_transform(data)
    assert released.index.equals(data.index)


def test_an_index_of_names_is_said() -> None:
    """Pipelines need the index; whoever publishes what comes out must not overlook it."""
    data = pd.DataFrame(records(), columns=list("abc"), index=[f"person{i}@example.org" for i in range(60)])
    anonymizer = Microaggregator(k=4, method=METHOD)
    anonymizer.fit_transform(data)  # an array has no index
    anonymizer.set_output(transform="pandas")
    with pytest.warns(IndexKeptWarning, match="stays with its rows"):
        anonymizer.fit_transform(data)
    with pytest.warns(IndexKeptWarning, match="stays with its rows"):
        anonymizer.transform(data)
    with pytest.warns(IndexKeptWarning, match="stays with its rows"):
        Microaggregator(k=4).fit_transform(data.assign(a=["x", "y"] * 30))


def test_works_in_a_pipeline() -> None:
    released = make_pipeline(FunctionTransformer(), Microaggregator(k=4, method=METHOD)).fit_transform(records())
    assert np.unique(released, axis=0, return_counts=True)[1].min() >= 4


def test_constant_column_has_no_weight() -> None:
    X = records()
    with_constant = np.column_stack([X, np.full(len(X), 0.1)])
    fitted = Microaggregator(k=4, method=METHOD).fit(with_constant)
    assert np.array_equal(fitted.labels_, Microaggregator(k=4, method=METHOD).fit(X).labels_)
    elsewhere = np.column_stack([X, np.full(len(X), 1e6)])
    assert np.array_equal(fitted.transform(elsewhere), fitted.transform(with_constant))


def test_without_scikit_learn_the_error_names_the_extra() -> None:
    code = """
import sys
sys.modules["sklearn"] = None
import microagg
from microagg.errors import MissingExtra
try:
    import microagg.estimator
except MissingExtra as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'microagg[sklearn]'" in result.stdout


def people(make=pd.DataFrame, n: int = 40, seed: int = 3):
    rng = np.random.default_rng(seed)
    return make(
        {
            "age": rng.integers(18, 80, n),
            "job": [str(word) for word in rng.choice(["baker", "nurse", "pilot"], n)],
            "married": rng.random(n) < 0.5,
            "grade": [str(word) for word in rng.choice(["low", "middle", "high"], n)],
        }
    )


KINDS = {"grade": "ordinal:low,middle,high"}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("method", ["auto", "mdav", "sa_mondrian"])
def test_frames_of_any_kinds(make, method: str) -> None:
    frame = people(make)
    fitted = Microaggregator(k=4, method=method, kinds=KINDS)
    released = fitted.fit_transform(frame)
    assert type(released) is make
    checks.assert_partition(fitted.labels_, 40, 4)
    wanted = anonymize(frame, k=4, method=method, kinds=KINDS).data
    assert released.to_numpy().tolist() == wanted.to_numpy().tolist()
    assert fitted.centroids_[fitted.labels_].tolist() == wanted.to_numpy().tolist()
    assert fitted.get_feature_names_out().tolist() == ["age", "job", "married", "grade"]
    shared = fitted.transform(people(make, 7, seed=9)).to_numpy().tolist()
    assert all(row in wanted.to_numpy().tolist() for row in shared)


def test_new_records_of_any_kinds_go_to_the_nearest_centroid() -> None:
    frame, new = people(), people(n=25, seed=8)
    fitted = Microaggregator(k=4, kinds=KINDS, column_weights={"job": 2.0}).fit(frame)
    rank = {"low": 0, "middle": 1, "high": 2}
    middle = sorted(rank[grade] for grade in frame["grade"])[19]
    unit = {
        "age": frame["age"].var(ddof=1),
        "job": (frame["job"] != frame["job"].mode()[0]).sum() / 39,
        "married": min(frame["married"].sum(), (~frame["married"]).sum()) / 39,
        "grade": sum(((rank[grade] - middle) / 2) ** 2 for grade in frame["grade"]) / 39,
    }
    for row, given in zip(new.itertuples(), fitted.transform(new).itertuples(), strict=True):
        distances = [
            (row.age - age) ** 2 / unit["age"]
            + 2.0 * (row.job != job) / unit["job"]
            + (row.married != married) / unit["married"]
            + ((rank[row.grade] - rank[grade]) / 2) ** 2 / unit["grade"]
            for age, job, married, grade in fitted.centroids_
        ]
        age, job, married, grade = fitted.centroids_[int(np.argmin(distances))]
        assert (given.age, given.job, given.married, given.grade) == (age, job, married, grade)


def test_categories_that_fit_has_not_seen() -> None:
    fitted = Microaggregator(k=4, kinds=KINDS).fit(people())
    new = people(n=5)
    new.loc[2, "job"] = "astronaut"
    with pytest.raises(InvalidData, match=r"column 'job': 1 of 5 records .* the first is record 3") as caught:
        fitted.transform(new)
    assert "astronaut" not in str(caught.value)
    new["age"] = new["age"].astype(float)
    new.loc[4, "age"] = np.nan
    lenient = Microaggregator(k=4, kinds=KINDS, handle_unknown="ignore").fit(people())
    released = lenient.transform(new)
    assert set(released["job"]) <= {"baker", "nurse", "pilot"}
    assert released.notna().all().all()
    plain = new.drop(index=[2, 4])
    assert released.loc[plain.index].equals(lenient.transform(plain))


def test_fit_refuses_what_anonymize_refuses() -> None:
    frame = people()
    frame.loc[3, "job"] = None
    with pytest.raises(InvalidData, match="job"):
        Microaggregator(k=4).fit(frame)
    with pytest.raises(InvalidOption, match="handle_unknown must be one of error, ignore"):
        Microaggregator(handle_unknown="guess").fit(people())
    with pytest.raises(InvalidOption, match="an array holds numbers"):
        Microaggregator(kinds={"a": "nominal"}).fit(records())


def test_a_frame_of_numbers_may_be_said_to_hold_categories() -> None:
    frame = pd.DataFrame({"code": [1, 2, 3] * 6, "pay": np.arange(18.0)})
    released = Microaggregator(k=3, kinds={"code": "nominal"}).fit_transform(frame)
    assert set(released["code"]) <= {1, 2, 3}
