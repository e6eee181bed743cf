"""The report: HTML pages that need nothing else, neither network nor scripts.

facts -> figures (NumPy) -> charts (SVG) -> page (template.html)
"""

from microagg.report.comparison import render_comparison
from microagg.report.facts import Facts, WholeFacts
from microagg.report.figures import Moments
from microagg.report.page import render
from microagg.report.timeline import draw_timeline, render_timeline

__all__ = ["Facts", "Moments", "WholeFacts", "draw_timeline", "render", "render_comparison", "render_timeline"]
