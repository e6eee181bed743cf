"""Plans as files: what is written is read back the same, and nothing else is accepted."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microagg as ma
from microagg.base.effort import EFFORTS
from microagg.errors import FileProblem, InvalidOption
from microagg.partition import METHODS
from microagg.plan import CHOICES, FileMark, Plan, PlanFile, dump, parse, read_plan_file, record, second_release
from microagg.prepare.missing import Missing
from microagg.recode import STEPS
from microagg.semantic import Hierarchy

HOSTILE = [
    'a"b',
    "\\",
    "",
    "a\nb\r\n",
    "]\nk = 2",
    "# no comment",
    "größe 身長 🙂",
    "\x00\x7f",
    "a\u202eb",
    "a.b",
    "'''",
    "\ud7ff",
]

names = st.one_of(st.text(max_size=12), st.sampled_from(HOSTILE))
several = st.lists(names, max_size=4, unique=True).map(tuple)
numbers = st.floats(allow_nan=False)
shares = st.floats(0, 1)
kinds = st.sampled_from(["numeric", "nominal", "ordinal"]) | names.filter(bool).map("ordinal:{}".format)
plain = [name for name, method in METHODS.items() if method.takes == "numbers" and not method.per_column]


every_step = [example for kind in STEPS.values() for example in kind.examples]
recodings = st.lists(st.sampled_from(every_step), min_size=1, max_size=3).map(tuple)


@st.composite
def plans(draw):
    """A plan of anything that is allowed: no column has two roles, and options are those of the method."""
    columns = draw(st.lists(names, max_size=10, unique=True))
    cuts = sorted(draw(st.lists(st.integers(0, len(columns)), min_size=5, max_size=5)))
    parts = [tuple(columns[i:j]) for i, j in zip([0, *cuts], [*cuts, len(columns)], strict=True)]
    method = draw(st.sampled_from(["auto", *plain]))
    single = st.booleans() | st.integers() | numbers | names | st.lists(names)
    values = single | st.dictionaries(names, single, min_size=1, max_size=3)
    own = sorted(METHODS[method].options) if method in METHODS else []
    weights = parts[4][0] if parts[4] else None
    refine = draw(st.sampled_from([None, "local", "search", "rcs"]))
    secret, most = (st.sampled_from(parts[2]), 2) if parts[2] else (st.nothing(), 0)
    diverse = st.integers(2, 99) | st.sampled_from(["entropy:2.5", "recursive:0.1,3"])
    promised = {
        "l": draw(st.dictionaries(secret, diverse, max_size=most)),
        "p": draw(st.dictionaries(secret, st.integers(2, 99), max_size=most)),
        "t": draw(st.dictionaries(secret, shares, max_size=most)),
    }
    chosen = {
        **promised,
        "k": draw(st.integers(2, 2**63 - 1)),
        "quasi": draw(st.none() | st.just(parts[0])),
        "identifiers": parts[1],
        "confidential": parts[2],
        "by": parts[3],
        "weights": weights,
        "keep": parts[5],
        "others": draw(st.sampled_from(["keep", "drop", "refuse"])),
        "kinds": draw(st.dictionaries(names, kinds | st.lists(names, max_size=3), max_size=3)),
        "recode": draw(st.dictionaries(names.filter(lambda name: name not in parts[1]), recodings, max_size=3)),
        "method": method,
        "refine": refine,
        "refine_options": draw(st.dictionaries(st.sampled_from(["max_passes"]), st.integers(1, 9)))
        if refine == "local"
        else {},
        "options": draw(st.dictionaries(st.sampled_from(own), values, max_size=3)) if own else {},
        "effort": draw(st.sampled_from(EFFORTS)),
        "column_weights": draw(st.dictionaries(names, st.floats(0, allow_infinity=False), max_size=3)),
        "standardize": draw(st.booleans()),
        "aggregate": "mean" if weights is not None else draw(st.sampled_from(["mean", "median"])),
        "centroid": draw(st.sampled_from(["semantic", "subsumer"])),
        "suppress": draw(shares),
        "beyond": draw(shares),
        "outliers": "group" if parts[3] or any(promised.values()) else draw(st.sampled_from(["group", "join"])),
        "missing": draw(
            st.one_of(
                st.sampled_from(list(Missing)).map(str),
                st.dictionaries(names | st.just("*"), st.sampled_from(list(Missing)).map(str), max_size=3),
            )
        ),
        "round": draw(st.booleans() | several | st.dictionaries(names, st.integers(-300, 300), max_size=3)),
        "mask": dict.fromkeys(
            [n for n in parts[2] if not any(n in of for of in promised.values())],
            draw(st.sampled_from(["noise:0.1:corrected", "swap:5", "pram:0.8:plain"])),
        ),
        "bound": draw(st.none() | st.floats(0.001, 1e6)),
        "unit": None,
        "unit_alias": False,
        "epsilon": None,
        "limits": {},
        "shuffle": draw(st.booleans()),
        "exact_means": draw(st.booleans()),
        "seed": draw(st.integers(0, 2**64 - 1)),
        "device": "cpu",
    }
    assert set(chosen) == {item.name for item in CHOICES}, "a choice that is added must be read and written too"
    if draw(st.integers(0, 9)) == 0:
        return Plan(k=chosen["k"], unit=draw(names), unit_alias=draw(st.booleans()), shuffle=chosen["shuffle"])
    if draw(st.integers(0, 9)) == 0:
        bounds = st.tuples(st.integers(-9, 9), st.integers(10, 99)) | st.tuples(st.just(0), st.just(1), shares)
        private = draw(st.dictionaries(names, bounds.filter(lambda stated: stated[-1] > 0.001), min_size=1, max_size=3))
        return Plan(k=chosen["k"], epsilon=draw(st.floats(0.001, 100)), limits=private, seed=chosen["seed"])
    return Plan(**chosen)


marks = st.none() | st.builds(FileMark, names, st.text("0123456789abcdef", min_size=64, max_size=64))


@given(st.builds(PlanFile, plans(), marks, marks, st.dictionaries(names, numbers, max_size=3), st.none() | names))
def test_what_is_written_is_read_back(content):
    text = dump(content)
    found = parse(text)
    assert found == content
    for item in fields(Plan):
        assert type(getattr(found.plan, item.name)) is type(getattr(content.plan, item.name))
    assert all(line.isprintable() for line in text.split("\n")), "nothing hides from a reader"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"must have a table \[release\]"),
        ("release = 3", r"\[release\] must be a table"),
        ("[release]", "must say k"),
        ("[release", "no TOML"),
        ("[release]\nk = 3\nk = 4", "no TOML"),
        ("[release]\nk = 3\nquasy = ['age']", r"no 'quasy'; did you mean 'quasi'\? It takes k, quasi, identifiers"),
        ("[release]\nk = 3\n[relaese]", r"no 'relaese'; did you mean 'release'\? It takes microagg, release, input"),
        ("[release]\nk = true", "k must be a whole number; got True"),
        ("[release]\nk = 3.0", "k must be a whole number; got 3.0"),
        ("[release]\nk = '3'", "k must be a whole number; got '3'"),
        ("[release]\nk = 3\nquasi = 'age'", "quasi must be an array of texts; got 'age'"),
        ("[release]\nk = 3\nquasi = ['age', 3]", "quasi must be an array of texts"),
        ("[release]\nk = 3\nweights = 3", "weights must be a text in quotes"),
        ("[release]\nk = 3\nshuffle = 'yes'", "shuffle must be true or false; got 'yes'"),
        ("[release]\nk = 3\nsuppress = '5%'", "suppress must be a number"),
        ("[release]\nk = 3\nkinds = ['age']", "kinds must be a table"),
        ("[release]\nk = 3\n[release.kinds]\nage = 3", "kinds must be a table of kinds"),
        ("[release]\nk = 3\n[release.options]\ndue = 2026-01-01", "the option 'due' must be a number"),
        ("[release]\nk = 3\n[release.options.path_options]\ndue = 2026-01-01", "'path_options.due' must be a number"),
        ("[release]\nk = 3\n[release.column_weights]\nage = 'heavy'", "column_weights of 'age' must be a number"),
        ("[release]\nk = 3\nround = 2", "round must be true, false, an array of columns or a table"),
        ("[release]\nk = 3\n[release.round]\nage = 1.5", "round of 'age' must be a whole number"),
        ("[release]\nk = 3\n[input]\nfile = 'a'", r"\[input\] must say sha256"),
        ("[release]\nk = 3\n[output]\nfile = 'a'\nsha256 = 'b'\nmd5 = 'c'", r"\[output\] has no 'md5'"),
        ("[release]\nk = 3\n[results]\nloss = 'low'", "loss must be a number"),
        ("microagg = 1\n[release]\nk = 3", "microagg must be a text"),
    ],
)
def test_anything_else_is_refused_and_explained(text, message):
    with pytest.raises(InvalidOption, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(k=3, kinds={"job": Hierarchy.from_edges([("a", "b")])}), "hierarchy:FILE"),
        (Plan(k=3, quasi=("\ud800",)), "half a character"),
        (Plan(k=3, method="vmdav", options={"gamma": None}), "NoneType"),
    ],
)
def test_what_has_no_place_in_a_file_is_refused(plan, message, tmp_path):
    with pytest.raises(InvalidOption, match=message):
        ma.save_plan(plan, tmp_path / "plan.toml")
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_no_plans(tmp_path):
    with pytest.raises(FileProblem, match="Cannot read"):
        ma.load_plan(tmp_path / "nowhere.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(FileProblem, match="UTF-8"):
        ma.load_plan(tmp_path / "bytes.toml")
    (tmp_path / "bad.toml").write_text("[release]\nk = 'x'")
    with pytest.raises(InvalidOption, match=r"bad\.toml: k must be a whole number"):
        ma.load_plan(tmp_path / "bad.toml")


@pytest.fixture
def people():
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {"age": rng.integers(18, 90, 60), "pay, net": rng.lognormal(8, 0.5, 60), "sex": rng.choice(["f", "m"], 60)}
    )


def test_the_plan_of_a_release_repeats_it(people, tmp_path):
    release = ma.anonymize(people, k=4, seed=3)
    ma.save_plan(release, tmp_path / "plan.toml")
    plan = ma.load_plan(tmp_path / "plan.toml")
    assert plan.method == "mixed"
    assert plan.quasi == ("age", "pay, net", "sex")
    assert plan.kinds == {"age": "numeric", "pay, net": "numeric", "sex": "nominal"}
    assert (plan.options, plan.effort) == ({"objective": "spread"}, "normal")
    again = ma.repeat(people, tmp_path / "plan.toml")
    pd.testing.assert_frame_equal(again.data, release.data)
    assert again.losses == release.losses
    kept = read_plan_file(tmp_path / "plan.toml")
    assert kept.version == ma.__version__
    assert kept.results["information_loss"] == release.information_loss


def test_choices_can_be_changed(people):
    plan = ma.anonymize(people, k=4, quasi=["age", "pay, net"], method="vmdav", gamma=0.7).plan
    changed = ma.repeat(people, plan, k=6, method="mdav", quasi=("age",))
    assert (changed.plan.k, changed.plan.method, changed.plan.options, changed.plan.quasi) == (6, "mdav", {}, ("age",))
    assert plan.changed(options={"seeds": 2}).options == {"gamma": 0.7, "seeds": 2}
    with pytest.raises(InvalidOption, match="a plan has no 'kk'; did you mean 'k'\\? It has k, quasi"):
        ma.repeat(people, plan, kk=3)
    with pytest.raises(InvalidOption, match="method must be one of"):
        ma.repeat(people, plan, method="magic")


def test_a_method_that_watches_the_clock_is_marked():
    assert "watches the clock: only with the option iterations" in dump(PlanFile(Plan(k=3, method="best")))
    for plan in (Plan(k=3, method="best", options={"iterations": 2}), Plan(k=3, method="mdav")):
        assert "clock" not in dump(PlanFile(plan))


def test_second_releases_are_noticed_only_where_they_are_known():
    data, other = FileMark("people.csv", "0" * 64), FileMark("others.csv", "1" * 64)
    first, second = FileMark("first.csv", "2" * 64), FileMark("second.csv", "3" * 64)
    plan = Plan(k=3)
    assert second_release(PlanFile(plan, data, second), PlanFile(plan, data, first))
    assert not second_release(PlanFile(plan, data, first), PlanFile(plan, data, first))
    assert not second_release(PlanFile(plan, other, second), PlanFile(plan, data, first))
    assert not second_release(PlanFile(plan, data, None), PlanFile(plan, data, first))


def test_plans_are_for_their_owner_alone(people, tmp_path):
    """The checksum of the input and exact losses tell whether a guess of values is right."""
    path = tmp_path / "plan.toml"
    path.write_text("old")
    path.chmod(0o644)
    ma.save_plan(ma.anonymize(people, k=4), path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert "as private as the data" in path.read_text(encoding="utf-8")


def test_record_names_the_files_by_their_checksums(people, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(b"")
    kept = record(ma.anonymize(people, k=4), path)
    assert kept.input == FileMark(str(path), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    assert kept.output is None
