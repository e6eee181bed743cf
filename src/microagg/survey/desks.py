"""The surveys of a store, each with the queue before it; opened once, and kept."""

from __future__ import annotations

import threading

from microagg.errors import UnknownSurvey
from microagg.survey.definition import NAME
from microagg.survey.intake import Intake
from microagg.survey.limits import Limits
from microagg.survey.store import open_store
from microagg.survey.survey import Survey


class Desk:
    """One survey, and the queue before it."""

    def __init__(self, survey: Survey, limits: Limits) -> None:
        self.survey = survey
        self.intake = Intake(survey.add_rows, most_waiting=limits.waiting)

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
        self._url = url
        self.limits = limits
        self._store = open_store(url, patience=limits.patience)
        self._desks: dict[str, Desk] = {}
        self._opening = threading.Lock()

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
                    raise UnknownSurvey("a survey's name has 1 to 64 small letters, digits, - and _; this one differs.")
                desk = Desk(Survey.open(self._url, name, patience=self.limits.patience), self.limits)
                self._desks[name] = desk
            return desk

    def start(self) -> None:
        """Begin to run stages when they are due."""

    def close(self) -> None:
        """Write what waits, and leave the store."""
        for desk in self._desks.values():
            desk.close()
        self._store.close()
