"""The command line: one command = one file. Parse, call, print; nothing is computed here."""

from __future__ import annotations

import signal
import sys
import threading
from typing import NoReturn

import click

from microagg import __version__
from microagg.cli.anonymize import anonymize
from microagg.cli.assess import assess
from microagg.cli.compare import compare
from microagg.cli.datasets import datasets
from microagg.cli.diff import diff
from microagg.cli.methods import methods
from microagg.cli.reproduce import reproduce
from microagg.cli.start import start
from microagg.cli.studio import studio
from microagg.cli.survey import survey
from microagg.cli.trajectories import trajectories
from microagg.cli.verify import verify
from microagg.cli.words import in_flags
from microagg.errors import MicroaggError

BAD_USE = 2
INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "-V", "--version", prog_name="microagg")
def cli() -> None:
    """Publish microdata in which every record hides among at least k.

    Groups similar records, at least k to a group, and replaces their quasi-identifiers by one common value.
    Start with:  microagg start FILE
    """


for command in (
    *(start, anonymize, assess, compare, diff, verify, methods, datasets, reproduce),
    *(studio, survey, trajectories),
):
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Run a command; bad use and bad input end in one clear line and exit code 2."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _terminate)
    try:
        code = cli.main(args=arguments, prog_name="microagg", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as help_asked:
        click.echo(help_asked.format_message())
        sys.exit(0)
    except (click.Abort, KeyboardInterrupt):
        _fail("interrupted; no file was left half-written.", INTERRUPTED)
    except click.ClickException as problem:
        hint = ""
        if isinstance(problem, click.UsageError) and problem.ctx is not None:
            hint = f" See '{problem.ctx.command_path} --help'."
        _fail(problem.format_message() + hint, BAD_USE)
    except MicroaggError as problem:
        _fail(in_flags(str(problem)), BAD_USE)
    except MemoryError:
        _fail(
            "there is not enough memory for this. Use fewer columns or records, or a method of linear memory.", BAD_USE
        )
    sys.exit(code or 0)


def _terminate(number: int, _: object) -> None:
    """End as any error does, so that nothing half-written and no temporary file stays."""
    sys.exit(128 + number)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"microagg: {' '.join(message.split())}", err=True)
    sys.exit(code)
