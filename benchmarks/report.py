"""How long the report of a large release takes, and to open: python benchmarks/report.py [records]"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import microagg as ma

RUNS = 5
LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def step(what: str, start: tuple[float, float]) -> None:
    print(f"{what:34}{time.perf_counter() - start[0]:9.2f}{time.process_time() - start[1]:9.2f}")


def now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


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


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    data = ma.datasets.census_like(n, seed=0)
    people = pd.DataFrame(data, columns=[f"x{j}" for j in range(data.shape[1])])
    people["illness"] = np.random.default_rng(0).choice(["none", "flu", "gout"], n, p=[0.8, 0.15, 0.05])
    print(f"{n} records x {data.shape[1]} columns and a confidential one, mondrian, k = 5")
    print(f"{'':34}{'seconds':>9}{'CPU':>9}")
    start = now()
    release = ma.anonymize(people, k=5, quasi=list(people.columns[:-1]), confidential=["illness"], method="mondrian")
    step("release", start)
    start = now()
    _ = release.assessment
    step("every measure", start)
    with tempfile.TemporaryDirectory() as folder:
        page, twin = Path(folder, "report.html"), Path(folder, "report.json")
        start = now()
        release.report(page, twin)
        step("page and twin", start)
        print(f"page {page.stat().st_size / 1e6:.2f} MB, twin {twin.stat().st_size / 1e6:.2f} MB")
        open_page(page)


if __name__ == "__main__":
    main()
