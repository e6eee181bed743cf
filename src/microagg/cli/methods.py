"""`microagg methods`: what there is to choose from."""

from __future__ import annotations

import click

from microagg.cli.console import json_option, print_json, print_table
from microagg.partition import METHODS


@click.command(short_help="List the methods, with one line each.")
@json_option
def methods(as_json: bool) -> None:
    """List the partition methods, with one line each."""
    if as_json:
        print_json(
            {
                method.name: {
                    "title": method.title,
                    "summary": method.summary,
                    "reference": method.reference,
                    "steps": method.steps,
                    "takes": method.takes,
                    "options": method.options,
                    "k_anonymous": not method.per_column,
                }
                for method in METHODS.values()
            }
        )
        return
    print_table(
        ["method", "what it does", "options", "steps"],
        [
            [m.name, m.summary, ", ".join(f"{name}={value}" for name, value in m.options.items()) or "-", m.steps]
            for m in METHODS.values()
        ],
    )
