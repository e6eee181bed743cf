"""What can go wrong, as few kinds of error as callers need to tell apart.

Every message says what was wrong, what is allowed and, where there is one, the way out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "BrokenPromise",
    "DeviceProblem",
    "FileProblem",
    "InfeasibleK",
    "InfeasiblePromise",
    "InvalidAnswers",
    "InvalidData",
    "InvalidOption",
    "LikelyIdentifier",
    "MicroaggError",
    "MissingExtra",
    "NotKAnonymous",
    "NotKAnonymousWarning",
    "NotReady",
    "OnProcessorWarning",
    "Problem",
    "SecondRelease",
    "StoreFull",
    "StoreUnavailable",
    "SurveyClosed",
    "UnknownAnswer",
    "UnknownSurvey",
]


class MicroaggError(Exception):
    """The parent of every error that microagg raises on purpose."""


class InvalidData(MicroaggError, ValueError):
    """The data cannot be used as they are: no rows, missing or infinite values, text where numbers must be."""


class InvalidOption(MicroaggError, ValueError):
    """An option has an unknown name, a value that is not allowed, or one that this method cannot honour."""


class InfeasibleK(InvalidOption):
    """k is smaller than 2 or larger than the number of records."""


class InfeasiblePromise(InvalidOption):
    """No partition of the records keeps what is promised of a confidential column."""


class NotKAnonymous(MicroaggError):
    """The release is not k-anonymous, so it is refused."""


class BrokenPromise(MicroaggError):
    """The release breaks a promise on a confidential column, so it is refused."""


class LikelyIdentifier(MicroaggError):
    """A column that nobody spoke of seems to name persons, or gives a quasi-identifier away, so nothing is released.

    Attributes
    ----------
    columns : tuple of str
        The columns that must be spoken of.
    """

    def __init__(self, message: str, columns: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.columns = columns


class MissingExtra(MicroaggError, ImportError):
    """An optional part of microagg is needed and not installed."""


class DeviceProblem(MicroaggError, RuntimeError):
    """There is no device of the kind that was asked for, or it cannot hold the records."""


class FileProblem(MicroaggError, OSError):
    """A file cannot be read or written."""


class NotKAnonymousWarning(UserWarning):
    """The result protects less than k-anonymity on the combination of columns does."""


class OnProcessorWarning(UserWarning):
    """Records that a device cannot take were grouped on the processor."""


class IndexKeptWarning(UserWarning):
    """Labels of rows that are more than numbers stay with what comes out."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with an answer: never the value itself.

    >>> Problem(3, "age", "must be at most 120")
    Problem(index=3, field='age', rule='must be at most 120')

    Attributes
    ----------
    index : int
        Which answer of those that were sent, from 0 on.
    field : str or None
        Which field; None for the answer as a whole.
    rule : str
        What must hold.
    """

    index: int
    field: str | None
    rule: str


class InvalidAnswers(InvalidData):
    """Answers of a survey break its rules, so none of those that were sent together is taken."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        first = self.problems[0]
        where = f"answer {first.index + 1}" + ("" if first.field is None else f", field {first.field!r}")
        more = f" (and {len(self.problems) - 1} more problems)" if len(self.problems) > 1 else ""
        super().__init__(f"{where}: {first.rule}{more}. None of the answers was taken.")


class UnknownSurvey(MicroaggError, LookupError):
    """There is no survey of this name in the store."""


class UnknownAnswer(MicroaggError, LookupError):
    """There is no answer of this key in the survey."""


class SurveyClosed(MicroaggError):
    """The survey is closed: no answer is taken any more."""


class NotReady(MicroaggError):
    """The release of a survey does not exist, or not yet."""


class SecondRelease(MicroaggError):
    """A survey is released once: another release of it, compared with the first, could give people away."""


class StoreUnavailable(MicroaggError, OSError):
    """The database of a survey cannot be reached or used; nothing of what was asked has been acknowledged."""


class StoreFull(StoreUnavailable):
    """The database of a survey has no room left; what was acknowledged before is kept."""
