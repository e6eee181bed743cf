"""Files of hierarchies that are damaged, or made to fill the memory or never to end."""

from __future__ import annotations

import itertools
import json

import pytest

from microagg.errors import FileProblem, InvalidData, InvalidOption, MicroaggError, MissingExtra
from microagg.semantic.files import FORMATS, read_hierarchy, write_hierarchy
from microagg.semantic.formats.form import MOST_LEVELS
from microagg.semantic.formats.nested import from_nested
from microagg.semantic.hierarchy import MOST_COMPARED, Hierarchy

yaml = pytest.importorskip("yaml")


def chain(n_levels: int) -> dict[str, str]:
    """The same chain of names in every form."""
    names = [f"n{i}" for i in range(n_levels)]
    nested = "".join(f'{{"{name}": ' for name in names) + "null" + "}" * n_levels
    edges = [f"{child},{parent}" for parent, child in itertools.pairwise(names)]
    return {
        "h.json": nested,
        "h.yaml": nested,
        "edges.csv": "\n".join(["child,parent", *edges]),
        "levels.csv": ";".join(reversed(names)),
    }


@pytest.mark.parametrize("name", chain(1))
@pytest.mark.parametrize("n_levels", [MOST_LEVELS + 1, 6000])
def test_too_many_levels_are_refused(name, n_levels, tmp_path):
    """6,000 levels ended in a traceback or took minutes, whatever the form."""
    (tmp_path / name).write_text(chain(n_levels)[name])
    with pytest.raises(InvalidData, match=rf"{name}: a hierarchy in a file may have {MOST_LEVELS} levels at most"):
        read_hierarchy(tmp_path / name)


@pytest.mark.parametrize("name", chain(1))
def test_as_many_levels_as_allowed_are_read_and_written(name, tmp_path):
    (tmp_path / name).write_text(chain(MOST_LEVELS)[name])
    hierarchy = read_hierarchy(tmp_path / name)
    assert hierarchy.n_levels == MOST_LEVELS
    write_hierarchy(hierarchy, tmp_path / f"again{name}")
    assert set(read_hierarchy(tmp_path / f"again{name}").edges) == set(hierarchy.edges)


def test_aliases_in_yaml_stand_for_one_node_each(tmp_path):
    """Written out, these forty lines would be 2^40 edges."""
    lines = ["root:", "  l0: &l0 {x: null, y: null}"]
    lines += [f"  l{i}: &l{i} {{a{i}: *l{i - 1}, b{i}: *l{i - 1}}}" for i in range(1, 40)]
    (tmp_path / "bomb.yaml").write_text("\n".join(lines))
    hierarchy = read_hierarchy(tmp_path / "bomb.yaml")
    assert len(hierarchy.names) == 1 + 40 + 2 * 39 + 2
    assert {("x", "a1"), ("x", "b1"), ("a1", "a2"), ("a1", "b2")} <= set(hierarchy.edges)
    with pytest.raises(InvalidOption, match="more than 1000000 names here"):
        write_hierarchy(hierarchy, tmp_path / "out.json")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("a: &a {x: null}\nb: {<<: [*a, *a, *a]}", InvalidData, "merge keys"),
        ("root: &r\n  a: *r\n", InvalidData, "must have no cycle"),
        ("a: [1,\n b: }", FileProblem, "this is not YAML, line 2"),
        ("!!python/object/apply:os.system ['x']", FileProblem, "this is not YAML, line 1"),
        ("a: \0", FileProblem, "characters that have no place"),
        ("a: {2001-99-99: null}", FileProblem, "Put names in quotes"),
        ("a: !!int ''", FileProblem, "Put names in quotes"),
        ("a: !!timestamp x", FileProblem, "Put names in quotes"),
        ("? [a, b]\n: c", FileProblem, "unhashable key"),
        ("x" * (1 << 20) + "y", InvalidData, "may take 1 MiB at most"),
    ],
)
def test_yaml_that_cannot_be_read_is_one_line(text, error, message, tmp_path):
    (tmp_path / "h.yaml").write_text(text)
    with pytest.raises(error, match=message) as raised:
        read_hierarchy(tmp_path / "h.yaml")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("h.json", '{"a": ' + "9" * 5000 + "}", "a number in it is too long"),
        ("h.json", " " * (16 << 20) + "{}", "may take 16 MiB at most"),
        ("h.csv", "child,parent\n" + "a" * 200_000 + ",b\n", "this is not CSV"),
    ],
)
def test_other_files_that_cannot_be_read(name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(MicroaggError, match=message):
        read_hierarchy(tmp_path / name)


def test_without_pyyaml_the_error_names_the_extra(tmp_path, monkeypatch):
    """PyYAML comes with the extra io; without it, reading and writing say how to get it."""
    (tmp_path / "h.yaml").write_text("a: {b: null}")
    hierarchy = read_hierarchy(tmp_path / "h.yaml")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'microagg\[io\]'"):
        read_hierarchy(tmp_path / "h.yaml")
    with pytest.raises(MissingExtra, match=r"pip install 'microagg\[io\]'"):
        write_hierarchy(hierarchy, tmp_path / "again.yaml")
    assert not (tmp_path / "again.yaml").exists()


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_is_read_as_it_was_written(form, tmp_path):
    """Walks the registry: a new form is tested by being in it."""
    tree = Hierarchy.from_edges([("wolf", "canine"), ("dog", "canine"), ("canine", "animal"), ("a;b, c", "animal")])
    path = tmp_path / ("h" + (FORMATS[form].suffixes or (".csv",))[0])
    write_hierarchy(tree, path, form=form)
    assert FORMATS[form].recognizes(path.read_text())
    assert set(read_hierarchy(path).edges) == set(tree.edges)


def test_an_unknown_form_is_refused(tmp_path):
    with pytest.raises(InvalidOption, match="form must be one of edges, levels, json, yaml; got 'xml'"):
        write_hierarchy(Hierarchy.from_edges([("dog", "animal")]), tmp_path / "h.csv", form="xml")


def test_large_hierarchies_are_cut_to_the_values_that_occur():
    """All pairs of a hundred thousand nodes would take 80 GB; those above two values are three."""
    large = Hierarchy.from_edges(
        [(f"n{i}", f"r{i % 10}") for i in range(100_000)] + [(f"r{i}", "r") for i in range(10)]
    )
    with pytest.raises(InvalidData, match=f"{MOST_COMPARED} of them at most; got 100011"):
        _ = large.steps_up
    assert large.prune(["n5", "n15"]).names == ("n5", "n15", "r5", "r")


def test_a_child_of_many_parents_is_read_in_the_time_of_its_edges():
    edges = [("a", f"p{i}") for i in range(50_000)] + [(f"p{i}", "r") for i in range(50_000)]
    assert len(Hierarchy.from_edges(edges).names) == 50_002


def test_drawing_a_deep_hierarchy_needs_no_recursion():
    assert Hierarchy.from_edges([(str(i), str(i + 1)) for i in range(1500)]).draw().count("\n") == 1500


def test_nested_python_objects_that_hold_themselves_are_refused():
    tree: dict = {"a": {}}
    tree["a"]["b"] = tree["a"]
    with pytest.raises(InvalidData, match="cycle"):
        from_nested(tree)
    assert from_nested(json.loads('{"a": {"b": ["c"], "d": null}}')).edges == (("b", "a"), ("c", "b"), ("d", "a"))
