"""Statements about the stages of a survey and its release."""

from __future__ import annotations

from typing import Any

from microagg.base.types import IntArray
from microagg.errors import NotReady, SecondRelease
from microagg.survey.store.records import BASE, DONE, FAILED, REST, RUNNING, SKIPPED, WAITING, Made, pack, unpack
from microagg.survey.store.surveys import SurveyStatements

LEASE = 10.0
"""Seconds after its last sign of life from which a worker is taken to be dead."""


class Store(SurveyStatements):
    """Surveys in a database: what is asked of it, whichever it is."""

    def claim(self, survey: int, stage: str, owner: str, *, lease: float = LEASE, again: bool = False) -> bool:
        """Take a stage on, if it is due and nobody is at it; at most one of all who try at once can.

        The base stage is due while the survey is open. The rest is due when it is closed and the base stage is not
        running; one that died, or never began, is given up then: it would take no less time than everything at once.

        Parameters
        ----------
        survey, stage : int, str
            Which one.
        owner : str
            Who takes it on, as `owner_name` gives.
        lease : float
            Seconds after its last sign of life from which another worker is taken to be dead.
        again : bool
            Also try again what failed.
        """
        now = self.now()

        def work(cursor: Any) -> bool:
            stages = self._stages(cursor, survey, self.lock_stages)
            if stage not in stages:
                return False  # deleted meanwhile
            wanted = stages[stage]
            sql = "SELECT closed_at FROM survey WHERE id = ?"
            is_closed = self.execute(cursor, sql, (survey,)).fetchone()[0] is not None
            free = wanted.state == WAITING or (again and wanted.state == FAILED)
            if not free and not (wanted.state == RUNNING and not wanted.is_alive(now, lease)):
                return False
            if is_closed != (stage == REST):
                return False
            if stage == REST:
                base = stages[BASE]
                if base.is_alive(now, lease):
                    return False
                if base.state in {WAITING, RUNNING}:
                    self._end(cursor, survey, BASE, SKIPPED, now, "the survey closed before it was done")
            self.execute(
                cursor,
                "UPDATE stage SET state = ?, owner = ?, beat = ?, progress = 0, started = ?, ended = NULL, "
                "message = NULL WHERE survey = ? AND name = ?",
                (RUNNING, owner, now, now, survey, stage),
            )
            return True

        return self.run(work)

    def beat(self, survey: int, stage: str, owner: str, progress: float) -> bool:
        """Give a sign of life; False where the stage is no longer ours."""
        now = self.now()
        sql = "UPDATE stage SET beat = ?, progress = ? WHERE survey = ? AND name = ? AND owner = ? AND state = ?"
        return self.run(
            lambda cursor: bool(self.execute(cursor, sql, (now, progress, survey, stage, owner, RUNNING)).rowcount)
        )

    def fail(self, survey: int, stage: str, owner: str, message: str) -> None:
        """Note that a stage cannot be done, and why."""
        now = self.now()

        def work(cursor: Any) -> None:
            if self._is_owner(cursor, survey, stage, owner):
                self._end(cursor, survey, stage, FAILED, now, message)

        self.run(work)

    def finish_base(self, survey: int, owner: str, seqs: IntArray, labels: IntArray, loss: float | None) -> bool:
        """Keep which answers were in the base stage, and their groups; False where the stage is no longer ours."""
        now, packed = self.now(), pack(seqs, labels)

        def work(cursor: Any) -> bool:
            if not self._is_owner(cursor, survey, BASE, owner):
                return False
            self.execute(
                cursor,
                "UPDATE stage SET labels = ?, loss = ?, n_records = ? WHERE survey = ? AND name = ?",
                (packed, loss, len(seqs), survey, BASE),
            )
            self._end(cursor, survey, BASE, DONE, now, None)
            return True

        return self.run(work)

    def finish_rest(
        self, survey: int, owner: str, seqs: IntArray, labels: IntArray, loss: float | None, n_records: int, made: Made
    ) -> bool:
        """Keep the groups of all answers and what will be published, at once; False where it is no longer ours."""
        now, packed = self.now(), pack(seqs, labels)

        def work(cursor: Any) -> bool:
            if not self._is_owner(cursor, survey, REST, owner):
                return False
            self.enter_release(cursor, survey, made)
            self.execute(
                cursor,
                "UPDATE stage SET labels = ?, loss = ?, n_records = ? WHERE survey = ? AND name = ?",
                (packed, loss, n_records, survey, REST),
            )
            self._end(cursor, survey, REST, DONE, now, None)
            return True

        return self.run(work)

    def enter_release(self, cursor: Any, survey: int, made: Made) -> None:
        """Enter the one release of a survey; SecondRelease where there is another."""
        new = self.execute(
            cursor,
            "INSERT INTO release (survey, content, report, sha256, facts, made_at) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            (survey, made.content, made.report, made.sha256, made.facts, made.made_at),
        ).rowcount
        sql = "SELECT sha256 FROM release WHERE survey = ?"
        if not new and self.execute(cursor, sql, (survey,)).fetchone()[0] != made.sha256:
            raise SecondRelease(
                "there is a release of this survey already, and this one differs. A survey is released once: two "
                "different releases, compared, could give people away. Hand out the one that exists."
            )

    def labels(self, survey: int, stage: str) -> tuple[IntArray, IntArray]:
        """Give the numbers of the answers of a finished stage, and their groups."""

        def work(cursor: Any) -> bytes | None:
            sql = "SELECT labels FROM stage WHERE survey = ? AND name = ?"
            packed: bytes | None = self.execute(cursor, sql, (survey, stage)).fetchone()[0]
            return packed

        packed = self.run(work, write=False)
        if packed is None:
            raise NotReady(f"the {stage} stage has not been done.")
        return unpack(packed)

    def publish(self, survey: int, now: float) -> Made | None:
        """Give what is published, and note when that was first; None where there is nothing yet."""

        def work(cursor: Any) -> Made | None:
            self.execute(
                cursor,
                "UPDATE release SET published_at = ? WHERE survey = ? AND published_at IS NULL",
                (now, survey),
            )
            sql = "SELECT content, report, sha256, facts, made_at, published_at FROM release WHERE survey = ?"
            row = self.execute(cursor, sql, (survey,)).fetchone()
            return None if row is None else Made(bytes(row[0]), bytes(row[1]), *row[2:])

        return self.run(work)

    def _is_owner(self, cursor: Any, survey: int, stage: str, owner: str) -> bool:
        record = self._stages(cursor, survey, self.lock_stages).get(stage)
        return record is not None and record.owner == owner and record.state == RUNNING

    def _end(self, cursor: Any, survey: int, stage: str, state: str, now: float, message: str | None) -> None:
        self.execute(
            cursor,
            "UPDATE stage SET state = ?, ended = ?, owner = NULL, message = ?, "
            "progress = CASE WHEN ? = 'done' THEN 1 ELSE progress END WHERE survey = ? AND name = ?",
            (state, now, message, state, survey, stage),
        )
