"""What commands share: the line that shows progress."""

from __future__ import annotations

import numpy as np
import pytest

from microagg.base.progress import part_of
from microagg.cli.console import progress_bar
from microagg.refine import search


def test_the_bar_shows_the_loss_of_a_search(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through the wrapper of one stratum, which is the whole, and the kernel's tenths of a second."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    X = np.random.default_rng(0).normal(size=(200, 2))
    with progress_bar("best, k = 4", quiet=False) as progress:
        search(X, np.arange(200) // 4, 4, time_limit=0.5, progress=part_of(progress, 0.0, 1.0))
    assert "best, k = 4, loss " in capsys.readouterr().err


def test_no_bar_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with progress_bar("mdav", quiet=False) as progress:
        assert progress is None
