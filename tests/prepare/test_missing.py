"""What becomes of records that lack a value: refused, left out, filled, or released as missing."""

import numpy as np
import pytest

from microagg.errors import InvalidData, InvalidOption
from microagg.prepare.missing import Missing, check_missing, complete, policies_of
from microagg.semantic.attribute import nominal, numeric, ordinal

GAPS = np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, np.nan], [4.0, 8.0]])
NUMBERS = [numeric(), numeric()]


def completed(values, policy, attributes=NUMBERS):
    names = ["a", "b"][: values.shape[1]]
    return complete(values, names, attributes[: len(names)], policies_of(policy, names))


def test_missing_values_are_refused_by_default_and_named():
    with pytest.raises(InvalidData, match=r"2 of 4 records lack.*record 2 in column 'a'.*missing='value'.*='drop'"):
        completed(GAPS, "refuse")


def test_missing_values_can_be_dropped():
    whole = completed(GAPS, "drop")
    assert whole.rows.tolist() == [0, 3]
    assert whole.values.tolist() == [[1.0, 5.0], [4.0, 8.0]]


def test_the_median_stands_for_missing_values_and_the_truth_stays():
    whole = completed(GAPS, "impute-any-share")
    np.testing.assert_array_equal(whole.values, GAPS)
    assert whole.filling.fill(whole.values).tolist() == [[1.0, 5.0], [3.0, 6.0], [3.0, 6.0], [4.0, 8.0]]
    assert whole.filling.imputed == {"a": 1, "b": 1}


def test_impute_is_refused_above_a_fifth():
    """One median in a third of the places is an invention; the error says the share, the limit and the ways out."""
    values = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan]])
    assert completed(values, "impute").filling.imputed == {"a": 1}
    with pytest.raises(InvalidData, match=r"'a' lacks 40% of its values, and at most 20%.*'value'.*'impute-any-share'"):
        completed(np.vstack([values[1:], [[np.nan]]]), "impute")


def test_the_most_frequent_category_is_imputed_and_the_lowest_of_several():
    codes = np.array([[0.0], [1.0], [1.0], [0.0], [np.nan], [2.0]])
    assert completed(codes, "impute", [nominal(["x", "y", "z"])]).filling.values.tolist() == [0.0]


def test_missing_is_a_code_of_its_own_among_categories_and_stays_missing_among_numbers():
    values = np.array([[0.0, 1.0], [np.nan, 2.0], [1.0, np.nan]])
    filling = completed(values, "value", [nominal(["x", "y"]), numeric()]).filling
    assert filling.values[0] == 2.0
    assert np.isnan(filling.values[1])
    assert filling.missing == {"a": 1, "b": 1}
    assert [each.names for each in filling.attributes([nominal(["x", "y"]), numeric()])] == [("x", "y", "missing"), ()]
    assert np.isnan(completed(values[:, :1], "value", [ordinal(["x", "y"])]).filling.values[0])


def test_columns_have_policies_of_their_own():
    whole = completed(GAPS, {"a": "drop", "*": "value"})
    assert whole.rows.tolist() == [0, 2, 3]
    assert whole.filling.missing == {"b": 1}
    with pytest.raises(InvalidData, match=r"1 of 4 records lack.*column 'b'"):
        completed(GAPS, {"a": "value"})
    with pytest.raises(InvalidOption, match=r"missing must name quasi-identifiers \('a', 'b'\); got 'c'"):
        completed(GAPS, {"c": "drop"})


@pytest.mark.parametrize("policy", list(Missing))
def test_infinite_values_are_refused_by_every_policy(policy):
    with pytest.raises(InvalidData, match="infinite value in record 1"):
        completed(np.array([[np.inf], [1.0]]), policy)


def test_a_column_without_any_value_cannot_be_imputed():
    with pytest.raises(InvalidData, match="no value at all"):
        completed(np.array([[np.nan, 1.0], [np.nan, 2.0]]), "impute-any-share")


def test_nothing_left_after_dropping_is_an_error():
    with pytest.raises(InvalidData, match="none is left"):
        completed(np.array([[np.nan], [np.nan]]), "drop")


@pytest.mark.parametrize("missing", ["guess", {"a": "guess"}, 3, None, {3: "drop"}])
def test_unknown_policies_are_refused_with_what_is_allowed(missing):
    with pytest.raises(InvalidOption, match=r"refuse, drop, value, impute, impute-any-share|names of columns"):
        check_missing(missing)


def test_one_policy_for_all_is_the_same_however_it_is_written():
    assert check_missing({"*": "drop"}) == check_missing("drop") == "drop"
    assert check_missing({}) == "refuse"
    assert check_missing({"a": "drop", "*": "refuse"}) == {"a": "drop"}
