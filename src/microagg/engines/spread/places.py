"""Where spread records can be: by the name that users give. A new place is a file, and one line here."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from microagg.base.options import hint
from microagg.engines.spread.host import missing_extra
from microagg.engines.spread.parts import Parts
from microagg.errors import InvalidOption


@dataclass(frozen=True)
class EnginePlace:
    """A kind of engine.

    Attributes
    ----------
    name : str
        How it is called: what stands before "://".
    example : str
        How users write it.
    module : str
        The module whose `open_parts(engine, files, staging, target, threads)` gives parts as a context manager.
    extra : str
        The optional part of microagg that it needs.
    client : str
        The package of objects that may be given in place of a name; "" where there are none.
    here : bool
        Whether all workers are on this machine.
    """

    name: str
    example: str
    module: str
    extra: str
    client: str = ""
    here: bool = False

    def open(
        self, engine: Any, files: Sequence[Path], staging: Path, target: Path | None, threads: int | None
    ) -> AbstractContextManager[Parts]:
        """Open Parquet files as parts.

        Parameters
        ----------
        engine : str or object
            What the user gave.
        files : sequence of Path
            Parquet files of the same columns, in order.
        staging : Path
            A private folder that all workers see, for what lies between; removed in the end.
        target : Path, optional
            A folder in `staging`, not there yet, for the release: `part-00000.parquet` and so on, all there once
            `publish` was called. It becomes the user's folder by one rename. None where nothing is written.
        threads : int, optional
            How many threads, or processes, to use on this machine.
        """
        try:
            module = importlib.import_module(self.module)
        except ModuleNotFoundError as error:
            raise missing_extra(self.name, self.extra, error) from error
        opened: AbstractContextManager[Parts] = module.open_parts(engine, files, staging, target, threads)
        return opened


_MAPPED = "microagg.engines.spread.files"
LOCAL_SPARK = re.compile(r"local(-cluster)?\[.+\]")
"""What Spark calls workers on this machine."""

PLACES: dict[str, EnginePlace] = {
    place.name: place
    for place in (
        EnginePlace("serial", "serial", _MAPPED, "cluster", here=True),
        EnginePlace("processes", "processes", _MAPPED, "cluster", here=True),
        EnginePlace("dask", "dask://HOST:PORT", _MAPPED, "dask", client="distributed"),
        EnginePlace("ray", "ray://HOST:PORT", _MAPPED, "ray"),
        EnginePlace(
            "spark", "spark://HOST:PORT or local[2,4]", "microagg.engines.spread.spark_files", "spark", client="pyspark"
        ),
    )
}


def place_of(engine: Any) -> EnginePlace:
    """Give the kind of engine that is meant.

    >>> place_of("dask://localhost:8786").name
    'dask'
    """
    package = type(engine).__module__.partition(".")[0]
    for place in PLACES.values():
        if place.client and package == place.client:
            return place
    name = engine.partition("://")[0] if isinstance(engine, str) else ""
    if LOCAL_SPARK.fullmatch(name):
        return PLACES["spark"]
    if name not in PLACES:
        listed = ", ".join(place.example for place in PLACES.values())
        shown = repr(engine) if isinstance(engine, str) else f"a {type(engine).__name__}"
        raise InvalidOption(f"engine must be one of {listed}; got {shown}.{hint(name, PLACES)}")
    return PLACES[name]
