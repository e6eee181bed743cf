"""Statements about surveys and their answers."""

# ruff: noqa: S608 - what is put into our SQL is our own; every value of others is a parameter.

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from microagg.errors import InvalidOption, SecondRelease, SurveyClosed, UnknownAnswer, UnknownSurvey
from microagg.survey.store.database import SurveyDatabase, T
from microagg.survey.store.records import (
    BASE,
    DONE,
    FAILED,
    REST,
    RUNNING,
    SKIPPED,
    WAITING,
    Answers,
    Aside,
    Removed,
    Stage,
    StoredSurvey,
    SurveyState,
    unpack,
)

PARTS = ("answer", "arrival", "identifier", "aside", "closing_move", "release", "stage")
"""The tables that hold what belongs to one survey."""


class SurveyStatements(SurveyDatabase):
    """Surveys and their answers: entering, reading, closing, setting aside."""

    def create(self, name: str, definition: str, opened_at: float, bucket: float, secret: str) -> None:
        """Enter a survey; InvalidOption where there is one of this name."""

        def work(cursor: Any) -> None:
            new = self.execute(
                cursor,
                "INSERT INTO survey (name, definition, opened_at, bucket, secret) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                (name, definition, opened_at, bucket, secret),
            ).rowcount
            if not new:
                raise InvalidOption(f"there is a survey {name!r} already; choose another name.")
            self.number_anew(cursor, name)
            for stage in (BASE, REST):
                self.execute(
                    cursor,
                    "INSERT INTO stage (survey, name, state) SELECT id, ?, ? FROM survey WHERE name = ?",
                    (stage, WAITING, name),
                )

        self.run(work)

    def number_anew(self, cursor: Any, name: str) -> None:
        """Give a survey that was just entered a number that none had before, where the database may give one twice.

        Whoever has a deleted survey open must never write into another one.
        """

    def delete(self, survey: int, now: float) -> Removed:
        """Remove a survey and all that belongs to it, at once or not at all; nothing of it can be had back."""

        def work(cursor: Any) -> Removed:
            self.lock_open(cursor, survey, shared=False)
            self._stages(cursor, survey, self.lock_stages)
            removed = {
                table: self.execute(cursor, f"DELETE FROM {table} WHERE survey = ?", (survey,)).rowcount
                for table in PARTS
            }
            if not self.execute(cursor, "DELETE FROM survey WHERE id = ?", (survey,)).rowcount:
                raise _gone()
            self.execute(cursor, "INSERT INTO deleted_survey (id, deleted_at) VALUES (?, ?)", (survey, now))
            return Removed(removed["answer"], removed["identifier"], removed["aside"], bool(removed["release"]))

        return self.run(work)

    def names(self) -> list[str]:
        """Give the names of all surveys."""
        return self.run(
            lambda cursor: [row[0] for row in self.execute(cursor, "SELECT name FROM survey ORDER BY name").fetchall()],
            write=False,
        )

    def find(self, name: str) -> StoredSurvey | None:
        """Give a survey by its name."""

        def work(cursor: Any) -> StoredSurvey | None:
            sql = "SELECT id, definition, opened_at, bucket, secret FROM survey WHERE name = ?"
            row = self.execute(cursor, sql, (name,)).fetchone()
            return None if row is None else StoredSurvey(*row)

        return self.run(work, write=False)

    def facts(self, survey: int) -> SurveyState:
        """Give how a survey stands, at one moment."""

        def work(cursor: Any) -> SurveyState:
            row = self.execute(cursor, "SELECT closed_at, plan FROM survey WHERE id = ?", (survey,)).fetchone()
            if row is None:
                raise _gone()
            closed_at, plan = row
            arrivals = self.execute(
                cursor, "SELECT bucket, sum(n) FROM arrival WHERE survey = ? GROUP BY bucket ORDER BY bucket", (survey,)
            ).fetchall()
            made = self.execute(
                cursor, "SELECT made_at, published_at, sha256, facts FROM release WHERE survey = ?", (survey,)
            ).fetchone()
            moves = self.execute(
                cursor, "SELECT moved_at, closes FROM closing_move WHERE survey = ? ORDER BY seq", (survey,)
            ).fetchall()
            aside = self.execute(
                cursor, "SELECT key, set_at, reason FROM aside WHERE survey = ? ORDER BY set_at, seq", (survey,)
            ).fetchall()
            stages = self._stages(cursor, survey)
            counts = [(float(bucket), int(n)) for bucket, n in arrivals]
            moved = [(float(moved_at), float(closes)) for moved_at, closes in moves]
            left_out = [Aside(*row) for row in aside]
            return SurveyState(closed_at, plan, stages, counts, moved, left_out, *(made or (None,) * 4))

        return self.run(work, write=False)

    def add(
        self,
        survey: int,
        keys: Sequence[str],
        rows: Sequence[str],
        identifiers: Sequence[str] | None,
        now: float,
        bucket: float,
        closes: float | None = None,
    ) -> set[int] | None:
        """Take answers, each key once; give the positions of those that were there before.

        None where the survey is not closed yet, but its time is over: none of them was taken. `closes` is when that
        is, unless it was moved.
        """

        def work(cursor: Any) -> set[int] | None:
            self.lock_open(cursor, survey, shared=True)
            closed_at, ends = self._closing(cursor, survey, closes)
            if closed_at is not None:
                raise SurveyClosed("the survey is closed; no answer is taken any more.")
            if ends is not None and now >= ends:
                return None
            # When exactly an answer came is nobody's business: it is kept as coarsely as arrivals are counted.
            repeated = self.insert(cursor, survey, keys, rows, bucket)
            if identifiers is not None:
                new = [place for place in range(len(keys)) if place not in repeated]
                cursor.executemany(
                    "INSERT INTO identifier (survey, key, row) VALUES (?, ?, ?)".replace("?", self.placeholder),
                    [(survey, keys[place], identifiers[place]) for place in new],
                )
            if len(repeated) < len(keys):
                self.execute(
                    cursor,
                    "INSERT INTO arrival (survey, bucket, writer, n) VALUES (?, ?, ?, ?) "
                    "ON CONFLICT (survey, bucket, writer) DO UPDATE SET n = arrival.n + excluded.n",
                    (survey, bucket, self.writer, len(keys) - len(repeated)),
                )
            return repeated

        return self.run(work)

    def close_survey(self, survey: int, now: float) -> None:
        """Take no answer from now on; every answer that was acknowledged is there."""

        def work(cursor: Any) -> None:
            self.lock_open(cursor, survey, shared=False)
            self.execute(cursor, "UPDATE survey SET closed_at = ? WHERE id = ? AND closed_at IS NULL", (now, survey))

        self.run(work)

    def close_due(self, survey: int, closes: float | None, now: float) -> None:
        """Close a survey if its time is over: at `closes`, unless that was moved."""

        def work(cursor: Any) -> None:
            self.lock_open(cursor, survey, shared=False)
            closed_at, ends = self._closing(cursor, survey, closes)
            if closed_at is None and ends is not None and now >= ends:
                self.execute(cursor, "UPDATE survey SET closed_at = ? WHERE id = ?", (now, survey))

        self.run(work)

    def move_closing(self, survey: int, closes: float | None, moved_to: float, now: float) -> None:
        """Let a survey close at another time than `closes`; SurveyClosed where it is closed or its time is over."""

        def work(cursor: Any) -> None:
            self.lock_open(cursor, survey, shared=False)
            closed_at, ends = self._closing(cursor, survey, closes)
            if closed_at is not None or (ends is not None and now >= ends):
                raise SurveyClosed(
                    "the survey is closed, and its closing cannot be moved any more: a closed survey does not open "
                    "again. Create another one to collect more answers."
                )
            self.execute(cursor, "UPDATE survey SET moved_to = ? WHERE id = ?", (moved_to, survey))
            self.execute(
                cursor,
                "INSERT INTO closing_move (survey, moved_at, closes) VALUES (?, ?, ?)",
                (survey, now, moved_to),
            )

        self.run(work)

    def set_aside(self, survey: int, key: str, reason: str, now: float) -> bool:
        """Leave an answer out of the release, for good; it is kept, and so is when and why. False where it was already.

        Nothing that was made of it stays: a base stage that holds it, or may, is done anew while the survey is open and
        given up where it is closed; a release that nobody has seen is made anew.
        """

        def work(cursor: Any) -> bool:
            self.lock_open(cursor, survey, shared=False)
            row = self.execute(cursor, "SELECT seq FROM answer WHERE survey = ? AND key = ?", (survey, key)).fetchone()
            if row is None:
                raise UnknownAnswer("the survey has no answer of this key. Check the key; keys are told apart by case.")
            sql = "SELECT 1 FROM aside WHERE survey = ? AND seq = ?"
            if self.execute(cursor, sql, (survey, row[0])).fetchone() is not None:
                return False
            stages = self._stages(cursor, survey, self.lock_stages)
            self.execute(cursor, "DELETE FROM release WHERE survey = ? AND published_at IS NULL", (survey,))
            if self.execute(cursor, "SELECT 1 FROM release WHERE survey = ?", (survey,)).fetchone() is not None:
                raise SecondRelease(
                    "the survey is released: no answer can be set aside any more. A second release, compared with the "
                    "first, could give people away."
                )
            sql = "INSERT INTO aside (survey, seq, key, set_at, reason) VALUES (?, ?, ?, ?, ?)"
            self.execute(cursor, sql, (survey, row[0], key, now, reason))
            sql = "SELECT closed_at FROM survey WHERE id = ?"
            is_closed = self.execute(cursor, sql, (survey,)).fetchone()[0] is not None
            base = stages[BASE].state
            if base in {RUNNING, FAILED} or (base == DONE and row[0] in self._labelled(cursor, survey, BASE)):
                self._forget(cursor, survey, BASE, SKIPPED if is_closed else WAITING)
            if stages[REST].state != WAITING:
                self._forget(cursor, survey, REST, WAITING)
            return True

        return self.run(work)

    def _labelled(self, cursor: Any, survey: int, stage: str) -> set[int]:
        """The numbers of the answers that a finished stage has grouped."""
        sql = "SELECT labels FROM stage WHERE survey = ? AND name = ?"
        packed = self.execute(cursor, sql, (survey, stage)).fetchone()[0]
        return set() if packed is None else set(unpack(packed)[0].tolist())

    def _forget(self, cursor: Any, survey: int, stage: str, state: str) -> None:
        """Let go of what a stage has made, and of whoever is at it."""
        message = "an answer was set aside" if state == SKIPPED else None
        self.execute(
            cursor,
            "UPDATE stage SET state = ?, owner = NULL, beat = NULL, progress = NULL, started = NULL, ended = NULL, "
            "n_records = NULL, labels = NULL, loss = NULL, message = ? WHERE survey = ? AND name = ?",
            (state, message, survey, stage),
        )

    def keys(self, survey: int, seqs: Sequence[int]) -> list[str]:
        """Give the keys of a few answers, by their numbers."""
        sql = f"SELECT key FROM answer WHERE survey = ? AND seq IN ({', '.join('?' * len(seqs))}) ORDER BY seq"

        def work(cursor: Any) -> list[str]:
            return [row[0] for row in self.execute(cursor, sql, (survey, *seqs)).fetchall()]

        return self.run(work, write=False) if seqs else []

    def answers(self, survey: int, limit: int | None, gather: Callable[[Iterator[Answers]], T]) -> T:
        """Give what `gather` makes of the answers of one moment, in the order of their numbers, chunk by chunk.

        Answers that were set aside are not among them. `gather` is called anew where the store went away meanwhile.
        """
        sql = (
            "SELECT seq, row FROM answer WHERE survey = ? AND seq NOT IN (SELECT seq FROM aside WHERE survey = ?) "
            "ORDER BY seq"
        )
        values: list[Any] = [survey, survey]
        if limit is not None:
            sql, values = f"{sql} LIMIT ?", [*values, limit]
        sql = sql.replace("?", self.placeholder)
        return self.run(lambda cursor: gather(self.stream(cursor, sql, values)), write=False)

    def keep_plan(self, survey: int, plan: str) -> None:
        """Note what the scheduler means to do."""
        self.run(lambda cursor: self.execute(cursor, "UPDATE survey SET plan = ? WHERE id = ?", (plan, survey)))

    def _closing(self, cursor: Any, survey: int, closes: float | None) -> tuple[float | None, float | None]:
        """When a survey was closed, and when it closes by itself."""
        sql = "SELECT closed_at, moved_to FROM survey WHERE id = ?"
        row = self.execute(cursor, sql, (survey,)).fetchone()
        if row is None:
            raise _gone()
        closed_at, moved_to = row
        return closed_at, closes if moved_to is None else moved_to

    def _stages(self, cursor: Any, survey: int, lock: str = "") -> dict[str, Stage]:
        rows = self.execute(
            cursor,
            "SELECT name, state, owner, beat, progress, started, ended, n_records, loss, message FROM stage "
            f"WHERE survey = ? ORDER BY name{lock}",
            (survey,),
        ).fetchall()
        return {row[0]: Stage(*row) for row in rows}


def _gone() -> UnknownSurvey:
    return UnknownSurvey("the survey is there no more: somebody deleted it.")
