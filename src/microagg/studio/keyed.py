"""Work for a plan: done once, and never shown for another plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microagg.plan.plan import Plan
from microagg.studio.candidates import key_of
from microagg.studio.house import Studio
from microagg.studio.jobs import Job
from microagg.studio.project import Project


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
    key = "-".join([key_of(project, plan), *(f"{name}={value}" for name, value in sorted(arguments.items()))])
    given = {"source": project.source, "plan": plan, **arguments}
    start = studio.jobs.start if again else studio.jobs.once
    return start(project.id, kind, key, work, given, title=title)
