"""Compare: a candidate beside the original, or beside another candidate; only what a report may tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from microagg.plan.plan import Plan
from microagg.report.chart import Chart
from microagg.report.charts import CHARTS
from microagg.report.document import Column, Document
from microagg.report.page import cards_of, measure_row
from microagg.report.words import day, measure, tidy
from microagg.studio.candidates import tried_plans
from microagg.studio.house import Here, Opened, Studio
from microagg.studio.jobs import Job
from microagg.studio.keyed import job_for
from microagg.studio.pages.page import StudioPage
from microagg.studio.project import Project
from microagg.studio.render import render
from microagg.studio.work.compared import MOST_ASSESSED, Compared

router = APIRouter(prefix="/projects/{project_id}/compare")
PAGE = StudioPage("compare", "Compare", router)
NOW, ORIGINAL = "now", ""
"""The plan that stands, and no other candidate beside the original."""
KEYS = ("a", "b")
MOST_ROWS = 400
"""How many columns the table holds."""


@dataclass
class CompareAgain:
    """That work which failed or was cancelled shall be done again."""

    candidate: str = NOW
    beside: str = ORIGINAL
    exact: bool = False


@router.get("")
def show(
    request: Request, project: Opened, studio: Here, candidate: str = NOW, beside: str = ORIGINAL, exact: bool = False
) -> Response:
    """Show two releases beside each other, or one beside the original."""
    plans = plans_of(project)
    chosen = [name for name in dict.fromkeys((candidate, beside)) if name in plans] or ([NOW] if NOW in plans else [])
    jobs = [_job(studio, project, plans[name][1], exact) for name in chosen]
    sides = [job.result for job in jobs if job is not None]
    found = [(plans[name][0], side) for name, side in zip(chosen, sides, strict=True)] if all(sides) else []
    return render(
        request,
        "compare.html",
        project,
        plans={name: title for name, (title, _) in plans.items()},
        chosen=chosen,
        jobs=[job for job in jobs if job is not None and job.result is None],
        exact=exact,
        found=found,
        **(_content(found) if found else {}),
    )


@router.post("")
def again(asked: CompareAgain, project: Opened, studio: Here) -> Response:
    """Compare once more, after that failed or was cancelled."""
    plans = plans_of(project)
    for name in dict.fromkeys((asked.candidate, asked.beside)):
        if name in plans:
            job = _job(studio, project, plans[name][1], asked.exact)
            if job is not None and job.is_over and job.result is None:
                _job(studio, project, plans[name][1], asked.exact, again=True)
    return JSONResponse({"message": "Comparing."})


def plans_of(project: Project) -> dict[str, tuple[str, Plan]]:
    """Give what can be compared: the plan that stands, and the candidates; by names that addresses can hold."""
    plans: dict[str, tuple[str, Plan]] = {}
    if project.is_decided:
        plans[NOW] = ("The plan that stands", project.plan)
        plans |= {tried.key: (tried.candidate.label, tried.plan) for tried in tried_plans(project)}
    return plans


def _job(studio: Studio, project: Project, plan: Plan, exact: bool, *, again: bool = False) -> Job | None:
    if not project.source.is_there:
        return None
    work = "microagg.studio.work.compared:compare"
    return job_for(studio, project, "compare", work, "Comparing with the original", plan, {"exact": exact}, again=again)


def _content(found: list[tuple[str, Compared]]) -> dict[str, Any]:
    """Work out what the template shows of one or two releases."""
    documents = [side.document for _, side in found]
    return {
        "tells_original": all(document.tells_original for document in documents),
        "least": max(document.least for document in documents),
        "n_records": int(documents[0].headline["records"] or 0),
        "most_assessed": MOST_ASSESSED,
        "cards": [cards_of(document) for document in documents],
        "measures": _measures(documents),
        "columns": _columns(documents)[:MOST_ROWS],
        "n_columns": len(_columns(documents)),
        "metrics": [title for _, title in _metrics(documents)],
        "distributions": _beside(documents, "distributions"),
        "correlations": [CHARTS["correlation"].draw(d, f"{key}-") for key, d in zip(KEYS, documents, strict=False)],
        "key": CHARTS["distributions"].key(documents[0]),
        "heat_key": CHARTS["correlation"].key(documents[0]),
    }


def _measures(documents: list[Document]) -> list[dict[str, Any]]:
    """Give the measures of all documents, each once: of the original, and of each release."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for place, document in enumerate(documents):
        for judged in (*document.risks, *document.losses):
            row = measure_row(judged)
            about = ", ".join(name for name, _ in row["columns"]) if len(row["columns"]) == 1 else ""
            known = rows.setdefault(
                (judged.measure.name, about),
                {
                    "title": row["title"],
                    "about": about,
                    "explanation": row["explanation"],
                    "before": row["before"],
                    "after": ["" for _ in documents],
                    "value": [None for _ in documents],
                    "better": "",
                },
            )
            known["after"][place] = row["after"]
            known["value"][place] = judged.measure.value
            known["sense"] = judged.measure.better
    for known in rows.values():
        values = known["value"]
        if len(values) == 2 and None not in values and values[0] != values[1] and known["sense"] in ("lower", "higher"):
            first = (values[0] < values[1]) == (known["sense"] == "lower")
            known["better"] = 0 if first else 1
    return list(rows.values())


def _metrics(documents: list[Document]) -> list[tuple[str, str]]:
    named = dict.fromkeys(metric for d in documents for column in d.columns for metric in column.losses)
    return [(metric, documents[0].title_of(metric)[0]) for metric in named if metric not in ("sse", "sst")]


def _columns(documents: list[Document]) -> list[dict[str, Any]]:
    """Give the columns, those first that lost most: kind, what each release lost, means and deviations."""
    metrics = _metrics(documents)
    by_name: list[Mapping[str, Column]] = [{column.name: column for column in d.columns} for d in documents]
    names = dict.fromkeys(name for columns in by_name for name in columns)
    rows = []
    for name in names:
        sides = [columns.get(name) for columns in by_name]
        known = next(column for column in sides if column is not None)
        losses = [[_loss(documents[i], column, metric) for i, column in enumerate(sides)] for metric, _ in metrics]
        rows.append(
            {
                "name": name,
                "kind": known.kind,
                "losses": losses,
                "moments": _moments(known, sides),
                "worst": max((part[0] for each in losses[:1] for part in each if part[0] is not None), default=-1.0),
            }
        )
    return sorted(rows, key=lambda row: -row["worst"])


def _loss(document: Document, column: Column | None, metric: str) -> tuple[float | None, str]:
    """Give what a column lost: the number to sort by, and how it is written."""
    if column is None or metric not in column.losses:
        return None, ""
    value = column.losses[metric]
    return value, measure(value, "percent" if document.unit(metric) == "percent" else "")


def _moments(known: Column, sides: list[Column | None]) -> list[list[str]]:
    """Give mean and standard deviation: before, and of each release."""
    if known.moments is None:
        return [["", *("" for _ in sides)] for _ in range(2)]
    write = day if known.is_date else tidy
    means = [
        known.moments.mean_before,
        *(None if c is None or c.moments is None else c.moments.mean_after for c in sides),
    ]
    widths = [
        known.moments.deviation_before,
        *(None if c is None or c.moments is None else c.moments.deviation_after for c in sides),
    ]
    return [["" if m is None else write(m) for m in means], ["" if w is None else tidy(w) for w in widths]]


def _beside(documents: list[Document], name: str) -> list[tuple[str, list[Chart | None]]]:
    """Give the drawings of a chart, those of the same column beside each other."""
    drawn = [
        {chart.heading: chart for chart in CHARTS[name].draw(document, f"{key}-")}
        for key, document in zip(KEYS, documents, strict=False)
    ]
    return [(heading, [side.get(heading) for side in drawn]) for heading in dict.fromkeys(h for d in drawn for h in d)]
