"""How long a release takes with its report and without, for a wide file and a long one, and how fast the page opens.

    python benchmarks/report.py [wide | codes | long] ...      # all by default; long takes a minute

A release with its page is to take at most twice the time of the release alone. Both are timed in one run; on a machine
that does other work too, the processor's seconds say more than those on the wall.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import microagg as ma

RUNS = 5
LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
CAUSES = 20
"""What the columns of a wide file have in common."""


def wide(n: int = 1_500, m: int = 700) -> pd.DataFrame:
    """Numbers that follow some common causes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, CAUSES)) @ rng.normal(size=(CAUSES, m - 1)) + 2 * rng.normal(size=(n, m - 1))
    return _with_illness({f"x{j}": X[:, j].round(2) for j in range(m - 1)}, n)


def codes(n: int = 1_500, m: int = 700) -> pd.DataFrame:
    """Half of the columns are answers of 2 to 7 codes."""
    rng = np.random.default_rng(0)
    answers = {f"x{j}": rng.integers(0, rng.integers(2, 8), n) for j in range(m // 2)}
    return _with_illness({**answers, **{f"y{j}": rng.normal(size=n).round(2) for j in range(m - 1 - m // 2)}}, n)


def long(n: int = 1_000_000) -> pd.DataFrame:
    X = ma.datasets.census_like(n, seed=0)
    return _with_illness({f"x{j}": X[:, j] for j in range(X.shape[1])}, n)


def _with_illness(columns: dict[str, np.ndarray], n: int) -> pd.DataFrame:
    illness = np.random.default_rng(0).choice(["none", "flu", "gout"], n, p=[0.8, 0.15, 0.05])
    return pd.DataFrame({**columns, "illness": illness})


FILES: dict[str, tuple[Callable[[], pd.DataFrame], str]] = {
    "wide": (wide, "auto"),
    "codes": (codes, "auto"),
    "long": (long, "mondrian"),
}
"""The files, each with a method that is quick for it: a slow one would hide how long the report takes."""


def timed(what: str, work: Callable[[], object]) -> tuple[object, float, float]:
    start = time.perf_counter(), time.process_time()
    done = work()
    wall, processor = time.perf_counter() - start[0], time.process_time() - start[1]
    print(f"{what:34}{wall:9.2f}{processor:9.2f}", flush=True)
    return done, wall, processor


def open_page(page: Path) -> None:
    """Print how long a browser takes, in each theme: until it has loaded the page, and until it has drawn it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        for theme in ("light", "dark"):
            loaded, drawn = [], []
            for _ in range(RUNS):
                tab = browser.new_page(color_scheme=theme, viewport={"width": 1180, "height": 900})
                start = time.perf_counter()
                tab.goto(page.as_uri())
                tab.evaluate(PAINTED)
                drawn.append(time.perf_counter() - start)
                loaded.append(tab.evaluate(LOADED) / 1000)
                tab.close()
            print(f"opened, {theme}: loaded {statistics.median(loaded):.2f} s, drawn {statistics.median(drawn):.2f} s")
        browser.close()


def measure(name: str) -> None:
    make, method = FILES[name]
    people = make()
    print(f"\n{name}: {len(people):,} records x {people.shape[1]} columns, one of them confidential, {method}, k = 5")
    print(f"{'':34}{'seconds':>9}{'CPU':>9}")
    quasi = list(people.columns[:-1])
    release, *alone = timed(
        "release", lambda: ma.anonymize(people, k=5, quasi=quasi, confidential=["illness"], method=method)
    )
    assert isinstance(release, ma.Release)
    with tempfile.TemporaryDirectory() as folder:
        page, twin = Path(folder, "report.html"), Path(folder, "report.json")
        _, *measures = timed("every measure", lambda: release.assessment)
        _, *drawn = timed("page", lambda: release.report(page))
        timed("JSON twin", lambda: release.report(twin))
        wall, processor = (1 + (m + d) / a for a, m, d in zip(alone, measures, drawn, strict=True))
        print(f"{'with its page, times the release':34}{wall:9.2f}{processor:9.2f}")
        print(f"page {page.stat().st_size / 1e6:.2f} MB, twin {twin.stat().st_size / 1e6:.2f} MB")
        open_page(page)


if __name__ == "__main__":
    for file in sys.argv[1:] or FILES:
        measure(file)
