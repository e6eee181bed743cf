"""Classes of equal records, and the check that keeps a release that is not k-anonymous from leaving."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import NotKAnonymous
from microagg.risk import (
    RISKS,
    check_k_anonymous,
    class_sizes,
    equivalence_classes,
    keys_of,
    measure,
    violating_records,
)

rows = st.integers(1, 4).flatmap(lambda m: st.lists(st.tuples(*[st.integers(-2, 2)] * m), min_size=1, max_size=60))


@given(rows)
def test_class_sizes_equal_a_plain_count(records):
    counted = Counter(records)
    assert class_sizes(np.array(records)).tolist() == [counted[record] for record in records]


@given(rows)
def test_classes_are_numbered_by_first_appearance(records):
    seen: dict[tuple[int, ...], int] = {}
    expected = [seen.setdefault(record, len(seen)) for record in records]
    assert equivalence_classes(np.array(records)).tolist() == expected


@given(rows, st.integers(1, 6))
def test_violating_records_are_those_with_too_few_alike(records, k):
    counted = Counter(records)
    expected = [i for i, record in enumerate(records) if counted[record] < k]
    assert violating_records(class_sizes(np.array(records)), k).tolist() == expected


def test_many_classes_and_extreme_keys():
    keys = np.arange(10_000, dtype=np.int64)[:, None] * (2**49 + 1)
    assert (class_sizes(keys) == 1).all()
    extremes = np.array([[np.iinfo(np.int64).min], [np.iinfo(np.int64).max], [np.iinfo(np.int64).min]])
    assert class_sizes(extremes).tolist() == [2, 1, 2]


def test_keys_of_zero_and_missing():
    keys = keys_of(np.array([0.0, -0.0, np.nan, -np.nan, 1.0]))
    assert keys[0] == keys[1]
    assert keys[2] == keys[3]
    assert len(set(keys.tolist())) == 3


def test_a_record_of_its_own_is_caught():
    keys = np.array([[1], [1], [1], [2], [2], [3]])
    sizes = class_sizes(keys)
    check_k_anonymous(sizes[:5], 2)
    with pytest.raises(NotKAnonymous, match=r"1 of 6 records share .* fewer than 2 .*smallest class has 1"):
        check_k_anonymous(sizes, 2)
    with pytest.raises(NotKAnonymous, match="3 of 6"):
        check_k_anonymous(sizes, 3)


def test_risks_of_a_known_table():
    assert measure(class_sizes(np.array([[1], [1], [2], [3], [3], [3]]))) == {
        "smallest_class": 1,
        "uniques": 1,
        "highest_risk": 100.0,
        "average_risk": pytest.approx(50.0),  # 3 classes among 6 records
    }


@given(rows)
def test_risks_stay_in_their_range(records):
    for name, value in measure(class_sizes(np.array(records))).items():
        assert RISKS[name].lowest <= value <= RISKS[name].highest


def test_keys_are_equal_where_floats_are():
    """Zeros of either sign, missing values of any bits, and infinities that add up to a missing one."""
    odd = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    values = np.array([[0.0, np.nan], [-0.0, odd], [np.inf, -np.inf], [np.inf, 1.0]])
    keys = keys_of(values)
    assert (keys[0] == keys[1]).all()
    assert keys[2, 0] == keys[3, 0] != keys[2, 1]
    assert keys_of(values[::-1]).tolist() == keys[::-1].tolist()


def test_keys_do_not_let_the_records_be_changed():
    values = np.array([[1.5], [2.5]])
    keys = keys_of(values)
    assert class_sizes(keys).tolist() == [1, 1]
    with pytest.raises(ValueError, match="read-only"):
        keys[0, 0] = 7
    values[0, 0] = 3.5
    assert values.flags.writeable
