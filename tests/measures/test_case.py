"""A case checks what it is given, and gives parts of itself."""

import numpy as np
import pytest

from microagg.errors import InvalidData
from microagg.measures import Case, Confidential
from microagg.semantic.attribute import nominal, numeric


def case(**changed):
    given = {
        "names": ("age", "town"),
        "attributes": (numeric(), nominal(["a", "b"])),
        "original": np.array([[1.0, 0], [2.0, 1], [8.0, 0], [9.0, 1]]),
        "released": np.array([[1.5, 0], [1.5, 0], [8.5, 1], [8.5, 1]]),
        "labels": np.array([0, 0, 1, 1]),
        "k": 2,
        "confidential": {"pay": Confidential(np.array([1.0, np.nan, 3.0, 4.0]), numeric())},
        "strata": np.array([5, 5, 6, 6]),
        "weights": np.ones(4),
    }
    return Case(**{**given, **changed})


def test_parts_keep_rows_together_and_number_groups_anew():
    part = case().take(np.array([3, 2]))
    assert part.original.tolist() == [[9.0, 1], [8.0, 0]]
    assert part.labels.tolist() == [0, 0]
    assert part.strata.tolist() == [6, 6]
    assert part.confidential["pay"].values.tolist() == [4.0, 3.0]
    assert case(labels=np.array([[0, 1], [0, 0], [1, 1], [1, 0]])).take(np.array([2, 3])).labels.tolist() == [
        [0, 0],
        [0, 1],
    ]


def test_what_measures_share_is_worked_out_once_for_each_case():
    seen = []

    def work(case):
        seen.append(case)
        return case.n_records

    whole = case()
    part = whole.take(np.array([0, 1]))
    assert [whole.once(work), whole.once(work), part.once(work), part.once(work)] == [4, 4, 2, 2]
    assert seen == [whole, part]


def test_samples_follow_from_the_seed():
    rows = case(seed=1).sample_rows(2)
    assert rows.tolist() == case(seed=1).sample_rows(2).tolist() == sorted(rows.tolist())
    assert case().sample_rows(4) is None


def test_what_is_known_of_columns():
    assert case().numbers == [0]
    assert case().categories == {"town": ("a", "b")}
    assert case().confidential["pay"].present.tolist() == [True, False, True, True]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"released": np.zeros((4, 1))}, "shape of original"),
        ({"names": ("age",)}, "describe each of 2 columns"),
        ({"weights": np.ones(3)}, "weights must hold one value for each of 4 records; got 3"),
        ({"original": np.full((4, 2), np.inf)}, "finite"),
        ({"target": "agee"}, "did you mean 'age'"),
    ],
)
def test_what_does_not_fit_is_refused(changed, said):
    with pytest.raises(InvalidData, match=said):
        case(**changed)
