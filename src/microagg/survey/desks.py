"""The open surveys of a service, each with its intake queue and its scheduler."""

from __future__ import annotations

import asyncio
import threading

from microagg.base.faults import log_fault
from microagg.errors import StoreUnavailable, UnknownSurvey
from microagg.survey.definition import NAME
from microagg.survey.intake import Intake
from microagg.survey.limits import Limits
from microagg.survey.refusals import LOG
from microagg.survey.scheduler import Scheduler
from microagg.survey.store import open_store
from microagg.survey.survey import CLOSING, OPEN, RELEASED, Survey

LOOK = 1.0
"""Seconds between two looks for surveys that are new in the store."""


class Desk:
    """One survey, and the queue before it."""

    def __init__(self, survey: Survey, loop: asyncio.AbstractEventLoop, limits: Limits) -> None:
        self.survey = survey
        self.intake = Intake(survey.add_rows, loop, most_waiting=limits.waiting)

    def close(self) -> None:
        """Write what waits, and leave the store."""
        self.intake.close()
        self.survey.disconnect()


class Desks:
    """The surveys of a store.

    Parameters
    ----------
    url : str
        The store.
    limits : Limits
        How many answers may wait, and how long for.
    schedule : bool
        Whether the stages are run from here.
    """

    def __init__(self, url: str, limits: Limits, *, schedule: bool) -> None:
        self.limits = limits
        self._url = url
        self._store = open_store(url, patience=limits.patience)
        self._desks: dict[str, Desk] = {}
        self._opening = threading.Lock()
        self._stop = threading.Event()
        self._overseer = threading.Thread(target=self._oversee, name="schedulers", daemon=True) if schedule else None

    def names(self) -> list[str]:
        """Give the names of the surveys."""
        return self._store.names()

    def known(self, name: str) -> Desk | None:
        """Give a desk that is open, without asking the store."""
        return self._desks.get(name)

    def open(self, name: str) -> Desk:
        """Give the desk of a survey.

        Raises
        ------
        UnknownSurvey
            There is no such survey.
        """
        with self._opening:
            desk = self._desks.get(name)
            if desk is None:
                if not NAME.fullmatch(name):
                    raise UnknownSurvey("the name of a survey is 1 to 64 small letters, digits, - and _; this is none.")
                survey = Survey.open(self._url, name, patience=self.limits.patience)
                desk = self._desks[name] = Desk(survey, self._loop, self.limits)
            return desk

    def forget(self, name: str) -> None:
        """Close the desk of a survey that was deleted."""
        with self._opening:
            desk = self._desks.pop(name, None)
        if desk is not None:
            threading.Thread(target=desk.close, name=f"closing {name}", daemon=True).start()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to serve requests from a loop, and to run stages when they are due."""
        self._loop = loop
        if self._overseer is not None:
            self._overseer.start()

    def close(self) -> None:
        """Write what waits, and leave the store; workers go on with what they are at."""
        self._stop.set()
        for desk in self._desks.values():
            desk.close()
        if self._overseer is not None:
            self._overseer.join()
        self._store.close()

    def _oversee(self) -> None:
        """Keep a scheduler for every survey, also for those that are created later."""
        released: set[str] = set()
        threads: dict[str, threading.Thread] = {}

        def schedule(name: str) -> None:
            try:
                scheduler = Scheduler(self._url, name)
                try:
                    # What is ready, or has failed, may have to be made anew: when an answer is set aside.
                    state = scheduler.state()
                    if state in {OPEN, CLOSING}:
                        scheduler.run(self._stop)
                        if not self._stop.is_set():
                            scheduler.join()
                    elif state == RELEASED:
                        released.add(name)
                finally:
                    scheduler.survey.disconnect()
            except Exception as problem:  # noqa: BLE001 - the other surveys go on, and this one is tried again
                log_fault(LOG, problem, f"the scheduler of survey {name}")

        while not self._stop.is_set():
            try:
                names = self.names()
            except StoreUnavailable as problem:
                log_fault(LOG, problem, "the look for surveys")
                names = []
            released.intersection_update(names)
            for name in names:
                if name not in released and not (name in threads and threads[name].is_alive()):
                    threads[name] = threading.Thread(
                        target=schedule, args=(name,), name=f"scheduler {name}", daemon=True
                    )
                    threads[name].start()
            self._stop.wait(LOOK)
        for thread in threads.values():
            thread.join()
