"""A Ray cluster: jobs as remote functions, data in files that all its workers see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from microagg.engines.spread.host import missing_extra

RETRIES = 3


class RayHost:
    """Runs everything on Ray; see `Host`.

    Parameters
    ----------
    engine : str
        "ray://HOST:PORT" of a cluster, or "ray" for the one that is running, else for this machine.
    """

    threads = 1

    def __init__(self, engine: str) -> None:
        try:
            import ray
        except ModuleNotFoundError as error:
            raise missing_extra("ray", "ray", error) from error
        self._ray = ray
        self._own = not ray.is_initialized()
        if self._own:
            ray.init(address=engine if "://" in engine else None, log_to_driver=False, include_dashboard=False)

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Run a function on each item, the first ones first."""
        remote = self._ray.remote(function).options(max_retries=RETRIES, num_cpus=1)
        places = {remote.remote(item): place for place, item in enumerate(items)}
        waiting = list(places)
        try:
            while waiting:
                done, waiting = self._ray.wait(waiting)
                for reference in done:
                    yield places[reference], self._ray.get(reference)
        finally:
            for reference in waiting:
                self._ray.cancel(reference)

    def close(self) -> None:
        """Leave the cluster."""
        if self._own:
            self._ray.shutdown()
