"""What is done with the answers of a survey: a base stage while others arrive, the rest when it is closed."""

from __future__ import annotations

import datetime
import hashlib
import json
import logging
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg import io
from microagg.anonymize import make_plan
from microagg.base.groups import in_order
from microagg.base.progress import Progress
from microagg.base.schema import Role
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InfeasibleK, InvalidData, InvalidOption, MicroaggError, StoreUnavailable
from microagg.files.scratch import private_folder
from microagg.flow import release_table
from microagg.gate import Gate
from microagg.incremental import second_stage
from microagg.plan import Plan
from microagg.release import Release
from microagg.survey.categories import merge_rare, room_for, words_of
from microagg.survey.definition import Definition, Field, Refused
from microagg.survey.store import BASE, DONE, LEASE, REST, Answers, Made, Store, StoredSurvey

KINDS = {"category": "nominal", "integer": "numeric", "number": "numeric"}
"""What fields of a type are treated as: as the survey declares them, whatever the answers look like."""

Group = Callable[[FloatArray], IntArray]
"""What gives groups to prepared records."""
PLAINEST = "mdav"
"""The method that groups whatever can be grouped."""
NOT_AS_ASKED = "These answers could not be grouped as the survey says: all were grouped in one run"
NOT_MEASURED = "These answers could not be measured and drawn, so the report says no more than this."
MOST_BLAMED = 20
"""How many keys are named where a stage has failed."""
BEATS = 5
"""How many signs of life a worker gives in the time after which it would be taken to be dead."""

logger = logging.getLogger("microagg.survey")


@dataclass(frozen=True)
class GatheredAnswers:
    """Answers in the order of their numbers."""

    seqs: IntArray
    table: Table
    blank: frozenset[str] = frozenset()
    """The fields that nobody answered: they cannot be measured."""
    notes: tuple[str, ...] = ()
    """What was done to the answers before grouping."""


def gather(
    store: Store, kept: StoredSurvey, definition: Definition, limit: int | None = None
) -> GatheredAnswers | None:
    """Read answers, the first ones where there is a limit; None where there are none."""
    fields = [field for field in definition.fields if field.role != Role.IDENTIFIER]

    def fold(chunks: Iterator[Answers]) -> tuple[IntArray, list[list[npt.NDArray[Any]]]]:
        seqs: list[IntArray] = [np.empty(0, dtype=np.int64)]
        columns: list[list[npt.NDArray[Any]]] = [[] for _ in fields]
        for chunk in chunks:
            seqs.append(np.array([seq for seq, _ in chunk], dtype=np.int64))
            rows = json.loads(f"[{','.join(row for _, row in chunk)}]")
            for field, parts, values in zip(fields, columns, zip(*rows, strict=True), strict=True):
                parts.append(_array(field, values))
        return np.concatenate(seqs), columns

    seqs, columns = store.answers(kept.id, limit, fold)
    if not len(seqs):
        return None
    arrays = {field.name: _joined(parts) for field, parts in zip(fields, columns, strict=True)}
    blank = frozenset(name for name, array in arrays.items() if _is_empty(array))
    # A quasi-identifier that nobody answered has nothing to release.
    arrays = {f.name: arrays[f.name] for f in fields if f.role != Role.QUASI or f.name not in blank}
    if not any(f.role == Role.QUASI and f.name in arrays for f in fields):
        raise InvalidData("no answer holds any quasi-identifier, so there is nothing to group and to release.")
    room = room_for(len(seqs))
    open_ones = [f.name for f in fields if f.role == Role.QUASI and f.type == "category" and f.choices is None]
    changed, merged = merge_rare({name: arrays[name] for name in open_ones if name in arrays}, room)
    notes = (words_of(merged, room),) if merged else ()
    return GatheredAnswers(seqs, io.from_arrays({**arrays, **changed}), blank, notes)


def plan_of(definition: Definition, gathered: GatheredAnswers) -> Plan:
    """Give what is asked of a release, for the columns that are there."""
    fields = [field for field in definition.fields if field.name in gathered.table.names]
    quasi = [field for field in fields if field.role == Role.QUASI]
    return make_plan(
        k=definition.k,
        quasi=[field.name for field in quasi],
        confidential=[f.name for f in fields if f.role == Role.CONFIDENTIAL and f.name not in gathered.blank],
        # Whoever defined the survey gave every field its role; answers must not be able to hold a release up.
        keep=[f.name for f in fields if f.role in (Role.OTHER, Role.CONFIDENTIAL)],
        kinds={field.name: KINDS[field.type] for field in quasi if field.type in KINDS},
        l=definition.l,
        p=definition.p,
        t=definition.t,
        method=definition.method,
        refine=definition.refine,
        refine_options=definition.refine_options,
        missing="refuse" if all(field.required for field in quasi) else "value",
        seed=definition.seed,
    )


def run_base(
    store: Store,
    kept: StoredSurvey,
    definition: Definition,
    owner: str,
    n_records: int | None = None,
    *,
    lease: float = LEASE,
) -> None:
    """Do the base stage, which `owner` has claimed, on the answers that are there, or the first of them.

    Which answers these were is kept with their groups, so that none is left out or counted twice later, whatever
    their numbers are.
    """
    with _at_work(store, kept, definition, BASE, owner, lease) as progress:
        gathered = _enough(gather(store, kept, definition, n_records), definition.k)
        release = _release(gathered, definition, None, progress)
        store.finish_base(kept.id, owner, gathered.seqs, release.labels, _loss(release))


def run_rest(
    store: Store,
    kept: StoredSurvey,
    definition: Definition,
    owner: str,
    *,
    lease: float = LEASE,
    progress: Progress | None = None,
) -> None:
    """Do what `owner` has claimed after closing: group the rest, or all where there was no base stage, and release."""
    with _at_work(store, kept, definition, REST, owner, lease, progress) as told:
        gathered = _enough(gather(store, kept, definition), definition.k)
        group: Group | None = None
        n_base = 0
        facts = store.facts(kept.id)
        if facts.aside:
            gathered = replace(gathered, notes=(*gathered.notes, _set_aside(len(facts.aside))))
        base = np.empty(0, dtype=np.int64)
        if facts.stages[BASE].state == DONE:
            base, labels = store.labels(kept.id, BASE)
        # Groups that lost a record may be smaller than k: they count only where all their records are there.
        if len(base) and np.isin(base, gathered.seqs).all():
            order = _base_first(gathered.seqs, base)
            gathered = replace(gathered, seqs=gathered.seqs[order], table=gathered.table.take(order))
            n_base = len(base)
            group = partial(
                second_stage,
                labels_base=labels,
                k=definition.k,
                rest=definition.rest,
                refine=definition.refine,
                refine_options=definition.refine_options,
                seed=definition.seed,
                progress=told,
            )
        release, made = make_release(gathered, definition, kept.secret, n_base, store.now(), group=group, progress=told)
        told(1.0)
        n_rest = len(gathered.seqs) - n_base
        store.finish_rest(kept.id, owner, gathered.seqs, release.labels, _loss(release), n_rest, made)


def _loss(release: Release) -> float | None:
    """The information loss as a status tells it."""
    return release.gate.figure(release.information_loss)


def make_release(
    gathered: GatheredAnswers,
    definition: Definition,
    secret: str,
    n_base: int,
    now: float,
    *,
    group: Group | None = None,
    progress: Progress | None = None,
) -> tuple[Release, Made]:
    """Make the release of answers, and what is published of it; `group` may label them in place of the method."""
    release = _release(gathered, definition, group, progress, n_base)
    return release, _make(_shuffled(release, secret), definition, now)


def _release(
    gathered: GatheredAnswers, definition: Definition, group: Group | None, progress: Progress | None, n_base: int = 0
) -> Release:
    """Take the answers through the flow; where that cannot be done as the definition says, in the plainest way.

    Whoever answers must not be able to keep a survey from being released: what a method cannot group, one run of MDAV
    can.
    """
    plan = plan_of(definition, gathered)
    staged = ""
    if n_base:
        gate = Gate(len(gathered.seqs), definition.k)
        before, after = (gate.words(count) for count in (n_base, len(gathered.seqs) - n_base))
        staged = (
            f"Grouped in two stages: {before} answers before the survey closed ({definition.method}), {after} after "
            f"({definition.rest})."
        )
    plainest = replace(plan, method=PLAINEST, refine=None, refine_options={})
    ways: list[tuple[Plan, Group | None, str]] = [(plan, group, staged)]
    if group is not None:
        ways.append((plan, None, f"{NOT_AS_ASKED} ({plan.method})."))
    if plan != plainest:
        ways.append((plainest, None, f"{NOT_AS_ASKED} ({PLAINEST}, without refining)."))
    while True:
        way, grouping, words = ways.pop(0)
        try:
            release = release_table(gathered.table, way, progress=progress, group=grouping)
        except InfeasibleK:
            raise
        except (InvalidData, InvalidOption, MemoryError):
            if not ways:
                raise
            continue
        notes = (words,) if words else ()
        return replace(release, warnings=(*notes, *gathered.notes, *release.warnings))


def _set_aside(count: int) -> str:
    one = "1 answer was" if count == 1 else f"{count} answers were"
    return f"{one} set aside by those who run the survey, and left out."


def _enough(gathered: GatheredAnswers | None, k: int) -> GatheredAnswers:
    count = 0 if gathered is None else len(gathered.seqs)
    if gathered is None or count < k:
        raise InfeasibleK(
            f"there are {count} answers, fewer than k = {k}: no release can hide anybody among {k}. Nothing is "
            "published, and the answers are kept."
        )
    return gathered


def _base_first(seqs: IntArray, base: IntArray) -> IntArray:
    """The places of the answers: those of the base stage in its order, then the others in theirs."""
    places = np.searchsorted(seqs, base)
    is_base = np.zeros(len(seqs), dtype=bool)
    is_base[places] = True
    return np.concatenate([places, np.flatnonzero(~is_base)])


def _shuffled(release: Release, secret: str) -> Release:
    """Put the released rows into an order that says nothing of who answered when, and number the groups by it."""
    order = np.random.default_rng(int(secret, 16)).permutation(len(release.labels))
    return replace(
        release,
        stored=release.table.take(order),
        labels=in_order(release.labels[order]),
        original=release.original[order],
        released=release.released[order],
        plan=replace(release.plan, shuffle=True),
    )


def _make(release: Release, definition: Definition, now: float) -> Made:
    with private_folder() as folder:
        file, page = folder / f"released.{definition.format}", folder / "report.html"
        escape_formulas = definition.formulas == "escape" and io.format_of(file).formulas
        if escape_formulas:
            release = _noting_formulas(release)
        release.write(file, escape_formulas=escape_formulas)
        release = _reported(release, page, f"{definition.name}, k = {definition.k}")
        content, report = file.read_bytes(), page.read_bytes()
    facts = json.dumps(release.published)
    return Made(content, report, hashlib.sha256(content).hexdigest(), facts, now, None)


def _noting_formulas(release: Release) -> Release:
    """Say how many cells are written with an apostrophe before them."""
    found = release.table.count_formulas() if isinstance(release.table, io.DuckTable) else 0
    if not found:
        return release
    cells = "1 cell of text begins" if found == 1 else f"{found:,} cells of text begin"
    note = f"{cells} with an apostrophe that was put there, or spreadsheet programs would take them for formulas."
    return replace(release, warnings=(*release.warnings, note))


def _reported(release: Release, page: Path, title: str) -> Release:
    """Write the report; where these answers cannot be measured or drawn, a page that says so.

    A report that cannot be made must not keep the release from being made.
    """
    try:
        release.report(page, title=title)
    except (MicroaggError, ArithmeticError, ValueError, TypeError, LookupError, MemoryError) as problem:
        logger.warning("a survey's report could not be made: %s", type(problem).__name__)
        release = replace(release, warnings=(NOT_MEASURED, *release.warnings))
        heading, notes = escape(title), "".join(f"<p>{escape(note)}</p>" for note in release.warnings)
        page.write_text(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{heading}</title><h1>{heading}</h1>{notes}\n',
            encoding="utf-8",
        )
    return release


@contextmanager
def _at_work(
    store: Store,
    kept: StoredSurvey,
    definition: Definition,
    stage: str,
    owner: str,
    lease: float,
    progress: Progress | None = None,
) -> Iterator[Progress]:
    """Give signs of life while a stage is done, and note why it failed where it does."""
    fraction = 0.0
    ended = threading.Event()

    def told(done: float) -> None:
        nonlocal fraction
        fraction = done
        if progress is not None:
            progress(done)

    def beat() -> None:
        while not ended.wait(lease / BEATS):
            try:
                if not store.beat(kept.id, stage, owner, fraction):
                    return
            except StoreUnavailable:
                # It may be back for the next one; what the stage itself does with the store says so where it is not.
                continue

    thread = threading.Thread(target=beat, name=f"microagg-{stage}", daemon=True)
    thread.start()
    try:
        yield told
    except StoreUnavailable:
        raise
    except (MicroaggError, MemoryError) as problem:
        cause = "there was not enough memory" if isinstance(problem, MemoryError) else str(problem)
        store.fail(kept.id, stage, owner, cause + blamed(store, kept, definition))
        raise
    except Exception as problem:  # noqa: BLE001 - whatever it is, the operator must hear of it
        # Its words may hold answers; where it arose does not.
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        cause = f"an error that nobody foresaw ({type(problem).__name__} at {where}).{blamed(store, kept, definition)}"
        store.fail(kept.id, stage, owner, cause)
        raise InvalidData(cause) from None
    finally:
        ended.set()
        thread.join()


def blamed(store: Store, kept: StoredSurvey, definition: Definition) -> str:
    """Name the keys of answers that would be refused today, for the operator of a survey whose stage has failed.

    Answers that an earlier version of microagg took may be such that no release can be made of them.
    """
    fields = [field for field in definition.fields if field.role != Role.IDENTIFIER]
    readers = [field.reader() for field in fields]

    def breaks_rules(row: str) -> bool:
        try:
            for reader, value in zip(readers, json.loads(row), strict=True):
                reader(value)
        except (Refused, ValueError):
            return True
        return False

    def fold(chunks: Iterator[Answers]) -> list[int]:
        return [seq for chunk in chunks for seq, row in chunk if breaks_rules(row)]

    found = store.answers(kept.id, None, fold)
    if not found:
        return ""
    named = ", ".join(store.keys(kept.id, found[:MOST_BLAMED]))
    more = f" and {len(found) - MOST_BLAMED} more" if len(found) > MOST_BLAMED else ""
    return (
        f" These answers break the rules of the survey as they are today: {named}{more}. Set them aside: microagg "
        f"survey set-aside {definition.name} --key KEY"
    )


def _array(field: Field, values: Sequence[Any]) -> npt.NDArray[Any]:
    """The values of a field, as a table takes them: masked numbers and truth values, objects else."""
    if field.type in {"number", "integer", "boolean"}:
        dtype = {"number": np.float64, "integer": np.int64, "boolean": np.bool_}[field.type]
        mask = np.array([value is None for value in values], dtype=bool)
        return np.ma.MaskedArray([0 if value is None else value for value in values], mask=mask, dtype=dtype)
    objects = np.empty(len(values), dtype=object)
    is_date = field.type == "date"
    objects[:] = [datetime.date.fromisoformat(v) if is_date and v is not None else v for v in values]
    return objects


def _joined(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    if not np.ma.isMaskedArray(parts[0]):
        return np.concatenate(parts)
    values, masks = np.concatenate([p.data for p in parts]), np.concatenate([np.ma.getmaskarray(p) for p in parts])
    return np.ma.MaskedArray(values, mask=masks)


def _is_empty(array: npt.NDArray[Any]) -> bool:
    if np.ma.isMaskedArray(array):
        return bool(np.ma.getmaskarray(array).all())
    return all(value is None for value in array)
