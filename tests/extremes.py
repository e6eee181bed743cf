"""Numbers at the ends of what a computer can hold, and every function that takes numbers, called with them.

Run as a script in a process of its own, with limits of time and memory: what never ended and ate all memory once must
not be able to do so to a test run. It prints what became of each call as JSON.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

K = 3
NET_SECONDS, NET_BYTES = 900, 16 << 30
"""A net, not a measure of speed: a call that has not ended by then never will."""
_BASE = np.random.default_rng(5).normal(size=(14, 2))
_SIGNS = np.where(np.arange(28).reshape(14, 2) % 3 == 0, -1.0, 1.0)


def inputs() -> dict[str, np.ndarray]:
    """Give records of two columns that overflow, vanish or both."""
    return {
        "1e154": _BASE * 1e154,
        "1e200": _BASE * 1e200,
        "1e307": _BASE * 1e307,
        "both ends": _SIGNS * 1.7e308,
        "the very ends": _SIGNS * sys.float_info.max,
        "denormal": np.where(_SIGNS > 0, 5e-324, 0.0),
        "1e-200": _BASE * 1e-200,
        "columns apart": _BASE * [1e300, 1e-300],
        "rows apart": np.where(np.arange(14)[:, None] % 2 == 0, _BASE * 1e300, _BASE * 1e-300),
        "all equal and huge": np.full((14, 2), 1.7e308),
        "one far off": np.where(np.arange(14)[:, None] == 4, 1.7e308, _BASE),
    }


def outcomes(kind: str, name: str) -> dict[str, str]:
    """Make the calls of one kind and name, in a process of its own."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, __file__, kind, name],
        capture_output=True,
        text=True,
        timeout=NET_SECONDS,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, str] = json.loads(done.stdout)
    return found


def _assert_groups(labels: np.ndarray, n: int) -> None:
    for column in labels.reshape(n, -1).T:
        sizes = np.bincount(column)
        assert column.min() == 0
        assert sizes.min() >= K


def _assert_order(order: np.ndarray, n: int) -> None:
    assert sorted(order.tolist()) == list(range(n))


def _assert_finite(value: Any) -> None:
    assert np.isfinite(np.asarray(value, dtype=np.float64)).all(), "not finite"


def method_calls(name: str) -> Iterator[tuple[str, Callable[[], None]]]:
    from microagg.partition import METHODS, partition
    from microagg.semantic import numeric

    method = METHODS[name]

    def run(X: np.ndarray, **options: Any) -> np.ndarray:
        return partition(X, K, method=name, threads=2, **method.repeatable, **options)

    attributes: list[dict[str, Any]] = [{}]
    if method.takes == "attributes":
        attributes += [{"attributes": [numeric(weight), numeric()]} for weight in (1.0, 1e300, 1e-300, 0.0)]
    for label, X in inputs().items():
        for options in attributes:
            yield f"{label} {list(options)}", lambda X=X, options=options: _assert_groups(run(X, **options), len(X))
    for power in (900, -900):

        def scaled(power: int = power) -> None:
            np.testing.assert_array_equal(run(np.ldexp(_BASE, power)), run(_BASE))

        yield f"the same groups as of numbers 2^{power} times as small", scaled


def refinement_calls(name: str) -> Iterator[tuple[str, Callable[[], None]]]:
    from microagg.refine import REFINEMENTS

    improve = REFINEMENTS[name]
    options = dict(improve.repeatable)
    labels = np.arange(14) % 4
    for label, X in inputs().items():
        yield label, lambda X=X: _assert_groups(improve(X, labels, K, **options), len(X))


def path_calls(name: str) -> Iterator[tuple[str, Callable[[], None]]]:
    from microagg.paths import PATHS, path

    starts = [None, 5] if "start" in PATHS[name].options else [None]
    options = {"kicks": 100} if name == "lk" else {}
    for label, X in inputs().items():
        for start in starts:
            yield (
                f"{label} from {start}",
                lambda X=X, start=start: _assert_order(path(X, name, start=start, **options), len(X)),
            )
    for power in (900, -900):

        def scaled(power: int = power) -> None:
            np.testing.assert_array_equal(path(np.ldexp(_BASE, power), name, **options), path(_BASE, name, **options))

        yield f"the same path as of numbers 2^{power} times as small", scaled


def entry_calls(name: str) -> Iterator[tuple[str, Callable[[], None]]]:
    for label, X in inputs().items():
        yield label, lambda X=X: ENTRIES[name](X)


def _cut_order(X: np.ndarray) -> None:
    import microagg as ma

    _assert_groups(ma.cut_order(X, np.arange(len(X)), K), len(X))


def _lengths(X: np.ndarray) -> None:
    from microagg.paths import path_bound, path_length

    length, bound = path_length(X, np.arange(len(X))), path_bound(X, steps=5)
    _assert_finite([length, bound])
    assert bound <= length * (1 + 1e-9)


def _lower_bounds(X: np.ndarray) -> None:
    import microagg as ma

    for method in ("nearest", "columns"):
        bound = ma.lower_bound(X, K, method=method, time_limit=5.0)
        _assert_finite([bound.loss, bound.sse])
        assert 0.0 <= bound.loss <= 100.0


def _losses(X: np.ndarray) -> None:
    import microagg as ma

    loss = ma.information_loss(X, np.arange(len(X)) % 4)
    assert 0.0 <= loss <= 100.0 * (1 + 1e-9)


def _sums(X: np.ndarray) -> None:
    import microagg as ma

    _assert_finite([ma.sse(X, np.arange(len(X)) % 4), ma.sst(X)])


def _common_values(X: np.ndarray) -> None:
    from microagg.aggregate import group_medians, release_values
    from microagg.base.groups import group_means

    labels = np.arange(len(X)) % 4
    for weights in (None, *_weights(len(X)).values()):
        for centres in (group_means(X, labels, weights), group_medians(X, labels)):
            _assert_finite(centres)
            for group, centre in enumerate(centres):
                rows = X[labels == group]
                low, high = rows.min(axis=0) / 2, rows.max(axis=0) / 2
                slack = 1e-12 * np.maximum(np.abs(low), np.abs(high)) + 5e-324
                assert (centre / 2 >= low - slack).all()
                assert (centre / 2 <= high + slack).all()
    _assert_finite(release_values(X, np.column_stack([labels, labels[::-1]])))


def _weights(n: int) -> dict[str, np.ndarray]:
    return {
        "1e308": np.full(n, 1e308),
        "denormal": np.full(n, 5e-324),
        "none": np.zeros(n),
        "mixed": np.where(np.arange(n) % 2 == 0, 1e308, 1e-308),
    }


def _standardised(X: np.ndarray) -> None:
    from microagg.prepare.scale import scale_of, standardise

    scale = scale_of(X)
    Z = standardise(X)
    _assert_finite([scale.mean, scale.deviation])
    _assert_finite(Z)
    assert np.abs(Z).max() <= np.sqrt(len(X)) * (1 + 1e-9)
    _assert_finite(scale.apply(np.array([[1.7e308, -1.7e308], [5e-324, 0.0]])))


def _estimator(X: np.ndarray) -> None:
    import pandas as pd

    from microagg.estimator import Microaggregator

    far = np.array([[1.7e308, -1.7e308], [5e-324, 0.0], [1.0, 1e200]])
    for standardize in (True, False):
        for column_weights in (None, [1e300, 1.0], [1e-300, 1.0], [0.0, 1.0]):
            if not standardize and column_weights is not None and column_weights[0] > 1.0:
                continue
            fitted = Microaggregator(k=K, standardize=standardize, column_weights=column_weights).fit(X)
            _assert_groups(fitted.labels_, len(X))
            for records in (X, far):
                _assert_finite(fitted.transform(records))
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": list("fm" * (len(X) // 2))})
    fitted = Microaggregator(k=K, column_weights={"a": 1e300}).fit(frame)
    others = pd.DataFrame({"a": far[:, 0], "b": far[:, 1], "c": list("fmf")})
    for records in (frame, others):
        _assert_finite(fitted.transform(records)[["a", "b"]])


def _in_stages(X: np.ndarray) -> None:
    from microagg.incremental import stages, two_stage

    for rest in ("mdav", "nearest", "regroup"):
        for refine in (None, "local"):
            _assert_groups(two_stage(X, K, 7, rest=rest, refine=refine), len(X))
    _assert_groups(stages(X, K, [6, 4, 4], rest="nearest"), len(X))


def _kinds(X: np.ndarray) -> None:
    from microagg.prepare.space import embed
    from microagg.semantic.attribute import numeric
    from microagg.semantic.outliers import find_outliers

    for weight in (1.0, 1e300, 1e-300, 0.0):
        _assert_finite(embed(X, [numeric(weight), numeric()]))
    repeated = np.repeat(X, K, axis=0)[:-1]
    found = find_outliers(repeated, K, [numeric(), numeric()], beyond=0.1, limit=0.5)
    assert len(found.hosts) == (~found.suppressed).sum()


def _measures(X: np.ndarray) -> None:
    from microagg import risk, utility
    from microagg.base.groups import group_means
    from microagg.measures import Case, Confidential
    from microagg.semantic.attribute import nominal, numeric

    labels = np.arange(len(X)) % 4
    for weights in (np.arange(1.0, len(X) + 1.0), *_weights(len(X)).values()):
        case = Case(
            names=("a", "b"),
            attributes=(numeric(), numeric()),
            original=X,
            released=group_means(X, labels)[labels],
            labels=labels,
            k=K,
            confidential={
                "c": Confidential(X[np.random.default_rng(3).permutation(len(X)), 0], numeric()),
                "d": Confidential(np.arange(len(X)) % 2, nominal(["no", "yes"])),
            },
            weights=weights,
        )
        for result in (*risk.assess_all(case), *utility.assess_all(case)):
            found = [result.value, result.before, *(result.columns or {}).values()]
            assert all(value is None or np.isfinite(value) for value in found), result.name


def _metrics(X: np.ndarray) -> None:
    from microagg import utility

    _assert_finite(list(utility.measure(X, X[::-1]).values()))


def _frames(X: np.ndarray) -> None:
    import pandas as pd

    import microagg as ma

    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": list("fm" * (len(X) // 2))})
    for weights in (None, *_weights(len(X)).values()):
        data = frame if weights is None else frame.assign(w=weights)
        for quasi in (["a", "b"], ["a", "b", "c"]):
            for more in ({}, {"column_weights": {"a": 1e300}}, {"round": {"a": 300, "b": -300}}, {"bound": 5.0}):
                if "bound" in more and ("c" in quasi or weights is not None):
                    continue
                release = ma.anonymize(
                    data, K, quasi=quasi, confidential=[name for name in "c" if name not in quasi],
                    weights=None if weights is None else "w", **more,
                )  # fmt: skip
                _assert_finite(release.data[["a", "b"]])
                _assert_finite(list(release.losses.values()))
                assert release.data.groupby(quasi).size().min() >= K


def _reports(X: np.ndarray) -> None:
    import pandas as pd

    import microagg as ma

    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[::-1, 0]})
    roles: dict[str, Any] = {"quasi": ["a", "b"], "confidential": ["c"]}
    ma.assess(frame, k=K, **roles)
    ma.compare(frame[["a", "b"]], K, methods=["mdav", "univariate"])
    with TemporaryDirectory() as folder:
        page, twin = Path(folder) / "page.html", Path(folder) / "twin.json"
        ma.anonymize(frame, K, **roles).report(page, twin)
        assert page.stat().st_size > 0
        json.loads(twin.read_text(encoding="utf-8"))


def _imputed(X: np.ndarray) -> None:
    import pandas as pd

    import microagg as ma

    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    frame.loc[3, "a"] = np.nan
    _assert_finite(ma.anonymize(frame, K, missing="impute").data)


def _raw_frames(X: np.ndarray) -> None:
    import pandas as pd

    import microagg as ma

    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    for column_weights in ({}, {"a": 1e-300}, {"a": 0.0}):
        release = ma.anonymize(frame, K, standardise=False, column_weights=column_weights)
        _assert_finite(release.data)
        assert release.data.groupby(["a", "b"]).size().min() >= K


def _raw_and_weighed(X: np.ndarray) -> None:
    import pandas as pd

    import microagg as ma

    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    _assert_finite(ma.anonymize(frame, K, standardise=False, column_weights={"a": 1e300}).data)


def _files(X: np.ndarray) -> None:
    import pandas as pd

    import microagg as ma

    data = pd.DataFrame(np.tile(X, (20, 1)) * np.linspace(0.5, 1.0, 20 * len(X))[:, None], columns=["a", "b"])
    data["w"] = np.where(np.arange(len(data)) % 2 == 0, 1e308, 1e-308)
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.parquet", Path(folder) / "out.parquet"
        data.to_parquet(source)
        for standardise in (True, False):
            for weights in (None, "w"):
                quasi = ["a", "b"]
                ma.anonymize_file(
                    source, target, K, quasi=quasi, memory="1KB", standardise=standardise, weights=weights,
                    round={"a": 300}, confidential=["w"] if weights is None else [],
                )  # fmt: skip
                released = pd.read_parquet(target)
                _assert_finite(released[quasi])
                assert released.groupby(quasi).size().min() >= K


def _tracks(X: np.ndarray) -> None:
    from microagg.trajectory import Track, release_tracks

    tracks = [Track(str(i), np.vstack([X, X[::-1] / 2])[i : i + 4]) for i in range(len(X))]
    for track in release_tracks(tracks, K, points=4).tracks:
        _assert_finite(track.positions)


ENTRIES: dict[str, Callable[[np.ndarray], None]] = {
    "cut_order": _cut_order,
    "lengths": _lengths,
    "lower_bounds": _lower_bounds,
    "losses": _losses,
    "sums": _sums,
    "common_values": _common_values,
    "standardised": _standardised,
    "estimator": _estimator,
    "stages": _in_stages,
    "kinds": _kinds,
    "measures": _measures,
    "metrics": _metrics,
    "frames": _frames,
    "imputed": _imputed,
    "reports": _reports,
    "raw_frames": _raw_frames,
    "raw_and_weighed": _raw_and_weighed,
    "files": _files,
    "tracks": _tracks,
}
"""Everything that takes numbers and is in no registry."""

ODD = (np.nan, np.inf, -np.inf, -1, 0, -0.5, 10**30, 10**400, 1e308, True, "text", "", np.float64("nan"), (), None)
"""What is no sensible number for anything that a number is asked for."""


def _with_odd(
    options: Iterable[str], call: Callable[[dict[str, Any]], None]
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Call with each option in turn given each odd value; the others are left out."""
    for option in options:
        for value in ODD:
            shown = repr(value) if len(repr(value)) < 40 else "10**400"
            yield f"{option}={shown}", lambda option=option, value=value: call({option: value})


def method_option_calls(name: str) -> Iterator[tuple[str, Callable[[], None]]]:
    from microagg.partition import METHODS, partition

    method = METHODS[name]

    def call(odd: dict[str, Any]) -> None:
        options = {"k": K, **({} if "time_limit" in odd else method.repeatable), **odd}
        if options.get("time_limit", 0) is None:
            return
        _assert_groups(partition(_BASE, method=name, **options), len(_BASE))

    return _with_odd(["k", "seed", "threads", "refine", *method.options], call)


def refinement_option_calls(name: str) -> Iterator[tuple[str, Callable[[], None]]]:
    from microagg.refine import REFINEMENTS

    improve = REFINEMENTS[name]
    names = improve.options
    labels = np.arange(14) % 4

    def call(odd: dict[str, Any]) -> None:
        options = {"k": K, **({"iterations": 1} if "iterations" in names and "time_limit" not in odd else {}), **odd}
        if name == "search" and None in odd.values():
            return
        _assert_groups(improve(_BASE, labels, **options), len(_BASE))

    return _with_odd(
        ["k", *inspect.signature(improve.function).parameters.keys() - {"X", "labels", "k", "progress"}], call
    )


def path_option_calls(name: str) -> Iterator[tuple[str, Callable[[], None]]]:
    from microagg.paths import PATHS, path

    def call(odd: dict[str, Any]) -> None:
        options = {**({"kicks": 10} if name == "lk" else {}), **odd}
        _assert_order(path(_BASE, name, **options), len(_BASE))

    return _with_odd(["seed", "threads", *PATHS[name].options], call)


def entry_option_calls(name: str) -> Iterator[tuple[str, Callable[[], None]]]:
    options, call = ENTRY_OPTIONS[name]
    return _with_odd(options, call)


def _bound_options(odd: dict[str, Any]) -> None:
    import microagg as ma

    _assert_finite(float(ma.lower_bound(_BASE, **{"k": K, "time_limit": 1.0, **odd})))


def _path_bound_options(odd: dict[str, Any]) -> None:
    import microagg as ma

    _assert_finite(ma.path_bound(_BASE, **{"steps": 5, **odd}))


def _stage_options(odd: dict[str, Any]) -> None:
    from microagg.incremental import two_stage

    _assert_groups(two_stage(_BASE, **{"k": K, "n_base": 7, **odd}), len(_BASE))


def _joining_options(odd: dict[str, Any]) -> None:
    from microagg.incremental import two_stage

    rest = "regroup" if set(odd) & {"around", "method"} else "nearest"
    _assert_groups(two_stage(_BASE, K, 7, rest=rest, rest_options=odd), len(_BASE))


def _estimator_options(odd: dict[str, Any]) -> None:
    from microagg.estimator import Microaggregator

    if "column_weights" in odd:
        odd = {"column_weights": [next(iter(odd.values())), 1.0]}
    _assert_groups(Microaggregator(**{"k": K, **odd}).fit(_BASE).labels_, len(_BASE))


def _attribute_options(odd: dict[str, Any]) -> None:
    from microagg.partition import partition
    from microagg.semantic import numeric

    _assert_groups(partition(_BASE, K, method="mixed", attributes=[numeric(**odd), numeric()]), len(_BASE))


def _track_options(odd: dict[str, Any]) -> None:
    from microagg.trajectory import release_tracks, street_trips

    release_tracks(street_trips(12, seed=1), **{"k": K, "points": 5, **odd})


def _frame_options(odd: dict[str, Any]) -> None:
    import pandas as pd

    import microagg as ma

    ((name, value),) = odd.items()
    name, _, column = name.partition(" of ")
    given = {name: {column: value} if column else value}
    more = {"suppress": 0.2} if name == "beyond" else {}
    data = pd.DataFrame({"a": np.repeat(_BASE[:, 0], K), "b": np.repeat(_BASE[:, 1], K)})
    release = ma.anonymize(data, **{"k": K, **more, **given})
    _assert_finite(release.data)
    _assert_finite(list(release.losses.values()))


ENTRY_OPTIONS: dict[str, tuple[Iterable[str], Callable[[dict[str, Any]], None]]] = {
    "lower_bound": (["k", "time_limit", "gap", "threads", "method"], _bound_options),
    "path_bound": (["start", "upper", "steps"], _path_bound_options),
    "two_stage": (["k", "n_base", "seed", "threads", "base", "rest", "refine"], _stage_options),
    "joining": (["around", "split", "inertia", "method"], _joining_options),
    "estimator": (
        ["k", "random_state", "n_jobs", "method", "column_weights", "standardize", "handle_unknown"],
        _estimator_options,
    ),
    "attribute": (["weight"], _attribute_options),
    "tracks": (["k", "points", "spacing", "seed", "threads", "method"], _track_options),
    "anonymize": (
        [
            *("k", "quasi", "identifiers", "confidential", "by", "weights", "kinds", "method", "refine"),
            *("column_weights", "column_weights of a", "standardise", "aggregate", "centroid", "suppress", "beyond"),
            *("outliers", "missing", "round", "round of a", "bound", "shuffle", "seed", "threads"),
        ],
        _frame_options,
    ),
}
"""Functions that take numbers as options and are in no registry."""

CALLS = {
    "method": method_calls,
    "refinement": refinement_calls,
    "path": path_calls,
    "entry": entry_calls,
    "options of method": method_option_calls,
    "options of refinement": refinement_option_calls,
    "options of path": path_option_calls,
    "options of entry": entry_option_calls,
}


def main(kind: str, name: str) -> None:
    """Make the calls and print what became of them: "" or what was raised."""
    import resource

    from microagg.errors import MicroaggError, NotKAnonymousWarning

    resource.setrlimit(resource.RLIMIT_AS, (NET_BYTES, NET_BYTES))
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", NotKAnonymousWarning)
    found = {}
    for what, call in CALLS[kind](name):
        try:
            call()
            found[what] = ""
        except MicroaggError as error:
            found[what] = f"{type(error).__name__}: {error}"
        except Exception:  # noqa: BLE001  whatever it is, the test says so
            found[what] = traceback.format_exc()[-1500:]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
