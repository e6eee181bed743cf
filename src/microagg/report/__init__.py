"""The report: HTML pages that need nothing else, neither network nor scripts, and their JSON twins.

facts -> gate -> document (every number) -> page (template.html) or JSON; CHARTS hold the numbers and drawings of each
"""

from microagg.report.build import build
from microagg.report.card import render_card
from microagg.report.cautions import name_groups
from microagg.report.chart import Chart, Plot
from microagg.report.charts import CHARTS
from microagg.report.charts.timeline import draw_timeline, render_timeline
from microagg.report.comparison import render_comparison
from microagg.report.document import Document
from microagg.report.exposure import ExposureDocument, build_exposure, render_exposure
from microagg.report.facts import Caution, Facts, Source, WholeFacts
from microagg.report.moments import Moments
from microagg.report.page import render
from microagg.report.plain import plain, to_json
from microagg.report.plots import draw

__all__ = [
    "CHARTS",
    "Caution",
    "Chart",
    "Document",
    "ExposureDocument",
    "Facts",
    "Moments",
    "Plot",
    "Source",
    "WholeFacts",
    "build",
    "build_exposure",
    "draw",
    "draw_timeline",
    "name_groups",
    "plain",
    "render",
    "render_card",
    "render_comparison",
    "render_exposure",
    "render_timeline",
    "to_json",
]
