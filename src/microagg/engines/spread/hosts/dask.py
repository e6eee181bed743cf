"""A Dask cluster: jobs as futures, data in files that all its workers see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from microagg.engines.spread.host import missing_extra

RETRIES = 2


class DaskHost:
    """Runs everything on a Dask cluster; see `Host`.

    Parameters
    ----------
    engine : str or distributed.Client
        "dask://HOST:PORT" of a scheduler, or a client of one.
    """

    threads = 1

    def __init__(self, engine: Any) -> None:
        try:
            import distributed
        except ModuleNotFoundError as error:
            raise missing_extra("dask", "dask", error) from error
        package: Any = distributed
        self._as_completed = package.as_completed
        self._own = isinstance(engine, str)
        self._client = package.Client(engine.replace("dask://", "tcp://")) if isinstance(engine, str) else engine

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Run a function on each item, the first ones first."""
        futures = [
            self._client.submit(function, item, pure=False, retries=RETRIES, priority=-place)
            for place, item in enumerate(items)
        ]
        places = {future.key: place for place, future in enumerate(futures)}
        try:
            for future, result in self._as_completed(futures, with_results=True):
                yield places[future.key], result
        finally:
            self._client.cancel(futures)

    def close(self) -> None:
        """Leave the cluster."""
        if self._own:
            self._client.close()
