"""Text files as one Parquet file, with the types of the whole: what workers read in parts."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from microagg import io
from microagg.engines.budget import Budget
from microagg.errors import InvalidData
from microagg.io.csv import with_gaps
from microagg.plan import Plan
from microagg.plan.columns import columns_with_gaps

GROUP = 131_072
"""Records of a row group."""
BLOCK = 1 << 20


def as_parquet(files: Sequence[Path], staging: Path, memory: int, plan: Plan, hints: Mapping[str, Any]) -> Path:
    """Read text files as one table, and write it as Parquet; done once, however often the driver is started."""
    target = staging / "source.parquet"
    if target.exists():
        return target
    with io.within_limits():
        source = files[0] if len(files) == 1 else _joined(files, staging)
        spool = io.Spool(staging, Budget.of(memory, 1, plan.k).database)
        table = io.read_spooled(source, spool, **hints)
        table = with_gaps(table, columns_with_gaps(plan, table.names))
        temporary = staging / "writing.parquet"
        table.copy(temporary, f"FORMAT parquet, ROW_GROUP_SIZE {GROUP}", as_text=False)
    temporary.replace(target)
    if len(files) > 1:
        source.unlink()
    return target


def _joined(files: Sequence[Path], staging: Path) -> Path:
    """Put text files of the same first line one after the other."""
    target = staging / f"joined{io.format_of(files[0]).suffix.removesuffix('.gz')}"
    names = None
    with target.open("wb") as out:
        for path in files:
            with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
                first = file.readline()
                if names is None:
                    names = first
                    out.write(first)
                elif first.rstrip() != names.rstrip():
                    raise InvalidData(
                        f"{path.name} has another first line than {files[0].name}: text files that are read together "
                        "must name the same columns in the same order."
                    )
                last = b"\n"
                while block := file.read(BLOCK):
                    out.write(block)
                    last = block[-1:]
                if last != b"\n":
                    out.write(b"\n")
    return target
