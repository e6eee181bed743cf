"""`microagg.anonymize` for frames of Dask: the records stay on the cluster, and so does the release.

    from microagg import dask

    release = dask.anonymize(dask_dataframe.read_parquet("people"), k=5, quasi=["age", "income"])
    release.frame.to_parquet("released")

Workers need microagg with its extra `dask`, a folder that all of them see, and memory for one cell each.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from microagg.anonymize import anonymize_file
from microagg.base.progress import Progress
from microagg.base.schema import Role
from microagg.engines.spread.released import FrameRelease, new_folder, with_frame
from microagg.errors import InvalidData, InvalidOption, MissingExtra
from microagg.plan import takes_choices
from microagg.release import FileRelease

if TYPE_CHECKING:
    from dask.dataframe import DataFrame


@takes_choices
def anonymize(
    frame: DataFrame,
    k: int,
    *,
    folder: str | None = None,
    memory: str | int = "auto",
    progress: Progress | None = None,
    **asked: Any,
) -> FrameRelease:
    """Make a frame of Dask k-anonymous; see `microagg.anonymize`.

    The partitions are written down first, as Parquet files, and worked on by the cluster of the current client; by
    processes of this machine where there is no client. The result follows from the records and their order alone, not
    from partitions or workers, and a worker that dies is made up for.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        One record per row. Its index is not released.
    k : int
        Every record will share its quasi-identifiers with at least k - 1 others.
    {choices}
    folder : str, optional
        A folder that all workers see, for what is written down. By default, where all of them are on this machine, a
        temporary one that is removed when Python ends.
    memory : str or int
        What the work on one cell may take on a worker, such as "1GB", the default; the release depends on it.
    progress : callable, optional
        Told the fraction done every now and then.
    **options
        The method's own options, such as `gamma` of vmdav.

    Returns
    -------
    FrameRelease
        `release.frame` is the released frame; losses, risks and report as of every release.
    """
    try:
        import dask.dataframe as frames
        import distributed
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"frames of Dask need {error.name}, which is not installed. Install it with: pip install 'microagg[dask]'"
        ) from error
    if not isinstance(frame, frames.DataFrame):
        raise InvalidData(
            f"microagg.dask.anonymize takes a frame of Dask; got {type(frame).__name__}. Frames in memory are for "
            "microagg.anonymize."
        )
    try:
        client = distributed.get_client()
    except ValueError:
        client = None
    place = new_folder(folder) if folder is not None or _is_here(client) else None
    if place is None:
        raise InvalidOption("say where the release shall lie: folder=, a folder that all workers see.")
    try:
        frame.to_parquet(str(place / "records"), write_index=False, name_function=_name, write_metadata_file=False)
        engine = "processes" if client is None else client
        release = anonymize_file(
            place / "records", place / "release", k, engine=engine, memory=memory, progress=progress, **asked
        )
        if not isinstance(release, FileRelease):
            raise InvalidData("a frame on a cluster is released there.")
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    shutil.rmtree(place / "records")
    released = frames.read_parquet(str(place / "release"))
    return with_frame(replace(release, sources={}), _typed(released, frame, release), str(place / "release"))


def _name(number: int) -> str:
    """Name the file of a partition: files are read in the order of their names."""
    return f"part-{number:08d}.parquet"


def _is_here(client: Any) -> bool:
    """Say whether all workers are on this machine."""
    import distributed

    return client is None or isinstance(client.cluster, distributed.LocalCluster)


def _typed(released: DataFrame, original: DataFrame, release: FileRelease) -> DataFrame:
    """Give released columns the types that they had, unless numbers have become finer: means of whole ones."""
    before, after = original.dtypes, released.dtypes
    kinds = {
        name: before[name]
        for name in released.columns
        if before[name] != after[name]
        and (release.roles.get(name) is not Role.QUASI or _keeps(before[name], after[name]))
    }
    return released.astype(kinds) if kinds else released


def _keeps(before: Any, after: Any) -> bool:
    """Say whether released values of a quasi-identifier fit the type that it had."""
    return bool(before.kind != "i" or after.kind == "i")
