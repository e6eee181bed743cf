"""Files of hundreds of columns: what a command prints stays on a screen."""

import numpy as np
import pandas as pd
import pytest

N_COLUMNS = 30


@pytest.fixture
def wide(tmp_path):
    rng = np.random.default_rng(0)
    columns = {f"q{i}": rng.integers(0, 500, 80) for i in range(N_COLUMNS)}
    columns |= {f"s{i}": rng.choice(["yes", "no"], 80, p=[0.9, 0.1]) for i in range(N_COLUMNS)}
    columns |= {f"o{i}": rng.normal(size=80).round(6) for i in range(N_COLUMNS)}
    pd.DataFrame(columns).to_csv(tmp_path / "wide.csv", index=False)
    return tmp_path / "wide.csv"


def names(letter):
    return ",".join(f"{letter}{i}" for i in range(N_COLUMNS))


def test_anonymize(wide, run):
    code, out, err = run("anonymize", wide, "-k", 4, "--quasi", names("q"), "--confidential", names("s"))
    assert code == 0
    assert "30 columns, the first five q0, q1, q2, q3, q4" in " ".join(out.split())
    assert "30 columns, the worst five o0 (100% alone)" in " ".join(out.split())
    assert "30 columns are released as they are in which most records have a value that no other record has" in err
    assert "same value of a confidential column: " in err
    assert "columns, the worst five s" in err
    assert len(err.splitlines()) < 10
    assert len((out + err).splitlines()) < 60


def test_assess(wide, run):
    code, out, _ = run("assess", wide, "--quasi", names("q"), "--confidential", names("s"))
    assert code == 0
    assert "30 columns, the first five q0, q1, q2, q3, q4" in " ".join(out.split())
    assert "q20" not in out


def test_start(wide, tmp_path, run):
    code, out, _ = run("start", wide, "-o", tmp_path / "plan.toml")
    assert code == 0
    assert "more columns; of all 90" in out
    assert "o29" in (tmp_path / "plan.toml").read_text()


def test_refusals_name_a_few(wide, run):
    code, _, err = run("anonymize", wide, "-k", 4, "--quasi", names("q"), "--others", "refuse")
    assert (code, err.count("\n")) == (2, 1)
    assert "60 columns, the first five 's0', 's1'" in err
    assert len(err) < 300
