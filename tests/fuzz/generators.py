"""Tables of all sorts, what to ask of them, and the frames and files that carry them: all of it follows from a number.

Files are written by other libraries than microagg uses, as far as there are any, or by hand.
"""

from __future__ import annotations

import csv
import datetime
import decimal
import gzip
import random
import string
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

UTC = datetime.UTC
ZONES = ("UTC", "Europe/Rome", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe")
STRATA = (
    ("1.5", "1.50", "+1.5", "1.5e0", " 1.5"),
    ("1", "1.0", "+1", "01", "1."),
    ("0", "-0", "0.0", "-0.0"),
    ("true", "TRUE", "True"),
    ("1e3", "1000", "1E3", "1000.0"),
    ("2024-01-05", " 2024-01-05", "2024-01-05 "),
    ("2024-01-05 10:00", "2024-01-05T10:00", "2024-01-05 10:00:00", "2024-01-05 10:00:00.000"),
    ("NA", "?", "", ".", "N/A", "NULL"),
    ("Oslo", "oslo", "Oslo ", "Os\u006co"),
    ("caf\u00e9", "cafe\u0301"),
    ("9007199254740992", "9007199254740993"),
    ("0.1", "0.10000000000000001", "0.1000000000000000055"),
)
"""Groups of spellings that a careless reader takes for one value."""
ODD_NAMES = (
    "a b", "sum(x)", "naïve", "quo\"te", "com,ma", "semi;colon", "select", "年齢", "x" * 40, "x" * 40 + "2", "1st",
    " lead", "tab\tbed", "c0", "rowid", "%s", "{x}", "<b>", "=1+1", "index", "level_0", "Name", "name",
)  # fmt: skip


def chance_of(part: str, number: int) -> random.Random:
    """Give the random choices of a case."""
    return random.Random(f"{part}-{number}")  # noqa: S311 - cases, not secrets


@dataclass(frozen=True)
class Column:
    """A column: Python values (None where missing), and how a text file spells them."""

    name: str
    role: str
    kind: str
    values: list[Any]
    spelled: list[str]

    def take(self, rows: list[int]) -> Column:
        return replace(self, values=[self.values[i] for i in rows], spelled=[self.spelled[i] for i in rows])


@dataclass(frozen=True)
class Sample:
    """A table, what is asked of it, and the secrets that must not leave: identifiers, rare words, notes."""

    columns: list[Column]
    k: int
    options: dict[str, Any]
    secrets: list[str] = field(default_factory=list)

    @property
    def n(self) -> int:
        return len(self.columns[0].values)

    def of(self, *roles: str) -> list[Column]:
        return [column for column in self.columns if column.role in roles]

    def names(self, *roles: str) -> list[str]:
        return [column.name for column in self.of(*roles)]

    def asked(self) -> dict[str, Any]:
        """The keywords of `anonymize`."""
        weights = self.names("weights")
        return {
            "k": self.k,
            "quasi": self.names("quasi"),
            "identifiers": self.names("identifier"),
            "confidential": self.names("confidential"),
            "by": self.names("by"),
            **({"weights": weights[0]} if weights else {}),
            **self.options,
        }


def word(chance: random.Random, length: int = 8) -> str:
    """Make up a word that nothing else holds."""
    return "".join(chance.choices(string.ascii_uppercase, k=1) + chance.choices(string.ascii_lowercase, k=length - 1))


def numbers(chance: random.Random, n: int, kind: str) -> list[float]:
    """Make numbers with the troubles that a kind stands for."""
    if kind == "constant":
        return [chance.choice([0.0, 7.25, -1e9])] * n
    if kind == "ties":
        few = [round(chance.gauss(0, 10), 1) for _ in range(chance.randint(2, 5))]
        return [chance.choice(few) for _ in range(n)]
    if kind == "extreme":
        size = chance.choice([1e-300, 1e-12, 1e15, 1e100, 1e155, 1e200, 1e300])
        return [chance.uniform(-1, 1) * size for _ in range(n)]
    if kind == "mixed magnitudes":
        return [chance.uniform(-9, 9) * 10.0 ** chance.randint(-8, 12) for _ in range(n)]
    if kind == "heavy":
        return [chance.paretovariate(1.1) * 1000 for _ in range(n)]
    return [chance.gauss(50, 20) for _ in range(n)]


def quasi(chance: random.Random, n: int, name: str, secrets: list[str]) -> Column:
    """Make a quasi-identifier."""
    kind = chance.choices(
        ["number", "whole", "text", "truth", "date", "moment", "zoned", "decimal"], [6, 5, 4, 1, 2, 2, 1, 1]
    )[0]
    values: list[Any]
    if kind == "number":
        sort = chance.choices(
            ["plain", "constant", "ties", "extreme", "mixed magnitudes", "heavy"], [5, 1, 3, 2, 1, 1]
        )[0]
        values = numbers(chance, n, sort)
    elif kind == "whole":
        top = chance.choice([3, 100, 100, 10**6, 2**40, 2**53, 2**62])
        values = [chance.randint(-top if chance.random() < 0.3 else 0, top) for _ in range(n)]
    elif kind == "decimal":
        values = [decimal.Decimal(chance.randint(0, 10**7)).scaleb(-2) for _ in range(n)]
    elif kind == "text":
        few = [word(chance, 5) + chance.choice(["", "", " ", "é", "e\u0301", "ß", "'", '"', ",", ";", "\n"])
               for _ in range(chance.randint(1, 6))]  # fmt: skip
        values = [chance.choice(few) for _ in range(n)]
        rare = [word(chance, 12) for _ in range(chance.randint(0, 2))]
        for text in rare:
            values[chance.randrange(n)] = text
        secrets += [text for text in rare if text in values]
    elif kind == "truth":
        values = [chance.random() < 0.4 for _ in range(n)]
    elif kind == "date":
        values = [datetime.date(1900, 1, 1) + datetime.timedelta(days=chance.randrange(50_000)) for _ in range(n)]
    else:
        start = datetime.datetime(2024, 3, 30)  # the clocks change in the night that follows, in Rome
        steps = [datetime.timedelta(microseconds=chance.choice([1, 10**6, 3_600 * 10**6]) * chance.randrange(90))
                 for _ in range(n)]  # fmt: skip
        zone = UTC if kind == "zoned" else None
        values = [(start + step).replace(tzinfo=zone) for step in steps]
    return Column(name, "quasi", kind, values, [spell(value) for value in values])


def spell(value: Any) -> str:
    """Write a value as most programs do."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat(sep=" ")
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def stratum(chance: random.Random, n: int, name: str) -> Column:
    """Make strata: few of them, mostly large enough, and some of them in several spellings."""
    if chance.random() < 0.08:
        moments = [datetime.datetime(2024, 1, 5, 10)] * n
        beyond = [chance.choice(["", "", ".000000001", ".0000000010"]) for _ in range(n)]
        spelled = [f"{spell(moment)}{more}" for moment, more in zip(moments, beyond, strict=True)]
        return Column(name, "by", "instant", list(moments), spelled)
    if chance.random() < 0.55:
        spellings = list(chance.choice(STRATA))
        others = chance.sample([f"{i}" for i in range(2, 9)] if spellings[0][:1].isdigit() else ["A", "B"], 1)
        if spellings[0].startswith("2024"):
            others = ["2024-02-07"] if len(spellings[0]) == 10 else ["2024-02-07 11:30"]
        pool = spellings[: chance.randint(2, len(spellings))]
        most = [chance.choice(pool[:1] * 4 + pool) for _ in range(n)]
        share = chance.choice([0.0, 0.5])
        spelled = [chance.choice(others) if chance.random() < share else text for text in most]
        return Column(name, "by", "spelled", [number_or_text(text) for text in spelled], spelled)
    few = chance.choice([["N", "S"], ["N"], [1, 2], [1.5], [True, False], [0.0, -0.0], [98.0, 1.0, 99.0], [98.0, 99.0]])
    values = [chance.choice(few) for _ in range(n)]
    if chance.random() < 0.2:
        values = [None if chance.random() < 0.3 else value for value in values]
    return Column(name, "by", "plain", values, [spell(value) for value in values])


def number_or_text(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def sample(chance: random.Random, methods: dict[str, Any], *, biggest: int = 150) -> Sample:
    """Make a table and what is asked of it; mostly things that go together."""
    k = chance.choice([2, 2, 3, 3, 4, 5, 7])
    n = chance.choice(
        [k, k + 1, 2 * k, chance.randint(k, 30), chance.randint(20, biggest), chance.randint(40, biggest)]
    )
    secrets: list[str] = []
    odd = chance.random() < 0.2
    pool = list(chance.sample(ODD_NAMES, 6)) if odd else []
    columns = [quasi(chance, n, pool.pop() if pool else f"q{i}", secrets) for i in range(chance.choice([1, 1, 2, 3]))]
    if chance.random() < 0.25:
        columns[0] = with_gaps(chance, columns[0])
    if chance.random() < 0.45:
        columns += [stratum(chance, n, f"s{i}") for i in range(2 if n > 16 * k and chance.random() < 0.4 else 1)]
    if chance.random() < 0.5:
        names = [word(chance, 10) for _ in range(n)]
        secrets += names
        columns.append(Column("who", "identifier", "text", list(names), list(names)))
    if chance.random() < 0.2:
        columns.append(weights(chance, n))
    ill = [chance.choice(["flu", "gout", "=1+1", "none", "-5", "+1", "@x", "007"]) for _ in range(n)]
    columns.append(Column("ill", "confidential", "text", list(ill), ill))
    columns.append(Column("row", "confidential", "whole", list(range(n)), [str(i) for i in range(n)]))
    if chance.random() < 0.3:
        rows = [chance.randrange(n) for _ in range(n)]
        columns = [column.take(rows) if column.name != "row" else column for column in columns]
    chance.shuffle(columns)
    return Sample(columns, k, options(chance, columns, methods), secrets)


def with_gaps(chance: random.Random, column: Column) -> Column:
    absent = {chance.randrange(len(column.values)) for _ in range(chance.randint(1, 3))}
    marks = ["", "NA", "?"] if column.kind in ("number", "whole", "decimal") else [""]
    return replace(
        column,
        values=[None if i in absent else value for i, value in enumerate(column.values)],
        spelled=[chance.choice(marks) if i in absent else text for i, text in enumerate(column.spelled)],
    )


def weights(chance: random.Random, n: int) -> Column:
    sort = chance.choice(["even", "lognormal", "zeros", "dominant", "huge"])
    values = {
        "even": lambda: float(chance.randint(1, 5)),
        "lognormal": lambda: round(chance.lognormvariate(3, 1), 3),
        "zeros": lambda: float(chance.random() < 0.3),
        "dominant": lambda: chance.choice([1.0, 1.0, 1.0, 1000.0]),
        "huge": lambda: chance.choice([1.0, 1e300, 1e308]),
    }[sort]
    found = [values() for _ in range(n)]
    return Column("weight", "weights", "number", found, [repr(value) for value in found])


def options(chance: random.Random, columns: list[Column], methods: dict[str, Any]) -> dict[str, Any]:
    """Choose a method and options; one in twenty are free to contradict each other."""
    free = chance.random() < 0.05
    by_name = {column.name: column for column in columns if column.role == "quasi"}
    roles = {column.role for column in columns}
    asked: dict[str, Any] = {}
    for name, column in by_name.items():
        if column.kind in ("whole", "number") and chance.random() < 0.15:
            asked.setdefault("kinds", {})[name] = chance.choice(["ordinal", "nominal"])
    numeric = "kinds" not in asked and all(column.kind not in ("text", "truth") for column in by_name.values())
    fitting = [name for name, method in methods.items() if numeric or not method.per_column]
    n = len(columns[0].values)
    slow = {"exact": 14, "best": 60, "hm2": 60, "mf_tsp": 60}
    asked["method"] = chance.choice(["auto", "auto", *(name for name in fitting if n <= slow.get(name, n))])
    if asked["method"] == "best":
        asked["iterations"] = 200
    chosen = methods[asked["method"]] if asked["method"] != "auto" else methods["fast" if numeric else "mixed"]
    if (free or (chosen.takes == "numbers" and not chosen.per_column)) and chance.random() < 0.25:
        asked["refine"] = chance.choice(["local", "rcs"])
    if chance.random() < 0.3 or (not free and any(None in column.values for column in by_name.values())):
        asked["missing"] = chance.choice(["drop", "impute-any-share", "value", "value"])
    many = any(column.kind == "text" or len(set(column.values)) < n / 5 for column in by_name.values())
    if (free or many) and chance.random() < 0.25:
        asked["suppress"] = chance.choice([0.05, 0.3])
    if (free or (many and "by" not in roles)) and chance.random() < 0.25:
        asked["outliers"] = "join"
    if chance.random() < 0.25:
        whole = {name: chance.choice([-2, 0, 1, 3, 3, 400]) for name in by_name if chance.random() < 0.6}
        asked["round"] = chance.choice([True, whole])
    if (free or "weights" not in roles) and chance.random() < 0.2:
        asked["aggregate"] = "median"
    if chance.random() < 0.15:
        asked["shuffle"] = True
    if (free or (numeric and chosen.takes == "numbers")) and chance.random() < 0.15:
        asked["standardise"] = False
    if chance.random() < 0.1:
        asked["column_weights"] = {name: chance.choice([0.5, 3.0, 1e300]) for name in by_name if chance.random() < 0.5}
    recode = {name: steps(chance, column) for name, column in by_name.items() if chance.random() < 0.08}
    return {**asked, "recode": recode} if recode else asked


def steps(chance: random.Random, column: Column) -> list[str]:
    """Choose steps of recoding: most of them fit the column."""
    numbers = ["top:20", "top:80%", "bottom:10%", "bottom:-3.5", "round:5", "round:0.5", "bands:10", "bands:0.3"]
    fitting = {
        "whole": [*numbers, "rare:4", "bands:0,18,65"],
        "number": numbers,
        "decimal": numbers,
        "text": ["prefix:1", "rare:4", "rare:20%"],
        "truth": ["rare:4", "prefix:1"],
        "date": ["date:month", "date:quarter", "date:year"],
    }.get(column.kind, ["rare:2"])
    last = [chance.choice(["rare:3", "prefix:1", "top:9", "date:year"])] if chance.random() < 0.1 else []
    return [*chance.sample(fitting, min(len(fitting), chance.choice([1, 1, 2]))), *last]


# What carries a table ----------------------------------------------------------------------------------------------


def pandas_frame(chance: random.Random, made: Sample) -> Any:
    """A pandas frame in some of its many types, with some index."""
    import pandas as pd

    frame = pd.DataFrame({column.name: pandas_column(chance, column) for column in made.columns})
    sort = chance.choice(["plain", "plain", "words", "moved", "two"])
    if sort == "words":
        frame.index = pd.Index([f"{word(chance, 9)}@example.org" for _ in range(made.n)])
        made.secrets.extend(frame.index)
    elif sort == "moved":
        frame.index = frame.index[::-1] * 7 + 3
    elif sort == "two":
        frame.index = pd.MultiIndex.from_arrays([range(made.n), [word(chance, 9) for _ in range(made.n)]])
        made.secrets.extend(text for _, text in frame.index)
    if chance.random() < 0.1:
        note = word(chance, 14)
        frame.attrs["note"] = note
        made.secrets.append(note)
    return frame


def vanish(values: list[Any], smallest: float = 1.2e-38) -> bool:
    """Say whether numbers are too small for 32 bits, or another form: they would be 0 before anything was released."""
    return any(isinstance(value, float) and 0.0 < abs(value) < smallest for value in values)


def pandas_column(chance: random.Random, column: Column) -> Any:
    import pandas as pd
    import pyarrow as pa

    values, kind = column.values, column.kind
    missing = None in values
    if kind == "number":
        dtype = chance.choice(["float64", "float64", "float32", "Float64", "double[pyarrow]", "object"])
        dtype = "float64" if dtype == "float32" and vanish(values) else dtype
    elif kind == "whole":
        small = max(abs(value or 0) for value in values) < 2**15
        dtype = chance.choice(["Int64", "int64[pyarrow]", "object", *(["Int16"] if small else [])])
        dtype = dtype if missing else chance.choice([dtype, "int64", "int64", *(["int32", "int16"] if small else [])])
    elif kind == "text":
        dtype = chance.choice(["object", "str", "string[pyarrow]", "category", "category"])
    elif kind == "truth":
        dtype = chance.choice(["boolean", "bool[pyarrow]", "object", *([] if missing else ["bool"])])
    elif kind == "decimal":
        dtype = chance.choice(["object", pd.ArrowDtype(pa.decimal128(12, 2))])
    elif kind == "date":
        dtype = chance.choice(["object", "datetime64[ns]", "datetime64[s]", "date32[day][pyarrow]", "category"])
    elif kind == "moment":
        dtype = chance.choice(["datetime64[ns]", "datetime64[us]", "timestamp[us][pyarrow]", "object"])
    elif kind == "instant":
        return pd.Series(nanoseconds(column)).astype("datetime64[ns]")
    elif kind == "zoned":
        zone = chance.choice(ZONES)
        return pd.Series(pd.to_datetime(values, utc=True)).dt.tz_convert(zone)
    else:  # strata
        dtype = chance.choice(["object", "object", "category"])
        if all(isinstance(value, float) for value in values):
            dtype = chance.choice(["float64", "float32", "Float64", "object"])
        if dtype == "object" and chance.random() < 0.3:
            values = [float("nan") if value is None else value for value in values]
    series = pd.Series(values, dtype="object").astype(dtype) if dtype != "object" else pd.Series(values, dtype="object")
    if dtype == "category" and kind == "text" and chance.random() < 0.5:
        series = series.cat.add_categories(["Unused" + word(chance, 4)])
    return series


def nanoseconds(column: Column) -> list[int]:
    """Moments that differ in their last digit alone, which not every library keeps."""
    epoch = datetime.datetime(1970, 1, 1)
    return [
        10**9 * int((moment - epoch).total_seconds()) + (".0" in text)
        for moment, text in zip(column.values, column.spelled, strict=True)
    ]


def polars_frame(chance: random.Random, made: Sample) -> Any:
    import polars as pl

    found = {}
    for column in made.columns:
        values = column.values
        if column.kind in ("spelled", "plain") and len({type(value) for value in values if value is not None}) > 1:
            values = column.spelled
        if column.kind == "instant":
            found[column.name] = pl.Series(column.name, nanoseconds(column)).cast(pl.Datetime("ns"))
            continue
        series = pl.Series(column.name, values, strict=False)
        if column.kind == "zoned":
            series = series.dt.convert_time_zone(chance.choice(ZONES))
        elif column.kind == "text":
            series = series.cast(chance.choice([pl.String, pl.Categorical, pl.Enum(sorted({v for v in values if v}))]))
        elif column.kind == "number" and chance.random() < 0.3 and not vanish(values):
            series = series.cast(pl.Float32)
        elif column.kind == "moment":
            series = series.cast(pl.Datetime(chance.choice(["ms", "us", "ns"])))
        found[column.name] = series
    return pl.DataFrame(found)


def arrow_table(chance: random.Random, made: Sample) -> Any:
    import pyarrow as pa

    arrays = []
    for column in made.columns:
        values = column.values
        if column.kind in ("spelled", "plain") and len({type(value) for value in values if value is not None}) > 1:
            values = column.spelled
        array = pa.array(nanoseconds(column), pa.timestamp("ns")) if column.kind == "instant" else pa.array(values)
        if column.kind == "text" and chance.random() < 0.5:
            array = array.dictionary_encode()
        elif column.kind == "zoned":
            array = array.cast(pa.timestamp("us", chance.choice(ZONES)))
        elif column.kind == "moment":
            array = array.cast(pa.timestamp(chance.choice(["us", "ns"])))
        elif column.kind == "number" and chance.random() < 0.2 and not vanish(column.values):
            array = array.cast(pa.float32())
        arrays.append(array)
    table = pa.table(arrays, names=[column.name for column in made.columns])
    if chance.random() < 0.3:
        note = word(chance, 14)
        made.secrets.append(note)
        table = table.replace_schema_metadata({"note": note})
    return table


FRAMES = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": arrow_table}
TEXT = (".csv", ".csv.gz", ".tsv", ".txt")
TYPED = (".parquet", ".xlsx", ".sav", ".zsav", ".dta", ".xpt")


def write_file(chance: random.Random, made: Sample, path: Path) -> Sample:
    """Write a table to a file; gives it back as it lies there (names may have to be short)."""
    suffix = "".join(path.suffixes)
    if suffix in TEXT:
        write_text(chance, made, path)
    elif suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(arrow_table(chance, made), path)
    elif suffix == ".xlsx":
        write_excel(made, path)
    else:
        made = write_statistics(chance, made, path)
    return made


def write_text(chance: random.Random, made: Sample, path: Path) -> None:
    delimiter = "\t" if path.suffix == ".tsv" else chance.choice(",,;|")
    comma = delimiter == ";" and chance.random() < 0.5
    spelled = [
        [text.replace(".", ",") if comma and column.kind in ("number", "decimal") else text for text in column.spelled]
        for column in made.columns
    ]
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", newline="", encoding="utf-8") as file:
        quoting = chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        writer = csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=chance.choice(["\n", "\r\n"]))
        writer.writerow([column.name for column in made.columns])
        writer.writerows(zip(*spelled, strict=True))


def write_excel(made: Sample, path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    book.properties.creator = "a person"
    sheet = book.create_sheet("people")
    sheet.append([column.name for column in made.columns])
    for record in zip(*(column.values for column in made.columns), strict=True):
        cells = [v.replace(tzinfo=None) if isinstance(v, datetime.datetime) else v for v in record]
        sheet.append([cell.replace("=", "~") if isinstance(cell, str) else cell for cell in cells])
    book.save(path)


def write_statistics(chance: random.Random, made: Sample, path: Path) -> Sample:
    """SPSS, Stata, SAS: short plain names, numbers or text; strata with declared missing values, labels and notes."""
    import pandas as pd
    import pyreadstat

    short = [replace(column, name=f"v{i}" if column.name != "row" else "row") for i, column in enumerate(made.columns)]
    names = {old.name: new.name for old, new in zip(made.columns, short, strict=True)}
    renamed = {
        option: {names[name]: value for name, value in given.items()} if isinstance(given, dict) else given
        for option, given in made.options.items()
    }
    # Text cannot be missing there: an empty text is a value like any other.
    short = [replace(c, values=["" if v is None else v for v in c.values]) if c.kind == "text" else c for c in short]
    made = replace(made, columns=short, options=renamed)
    frame = pd.DataFrame({column.name: statistics_column(column) for column in short})
    extra: dict[str, Any] = {}
    strata = [column.name for column in short if column.role == "by" and frame[column.name].dtype == "float64"]
    if path.suffix in (".sav", ".zsav"):
        note = word(chance, 14)
        label = word(chance, 14)
        made.secrets.extend([note, label])
        extra = {
            "note": note,
            "missing_ranges": {name: [98, 99] for name in strata},
            "compress": path.suffix == ".zsav",
        }
        coded = [column.name for column in short if column.role == "quasi" and column.kind == "whole"]
        extra["variable_value_labels"] = {name: {made.k: label} for name in coded}
        pyreadstat.write_sav(frame, path, **extra)
    elif path.suffix == ".dta":
        if strata and chance.random() < 0.6:
            tagged = frame[strata[0]].astype(object)
            frame[strata[0]] = [chance.choice(["a", "b"]) if chance.random() < 0.4 else value for value in tagged]
            extra["missing_user_values"] = {strata[0]: ["a", "b"]}
        pyreadstat.write_dta(frame, path, **extra)
    elif any(vanish(column.values, smallest=5.4e-79) for column in short):
        raise ValueError("the floats of transport files are those of old mainframes")
    else:
        pyreadstat.write_xport(frame, path)
    return made


def statistics_column(column: Column) -> Any:
    import pandas as pd

    values = column.values
    present = [value for value in values if value is not None]
    if all(isinstance(value, int | float | decimal.Decimal) for value in present):
        return pd.Series([float("nan") if value is None else float(value) for value in values], dtype="float64")
    if all(isinstance(value, datetime.date) for value in present):
        moments = [None if value is None else value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else
                   datetime.datetime(value.year, value.month, value.day) for value in values]  # fmt: skip
        return pd.Series(moments, dtype="datetime64[us]")
    return pd.Series(["" if value is None else str(value) for value in values], dtype="object")
