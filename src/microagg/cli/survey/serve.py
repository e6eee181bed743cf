"""`microagg survey serve`: take answers over HTTP."""

from __future__ import annotations

import logging
from pathlib import Path

import click

from microagg.cli.survey.options import store_option
from microagg.errors import InvalidOption
from microagg.survey.limits import MEGABYTE, Limits
from microagg.survey.server import (
    PORT,
    SPARE_FILES,
    allow_files,
    is_loopback,
    listen,
    make_server,
    new_token,
    token_from,
)

DEFAULTS = Limits()


@click.command(short_help="Take answers over HTTP, and run the stages.")
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; another needs --token-file.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 for any free one.")
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The operator's token, in a file of mode 0600; made where there is none. Without it a new token is shown.",
)
@click.option(
    "--intake-token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Another token, for those who may send answers and nothing else.",
)
@click.option("--rate", type=float, default=DEFAULTS.rate, show_default=True, help="Answers a second of one client.")
@click.option(
    "--most-megabytes",
    type=click.FloatRange(0, min_open=True),
    default=DEFAULTS.body / MEGABYTE,
    show_default=True,
    help="Size of one request.",
)
@click.option("--most-answers", type=int, default=DEFAULTS.answers, show_default=True, help="Answers of one request.")
@click.option(
    "--connections-per-client",
    type=int,
    default=DEFAULTS.connections_per_client,
    show_default=True,
    help="Connections of one address at a time; a proxy in front is one address for all.",
)
@click.option("--no-schedule", is_flag=True, help="Take answers only; another process runs the stages.")
def serve(
    url: str,
    host: str,
    port: int,
    token_file: Path | None,
    intake_token_file: Path | None,
    rate: float,
    most_megabytes: float,
    most_answers: int,
    connections_per_client: int,
    no_schedule: bool,
) -> None:
    """Take the answers of the surveys in a store over HTTP, show how they stand on a page, and run their stages.

    \b
    microagg survey serve --store surveys.db
    microagg survey serve --store postgresql://localhost/surveys --host 0.0.0.0 --token-file token
    """
    if token_file is None and not is_loopback(host):
        raise InvalidOption(
            f"host {host} can be reached from other machines: give the token that they must bring, with --token-file. "
            "And put a proxy with TLS in front, or the token and the answers travel in the clear."
        )
    token = new_token() if token_file is None else token_from(token_file)
    body = round(most_megabytes * MEGABYTE)
    limits = Limits(
        body=body,
        held=max(DEFAULTS.held, 4 * body),
        connections_per_client=connections_per_client,
        answers=most_answers,
        rate=rate,
        burst=max(DEFAULTS.burst, 4 * rate, most_answers),
    )
    from microagg.survey.service import create_app

    app = create_app(
        url,
        token,
        intake_token=None if intake_token_file is None else token_from(intake_token_file),
        limits=limits,
        schedule=not no_schedule,
    )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    listener = listen(host, port)
    bound = listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"page: http://{shown}:{bound}/")
    if token_file is None:
        click.echo(f"token, shown this once: {token}")
        click.echo(f"with the token: http://{shown}:{bound}/#token={token}")
    allow_files(limits.connections + SPARE_FILES)
    make_server(app).run(sockets=[listener])
