"""The page: whole and safe as text, and in a real browser as people see it."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest
from answers import assert_released, records, small
from html_page import Page

from microagg.survey import Survey
from microagg.survey.page import interface_page, survey_page

TOKEN = "operator-" + "x" * 20

CONTRAST = """element => {
  const numbers = (colour) => colour.match(/[0-9.]+/g).map(Number);
  const light = (colour) => {
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = numbers(colour).slice(0, 3).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let behind = element;
  while (numbers(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const [a, b] = [light(getComputedStyle(element).color), light(getComputedStyle(behind).backgroundColor)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""
"""The contrast of an element's words, as WCAG defines it; 4.5 is enough, 3 for a button that cannot be used."""


def test_the_page_is_closed_in_itself():
    page = survey_page()
    read = Page(page.text)
    links = [value for name, value in read.attributes if name in ("href", "src", "action")]
    assert set(links) == {"data:,", "docs"}
    assert not [name for name, _ in read.attributes if name.startswith("on") or name == "style"]
    assert len(read.ids) == len(set(read.ids))
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page.text)
    for word in ("eval(", "innerHTML", "document.write", "insertAdjacentHTML", "{{"):
        assert word not in page.text


def test_all_that_a_screen_reader_needs_is_named():
    read = Page(survey_page().text)
    pointers = ("aria-labelledby", "aria-describedby", "for")
    named = {key for name, value in read.attributes if name in pointers for key in value.split()}
    assert named <= set(read.ids)
    assert ("role", "status") in read.attributes
    assert ("lang", "en") in read.attributes


def test_every_element_that_the_script_wants_is_there():
    page = survey_page()
    wanted = set(re.findall(r'get\("([a-z-]+)"\)', page.text))
    assert wanted
    assert wanted <= set(Page(page.text).ids)


@pytest.mark.parametrize("tag", ["style", "script"])
def test_the_policy_lets_exactly_this_style_and_script_run(tag):
    page = survey_page()
    (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    assert f"{tag}-src 'sha256-{digest}'" in page.policy
    assert "unsafe" not in page.policy


def test_the_interface_page_escapes():
    nasty = "<script>alert(1)</script>"
    response = {"description": nasty, "content": {nasty: {"schema": {"properties": {nasty: {}}}}}}
    operation = {"operationId": nasty, "summary": nasty, "description": nasty, "responses": {"200": response}}
    document = {
        "info": {"title": nasty, "version": "1", "description": nasty},
        "paths": {"/x": {"get": operation}},
    }
    assert "script" not in Page(interface_page(document).text).tags


# ---- in a browser


@pytest.fixture
def running(tmp_path):
    pytest.importorskip("uvicorn", reason="FastAPI and uvicorn are not installed")
    from running import Running

    from microagg.survey.service import create_app

    url = str(tmp_path / "surveys.db")
    Survey.create(url, small()).disconnect()
    with Running(create_app(url, TOKEN, schedule=False), TOKEN) as running:
        running.url = url
        yield running


@pytest.fixture
def visit(browser, running):
    """A page that may speak to the service alone; `troubles` has whatever goes wrong in it."""
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(30_000)
    page = context.new_page()
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    ours = (running.address, "blob:", "data:")
    page.on("request", lambda asked: None if asked.url.startswith(ours) else troubles.append(asked.url))
    page.troubles = troubles
    yield page
    context.close()


def test_from_the_first_answer_to_the_download(visit, running):
    from playwright.sync_api import expect

    page = visit
    page.goto(f"{running.address}/#token={TOKEN}")
    expect(page.locator("#state")).to_have_text("Open")
    assert TOKEN not in page.url, "the token does not stay in the address"
    assert page.locator("#door").is_hidden()
    expect(page.locator("#arrivals-text")).to_have_text("No answers yet.")

    running.client.post("/surveys/small/answers", json={"answers": records(30)})
    expect(page.locator("#received")).to_have_text("30")
    expect(page.locator("#arrivals svg")).to_have_attribute("aria-label", re.compile("^30 answers"))
    expect(page.get_by_role("button", name="Download the release")).to_be_disabled()

    page.get_by_role("button", name="Close the survey").click()
    dialog = page.get_by_role("dialog", name="Close the survey?")
    expect(dialog).to_contain_text("30 answers")
    dialog.get_by_role("button", name="Keep it open").click()
    expect(dialog).to_be_hidden()
    assert running.client.get("/surveys/small/status").json()["state"] == "open"
    page.get_by_role("button", name="Close the survey").click()
    dialog.get_by_role("button", name="Close it now").click()
    expect(page.locator("#state")).to_have_text("Grouping")
    expect(page.get_by_role("button", name="Close the survey")).to_be_disabled()

    with Survey.open(running.url, "small") as survey:
        survey.run()
    button = page.get_by_role("button", name="Download the release")
    expect(button).to_be_enabled()
    with page.expect_download() as download:
        button.click()
    assert download.value.suggested_filename == "small.csv"
    assert_released(Path(download.value.path()).read_bytes(), range(30))
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the report").click()
    assert download.value.suggested_filename == "small.html"
    expect(page.locator("#state")).to_have_text("Released")
    expect(page.locator("#stage-rows tr")).to_have_count(2)
    assert page.troubles == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_what_is_behind_them(visit, running, theme):
    from playwright.sync_api import expect

    page = visit
    page.emulate_media(color_scheme=theme)
    page.goto(f"{running.address}/#token={TOKEN}")
    expect(page.locator("#state")).to_have_text("Open")
    for selector in ("h1", "h2", "#state", ".intro", "#close", "#stage-rows .badge", "thead th", "#release"):
        assert page.locator(selector).first.evaluate(CONTRAST) >= (3.0 if selector == "#release" else 4.5), selector


def test_the_door(visit, running):
    from playwright.sync_api import expect

    page = visit
    page.goto(running.address)
    expect(page.get_by_label("Token of this service")).to_be_focused()
    page.get_by_label("Token of this service").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("not the one of the service")
    page.get_by_label("Token of this service").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_have_text("Open")
    page.reload()
    expect(page.locator("#state")).to_have_text("Open")
    refused = [trouble for trouble in page.troubles if "401" not in trouble]
    assert refused == []


def test_a_phone_needs_no_sideways_scrolling(visit, running):
    from playwright.sync_api import expect

    page = visit
    page.set_viewport_size({"width": 360, "height": 740})
    running.client.post("/surveys/small/answers", json={"answers": records(30)})
    page.goto(f"{running.address}/#token={TOKEN}")
    expect(page.locator("#received")).to_have_text("30")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    buttons = page.locator("button:visible").all()
    assert all(button.bounding_box()["height"] >= 44 for button in buttons)


def test_a_service_that_stops_answering_is_told(visit, running):
    from playwright.sync_api import expect

    page = visit
    page.goto(f"{running.address}/#token={TOKEN}")
    expect(page.locator("#state")).to_have_text("Open")
    page.route("**/surveys", lambda route: route.abort())
    expect(page.get_by_role("status")).to_contain_text("does not answer")
    page.unroute("**/surveys")
    expect(page.get_by_role("status")).to_have_text("")
