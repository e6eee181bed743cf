"""Seconds of paths beside Table 1, as ratios to the path without compression, and over the number of records."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from microagg.partition import partition
from microagg.partition.mhm import cut_order
from microagg.reproduce import EXPERIMENTS, reproduce
from microagg.reproduce.compress_growth import GrowthRun
from microagg.reproduce.compress_seconds import RATIOS, PathSeconds, find_order

SECONDS, GROWTH = EXPERIMENTS["compress-seconds"], EXPERIMENTS["compress-growth"]


def test_ratios_stand_beside_the_printed_ones() -> None:
    """75.26 s to 3.19 s is printed for EIA; the path through all records is what all others are divided by."""
    rows = [PathSeconds("eia", "lk-MHM", 0, 4.0), PathSeconds("eia", "lk-MHM", 1, 6.0)]
    rows += [PathSeconds("eia", "C5-lk-MHM", 0, 0.5), PathSeconds("eia", "C5-lk-MHM", 1, 1.0)]
    (row,) = SECONDS.compare(SECONDS, rows)
    assert (row.dataset, row.method, row.seeds) == ("eia", "C5-lk-MHM", 2)
    assert row.printed == pytest.approx(3.19 / 75.26)
    assert (row.ours, row.ours_least, row.ours_most) == (pytest.approx(0.15), pytest.approx(0.1), pytest.approx(0.2))
    assert row.ours_deviation == pytest.approx(np.std([0.1, 0.2], ddof=1))
    whole, compressed = SECONDS.summary(rows)
    assert (whole["ratio"], whole["printed_ratio"], whole["printed_seconds"]) == (1.0, 1.0, 75.26)
    assert compressed["ratio"] == pytest.approx(0.15)
    (table,) = SECONDS.further(rows)
    assert table.headings == ("dataset", "lk-MHM", "C5-lk-MHM")
    assert table.rows == (("eia", "5.00 / 75.26", "0.75 / 3.19"),)


def test_without_the_whole_path_there_is_nothing_to_compare() -> None:
    assert SECONDS.compare(SECONDS, [PathSeconds("eia", "C5-lk-MHM", 0, 0.5)]) == []


def test_what_is_timed_is_the_path_of_the_method() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    for c, method, options in ((1, "hm2", {}), (3, "compress", {"c": 3})):
        labels = partition(X, 4, method=method, seed=2, **options)
        np.testing.assert_array_equal(cut_order(X, find_order(X, c, 2), 4), labels)


def test_every_ratio_has_its_printed_seconds() -> None:
    rows = [PathSeconds(dataset, method, 0, 1.0) for dataset in ("census", "tarragona", "eia") for method in RATIOS]
    assert len(SECONDS.compare(SECONDS, rows)) == 12


def test_growth_is_drawn_by_method_and_distribution(tmp_path: Path) -> None:
    result = reproduce(GROWTH, tmp_path, records=[20, 40], methods=["lk-MHM", "C5-lk-MHM"], seeds=2)
    assert len(result.rows) == 16
    assert all(row.seconds >= 0 for row in result.rows)
    root = ElementTree.fromstring(result.drawings["compress-growth.svg"])  # noqa: S314
    lines = list(root.iter("{http://www.w3.org/2000/svg}polyline"))
    assert [len(line.attrib["points"].split()) for line in lines] == [2] * 4


def test_growth_takes_the_mean_of_the_seeds() -> None:
    rows = [GrowthRun("normal", n, "lk-MHM", seed, n * (1 + seed)) for n in (100, 200) for seed in (0, 1)]
    assert "normal: 100, 150" in GROWTH.draw(rows)["compress-growth.svg"]
    (table,) = GROWTH.further(rows)
    assert (table.headings[2:], table.rows) == (("n = 100", "n = 200"), (("normal", "lk-MHM", "150.00", "300.00"),))
    assert GROWTH.draw([]) == {}
