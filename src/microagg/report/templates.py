"""From a template beside this file to a page; everything that comes from data is escaped."""

from __future__ import annotations

from importlib import resources
from typing import Any

from microagg.report.words import humanise, legible, measure, percent, shown, tidy


def fill(template: str, content: dict[str, Any]) -> str:
    """Fill a template of this package; the style sheet is put into the page."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(read_part),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: legible(value) if type(value) is str else value,
    )
    environment.filters |= {"tidy": tidy, "measure": measure, "percent": percent, "shown": shown, "humanise": humanise}
    environment.filters["drawing"] = jinja2.filters.do_mark_safe
    return environment.get_template(template).render(content)


def read_part(name: str) -> str:
    """Read a template or style sheet of this package."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
