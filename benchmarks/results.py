"""Figures that the benchmarks measured, in one file (results.csv), and the tables of the docs that show them.

    python benchmarks/results.py            # write the tables of the docs anew from the file
    python benchmarks/results.py there.csv  # put in what was measured on another machine first

A row is one figure: what was measured (`figure`), on which data, with which k, its value as it is printed, and where it
comes from. Benchmarks put their figures in with --record; a figure that is there already is replaced, so that no two
places of the docs can disagree about it. A table of the docs stands between two marks and is never written by hand.
"""

from __future__ import annotations

import csv
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from microagg.io import atomic_path

HERE = Path(__file__).resolve().parent
FILE = HERE / "results.csv"
DOCS = HERE.parent / "docs"

TITLES = {"census": "Census", "tarragona": "Tarragona", "eia": "EIA"}
MADE_UP = {"gaussian": "Gaussian", "census_like": "Census-like"}
KS = range(3, 11)


@dataclass(frozen=True)
class Figure:
    """One measured number, as it is printed."""

    figure: str
    data: str
    k: str
    value: str
    source: str


Figures = dict[tuple[str, str, str], Figure]


def read(path: Path = FILE) -> Figures:
    """Give all figures by what they are of: figure, data and k."""
    with path.open(newline="", encoding="utf-8") as file:
        return {(row["figure"], row["data"], row["k"]): Figure(**row) for row in csv.DictReader(file)}


def record(new: Iterable[Figure], path: Path = FILE) -> None:
    """Put figures into the file; one that is there already is replaced."""
    known = read(path) | {(each.figure, each.data, each.k): each for each in new}
    write(known.values(), path)


def is_search(figure: str) -> bool:
    """Say whether a figure is what `best` reached after some seconds.

    >>> is_search("best, 30 CPU s"), is_search("best, 60 s"), is_search("mdav")
    (True, True, False)
    """
    return re.fullmatch(r"best, \S+ (CPU )?s", figure) is not None


def retire_searches(cases: Iterable[tuple[str, str]], path: Path = FILE) -> None:
    """Take out what `best` reached on some data and k, before other columns come in; the lowest is kept as a record."""
    known = read(path)
    for data, k in cases:
        searches = [each for (figure, *case), each in known.items() if is_search(figure) and case == [data, k]]
        for each in searches:
            del known[each.figure, data, k]
        former = known.get(("former best: loss %", data, k))
        lowest = min(searches, key=lambda each: float(each.value), default=None)
        if lowest is None or (former is not None and float(former.value) <= float(lowest.value)):
            continue
        for figure, written in ("loss %", lowest.value), ("in", lowest.figure.removeprefix("best, ")):
            known[f"former best: {figure}", data, k] = Figure(f"former best: {figure}", data, k, written, lowest.source)
    write(known.values(), path)


def write(figures: Iterable[Figure], path: Path) -> None:
    """Write a file of figures."""
    with atomic_path(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Figure)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(each) for each in figures)


def measured_by(script: str, values: Mapping[tuple[str, str, int], str], note: str = "") -> list[Figure]:
    """Give what a benchmark measured today, by figure, data and k, with where it comes from."""
    source = f"benchmarks/{script} on {time.strftime('%Y-%m-%d')}{note}"
    return [Figure(figure, data, str(k), written, source) for (figure, data, k), written in values.items()]


def record_all(script: str, values: Mapping[tuple[str, str, int], str], note: str = "") -> None:
    """Put what a benchmark measured into the file, by figure, data and k, and write the tables of the docs anew."""
    record(measured_by(script, values, note))
    write_docs()


def shape(data: str, n: int, m: int) -> str:
    """Name made-up data of so many records and columns.

    >>> shape("gaussian", 50_000, 13)
    'gaussian, 50000 x 13'
    """
    return f"{data}, {n} x {m}"


def markdown(heads: list[str], rows: Iterable[list[str]]) -> str:
    """Write a table."""
    lines = (heads, ["---"] * len(heads), *rows)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def value(figures: Figures, figure: str, data: str, k: int) -> str:
    """Give a figure as it is printed; nothing where it was not measured."""
    known = figures.get((figure, data, str(k)))
    return "" if known is None else known.value


def lowest_loss(figures: Figures) -> str:
    """docs/best.md: what `best` reaches after some seconds, the bound, and the lowest loss that is printed."""
    searches = sorted(
        {figure for figure, _, _ in figures if is_search(figure)},
        key=lambda figure: float(figure.split()[1]),
    )
    rows = []
    for data in TITLES:
        for k in KS:
            reached = [value(figures, figure, data, k) for figure in searches]
            printed = figures["lowest printed", data, str(k)]
            # Values are kept with four digits: what may have been rounded off is not claimed as a gain.
            least = min(float(each) for each in reached if each) + 0.00005
            less = f"{100 * (1 - least / float(printed.value)):.1f}%"
            bound = value(figures, "lower bound", data, k)
            rows.append([data, str(k), *reached, bound, printed.value, printed.source, less])
    seconds = [figure.removeprefix("best, ") for figure in searches]
    table = markdown(["data", "k", *seconds, "nothing below", "printed", "by", "less"], rows)
    return f"{table}\n\n{how_searched(searches)}"


def how_searched(searches: list[str]) -> str:
    """Say what the columns of seconds are."""
    if all(figure.endswith("CPU s") for figure in searches):
        return (
            "Processor seconds of one thread, `fast` included. All columns of a row are what one search had reached by "
            "then, seed 0."
        )
    return "Seconds of the clock on two processors, of a search before the present one; each column is one of its own."


def losses_by_k(figures: Figures) -> str:
    """docs/benchmarks.md: MDAV, `best` after 30 seconds and the bound, side by side."""
    searches = sorted({figure for figure, _, _ in figures if is_search(figure) and float(figure.split()[1]) == 30.0})
    kinds = {"MDAV": "mdav"} | {each: each for each in searches} | {"proven: nothing is below": "lower bound"}
    rows = [
        [f"{title}, {words}", *(value(figures, figure, data, k) for k in KS)]
        for data, title in TITLES.items()
        for words, figure in kinds.items()
    ]
    return markdown(["", "k = 3", *map(str, KS[1:])], rows)


def unit(written: str, name: str) -> str:
    """Put the unit behind a figure, where there is one."""
    return f"{written} {name}" if written else ""


def yardstick(figures: Figures) -> str:
    """MDAV beside a plain C++ one."""
    rows = []
    for data, title in MADE_UP.items():
        plain, two, times_two, one, times_one = (
            value(figures, f"yardstick: {figure}", shape(data, 50_000, 13), 3)
            for figure in ("plain C++, s", "two threads, s", "two threads, times", "one thread, s", "one thread, times")
        )
        rows.append([title, unit(plain, "s"), unit(two, "s"), times_two, unit(one, "s"), times_one])
    heads = ["plain C++", "ours, two threads", "times", "ours, one thread", "times"]
    return markdown(["50,000 x 13, k = 3", *heads], rows)


def methods(figures: Figures) -> str:
    """Methods side by side."""
    rows = []
    for method in ("mdav", "vmdav", "cbfs", "md", "univariate"):
        row = [method]
        for n, k in ((10_000, 3), (10_000, 10), (100_000, 10)):
            data = shape("gaussian", n, 13)
            row += [unit(value(figures, f"bench: {method}, s", data, k), "s")]
            row += [value(figures, f"bench: {method}, loss %", data, k)]
        rows.append([*row, value(figures, f"bench: {method}, peak MB", shape("gaussian", 100_000, 13), 10)])
    heads = ["method", "10,000, k = 3", "loss %", "10,000, k = 10", "loss %", "100,000, k = 10", "loss %", "peak MB"]
    return markdown(heads, rows)


PEERS = {
    "anonypyx MDAV": ("anonypyx MDAV", "mdav", (1_000, 13), (3, 10)),
    "microagg1d": ("microagg1d (default)", "univariate", (100_000, 1), (3, 10)),
    "microagg1d wilber": ("microagg1d (wilber)", "univariate", (100_000, 1), (10,)),
}


def other_tools(figures: Figures) -> str:
    """Time and loss of other tools, divided by ours."""
    rows = []
    for peer, (title, method, (n, m), ks) in PEERS.items():
        for k in ks:
            ratios = [
                value(figures, f"bench: {peer} / {method}, {what}", shape("gaussian", n, m), k)
                for what in ("time", "loss")
            ]
            rows.append([title, method, f"{n:,} x {m}", str(k), *ratios])
    return markdown(["tool", "ours", "records", "k", "time", "loss"], rows)


def other_measures(figures: Figures) -> str:
    """Measures of k, l and t beside pyCANON."""
    rows = []
    for name in ("k", "distinct l", "entropy l", "t"):
        row = [name]
        for n in (1_000, 10_000):
            data = shape("categories", n, 4)
            row += [value(figures, f"peers: pycanon, {name}, {what}", data, 0) for what in ("says", "times")]
        rows.append(row)
    return markdown(["measure", "1,000 records: value", "time", "10,000: value", "time"], rows)


def many_records(figures: Figures) -> str:
    """`fast` beside MDAV."""
    rows = []
    for n, m, data in (
        *((n, 13, data) for n in (100_000, 1_000_000) for data in MADE_UP),
        (10_000_000, 4, "gaussian"),
    ):
        mdav, loss, *fast, less, peak = (
            value(figures, f"scale: {figure}", shape(data, n, m), 10)
            for figure in ("mdav, s", "mdav, loss %", "fast, s", "fast, CPU s", "fast, loss %", "less %", "peak MB")
        )
        rows.append([f"{MADE_UP[data]}, {n:,} x {m}", mdav, loss, *fast, unit(less, "%"), peak])
    return markdown(["records", "mdav, s", "loss %", "fast, s", "CPU s", "loss %", "less", "peak MB"], rows)


def many_records_of_others(figures: Figures) -> str:
    """Methods that cut an order beside `univariate`, and mixed data beside `mdav_generic`."""
    mixed = {"nominal": "numbers and names", "taxonomy": "numbers, names, ranks and a tree", "names": "names"}
    rows = []
    for n, m, data, methods in (
        *((n, 13, data, ("univariate", "hm2", "compress")) for n in (100_000, 1_000_000) for data in MADE_UP),
        *((n, 8, data, ("mdav_generic", "mixed")) for n in (10_000, 100_000, 1_000_000) for data in mixed),
    ):
        for method in methods:
            numbers = [
                value(figures, f"scale: {method}, {what}", shape(data, n, m), 10)
                for what in ("s", "CPU s", "loss %", "of plain", "peak MB")
            ]
            if any(numbers):
                rows.append([f"{(MADE_UP | mixed)[data]}, {n:,} x {m}", method, *numbers])
    heads = ["records", "method", "s", "CPU s", "loss %", "of the plain one's", "peak MB"]
    known = [at for at in range(len(heads)) if any(row[at] for row in rows)]  # no clock was looked at on a busy machine
    return markdown([heads[at] for at in known], [[row[at] for at in known] for row in rows])


def out_of_core(figures: Figures) -> str:
    """Files in memory and cell by cell."""
    rows = []
    for n, method, memory in ((5_000_000, "univariate", "500MB"), (1_000_000, "mdav", "100MB")):
        data = shape("gaussian", n, 8)
        size = value(figures, "out of core: file MB", data, 10)
        for allowed in ("unlimited", memory):
            numbers = [
                value(figures, f"out of core: {method}, {allowed}, {what}", data, 10)
                for what in ("CPU s", "peak MB", "loss %")
            ]
            first = [f"CSV, {n:,} x 8{f', {size} MB' if size else ''}", method] if allowed == "unlimited" else ["", ""]
            rows.append([*first, allowed, *numbers])
    return markdown(["file", "method", "memory", "CPU s", "peak MB", "loss %"], rows)


def categories(figures: Figures) -> str:
    """Categories and mixed data."""
    cases = {
        "Adult, 30,162 x 2": ("sa_mdav", shape("adult", 30_162, 2)),
        "the same drawn to 1,000,000": ("sa_mdav", shape("adult", 1_000_000, 2)),
        "mixed, 30,162 x 8": ("mixed", shape("mixed", 30_162, 8)),
        "mixed, 100,000 x 8": ("mixed", shape("mixed", 100_000, 8)),
    }
    rows = [
        [title, method, value(figures, f"categories: {method}, s", data, 5)] for title, (method, data) in cases.items()
    ]
    return markdown(["records", "method", "seconds"], rows)


def joining(figures: Figures) -> str:
    """New records that look under boxes."""
    rows = []
    for n in (2_000, 10_000, 50_000, 100_000):
        data = [*(shape("gaussian", n, m) for m in (2, 3, 5, 10, 13, 15)), shape("census_like", n, 13)]
        groups = value(figures, "incremental: groups", data[0], 10)
        rows.append([f"{n:,}", groups, *(value(figures, "incremental: all / boxes", each, 10) for each in data)])
    heads = ["records", "groups", "Gaussian 2", "3", "5", "10", "13", "15 columns", "Census-like 13"]
    return markdown(heads, rows)


def local_search(figures: Figures) -> str:
    """Local search after MDAV, on data that are made up."""
    rows = []
    for data, title in MADE_UP.items():
        for n in (4_000, 10_000, 20_000, 50_000):
            for k in (3, 5, 10):
                numbers = [
                    value(figures, f"local: {figure}", shape(data, n, 13), k)
                    for figure in ("one thread / mdav", "two threads / mdav", "mdav, loss %", "with local, loss %")
                ]
                rows.append([title, f"{n:,}", str(k), *numbers])
    return markdown(["data", "records", "k", "one thread", "two", "MDAV", "with local"], rows)


RECORDS = {"census": 1_080, "tarragona": 834, "eia": 4_092}


def local_search_on_files(figures: Figures) -> str:
    """The same on the papers' data."""
    rows = []
    for data, title in TITLES.items():
        for k in (3, 5, 10):
            names = ("local: mdav, ms", "local: local, ms", "mdav", "local: with local, loss %")
            numbers = [value(figures, figure, data, k) for figure in names]
            rows.append([title, f"{RECORDS[data]:,}", str(k), *numbers])
    return markdown(["data", "records", "k", "MDAV ms", "local ms", "MDAV", "with local"], rows)


STORES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def survey_store(figures: Figures) -> str:
    """Answers for each processor second."""
    rows = [
        [what, *(value(figures, f"store: {what}, answers", store, 5) for store in STORES)]
        for what in ("checked", "checked, and durable in the store")
    ]
    return markdown(["", *STORES.values()], rows)


def survey_service(figures: Figures) -> str:
    """The service under load."""
    rows = []
    for store, title in STORES.items():
        for what in ("single answers", "batches of 200"):
            rate, half, nearly_all, cpu, warm, end = (
                value(figures, f"service: {what}, {figure}", store, 5)
                for figure in ("answers a second", "p50 ms", "p99 ms", "CPU us", "warm MB", "end MB")
            )
            times = [unit(half, "ms"), unit(nearly_all, "ms"), unit(cpu, "us")]
            rows.append([what, title, rate, *times, f"{warm}, {end} MB" if warm else ""])
    heads = ["", "store", "answers a second", "p50", "p99", "CPU an answer", "memory after warm-up, at the end"]
    return markdown(heads, rows)


PROMISED = ("without, CPU s", "with, CPU s", "ratio", "without, loss %", "with, loss %")
CLOSE = ("t_merge", "t_swap", "t_first", "mdav + local", "fast", "best")


def promises_kept(figures: Figures) -> str:
    """What k and t cost, the published algorithms beside ours."""
    rows = []
    for data in ("Census FEDTAX", "Census FICA", "Adult income"):
        for k in (2, 5, 10):
            for t in ("0.05", "0.13", "0.25"):
                numbers = [value(figures, f"promises: t = {t}, {how}, loss %", data, k) for how in CLOSE]
                rows.append([data, str(k), t, *numbers])
    return markdown(["data", "k", "t", *CLOSE], rows)


def promises_in_time(figures: Figures) -> str:
    """What l costs in time and loss, many records."""
    rows = []
    for values in ("even", "skewed"):
        for how in ("mdav + local", "fast"):
            data = shape("gaussian", 100_000, 13)
            rows.append([values, how, *(value(figures, f"promises: {values}, {how}, {w}", data, 5) for w in PROMISED)])
    return markdown(["values", "method", *PROMISED], rows)


def records(figures: Figures) -> str:
    """The lowest loss known of each data, size and k: ours with its time, and the papers'."""
    searches = sorted({figure for figure, _, _ in figures if is_search(figure)})
    rows = []
    for data, title in TITLES.items():
        for k in KS:
            reached = {figure: value(figures, figure, data, k) for figure in searches}
            how = min((figure for figure in reached if reached[figure]), key=lambda figure: float(reached[figure]))
            printed = figures["lowest printed", data, str(k)]
            ours = [reached[how], "best", how.removeprefix("best, ")]
            former = [value(figures, f"former best: {what}", data, k) for what in ("loss %", "in")]
            if former[0] and float(former[0]) < float(ours[0]):
                ours = [former[0], "best", former[1]]
            proof = value(figures, "proof: loss %", data, k)
            if proof and float(proof) < float(ours[0]):
                ours = [proof, "lower_bound", unit(value(figures, "proof: CPU s", data, k), "CPU s")]
            mdav = value(figures, "mdav", data, k)
            rows.append([title, f"{RECORDS[data]:,}", str(k), *ours, mdav, f"{printed.value} ({printed.source})"])
    made_up = [(data, int(k)) for figure, data, k in figures if figure == "record: loss %"]
    for data, k in sorted(made_up, key=lambda each: (each[0].split(",")[0], _records_of(each[0]), each[1])):
        loss, how, cpu, mdav = (
            value(figures, f"record: {what}", data, k) for what in ("loss %", "how", "CPU s", "mdav, loss %")
        )
        rows.append([_title_of(data), f"{_records_of(data):,}", str(k), loss, how, f"{cpu} CPU s", mdav, ""])
    return markdown(["data", "records", "k", "lowest loss %", "by", "in", "MDAV", "lowest printed"], rows)


def below_mdav(figures: Figures) -> str:
    """By how much `fast` is below MDAV, for each data, size, number of columns and k."""
    ks = (2, 3, 5, 10, 20, 50)
    shapes = sorted(
        {data for figure, data, _ in figures if figure == "record: fast, loss %"},
        key=lambda data: (data.split(",")[0], _records_of(data), _columns_of(data)),
    )
    rows = []
    for data in shapes:
        less = []
        for k in ks:
            mdav, fast = (value(figures, f"record: {method}, loss %", data, k) for method in ("mdav", "fast"))
            # Losses are kept with four digits: of fewer than three that say something, no ratio is told.
            told = f"{100 * (1 - float(fast) / float(mdav)):.1f}" if mdav and float(mdav) >= 0.01 else ""
            less.append(told if not told or float(mdav) > 1.0 else f"({told})")
        if any(less):
            rows.append([_title_of(data), f"{_records_of(data):,}", str(_columns_of(data)), *less])
    return markdown(["data", "records", "columns", "k = 2", *map(str, ks[1:])], rows)


def proofs(figures: Figures) -> str:
    """What nothing is below, beside the lowest loss known, and what lies between."""
    rows = []
    for data, title in TITLES.items():
        for k in (2, *KS):
            bound = value(figures, "lower bound", data, k)
            known = [
                each.value
                for (figure, of, size), each in figures.items()
                if (of, size) == (data, str(k))
                and (figure in ("proof: loss %", "former best: loss %") or is_search(figure))
            ]
            if bound and known:
                least = min(known, key=float)
                between = value(figures, "proof: optimal", data, k) or f"{100 * (1 - float(bound) / float(least)):.2f}%"
                rows.append([title, str(k), bound, least, between, value(figures, "proof: CPU s", data, k)])
    return markdown(["data", "k", "nothing below", "lowest known", "between", "CPU s"], rows)


def _records_of(data: str) -> int:
    """Read the number of records from the name of made-up data."""
    return int(data.split(", ")[1].split(" x ")[0])


def _columns_of(data: str) -> int:
    """Read the number of columns from the name of made-up data."""
    return int(data.split(" x ")[1])


def _title_of(data: str) -> str:
    """Read the kind of made-up data from its name, as the docs write it."""
    return data.split(",")[0].replace("_", "-").capitalize()


TABLES: dict[str, tuple[str, Callable[[Figures], str]]] = {
    "lowest-loss": ("best.md", lowest_loss),
    "records": ("best.md", records),
    "below-mdav": ("best.md", below_mdav),
    "proofs": ("best.md", proofs),
    "losses-by-k": ("benchmarks.md", losses_by_k),
    "yardstick": ("benchmarks.md", yardstick),
    "methods": ("benchmarks.md", methods),
    "other-tools": ("benchmarks.md", other_tools),
    "other-measures": ("benchmarks.md", other_measures),
    "many-records": ("benchmarks.md", many_records),
    "many-records-of-others": ("benchmarks.md", many_records_of_others),
    "out-of-core": ("benchmarks.md", out_of_core),
    "categories": ("benchmarks.md", categories),
    "joining": ("benchmarks.md", joining),
    "local-search": ("benchmarks.md", local_search),
    "local-search-on-files": ("benchmarks.md", local_search_on_files),
    "survey-store": ("benchmarks.md", survey_store),
    "survey-service": ("benchmarks.md", survey_service),
    "promises-kept": ("which-promise.md", promises_kept),
    "promises-in-time": ("which-promise.md", promises_in_time),
}
"""Name of a table between its marks -> the page that it stands on, and what writes it."""


def put_in(text: str, name: str, table: str) -> str:
    """Put a table between its marks, in the place of the one that is there."""
    start, end = f"<!-- table {name}: benchmarks/results.py writes it -->\n", f"\n<!-- end of {name} -->"
    before, _, rest = text.partition(start)
    _, mark, after = rest.partition(end)
    if not mark:
        raise SystemExit(f"there are no marks of the table {name!r}.")
    return f"{before}{start}\n{table}\n{end}{after}"


def changes_of(name: str, docs: Path = DOCS) -> list[str]:
    """Give the lines of a table that the file says otherwise than the docs."""
    page, table = TABLES[name]
    standing = set((docs / page).read_text(encoding="utf-8").splitlines())
    return [line for line in table(read()).splitlines() if line not in standing]


def write_docs(docs: Path = DOCS) -> None:
    """Write every table of the docs anew."""
    figures = read()
    for name, (page, table) in TABLES.items():
        text = (docs / page).read_text(encoding="utf-8")
        with atomic_path(docs / page) as draft:
            draft.write_text(put_in(text, name, table(figures)), encoding="utf-8")


if __name__ == "__main__":
    for elsewhere in sys.argv[1:]:
        record(read(Path(elsewhere)).values())
    write_docs()
