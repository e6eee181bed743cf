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
@click.option("--serve", is_flag=True, help="Let several users come through a proxy; see the docs.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --serve: where to listen.")
@click.option(
    "--origin", "origins", multiple=True, metavar="URL", help="With --serve: what browsers call it; repeatable."
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --serve: the token that everybody brings, in a file of mode 0600; made where there is none.",
)
@click.option("--user-header", metavar="NAME", help="With --serve: the header in which the proxy says who somebody is.")
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    default=("127.0.0.1", "::1"),
    show_default=True,
    help="With --user-header: the address of the proxy; repeatable.",
)
@click.option("--memory", metavar="SIZE", help="How much memory each job may take; as much as there is by default.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="How long each job may take.")
@click.option("--surveys", metavar="STORE", help="The store of surveys to show: a path, or postgresql://...")
def studio(
    file: Path | None,
    folders: tuple[Path, ...],
    port: int | None,
    no_browser: bool,
    limit: str,
    processes: int | None,
    projects: Path | None,
    serve: bool,
    host: str,
    origins: tuple[str, ...],
    token_file: Path | None,
    user_header: str | None,
    proxies: tuple[str, ...],
    memory: str | None,
    seconds: float | None,
    surveys: str | None,
) -> None:
    """Open data, decide on columns, compare candidates and release, on pages in your browser.

    Nothing leaves this machine. FILE may be data or a project. End with Ctrl-C: projects are kept, uploaded files are
    removed.

    \b
    microagg studio people.csv
    microagg studio --folder ~/data --folder ~/releases
    microagg studio --serve --origin https://studio.example.org --user-header X-Remote-User --memory 8GB
    """
    from microagg.studio.server import Served, read_size, run_studio, settings_of

    if serve and file is not None:
        raise click.UsageError("FILE is for a studio of your own; users of one that is served open files themselves.")
    if not serve and (origins or token_file or user_header):
        raise click.UsageError("--origin, --token-file and --user-header need --serve.")
    asked: dict[str, Any] = {
        "processes": processes,
        "projects": projects,
        "memory": None if memory is None else read_size(memory),
        "seconds": seconds,
        "surveys": surveys,
    }
    # Who serves others says which folders are theirs to read; alone, it is the folder that one is in.
    own = [*(folders or ([] if serve else [Path.cwd()])), *([file] if file is not None else [])]
    settings = settings_of(
        folders=own,
        upload=read_size(limit),
        **{name: value for name, value in asked.items() if value is not None},
    )
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    run_studio(
        settings,
        file=file,
        port=port,
        browse=not no_browser,
        served=Served(host, origins, token_file, user_header, proxies) if serve else None,
        tell=lambda address: click.echo(f"studio: {address}\nEnd it with Ctrl-C."),
    )
