"""A short part of `make fuzz`: the same cases every time, few enough for every change. See docs/promises.md."""

from __future__ import annotations

import pytest

from fuzz import judge, kills, run
from fuzz.generators import chance_of
from fuzz.parts import Failure
from fuzz.run import fuzz, known, shares, supervise

SHORT = {
    "releases": range(60),
    "reports": range(6),
    "files": range(24),
    "requests": [*range(50), 1377],  # the last one made the server log what was sent
    "kills": range(2),
}


@pytest.mark.parametrize("part", run.PARTS)
def test_nothing_new_is_found(part):
    """Whatever the cases find is a breach of a promise, unless it is listed as known."""
    ran, found = fuzz({part: SHORT[part]})
    assert ran[part].total() == len(SHORT[part])
    assert [(item.failure, item.command) for item in found if known(item.failure.kind) is None] == []


def test_cases_repeat():
    """A case follows from its number: the command that is printed for a failure shows the same failure."""
    first, again = ({number: ended for number, ended, _ in supervise("releases", range(5))} for _ in range(2))
    assert first == again
    assert len(first) == 5


def test_shares_cover_every_part():
    divided = shares(2000, 7, ())
    assert list(divided) == list(run.PARTS)
    assert sum(map(len, divided.values())) == 2000
    assert all(numbers[0] == 7 for numbers in divided.values())
    assert shares(5, 3, ["kills"]) == {"kills": range(3, 8)}


def test_a_case_that_hangs_or_crashes_is_found(monkeypatch):
    """The process of a part is ended where it is silent, and its death is a failure of the case it was at."""
    ended = {number: found for number, _, found in supervise("nowhere", [1])}
    assert ended[1][0].kind.startswith("crash:ModuleNotFoundError")
    hung = {number: found for number, _, found in supervise("releases", [1], patience=0.0)}
    assert hung[1][0].kind == "hang"


# The judge itself: it must find what is there, else everything above says nothing.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("q,s\n1,1.5\n1,1.50\n1,1.5\n", ["strata_spelling"]),
        ("q,s\n1,0\n1,-0\n1,0\n", ["strata_spelling"]),
        ('q,s\n1,5\n1,"5"\n1,5\n', ["strata_spelling"]),
        ("q,s\n1,NA\n1,?\n1,\n", ["strata_spelling"]),
        ("q,s\n1,98\n1,99\n1,98\n", ["strata_spelling"]),
        ("q,s\n1,a\n2,a\n1,a\n", ["not_k_anonymous"]),
        ("q,s\n1,a\n1,b\n1,a\n", ["not_k_anonymous"]),
        ("q,s\n1,a\n1,a\n1,a\n", []),
    ],
)
def test_judge_counts_what_is_written(tmp_path, text, expected):
    path = tmp_path / "released.csv"
    path.write_text(text)
    found = judge.problems_of_k(judge.read(path), ["q"], ["s"], 3, declared=(98.0, 99.0))
    assert [words.partition(":")[0] for words in found] == expected


def test_judge_reads_what_others_wrote(tmp_path):
    """The judge's own readers of text and workbooks agree with pandas."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.5, -2.0, 1e-9], "b": ['say "x"', "two\nlines", "x;y"], "c": [True, False, True]})
    for suffix in (".csv", ".csv.gz", ".tsv", ".xlsx"):
        path = tmp_path / f"table{suffix}"
        if suffix == ".xlsx":
            frame.to_excel(path, index=False)
        else:
            frame.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
        cells = judge.read(path)
        assert list(cells) == ["a", "b", "c"]
        assert [judge.plain(c) for c in cells["a"]] == [1.5, -2.0, 1e-9]
        assert [judge.text_of(c) for c in cells["b"]] == list(frame["b"])


def test_judge_tells_typed_values_apart():
    """What a reader of a frame can tell apart is not one value to the judge."""
    pd = pytest.importorskip("pandas")
    cells = judge.frame_cells(pd.DataFrame({"s": pd.Series([0.0, -0.0, None, float("nan"), 1, True], dtype=object)}))
    assert len(set(cells["s"])) == 6
    assert judge.not_finite({"q": [("number", "inf")]}, ["q"])
    assert judge.not_finite({"q": ["nan"]}, ["q"])
    assert not judge.not_finite({"q": ["1.5"]}, ["q"])


def test_judge_of_targets(tmp_path):
    """A release in place without its report is found, and so is half a file."""
    for name in kills.TARGETS:
        (tmp_path / name).write_bytes(kills.OLD)
    assert list(kills.whole_or_old(tmp_path, "SIGKILL", b"", b"")) == []
    (tmp_path / "released.csv").write_text("a,b\n1,2\n")
    kinds = [failure.kind for failure in kills.whole_or_old(tmp_path, "SIGKILL", b"", b"nothing was written")]
    assert kinds == ["half:released.csv", "some_targets:SIGKILL", "misleading"]


def test_numbers_that_are_told():
    """A rounded number is still that number, to as many digits as are told."""
    from fuzz.reports import differences, digits_of, matches, small_counts

    assert matches("8,765,432", 8765432.1)
    assert matches("8.765e+06", 8765432.1)
    assert not matches("8,765,433", 8765432.1)
    assert digits_of("-0.00120") == "12"
    assert small_counts('"held_back": 2', 3) == ['"held_back": 2']
    assert small_counts('"held_back": 3', 3) == []
    assert [kind for kind, _ in differences(".x", "0.8253896", "0.8244802", 100)] == ["precise_function"]
    assert [kind for kind, _ in differences(".x", "36.4", "36.1", 9)] == ["small_report"]
    assert list(differences(".x", "36.4", "36.1", 100)) == []


def test_choices_follow_from_the_number():
    assert chance_of("a", 1).random() == chance_of("a", 1).random()
    assert chance_of("a", 1).random() != chance_of("a", 2).random()
    assert Failure.of("kind: words") == Failure("kind", "words")
