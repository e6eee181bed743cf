"""What systems differ in, in one place: locks, owners, processes, pipes, links. Nothing else asks for the system."""

from __future__ import annotations

import os
import select
import shutil
import sys
from pathlib import Path

if sys.platform == "win32":
    from microagg.files.windows import (
        CLOSED,
        GUARDED,
        WRITERS_HOLD_LOCKS,
        Place,
        allow_files,
        end_all,
        is_closed_to_others,
        is_mine,
        is_running,
        limit_memory,
        pause_all,
        resume_all,
        synchronise,
        try_lock,
        user_mark,
        wait_for_lock,
    )
else:
    from microagg.files.posix import (
        CLOSED,
        GUARDED,
        WRITERS_HOLD_LOCKS,
        Place,
        allow_files,
        end_all,
        is_closed_to_others,
        is_mine,
        is_running,
        limit_memory,
        pause_all,
        resume_all,
        synchronise,
        try_lock,
        user_mark,
        wait_for_lock,
    )

HAS_PIPES = hasattr(os, "mkfifo") and hasattr(select, "poll")
"""Whether a file that is written piece by piece can be read by name meanwhile."""
PATTERNS = frozenset("*?[]{}")
"""What makes a pattern of a name, for those who look for files."""

__all__ = [
    "CLOSED",
    "GUARDED",
    "HAS_PIPES",
    "WRITERS_HOLD_LOCKS",
    "Place",
    "allow_files",
    "end_all",
    "is_closed_to_others",
    "is_mine",
    "is_running",
    "limit_memory",
    "pause_all",
    "plain_name",
    "resume_all",
    "synchronise",
    "try_lock",
    "user_mark",
    "wait_for_lock",
]


def plain_name(path: Path, place: Path) -> Path:
    """Give a name for a file in which nobody sees a pattern or an address: a link at `place`.

    Where links need rights that the user lacks (Windows), it is the file's own name if that is plain, else a second
    name on the same disk, else a copy.

    Parameters
    ----------
    path : Path
        The file.
    place : Path
        Where the link may be, in a private folder; what is there is removed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "people[1].csv").write_text("age")
    ...     name = plain_name(Path(folder, "people[1].csv"), Path(folder, "input"))
    ...     name.name, name.read_text()
    ('input', 'age')
    """
    target = path.resolve()
    place.unlink(missing_ok=True)
    try:
        place.symlink_to(target)
    except (OSError, NotImplementedError):
        if not PATTERNS & set(str(target)) and "://" not in str(target):
            return target
        try:
            os.link(target, place)
        except OSError:
            shutil.copyfile(target, place)
    return place
