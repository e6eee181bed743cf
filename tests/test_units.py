"""Several records of one person, household or firm: k counts these units."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import InfeasibleK, InvalidData, InvalidOption
from microagg.units import alone_by_all_records, constant_columns


def households(n=120, seed=0, most=5):
    """Households of one to five: income and rooms are theirs, age is of each member."""
    rng = np.random.default_rng(seed)
    house = np.repeat(np.arange(n), rng.integers(1, most + 1, n))
    income, rooms = rng.lognormal(10, 0.6, n).round(-2), rng.integers(1, 8, n)
    return pd.DataFrame(
        {
            "house": [f"h{number}" for number in house],
            "income": income[house],
            "rooms": rooms[house],
            "age": rng.integers(0, 90, len(house)),
            "ill": rng.choice(["no", "yes"], len(house)),
        }
    )


def least_units(release, data, columns):
    """Count the units of the class that has the fewest."""
    return int(release.data.assign(unit=data["house"]).groupby(columns)["unit"].nunique().min())


def test_rows_are_not_units():
    """Galton's families: groups of k records held fewer than k families, which is what `unit` is for."""
    data = households()
    plain = ma.anonymize(data, 5, quasi=["income", "rooms"], identifiers=["house"], keep=["age"])
    counted = ma.anonymize(data, 5, quasi=["income", "rooms"], unit="house", keep=["age"])
    assert least_units(plain, data, ["income", "rooms"]) < 5
    assert least_units(counted, data, ["income", "rooms"]) >= 5
    assert "house" not in counted.data


@pytest.mark.parametrize("method", ["auto", "mdav", "mixed", "fast", "hm2"])
@pytest.mark.parametrize("quasi", [["income", "rooms"], ["age"], ["income", "rooms", "age"]])
def test_every_class_has_k_units(quasi, method):
    """Columns of the unit, of its records, and of both."""
    data = households()
    release = ma.anonymize(data, 4, quasi=quasi, unit="house", confidential=["ill"], others="drop", method=method)
    assert least_units(release, data, quasi) >= 4
    assert release.risks["smallest_class"] >= 4


def test_columns_of_the_unit_stay_the_same_in_all_its_records():
    """A household has one income afterwards, as it had before."""
    data = households()
    release = ma.anonymize(data, 4, quasi=["income", "rooms", "age"], unit="house", others="drop")
    both = release.data.assign(house=data["house"]).groupby("house")[["income", "rooms"]].nunique()
    assert (both == 1).all().all()


def test_one_record_for_each_unit_is_as_ever():
    """Where each record is a unit, nothing changes."""
    data = households(most=1)
    with_units = ma.anonymize(data, 4, quasi=["income", "age"], unit="house", others="drop")
    without = ma.anonymize(data, 4, quasi=["income", "age"], identifiers=["house"], others="drop")
    pd.testing.assert_frame_equal(with_units.data, without.data)


def test_each_unit_counts_once():
    """A household of five has no more weight in the common income than one of one."""
    data = pd.DataFrame({"house": [1, 1, 1, 2, 3], "income": [10, 10, 10, 20, 60]})
    release = ma.anonymize(data, 3, quasi=["income"], unit="house")
    assert set(release.data["income"]) == {30}


def test_alias_is_a_number_that_tells_nothing():
    """Another one every time, one for each unit, and units side by side where rows are shuffled."""
    data = households()
    asked = {"quasi": ["income", "rooms"], "unit": "house", "unit_alias": True, "shuffle": True, "others": "drop"}
    one, other = (ma.anonymize(data, 4, **asked) for _ in range(2))
    assert one.data["house"].nunique() == data["house"].nunique()
    assert sorted(one.data["house"].value_counts()) == sorted(data["house"].value_counts())
    assert not one.data["house"].equals(other.data["house"])
    assert (one.data["house"].diff().fillna(1) >= 0).all()
    assert any("random number tells which records belong together" in warning for warning in one.warnings)


def test_what_is_dropped_is_dropped_together():
    """A household of which one member lacks a value leaves as a whole."""
    data = households()
    data["age"] = data["age"].astype(float)
    data.loc[[0, 50], "age"] = np.nan
    gone = set(data.loc[[0, 50], "house"])
    release = ma.anonymize(data, 4, quasi=["age"], unit="house", unit_alias=True, missing="drop", others="drop")
    assert len(release.data) == (~data["house"].isin(gone)).sum()


def test_refusals():
    """What looks at records one by one, what divides units, what is not there."""
    data = households()
    asked = {"quasi": ["income"], "unit": "house", "others": "drop"}
    for changed in ({"method": "individual"}, {"suppress": 0.1}, {"outliers": "join"}, {"bound": 1.0}):
        with pytest.raises(InvalidOption, match="leave one of the two out"):
            ma.anonymize(data, 4, **{**asked, **changed})
    with pytest.raises(InvalidOption, match="did you mean 'house'"):
        ma.anonymize(data, 4, **{**asked, "unit": "hous"})
    with pytest.raises(InvalidOption, match="say which column that is"):
        ma.anonymize(data, 4, quasi=["income"], unit_alias=True)
    with pytest.raises(InvalidOption, match="one role only"):
        ma.anonymize(data, 4, quasi=["income", "house"], unit="house")
    with pytest.raises(InfeasibleK, match="units cannot look the same"):
        ma.anonymize(data, 121, **asked)
    few = data.assign(region=np.where(data["house"].isin(["h0", "h1"]), "small", "large"))
    with pytest.raises(InfeasibleK, match="fewer than k = 4 units"):
        ma.anonymize(few, 4, quasi=["age"], unit="house", others="drop", by=["region"])
    with pytest.raises(InvalidData, match="divide units"):
        ma.anonymize(data, 4, **asked, by=["ill"])
    with pytest.raises(InvalidData, match="lacks a value in record 3"):
        ma.anonymize(data.assign(house=data["house"].where(data.index != 2)), 4, **asked)


def test_exposure_counts_units():
    """Records of a household that look alike count once."""
    data = pd.DataFrame({"house": [1, 1, 1, 2, 2, 3], "income": [5, 5, 5, 5, 5, 9]})
    exposure = ma.assess(data, k=2, quasi=["income"], unit="house")
    assert exposure.smallest_class == 1
    assert exposure.sizes.tolist() == [2, 1]
    assert exposure.assessment["household_risk"].value == pytest.approx(100 * (0.5 + 0.5 + 1) / 3)


def test_command_line(run, tmp_path):
    """`--unit` and `--unit-alias`; assess counts units too."""
    households().to_csv(tmp_path / "people.csv", index=False)
    roles = ["--quasi", "income,rooms", "--unit", "house"]
    code, _, err = run("assess", tmp_path / "people.csv", "-k", 4, *roles)
    assert code == 0, err
    code, _, err = run("anonymize", tmp_path / "people.csv", "-k", 4, *roles, "--unit-alias", "--others", "drop", "-o",
                       tmp_path / "out.csv", "--report", tmp_path / "report.html")  # fmt: skip
    assert code == 0, err
    released = pd.read_csv(tmp_path / "out.csv")
    assert released.groupby(["income", "rooms"])["house"].nunique().min() >= 4
    assert "Household risk" in (tmp_path / "report.html").read_text(encoding="utf-8")


@settings(max_examples=30)
@given(st.integers(2, 6), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), min_size=10, max_size=40))
def test_k_units_for_any_table(k, rows):
    """Any table that has k units gets a release in which every class has k of them."""
    data = pd.DataFrame(rows, columns=["house", "x"])
    if data["house"].nunique() < k:
        with pytest.raises(InfeasibleK):
            ma.anonymize(data, k, quasi=["x"], unit="house")
        return
    release = ma.anonymize(data, k, quasi=["x"], unit="house")
    assert least_units(release, data, ["x"]) >= k


def test_helpers():
    """What is constant in each unit, and which units are alone by all their records."""
    assert constant_columns(np.array([[1.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])).tolist() == [False]
    assert alone_by_all_records(np.array([0, 0, 0, 1]), np.array([0, 1, 2, 2])) == 1
