"""The share of values that a release keeps, against counting them one by one."""

from __future__ import annotations

import numpy as np
import pytest

from microagg.gate import Gate
from microagg.measures import Case, Finding, Result
from microagg.semantic.attribute import nominal, numeric
from microagg.utility import MEASURES, assess_all


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_values_kept_are_counted(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    X, Y = (np.column_stack([rng.integers(0, 3, n), rng.integers(0, 2, n)]).astype(float) for _ in range(2))
    attributes = (numeric(), nominal(["f", "m"]))
    case = Case(("age", "sex"), attributes, X, Y, np.zeros(n, dtype=np.int64), 2)
    finding = MEASURES["values_kept"](case)
    kept = [[int(X[i, j] == Y[i, j]) for j in range(2)] for i in range(n)]
    assert finding.value == pytest.approx(100 * sum(map(sum, kept)) / (2 * n))
    assert finding.columns is None
    assert finding.records.tolist() == [50.0 * sum(row) for row in kept]
    assert {result.name: result.before for result in assess_all(case)}["values_kept"] == 100.0


@pytest.mark.parametrize(("kept", "told"), [(2.0, None), (50.0, 50.0), (0.0, 0.0)])
def test_what_fewer_than_k_records_keep_is_not_told(kept, told):
    """Of 200 records, 2 percent are 4 persons: with k = 5 nobody is told that they can be looked for."""
    (row,) = Gate(200, k=5).results([Result.of(MEASURES["values_kept"], Finding(kept, before=100.0))], ["age"])
    assert row.value == told
