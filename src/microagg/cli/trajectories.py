"""`microagg trajectories`: release tracks."""

from __future__ import annotations

from pathlib import Path

import click

from microagg.cli.console import (
    WITHHELD,
    file_argument,
    json_option,
    number,
    print_json,
    progress_bar,
    refine_option,
)
from microagg.errors import InvalidOption
from microagg.gate import FEWEST, Gate
from microagg.io import PRIVATE, atomic_path, check_apart
from microagg.partition import METHODS
from microagg.plan.spelling import read_options
from microagg.refine import REFINEMENTS
from microagg.report.words import distance
from microagg.trajectory import draw_tracks, read_tracks, release_tracks, write_tracks
from microagg.trajectory.files import WRITERS


@click.command(short_help="Release tracks of positions (GPX, CSV) so that each is the same as k-1 others.")
@file_argument
@click.option("-k", "--k", "k", type=int, required=True, help="Least number of equal tracks.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), required=True, help="A .gpx, .csv or .geojson file to write."
)
@click.option("--points", type=int, default=30, show_default=True, help="Positions of a released track.")
@click.option("--spacing", type=float, help="Metres between positions; long tracks are cut. By default none is.")
@click.option("--box", metavar="SOUTH,WEST,NORTH,EAST", help="Keep what lies inside, in degrees. All by default.")
@click.option("--raw", is_flag=True, help="Group the metres themselves, not standardized coordinates.")
@click.option("--method", default="mdav", show_default=True, help=f"Any of {', '.join(METHODS)}.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the method; repeatable.")
@click.option("--refine", type=click.Choice(list(REFINEMENTS)), help="Improve the groups of the method afterwards.")
@refine_option
@click.option(
    "--drawing",
    type=click.Path(dir_okay=False),
    help="Draw originals and released tracks (SVG): keep it as safe as the data.",
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--threads", type=int, help="How many threads to use; all processors by default.")
@json_option
def trajectories(
    file: str,
    k: int,
    output: str,
    points: int,
    spacing: float | None,
    box: str | None,
    raw: bool,
    method: str,
    options: tuple[str, ...],
    refine: str | None,
    refine_options: tuple[str, ...],
    drawing: str | None,
    seed: int,
    threads: int | None,
    as_json: bool,
) -> None:
    """Read tracks from FILE, bring them to the same number of positions, and release the means of groups of k.

    \b
    microagg trajectories trips.gpx -k 5 --points 30 --spacing 100 -o released.gpx --drawing tracks.svg
    """
    if Path(output).suffix.lower() not in WRITERS:
        raise InvalidOption(f"the output must be a {', '.join(WRITERS)} file; got {output!r}.")
    check_apart(file, output, drawing)
    with progress_bar(f"{method}, k = {k}", quiet=as_json) as progress:
        release = release_tracks(
            read_tracks(Path(file)),
            k,
            points=points,
            spacing=spacing,
            box=None if box is None else _read_box(box),
            standardize=not raw,
            method=method,
            refine=refine,
            refine_options=read_options(refine_options),
            seed=seed,
            threads=threads,
            progress=progress,
            **read_options(options),
        )
    write_tracks(release.tracks, Path(output))
    if drawing:
        with atomic_path(Path(drawing), mode=PRIVATE) as temporary:
            temporary.write_text(draw_tracks(release), encoding="utf-8")
    gate = Gate(len(release.tracks), k)
    summary = {
        "input": file,
        "output": output,
        "drawing": drawing,
        "tracks": len(release.tracks),
        "groups": release.groups,
        "left_out": gate.count(release.left_out),
        "information_loss": gate.figure(release.information_loss),
        "mean_shift_metres": gate.figure(release.mean_shift),
        "withheld": [vars(what) for what in gate.withheld],
    }
    if as_json:
        print_json(summary)
        return
    cost = (
        f"; loss {number(gate.figures(release.information_loss).item())}%, positions moved by "
        f"{distance(gate.figures(release.mean_shift).item())} on average"
        if gate.tells_original
        else f"; what was lost is {WITHHELD}: there are fewer than {FEWEST} tracks"
    )
    left_out = gate.words(release.left_out) if release.left_out else "none"
    click.echo(f"{len(release.tracks):,} tracks in {release.groups:,} groups, {left_out} left out as too short{cost}")
    click.echo(f"written: {output}" + (f", drawing: {drawing}" if drawing else ""))
    if drawing:
        click.echo("The drawing shows the original tracks: keep it as safe as the data.", err=True)


def _read_box(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidOption(f"--box must be four numbers, SOUTH,WEST,NORTH,EAST in degrees; got {text!r}.") from None
