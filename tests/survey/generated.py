"""Generated surveys: definitions of any shape, and answers that go to the edges of what their rules allow."""

from __future__ import annotations

import datetime

from hypothesis import strategies as st

from microagg.survey import Definition, Field
from microagg.survey.definition import EXACT, LARGEST, TYPES

METHODS = [
    "mdav",
    "vmdav",
    "cbfs",
    "md",
    "univariate",
    "hm2",
    "mdav_mhm",
    "npn_mhm",
    "mf_tsp",
    "compress",
    "fast",
    "mondrian",
]
"""Methods of a base stage, without those that search until a time is over."""
K = 3

EDGES = [0.0, -0.0, 1.0, -1.0, 0.1, 5e-324, -5e-324, 1e-300, 2.2e-308, 1e-50, 1e15, 1e16, LARGEST, -LARGEST, 1e49, 3.0]
WORDS = [
    "a",
    "b",
    "c",
    "true",
    "False",
    "1",
    "1.0",
    "01",
    "1e5",
    "NA",
    "NaN",
    "?",
    ".",
    "null",
    "None",
    "missing",
    "=1+1",
    "1e308",
    "1e200",
    "-1e308",
]
ODD = [
    "-5",
    "@x",
    "+1",
    "\t=1",
    "\r",
    "\n",
    '"',
    "'",
    ",",
    ";",
    "\x01",
    "\x7f",
    "\u2028",
    "\ufeff",
    "\uffff",
    "\U0010ffff",
    "(other)",
]

numbers = st.one_of(st.sampled_from(EDGES), st.floats(-LARGEST, LARGEST), st.floats(-10, 10))
integers = st.one_of(
    st.sampled_from([0, 1, -1, EXACT, -EXACT, EXACT - 1]), st.integers(-EXACT, EXACT), st.integers(0, 9)
)
texts = st.one_of(
    st.sampled_from(WORDS + ODD),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20),
)
dates = st.one_of(
    st.sampled_from(["0001-01-01", "9999-12-31", "1970-01-01", "1969-12-31", "2024-02-29", "1582-10-10", "1900-01-01"]),
    st.dates().map(datetime.date.isoformat),
)
VALUES = {
    "number": numbers,
    "integer": integers,
    "category": texts.filter(bool),
    "date": dates,
    "boolean": st.booleans(),
    "text": texts,
}
names = st.one_of(
    st.sampled_from(["age", "c0", "x", "row", "key", "=1+1", "-x", '"', "'", "a,b", "p;q", "é", "select", "labels"]),
    st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=8),
)


@st.composite
def definitions(draw, methods=METHODS):
    fields, seen = [], set()
    for position in range(draw(st.integers(1, 4))):
        name = draw(names.filter(lambda name: name.strip() and name.casefold() not in seen and name.isprintable()))
        seen.add(name.casefold())
        role = "quasi" if position == 0 else draw(st.sampled_from(["quasi", "confidential", "other", "identifier"]))
        kind = draw(st.sampled_from([t for t in TYPES if t != "text" or role != "quasi"]))
        more = {}
        if kind == "category" and draw(st.booleans()):
            more["choices"] = draw(st.lists(texts.filter(bool), min_size=1, max_size=5, unique=True))
        fields.append(Field(name, kind, role, required=draw(st.booleans()), **more))
    return Definition(
        "generated",
        K,
        fields,
        method=draw(st.sampled_from(methods)),
        rest=draw(st.sampled_from(["nearest", "nearest_moving", "mdav"])),
        refine=draw(st.sampled_from([None, "local"])),
        format=draw(st.sampled_from(["csv", "parquet"])),
    )


@st.composite
def answers_of(draw, definition, least=K, most=14):
    """Answers that the definition takes; many of them alike, as answers are."""

    def value(field):
        found = st.sampled_from(field.choices) if field.choices else VALUES[field.type]
        return found if field.required else st.one_of(st.none(), found)

    kinds = {field.name: draw(st.lists(value(field), min_size=1, max_size=6)) for field in definition.fields}
    one = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in kinds.items()})
    return draw(st.lists(one, min_size=least, max_size=most))
