"""`microagg studio`: pages on this machine on which the whole job is done."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import click


@click.command(short_help="Do the whole job on pages in your browser, on this machine.")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--folder",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder in which files may be opened and written; the present one by default; repeatable.",
)
@click.option("--port", type=click.IntRange(0, 65535), help="Where to listen on loopback; any free one by default.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@click.option("--limit", default="2GB", show_default=True, metavar="SIZE", help="How large an uploaded file may be.")
@click.option("--processes", type=click.IntRange(1), help="How many jobs run at a time; all processors but one.")
@click.option(
    "--projects",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where projects are kept; the user's place for such things by default.",
)
@click.option("--surveys", metavar="STORE", help="The store of surveys to show: a path, or postgresql://...")
def studio(
    file: Path | None,
    folders: tuple[Path, ...],
    port: int | None,
    no_browser: bool,
    limit: str,
    processes: int | None,
    projects: Path | None,
    surveys: str | None,
) -> None:
    """Open data, decide on columns, compare candidates and release, on pages in your browser.

    Nothing leaves this machine. FILE may be data or a project. End with Ctrl-C: projects are kept, uploaded files are
    removed.

    \b
    microagg studio people.csv
    microagg studio --folder ~/data --folder ~/releases
    """
    from microagg.studio.server import read_size, run_studio, settings_of

    asked: dict[str, Any] = {"processes": processes, "projects": projects, "surveys": surveys}
    settings = settings_of(
        folders=[*(folders or [Path.cwd()]), *([file] if file is not None else [])],
        upload=read_size(limit),
        **{name: value for name, value in asked.items() if value is not None},
    )
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    run_studio(
        settings,
        file=file,
        port=port,
        browse=not no_browser,
        tell=lambda address: click.echo(f"studio: {address}\nEnd it with Ctrl-C."),
    )
