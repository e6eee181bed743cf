"""Concorde and LKH through stand-ins that speak their file formats: the protocol, and every way it can fail."""

from __future__ import annotations

import shutil
import sys

import numpy as np
import path_oracles
import pytest

from microagg.errors import FileProblem, MissingExtra
from microagg.paths import path, path_length

STAND_IN = """#!{python}
import itertools, sys
def solve(file):
    text = open(file).read()
    head, _, rest = text.partition("EDGE_WEIGHT_SECTION")
    fields = dict(map(str.strip, line.split(":")) for line in head.strip().splitlines())
    assert fields["EDGE_WEIGHT_TYPE"] == "EXPLICIT" and fields["EDGE_WEIGHT_FORMAT"] == "LOWER_DIAG_ROW"
    n, numbers = int(fields["DIMENSION"]), iter(map(int, rest.split()[:-1]))
    d = {{}}
    for i in range(n):
        for j in range(i + 1):
            d[i, j] = d[j, i] = next(numbers)
    length = lambda t: sum(d[t[i - 1], t[i]] for i in range(n))
    tours = [(0, *t) for t in itertools.permutations(range(1, n))]
    assert max(map(length, tours)) < 2**31
    return min(tours, key=length)
{body}
"""
CONCORDE = """
arguments = sys.argv[1:]
assert arguments[0] == "-x" and arguments[1] == "-s" and int(arguments[2]) > 0
tour = solve(arguments[-1])
open(arguments[arguments.index("-o") + 1], "w").write(str(len(tour)) + "\\n" + " ".join(map(str, tour)) + "\\n")
"""
LKH = """
fields = dict(map(str.strip, line.split("=")) for line in open(sys.argv[1]).read().splitlines())
assert fields["RUNS"] == "1" and int(fields["SEED"]) > 0
tour = solve(fields["PROBLEM_FILE"])
lines = ["NAME : x", "TYPE : TOUR", "DIMENSION : " + str(len(tour)), "TOUR_SECTION", *(str(c + 1) for c in tour), "-1"]
open(fields["OUTPUT_TOUR_FILE"], "w").write("\\n".join([*lines, "EOF", ""]))
"""


@pytest.fixture
def stand_in(tmp_path):
    def write(body: str) -> str:
        file = tmp_path / "solver"
        file.write_text(STAND_IN.format(python=sys.executable, body=body))
        file.chmod(0o755)
        return str(file)

    return write


@pytest.mark.parametrize(("name", "body"), [("concorde", CONCORDE), ("lkh", LKH)])
@pytest.mark.parametrize("start", [None, 0, 4])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_shortest_path_comes_back(stand_in, name, body, start, n):
    if start is not None and start >= n:
        pytest.skip("no such record")
    X = np.random.default_rng(n).standard_normal((n, 2)) * 1e6
    order = path(X, name, start=start, executable=stand_in(body))
    assert sorted(order) == list(range(n))
    assert start is None or order[0] == start
    assert path_length(X, order) == pytest.approx(path_oracles.shortest(X, start), rel=1e-6)


@pytest.mark.parametrize("name", ["concorde", "lkh"])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("sys.exit(3)", "code 3"),
        (CONCORDE.replace("str, tour", "str, [0, *tour[:-1]]"), "left no tour|did not give a tour"),
        ("import time; time.sleep(60)", "seconds"),
    ],
)
def test_what_the_executable_does_wrong_is_said(stand_in, monkeypatch, name, body, message):
    limit = {}
    if "sleep" in body:
        if name == "lkh":
            pytest.skip("LKH is given ten seconds of grace")
        limit = {"time_limit": 0.5}
    with pytest.raises(FileProblem, match=message):
        path(np.eye(6), name, executable=stand_in(body), **limit)


@pytest.mark.parametrize("name", ["concorde", "lkh"])
def test_absent_executable_says_the_way_out(name):
    with pytest.raises(MissingExtra, match="not found on PATH"):
        path(np.eye(6), name, executable="no-such-solver")


@pytest.mark.parametrize(("name", "executable"), [("concorde", "concorde"), ("lkh", "LKH")])
def test_the_real_one(name, executable):
    if shutil.which(executable) is None:
        pytest.skip(f"{executable} is not installed")
    X = np.random.default_rng(0).standard_normal((60, 3))
    assert path_length(X, path(X, name)) <= path_length(X, path(X, "lk")) * 1.0001
