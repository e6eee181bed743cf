"""`import microagg` is quick: it brings in what is used when it is used, and the names stay what they are."""

from __future__ import annotations

import ast
import subprocess
import sys
import types
from importlib import import_module
from pathlib import Path

import pytest

import microagg as ma

PACKAGE = Path(ma.__file__)
HEAVY = ("duckdb", "numpy", "pandas", "polars", "pyarrow", "narwhals", "jinja2", "click", "rich", "sklearn", "scipy")


def loaded_after(program: str) -> set[str]:
    """Give the modules that a new interpreter has loaded after a program."""
    command = [sys.executable, "-c", f"import sys; {program}; print(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_importing_brings_in_nothing_that_takes_time():
    """Whoever imports the package for one name, or for its version, need not wait for all of it."""
    loaded = loaded_after("import microagg; microagg.__version__")
    assert "microagg" in loaded
    assert [name for name in HEAVY if name in loaded] == []
    assert [name for name in loaded if name.startswith("microagg.")] == []


def test_arrays_are_grouped_without_files_and_frames():
    """DuckDB reads and writes files; pandas is somebody else's: neither is needed to group records."""
    program = "import microagg as ma; ma.partition([[1.0], [2.0], [8.0], [9.0]], k=2); ma.METRICS, ma.RISKS, ma.Plan"
    loaded = loaded_after(program)
    assert "numpy" in loaded
    assert [
        name for name in ("duckdb", "pandas", "polars", "pyarrow", "sklearn", "scipy", "rich") if name in loaded
    ] == []


def test_frames_are_released_without_duckdb():
    program = (
        "import polars, microagg as ma; release = ma.anonymize(polars.DataFrame({'age': [21, 22, 60, 61]}), k=2, "
        "quasi=['age']); assert release.sizes.min() == 2"
    )
    assert "duckdb" not in loaded_after(program)


def test_a_frame_is_released_where_duckdb_is_not_installed():
    """None in sys.modules is what Python takes for a module that is not there."""
    program = (
        "sys.modules['duckdb'] = None; import pandas, microagg as ma; "
        "ma.anonymize(pandas.DataFrame({'age': [21, 22, 60, 61], 'sex': list('fmfm')}), k=2, quasi=['age', 'sex'])"
    )
    assert "microagg.flow" in loaded_after(program)


def test_what_runs_agrees_with_what_type_checkers_read():
    tree = ast.parse(PACKAGE.read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    read = {
        alias.name: statement.module
        for statement in block.body
        if isinstance(statement, ast.ImportFrom) and statement.module != "microagg"
        for alias in statement.names
    }
    assert read == ma._HOME


@pytest.mark.parametrize("name", ["partition", "anonymize", "compare"])
def test_a_function_is_not_replaced_by_the_module_of_its_name(name):
    """`import microagg.partition` puts the module where the function was, in any other package."""
    program = (
        f"import microagg, microagg.{name}; from microagg import {name}; "
        f"assert callable({name}) and microagg.{name} is {name}"
    )
    assert f"microagg.{name}" in loaded_after(program)


def test_modules_are_there_without_being_imported():
    assert isinstance(ma.risk, types.ModuleType)
    assert ma.risk is import_module("microagg.risk")
    assert {"anonymize", "Microaggregator", "__version__"} <= set(dir(ma))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'anonymise'"):
        ma.anonymise  # noqa: B018
    assert not hasattr(ma, "_nothing")


def test_a_module_that_lacks_something_says_what(monkeypatch):
    """An extra that is not installed must not look like a name that does not exist."""

    def lacking(name: str) -> types.ModuleType:
        raise ModuleNotFoundError("No module named 'fastapi'", name="fastapi")

    monkeypatch.setattr(ma, "import_module", lacking)
    with pytest.raises(ModuleNotFoundError, match="fastapi"):
        ma.__getattr__("service")


@pytest.mark.parametrize("module", ["cell", "report", "plan", "release", "engines"])
def test_modules_that_know_each_other_can_be_imported_first(module):
    """When the package imported all of itself in one order, a circle between two modules would not have shown."""
    loaded = loaded_after(f"import microagg.{module}")
    assert f"microagg.{module}" in loaded
