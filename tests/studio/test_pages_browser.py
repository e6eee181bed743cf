"""Recoding, trees, exposure, comparison and release in a real browser: by mouse, by keys, small and in the dark."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from houses import Program, arrive, write_people

import microagg as ma


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("files")
    write_people(made / "people.csv")
    return made


@pytest.fixture(scope="module")
def page(folder, browser, tmp_path_factory):
    """A tab in which the data are open and every column is decided; what goes wrong in it is noted."""
    program = Program(projects=tmp_path_factory.mktemp("projects"), folder=folder)
    tab = browser.new_page(viewport={"width": 1180, "height": 900})
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda message: wrong.append(message.text))
    tab.goto(program.address)
    tab.fill("#path", str(folder / "people.csv"))
    tab.press("#path", "Enter")
    tab.locator(".preview").wait_for()
    go(tab, "columns")
    tab.locator("#accept").click()
    tab.locator("#accept").wait_for(state="hidden")
    yield tab
    tab.close()
    # Whoever has no key yet is shown the door with status 401, which a browser notes.
    assert [text for text in wrong if "401" not in text] == []
    assert program.stop() == (0, "")


def go(page, path):
    """Open a page of the project, and wait until nothing runs for it."""
    page.goto(f"{page.url.split('/projects/')[0]}/projects/{page.url.split('/projects/')[1].split('/')[0]}/{path}")
    arrive(page, "[data-wait]", state="detached")


def column(page, name):
    go(page, "recode")
    page.locator("tr", has_text=name).get_by_role("link").click()
    arrive(page, "#steps-title")


def names(page):
    return [each.strip() for each in page.locator("#tree .label").all_inner_texts()]


def test_limits_are_set_on_the_histogram_by_keys_and_by_mouse(page):
    column(page, "age")
    grip = page.get_by_role("slider", name="Top limit")
    grip.focus()
    for _ in range(8):
        page.keyboard.press("PageDown")
    by_keys = float(page.input_value("#top"))
    assert 18 < by_keys < 89
    assert "above" in page.locator("#beyond").inner_text()
    bottom = page.get_by_role("slider", name="Bottom limit")
    bottom.hover()
    box = bottom.bounding_box()
    page.mouse.down()
    page.mouse.move(box["x"] + 150, box["y"], steps=4)
    page.mouse.up()
    assert 18 < float(page.input_value("#bottom")) <= by_keys
    page.locator("#limits button[type=submit]").click()
    arrive(page, "#steps code >> nth=1")
    assert [text.split(":")[0] for text in page.locator("#steps code").all_inner_texts()] == ["bottom", "top"]
    page.locator("#undo").click()
    arrive(page, "#steps code", state="detached")


def test_a_tree_is_made_by_keys_alone_and_by_dragging(page):
    """N, S, E and W: two are put below a new node by keys, one by the mouse; one is left out, and marked."""
    column(page, "region")
    page.locator("#begin").press("Enter")
    page.locator("#tree [role=treeitem]").first.focus()
    page.keyboard.press("n")
    page.keyboard.type("upper half")
    page.keyboard.press("Enter")
    assert names(page)[:2] == ["*", "upper half"]
    # The next value is carried below the node before it.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Alt+ArrowRight")
    # Another one is cut and pasted.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+x")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Control+v")
    assert page.locator("#tree [aria-level='3']").count() == 2
    # The third by mouse.
    node = page.locator("#tree .label", has_text="upper half")
    page.locator("#tree [aria-level='2'] > .row .label").nth(1).drag_to(node)
    assert page.locator("#tree [aria-level='3']").count() == 3
    # The last one is removed: it is missing, and said to be.
    page.locator("#tree [aria-level='2'] > .row .label").nth(1).click()
    page.keyboard.press("Delete")
    assert page.locator("#n-missing").inner_text() == "1"
    page.locator("#pool").focus()
    page.keyboard.press("Space")
    page.locator("#put").click()
    assert page.locator("#n-missing").is_hidden()
    page.locator("#save-tree").click()
    arrive(page, "#column[data-kind=hierarchy]", state="attached")
    page.locator("#tree [aria-level='3']").nth(2).wait_for()
    assert sorted(names(page)) == ["*", "E", "N", "S", "W", "upper half"]


def test_tables_sort_and_the_release_is_confirmed_by_keys_and_verified(page, folder):
    go(page, "exposure")
    heading = page.locator("#without thead button").last
    heading.press("Enter")
    assert page.locator("#without th[aria-sort]").get_attribute("aria-sort") == "descending"
    go(page, "compare")
    assert page.locator("#columns tbody tr").count() == 3
    go(page, "release")
    page.fill("#name", "published")
    page.locator("#make button").press("Enter")
    arrive(page, "#publish")
    write = page.locator("#target button")
    boxes = page.locator(".confirm")
    for number in range(boxes.count()):
        assert write.is_disabled()
        boxes.nth(number).press("Space")
        page.locator(f"#made[data-left='{boxes.count() - number - 1}']").wait_for(state="attached")
    write.press("Enter")
    page.locator("#news", has_text="Published").wait_for()
    assert ma.verify(folder / "published.csv", folder / "published.report.json").holds


@pytest.mark.parametrize("path", ["recode", "recode?column=1", "recode?column=3", "exposure", "compare", "release"])
def test_pages_fit_a_phone_in_the_dark(page, path):
    """No scrolling sideways; where axe is at hand, no serious fault that it knows of either."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    go(page, path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if find_spec("axe_core_python") is None:
        return
    from axe_core_python.base import AXE_SCRIPT

    page.evaluate(AXE_SCRIPT)
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [fault["id"] for fault in found if fault["impact"] in ("serious", "critical")] == []
