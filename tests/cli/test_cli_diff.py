"""`microagg diff`: files, plans and JSON, and an exit code that scripts can stop at."""

import json

import pytest

ROLES = ("--quasi", "age,income", "--drop", "name", "--confidential", "code")


@pytest.fixture
def releases(crowd, tmp_path, run):
    """Two different releases: their files, plans and what --json printed. Everybody has a code of their own, a key."""
    header, *rows = crowd.read_text(encoding="utf-8").splitlines()
    numbered = [f"{row.rpartition(',')[0]},{i:03d}" for i, row in enumerate(rows)]
    crowd.write_text("\n".join([header, *numbered]) + "\n", encoding="utf-8")
    for name, k, method in (("one", 3, "mdav"), ("other", 4, "univariate")):
        files = ("-o", tmp_path / f"{name}.csv", "--save-plan", tmp_path / f"{name}.toml")
        code, out, _ = run("anonymize", crowd, "-k", k, "--method", method, *ROLES, *files, "--json")
        assert code == 0
        (tmp_path / f"{name}.json").write_text(out)
    return tmp_path


def test_files_plans_and_json_tell_the_same(releases, run):
    found = []
    for suffix, more in ((".csv", ("--quasi", "age,income", "-k", 3)), (".toml", ()), (".json", ())):
        code, out, err = run("diff", releases / f"one{suffix}", releases / f"other{suffix}", *more, "--json")
        assert (code, err) == (1, "")
        found.append(json.loads(out))
    csv, toml, twin = found
    for key in ("below", "k", "linked", "risks", "columns", "alignment"):
        assert csv[key] == toml[key] == twin[key]
    assert csv["below"] > 0
    assert toml["choices"]["k"] == [3, 4]
    assert toml["losses"][0]["information_loss"] == pytest.approx(twin["losses"][0]["information_loss"])
    assert csv["safe"] is False


def test_words(releases, run):
    code, out, err = run("diff", releases / "one.toml", releases / "other.toml")
    assert code == 1
    assert "both together" in out
    assert "the same order: region, code" in out
    assert "publish one of them only" in err
    code, out, err = run("diff", releases / "one.csv", releases / "one.toml")
    assert (code, err) == (0, "")
    assert "Both together, every record still hides among at least k = 3." in out


def test_a_release_that_was_changed_is_noticed(releases, run):
    path = releases / "one.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",009\n", ",9\n"), encoding="utf-8")
    _, out, _ = run("diff", releases / "one.toml", releases / "other.toml", "--json")
    assert any("SHA-256 differs" in text for text in json.loads(out)["warnings"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{folder}/one.csv", "{folder}/other.csv"], "name them (--quasi)"),
        (["{folder}/one.csv", "{folder}/nothing.csv"], "does not exist"),
        (["{folder}/one.csv"], "Missing argument 'SECOND'"),
        (["{folder}/one.csv", "{folder}/other.csv", "--quasi", "agee"], "did you mean 'age'"),
    ],
)
def test_bad_use(arguments, message, releases, run):
    code, out, err = run("diff", *[argument.format(folder=releases) for argument in arguments])
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_releases_that_share_no_record_are_said_to(releases, run):
    """A diff that matched nothing printed an empty table, and that nobody was below k."""
    path = releases / "other.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], *(f"{line}x" for line in lines[1:])]) + "\n", encoding="utf-8")
    for way, why in (((), "no combination of values"), (("--key", "code"), "no value of the key 'code' is in both")):
        code, out, err = run("diff", releases / "one.csv", path, "--quasi", "age,income", "-k", 3, *way)
        assert code == 0
        assert "No record of one release was found in the other." in out
        assert "nothing is said of both together" in err
        assert why in err
        assert "(--key)" in err
        assert "still hides" not in out


def test_many_columns_are_listed_by_how_much_they_differ(tmp_path, run):
    """Of hundreds of columns those are shown that differ most, and the rest is counted."""
    names = [f"c{i}" for i in range(60)]
    for file, shift in (("one", 0), ("other", 1)):
        rows = [[i // 3 * 3, *((i + (shift if c > 50 else 0)) for c in range(60)), i] for i in range(30)]
        lines = [",".join(["age", *names, "id"]), *(",".join(map(str, row)) for row in rows)]
        (tmp_path / f"{file}.csv").write_text("\n".join(lines) + "\n")
    quasi = ",".join(["age", *names[51:]])
    _, out, _ = run("diff", tmp_path / "one.csv", tmp_path / "other.csv", "--quasi", quasi, "--key", "id")
    assert "... and 42 more columns; of all 62, 53 are the same." in out
    assert "c59" in out
    assert out.count("\n") < 45
