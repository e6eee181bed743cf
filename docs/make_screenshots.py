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
WIDTH, HEIGHT = 1180, 820


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


def candidates(page: Any) -> None:
    """The map with a limit."""
    page.locator("#accept").click()
    page.locator("#accept").wait_for(state="hidden")
    go(page, "Candidates")
    page.locator("#effort").select_option("quick")
    page.fill("#ks", "3, 5, 8, 12")
    page.locator("input[value=mondrian]").set_checked(True)
    page.locator("#start").click()
    page.locator("#rows tr").nth(11).wait_for(timeout=300_000)
    page.locator("#running").wait_for(state="hidden")
    page.fill("#limit-risk", "15")
    page.keyboard.press("Tab")
    page.locator("#rows tr.chosen").wait_for()


def history(page: Any) -> None:
    """The steps so far."""
    page.locator("#rows tr.chosen button").click()
    page.locator("#rows tr.chosen .badge").wait_for()
    go(page, "History")


def limits(page: Any) -> None:
    """A limit on the histogram of a column of numbers."""
    recode(page, "age")
    page.locator("#histogram svg").wait_for()
    page.fill("#top", "85")


def tree(page: Any) -> None:
    """A tree with a node of our own, and a value that is missing in it."""
    recode(page, "job")
    page.locator("#begin").click()
    page.locator("#tree [role=treeitem]").first.focus()
    page.keyboard.press("n")
    page.keyboard.type("care")
    moves = [
        "Enter",
        *["ArrowDown"] * 4,
        "Control+x",
        *["ArrowUp"] * 4,
        "Control+v",
        "ArrowDown",
        "ArrowDown",
        "Delete",
    ]
    for key in moves:
        page.keyboard.press(key)


def exposure(page: Any) -> None:
    """Who stands alone."""
    page.once("dialog", lambda dialog: dialog.accept())  # the tree was not saved
    go(page, "Exposure")
    page.locator("#without").wait_for(timeout=120_000)


def compare(page: Any) -> None:
    """What became of the data."""
    go(page, "Compare")
    page.locator("#columns").wait_for(timeout=300_000)


def release(page: Any) -> None:
    """What will be published, with a warning confirmed."""
    go(page, "Release")
    page.locator("#make button").click()
    page.locator("#publish").wait_for(timeout=300_000)
    page.locator(".confirm").first.check()
    page.locator(".points .done").wait_for()


SHOTS: dict[str, Callable[[Any], None]] = {
    "start": start,
    "data": data,
    "columns": columns,
    "candidates": candidates,
    "history": history,
    "limits": limits,
    "tree": tree,
    "exposure": exposure,
    "compare": compare,
    "release": release,
}
"""What is done before each picture, in the order of the work: each goes on where the one before it ended."""


CUT = {"columns": HEIGHT, "candidates": 1320, "limits": HEIGHT, "exposure": 1500, "compare": 1750, "release": 1500}
"""How much of a long page its picture shows."""


def recode(page: Any, column: str) -> None:
    """Open a column on the page of recoding."""
    page.locator("nav.steps a", has_text="Recoding").click()
    page.locator("tr", has_text=column).get_by_role("link").click()
    page.locator("#steps-title").wait_for(timeout=120_000)


def go(page: Any, title: str) -> None:
    """Go to a page by the navigation."""
    page.locator("nav.steps a", has_text=title).click()
    page.wait_for_url(f"**/{title.lower()}")


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
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
                page.goto(address)
                page.locator("#open").wait_for()
                for name, prepare in SHOTS.items():
                    prepare(page)
                    if not wanted or name in wanted:
                        page.evaluate("scrollTo(0, 0)")
                        whole = page.evaluate("document.documentElement.scrollHeight")
                        seen = {"x": 0, "y": 0, "width": WIDTH, "height": CUT.get(name, whole)}
                        page.screenshot(path=IMAGES / f"studio-{name}.png", full_page=True, clip=seen)
                browser.close()
        finally:
            studio.send_signal(signal.SIGINT)
            studio.wait(30)


if __name__ == "__main__":
    main(sys.argv[1:])
