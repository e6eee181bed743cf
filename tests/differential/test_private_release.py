"""A release with epsilon: what leaves, what is refused, and that nothing else is told of the original."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import InvalidData, InvalidOption, NotKAnonymousWarning

LIMITS = {"age": (0, 120), "pay": (0, 10_000, 10)}


def people(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "pay": rng.gamma(2.0, 1500.0, n).round(2),
            "ill": rng.choice(["flu", "none"], n),
        }
    )


def test_what_leaves_the_house():
    """Columns with limits, within them, in their steps; everything else is left out; k holds as well."""
    release = ma.anonymize(people(), 40, epsilon=5.0, limits=LIMITS)
    assert list(release.data.columns) == ["age", "pay"]
    assert release.data["age"].between(0, 120).all()
    assert release.data["age"].dtype == np.int64
    assert (release.data["pay"] % 10 == 0).all()
    assert release.data.value_counts().min() >= 40
    assert release.plan.method == "insensitive"


def test_noise_is_another_one_every_time():
    """The seed, which reports print, decides nothing."""
    one, other = (ma.anonymize(people(), 40, epsilon=1.0, limits=LIMITS, seed=3).data for _ in range(2))
    assert not one.equals(other)


def test_much_epsilon_is_little_noise():
    """With an epsilon that promises nothing, the groups have their means: the noise is where it belongs."""
    data = people(2000)
    with pytest.warns(NotKAnonymousWarning):
        release = ma.anonymize(data, 20, epsilon=1000.0, limits=LIMITS, method="individual")
    for name in LIMITS:
        assert abs(release.data[name].mean() - data[name].clip(*LIMITS[name][:2]).mean()) < 0.01 * LIMITS[name][1]
        assert release.data[name].std() > 0.9 * data[name].clip(*LIMITS[name][:2]).std()


def test_columns_are_taken_apart():
    """Individual ranking releases no row that tells which values belonged together."""
    data = people(2000)
    data["pay"] = data["age"] * 50
    with pytest.warns(NotKAnonymousWarning):
        release = ma.anonymize(data, 20, epsilon=50.0, limits=LIMITS, method="individual")
    assert abs(np.corrcoef(release.data["age"], release.data["pay"])[0, 1]) < 0.2
    assert any("belonged to one record is not released" in warning for warning in release.warnings)


def test_nothing_is_told_of_the_original(tmp_path):
    """Reports, summaries and warnings of two quite different tables are the same but for what is released."""
    told = []
    for seed in (0, 1):
        data = people(200, seed)
        data["age"] += 10 * seed
        release = ma.anonymize(data, 20, epsilon=1.0, limits=LIMITS)
        public = release.published
        assert public["information_loss"] is None
        assert set(public["risks_before"].values()) == {None}
        told.append((release.warnings, public["losses"], public["column_losses"]))
        release.report(tmp_path / "report.json", tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert "epsilon" in page
        facts = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        assert "person 1" not in page
        assert str(data["age"].mean()) not in json.dumps(facts)
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"limits": {}}, "never from the data"),
        ({"method": "mdav"}, "method must be one of insensitive, individual"),
        ({"confidential": ["ill"]}, "confidential cannot be combined"),
        ({"by": ["ill"]}, "by cannot be combined"),
        ({"keep": ["ill"]}, "keep cannot be combined"),
        ({"missing": "impute"}, "missing cannot be combined"),
        ({"refine": "local"}, "refine cannot be combined"),
        ({"suppress": 0.1}, "suppress cannot be combined"),
        ({"exact_means": True}, "exact_means cannot be combined"),
        ({"quasi": ["age"]}, "the columns that have limits"),
        ({"epsilon": 0}, "from 1e-06 to 1000"),
        ({"epsilon": float("nan")}, "from 1e-06 to 1000"),
        ({"epsilon": None}, "say epsilon too"),
        ({"column_weights": {"age": 0.0}}, "greater than 0"),
        ({"limits": {"agee": (0, 120)}}, "did you mean 'age'"),
        ({"limits": {"age": (120, 0)}}, "its lowest and its highest"),
    ],
)
def test_refusals(asked, says):
    """What the noise does not cover is refused, with the reason."""
    with pytest.raises(InvalidOption, match=says):
        ma.anonymize(people(), 20, **{"epsilon": 1.0, "limits": LIMITS, **asked})


def test_only_numbers():
    """Dates and text have no limits."""
    data = people().assign(day=pd.Timestamp("2020-01-01"))
    with pytest.raises(InvalidData, match="columns of numbers"):
        ma.anonymize(data, 20, epsilon=1.0, limits={"day": (0, 1)})
    with pytest.raises((InvalidData, InvalidOption)):
        ma.anonymize(data, 20, epsilon=1.0, limits={"ill": (0, 1)})


def test_command_line(run, tmp_path):
    """`--epsilon` and `--limits`, several separated by commas; the plan that is saved can be run."""
    people().to_csv(tmp_path / "people.csv", index=False)
    command = ["anonymize", tmp_path / "people.csv", "-k", 40, "--epsilon", "1.0"]
    limits = ["--limits", "age=0:120,pay=0:10000"]
    code, out, err = run(*command, *limits, "-o", tmp_path / "out.csv", "--save-plan", tmp_path / "plan.toml")
    assert code == 0, err
    assert "withheld" in out
    released = pd.read_csv(tmp_path / "out.csv")
    assert list(released.columns) == ["age", "pay"]
    assert released.value_counts().min() >= 40
    code, _, err = run("anonymize", "--plan", tmp_path / "plan.toml", "-o", tmp_path / "two.csv")
    assert code == 0, err
    code, _, err = run(*command, "-o", tmp_path / "none.csv")
    assert code != 0
    assert "never from the data" in err
    assert not (tmp_path / "none.csv").exists()


def test_cells_are_refused(tmp_path):
    """Noise is measured by how many groups there are in all: a file that is worked on in parts is refused."""
    people().to_csv(tmp_path / "people.csv", index=False)
    with pytest.raises(InvalidOption, match="epsilon needs all records"):
        ma.anonymize_file(tmp_path / "people.csv", None, 20, epsilon=1.0, limits=LIMITS, memory="200MB")


@given(st.integers(2, 30), st.integers(0, 3), st.sampled_from(["insensitive", "individual"]))
def test_k_holds_for_any_k(k, seed, method):
    """Every value is shared by k records, whatever the noise is."""
    data = people(61, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotKAnonymousWarning)
        release = ma.anonymize(data, k, epsilon=1.0, limits=LIMITS, method=method)
    for name in LIMITS:
        assert release.data[name].value_counts().min() >= k
