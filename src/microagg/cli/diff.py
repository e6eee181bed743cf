"""`microagg diff`: two releases of the same data, and what they tell together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from microagg.base.folding import folded
from microagg.cli.console import json_option, number, print_json, print_table, split_names, told
from microagg.cli.words import in_flags
from microagg.compare.diff import ColumnChange, Difference
from microagg.compare.diff import diff as compare_releases
from microagg.risk import RISKS
from microagg.utility import METRICS

TOGETHER_BELOW_K = 1
"""The exit code where both releases together break what each of them promises."""
MOST_ROWS = 20
"""How many columns are listed."""
_HOW = {
    "key": "the same key",
    "order": "the same order",
    "columns": "columns that are the same in both",
    "none": "nothing",
}

_file = click.Path(exists=True, dir_okay=False, readable=True)


@click.command(short_help="Compare two releases of the same data, and what they tell together.")
@click.argument("first", type=_file)
@click.argument("second", type=_file)
@click.option("--quasi", metavar="NAMES", help="Quasi-identifiers, strata included; as the plans say by default.")
@click.option("--confidential", metavar="NAMES", default="", help="Columns about which nothing must be learned.")
@click.option("--key", metavar="NAME", help="A column that tells records apart and is the same in both.")
@click.option("-k", "--k", "k", type=int, help="What is to hold; as the plans say by default.")
@json_option
@click.pass_context
def diff(
    context: click.Context,
    first: str,
    second: str,
    quasi: str | None,
    confidential: str,
    key: str | None,
    k: int | None,
    as_json: bool,
) -> None:
    """Compare two releases of the same data, and combine them as an intruder would.

    FIRST and SECOND are released files, plans that name their output (--save-plan), what anonymize --json printed, or
    reports in JSON.
    Somebody who holds both knows that a person is in a class of the one and in a class of the other: only records that
    are in both remain. The exit code is 1 where fewer than k remain for anybody.

    \b
    microagg diff one.toml other.toml
    microagg diff one.csv other.csv --quasi age,income --key id
    """
    difference = compare_releases(
        first, second, quasi=split_names(quasi) or None, confidential=split_names(confidential), key=key, k=k
    )
    if as_json:
        print_json(difference.published)
    else:
        _print(difference)
    if not difference.safe:
        context.exit(TOGETHER_BELOW_K)


def _choice(value: object) -> str:
    """Write a choice of a plan: lists and mappings in short."""
    if isinstance(value, Mapping):
        return folded([f"{name}={each}" for name, each in value.items()], "columns")
    return folded([str(each) for each in value]) if isinstance(value, tuple) else str(value)


def _print_columns(columns: Sequence[ColumnChange]) -> None:
    """Print how far the columns differ; of many, those that differ most."""
    shown = columns if len(columns) <= MOST_ROWS else sorted(columns, key=lambda change: -change.records)[:MOST_ROWS]
    print_table(
        ["Column", "records that differ", "mean difference"],
        [
            [change.name, number(change.records), "" if change.mean_change is None else number(change.mean_change)]
            for change in shown
        ],
    )
    if len(shown) < len(columns):
        same = sum(change.records == 0 for change in columns)
        click.echo(
            f"... and {len(columns) - len(shown):,} more columns; of all {len(columns):,}, {same:,} are the same."
        )


def _print(difference: Difference) -> None:
    by = f": {folded(difference.link)}" if difference.link else ""
    print_table(
        ["", "first", "second"],
        [
            ["release", *difference.names],
            ["records", *(number(count) for count in difference.records)],
            *[[name, *map(_choice, pair)] for name, pair in difference.choices.items()],
            *[
                [
                    METRICS[name].title.lower(),
                    *(told(loss[name]) if name in loss else "" for loss in difference.losses_told),
                ]
                for name in METRICS
                if any(name in loss for loss in difference.losses)
            ],
        ],
    )
    click.echo()
    if difference.linked:
        click.echo(f"{number(difference.linked)} records are in both, found by {_HOW[difference.alignment]}{by}.\n")
        _print_columns(difference.columns)
    else:
        click.echo("No record of one release was found in the other.")
    for position, names in zip(("first", "second"), difference.missing, strict=True):
        if names:
            click.echo(f"only in the {position}: {folded(names)}")
    click.echo()
    print_table(
        ["Risk", "first", "second", "both together"],
        [
            [measure.title, *(number(risks[name]) if name in risks else "" for risks in difference.risks)]
            for name, measure in RISKS.items()
        ],
    )
    click.echo()
    if difference.safe and difference.linked:
        click.echo(f"Both together, every record still hides among at least k = {difference.k}.")
    for warning in difference.warnings:
        click.echo(f"warning: {in_flags(warning)}", err=True)
