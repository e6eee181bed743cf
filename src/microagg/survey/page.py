"""The pages of the service: one that shows a survey, one that explains the interface; whole, without foreign hosts."""

from __future__ import annotations

import base64
import functools
import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Page:
    """A page, and the policy that lets its own style and script run and nothing else."""

    text: str
    policy: str


@functools.cache
def survey_page() -> Page:
    """Give the page that shows surveys as they run.

    >>> page = survey_page()
    >>> page.text[:15], "unsafe" in page.policy
    ('<!doctype html>', False)
    """
    style, script = _style("page.css"), _read("page.js")
    text = _read("page.html").replace("{{style}}", style).replace("{{script}}", script)
    return Page(text, _policy(style, script))


def interface_page(document: dict[str, Any]) -> Page:
    """Give the page that explains an OpenAPI document: every path, what it takes, and what it answers.

    >>> document = {"info": {"title": "Survey", "version": "1", "description": "Takes answers."}, "paths": {}}
    >>> "Takes answers." in interface_page(document).text
    True
    """
    import jinja2

    style = _style("interface.css")
    # Most parts of such a document may be absent.
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["resolved"] = functools.partial(_resolved, document)
    template = environment.from_string(_read("interface.html"))
    operations = [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    return Page(template.render(style=style, info=document["info"], operations=operations), _policy(style))


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Follow a reference within the document."""
    if "$ref" not in schema:
        return schema
    part: Any = document
    for step in schema["$ref"].removeprefix("#/").split("/"):
        part = part[step]
    return dict(part)


def _style(own: str) -> str:
    """The look of the reports, and what the pages add to it."""
    return resources.files("microagg.report").joinpath("style.css").read_text(encoding="utf-8") + _read(own)


def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str | None = None) -> str:
    rules = ["default-src 'none'", f"style-src {_digest(style)}", "img-src data:"]
    if script is not None:
        rules += [f"script-src {_digest(script)}", "connect-src 'self'"]
    return "; ".join([*rules, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
