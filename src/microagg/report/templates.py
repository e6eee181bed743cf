"""From a template beside this file to a page; everything that comes from data is escaped."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from typing import TYPE_CHECKING, Any

from microagg.report.words import humanise, legible, measure, percent, shown, tidy

if TYPE_CHECKING:
    import jinja2


def fill(template: str, content: dict[str, Any]) -> str:
    """Fill a template of this package; the style sheet is put into the page."""
    return new_environment(read_part).get_template(template).render(content)


def new_environment(load: Callable[[str], str]) -> jinja2.Environment:
    """Give what fills the templates that `load` reads by their names."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(load),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: legible(value) if type(value) is str else value,
    )
    made.filters |= {"tidy": tidy, "measure": measure, "percent": percent, "shown": shown, "humanise": humanise}
    made.filters["drawing"] = jinja2.filters.do_mark_safe
    return made


def read_part(name: str) -> str:
    """Read a template or style sheet of this package."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
