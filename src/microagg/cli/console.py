"""What commands share: tables, JSON, progress, and options that several of them take."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from microagg.base.progress import Progress
from microagg.cli.choices import choice_option
from microagg.errors import InvalidOption
from microagg.plan import CHOICES
from microagg.plan.forms.recode import split_steps as split_steps
from microagg.plan.spelling import split_kinds as split_kinds
from microagg.plan.spelling import split_names as split_names
from microagg.prepare.missing import check_missing
from microagg.report import to_json

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

(_MISSING,) = (item for item in CHOICES if item.name == "missing")
NOTHING = 1e-12
"""What is smaller than this is the rounding of floating point."""
HUGE = 1e15
"""Numbers from here on are written with their power of ten."""

WITHHELD = "withheld"
"""What stands in the place of a number that did not pass the gate."""

file_argument = click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True))
quasi_option = choice_option("quasi")
drop_option = choice_option("identifiers", "drop")
keep_option = choice_option("keep")
kind_option = choice_option("kinds")
recode_option = choice_option("recode")
missing_option = choice_option("missing")
refine_option = choice_option("refine_options")
plan_option = click.option(
    "--plan",
    "plan_path",
    type=click.Path(exists=True, dir_okay=False, readable=True),
    help="Take from this plan (TOML) what is not said here; see --save-plan.",
)
report_option = click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.Path(dir_okay=False),
    help="Where the report goes: an HTML page, or its numbers where the name ends in .json; repeatable.",
)
sheet_option = click.option("--sheet", metavar="NAME", help="The sheet of a workbook; the first by default.")
header_row_option = click.option(
    "--header-row",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="The row of a workbook that names the columns; the first by default.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")


def split_missing(texts: Sequence[str]) -> str | dict[str, str]:
    """Read --missing: nothing may be missing where nothing is said.

    >>> split_missing(()), split_missing(("value",)), split_missing(("value", "income=drop"))
    ('refuse', 'value', {'*': 'value', 'income': 'drop'})
    """
    return check_missing(_MISSING.form.parse([texts]) if texts else _MISSING.default)


def split_quasi(text: str | None) -> list[str] | None:
    """Read --quasi: None for every column without another role."""
    return None if text is None or text.strip() == "*" else split_names(text)


def split_ks(text: str | None) -> list[int]:
    """Read -k where several are welcome.

    >>> split_ks("3, 5"), split_ks(None)
    ([3, 5], [])
    """
    try:
        return [int(k) for k in split_names(text)]
    except ValueError:
        raise InvalidOption(f"k must be whole numbers separated by commas; got {text!r}.") from None


_SPELT = {"identifiers": "drop"}
"""Choices of a plan that commands call otherwise."""


def typed(context: click.Context, asked: dict[str, Any]) -> dict[str, Any]:
    """Give those choices that stand on the command line, without defaults: they go before what a plan says."""
    stated = click.core.ParameterSource.COMMANDLINE
    return {
        name: value for name, value in asked.items() if context.get_parameter_source(_SPELT.get(name, name)) is stated
    }


def print_json(value: object) -> None:
    """Print one JSON object; numbers that JSON lacks become null."""
    click.echo(to_json(value))


def number(value: float) -> str:
    """Write a number the way people read it.

    >>> number(12345), number(0.123456), number(5.69221), number(27651.3), number(1e20)
    ('12,345', '0.1235', '5.692', '27,650', '1e+20')
    """
    if isinstance(value, int):
        return f"{value:,}"
    short = "0" if abs(value) < NOTHING else f"{value:.4g}"
    return f"{float(short):,.0f}" if "e+" in short and abs(value) < HUGE else short


def told(value: float | None) -> str:
    """Write a number that passed the gate, or say that it did not.

    >>> told(5.69221), told(None)
    ('5.692', 'withheld')
    """
    return WITHHELD if value is None else number(value)


LONG = 40
"""A text of so many characters is no number, though it may begin with one."""


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None) -> None:
    """Print a table; columns of numbers are aligned right."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="dim")
    for position, heading in enumerate(headings):
        cells = [row[position] for row in rows]
        numbers = any(cells) and all(not cell or (cell[0].isdigit() and len(cell) < LONG) for cell in cells)
        table.add_column(heading, justify="right" if numbers and position else "left", overflow="fold")
    for row in rows:
        table.add_row(*[escape(cell) for cell in row])
    console().print(table)


def console() -> Console:
    """Give a console for standard output; wide where the output is not a terminal, so that lines stay whole."""
    plain = Console()
    return plain if plain.is_terminal or os.environ.get("COLUMNS") else Console(width=160)


class _BarLine:
    """Progress as a line with a bar, and with the loss that was reached, where it is told."""

    def __init__(self, bar: Bar, label: str) -> None:
        self.bar, self.label = bar, escape(label)
        self.task = bar.add_task(self.label, total=1.0)

    def __call__(self, fraction: float) -> None:
        self.bar.update(self.task, completed=fraction)

    def tell_step(self, name: str) -> None:
        self.bar.update(self.task, description=f"{self.label}: {escape(name)}")

    def tell_loss(self, percent: float) -> None:
        self.bar.update(self.task, description=f"{self.label}, loss {percent:.4f}%")


@contextmanager
def progress_bar(label: str, *, quiet: bool) -> Iterator[Progress | None]:
    """Show a bar on standard error while work goes on, on a terminal only; gone when the work is done."""
    errors = Console(stderr=True)
    if quiet or not errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    parts = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*parts, console=errors, transient=True) as bar:
        yield _BarLine(bar, label)
