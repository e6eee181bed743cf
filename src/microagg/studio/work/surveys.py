"""Do what the release of a closed survey needs: the job behind its page."""

from __future__ import annotations

from microagg.studio.worker import JobTask
from microagg.survey import Survey


def finish(task: JobTask, url: str, name: str) -> None:
    """Do the stages of a closed survey to their end; waits where a service is at them."""
    with Survey.open(url, name) as survey:
        survey.run(task)
