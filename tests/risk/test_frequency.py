"""Frequencies, individual and global risk, and the three attackers: definitions, and published examples."""

import csv

import numpy as np
import pytest
import risk_oracles
from checks import data_folder
from hypothesis import given
from hypothesis import strategies as st
from risk_cases import case_of
from samples import classes_and_values

from microagg.errors import InvalidData
from microagg.risk import MEASURES, equivalence_classes, violating_records
from microagg.risk.frequency import (
    global_risk,
    individual_risk,
    journalist_risk,
    marketer_risk,
    population_frequency,
    prosecutor_risk,
    sample_frequency,
)


def classes_of(name: str, columns: list[str]) -> np.ndarray:
    with (data_folder() / name).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    codes = [np.unique([row[column] for row in rows], return_inverse=True)[1] for column in columns]
    return equivalence_classes(np.column_stack(codes))


@given(classes_and_values(), st.integers(0, 2**32 - 1))
def test_frequencies_and_attackers_equal_the_definitions(table, seed):
    classes, _ = table
    weights = np.random.default_rng(seed).uniform(1, 30, len(classes))
    f, F = (np.array(side) for side in risk_oracles.frequencies(classes, weights))
    assert sample_frequency(classes).tolist() == f.tolist()
    assert population_frequency(classes, weights) == pytest.approx(F)
    assert prosecutor_risk(classes) == pytest.approx(1 / f)
    assert journalist_risk(classes, weights) == pytest.approx(1 / F)
    assert marketer_risk(classes, weights) == pytest.approx(
        100 / len(classes) * sum(f[classes == c][0] / F[classes == c][0] for c in set(classes.tolist()))
    )


@pytest.mark.parametrize("people", [1.0000001, 1.005, 1.0101, 1.2, 3.0, 40.0])
@pytest.mark.parametrize("f", [1, 2])
def test_individual_risk_of_small_classes_is_the_expectation(f, people):
    classes = np.zeros(f, dtype=int)
    expected = risk_oracles.expected_inverse(f, f * people)
    assert individual_risk(classes, np.full(f, people)) == pytest.approx(np.full(f, expected), rel=1e-9)


@pytest.mark.parametrize("people", [1.0, 1.5, 10.0])
@pytest.mark.parametrize("f", [3, 5, 20])
def test_individual_risk_of_larger_classes_is_near_the_expectation(f, people):
    """sdcMicro's approximation: exact where the sample is the population, and within 4 percent of the expectation."""
    risk = individual_risk(np.zeros(f, dtype=int), np.full(f, people))[0]
    assert risk == pytest.approx(risk_oracles.expected_inverse(f, f * people), rel=1e-12 if people == 1 else 0.04)


def test_the_example_of_capobianchi_polettini_and_lucarelli():
    """Eight records of sdcMicro's francdat: their risks as printed, to three decimals."""
    classes = np.array([0, 1, 1, 2, 3, 4, 5, 0])
    weights = np.array([18, 45.5, 39, 17, 541, 8, 5, 92])
    assert population_frequency(classes, weights).tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]
    risks = [0.017, 0.022, 0.022, 0.177, 0.012, 0.297, 0.402, 0.017]
    assert individual_risk(classes, weights).round(3).tolist() == risks


@given(classes_and_values())
def test_without_weights_global_risk_is_classes_per_record(table):
    classes, _ = table
    assert global_risk(classes) == pytest.approx(100 * len(set(classes.tolist())) / len(classes))
    assert global_risk(classes, np.ones(len(classes))) == pytest.approx(global_risk(classes))


def test_adult_before_microaggregation():
    """003: the first row of Table 5, and the counts where the data are described."""
    classes = classes_of("adult_occupation_country.csv", ["occupation", "native_country"])
    assert round(MEASURES["global_risk"](case_of(classes)).value, 2) == 1.31
    assert [len(violating_records(sample_frequency(classes), k)) for k in (2, 5)] == [84, 497]


def test_eia_on_state_year_and_month():
    """000: no record violates 2-anonymity, 24 violate 3-anonymity."""
    frequencies = sample_frequency(classes_of("eia_full.csv", ["STATE", "YEAR", "MONTH"]))
    assert [len(violating_records(frequencies, k)) for k in (2, 3)] == [0, 24]


def test_fewer_people_than_records_are_refused():
    for measure in (individual_risk, journalist_risk, marketer_risk):
        with pytest.raises(InvalidData, match=r"at least its number of records; those of record 3 do not"):
            measure(np.array([0, 0, 1]), np.array([1.5, 0.5, 0.9]))
