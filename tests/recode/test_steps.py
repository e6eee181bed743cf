"""Each step of recoding does what its name says, beside slow and obvious counts."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg import io
from microagg.errors import InvalidData, InvalidOption
from microagg.recode import STEPS, check_steps, read_step, recode_table


def recoded(values, *steps, k=2, kinds=None):
    """Recode one column of a frame, and give what it holds then as a list."""
    table, _ = recode_table(io.wrap(pd.DataFrame({"x": values})), {"x": steps}, k, kinds)
    return [None if pd.isna(value) else value for value in table.native()["x"].tolist()]


def order_of(values, *steps):
    table, _ = recode_table(io.wrap(pd.DataFrame({"x": values})), {"x": steps}, 2)
    return table.described("x").order


def test_values_beyond_a_given_limit_become_the_limit():
    assert recoded([17, 50, 90, 91, 99], "top:90") == [17, 50, 90, 90, 90]
    assert recoded([17, 50, 90, 91, 99], "bottom:18", "top:90") == [18, 50, 90, 90, 90]
    assert recoded([0.5, 1.25], "top:1.2") == [0.5, 1.2]
    assert recoded([1, 3], "top:2.5") == [1.0, 2.5]


@given(
    st.lists(st.integers(0, 60) | st.floats(0, 1e6), min_size=8, max_size=60),
    st.integers(2, 4),
    st.sampled_from(["top:99%", "top:50%", "top:75.5%", "bottom:1%", "bottom:40%"]),
)
def test_at_least_k_records_share_a_limit_by_quantile(values, k, step):
    """However few lie beyond the quantile: the limit that comes out must be nobody's own."""
    values = np.array(values, dtype=np.float64)
    after = np.array(recoded(values, step, k=k))
    name, share = step.split(":")
    limit = after.max() if name == "top" else after.min()
    assert (after == limit).sum() >= k
    assert (np.minimum(values, limit) if name == "top" else np.maximum(values, limit)).tolist() == after.tolist()
    # No fewer records than were asked for are at or beyond the limit.
    share = float(share[:-1]) / 100
    asked = len(values) * (1 - share if name == "top" else share)
    assert (after == limit).sum() >= np.floor(asked + 1e-9)


def test_a_limit_by_quantile_is_no_single_value_of_the_data():
    """Incomes are all different: the one at the quantile is a person's, so what is published is rounded inwards."""
    rng = np.random.default_rng(1)
    incomes = np.unique(rng.lognormal(10, 0.5, 400).round(2))
    high, low = max(recoded(incomes, "top:95%", k=5)), min(recoded(incomes, "bottom:5%", k=5))
    assert high not in incomes
    assert low not in incomes
    assert len(f"{high:g}".rstrip("0")) <= 3, "a round number"
    assert 20 <= (incomes > high).sum() <= 25
    assert 20 <= (incomes < low).sum() <= 25, "rounding reaches few more than were asked for, in a long tail too"


def test_a_limit_that_k_records_have_stays_as_it_is():
    assert max(recoded([*range(20, 80), 87, 87, 87, 95], "top:95%", k=3)) == 87


def test_few_values_have_no_limit_by_quantile():
    with pytest.raises(InvalidData, match=r"needs at least 2k = 6 values, and column 'x' has fewer"):
        recoded([1, 2, 3, 4, 5], "top:50%", k=3)


@given(st.lists(st.integers(-50, 120), min_size=1, max_size=40), st.integers(1, 30))
def test_bands_of_whole_numbers_are_named_by_their_ends(values, width):
    for value, band in zip(values, recoded(values, f"bands:{width}"), strict=True):
        low = value // width * width
        first, _, last = band.partition(" to ") if " to " in band or band[0] == "-" else band.partition("-")
        assert (int(first), int(last or first)) == (low, low + width - 1)


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=40), st.sampled_from([0.1, 0.05, 0.3, 2.5]))
def test_a_number_on_a_border_is_in_the_upper_band(times, width):
    """Floating point must not decide: 0.3 / 0.1 is less than 3."""
    values = [round(each * width, 2) for each in times]
    names = recoded(np.array(values), f"bands:{width}")
    assert [float(name[1:].split(",")[0]) for name in names] == values


def test_bands_between_cut_points_are_open_at_the_ends():
    ages = [-1, 0, 17, 18, 64, 65, 99]
    assert recoded(ages, "bands:18,65") == ["under 18"] * 3 + ["18-64"] * 2 + ["65 or more"] * 2
    assert recoded([0.5, 18.0], "bands:0,18,30") == ["[0, 18)", "[18, 30)"]
    assert order_of([3, 70], "bands:18,30,65") == ("under 18", "18-29", "30-64", "65 or more")


def test_bands_stand_in_their_natural_order_with_those_between():
    """As text, "100-109" comes before "90-99"; and 10 and 90 are eight bands apart, not one."""
    order = order_of([101, 95, 72], "bands:10")
    assert order == ("70-79", "80-89", "90-99", "100-109")


def test_too_many_bands_are_refused_without_a_value():
    with pytest.raises(InvalidData, match=r"more than 10,000 bands.*Choose wider bands") as refused:
        recoded([0, 987654321], "bands:10")
    assert "987654321" not in str(refused.value)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.sampled_from([1000.0, 5.0, 0.5, 0.05]))
def test_rounded_numbers_are_the_nearest_multiples(values, base):
    for value, rounded in zip(values, recoded(np.array(values), f"round:{base}"), strict=True):
        assert abs(rounded - value) <= base / 2 * (1 + 1e-6)
        assert abs(rounded / base - round(rounded / base)) < 1e-6
        assert len(repr(rounded)) <= 12, "no 0.15000000000000002"


def test_prefixes_keep_zeros():
    assert recoded(["02134", "98107", "0"], "prefix:3") == ["021", "981", "0"]


def test_numbers_have_a_prefix_where_they_are_codes_with_all_their_digits():
    zips = [98107, 98115, 10001, 10002] * 5
    assert recoded(zips, "prefix:2", kinds={"x": "nominal"})[:4] == ["98", "98", "10", "10"]
    with pytest.raises(InvalidData, match=r"holds numbers; prefix needs text\. Use round:1000.*kinds=.*nominal"):
        recoded(zips, "prefix:2", kinds={"x": "numeric"})
    with pytest.raises(InvalidData, match="Zeros before the others may have been lost"):
        recoded([2134, 98107], "prefix:3", kinds={"x": "nominal"})
    table = io.wrap(pd.DataFrame({"zip": zips}))
    assert recode_table(table, {"zip": ["prefix:2"]}, 2)[0].native()["zip"].iloc[0] == "98", "by the column check"


def by_hand(values, least):
    """Merge the rarest categories one by one, as long as there is a rare one or the rest is too small."""
    counts = {value: values.count(value) for value in dict.fromkeys(values)}
    merged: list[str] = []
    if min(counts.values()) >= least:
        return merged
    for value in sorted(counts, key=lambda each: counts[each]):
        if counts[value] < least or sum(counts[each] for each in merged) < least:
            merged.append(value)
    return merged


@given(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=60), st.integers(2, 12))
def test_rare_categories_become_other_which_is_not_rare(values, least):
    merged = by_hand(values, least)
    after = recoded(values, f"rare:{least}")
    assert after == ["other" if value in merged else value for value in values]
    if "other" in after and len(values) >= least:
        assert min(after.count(value) for value in after) >= least


def test_rare_by_share_and_a_category_that_is_called_other():
    values = ["a"] * 97 + ["b", "c", "d"]
    assert recoded(values, "rare:2%").count("other") == 3
    named = ["a"] * 50 + ["Other"] * 30 + ["b"] * 5 + ["c"] * 4
    assert recoded(named, "rare:8") == ["a"] * 50 + ["Other"] * 30 + ["other (rare)"] * 9
    assert recoded([1] * 30 + [2] * 3 + [3] * 4, "rare:5") == ["1"] * 30 + ["other"] * 7


def test_a_category_that_had_to_join_the_rare_ones_is_spoken_of():
    """Half of the records may become "other" where the rare ones alone are too few: nobody may overlook that."""
    for counts, words in (({"a": 50, "b": 40, "c": 9, "d": 9}, True), ({"a": 50, "b": 40, "c": 9, "d": 12}, False)):
        values = [name for name, count in counts.items() for _ in range(count)]
        _, (done,) = recode_table(io.wrap(pd.DataFrame({"x": values})), {"x": ["rare:20"]}, 5)
        assert ("and of the next rarest, as together they were too few, became 'other'" in done.words) == words
        assert done.changed == (58 if words else 21)


def test_parts_of_dates():
    days = pd.to_datetime(["2019-08-29", None, "2019-12-31", "2020-01-01"])
    assert recoded(days, "date:month") == ["2019-08", None, "2019-12", "2020-01"]
    assert recoded(days, "date:quarter") == ["2019-Q3", None, "2019-Q4", "2020-Q1"]
    assert recoded(days, "date:year") == [2019, None, 2019, 2020]
    assert order_of(days, "date:quarter") == ("2019-Q3", "2019-Q4", "2020-Q1")
    before = [datetime.date(1912, 3, 1), datetime.date(1969, 12, 31)]
    assert recoded(before, "date:month") == ["1912-03", "1969-12"]


def test_dates_that_are_text_are_read_where_all_have_one_form():
    assert recoded(["29.08.2019", "1.9.2019"], "date:quarter") == ["2019-Q3", "2019-Q3"]
    assert recoded(["2019-08-29"], "date:year") == [2019]
    with pytest.raises(InvalidData, match="holds categories; date:year needs dates"):
        recoded(["soon"], "date:year")


@pytest.mark.parametrize("step", [each for kind in STEPS.values() for each in kind.examples])
def test_missing_values_stay_missing_and_other_steps_can_follow(step):
    values = pd.array([1, 20, None, 95] * 10, dtype="Int64")
    if step.startswith(("prefix", "rare")):
        values = ["021", "98", None, "x"] * 10
    if step.startswith("date"):
        values = pd.to_datetime(["2019-08-29", "2020-08-29", None, "1999-01-01"] * 10)
    after = recoded(values, step, "rare:2")
    assert [value is None for value in after] == [False, False, True, False] * 10


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("tpo:90", r"there is no step 'tpo:90'\. Did you mean 'top'\? Steps are top:90, bottom:18"),
        ("TOP:", r"top takes a number \(top:90\) or a share between 0 and 100%"),
        ("top:101%", "a share between 0 and 100%"),
        ("bands:0", "a width above 0"),
        ("bands:30,18", "cut points in ascending order"),
        ("round:-1", "a number above 0"),
        ("prefix:0", "at least 1"),
        ("rare:1", "at least 2"),
        ("date:moth", r"month or quarter or year; got 'date:moth'\. Did you mean 'month'\?"),
    ],
)
def test_a_step_that_is_none_says_what_is_allowed(step, message):
    with pytest.raises(InvalidOption, match=message):
        read_step(step)


def test_steps_are_texts():
    with pytest.raises(InvalidOption, match=r"must be a text such as 'top:90', or a list of such; got 90"):
        check_steps("age", 90)
    with pytest.raises(InvalidOption, match="must be a text"):
        check_steps("age", [])


@pytest.mark.parametrize(
    ("values", "step", "message"),
    [
        (["a", "b"], "top:90", "holds categories; top coding needs numbers"),
        (pd.to_datetime(["2019-08-29"]), "bands:10", "holds dates; bands needs numbers. Use date:month"),
        (pd.to_datetime(["2019-08-29"]), "rare:20", "Take the month, quarter or year first"),
        ([1.5, 2.0], "rare:20", "Put numbers into bands first"),
        ([1.0, np.inf], "top:90", "holds an infinite number"),
        ([1.0, 2.0], "date:year", "Convert the column to dates first"),
    ],
)
def test_a_column_that_a_step_cannot_be_done_with_is_refused_with_advice(values, step, message):
    with pytest.raises(InvalidData, match=message):
        recoded(values, step)


def test_outcomes_count_what_changed_and_what_it_cost():
    values = np.arange(100.0)
    frame = pd.DataFrame({"x": values, "y": ["a"] * 90 + list("bcdefghijk")})
    _, (top, bands, rare) = recode_table(io.wrap(frame), {"x": ["top:89", "bands:10"], "y": ["rare:10"]}, 5)
    assert (top.changed, top.present) == (10, 100)
    cut = np.minimum(values, 89.0)
    assert top.lost == pytest.approx(100 * ((values - cut) ** 2).sum() / ((values - values.mean()) ** 2).sum())
    assert (bands.changed, bands.lost) == (100, None)
    assert (rare.changed, rare.present) == (10, 100)
