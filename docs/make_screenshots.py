"""Make the pictures of "The studio" from the studio itself, so that they show what there is.

Run it with Python from the root of the project: docs/make_screenshots.py [NAME ...]. It needs playwright and Chromium.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).parent / "images"
CHROMIUM = os.environ.get("MICROAGG_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
WIDTH = 1180


def start(page: Any) -> None:
    """The first page, with a path half typed."""
    page.fill("#path", page.locator("#path").get_attribute("placeholder"))
    page.locator("#choices li").first.wait_for()


def data(page: Any) -> None:
    """The first records of the example."""
    page.locator("[data-example=clinic]").click()
    page.locator(".preview").wait_for()


def columns(page: Any) -> None:
    """Some columns decided, some not."""
    go(page, "Columns")
    for at in (0, 1, 2, 3):
        page.locator(f"tr[data-at='{at}'] .suggestion").click()
        page.locator(f"tr[data-at='{at}']:not(.undecided)").wait_for()


def recode(page: Any) -> None:
    """Top coding on the histogram of ages."""
    page.locator("#accept").click()
    page.locator("#accept").wait_for(state="hidden")
    go(page, "Recod")
    page.locator("tr", has_text="age").first.get_by_role("link").click()
    page.locator("#steps-title").wait_for()
    page.get_by_role("slider", name="Top limit").focus()
    for _ in range(2):
        page.keyboard.press("PageDown")


def exposure(page: Any) -> None:
    """How exposed the data are as they are."""
    go(page, "Exposure")
    page.locator("#without").wait_for()


def candidates(page: Any) -> None:
    """The map with a limit."""
    go(page, "Candidates")
    page.locator("#effort").select_option("quick")
    page.fill("#ks", "3, 5, 8, 12")
    page.locator("input[value=mondrian]").set_checked(True)
    page.locator("#start").click()
    page.locator("#rows tr").nth(11).wait_for()
    page.locator("#running").wait_for(state="hidden")
    page.fill("#limit-risk", "15")
    page.keyboard.press("Tab")
    page.locator("#rows tr.chosen").wait_for()


def compare(page: Any) -> None:
    """The chosen candidate beside the original."""
    page.locator("#rows tr.chosen button").click()
    page.locator("#rows tr.chosen .badge").wait_for()
    page.locator("#rows tr.chosen a").click()
    page.wait_for_url("**/compare*")


def release(page: Any) -> None:
    """A release that waits for its warnings to be confirmed."""
    go(page, "Release")
    page.locator("#make button").click()
    page.locator("#publish").wait_for()


def history(page: Any) -> None:
    """The steps so far."""
    go(page, "History")


SHOTS: dict[str, tuple[int, Callable[[Any], None]]] = {
    "start": (900, start),
    "data": (1180, data),
    "columns": (820, columns),
    "recode": (1100, recode),
    "exposure": (1180, exposure),
    "candidates": (1320, candidates),
    "compare": (1180, compare),
    "release": (1180, release),
    "history": (820, history),
}
"""How high each picture is, and what is done before it: each goes on where the one before it ended."""


def go(page: Any, title: str) -> None:
    """Go to a page by the navigation, and wait until nothing is made for it any more."""
    page.locator("nav.steps a", has_text=title).click()
    page.locator("nav.steps a[aria-current]", has_text=title).wait_for()


def main(wanted: list[str]) -> None:
    """Make all pictures, or those that are named."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "data").mkdir()
        for name in ("census.csv", "patients.csv", "wages.parquet"):
            (Path(folder) / "data" / name).touch()
        command = [sys.executable, "-m", "microagg", "studio", "--no-browser", "--port", "0"]
        command += ["--projects", f"{folder}/projects", "--folder", f"{folder}/data"]
        studio = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own program
        try:
            assert studio.stdout is not None  # noqa: S101 - it is a pipe
            address = studio.stdout.readline().split()[1]
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
                page = browser.new_page(viewport={"width": WIDTH, "height": 900})
                page.goto(address)
                page.locator("#open").wait_for()
                page.set_default_timeout(300_000)
                for name, (height, prepare) in SHOTS.items():
                    page.set_viewport_size({"width": WIDTH, "height": height})
                    prepare(page)
                    page.locator("[data-wait]").wait_for(state="detached")
                    if not wanted or name in wanted:
                        page.evaluate("scrollTo(0, 0)")
                        page.screenshot(path=IMAGES / f"studio-{name}.png")
                browser.close()
        finally:
            studio.send_signal(signal.SIGINT)
            studio.wait(30)


if __name__ == "__main__":
    main(sys.argv[1:])
