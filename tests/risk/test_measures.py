"""What must hold of every measure of risk, whatever it needs."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg.risk
from microagg.risk import MEASURES, RISKS, class_sizes, equivalence_classes, keys_of
from microagg.risk.risk import NEEDS
from microagg.semantic.attribute import nominal, numeric

PLAIN = [name for name, risk in MEASURES.items() if not risk.extra]


def needed(seed: int, least: int = 1) -> dict[str, Any]:
    """A small table, its release, and all that a measure may ask for."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(least, 40))
    original = rng.integers(0, 5, (n, 3)).astype(float)
    released = np.where(rng.random((n, 3)) < 0.5, original, rng.integers(0, 5, (n, 3)))
    keys = keys_of(released)
    return {
        "sizes": class_sizes(keys),
        "keys": keys,
        "classes": equivalence_classes(keys),
        "confidential": rng.integers(0, 4, n),
        "weights": rng.uniform(1, 20, n),
        "original": original,
        "released": released,
        "original_points": original,
        "released_points": released,
        "original_values": original,
        "released_values": released,
        "attributes": [numeric()] * 3,
        "meaning": nominal(["a", "b", "c", "d"]),
        "seed": 5,
        "k": 3,
        "rows": None,
    }


def asked(name: str, table: dict[str, Any]) -> list[Any]:
    return [table[need] for need in MEASURES[name].needs]


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_values_stay_in_their_range(name, seed):
    risk, table = MEASURES[name], needed(seed, least=4 if "meaning" in MEASURES[name].needs else 1)
    assert risk.lowest <= risk(*asked(name, table)) <= risk.highest * (1 + 1e-12)


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_order_of_the_rows_does_not_matter(name, seed):
    risk, table = MEASURES[name], needed(seed, least=4 if "meaning" in MEASURES[name].needs else 1)
    order = np.random.default_rng(seed).permutation(len(table["keys"]))
    shuffled = {need: values[order] if isinstance(values, np.ndarray) else values for need, values in table.items()}
    assert risk(*asked(name, shuffled)) == pytest.approx(risk(*asked(name, table)), rel=1e-9, abs=1e-9)
    if risk.per_record is not None:
        values = risk.per_record(*asked(name, table))
        assert values.shape == (len(order),)
        assert risk.per_record(*asked(name, shuffled)) == pytest.approx(values[order], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", PLAIN)
def test_measures_leave_their_arguments_alone(name):
    table = needed(7)
    for values in table.values():
        if isinstance(values, np.ndarray):
            values.flags.writeable = False
    MEASURES[name](*asked(name, table))


def test_names_are_keys_and_what_is_said_is_said():
    for name, risk in MEASURES.items():
        assert risk.name == name
        assert all((risk.title, risk.summary, risk.reference))
        assert set(risk.needs) <= set(needed(0))
        assert set(risk.needs) <= set(NEEDS)
    assert all(risk.needs == ("sizes",) for risk in RISKS.values())
    assert all(hasattr(microagg.risk, name) for name in microagg.risk.__all__)
