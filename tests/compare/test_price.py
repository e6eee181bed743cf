"""What promises cost: several values of l, p and t stand side by side in a comparison."""

import numpy as np
import pandas as pd

import microagg as ma


def people(n=150):
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, n)
    return pd.DataFrame(
        {"age": age, "income": rng.lognormal(8, 0.5, n).round(), "pay": age * 30 + rng.integers(0, 900, n)}
    )


def test_several_values_are_tried_in_turn():
    """Each candidate keeps its own promise, and the loss grows with it."""
    found = ma.compare(
        people(), k=3, methods=["auto"], t={"pay": [None, 0.3, 0.15]}, quasi=["age", "income"], confidential=["pay"],
        risk="t_closeness", keep=["pay"],
    )  # fmt: skip
    by_label = {row.label: row for row in found.rows}
    without, weak, strong = (by_label[f"fast{text}, k = 3"] for text in ("", ", t of pay = 0.3", ", t of pay = 0.15"))
    assert weak.values["t_closeness"] <= 0.3 + 1e-9
    assert strong.values["t_closeness"] <= 0.15 + 1e-9 < without.values["t_closeness"]
    assert without.information_loss < weak.information_loss < strong.information_loss
    page = found.page()
    assert "t of pay = 0.15" in page


def test_the_command_line_repeats_the_flag(run, tmp_path):
    """`--t pay=none --t pay=0.2`: two candidates, one of them without the promise."""
    people().to_csv(tmp_path / "people.csv", index=False)
    code, out, err = run(
        "compare", tmp_path / "people.csv", "-k", 3, "--methods", "auto", "--quasi", "age,income", "--confidential",
        "pay", "--keep", "pay", "--t", "pay=none", "--t", "pay=0.3", "--wide",
    )  # fmt: skip
    assert code == 0, err
    assert "--t pay=0.3" in out
    assert out.count("microagg anonymize") == 2
