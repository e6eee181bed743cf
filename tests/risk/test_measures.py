"""What must hold of every measure of risk, whatever it looks at."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg.risk
from microagg import utility
from microagg.measures import Case, Confidential
from microagg.risk import MEASURES, RISKS, class_sizes, keys_of, measure, record_linkage
from microagg.semantic.attribute import nominal, numeric

PLAIN = [name for name, risk in MEASURES.items() if not risk.extra]
COMPARING = {
    *("record_linkage", "probabilistic_linkage", "rank_interval", "deviation_interval"),
    "household_risk",
    *("inference_linear", "inference_nearest", "inference_trees"),
}


def small_case(seed: int, least: int = 1) -> Case:
    """A small table, its release, and all that a measure may ask for."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(least, 40))
    original = rng.integers(0, 5, (n, 3)).astype(float)
    released = np.where(rng.random((n, 3)) < 0.5, original, rng.integers(0, 5, (n, 3)))
    return Case(
        names=("a", "b", "c"),
        attributes=(numeric(),) * 3,
        original=original,
        released=released,
        labels=np.zeros(n, dtype=np.int64),
        k=3,
        confidential={"ill": Confidential(rng.integers(0, 4, n), nominal(["a", "b", "c", "d"]))},
        weights=rng.uniform(1, 20, n),
        units=np.arange(n),
        seed=5,
    )


def least_of(name: str) -> int:
    return 4 if name.startswith("inference") else 1


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_values_stay_in_their_range(name, seed):
    risk = MEASURES[name]
    assert risk.lowest <= risk(small_case(seed, least_of(name))).value <= risk.highest * (1 + 1e-12)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_order_of_the_rows_does_not_matter_to_linkage(seed):
    """Of whole numbers as they are: standardised ones that are equally near may differ by rounding."""
    case = small_case(seed)
    order = np.random.default_rng(seed).permutation(case.n_records)
    chances = record_linkage(case.original, case.released)
    shuffled = record_linkage(case.original[order], case.released[order])
    assert shuffled == pytest.approx(chances[order], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in PLAIN if name != "record_linkage"])
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_order_of_the_rows_does_not_matter(name, seed):
    case = small_case(seed, least_of(name))
    order = np.random.default_rng(seed).permutation(case.n_records)
    one, two = MEASURES[name](case), MEASURES[name](case.take(order))
    assert two.value == pytest.approx(one.value, rel=1e-9, abs=1e-9)
    assert two.before == (None if one.before is None else pytest.approx(one.before, rel=1e-9, abs=1e-9))
    if not name.startswith("inference"):
        assert one.records.shape == (len(order),)
        assert two.records == pytest.approx(one.records[order], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", PLAIN)
def test_measures_leave_the_case_alone(name):
    case = small_case(7)
    for values in (case.original, case.released, case.labels, case.weights, case.confidential["ill"].values):
        values.flags.writeable = False
    assert MEASURES[name](case) is not None


def test_names_are_keys_and_what_is_said_is_said():
    for name, risk in (*MEASURES.items(), *utility.MEASURES.items()):
        assert risk.name == name
        assert all((risk.title, risk.summary, risk.reference, risk.needs))
    assert all(hasattr(microagg.risk, name) for name in microagg.risk.__all__)


def test_what_is_public_is_said_outright():
    """Whatever looks at the original beside the release stays behind the gate; so does every measure of utility."""
    assert {name for name, risk in MEASURES.items() if not risk.of_release} == COMPARING
    assert not any(loss.of_release for loss in utility.MEASURES.values())


@pytest.mark.parametrize("name", [name for name in PLAIN if name not in COMPARING])
def test_what_is_public_does_not_depend_on_the_original(name):
    case = small_case(11, 10)
    other = Case(**{**{part: getattr(case, part) for part in case.__match_args__}, "original": case.released})
    assert MEASURES[name](other).value == MEASURES[name](case).value
    assert MEASURES[name](other).before is None


def test_what_every_release_carries_is_in_the_registries_and_follows_from_less():
    case = small_case(3, 20)
    carried = measure(class_sizes(keys_of(case.released)))
    assert carried == {name: risk(case).value for name, risk in RISKS.items()}
    assert all(MEASURES[name] is risk for name, risk in RISKS.items())
    losses, _ = utility.measure_change(case.change)
    assert losses == {name: metric(case).value for name, metric in utility.METRICS.items()}
    assert all(utility.MEASURES[name] is metric for name, metric in utility.METRICS.items())
