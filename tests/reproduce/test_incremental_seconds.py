"""Seconds of one run beside Table 3: as ratios to one of its cells, by a clock of our own."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest

from microagg.reproduce import incremental, reproduce
from microagg.reproduce import incremental_seconds as experiment
from microagg.reproduce.incremental_seconds import EXPERIMENT, REFERENCE, SecondsRun, printed_seconds


def row(dataset, records, k, seconds, method="mdav"):
    return SecondsRun(dataset, records, k, method, 1, seconds)


def test_table_is_read():
    table = printed_seconds()
    assert len(table) == 11
    assert table[REFERENCE] == 46.12
    assert table["gaussian15", 1_000_000, 10] == 11_220


def test_ratios_stand_beside_the_printed_ones():
    """Each method is held to its own run of the reference cell; that cell itself says nothing."""
    rows = [
        row(*REFERENCE, 2.0),
        row("gaussian5", 50_000, 10, 1.0),
        row("gaussian15", 1_000_000, 10, 486.6),
        row("gaussian15", 25_000, 10, 0.7),
        row(*REFERENCE, 10.0, "plain"),
        row("census3", 50_000, 100, 0.4, "plain"),
    ]
    comparisons = EXPERIMENT.compare(EXPERIMENT, rows)
    assert [(c.method, c.dataset, c.k) for c in comparisons] == [
        ("mdav, 50,000 records", "gaussian5", 10),
        ("mdav, 1,000,000 records", "gaussian15", 10),
        ("plain, 50,000 records", "census3", 100),
    ]
    assert [c.printed for c in comparisons] == pytest.approx([22.41 / 46.12, 11_220 / 46.12, 1.71 / 46.12])
    assert [c.ours for c in comparisons] == pytest.approx([0.5, 243.3, 0.04])
    assert [c.inside for c in comparisons] == [True, True, True]


def test_without_the_reference_nothing_is_compared():
    assert EXPERIMENT.compare(EXPERIMENT, [row("gaussian5", 50_000, 10, 1.0)]) == []


def test_a_million_records_are_run_for_the_printed_cell_alone():
    keys = [task.keys[0] for task in EXPERIMENT.tasks(EXPERIMENT.choose({}))]
    assert [key for key in keys if key[1] > 50_000] == [("gaussian15", 1_000_000, 10, "mdav", 1)]
    assert {key[3] for key in keys if key[1] <= 50_000} == {"mdav", "plain"}


def test_the_fastest_run_counts(tmp_path, monkeypatch):
    """By a clock of our own: runs take 5, 3 and 4 seconds."""
    moments = itertools.cycle([0.0, 5.0, 10.0, 13.0, 20.0, 24.0])
    monkeypatch.setattr(experiment.time, "process_time", lambda: next(moments))
    settings = {"names": ["gaussian5"], "ks": [5], "records": [100, 200], "methods": ["mdav"], "repeats": 3}
    result = reproduce(EXPERIMENT, tmp_path, **settings)
    assert [(r.records, r.seconds) for r in result.rows] == [(100, 3.0), (200, 3.0)]
    assert [line["seconds"] for line in result.table] == [3.0, 3.0]
    (drawing,) = result.drawings.values()
    ElementTree.fromstring(drawing)  # noqa: S314 - ours
    assert "gaussian5, n squared" in drawing


def test_methods_are_first_stages():
    """What is timed is what the experiment of two stages begins with."""
    assert set(experiment.METHODS) <= set(incremental.BASES)
