"""Work for a plan: what tells it from other work, so that it is done once and never shown for another plan."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from microagg.plan.plan import CHOICES, Plan
from microagg.studio.house import Studio
from microagg.studio.jobs import Job
from microagg.studio.project import Project


def key_of(project: Project, plan: Plan, *more: Any) -> str:
    """Give a name that is the same only for the same data, the same plan and the same further choices."""
    source = project.source
    chosen = [(item.name, repr(getattr(plan, item.name))) for item in CHOICES]
    said = repr((source.path, source.sha256, sorted(source.reading.items()), chosen, more))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def job_for(
    studio: Studio,
    project: Project,
    kind: str,
    work: str,
    title: str,
    plan: Plan,
    arguments: Mapping[str, Any],
    *,
    again: bool = False,
) -> Job:
    """Give the job that does a piece of work for a plan, or start it; once more where that is asked for.

    Parameters
    ----------
    studio, project
        Whose work it is.
    kind, work, title : str
        As in `Jobs.once`.
    plan : Plan
        What it is about.
    arguments : mapping
        What the function is called with, beside the data ("source") and the plan.
    again : bool
        Do it even if it failed or was cancelled.
    """
    key = key_of(project, plan, sorted(arguments.items()))
    given = {"source": project.source, "plan": plan, **arguments}
    start = studio.jobs.start if again else studio.jobs.once
    return start(project.id, kind, key, work, given, title=title)
