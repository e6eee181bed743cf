"""`microagg reproduce categorical`: the experiment on categories, which has no seeds but a global risk."""

from __future__ import annotations

import os
from pathlib import Path

import click

from microagg import io
from microagg.cli.console import json_option, print_json, print_table, split_ks, split_names
from microagg.reproduce import categorical as experiment


@click.command(short_help="Adult's occupation and country: the categorical methods.")
@click.option("-k", "--k", "ks", default="2,3,4,5,6,7,8,9,10", show_default=True, metavar="NUMBERS")
@click.option(
    "--methods", default=",".join(experiment.CONTENDERS), metavar="NAMES", help="Which of them; all by default."
)
@click.option("--tree", type=click.Choice(["first", "last"]), help="Keep one parent of each node of the hierarchies.")
@click.option(
    "--data", type=click.Path(file_okay=False), help="The folder with Adult and its hierarchies; MICROAGG_DATA else."
)
@click.option("--plot", type=click.Path(dir_okay=False), help="Write the losses over k as SVG.")
@json_option
def categorical(ks: str, methods: str, tree: str | None, data: str | None, plot: str | None, as_json: bool) -> None:
    """Adult, occupation and native country: loss and global risk of every method, as in Veltmann (2022), Table 5."""
    folder = Path(data or os.environ.get("MICROAGG_DATA") or ".")
    rows = experiment.run(experiment.load(folder, tree=tree), split_ks(ks), split_names(methods))
    if plot:
        with io.atomic_path(Path(plot)) as temporary:
            temporary.write_text(experiment.draw(rows), encoding="utf-8")
    if as_json:
        print_json({"experiment": "categorical", "tree": tree, "plot": plot, "rows": rows})
        return
    print_table(
        ["method", "k", "loss %", "printed", "global risk %", "printed", "seconds"],
        [
            [
                row["method"],
                str(row["k"]),
                f"{row['loss']:.4f}",
                "" if row["printed_loss"] is None else f"{row['printed_loss']:.3f}",
                f"{row['risk']:.2f}",
                "" if row["printed_risk"] is None else f"{row['printed_risk']:.2f}",
                f"{row['seconds']:.3f}",
            ]
            for row in rows
        ],
    )
    if plot:
        click.echo(f"plot: {plot}")
