"""Rates and sizes."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import InvalidOption
from microagg.survey.limits import Limits, Rate


@given(st.lists(st.tuples(st.floats(0, 2), st.integers(1, 30)), max_size=60))
def test_never_more_than_the_rate_and_a_burst(requests):
    now, taken = 0.0, 0
    rate = Rate(10.0, 30.0, clock=lambda: now)
    for pause, amount in requests:
        now += pause
        wait = rate.take("a", amount)
        if wait == 0:
            taken += amount
        else:
            # The promise is kept: after the time that was named, there is enough.
            before = now
            now += wait + 1e-6
            assert rate.take("a", amount) == 0
            assert now > before
            taken += amount
        assert taken <= 30 + 10 * now + 1e-3


def test_clients_do_not_share():
    rate = Rate(1.0, 5.0, clock=lambda: 0.0)
    assert rate.take("a", 5) == 0
    assert rate.take("a") > 0
    assert rate.take("b", 5) == 0


def test_a_clock_that_goes_back_gives_nothing_away():
    now = 100.0
    rate = Rate(1.0, 5.0, clock=lambda: now)
    rate.take("a", 5)
    now = 0.0
    assert rate.take("a") > 0


def test_memory_is_bounded():
    rate = Rate(1.0, 5.0, most_clients=100, clock=lambda: 0.0)
    for client in range(1000):
        rate.take("busy", 0.001)
        rate.take(str(client))
    assert len(rate) == 100
    assert rate.take("busy", 4.5) > 0, "who keeps sending is not forgotten"


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Limits)])
def test_limits_are_positive(name):
    with pytest.raises(InvalidOption, match=name):
        Limits(**{name: -1})


def test_a_burst_lets_the_largest_batch_through():
    with pytest.raises(InvalidOption, match="burst must be at least"):
        Limits(answers=100, burst=99)
