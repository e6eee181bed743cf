"""`microagg compare`: several methods and k side by side."""

from __future__ import annotations

import warnings
from pathlib import Path

import click

from microagg import io
from microagg.anonymize import make_plan, read_for, release_table
from microagg.cli.console import (
    drop_option,
    file_argument,
    json_option,
    kind_option,
    print_json,
    print_table,
    progress_bar,
    quasi_option,
    split_kinds,
    split_names,
    split_quasi,
)
from microagg.errors import InvalidOption, NotKAnonymousWarning
from microagg.partition import METHODS
from microagg.prepare import Missing


@click.command(short_help="Run several methods and k, and compare loss and risk.")
@file_argument
@click.option("-k", "--k", "ks", default="3,5,10", show_default=True, metavar="NUMBERS", help="Values of k to try.")
@click.option(
    "--methods",
    "method_names",
    default="mdav,vmdav,univariate",
    show_default=True,
    help=f"Any of {', '.join(METHODS)}.",
)
@quasi_option
@drop_option
@kind_option
@click.option("--by", metavar="NAMES", default="", help="Strata: records of different values here are never mixed.")
@click.option("--missing", type=click.Choice([choice.value for choice in Missing]), default="refuse", show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--threads", type=int, help="How many threads to use; all processors by default.")
@click.option("--plot", type=click.Path(dir_okay=False), help="Write the risk-utility map as an HTML page.")
@json_option
def compare(
    file: str,
    ks: str,
    method_names: str,
    quasi: str | None,
    drop: str,
    kinds: tuple[str, ...],
    by: str,
    missing: str,
    seed: int,
    threads: int | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """Run every method with every k on FILE and compare what is lost with what is risked; nothing is released.

    \b
    microagg compare people.csv -k 3,5,10 --methods mdav,vmdav --quasi age,income --plot map.html
    """
    plans = [
        make_plan(
            k=_whole(k),
            method=name,
            kinds=split_kinds(kinds),
            quasi=split_quasi(quasi),
            identifiers=split_names(drop),
            by=split_names(by),
            missing=missing,
            seed=seed,
        )
        for name in split_names(method_names)
        for k in split_names(ks)
    ]
    if not plans:
        raise InvalidOption("name at least one method and one k.")
    table = read_for(plans[0], Path(file))
    rows = []
    for plan in plans:
        with warnings.catch_warnings(), progress_bar(f"{plan.method}, k = {plan.k}", quiet=as_json) as progress:
            warnings.simplefilter("ignore", NotKAnonymousWarning)
            release = release_table(table, plan, threads=threads, progress=progress)
        summary = release.summary
        rows.append(
            {
                **{key: summary[key] for key in ("method", "k", "records", "groups", "smallest", "largest")},
                "k_anonymous": release.k_anonymous,
                "information_loss": release.information_loss,
                "average_risk": release.risks["average_risk"],
                "seconds": summary["seconds"],
            }
        )
    if plot:
        from microagg.report import render_comparison

        with io.atomic_path(Path(plot)) as temporary:
            temporary.write_text(render_comparison(Path(file).name, rows), encoding="utf-8")
    if as_json:
        print_json({"input": file, "plot": plot, "releases": rows})
        return
    print_table(
        ["method", "k", "groups", "sizes", "loss %", "average risk %", "seconds", ""],
        [
            [
                row["method"],
                str(row["k"]),
                f"{row['groups']:,}",
                f"{row['smallest']}-{row['largest']}",
                f"{row['information_loss']:.4f}",
                f"{row['average_risk']:.2f}",
                f"{row['seconds']:.2f}",
                "" if row["k_anonymous"] else "not k-anonymous",
            ]
            for row in rows
        ],
    )
    if plot:
        click.echo(f"plot: {plot}")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InvalidOption(f"k must be whole numbers separated by commas; got {text!r}.") from None
