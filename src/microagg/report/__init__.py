"""The report: HTML pages that need nothing else, neither network nor scripts.

facts -> figures (NumPy) -> charts (SVG) -> page (template.html)
"""

from microagg.report.comparison import render_comparison
from microagg.report.facts import Facts, WholeFacts
from microagg.report.figures import Moments
from microagg.report.page import render

__all__ = ["Facts", "Moments", "WholeFacts", "render", "render_comparison"]
