"""Damages a file again and again and reads it: python mutating.py KIND SEED COUNT.

Reading either works or says in one line what is wrong, in 4 GiB of memory. Prints how often each happened, as JSON.
"""

from __future__ import annotations

import gzip
import io as std_io
import json
import random
import resource
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

import numpy as np
from file_kinds import CSV, FILES

import microagg as ma
from microagg import io
from microagg.errors import MicroaggError
from microagg.plan import load_plan
from microagg.semantic import read_hierarchy
from microagg.survey.definition import Definition

MEMORY = 4 << 30
HIERARCHY = {"a": {"b": ["c", "d"], "e": {"f": None, "g": ["h"]}}}
TEXTS = {
    "hierarchy.json": (json.dumps(HIERARCHY), read_hierarchy),
    "hierarchy.yaml": (
        "a:\n  b: &x [c, d]\n  e:\n    f: null\n    2020-01-01: *x\n    i: {1.5: null}\n",
        read_hierarchy,
    ),
    "hierarchy.csv": ('child,parent\nc,b\nb,a\n"d",b\n', read_hierarchy),
    "levels.csv": ("c;b;a\nd;b;a\ne;f;a\n", read_hierarchy),
    "plan.toml": ('microagg = "0.1.0"\n[release]\nk = 5\nquasi = ["age"]\nround = { age = 1 }\nseed = 3\n', load_plan),
    "survey.toml": (
        'name = "a"\nk = 3\ncloses = 2030-01-01T00:00:00Z\n[[fields]]\nname = "age"\ntype = "integer"\nleast = 0\n',
        Definition.read,
    ),
}
TABLES = [*FILES, "utf16.csv", "cp1252.csv.gz"]


def make(kind: str, path: Path) -> None:
    """Write a file of this kind that is as it should be."""
    if kind in TEXTS:
        path.write_text(TEXTS[kind][0])
    elif kind == "utf16.csv":
        path.write_text(CSV, encoding="utf-16")
    elif kind == "cp1252.csv.gz":
        path.write_bytes(gzip.compress(CSV.replace("東京", "Köln").encode("cp1252")))
    else:
        FILES[kind](path)


def read(kind: str, path: Path) -> None:
    """Read a file, and use what was read as a release does."""
    if kind in TEXTS:
        TEXTS[kind][1](path)
        return
    table = io.read(path)
    for name in table.names:
        table.storage(name)
        table.categories(name)
    if table.n_records >= 2:
        release = ma.anonymize_file(path, path.with_name("out.csv"), 2, quasi=[table.names[0]], missing="drop")
        assert np.bincount(release.labels).min() >= 2


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Cut, flip, repeat, remove or overwrite some bytes."""
    data = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        if not data:
            break
        at, length = chance.randrange(len(data)), chance.choice([1, 1, 2, 8, 64])
        kind = chance.choice(["cut", "flip", "flip", "flip", "repeat", "remove", "fill", "noise"])
        if kind == "cut":
            del data[at:]
        elif kind == "flip":
            data[at] ^= 1 << chance.randrange(8)
        elif kind == "repeat":
            data[at:at] = data[at : at + length] * chance.choice([1, 3])
        elif kind == "remove":
            del data[at : at + length]
        elif kind == "fill":
            data[at : at + length] = chance.choice([b"\0", b"\xff", b"9", b'"', b"{"]) * length
        else:
            data[at : at + length] = chance.randbytes(length)
    return bytes(data)


def damaged_inside(content: bytes, chance: random.Random) -> bytes:
    """Damage one part of a packed file, and pack it again as if it were whole."""
    if content[:2] != b"PK":
        return gzip.compress(damaged(gzip.decompress(content), chance))
    packed = std_io.BytesIO()
    with zipfile.ZipFile(std_io.BytesIO(content)) as parts, zipfile.ZipFile(packed, "w") as again:
        victim = chance.choice(parts.namelist())
        for name in parts.namelist():
            again.writestr(name, damaged(parts.read(name), chance) if name == victim else parts.read(name))
    return packed.getvalue()


def play(kind: str, seed: int, count: int) -> dict[str, int]:
    chance = random.Random(f"{kind} {seed}")  # noqa: S311
    counts = {"read": 0, "refused": 0, "refused in several lines": 0}
    with tempfile.TemporaryDirectory() as folder:
        name = kind if not kind.startswith(".") else f"people{kind}"
        path = Path(folder, name)
        make(kind, path)
        read(kind, path)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        content = path.read_bytes()
        for number in range(count):
            is_packed = content[:2] in (b"PK", b"\x1f\x8b")
            damage = damaged_inside if is_packed and chance.random() < 0.7 else damaged
            path.write_bytes(damage(content, chance))
            try:
                read(kind, path)
                counts["read"] += 1
            except MicroaggError as problem:
                counts["refused" if "\n" not in str(problem) else "refused in several lines"] += 1
            except BaseException:
                Path(tempfile.gettempdir(), f"damaged-{number}-{name}").write_bytes(path.read_bytes())
                sys.stderr.write(f"{kind} {seed}, number {number}\n")
                raise
    return counts


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump(play(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])), sys.stdout)
