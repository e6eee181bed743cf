"""The pages of the docs with the papers' numbers, made of the results file and of what experiments say."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from microagg.files.atomic import atomic_path
from microagg.reproduce.agreement import by_reason, disagreements, printed_tables
from microagg.reproduce.comparison import ResultTable
from microagg.reproduce.deviations import deviations
from microagg.reproduce.experiment import Experiment
from microagg.reproduce.results import ExperimentResult, Results, read_results, write_results
from microagg.reproduce.tables import to_markdown

RESULTS = "published.json"
WIDTH = 120
MADE = (
    "<!-- Made from published.json by `microagg reproduce all --docs docs`: change what experiments say, not this. -->"
)


@dataclass(frozen=True)
class DocsPage:
    """A page of the docs: its title, and what stands above the experiments."""

    title: str
    intro: tuple[str, ...]


PAGES = {
    "published": DocsPage(
        "Published numbers",
        (
            "What the papers print and what we get, from runs of `microagg reproduce`. A cell is **ours / printed**; "
            "ours is the mean over the seeds, ± their standard deviation. Bold cells lie outside what was printed, by "
            "the rule that each section names. The data are standardised (ddof = 1); EIA has 11 columns. The papers' "
            "GPS data (Barcelona, Madrid, Tarraco) could not be found; made-up trips stand in for them, under a name "
            "of their own. `microagg reproduce all` runs everything and makes a page of it, with all "
            "figures.",
        ),
    ),
    "published-categorical": DocsPage(
        "Published numbers: categories",
        (
            "Categories, with hierarchies out of WordNet. The folder that holds the records and the hierarchies is "
            "named in `MICROAGG_DATA`. A cell is **ours / printed**; bold cells lie outside what was printed, by the "
            "rule that each section names.",
        ),
    ),
}


def make_pages(results: Results, experiments: Mapping[str, Experiment[Any]]) -> dict[str, str]:
    """Make the pages, Markdown by file name."""
    pages = {}
    for page, words in PAGES.items():
        mine = {name: result for name, result in results.items() if experiments[name].page == page}
        parts = [f"# {words.title}", MADE, *map(_filled, words.intro), _overview(mine)]
        for name, result in mine.items():
            parts += _section(experiments[name], result)
        parts += _disagreements(mine, experiments)
        if page == "published":
            parts += _deviations(experiments)
        pages[f"{page}.md"] = "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"
    return pages


def publish(results: Results, experiments: Mapping[str, Experiment[Any]], folder: Path) -> list[Path]:
    """Put results into the results file of the docs, beside those of other experiments, and make the pages anew."""
    kept = {**read_results(folder / RESULTS), **results}
    kept = {name: kept[name] for name in experiments if name in kept}
    write_results(folder / RESULTS, kept)
    for name, text in make_pages(kept, experiments).items():
        with atomic_path(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return [folder / name for name in (RESULTS, *(f"{page}.md" for page in PAGES))]


def _overview(results: Results) -> str:
    headings = ("printed in", "what", "dataset", "numbers", "within 2%", "within 10%", "beyond")
    lines = [f"| {' | '.join(headings)} |", "|" + "---|" * len(headings)]
    for dataset, table in (part for whole in printed_tables(results) for part in whole.by_dataset):
        total, source = len(table.comparisons), f"{table.source} (`{table.experiment}`)"
        counts = (total, table.close, table.near, total - table.near)
        lines.append(f"| {source} | {table.measure} | {dataset} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def _section(experiment: Experiment[Any], result: ExperimentResult) -> list[str]:
    title = f"{experiment.title[0].upper()}{experiment.title[1:]}"
    parts = [
        f"## {title}",
        f"    {experiment.command(result.settings)}",
        _filled(f"{experiment.source}. Outside: {experiment.outside}."),
        *(_filled(f"Not all was run: {reason}") for reason in result.skipped),
        to_markdown(result.comparisons),
        *map(_filled, experiment.notes),
    ]
    for table in result.tables:
        parts += [_filled(f"{table.title}:"), _markdown(table)]
    return parts


def _disagreements(results: Results, experiments: Mapping[str, Experiment[Any]]) -> list[str]:
    parts = ["## What does not agree, and why", "Every number that is more than 2% off."]
    for reason, listed in by_reason(disagreements(results, experiments)).items():
        lines = [_item(f"{one.place}: {one.cells}") for one in listed]
        parts += [_filled(f"**{reason}**"), "\n".join(lines)]
    return parts


def _deviations(experiments: Mapping[str, Experiment[Any]]) -> list[str]:
    listed = [_item(f"**{who}**: {text}") for who, text in deviations(experiments)]
    return ["## Where we depart from the texts", "\n".join(listed)] if listed else []


def _markdown(table: ResultTable) -> str:
    lines = [f"| {' | '.join(table.headings)} |", "|" + "---|" * len(table.headings)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in table.rows)])


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _item(text: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
