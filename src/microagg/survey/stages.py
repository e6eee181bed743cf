"""What is done with the answers of a survey: a base stage while others arrive, the rest when it is closed."""

from __future__ import annotations

import datetime
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg import io
from microagg.anonymize import make_plan, release_table
from microagg.arrays import FloatArray, IntArray, Progress
from microagg.errors import InfeasibleK, MicroaggError, StoreUnavailable
from microagg.incremental import second_stage
from microagg.plan import Plan
from microagg.release import Release
from microagg.schema import Role
from microagg.scratch import private_folder
from microagg.survey.definition import Definition, Field
from microagg.survey.store import BASE, DONE, LEASE, REST, Answers, Kept, Made, Store
from microagg.table import Table

Group = Callable[[FloatArray], IntArray]
"""What gives groups to prepared records."""
BEATS = 5
"""How many signs of life a worker gives in the time after which it would be taken to be dead."""


@dataclass(frozen=True)
class Gathered:
    """Answers in the order of their numbers."""

    seqs: IntArray
    table: Table


def gather(store: Store, kept: Kept, definition: Definition, limit: int | None = None) -> Gathered | None:
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
    # A quasi-identifier that nobody answered has nothing to release.
    empty = [f.name for f in fields if f.role == Role.QUASI and not f.required and _is_empty(arrays[f.name])]
    return Gathered(seqs, io.from_arrays({name: array for name, array in arrays.items() if name not in empty}))


def plan_of(definition: Definition, table: Table) -> Plan:
    """Give what is asked of a release, for the columns that are there."""
    fields = [field for field in definition.fields if field.name in table.names]
    quasi = [field for field in fields if field.role == Role.QUASI]
    return make_plan(
        k=definition.k,
        quasi=[field.name for field in quasi],
        confidential=[field.name for field in fields if field.role == Role.CONFIDENTIAL],
        kinds={field.name: "nominal" for field in quasi if field.type == "category"},
        method=definition.method,
        refine=definition.refine,
        missing="refuse" if all(field.required for field in quasi) else "impute",
        seed=definition.seed,
    )


def run_base(
    store: Store,
    kept: Kept,
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
    with _at_work(store, kept, BASE, owner, lease) as progress:
        gathered = _enough(gather(store, kept, definition, n_records), definition.k)
        plan = plan_of(definition, gathered.table)
        release = release_table(gathered.table, plan, progress=progress)
        store.finish_base(kept.id, owner, gathered.seqs, release.labels, release.information_loss)


def run_rest(
    store: Store,
    kept: Kept,
    definition: Definition,
    owner: str,
    *,
    lease: float = LEASE,
    progress: Progress | None = None,
) -> None:
    """Do what `owner` has claimed after closing: group the rest, or all where there was no base stage, and release."""
    with _at_work(store, kept, REST, owner, lease, progress) as told:
        gathered = _enough(gather(store, kept, definition), definition.k)
        group: Group | None = None
        n_base = 0
        if store.facts(kept.id).stages[BASE].state == DONE:
            base, labels = store.labels(kept.id, BASE)
            order = _base_first(gathered.seqs, base)
            gathered, n_base = Gathered(gathered.seqs[order], gathered.table.take(order)), len(base)
            group = partial(
                second_stage,
                labels_base=labels,
                k=definition.k,
                rest=definition.rest,
                refine=definition.refine,
                seed=definition.seed,
                progress=told,
            )
        release, made = make_release(gathered, definition, kept.secret, n_base, store.now(), group=group, progress=told)
        told(1.0)
        n_rest = len(gathered.seqs) - n_base
        store.finish_rest(kept.id, owner, gathered.seqs, release.labels, release.information_loss, n_rest, made)


def make_release(
    gathered: Gathered,
    definition: Definition,
    secret: str,
    n_base: int,
    now: float,
    *,
    group: Group | None = None,
    progress: Progress | None = None,
) -> tuple[Release, Made]:
    """Make the release of answers, and what is published of it; `group` may label them in place of the method."""
    plan = plan_of(definition, gathered.table)
    release = release_table(gathered.table, plan, progress=progress, group=group)
    return release, _make(_shuffled(release, secret, n_base, definition), definition, now)


def _enough(gathered: Gathered | None, k: int) -> Gathered:
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


def _shuffled(release: Release, secret: str, n_base: int, definition: Definition) -> Release:
    """Put the released rows into an order that says nothing of who answered when."""
    order = np.random.default_rng(int(secret, 16)).permutation(len(release.labels))
    notes = release.warnings
    if n_base:
        rest = len(order) - n_base
        notes = (
            f"Grouped in two stages: {n_base} answers before the survey closed ({definition.method}), {rest} after "
            f"({definition.rest}).",
            *notes,
        )
    return replace(
        release,
        stored=release.table.take(order),
        labels=release.labels[order],
        original=release.original[order],
        released=release.released[order],
        plan=replace(release.plan, shuffle=True),
        warnings=notes,
    )


def _make(release: Release, definition: Definition, now: float) -> Made:
    with private_folder() as folder:
        file, page = folder / f"released.{definition.format}", folder / "report.html"
        release.write(file)
        release.report(page, title=f"{definition.name}, k = {definition.k}")
        content, report = file.read_bytes(), page.read_bytes()
    facts = json.dumps(release.summary)
    return Made(content, report, hashlib.sha256(content).hexdigest(), facts, now, None)


@contextmanager
def _at_work(
    store: Store, kept: Kept, stage: str, owner: str, lease: float, progress: Progress | None = None
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
        store.fail(kept.id, stage, owner, str(problem) or "there was not enough memory")
        raise
    finally:
        ended.set()
        thread.join()


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
