"""The pages in a real browser: no errors, nothing fetched, both themes, and no scrolling sideways on a phone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microagg as ma

LONG = "a column whose name is far too long for any telephone, " * 4


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 400),
            LONG: rng.lognormal(8, 1, 400),
            "pay": rng.normal(size=400),
            "job": rng.choice(["clerk", "nurse " + "x" * 80], 400),
            "ill": rng.choice(["flu", "gout"], 400),
        }
    )
    roles = {"quasi": ["age", LONG, "pay", "job"], "confidential": ["ill"]}
    ma.anonymize(frame, k=5, **roles).report(folder / "release.html", title=LONG)
    ma.anonymize(frame, k=5, **roles).report(folder / "details.html", details=True)
    ma.assess(frame, **roles).report(folder / "exposure.html", title=LONG)
    return folder


@pytest.mark.parametrize("name", ["release", "details", "exposure"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_in_a_browser(browser, pages, name, theme):
    page = browser.new_page(color_scheme=theme, viewport={"width": 390, "height": 844})
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    address = (pages / f"{name}.html").as_uri()
    page.goto(address)
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [address]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    paper, ink = page.evaluate("(s => [s.backgroundColor, s.color])(getComputedStyle(document.body))")
    dark_paper = sum(map(int, paper[4:-1].split(","))) < sum(map(int, ink[4:-1].split(",")))
    assert dark_paper == (theme == "dark")
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") == 390, "also with every table open"
    page.set_viewport_size({"width": 1180, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 1180
    page.close()


def test_text_stands_out_from_its_ground(browser, pages):
    """Contrast of at least 4.5 to 1 for what is read, in both themes."""
    for theme in ("light", "dark"):
        page = browser.new_page(color_scheme=theme)
        page.goto((pages / "release.html").as_uri())
        colours = page.evaluate(
            """['.intro', '.meaning', '.note', 'h2', 'nav a', '.limit', '#warnings li'].map(s => {
                const e = document.querySelector(s);
                if (!e) return null;
                let g = e;
                while (getComputedStyle(g).backgroundColor === 'rgba(0, 0, 0, 0)') g = g.parentElement;
                return [s, getComputedStyle(e).color, getComputedStyle(g).backgroundColor];
            }).filter(found => found)"""
        )
        assert len(colours) >= 6
        for selector, ink, paper in colours:
            assert _contrast(ink, paper) >= 4.5, (theme, selector)
        page.close()


def _contrast(one, other):
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour):
    channels = np.array([float(part) for part in colour[4:-1].split(",")[:3]]) / 255
    linear = np.where(channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
