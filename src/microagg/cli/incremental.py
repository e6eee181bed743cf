"""`microagg reproduce incremental`: two stages against one run, by the share left to the second."""

from __future__ import annotations

import csv
from dataclasses import asdict
from pathlib import Path

import click

from microagg import io
from microagg.cli.console import json_option, print_json, print_table, progress_bar, split_ks, split_names
from microagg.errors import FileProblem, InvalidOption
from microagg.reproduce import incremental as experiment
from microagg.reproduce.incremental_figures import draw

SHOWN = 0.1
"""The share that is shown on the screen, or the one next to it; the file has them all."""


@click.command(short_help="Two stages: time and distortion by the share left to the second.")
@click.option("--output", "-o", default="reproduction", show_default=True, type=click.Path(file_okay=False))
@click.option("--datasets", "names", metavar="NAMES", help=f"Any of {', '.join(experiment.DATASETS)}.")
@click.option("--variants", metavar="NAMES", help=f"Any of {', '.join(experiment.VARIANTS)}; the last only on request.")
@click.option("-k", "--k", "ks", metavar="NUMBERS", help=f"By default {', '.join(map(str, experiment.KS))}.")
@click.option("--ratios", metavar="NUMBERS", help=f"By default {', '.join(map(str, experiment.RATIOS))}.")
@click.option("--records", type=click.IntRange(min=100), default=experiment.RECORDS, show_default=True)
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="How many seeds.")
@click.option("--repeats", type=click.IntRange(min=1), default=1, show_default=True, help="Time each stage so often.")
@json_option
def incremental(
    output: str,
    names: str | None,
    variants: str | None,
    ks: str | None,
    ratios: str | None,
    records: int,
    seeds: int,
    repeats: int,
    as_json: bool,
) -> None:
    """Two stages against one run: Figures 14 to 23 and section VI-B of Rebollo-Monedero et al. (2018).

    Runs are kept in the output folder and are not repeated; a table (CSV) and drawings (SVG) are written beside them.
    Times are seconds of processor time on one thread, the least of all repeats.
    """
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileProblem(f"Cannot create the folder {folder}: {error.strerror}.") from error
    with progress_bar("incremental", quiet=as_json) as progress:
        rows = experiment.run(
            folder / "incremental-runs.csv",
            names=split_names(names) or tuple(experiment.DATASETS),
            ks=split_ks(ks) or experiment.KS,
            ratios=[_number(ratio) for ratio in split_names(ratios)] or experiment.RATIOS,
            variants=split_names(variants) or experiment.USUAL,
            records=records,
            seeds=seeds,
            repeats=repeats,
            progress=progress,
        )
    for name, drawing in draw(rows).items():
        with io.atomic_path(folder / name) as temporary:
            temporary.write_text(drawing, encoding="utf-8")
    table = experiment.summary(rows)
    with io.atomic_path(folder / "incremental.csv") as temporary, temporary.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    claims = experiment.claims(rows)
    if as_json:
        print_json(
            {
                "experiment": "incremental",
                "output": output,
                "printed": [{**asdict(claim), "inside": claim.inside} for claim in claims],
                "rows": table,
            }
        )
        return
    shown = min({row["ratio"] for row in table}, key=lambda ratio: abs(ratio - SHOWN))
    print_table(
        ["dataset", "k", "variant", "nu %", "tau_0", "tau_+", "sum", "quadratic", "one run s", "more distortion %"],
        [
            [
                row["dataset"],
                str(row["k"]),
                row["variant"],
                f"{100 * row['ratio']:.1f}",
                *(f"{row[key]:.4f}" for key in ("base_time", "rest_time", "relative_time", "quadratic")),
                f"{row['one_run_seconds']:.3f}",
                f"{row['growth']:+.2f}",
            ]
            for row in table
            if row["ratio"] == shown
        ],
    )
    print_table(
        ["printed in section VI-B", "printed", "ours", ""],
        [
            [
                claim.what,
                f"{claim.printed:g} {claim.unit}",
                "not run" if claim.ours != claim.ours else f"{claim.ours:.4g} {claim.unit}",
                "" if claim.inside or claim.ours != claim.ours else "outside",
            ]
            for claim in claims
        ],
    )
    click.echo(f"runs, table and drawings: {output}")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidOption(f"--ratios takes numbers separated by commas; got {text!r}.") from None
