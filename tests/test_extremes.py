"""Numbers at the ends of what a computer can hold: every function that takes numbers ends, with finite results or with
an error that names rule and range."""

from __future__ import annotations

import extremes
import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.base.checks import check_matrix, check_points
from microagg.base.ranges import columns_within_range, exponent_of, in_units, within_range
from microagg.cli import main
from microagg.errors import InvalidData
from microagg.partition import METHODS
from microagg.paths import PATHS
from microagg.refine import REFINEMENTS

MAY_REFUSE = {
    "lengths": "the length of the path is beyond the largest number",
    "lower_bounds": "the bound of the sum of squared errors is beyond the largest number",
    "sums": "beyond the largest number",
    "metrics": "values beyond 1e+140 cannot be squared",
    "raw_and_weighed": "multiplied by the root of its weight, is beyond the largest number",
    "tracks": "positions must be latitudes from -90 to 90 degrees and longitudes from -360 to 360",
    "tracks that do not move": "no track is long enough",
}
"""What is asked for is itself beyond every number, or no position on earth: the only things that may be refused."""


def cases() -> list[tuple[str, str]]:
    without_needs = [name for name in PATHS if PATHS[name].needs in ("", "the extra bounds")]
    return [
        *(("method", name) for name in METHODS),
        *(("refinement", name) for name in REFINEMENTS),
        *(("path", name) for name in without_needs),
        *(("entry", name) for name in extremes.ENTRIES),
    ]


@pytest.mark.parametrize(("kind", "name"), cases())
def test_every_function_ends_with_finite_results(kind: str, name: str) -> None:
    """Squares of 1e200 are infinite and gaps between infinities are nothing: the cut of an order never ended then."""
    found = extremes.outcomes(kind, name)
    assert len(found) >= len(extremes.inputs())
    refused = {what: said for what, said in found.items() if said}
    allowed = [said for entry, said in MAY_REFUSE.items() if kind == "entry" and entry.startswith(name)]
    wrong = {what: said for what, said in refused.items() if not any(rule in said for rule in allowed)}
    assert not wrong, "\n".join(f"{what}: {said}" for what, said in wrong.items())
    assert len(refused) < len(found) or name == "tracks", "something must be possible"


def options() -> list[tuple[str, str]]:
    return [
        *(("options of method", name) for name in METHODS),
        *(("options of refinement", name) for name in REFINEMENTS),
        *(("options of path", name) for name in PATHS),
        *(("options of entry", name) for name in extremes.ENTRY_OPTIONS),
    ]


@pytest.mark.parametrize(("kind", "name"), options())
def test_every_option_works_or_is_refused(kind: str, name: str) -> None:
    """NaN, infinity, -1, 10**30, True or text for any option: an error of ours in one line, or a valid result."""
    found = extremes.outcomes(kind, name)
    assert len(found) >= len(extremes.ODD)
    errors = {what: said for what, said in found.items() if said}
    wrong = {
        what: said
        for what, said in errors.items()
        if not said.startswith(("InvalidOption", "InvalidData", "InfeasibleK", "MissingExtra")) or "\n" in said
    }
    assert not wrong, "\n".join(f"{what}: {said}" for what, said in wrong.items())
    assert any(said.startswith(("InvalidOption", "InfeasibleK")) for said in errors.values()), "nothing was refused"


@pytest.mark.parametrize(
    "flags",
    [
        *(["--round-column", f"age={digits}"] for digits in ("400", "-400", "nan", "1e30", "10" * 200, "")),
        *(["--suppress", share] for share in ("nan", "inf", "-1", "1e30", "text")),
        *(["--suppress", "0.1", "--beyond", far] for far in ("nan", "inf", "-1", "1e30")),
        *(["--bound", seconds] for seconds in ("nan", "inf", "-1", "0", "1e30")),
        *(["--column-weight", f"age={weight}"] for weight in ("nan", "inf", "-1", "1e999", "text", "")),
        *(["--seed", seed] for seed in ("-1", "nan", "1e3", "9" * 30)),
        *(["--threads", count] for count in ("0", "-1", "9" * 30, "2000")),
        *(["--method", "vmdav", "--option", f"gamma={gamma}"] for gamma in ("nan", "inf", "-1", "1e30", "true")),
        *(["--method", "best", "--option", f"time_limit={limit}"] for limit in ("nan", "inf", "-1", "1e30")),
        *(["-k", k] for k in ("-1", "0", "nan", "9" * 30)),
    ],
    ids=" ".join,
)
def test_every_number_on_the_command_line_is_checked(people, tmp_path, capsys, flags: list[str]) -> None:
    """One line that says what is allowed, exit code 2, and no file."""
    target = tmp_path / "out.csv"
    command = ["anonymize", str(people), "--quasi", "age,income", "-k", "3", "-o", str(target), *flags]
    with pytest.raises(SystemExit) as ended:
        main(command)
    said = capsys.readouterr().err.strip()
    assert ended.value.code == 2, said
    assert said.startswith("microagg: ")
    assert "\n" not in said
    assert not target.exists()


def test_the_order_that_never_ended() -> None:
    """The sums of squares of every run of this order were infinite, and the cut went around in circles."""
    assert ma.cut_order([[0.0], [1e200], [2e200], [3e200]], [0, 1, 2, 3], 2).tolist() == [0, 0, 1, 1]


def test_incomes_in_tiny_units_are_released_like_any_others() -> None:
    """The unit of a column must not matter where columns are standardised."""
    data = pd.DataFrame(np.random.default_rng(1).lognormal(size=(60, 2)), columns=["age", "income"])
    plain = ma.anonymize(data, 4)
    for unit in (2.0**660, 2.0**-660):
        scaled = ma.anonymize(data.assign(income=data["income"] * unit), 4)
        assert (scaled.labels == plain.labels).all()
        np.testing.assert_array_equal(scaled.data["income"], plain.data["income"] * unit)
        assert scaled.losses == pytest.approx(plain.losses)


@pytest.mark.parametrize("power", [-1074, -300, -201, -199, 0, 199, 201, 300, 1023])
def test_scaling_is_exact_and_only_where_need_be(power: int) -> None:
    """Powers of two change no digit, so that no group changes; numbers that can be squared are left alone."""
    X = np.array([[1.0, -0.5], [0.25, 0.0]]) * 2.0**power
    scaled = within_range(X)
    if abs(power) < 200:
        assert scaled is X
    else:
        np.testing.assert_array_equal(np.ldexp(scaled, exponent_of(X)), X)
        assert 0.5 <= np.abs(scaled).max() <= 1.0


def test_columns_are_scaled_alike_on_both_sides() -> None:
    before, after = columns_within_range(np.array([[1e300, 2.0]]), np.array([[1e200, 4.0]]))
    assert before[0, 0] / after[0, 0] == pytest.approx(1e100)
    assert before[0, 1] == 2.0


def test_what_no_number_can_hold_is_said() -> None:
    with pytest.raises(InvalidData, match="the length is beyond the largest number that there is"):
        in_units(1.0, 2000, "the length")
    with pytest.raises(InvalidData, match="must hold numbers only"):
        check_matrix([[10**400]])
    assert check_points([[1e200], [0.0]])[0, 0] < 1.0


def test_means_and_medians_at_the_very_ends() -> None:
    """A mean lies between the least and the greatest value, however large their sum or their difference is."""
    largest = np.finfo(np.float64).max
    X = np.array([[largest, -largest, 1e-310], [largest, largest, 1e-310], [largest, -largest, 1e-310]])
    for aggregate in ("mean", "median"):
        released = ma.anonymize(pd.DataFrame(X, columns=["a", "b", "c"]), 3, aggregate=aggregate).data.iloc[0]
        assert released["a"] == pytest.approx(largest)
        assert released["b"] == pytest.approx(-largest / 3 if aggregate == "mean" else -largest)
        assert released["c"] == 1e-310, "what is constant in a group stays as it is, to the last digit"
