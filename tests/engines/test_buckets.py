"""Buckets: files that give back what they took."""

from __future__ import annotations

import numpy as np

from microagg.engines.buckets import Buckets


def test_buckets_give_back_what_they_took(tmp_path):
    buckets = Buckets(tmp_path / "buckets", 2)
    records = np.arange(20.0).reshape(10, 2)
    buckets.add(np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 7]), records)
    buckets.add(np.array([7]), records[:1])
    assert buckets.sizes == {0: 5, 1: 4, 7: 2}
    assert np.array_equal(buckets.read(0), records[:9:2])
    assert np.array_equal(buckets.read(7), records[[9, 0]])
    assert (tmp_path / "buckets").stat().st_mode & 0o77 == 0, "nobody else may look"
    buckets.remove(7)
    assert list(buckets.sizes) == [0, 1]
