"""What a column seems to be, and which other columns it gives away: the words of the column check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from microagg.base.schema import Kind


class Seems(StrEnum):
    """What a column seems to be."""

    IDENTIFIER = "identifier"
    """Points to one person, household or thing: names, numbers of persons, addresses of any kind."""
    FREE_TEXT = "free text"
    """Sentences that may say anything about anybody."""
    CODE = "code"
    """Numbers, or text of digits, that stand for something else and have no mean."""
    DATE = "date"
    WEIGHT = "survey weight"
    """How many people a record stands for."""
    GEOGRAPHY = "geography"
    CONSTANT = "constant"
    EMPTY = "almost empty"
    CATEGORY = "category"
    """Text or truth values, each shared by many."""
    NUMBER = "number"


class Bond(StrEnum):
    """In which way a column gives another one away."""

    SAME_ORDER = "same order"
    """Both order the records alike, or the one in reverse: each value of the one belongs to one of the other."""
    DETERMINES = "determines"
    """Each of its values occurs with one value of the other only."""
    NEARLY = "nearly determines"
    """Nearly so: a few records are exceptions, or the order is nearly the same."""
    INDICATES = "indicates"
    """One of several columns of two values that together name the value of the other."""


@dataclass(frozen=True)
class Tie:
    """A column that gives another one away.

    Attributes
    ----------
    column, other : str
        The one that tells, and the one that is told.
    bond : Bond
        In which way.
    n_right : int
        In how many records the other follows.
    n_seen : int
        Of so many that were looked at.
    n_records : int
        Of so many that there are.
    """

    column: str
    other: str
    bond: Bond
    n_right: int
    n_seen: int
    n_records: int

    @property
    def words(self) -> str:
        """Say it for people, without a value of any record.

        >>> Tie("lwage", "wage", Bond.DETERMINES, 3010, 3010, 3010).words
        "gives 'wage' away: it follows in 3,010 of 3,010 records"
        """
        of = f"{self.n_right:,} of {self.n_seen:,} {'sampled ' if self.n_seen < self.n_records else ''}records"
        if self.bond is Bond.SAME_ORDER:
            return f"gives {self.other!r} away: both put the records into one order ({of})"
        if self.bond is Bond.INDICATES:
            return f"gives {self.other!r} away, with others like it: each of them stands for one of its values ({of})"
        nearly = "nearly " if self.bond is Bond.NEARLY else ""
        return f"{nearly}gives {self.other!r} away: it follows in {of}"


@dataclass(frozen=True)
class ColumnFinding:
    """What a column seems to be, and why.

    Attributes
    ----------
    name : str
        The column.
    seems : Seems
        What it seems to be.
    reasons : tuple of str
        Why, in words, with counts and without values.
    kind : Kind or None
        What it is best treated as where it is a quasi-identifier; None where it should be none.
    ties : tuple of Tie
        The other columns that it gives away.
    share_missing : float
        The share of the records that lack a value.
    n_units : int
        How many persons or things it numbers, where some of them have several records; 0 where it numbers none.
    """

    name: str
    seems: Seems
    reasons: tuple[str, ...]
    kind: Kind | None = None
    ties: tuple[Tie, ...] = ()
    share_missing: float = 0.0
    n_units: int = 0

    @property
    def is_identifying(self) -> bool:
        """Whether it may name somebody outright, and so must not leave the house unnoticed."""
        return self.seems in (Seems.IDENTIFIER, Seems.FREE_TEXT)

    @property
    def why(self) -> str:
        """Why, in one line, with the columns that it gives away."""
        return "; ".join([*self.reasons, *(tie.words for tie in self.ties)])
