"""Where a store is: addresses told apart, and words about them that never repeat what an address holds.

A password may stand anywhere in an address, and may be cut at any place where it holds a mark that it should not: what
looks like the name of a host may be the second half of it. So no part of an address of a server is ever shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from microagg.errors import InvalidOption

ALLOWED: Final = "a store is a path, sqlite:///path or postgresql://user:password@host/database"
MARKS: Final = "In a password write % as %25, @ as %40, : as %3A, / as %2F, ? as %3F and # as %23."

UNREADABLE: Final = f"the address of the PostgreSQL server cannot be read: {ALLOWED}. {MARKS}"

CAUSES: Final = (
    ("password authentication failed", "it refuses the user or the password"),
    ("no password supplied", "it asks for a password"),
    ("pg_hba.conf", "it does not let this user in from here (pg_hba.conf)"),
    ("resolve host", f"its host is not known. {MARKS}"),
    ("translate host name", f"its host is not known. {MARKS}"),
    ("does not exist", "it has no such database or user"),
    ("connection refused", "nothing listens there, or it is not running"),
    ("no such file or directory", "nothing listens there, or it is not running"),
    ("timeout", "it does not answer in time"),
    ("timed out", "it does not answer in time"),
    ("too many clients", "it has too many connections already"),
    ("connection slots", "it has too many connections already"),
    ("starting up", "it is starting up"),
    ("shutting down", "it is shutting down"),
    ("ssl", "an encrypted connection cannot be made"),
    ("invalid port", f"its port is not a number. {MARKS}"),
    ("invalid integer", f"its port is not a number. {MARKS}"),
)
"""What an error says when a connection cannot be made, and what is said of it: the words of the error hold parts of the
address, these do not."""

_KEYWORDS: Final = "host|hostaddr|port|dbname|user|password|passfile|service|options|sslmode|connect_timeout"


@dataclass(frozen=True, repr=False)
class Address:
    """Where a store is; it never shows what it holds."""

    is_server: bool
    place: str
    """The path of a file, or what PostgreSQL's own library reads: an address, or keyword=value pairs."""

    def __repr__(self) -> str:
        return f"<Address of a {'PostgreSQL server' if self.is_server else 'file'}>"


def read_address(url: str) -> Address:
    """Tell a file from a server.

    Parameters
    ----------
    url : str
        A path, sqlite:///path, postgresql://..., or the keywords of a connection: host=... dbname=...

    Raises
    ------
    InvalidOption
        It is none of them, or looks like an address that is not written out: a file of that name would show it.

    Examples
    --------
    >>> read_address("surveys.db").place, read_address("sqlite:////data/surveys.db").place
    ('surveys.db', '/data/surveys.db')
    >>> read_address("postgresql://me:secret@host/surveys")
    <Address of a PostgreSQL server>
    >>> read_address("me:secret@host/surveys")
    Traceback (most recent call last):
    microagg.errors.InvalidOption: a store is a path, sqlite:///path or ... this is none of them. A path ...
    """
    scheme, _, rest = url.partition("://")
    if scheme.lower() in {"postgresql", "postgres"} and rest:
        return Address(True, f"{scheme.lower()}://{rest}")
    if re.match(rf"\s*(?:{_KEYWORDS})\s*=", url):
        return Address(True, url)
    if url.startswith("sqlite:///"):
        path = url.removeprefix("sqlite:///")
        if path:
            return Address(False, path)
    elif url and not re.search(r"://|:.*@|^\s*(?:postgres|sqlite)\w*:|(?:password|PGPASS\w*)\s*=", url, re.I | re.S):
        return Address(False, url)
    raise InvalidOption(f"{ALLOWED}; this is none of them. A path with such marks is written sqlite:///path.")


def cause_of(words: str) -> str:
    """Say why no connection can be made, without any part of the address.

    >>> cause_of('connection to server at "cret@host" failed: Connection refused')
    'nothing listens there, or it is not running'
    """
    lowered = words.lower()
    return next((said for phrase, said in CAUSES if phrase in lowered), "no connection can be made")
