"""The studio in a real browser: by mouse, by keys alone, in two tabs, killed and gone on with, wide, hostile, small."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import numpy as np
import pytest
from houses import Program, arrive, wait_for, write_people

import microagg as ma

NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)",
    "\u202egnp.exe",
    "x" * 300,
]
MANY = 1_000_000
SLOW = 1500
"""Records that take a search long enough to be cancelled."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_people(folder / "people.csv")
    write_people(folder / "nasty.csv", more=NASTY)
    rng = np.random.default_rng(1)
    with (folder / "wide.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"question_{i:03d}" for i in range(500)])
        writer.writerows(rng.integers(0, 50, (60, 500)).tolist())
    with (folder / "slow.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{i}" for i in range(6)])
        writer.writerows(rng.normal(size=(SLOW, 6)).round(4).tolist())
    return folder


@pytest.fixture(scope="module")
def program(files, tmp_path_factory):
    made = Program(projects=tmp_path_factory.mktemp("projects"), folder=files)
    yield made
    code, said = made.stop()
    assert (code, said) == (0, ""), "Ctrl-C ends it, and nothing went wrong on the way"


class Visit:
    """A tab that has entered, with all that went wrong in it."""

    def __init__(self, browser, address, **options):
        self.context = browser.new_context(viewport={"width": 1180, "height": 900}, **options)
        self.wrong = []
        self.page = self.new_tab()
        self.page.goto(address)
        arrive(self.page, "#open")
        self.home = self.page.url

    def new_tab(self):
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: self.wrong.append(message.text))
        page.on("dialog", lambda dialog: self.wrong.append(dialog.message))
        page.on("request", lambda request: self._check(request.url))
        return page

    def _check(self, url):
        if not url.startswith(("http://127.0.0.1:", "data:")):
            self.wrong.append(url)

    def open(self, path):
        self.page.goto(self.home)
        self.page.fill("#path", str(path))
        self.page.press("#path", "Enter")
        arrive(self.page, ".preview")

    def go(self, name):
        self.page.locator("nav.steps a", has_text=name).click()
        self.page.wait_for_url(f"**/{name.lower()}")

    def accept(self):
        self.go("Columns")
        self.page.locator("#accept").click()
        self.page.locator("#accept").wait_for(state="hidden")

    def close(self):
        # Whoever has no key yet is shown the door with status 401, which a browser notes.
        wrong = [text for text in self.wrong if "401" not in text]
        self.context.close()
        assert wrong == []


@pytest.fixture
def visit(browser, program):
    made = Visit(browser, program.address)
    yield made
    made.close()


def test_the_way_by_mouse(visit, files):
    """From a file to a release that its certificate holds for; then back by undo."""
    page = visit.page
    page.locator("#path").click()
    page.locator("#choices li", has_text=files.name).click()
    page.locator("#choices li", has_text="people.csv").click()
    arrive(page, ".preview")
    page.locator("text=Decide on the columns").click()
    assert page.locator("tr.undecided").count() == 5
    assert "5 to decide" in page.locator("nav.steps").inner_text()
    page.locator("tr", has_text="region").locator(".role").select_option("keep")
    page.locator("#accept").click()
    page.locator("#accept").wait_for(state="hidden")
    assert page.locator("tr", has_text="region").locator(".role").input_value() == "keep", "what was decided stays"
    visit.go("Candidates")
    page.fill("#ks", "3, 8")
    for name in ("auto", "mdav"):
        page.locator(f"input[value={name}]").set_checked(name == "mdav")
    page.locator("input[value=vmdav]").set_checked(True)
    page.locator("#start").click()
    page.locator("#rows tr").nth(3).wait_for()
    assert page.locator("#map [data-key]").count() == 4
    page.locator("#running").wait_for(state="hidden")
    page.locator("#map .knob.risk").scroll_into_view_if_needed()
    grip = page.locator("#map .knob.risk").bounding_box()
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 240, y, steps=4)
    page.mouse.up()
    page.locator("#rows tr.chosen").wait_for()
    assert 8 < float(page.locator("#limit-risk").input_value()) < 33
    assert "k = 8" in page.locator("#rows tr.chosen th").inner_text()
    assert "Within the limits" in page.locator("#verdict").inner_text()
    page.locator("#rows tr.chosen button").click()
    page.locator("#rows tr.chosen .badge").wait_for()
    visit.go("Release")
    page.fill("#name", "by-mouse")
    page.locator("#make button").click()
    arrive(page, "#publish")
    for box in page.locator(".confirm").all():
        box.check()
    page.locator("#target button:not([disabled])").click()
    page.locator("#news", has_text="Published").wait_for()
    assert ma.verify(files / "by-mouse.csv", files / "by-mouse.report.json").holds
    visit.go("History")
    assert "k = 8" in page.locator("[aria-current=step]").inner_text()
    page.locator("#undo").click()
    page.locator(".undone").wait_for()
    assert "Chose" not in page.locator("[aria-current=step]").inner_text()


def tab_to(page, selector):
    """Press Tab until something has the focus, as somebody without a mouse does."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached by Tab")


def slowly(route):
    """Answer later, as a busy machine does, so that a test that hurries fails here and not only there."""
    time.sleep(0.2)
    route.continue_()


def test_the_way_by_keys_alone(visit, files):
    page = visit.page
    page.route("**/static/*.js", slowly)
    page.route("**/complete", slowly)
    tab_to(page, "#path")
    page.keyboard.type(f"{files}/peo")
    page.locator("#choices li", has_text="people.csv").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    arrive(page, ".preview")
    tab_to(page, "main a.button")
    page.keyboard.press("Enter")
    arrive(page, "#table")
    page.keyboard.press("/")
    page.keyboard.type("age")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("q")
    page.locator("tr[data-at='1'][data-role=quasi]").wait_for()
    page.keyboard.press("/")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("x")
    page.locator("tr[data-at='0'][data-role=identifiers]").wait_for()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("q")
    page.locator("tr[data-at='3'][data-role=quasi]").wait_for()
    assert page.locator("tr[data-role=quasi]").count() == 3, "both that were chosen"
    page.locator("#many").wait_for()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("c")
    page.locator("#accept").wait_for(state="hidden")
    page.keyboard.press("Control+z")
    page.locator("tr.undecided").wait_for()
    arrive(page, "#redo:not([disabled])")
    page.keyboard.press("Control+Shift+z")
    arrive(page, "#redo[disabled]")
    tab_to(page, "nav.steps a[href$=candidates]")
    page.keyboard.press("Enter")
    arrive(page, "#try")
    tab_to(page, "#ks")
    page.keyboard.press("Control+a")
    page.keyboard.type("4")
    tab_to(page, "#start")
    page.keyboard.press("Enter")
    page.locator("#rows tr").nth(0).wait_for()
    page.locator("#running").wait_for(state="hidden")
    tab_to(page, "#limit-risk")
    page.keyboard.type("30")
    page.keyboard.press("Tab")
    page.locator("#rows tr.chosen").wait_for()
    tab_to(page, "#rows button")
    page.keyboard.press("Enter")
    page.locator("#rows .badge").wait_for()
    tab_to(page, "nav.steps a[href$=release]")
    page.keyboard.press("Enter")
    arrive(page, "#make")
    tab_to(page, "#name")
    page.keyboard.press("Control+a")
    page.keyboard.type("by-keys")
    page.keyboard.press("Enter")
    arrive(page, "#publish")
    for left in range(page.locator(".confirm").count(), 0, -1):
        page.locator(f"#made[data-left='{left}']").wait_for(state="attached")
        tab_to(page, ".confirm:not(:checked)")
        page.keyboard.press("Space")
    page.locator("#target button:not([disabled])").wait_for()
    tab_to(page, "#target button")
    page.keyboard.press("Enter")
    page.locator("#news", has_text="Published").wait_for()
    assert ma.verify(files / "by-keys.csv", files / "by-keys.report.json").holds


def test_cancel_and_pause_at_any_moment(visit, program, files):
    page = visit.page
    visit.open(files / "slow.csv")
    visit.accept()
    visit.go("Candidates")
    page.fill("#ks", "3, 4")
    page.locator("#effort").select_option("longest")
    for name in ("auto", "mdav", "vmdav"):
        page.locator(f"input[value={name}]").set_checked(False)
    page.locator("input[value=best]").set_checked(True)
    page.locator("#start").click()
    running = page.locator("#jobs tr[data-state=running]")
    running.first.wait_for()
    wait_for(lambda: "%" in running.first.inner_text())
    running.first.locator("text=Pause").click()
    page.locator("#jobs tr[data-state=paused]").wait_for()
    visit.go("History")
    visit.go("Candidates")
    page.locator("#jobs tr[data-state=paused] >> text=Go on").click()
    page.locator("#cancel-all").click()
    page.locator("#running").wait_for(state="hidden")
    assert page.locator("#rows tr").count() == 0
    wait_for(lambda: len(workers_of(program)) == 1), "only the spare process is left"
    assert "could not be made" not in page.locator("main").inner_text()


def workers_of(program):
    """Give the processes that a studio has started."""
    own = program.process.pid
    return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdecimal() and _parent(p) == own]


def _parent(process):
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def test_two_tabs_do_not_fight(visit, files):
    page = visit.page
    visit.open(files / "people.csv")
    visit.go("Columns")
    other = visit.new_tab()
    other.goto(page.url)
    other.locator("tr", has_text="height").locator(".role").select_option("identifiers")
    other.locator("tr[data-role=identifiers]").wait_for()
    page.locator("tr", has_text="height").locator(".role").select_option("quasi")
    arrive(page, "#news.bad")
    assert "another tab" in page.locator("#news").inner_text()
    assert page.locator("tr", has_text="height").locator(".role").input_value() == "identifiers", "what stands is shown"
    page.locator("tr", has_text="height").locator(".role").select_option("quasi")
    page.locator("tr[data-role=quasi]").wait_for()
    visit.wrong = [text for text in visit.wrong if "409" not in text]


def test_500_columns(visit, files):
    page = visit.page
    visit.open(files / "wide.csv")
    visit.go("Columns")
    assert page.locator("#table tbody tr").count() == 500
    page.fill("#search", "question_49")
    assert page.locator("#table tbody tr:visible").count() == 10
    page.locator("#all").check()
    page.locator("#many-role").select_option("confidential")
    page.locator("tr[data-role=confidential]").nth(9).wait_for()
    page.fill("#search", "")
    page.locator("#accept").click()
    page.locator("#accept").wait_for(state="hidden")
    assert "500" in page.locator("div.bar").inner_text()
    page.locator("#filter").select_option("confidential")
    assert page.locator("#table tbody tr:visible").count() == 10


def test_a_million_records(visit, program, files):
    """All records are looked at in the background: every page answers meanwhile, and what runs can be cancelled."""
    rng = np.random.default_rng(2)
    many = files / "many.csv"
    columns = [rng.integers(low, high, MANY) for low, high in ((0, 100), (0, 20_000), (1, 40))]
    np.savetxt(many, np.column_stack(columns), fmt="%d", delimiter=",", header="age,income,region", comments="")
    page = visit.page
    visit.open(many)
    visit.accept()
    visit.go("Candidates")
    for name in ("auto", "vmdav"):
        page.locator(f"input[value={name}]").set_checked(False)
    page.locator("input[value=mdav]").set_checked(True)
    page.locator("#start").click()
    page.locator("#jobs tr[data-state=running]").first.wait_for()
    for name in ("Data", "Columns", "History", "Candidates"):
        visit.go(name)
    assert "1,000,000" in page.locator("body").inner_text()
    page.locator("#cancel-all").click()
    page.locator("#running").wait_for(state="hidden")
    wait_for(lambda: len(workers_of(program)) == 1)
    many.unlink()


def test_hostile_names(visit, files):
    """Names of columns that are code are shown as what they are; `Visit` notes dialogs, errors and foreign requests."""
    page = visit.page
    visit.open(files / "nasty.csv")
    visit.accept()
    shown = page.locator(".columns .name").all_inner_texts()
    assert "<script>alert(1)</script>" in shown
    for name in ("Data", "Candidates", "History"):
        visit.go(name)
    assert page.evaluate("document.querySelectorAll('main img, main script:not([type])').length") == 0


def test_every_page_in_both_themes_on_a_phone_and_for_everybody(visit, files):
    """No scrolling sideways, and no serious fault that axe knows of: names, contrast, order, focus."""
    axe = pytest.importorskip("axe_core_python.base", reason="axe-core-python is not installed").AXE_SCRIPT
    page = visit.page
    visit.open(files / "people.csv")
    visit.accept()
    visit.go("Candidates")
    page.fill("#ks", "3")
    page.locator("input[value=auto]").set_checked(False)
    page.locator("#start").click()
    page.locator("#rows tr").first.wait_for()
    page.locator("#running").wait_for(state="hidden")
    faults = {}
    pages = [
        visit.home,
        *(page.url.replace("candidates", name) for name in ("data", "columns", "candidates", "history")),
    ]
    for address in pages:
        page.goto(address)
        page.locator("[data-wait]").wait_for(state="detached")
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.evaluate(axe)
            found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
            for fault in found["violations"]:
                if fault["impact"] in ("serious", "critical"):
                    where = [node["html"][:160] for node in fault["nodes"][:3]]
                    faults[address.rpartition("/")[2], theme, fault["id"]] = where
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == 390, address
        page.set_viewport_size({"width": 1180, "height": 900})
    assert faults == {}


def test_a_killed_studio_loses_nothing_but_what_ran(browser, files, tmp_path):
    """Decisions and candidates are there when it is started again; the page that is open says what happened."""
    program = Program(files / "people.csv", projects=tmp_path / "projects", folder=files)
    page = browser.new_page()
    page.goto(program.address)
    arrive(page, ".preview")
    page.goto(page.url.replace("data", "columns"))
    page.locator("#accept").click()
    page.locator("#accept").wait_for(state="hidden")
    page.goto(page.url.replace("columns", "candidates"))
    page.fill("#ks", "3")
    page.locator("input[value=auto]").set_checked(False)
    page.locator("#start").click()
    page.locator("#rows tr").first.wait_for()
    program.kill()
    page.locator("#start").click()
    page.locator("#news.bad", has_text="does not answer").wait_for()
    page.close()
    again = Program(projects=tmp_path / "projects", folder=files)
    page = browser.new_page()
    page.goto(again.address)
    page.locator("[data-open='people.toml']").click()
    arrive(page, ".preview")
    page.goto(page.url.replace("data", "columns"))
    assert page.locator("tr.undecided").count() == 0
    assert page.locator("#undo:not([disabled])").count() == 1
    page.goto(page.url.replace("columns", "candidates"))
    page.locator("#rows tr").first.wait_for()
    page.close()
    assert again.stop() == (0, "")
