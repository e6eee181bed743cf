"""Open the store that an address names."""

from __future__ import annotations

from microagg.errors import MicroaggError
from microagg.survey.address import read_address
from microagg.survey.store.database import PATIENCE
from microagg.survey.store.stages import Store


def open_store(url: str, *, patience: float = PATIENCE) -> Store:
    """Open a store, and bring its tables up to date.

    Parameters
    ----------
    url : str
        A path or sqlite:///path for a file, postgresql://user:password@host/database for a server.
    patience : float
        Seconds for which it is tried again while it cannot be reached.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = open_store(f"{folder}/surveys.db")
    ...     store.names()
    ...     store.close()
    []
    """
    address = read_address(url)
    if address.is_server:
        from microagg.survey.store.postgres import PostgresStore

        return _up_to_date(PostgresStore(address.place, patience))
    from microagg.survey.store.sqlite import SqliteStore

    return _up_to_date(SqliteStore(address.place, patience))


def _up_to_date(store: Store) -> Store:
    try:
        store.run(store.migrate)
    except MicroaggError:
        store.close()
        raise
    return store
