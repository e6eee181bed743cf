"""What the engine asks of the place where records are spread: two ways to go through them, and one to write.

    fold      run a function on each part, merge what comes out: all that is small in the end
    shuffle   every record to its bucket, one task for each bucket: all that needs records side by side
    put       what was made of the records, beside what they were: the release

Functions are picklable (module-level functions, `functools.partial` of such, frozen dataclasses) and pure: one that
runs twice, because a worker died, gives the same. They take and give Arrow tables. Nothing may depend on how many parts
there are, in which order they come, or who works on them. A new place is a class with these methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from microagg.base.progress import Progress
from microagg.base.types import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

Small = TypeVar("Small")

ROW = "microagg.row"
"""The column of tables that says which record is which: int64, from 0, each number once. It follows from the data (file
and row in the file, an id), never from how an engine deals them out. Tables of parts end with it."""

Route = Callable[["pa.Table"], "tuple[IntArray, pa.Table]"]
"""Gives, for a part, a table of what is sent, and the bucket of each of its rows (from 0)."""
BucketTask = Callable[[int, "pa.Table"], "tuple[Any, pa.Table | None]"]
"""Works on all that was sent to a bucket, whose rows come in any order: sort them. Gives something small for the
driver, and a table that stays where it is (the same columns in all buckets), or None."""
Make = Callable[["pa.Table", "pa.Table"], "pa.Table"]
"""Makes released records of records and of what was made of them: two tables of the same rows in the same order."""


class Parts(Protocol):
    """Records in parts, wherever these lie."""

    @property
    def threads(self) -> int | None:
        """How many threads a function may use, where one works on one part or bucket; None for all there are."""

    @property
    def schema(self) -> pa.Schema:
        """The columns, without ROW."""

    @property
    def n_records(self) -> int:
        """How many records all parts have."""

    def fold(
        self,
        function: Callable[[pa.Table], Small],
        merge: Callable[[Small, Small], Small],
        columns: Sequence[str],
    ) -> Small:
        """Run a function on each part, and merge what it gives, in the order of the rows where there is one.

        Parameters
        ----------
        function : callable
            Given a table of these columns, in the order in which they are named, and ROW. Gives something small.
        merge : callable
            Puts two of them together; called by the driver.
        columns : sequence of str
            What to read; may be empty.
        """

    def shuffle(
        self,
        route: Route,
        task: BucketTask,
        columns: Sequence[str],
        *,
        n_buckets: int,
        sizes: IntArray | None = None,
        progress: Progress | None = None,
    ) -> tuple[Mapping[int, Any], Parts]:
        """Send every record to its bucket, and do the task for each bucket that got something.

        Parameters
        ----------
        route : callable
            Given tables as in `fold`.
        task : callable
            What is done with a bucket, as a whole in the memory of one worker.
        columns : sequence of str
            What `route` is given.
        n_buckets : int
            How many buckets there are.
        sizes : array of int, optional
            How many rows each bucket will get: the largest are begun first, and a bucket that gets another number is an
            error, as records were lost or came twice.
        progress : callable, optional
            Told the share of `sizes` that is done.

        Returns
        -------
        mapping of int to object
            What the task gave, by bucket.
        Parts
            The tables that the task gave, with ROW where these have it.
        """

    def put(self, made: Any, make: Make, columns: Sequence[str], *, scatter: int | None = None) -> None:
        """Write the release, where nobody sees it yet: of each record that `made` has, what `make` gives.

        Parameters
        ----------
        made : Parts
            From `shuffle` of these parts, with ROW: some of the records, each once.
        make : callable
            Given the records and what was made of them.
        columns : sequence of str
            What `make` is given of the records.
        scatter : int, optional
            A secret: put the records into an order that follows from it alone, over all parts. Else they keep theirs.
        """

    def publish(self) -> None:
        """End the release: all of it is there from here on. Of files, its folder is not yet the user's."""

    def discard(self) -> None:
        """Remove all that was made on the way, and the release if it was not published."""
