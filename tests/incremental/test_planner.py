"""The closed forms of sections III and IV against the paper's numbers, and against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import InvalidOption
from microagg.incremental import planner, two_stage
from microagg.partition import partition
from microagg.utility import sse

HOUR = 3600.0
RATIOS = np.linspace(0.0, 1.0, 200_001)
zetas = st.floats(0.0, 1e6)


def test_example_of_section_six():
    """Ten hours of arrivals, two hours of MDAV: the numbers printed in section VI-B and in Figures 24 and 25.

    Two of them are printed cut off, not rounded: 1 h 27.5 min as 1 h 27 min, and 7.295% as 7.2%.
    """
    one_run, zeta = 2 * HOUR, 10 / 2
    best = planner.optimal_ratio(zeta)
    assert best == pytest.approx(0.146, abs=5e-4)
    assert planner.head_start(best, zeta) * one_run // 60 == 60 + 27
    assert planner.head_start(best, zeta) * one_run / 60 == pytest.approx(87.5, abs=0.05)
    assert planner.base_time(best) == pytest.approx(planner.head_start(best, zeta))
    assert planner.earliest_deadline(zeta) * one_run == pytest.approx(153, abs=0.5)
    assert (1 - planner.optimal_gain(zeta)) * one_run == pytest.approx(153, abs=0.5)
    assert planner.rest_time(best) == pytest.approx(0.021, abs=5e-4)
    in_an_hour = planner.deadline_ratio(1 * HOUR / one_run, zeta)
    assert in_an_hour * 1000 // 1 == 72
    assert in_an_hour == pytest.approx((7 - np.sqrt(45)) / 4, rel=1e-12)


def test_example_of_the_introduction():
    """Figure 2: a head start of one hour, a tenth of the records, is ready after 39 minutes."""
    assert (1 - planner.gain(0.1, 5.0)) * 120 == pytest.approx(39, abs=1)


def test_threshold():
    """Section IV-B: at zeta_- the two forms meet, the ratio is 1/sqrt(3) and the gain 2/3."""
    zeta = planner.CRITICAL_ZETA
    assert zeta == pytest.approx(0.309, abs=5e-4)
    assert planner.critical_ratio(zeta) == pytest.approx((2 + zeta) / 4)
    assert planner.optimal_ratio(zeta) == pytest.approx(1 / np.sqrt(3))
    assert planner.optimal_gain(zeta) == pytest.approx(2 / 3)
    assert planner.optimal_ratio(zeta - 0.01) < planner.critical_ratio(zeta - 0.01)
    assert planner.optimal_ratio(zeta + 0.01) == planner.critical_ratio(zeta + 0.01)


def test_limits():
    """Section IV-B: nothing but superadditivity at zeta = 0, everything in advance for very slow arrivals."""
    assert planner.optimal_ratio(0.0) == planner.optimal_gain(0.0) == 0.5
    assert planner.relative_time([0.0, 0.5, 1.0]).tolist() == [1.0, 0.5, 1.0]
    assert planner.optimal_ratio(1e6) == pytest.approx(1e-6, rel=1e-5)
    assert planner.optimal_gain(1e6) == pytest.approx(1.0)
    assert planner.deadline_ratio(1.0, 5.0) == 0.0


@given(zetas)
def test_closed_forms_are_the_printed_ones(zeta):
    """What keeps its digits is algebraically what the paper prints."""
    root = np.sqrt(zeta * (4 + zeta))
    assert planner.critical_ratio(zeta) == pytest.approx((2 + zeta - root) / 2, abs=1e-9)
    slow = zeta > planner.CRITICAL_ZETA
    least = (2 + zeta - root) ** 2 / 4 if slow else 1 - (2 + zeta) ** 2 / 8
    assert planner.earliest_deadline(zeta) == pytest.approx(least, abs=1e-9)
    assert planner.optimal_gain(zeta) == pytest.approx(root * (2 + zeta - root) / 2 if slow else 1 - least, abs=1e-4)


@given(st.floats(0.0, 50.0))
def test_optimum_is_the_best_of_all_ratios(zeta):
    """No ratio on a fine grid gains more, and the optimum gains what is claimed."""
    assert planner.gain(RATIOS, zeta).max() <= planner.optimal_gain(zeta) + 1e-12
    assert planner.gain(planner.optimal_ratio(zeta), zeta) == pytest.approx(planner.optimal_gain(zeta))


@given(st.floats(0.0, 50.0), st.floats(0.0, 1.0))
def test_deadline_is_met_with_the_least_ratio(zeta, where):
    """From nu^* at the earliest deadline to 0: the ratio meets its deadline exactly, and no smaller one does."""
    earliest = float(planner.earliest_deadline(zeta))
    deadline = earliest + where * (1 - earliest)
    ratio = float(planner.deadline_ratio(deadline, zeta))
    assert 0.0 <= ratio <= planner.optimal_ratio(zeta) + 1e-6
    assert 1 - planner.gain(min(ratio, 1.0), zeta) == pytest.approx(deadline, abs=1e-6)
    in_time = RATIOS[1 - planner.gain(RATIOS, zeta) <= deadline - 1e-6]
    assert in_time.size == 0 or in_time[0] >= ratio - 1e-5


@pytest.mark.parametrize("zeta", [10.0, 100.0, 1e4])
def test_slow_arrivals(zeta):
    """Strong approximation: difference and difference of the inverses vanish, as zeta^-3 and as zeta^-1."""
    exact, slow = planner.critical_ratio(zeta), planner.critical_ratio_slow(zeta)
    assert 0 < exact - slow < 1.1 / zeta**3
    assert 0 < 1 / slow - 1 / exact < 1.1 / zeta
    exact, slow = planner.deadline_ratio(0.5, zeta), planner.deadline_ratio_slow(0.5, zeta)
    assert 0 < exact - slow < 1.1 / zeta**3
    assert 0 < 1 / slow - 1 / exact < 2.2 / zeta


def test_loss_growth_of_the_paper():
    """Section III-B.5 at one half; section VI-B prints about 5% and 6% for 15 columns, measured."""
    assert planner.loss_growth(0.5, 10) == pytest.approx(2 ** (2 / 10) - 1)
    assert planner.loss_growth(0.1, 15) == pytest.approx(0.05, abs=0.005)
    assert planner.loss_growth(planner.optimal_ratio(5.0), 15) == pytest.approx(0.06, abs=0.005)
    assert planner.loss_growth([0.0, 1.0], 15).tolist() == [0.0, 0.0]
    with pytest.raises(InvalidOption, match="more than 2"):
        planner.loss_growth(0.1, 2)


@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("m", [5, 15])
def test_loss_growth_is_near_what_is_measured(ratio, m):
    """Gaussian columns: within a third of what 2MDAV really costs, or within 0.01."""
    X = np.random.default_rng(0).normal(size=(5000, m))
    measured = sse(X, two_stage(X, 10, round(5000 * (1 - ratio)))) / sse(X, partition(X, 10)) - 1
    assert measured == pytest.approx(float(planner.loss_growth(ratio, m)), rel=1 / 3, abs=0.01)


def test_arrays_and_numbers_give_the_same():
    """Vectorised: one call on many values is many calls on one, and shapes broadcast."""
    values = np.array([[0.0, 0.2], [0.309, 7.0]])
    for function in (planner.critical_ratio, planner.optimal_ratio, planner.optimal_gain, planner.earliest_deadline):
        assert function(values).tolist() == [[float(function(z)) for z in row] for row in values]
    assert planner.gain(np.zeros((3, 1)), np.ones(4)).shape == (3, 4)
    assert planner.deadline_ratio([0.6, 0.9], 1.0).shape == (2,)


def test_what_is_not_allowed():
    """Messages name the rule; a deadline nobody can meet names the earliest one."""
    with pytest.raises(InvalidOption, match="ratio must be between 0 and 1"):
        planner.gain([0.5, 1.5], 1.0)
    with pytest.raises(InvalidOption, match="zeta must be finite"):
        planner.optimal_ratio(np.nan)
    with pytest.raises(InvalidOption, match=r"between 0\.0212\d+, the earliest.*got 0\.01"):
        planner.deadline_ratio([0.5, 0.01], 5.0)
    with pytest.raises(InvalidOption, match=r"got 1\.1"):
        planner.deadline_ratio(1.1, 5.0)
    with pytest.raises(InvalidOption, match="got nan"):
        planner.deadline_ratio(np.nan, 5.0)
