"""Options of commands that follow from the choices of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from microagg.plan import CHOICES, Choice
from microagg.plan.forms import Flag

Command = Callable[..., Any]
_BY_NAME = {item.name: item for item in CHOICES}


def choice_options(command: Command) -> Command:
    """Give a command all options that decide a release; they come under the names of their flags' parameters."""
    for item in reversed(CHOICES):
        for flag in reversed(item.flags):
            command = _option(item, flag, flag.parameter)(command)
    return command


def choice_option(name: str, parameter: str | None = None) -> Callable[[Command], Command]:
    """Give a command the option of one choice.

    Parameters
    ----------
    name : str
        The choice of the plan.
    parameter : str, optional
        What the command calls it; its name by default.
    """
    item = _BY_NAME[name]
    return _option(item, item.flags[0], parameter or name)


def typed_choices(context: click.Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Give those choices that stand on the command line: they go before what a plan, or a default, says."""
    stated = click.core.ParameterSource.COMMANDLINE
    return {
        item.name: item.form.parse([given[flag.parameter] for flag in item.flags])
        for item in CHOICES
        if any(context.get_parameter_source(flag.parameter) is stated for flag in item.flags)
    }


def _option(item: Choice, flag: Flag, parameter: str) -> Callable[[Command], Command]:
    if item.form.is_flag if flag.is_flag is None else flag.is_flag:
        return click.option(*flag.spellings, parameter, is_flag=True, help=flag.help)
    if item.form.repeats if flag.repeats is None else flag.repeats:
        return click.option(*flag.spellings, parameter, multiple=True, metavar=flag.metavar, help=flag.help)
    told = isinstance(item.default, str | int | float)
    return click.option(
        *flag.spellings,
        parameter,
        type=click.Choice(item.form.options) if item.form.options else item.form.typed,
        default=item.default if told else None,
        show_default=told,
        metavar=flag.metavar,
        help=flag.help,
    )
