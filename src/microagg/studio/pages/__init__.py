"""The pages of the studio, in the order of the work; each is one file with a router, and a template.

A new page costs its file, its template, and one line here.
"""

from __future__ import annotations

from microagg.studio.pages import (
    candidates,
    columns,
    compare,
    data,
    door,
    exposure,
    history,
    jobs,
    recode,
    release,
    start,
    surveys,
)
from microagg.studio.pages.page import StudioPage

PAGES: tuple[StudioPage, ...] = (
    *(data.PAGE, columns.PAGE, recode.PAGE, exposure.PAGE, candidates.PAGE),
    *(compare.PAGE, release.PAGE, history.PAGE),
)
"""The pages of a project, as the navigation shows them."""

ROUTERS = (door.router, start.router, jobs.router, surveys.router)
"""What is no page of a project: the door, the first page, surveys, what pages ask in the background."""

__all__ = ["PAGES", "ROUTERS", "StudioPage"]
