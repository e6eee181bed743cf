"""What the studio knows of a page of a project."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fastapi import APIRouter

from microagg.studio.project import Project


@dataclass(frozen=True)
class StudioPage:
    """A page of a project.

    Attributes
    ----------
    name : str
        Its place: /projects/{project_id}/NAME.
    title : str
        What the navigation calls it.
    router : APIRouter
        What it answers; all paths begin with /projects/{project_id}/NAME.
    mark : callable, optional
        `mark(project)` gives a few words that the navigation shows beside it ("3 to decide"), or "".
    """

    name: str
    title: str
    router: APIRouter
    mark: Callable[[Project], str] | None = None
