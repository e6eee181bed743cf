"""What can go wrong, as few kinds of error as callers need to tell apart.

Every message says what was wrong, what is allowed and, where there is one, the way out.
"""

__all__ = [
    "FileProblem",
    "InfeasibleK",
    "InvalidData",
    "InvalidOption",
    "MicroaggError",
    "MissingExtra",
    "NotKAnonymous",
    "NotKAnonymousWarning",
]


class MicroaggError(Exception):
    """The parent of every error that microagg raises on purpose."""


class InvalidData(MicroaggError, ValueError):
    """The data cannot be used as they are: no rows, missing or infinite values, text where numbers must be."""


class InvalidOption(MicroaggError, ValueError):
    """An option has an unknown name, a value that is not allowed, or one that this method cannot honour."""


class InfeasibleK(InvalidOption):
    """k is smaller than 2 or larger than the number of records."""


class NotKAnonymous(MicroaggError):
    """The release is not k-anonymous, so it is refused."""


class MissingExtra(MicroaggError, ImportError):
    """An optional part of microagg is needed and not installed."""


class FileProblem(MicroaggError, OSError):
    """A file cannot be read or written."""


class NotKAnonymousWarning(UserWarning):
    """The result protects less than k-anonymity on the combination of columns does."""
