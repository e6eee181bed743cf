"""A survey from its first answer to its release."""

from __future__ import annotations

import datetime
import json
import math
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from microagg import io
from microagg.base.progress import Progress
from microagg.base.schema import Role
from microagg.errors import InvalidAnswers, InvalidOption, NotReady, Problem, SurveyClosed, UnknownSurvey
from microagg.survey.definition import Definition, Row, check_closes
from microagg.survey.stages import run_rest
from microagg.survey.store import (
    DONE,
    FAILED,
    PATIENCE,
    REST,
    Removed,
    Stage,
    Store,
    StoredSurvey,
    SurveyState,
    open_store,
    owner_name,
)

OPEN, CLOSING, CLOSED, RELEASED = "open", "closing", "closed", "released"
"""How a survey stands: answers are taken; stages are being done; the release is ready; it was handed out. Or "failed":
there can be no release, and the message says why."""
KEY = re.compile(r"[ -~]{1,200}")
"""What the key of an answer may be: printable ASCII."""
LONGEST_REASON = 500
"""How many characters the reason may have for which an answer is set aside."""
MOST_POINTS = 120
"""How many points of the curve of arrivals are shown."""
POINTS_KEPT = 1000
"""Into about how many buckets arrivals are counted, where it is known when the survey closes."""
SHORTEST_BUCKET, USUAL_BUCKET, LONGEST_BUCKET = 0.1, 10.0, 60.0
"""Seconds over which arrivals are counted together."""
POLL = 0.2
"""Seconds between two looks at a stage that somebody else is at."""


@dataclass(frozen=True)
class Receipt:
    """What became of answers: all of them are durable.

    Attributes
    ----------
    accepted, repeated : int
        How many are new, and how many have a key that was there before and so count no second time.
    repeats : tuple of int
        The positions of the repeated ones among those that were sent.
    """

    accepted: int
    repeated: int
    repeats: tuple[int, ...] = ()


@dataclass(frozen=True)
class Status:
    """How a survey stands, as plain values.

    Attributes
    ----------
    name, k : str, int
        Of the definition.
    state : {"open", "closing", "closed", "released", "failed"}
        Answers are taken; stages are being done; the release is ready; it was handed out; there can be none.
    received : int
        How many answers were taken.
    set_aside : list of dict
        The answers that the operator left out of the release: key, when, and the reason that was given.
    arrivals : list of (str, int)
        ISO times, and how many answers there were by then.
    plan : dict or None
        What the scheduler means to do, with ISO times.
    stages : list of dict
        The base stage and the rest: state, progress, times, number of records, loss, message.
    message : str
        What to know; empty where there is nothing.
    opened, closes, closed, published : str or None
        When it began, shall close, did close, was released.
    moves : list of dict
        When its closing was moved, and to when, the last one at the end; empty where it closes as it was defined.
    expected : int or None
        Of the definition.
    sha256 : str or None
        Of the released file.
    notes : list of str
        What the report says of how the release was made; empty where there is none yet.
    """

    name: str
    state: str
    k: int
    received: int
    set_aside: list[dict[str, str]]
    arrivals: list[tuple[str, int]]
    plan: dict[str, Any] | None
    stages: list[dict[str, Any]]
    message: str
    opened: str
    closes: str | None
    moves: list[dict[str, str]]
    closed: str | None
    published: str | None
    expected: int | None
    sha256: str | None
    notes: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Give all of it, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Publication:
    """What is published of a survey: the same bytes, always.

    Attributes
    ----------
    content : bytes
        The released file.
    report : bytes
        The report on it, one HTML page.
    format : str
        "csv" or "parquet".
    sha256 : str
        The checksum of the file.
    summary : dict
        Records, groups, losses and risks, as `Release.published` gives them.
    published : str
        When it was handed out first.
    """

    content: bytes
    report: bytes
    format: str
    sha256: str
    summary: Mapping[str, Any]
    published: str


class Survey:
    """A survey in a store. Make one with `Survey.create` or `Survey.open`.

    It may be used from several threads, and the same survey from several processes.

    Examples
    --------
    >>> import tempfile
    >>> from microagg.survey import Definition, Field
    >>> folder = tempfile.TemporaryDirectory()
    >>> definition = Definition("wellbeing", k=3, fields=[Field("age", "integer"), Field("pay", "number")])
    >>> survey = Survey.create(f"{folder.name}/surveys.db", definition)
    >>> survey.add([{"age": age, "pay": 50.0 * age} for age in (20, 61, 22, 63, 24, 65)])
    Receipt(accepted=6, repeated=0, repeats=())
    >>> survey.close()
    >>> publication = survey.release(f"{folder.name}/released.csv")
    >>> publication.summary["records"], publication.summary["groups"], survey.status().state
    (6, 2, 'released')
    >>> survey.disconnect()
    >>> folder.cleanup()
    """

    def __init__(self, store: Store, kept: StoredSurvey, *, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.kept = kept
        self.definition = Definition.from_dict(json.loads(kept.definition))
        self._clock = clock
        fields = self.definition.fields
        self._released = [place for place, field in enumerate(fields) if field.role != Role.IDENTIFIER]
        self._identifying = [place for place, field in enumerate(fields) if field.role == Role.IDENTIFIER]
        self._encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode

    @classmethod
    def create(
        cls,
        url: str,
        definition: Definition,
        *,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Begin a survey.

        Parameters
        ----------
        url : str
            The store: a path or sqlite:///path for a file, postgresql://... for a server.
        definition : Definition
            What is asked, and how it will be released. It does not change any more, but for when it closes
            (`reschedule`).
        patience : float
            Seconds for which the store is tried again while it cannot be reached.
        clock : callable
            Seconds since 1970.

        Raises
        ------
        InvalidOption
            There is a survey of this name already.
        """
        store = open_store(url, patience=patience)
        now = clock()
        bucket = USUAL_BUCKET
        if definition.closes is not None:
            bucket = min(max((definition.closes.timestamp() - now) / POINTS_KEPT, SHORTEST_BUCKET), LONGEST_BUCKET)
        described = json.dumps(definition.to_dict())
        try:
            store.create(definition.name, described, now, bucket, secrets.token_hex(16))
        except InvalidOption:
            store.close()
            raise
        return cls(store, _find(store, definition.name), clock=clock)

    @classmethod
    def open(cls, url: str, name: str, *, patience: float = PATIENCE, clock: Callable[[], float] = time.time) -> Self:
        """Go on with a survey that exists.

        Raises
        ------
        UnknownSurvey
            There is none of this name.
        """
        store = open_store(url, patience=patience)
        return cls(store, _find(store, name), clock=clock)

    @property
    def name(self) -> str:
        """The name of the survey."""
        return self.definition.name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.disconnect()

    def disconnect(self) -> None:
        """Close the connections to the store; the survey itself goes on."""
        self.store.close()

    def add(self, records: Iterable[Mapping[str, Any]], keys: Sequence[str] | None = None) -> Receipt:
        """Take answers, all of them or none; they are durable when this returns.

        Parameters
        ----------
        records : iterable of mappings
            Field name -> value, as the definition says.
        keys : sequence of str, optional
            A key for each answer, so that one that is sent again counts once; without, each call counts.

        Returns
        -------
        Receipt

        Raises
        ------
        InvalidAnswers
            An answer breaks the rules; none was taken.
        SurveyClosed
            The survey is closed; none was taken.
        StoreUnavailable
            The store could not be reached for a while; it is unknown whether they were taken. Send them again with
            the same keys.
        """
        return self.add_rows(self.definition.check(records), keys)

    def add_rows(self, rows: Sequence[Row], keys: Sequence[str] | None = None) -> Receipt:
        """Take answers that `Definition.check` gave; else as `add`."""
        now = self._clock()
        if not rows:
            return Receipt(0, 0)
        keys = new_keys(len(rows)) if keys is None else check_keys(keys, len(rows))
        encode, bucket = self._encode, self.kept.bucket
        identifiers = None
        if self._identifying:
            if self.definition.keep_identifiers:
                identifiers = [encode([row[place] for place in self._identifying]) for row in rows]
            rows = [tuple(row[place] for place in self._released) for row in rows]
        texts = [encode(row) for row in rows]
        began = math.floor(now / bucket) * bucket
        repeats = self.store.add(self.kept.id, keys, texts, identifiers, now, began, self._defined_closing)
        if repeats is None:
            self.close_due()
            raise SurveyClosed(f"the survey closed at {self.status().closes}; no answer is taken any more.")
        return Receipt(len(rows) - len(repeats), len(repeats), tuple(sorted(repeats)))

    def status(self) -> Status:
        """Say how the survey stands."""
        facts = self.store.facts(self.kept.id)
        definition = self.definition
        return Status(
            name=definition.name,
            state=state_of(facts),
            k=definition.k,
            received=facts.received,
            set_aside=[{"key": each.key, "when": iso(each.set_at), "reason": each.reason} for each in facts.aside],
            arrivals=_curve(facts, self.kept.bucket),
            plan=None if facts.plan is None else json.loads(facts.plan),
            stages=[_describe(stage) for stage in facts.stages.values()],
            message="; ".join(f"{stage.name}: {stage.message}" for stage in facts.stages.values() if stage.message),
            opened=iso(self.kept.opened_at),
            closes=self._written(self.closing(facts)),
            moves=[{"moved": iso(moved), "closes": str(self._written(closes))} for moved, closes in facts.moves],
            closed=None if facts.closed_at is None else iso(facts.closed_at),
            published=None if facts.published_at is None else iso(facts.published_at),
            expected=definition.expected,
            sha256=facts.sha256,
            notes=[] if facts.summary is None else json.loads(facts.summary)["warnings"],
        )

    def close(self) -> None:
        """Take no more answers; those that were acknowledged are all in the release. Nothing where it is closed."""
        self.store.close_survey(self.kept.id, self._clock())

    def close_due(self) -> None:
        """Close the survey if its time is over."""
        self.store.close_due(self.kept.id, self._defined_closing, self._clock())

    def reschedule(self, closes: datetime.datetime) -> None:
        """Let the survey close at another time, later or earlier; answers are taken until then.

        A base stage that has begun stays: what arrives after it belongs to the rest.

        Parameters
        ----------
        closes : datetime
            When it closes by itself, with a time zone; in the future.

        Raises
        ------
        SurveyClosed
            It is closed, or the time at which it closes is over.
        """
        now = self._clock()
        if check_closes(closes).timestamp() <= now:
            raise InvalidOption(
                f"closes must lie in the future; got {closes.isoformat()}. To close the survey now: "
                "survey.close(), microagg survey close."
            )
        self.store.move_closing(self.kept.id, self._defined_closing, closes.timestamp(), now)

    def set_aside(self, key: str, reason: str = "") -> bool:
        """Leave an answer out of the release, such as one that keeps it from being made.

        The answer is kept in the store, and so is when it was set aside, and why; `status` lists it, and the release
        says how many there were. It cannot be taken back, and the key cannot be used again. What was grouped with it
        is grouped anew without it.

        Parameters
        ----------
        key : str
            The key of the answer.
        reason : str
            Why, in a line of up to 500 characters; for those who run the survey, never released.

        Returns
        -------
        bool
            False where it had been set aside before.

        Raises
        ------
        UnknownAnswer
            There is no answer of this key.
        SecondRelease
            The survey is released.
        """
        if not isinstance(reason, str) or len(reason) > LONGEST_REASON or not reason.isprintable():
            raise InvalidOption(f"reason must be one line of at most {LONGEST_REASON} printable characters.")
        return self.store.set_aside(self.kept.id, check_keys([key], 1)[0], reason, self._clock())

    def delete(self) -> Removed:
        """Remove the survey from its store: definition, answers, identifiers, stages and release, all or nothing.

        It cannot be taken back. Whoever has it open gets UnknownSurvey; files that were handed out stay. Its name may
        be used again: mind that a second release of the same people, compared with the first, could give them away.

        Returns
        -------
        Removed
            How much there was.

        Examples
        --------
        >>> import tempfile
        >>> from microagg.survey import Definition, Field, surveys
        >>> folder = tempfile.TemporaryDirectory()
        >>> definition = Definition("try", k=3, fields=[Field("age", "integer")])
        >>> survey = Survey.create(f"{folder.name}/surveys.db", definition)
        >>> survey.add([{"age": 31}]).accepted
        1
        >>> survey.delete()
        Removed(answers=1, identifiers=0, set_aside=0, released=False)
        >>> survey.disconnect(), surveys(f"{folder.name}/surveys.db"), folder.cleanup()
        (None, [], None)
        """
        return self.store.delete(self.kept.id, self._clock())

    def closing(self, facts: SurveyState) -> float | None:
        """Give when the survey closes by itself, in seconds since 1970; None where it does not."""
        return facts.moves[-1][1] if facts.moves else self._defined_closing

    @property
    def _defined_closing(self) -> float | None:
        closes = self.definition.closes
        return None if closes is None else closes.timestamp()

    def _written(self, moment: float | None) -> str | None:
        """Write when it closes in the time zone of the definition."""
        if moment is None:
            return None
        closes = self.definition.closes
        zone = datetime.UTC if closes is None else closes.tzinfo
        return datetime.datetime.fromtimestamp(moment, zone).isoformat()

    def run(self, progress: Progress | None = None) -> None:
        """Do what is due, in this process, to the end: where the survey is closed, all that its release needs.

        Waits where another process is at it. What failed before is tried again.

        Parameters
        ----------
        progress : callable, optional
            Told the fraction done.

        Raises
        ------
        MicroaggError
            The release cannot be made, such as with fewer than k answers. The answers are kept.
        """
        while state_of(self.store.facts(self.kept.id)) in {CLOSING, FAILED}:
            owner = owner_name()
            if self.store.claim(self.kept.id, REST, owner, again=True):
                run_rest(self.store, self.kept, self.definition, owner, progress=progress)
            else:
                time.sleep(POLL)

    def publication(self) -> Publication:
        """Give what is published. From the first call on, the survey counts as released.

        Raises
        ------
        NotReady
            The survey is not closed, its stages are not done, or there can be no release.
        """
        made = self.store.publish(self.kept.id, self._clock())
        if made is None or made.published_at is None:
            status = self.status()
            hints = {
                OPEN: "it is still open: close it first",
                CLOSING: "its stages are not done yet: wait, or run them (microagg survey close --wait)",
                FAILED: f"it could not be made ({status.message}); the answers are kept",
            }
            raise NotReady(f"there is no release of survey {self.name!r}: {hints.get(status.state, status.state)}.")
        return Publication(
            made.content,
            made.report,
            self.definition.format,
            made.sha256,
            json.loads(made.facts),
            iso(made.published_at),
        )

    def release(
        self,
        path: str | os.PathLike[str],
        report: str | os.PathLike[str] | None = None,
        *,
        progress: Progress | None = None,
    ) -> Publication:
        """Write the release, and its report; where stages are not done yet, do them first.

        A survey is released once: every later call writes the same bytes again.

        Parameters
        ----------
        path : path
            Where the released table goes; the name ends as the definition's format says.
        report : path, optional
            Where the HTML report goes.
        progress : callable, optional
            Told the fraction done, where stages must be done.

        Returns
        -------
        Publication

        Raises
        ------
        NotReady
            The survey is open.
        MicroaggError
            The release cannot be made.
        """
        if Path(path).suffix.lower() != f".{self.definition.format}":
            raise InvalidOption(
                f"this survey is released as {self.definition.format}: name a file that ends in "
                f".{self.definition.format}."
            )
        self.run(progress)
        publication = self.publication()
        for target, content in ((path, publication.content), (report, publication.report)):
            if target is not None:
                with io.atomic_path(target) as temporary:
                    temporary.write_bytes(content)
        return publication


def surveys(url: str) -> list[str]:
    """Give the names of the surveys in a store.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     surveys(f"{folder}/surveys.db")
    []
    """
    store = open_store(url)
    try:
        return store.names()
    finally:
        store.close()


def state_of(facts: SurveyState) -> str:
    """Say how a survey stands, in one word."""
    if facts.closed_at is None:
        return OPEN
    if facts.published_at is not None:
        return RELEASED
    rest = facts.stages[REST].state
    return {DONE: CLOSED, FAILED: FAILED}.get(rest, CLOSING)


def iso(seconds: float) -> str:
    """Write a moment as text.

    >>> iso(0.0)
    '1970-01-01T00:00:00.000+00:00'
    """
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="milliseconds")


def _find(store: Store, name: str) -> StoredSurvey:
    kept = store.find(name)
    if kept is None:
        names = ", ".join(store.names()[:12]) or "none"
        store.close()
        raise UnknownSurvey(f"there is no survey {name!r} in this store; there are: {names}.")
    return kept


def new_keys(count: int) -> list[str]:
    """Give keys that nobody else has; those of later answers are larger, so that the index grows at its end."""
    now, noise = f"{time.time_ns():016x}", secrets.token_hex(8)
    return [f"{now}{noise}{place:06x}" for place in range(count)]


def check_keys(keys: Sequence[str], count: int) -> Sequence[str]:
    """Refuse keys that are not what keys may be, or not as many as there are answers."""
    if len(keys) != count:
        raise InvalidOption(f"there must be one key for each answer; got {len(keys)} for {count}.")
    wrong = [
        Problem(place, None, "its key must be 1 to 200 printable ASCII characters")
        for place, key in enumerate(keys)
        if not isinstance(key, str) or not KEY.fullmatch(key)
    ]
    if wrong:
        raise InvalidAnswers(wrong)
    return keys


def _describe(stage: Stage) -> dict[str, Any]:
    described: dict[str, Any] = {"name": stage.name, "state": stage.state, "progress": stage.progress}
    for name in ("started", "ended"):
        moment = getattr(stage, name)
        described[name] = None if moment is None else iso(moment)
    return described | {"n_records": stage.n_records, "loss": stage.loss, "message": stage.message}


def _curve(facts: SurveyState, bucket: float) -> list[tuple[str, int]]:
    """The curve of arrivals, thinned out; a bucket counts when it is over."""
    total, points = 0, []
    for began, count in facts.arrivals:
        total += count
        points.append((iso(began + bucket), total))
    step = max(math.ceil(len(points) / MOST_POINTS), 1)
    return points[::-1][::step][::-1]
