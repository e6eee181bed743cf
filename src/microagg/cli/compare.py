"""`microagg compare`: several methods and k side by side."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Any

import click

from microagg import __version__, io
from microagg.anonymize import read_for
from microagg.cli.choices import choice_option
from microagg.cli.console import (
    drop_option,
    file_argument,
    header_row_option,
    json_option,
    keep_option,
    kind_option,
    missing_option,
    number,
    plan_option,
    print_json,
    print_table,
    progress_bar,
    quasi_option,
    recode_option,
    sheet_option,
    split_kinds,
    split_ks,
    split_missing,
    split_names,
    split_quasi,
    split_steps,
    typed,
)
from microagg.compare import DEFAULT_METHODS, compare_table, plans_of
from microagg.compare.candidates import Comparison
from microagg.compare.limits import LOSSES, RISKS, Limit, lower_is_better, title_of, unit_of
from microagg.errors import InvalidOption
from microagg.mask import MASKS
from microagg.partition import METHODS
from microagg.plan import FileMark, PlanFile
from microagg.plan import save_plan as write_plan
from microagg.plan.spelling import read_option, split_pair
from microagg.refine import REFINEMENTS

NONE_WITHIN = 1
"""The exit code where no candidate is within the limits."""
INTERRUPTED = 130
LONGEST = 800
"""How many characters a command may have that is printed unasked."""


@click.command(short_help="Run several methods and k, and compare loss and risk.")
@file_argument
@click.option("-k", "--k", "ks", default="3,5,10", show_default=True, metavar="NUMBERS", help="Values of k to try.")
@click.option(
    "--methods",
    "method_names",
    default=",".join(DEFAULT_METHODS),
    show_default=True,
    help=f"Any of {', '.join(METHODS)}.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUES",
    help="Values of an option to try, separated by commas, for every method that has it; repeatable.",
)
@click.option(
    "--refine",
    default="none",
    show_default=True,
    metavar="NAMES",
    help=f"What to improve the groups by: any of none, {', '.join(REFINEMENTS)}.",
)
@click.option(
    "--refine-option",
    "refine_options",
    multiple=True,
    metavar="NAME=VALUES",
    help="Values of an option to try, separated by commas, for every refinement that has it; repeatable.",
)
@quasi_option
@drop_option
@click.option("--confidential", metavar="NAMES", default="", help="Columns that the release is about.")
@choice_option("l")
@choice_option("p")
@choice_option("t")
@keep_option
@kind_option
@recode_option
@click.option("--by", metavar="NAMES", default="", help="Strata: records of different values here are never mixed.")
@missing_option
@click.option("--seed", type=int, default=0, show_default=True, help="What random choices follow from.")
@plan_option
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME<=VALUE",
    help="What a release must keep: average_risk<=5%, smallest_class>=5, ...; repeatable.",
)
@click.option("--max-risk", metavar="VALUE", help="The same for the risk of the map.")
@click.option("--max-loss", metavar="VALUE", help="The same for the loss of the map.")
@click.option("--risk", default="average_risk", show_default=True, help=f"To the right: one of {', '.join(RISKS)}.")
@click.option("--loss", default="information_loss", show_default=True, help=f"Upwards: one of {', '.join(LOSSES)}.")
@click.option("--jobs", type=int, help="How many candidates to make at a time; one per processor by default.")
@click.option(
    "--results",
    "--resume",
    "results",
    type=click.Path(dir_okay=False),
    help="Keep finished candidates in this file, as private as the data, and go on from it after an interruption.",
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="MASK",
    help="Show a mask of the quasi-identifiers too, which promises no k: "
    f"{', '.join(mask.pattern for mask in MASKS.values())}; repeatable.",
)
@click.option("--plot", type=click.Path(dir_okay=False), help="Write the risk-utility map as an HTML page.")
@click.option("--save-plan", type=click.Path(dir_okay=False), help="Write the plan of the chosen candidate.")
@click.option("--wide", is_flag=True, help="Print the command that makes each candidate.")
@sheet_option
@header_row_option
@json_option
@click.pass_context
def compare(
    context: click.Context,
    file: str,
    ks: str,
    method_names: str,
    options: tuple[str, ...],
    refine: str,
    refine_options: tuple[str, ...],
    quasi: str | None,
    drop: str,
    confidential: str,
    l: tuple[str, ...],  # noqa: E741
    p: tuple[str, ...],
    t: tuple[str, ...],
    keep: str | None,
    kinds: tuple[str, ...],
    recode: tuple[str, ...],
    by: str,
    missing: tuple[str, ...],
    seed: int,
    plan_path: str | None,
    limits: tuple[str, ...],
    max_risk: str | None,
    max_loss: str | None,
    risk: str,
    loss: str,
    jobs: int | None,
    results: str | None,
    baselines: tuple[str, ...],
    plot: str | None,
    save_plan: str | None,
    wide: bool,
    sheet: str | None,
    header_row: int | None,
    as_json: bool,
) -> None:
    """Run every method with every k on FILE and compare what is lost with what is risked; nothing is released.

    Candidates that no other beats in both come first. Under limits, it says which candidate it would choose: the one
    of the lowest loss; where only losses are limited, the one of the lowest risk. The exit code is 1 where no
    candidate is within the limits.

    \b
    microagg compare people.csv -k 3,5,10 --methods mdav,hm2,best --quasi age,income --max-risk 15% --plot map.html
    microagg compare people.csv -k 5 --methods vmdav --option gamma=0.1,0.2,0.5 --refine none,local
    microagg compare people.csv -k 5 --methods auto --t pay=none --t pay=0.2 --t pay=0.1 --risk t_closeness
    """
    asked: dict[str, Any] = {
        "quasi": split_quasi(quasi),
        "identifiers": split_names(drop),
        "confidential": split_names(confidential),
        **{name: _tried(said) for name, said in (("l", l), ("p", p), ("t", t)) if said},
        "keep": split_names(keep),
        "kinds": split_kinds(kinds),
        "recode": split_steps(recode),
        "by": split_names(by),
        "missing": split_missing(missing),
        "seed": seed,
    }
    grid = plans_of(
        split_ks(ks),
        split_names(method_names),
        refine=[None if name == "none" else name for name in split_names(refine)],
        refine_options=_read_grid(refine_options),
        options=_read_grid(options),
        plan=plan_path,
        **(asked if plan_path is None else typed(context, asked)),
    )
    io.check_apart(file, plot, save_plan, results)
    bounds = [*map(Limit.parse, limits), *_axis_limits(risk, max_risk, loss, max_loss)]
    reading = {name: said for name, said in (("sheet", sheet), ("header_row", header_row)) if said is not None}
    label = f"{len(grid.plans)} candidates"
    try:
        with progress_bar(label, quiet=as_json) as progress:
            comparison = compare_table(
                read_for(grid.plans[0], Path(file), **reading),
                grid,
                limits=bounds,
                risk=risk,
                loss=loss,
                jobs=jobs,
                results=results,
                baselines=baselines,
                fingerprint=io.sha256(file) if results is not None else "",
                source=file,
                flags="".join(f" --{name.replace('_', '-')} {quote(str(said))}" for name, said in reading.items()),
                title=Path(file).name,
                progress=progress,
            )
    except KeyboardInterrupt:
        if results is None:
            raise
        click.echo(f"microagg: interrupted; what is finished is kept in {results}: run the same again.", err=True)
        context.exit(INTERRUPTED)
    if plot is not None:
        comparison.plot(plot)
    if save_plan is not None and comparison.chosen is not None:
        mark = FileMark(file, io.sha256(file), sheet, header_row)
        write_plan(PlanFile(comparison.chosen.plan, mark, version=__version__), save_plan)
    saved = save_plan if comparison.chosen is not None else None
    if as_json:
        print_json({"input": file, "plot": plot, "results": results, "plan": saved, **comparison.published})
    else:
        _print(comparison, wide)
        for name, path in (("plot", plot), ("plan", saved)):
            if path is not None:
                click.echo(f"{name}: {path}")
        if save_plan is not None:
            click.echo(_after_saving(comparison, save_plan, file))
    if bounds and comparison.chosen is None:
        context.exit(NONE_WITHIN)


def _after_saving(comparison: Comparison, plan: str, file: str) -> str:
    """Say how the saved plan is run, or why none was saved."""
    if comparison.chosen is not None:
        return f"next: microagg anonymize --plan {plan} -o RELEASED{io.format_of(file).suffix} --report report.html"
    missing = "no candidate is within the limits" if comparison.limits else "without limits none is chosen"
    return f"no plan was saved: {missing}. Say what a release must keep (--max-risk, --max-loss, --limit)."


def _axis_limits(risk: str, max_risk: str | None, loss: str, max_loss: str | None) -> list[Limit]:
    limits = []
    for flag, known, name, text in (("--max-risk", RISKS, risk, max_risk), ("--max-loss", LOSSES, loss, max_loss)):
        if text is None:
            continue
        if name not in known:
            raise InvalidOption(f"{flag[6:]} must be one of {', '.join(known)}; got {name!r}.")
        if not lower_is_better(name):
            raise InvalidOption(f"of {name} more is better, so {flag} has no meaning: write --limit '{name}>=VALUE'.")
        limits.append(Limit.parse(f"{name}<={text}"))
    return limits


def _tried(texts: tuple[str, ...]) -> dict[str, list[str | None]]:
    """Read NAME=VALUE several times; values of one column are tried in turn, none for no promise."""
    tried: dict[str, list[str | None]] = {}
    for name, value in map(split_pair, texts):
        tried.setdefault(name, []).append(None if value == "none" else value)
    return tried


def _read_grid(texts: tuple[str, ...]) -> dict[str, list[Any]]:
    """Read --option NAME=V1,V2: each value as --option of anonymize reads it."""
    grid: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name.strip() or not split_names(values):
            raise InvalidOption(f"options must be written NAME=VALUE or NAME=VALUE,VALUE; got {text!r}.")
        grid.setdefault(name.strip(), []).extend(read_option(f"{name}={value}")[1] for value in split_names(values))
    return grid


def _heading(name: str) -> str:
    return f"{title_of(name).lower()}{' %' if unit_of(name) == 'percent' else ''}"


def _print(comparison: Comparison, wide: bool) -> None:
    print_table(
        ["method", "k", "groups", "sizes", _heading(comparison.loss), _heading(comparison.risk), "seconds", ""],
        [
            [
                row.series,
                "none" if row.baseline else str(row.plan.k),
                "" if row.baseline else f"{row.groups:,}",
                "" if row.baseline else f"{row.smallest}-{row.largest}",
                f"{row.told[comparison.loss]:.10g}",
                number(row.told[comparison.risk]),
                f"{row.gate.seconds(row.seconds):g}",
                comparison.remark(row),
            ]
            for row in comparison.rows
        ],
    )
    click.echo()
    click.echo(comparison.verdict)
    for label, reason in comparison.failures.items():
        click.echo(f"not made: {label}: {reason}")
    for note in comparison.remarks:
        click.echo(f"note: {note}")
    if wide:
        click.echo()
        for row in (row for row in comparison.rows if row.command):
            click.echo(f"{row.label}:\n  {row.command}")
    elif comparison.chosen is not None and len(comparison.chosen.command) > LONGEST:
        length = f"{len(comparison.chosen.command):,} characters"
        click.echo(f"make it: --save-plan FILE writes its plan; its command has {length}, --wide prints it")
    elif comparison.chosen is not None:
        click.echo(f"make it: {comparison.chosen.command}")
