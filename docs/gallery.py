"""Draws the gallery: every chart and every method, from the registries that the program uses. `conf.py` calls it."""

from __future__ import annotations

import colorsys
import html
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import microagg as ma
from microagg.incremental import Arrivals
from microagg.incremental.simulation import simulate
from microagg.partition.method import Method
from microagg.report.charts import CHARTS
from microagg.report.charts.timeline import draw_timeline
from microagg.semantic import numeric

K = 4
WIDTH, HEIGHT, MARGIN = 260.0, 190.0, 14.0
WORDS = {
    "sizes": "How many groups there are of each size.",
    "risk": "The chance of finding a record, before and after.",
    "share": "How much of the variation was kept, and how much was lost.",
    "losses": "What each column lost.",
    "distributions": "Each column before and after.",
    "spread": "How much of its standard deviation each column kept.",
    "map": "Where records are dense: before and after, seen from the widest side.",
    "records": "Single records and the values that stand for them.",
    "correlation": "How columns hang together, before and after.",
}
SMALL = {"exact": 14}
"""Methods that look at everything: how many records they are given."""


def records(n: int = 60) -> np.ndarray:
    """Make up records with two numbers each, in a few heaps."""
    chance = np.random.default_rng(3)
    centres = chance.normal(size=(6, 2)) * 2
    X = centres[chance.integers(0, 6, n)] + chance.normal(size=(n, 2)) * 0.7
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def group(method: Method) -> tuple[np.ndarray, np.ndarray]:
    """Group the records with a method; one that groups each column gives the groups of the first."""
    X = records()[: SMALL.get(method.name)]
    if method.blanks:
        X = np.round(X)
    more = {"attributes": (numeric(), numeric())} if method.takes == "attributes" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = ma.partition(X, K, method=method.name, **method.repeatable, **more)
    return X, labels if labels.ndim == 1 else labels[:, 0]


def colour(number: int) -> str:
    """Give the colour of a group, far from those of the groups before it."""
    red, green, blue = colorsys.hls_to_rgb(number * 0.618034 % 1.0, 0.45, 0.65)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def dots(X: np.ndarray, labels: np.ndarray | None, left: float = 0.0) -> str:
    """Draw records, each joined to the value that stands for its group."""
    low, high = records().min(axis=0), records().max(axis=0)
    at = MARGIN + (X - low) / (high - low) * (np.array([WIDTH, HEIGHT]) - 2 * MARGIN) + np.array([left, 0.0])
    parts = []
    if labels is not None:
        for number in range(int(labels.max()) + 1):
            members = at[labels == number]
            x, y = members.mean(axis=0)
            parts += [f'<path d="M{px:.1f} {py:.1f}L{x:.1f} {y:.1f}" stroke="{colour(number)}"/>' for px, py in members]
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour(number)}"/>')
    for i, (x, y) in enumerate(at):
        fill = "#52606d" if labels is None else colour(int(labels[i]))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4" fill="{fill}"/>')
    return "".join(parts)


def drawing(width: float, height: float, title: str, body: str) -> str:
    """Wrap a drawing."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="system-ui, sans-serif">'
        f"<title>{html.escape(title)}</title>{body}</svg>\n"
    )


def draw_method(method: Method) -> str:
    """Draw the groups of a method."""
    X, labels = group(method)
    return drawing(WIDTH, HEIGHT, f"Groups of at least {K} by {method.title}", dots(X, labels))


def draw_front() -> str:
    """Draw what the package does: records, groups, and what is published."""
    X, labels = group(ma.METHODS["best"])
    means = np.array([X[labels == label].mean(axis=0) for label in labels])
    sizes = np.bincount(labels)[labels]
    step = WIDTH + 60
    low, high = records().min(axis=0), records().max(axis=0)
    at = MARGIN + (means - low) / (high - low) * (np.array([WIDTH, HEIGHT]) - 2 * MARGIN) + np.array([2 * step, 0.0])
    published = []
    for label in range(int(labels.max()) + 1):
        x, y = at[labels == label][0]
        size = int(sizes[labels == label][0])
        published.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="{colour(label)}"/>'
            f'<text x="{x:.1f}" y="{y + 3.6:.1f}" font-size="10.5" fill="#fff" text-anchor="middle">{size}</text>'
        )
    arrows = "".join(
        f'<path d="M{i * step - 46:.0f} {HEIGHT / 2:.0f}h26m-8 -7l9 7l-9 7" fill="none" stroke="#52606d" '
        'stroke-width="2"/>'
        for i in (1, 2)
    )
    body = dots(X, None) + dots(X, labels, step) + "".join(published) + arrows
    return drawing(2 * step + WIDTH, HEIGHT, "Records, groups, and what is published", body)


def figure(name: str, alt: str, caption: str) -> str:
    """Give a picture with words, for a page."""
    return f":::{{figure}} _generated/gallery/{name}.svg\n:alt: {alt}\n\n{caption}\n:::\n"


def write(folder: Path) -> None:
    """Draw everything into a folder, and the two parts of the page beside it."""
    pictures = folder / "gallery"
    pictures.mkdir(parents=True, exist_ok=True)
    (pictures / "front.svg").write_text(draw_front(), encoding="utf-8")
    methods = []
    for method in ma.METHODS.values():
        (pictures / f"method-{method.name}.svg").write_text(draw_method(method), encoding="utf-8")
        caption = f"**`{method.name}`** {method.title}: {method.summary}. *{method.reference}*"
        methods.append(figure(f"method-{method.name}", f"Groups by {method.title}", caption))
    (folder / "gallery-methods.md").write_text("\n".join(methods), encoding="utf-8")

    X = ma.datasets.census_like(500, seed=0)[:, :6]
    people = pd.DataFrame(np.abs(X).round(), columns=["weight", "income", "benefits", "tax", "total", "state_tax"])
    release = ma.anonymize(people, k=5)
    charts = []
    for name in CHARTS:
        release.plot(name, details=True).save(pictures / f"chart-{name}.svg")
        charts.append(figure(f"chart-{name}", WORDS.get(name, name), f"**`{name}`** {WORDS.get(name, '')}"))
    timeline = draw_timeline(
        simulate(ma.datasets.gaussian(400, 3, seed=0), 5, Arrivals.uniform(3600.0, 400), one_run=600.0), "400 answers"
    )
    (pictures / "chart-timeline.svg").write_text(timeline, encoding="utf-8")
    words = "Answers of a survey as they arrive, and when each schedule has a release: `microagg survey simulate`."
    charts.append(figure("chart-timeline", words, f"**timeline** {words}"))
    (folder / "gallery-charts.md").write_text("\n".join(charts), encoding="utf-8")
