"""`microagg survey add`: answers from a file."""

from __future__ import annotations

import click

from microagg.base.folding import folded
from microagg.cli.console import drop_option, file_argument, json_option, print_json, progress_bar, split_names
from microagg.cli.survey.options import name_argument, store_option
from microagg.survey import Survey
from microagg.survey.files import read_answers


@click.command(short_help="Add the answers of a file.")
@name_argument
@file_argument
@store_option
@click.option(
    "--key-column",
    metavar="NAME",
    help="A column with a key for each answer; one that is there already counts no second time.",
)
@drop_option
@click.option("--ignore-surplus", is_flag=True, help="Do not read columns that are no fields; they are refused else.")
@click.option("--batch", type=click.IntRange(min=1), default=2000, show_default=True, help="Answers sent at a time.")
@json_option
def add(
    name: str,
    file: str,
    url: str,
    key_column: str | None,
    drop: str,
    ignore_surplus: bool,
    batch: int,
    as_json: bool,
) -> None:
    """Add the answers of FILE to the survey NAME.

    FILE may be CSV, Parquet, SPSS, Stata, SAS, Excel or JSON lines (.jsonl). All answers are checked before the first
    is sent. Sent again after an interruption, the same file counts once.

    \b
    microagg survey add wellbeing answers.csv --store surveys.db
    microagg survey add wellbeing answers.jsonl --key-column id --store surveys.db
    """
    with Survey.open(url, name) as survey, progress_bar(f"adding to {name}", quiet=as_json) as progress:
        answers = read_answers(
            file, survey.definition, key_column=key_column, drop=split_names(drop), ignore_surplus=ignore_surplus
        )
        accepted = repeated = 0
        for start in range(0, len(answers.rows), batch):
            end = start + batch
            receipt = survey.add_rows(answers.rows[start:end], answers.keys[start:end])
            accepted, repeated = accepted + receipt.accepted, repeated + receipt.repeated
            if progress is not None:
                progress(min(end / len(answers.rows), 1.0))
    if as_json:
        print_json({"name": name, "accepted": accepted, "repeated": repeated, "ignored": list(answers.ignored)})
    else:
        again = f"; {repeated:,} were there already" if repeated else ""
        click.echo(f"survey {name}: {accepted:,} answers added{again}")
        if answers.ignored:
            click.echo(f"not read, because no field has the name: {folded(answers.ignored)}")
