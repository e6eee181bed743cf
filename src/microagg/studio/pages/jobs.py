"""What pages ask in the background: how jobs stand; and what they say: cancel, pause, go on."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from microagg.studio.guard import say
from microagg.studio.house import Here, Opened

router = APIRouter(prefix="/projects/{project_id}")


@dataclass
class Which:
    """A job, and what shall become of it; "*" for all of a kind."""

    job: str
    do: str


@router.get("/jobs")
def jobs(project: Opened, studio: Here) -> Response:
    """Say how the jobs of a project stand, and which revision of the project is the present one."""
    return JSONResponse({"revision": project.revision, "jobs": [job.told for job in studio.jobs.of(project.id)]})


@router.post("/jobs")
def steer(which: Which, project: Opened, studio: Here) -> Response:
    """Cancel a job, let it stand still, or let it go on."""
    acts = {"cancel": studio.jobs.cancel, "pause": studio.jobs.pause, "resume": studio.jobs.resume}
    if which.do not in acts:
        return say("Jobs can be cancelled, paused and resumed.", 422)
    chosen = studio.jobs.of(project.id)
    for job in chosen:
        if which.job in (job.id, f"*{job.kind}"):
            acts[which.do](job.id)
    return JSONResponse({"jobs": [job.told for job in studio.jobs.of(project.id)]})
