"""Make a candidate release and measure it: nothing is written, and only numbers leave the process."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from microagg.compare.run import outcome_of
from microagg.flow import release_table
from microagg.plan.plan import Plan
from microagg.studio.source import DataSource
from microagg.studio.worker import JobTask

READ = 0.05
"""How far reading the data takes the progress."""


def make(task: JobTask, source: DataSource, plan: Plan, wanted: Collection[str], threads: int) -> dict[str, Any]:
    """Make a candidate; gives its method, losses, risks and sizes."""
    table = source.read(plan)
    task(READ)
    release = release_table(table, plan, threads=threads, progress=task)
    task(1.0)
    return outcome_of(release, set(wanted))
