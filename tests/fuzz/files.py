"""Damaged files of every format: reading ends with a release or with one line, in bounded time and memory.

The process that runs these cases may address a few gigabytes only, and is ended where a case hangs: see `run`.
"""

from __future__ import annotations

import gzip
import io
import json
import struct
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fuzz.generators import Column, Sample, chance_of, word, write_file
from fuzz.parts import Failure, Told, attempt, files_in, temporary_place

NAME = "files"
TABLES = (".csv", ".csv.gz", ".tsv", ".parquet", ".xlsx", ".sav", ".zsav", ".dta", ".xpt")
EDGES = "child,parent\nnurse,health\ndoctor,health\nhealth,work\nteacher,school\nschool,work\n"
OTHERS = {
    "edges.csv": EDGES,
    "tree.json": json.dumps({"work": {"health": {"nurse": {}, "doctor": {}}, "school": {"teacher": {}}}}),
    "tree.yaml": "work:\n  health:\n    nurse:\n    doctor:\n  school:\n    teacher:\n",
    "levels.csv": "nurse;health;work\ndoctor;health;work\nteacher;school;work\n",
    "plan.toml": "",
    "survey.toml": 'name = "wellbeing"\nk = 3\n[[fields]]\nname = "age"\ntype = "integer"\n',
    "track.gpx": '<?xml version="1.0"?><gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk>'
    '<trkseg><trkpt lat="1" lon="2"><time>2024-01-01T00:00:00Z</time></trkpt><trkpt lat="1.1" lon="2.2">'
    "<time>2024-01-01T00:01:00Z</time></trkpt></trkseg></trk></gpx>",
}
INSERTED = (b"\x00", b"\xff\xfe", b'"', b"\r", b"\n\n", b"\xc3\x28", b"1e999", b"&x;", b"[" * 99, "\u202e😀".encode())


def run(numbers: Iterable[int], folder: Path) -> Iterator[Told]:
    for number in numbers:
        place = folder / str(number)
        place.mkdir(parents=True)
        with temporary_place(place):
            yield number, *case(number, place)


def case(number: int, folder: Path) -> tuple[str, list[Failure]]:
    chance = chance_of(NAME, number)
    sort = chance.choices(["table", "other", "bomb"], [7, 3, 1])[0]
    if sort == "bomb":
        path, read = bomb(chance, folder)
    elif sort == "other":
        path, read = other(chance, folder)
        path.write_bytes(damaged(chance, path))
    else:
        path, read = table(chance, folder)
        path.write_bytes(damaged(chance, path))
    there = files_in(folder)
    outcome = attempt(read)
    failures = [
        Failure(f"{failure.kind}{'' if '@' in failure.kind else f'@{path.name}'}", f"{path.name}: {failure.words}")
        for failure in outcome.failures or ()
        if not failure.kind.startswith("warning")
    ]
    left = files_in(folder) - there
    if outcome.refused is not None and any(entry.name.startswith("released") for entry in left):
        failures.append(Failure("left_behind", path.name))
    return "failed" if failures else "refused" if outcome.refused is not None else "read", failures


def table(chance: Any, folder: Path) -> tuple[Path, Any]:
    """A small table in some format, and its release."""
    import microagg as ma

    n = 30
    columns = [
        Column("age", "quasi", "whole", v := [chance.randint(18, 90) for _ in range(n)], [str(x) for x in v]),
        Column(
            "pay", "quasi", "number", w := [round(chance.gauss(2e3, 300), 2) for _ in range(n)], [str(x) for x in w]
        ),
        Column("job", "quasi", "text", t := [chance.choice(["nurse", "doctor"]) for _ in range(n)], t),
        Column("row", "confidential", "whole", list(range(n)), [str(i) for i in range(n)]),
    ]
    suffix = chance.choice(TABLES)
    path = folder / f"input{suffix}"
    write_file(chance, Sample(columns, 3, {}), path)
    quasi = ["v0", "v1", "v2"] if suffix in (".sav", ".zsav", ".dta", ".xpt") else ["age", "pay", "job"]
    target = folder / f"released{chance.choice(['.csv', suffix])}"
    memory = chance.choice(["unlimited", "unlimited", "unlimited", "20MB"]) if suffix in TABLES[:4] else "unlimited"
    quasi = quasi[:2] if memory == "20MB" else quasi
    return path, lambda: ma.anonymize_file(path, target, k=3, quasi=quasi, memory=memory)


def other(chance: Any, folder: Path) -> tuple[Path, Any]:
    """Something else that users hand over: hierarchies, plans, surveys, tracks."""
    import pandas as pd

    import microagg as ma

    name = chance.choice(list(OTHERS))
    path = folder / name
    path.write_text(OTHERS[name], encoding="utf-8")
    jobs = pd.DataFrame({"job": ["nurse", "doctor", "teacher"] * 4, "row": range(12)})
    if name == "plan.toml":
        ma.save_plan(ma.anonymize(jobs.drop(columns="row"), k=3).plan, path)
        return path, lambda: ma.repeat(jobs, path)
    if name == "survey.toml":
        from microagg.survey import Definition

        return path, lambda: Definition.read(path)
    if name == "track.gpx":
        from fuzz.parts import command

        return path, lambda: refused_or(command("trajectories", str(path), "-k", "2", "-o", str(folder / "out.gpx")))
    return path, lambda: ma.anonymize(jobs, k=3, quasi=["job"], kinds={"job": f"hierarchy:{path}"})


def refused_or(printed: Any) -> Any:
    """A command that ended with a traceback is a failure, one that was refused is none."""
    from microagg.errors import InvalidData

    if "Traceback" in printed.err:
        raise RuntimeError(printed.err.strip().splitlines()[-1])
    if printed.code:
        raise InvalidData("refused")
    return printed


def damaged(chance: Any, path: Path) -> bytes:
    """Cut, flip, repeat or overwrite some bytes; of archives, mostly inside."""
    content = path.read_bytes()
    if path.suffix == ".xlsx" and chance.random() < 0.8:
        return damaged_archive(chance, content)
    if path.suffix == ".gz" and chance.random() < 0.6:
        return gzip.compress(mutated(chance, gzip.decompress(content)))
    return mutated(chance, content)


def mutated(chance: Any, content: bytes) -> bytes:
    data = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        at = chance.randrange(max(1, min(len(data), chance.choice([64, 600, len(data)])))) if data else 0
        what = chance.choice(["cut", "flip", "flip", "flip", "delete", "repeat", "number", "insert"])
        if what == "cut":
            data = data[:at] if chance.random() < 0.3 else data[: chance.randrange(len(data) + 1)]
        elif what == "flip" and data:
            data[at] ^= 1 << chance.randrange(8)
        elif what == "delete":
            del data[at : at + chance.choice([1, 4, 100])]
        elif what == "repeat":
            data[at:at] = data[at : at + chance.choice([1, 8, 200])] * chance.choice([1, 3])
        elif what == "number":
            size = chance.choice([2, 4, 8])
            sort = chance.choice([b"\xff" * size, b"\x00" * size, struct.pack("<q", 2 ** (8 * size - 1) - 1)[:size]])
            data[at : at + size] = sort
        else:
            data[at:at] = chance.choice(INSERTED)
    return bytes(data)


def damaged_archive(chance: Any, content: bytes) -> bytes:
    """Damage one member of a zip file, leave it out, or say something untrue about it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as book, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as copy:
        victim = chance.choice(book.namelist())
        for name in book.namelist():
            if name != victim:
                copy.writestr(name, book.read(name))
            elif chance.random() < 0.8:
                copy.writestr(name, mutated(chance, book.read(name)))
    return out.getvalue()


def bomb(chance: Any, folder: Path) -> tuple[Path, Any]:
    """Small files that ask for much: far cells, deep trees, aliases, many columns, long compressed nothings."""
    import microagg as ma

    sort = chance.choice(["far cell", "many rows", "wide", "aliases", "deep", "gzip", "dimension", "names"])
    path = folder / {"aliases": "bomb.yaml", "deep": "bomb.json", "gzip": "bomb.csv.gz", "wide": "bomb.csv",
                     "names": "bomb.csv"}.get(sort, "bomb.xlsx")  # fmt: skip
    if sort == "wide":
        names = [f"c{i}" for i in range(chance.choice([2_000, 12_000]))]
        path.write_text("\n".join([",".join(names)] + [",".join("1" for _ in names)] * 4) + "\n")
    elif sort == "names":
        path.write_text(word(chance, 20) * 50_000 + ",b\n1,2\n3,4\n5,6\n")
    elif sort == "gzip":
        path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * chance.choice([10, 300_000]) + b"0" * 200_000_000))
    elif sort == "aliases":
        levels = [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 12)]
        path.write_text("\n".join(["l0: &l0 [a, b]", *levels]) + "\n")
    elif sort == "deep":
        depth = chance.choice([900, 6_000, 60_000])
        path.write_text('{"a":' * depth + "{}" + "}" * depth)
    else:
        rows = {
            "far cell": '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
            "many rows": "".join(f'<row r="{i}"><c r="A{i}"><v>1</v></c></row>' for i in range(1, 150_000)),
            "dimension": '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>',
        }[sort]
        write_sheet(path, rows)
    if path.suffix in (".yaml", ".json"):
        from microagg.semantic import read_hierarchy

        return path, lambda: read_hierarchy(path)
    return path, lambda: ma.anonymize_file(path, folder / "released.csv", k=2, method="mdav", memory="unlimited")


PARTS = {
    "[Content_Types].xml": """<Types xmlns="MAIN/package/2006/content-types"><Default Extension="rels"
        ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
        <Override PartName="/xl/workbook.xml" ContentType="KIND.sheet.main+xml"/>
        <Override PartName="/xl/worksheets/s.xml" ContentType="KIND.worksheet+xml"/></Types>""",
    "_rels/.rels": """<Relationships xmlns="MAIN/package/2006/relationships"><Relationship Id="r1"
        Type="MAIN/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>""",
    "xl/workbook.xml": """<workbook xmlns="MAIN/spreadsheetml/2006/main"
        xmlns:r="MAIN/officeDocument/2006/relationships"><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets>
        </workbook>""",
    "xl/_rels/workbook.xml.rels": """<Relationships xmlns="MAIN/package/2006/relationships"><Relationship Id="r1"
        Type="MAIN/officeDocument/2006/relationships/worksheet" Target="worksheets/s.xml"/></Relationships>""",
    "xl/worksheets/s.xml": """<worksheet xmlns="MAIN/spreadsheetml/2006/main"><dimension ref="A1:XFD1048576"/>
        <sheetData>ROWS</sheetData></worksheet>""",
}
"""The least that a workbook needs."""


def write_sheet(path: Path, rows: str) -> None:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in PARTS.items():
            filled = text.replace("MAIN", "http://schemas.openxmlformats.org").replace("KIND", kind)
            book.writestr(name, filled.replace("ROWS", rows))
