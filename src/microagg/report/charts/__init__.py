"""CHARTS: what can be drawn of a release, one file each, in the order of the page.

The page, the plots of notebooks and the JSON twin go through this dictionary. `timeline` and `trade_off` draw other
things than one release: a survey, and candidates side by side.
"""

from microagg.report.charts import correlation, distributions, losses, map, records, risk, share, sizes, spread
from microagg.report.charts.kind import ReleaseChart

CHARTS: dict[str, ReleaseChart] = {
    chart.name: chart
    for chart in (
        sizes.CHART,
        risk.CHART,
        share.CHART,
        losses.CHART,
        distributions.CHART,
        spread.CHART,
        map.CHART,
        records.CHART,
        correlation.CHART,
    )
}
"""What can be drawn, by name."""
