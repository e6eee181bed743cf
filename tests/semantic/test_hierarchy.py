"""Hierarchies: what they refuse, what lies above what, and that every file form gives back what was written."""

from __future__ import annotations

import importlib.util
import json

import pytest
from hierarchies import ANIMALS, PERSON, random_hierarchy

from microagg.errors import FileProblem, InvalidData, InvalidOption
from microagg.semantic import Hierarchy, from_wordnet, read_hierarchy, write_hierarchy


def test_cycle_is_refused() -> None:
    with pytest.raises(InvalidData, match=r"no cycle.*lies above itself"):
        Hierarchy.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("a", "root")])
    with pytest.raises(InvalidData, match="lies above itself"):
        Hierarchy.from_edges([("a", "a"), ("a", "root")])


def test_two_roots_are_refused() -> None:
    with pytest.raises(InvalidData, match="one root; 2 nodes have no parent: 'b', 'd'"):
        Hierarchy.from_edges([("a", "b"), ("c", "d")])


def test_nothing_is_refused() -> None:
    with pytest.raises(InvalidData, match="at least one node"):
        Hierarchy.from_edges([])


def test_unknown_name_is_refused() -> None:
    with pytest.raises(InvalidData, match="no node 'bird'"):
        ANIMALS.depth("bird")


def test_deep_chain_needs_no_recursion() -> None:
    chain = Hierarchy.from_edges([(str(i), str(i + 1)) for i in range(3000)])
    assert chain.depth("0") == 3001
    assert chain.post_order[0] == chain.find("0")


def test_depth_is_the_shortest_way() -> None:
    assert [PERSON.depth(name) for name in ("entity", "cause", "organism", "person", "clerk")] == [1, 2, 3, 3, 4]


def test_least_common_subsumer_is_person_although_organism_is_as_deep() -> None:
    assert PERSON.least_common_subsumers("clerk", "guard") == ("person",)
    assert PERSON.least_common_subsumers("clerk", "person") == ("person",)
    assert PERSON.least_common_subsumers("person", "living") == ("living",)
    assert ANIMALS.least_common_subsumers("wolf", "tabby", "dog") == ("animal",)


def test_several_least_common_subsumers() -> None:
    both = Hierarchy.from_edges(
        [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("x", "root"), ("y", "middle"), ("middle", "root")]
    )
    assert both.least_common_subsumers("a", "b") == ("y", "x")


@pytest.mark.parametrize("seed", range(5))
def test_against_sets_of_ancestors(seed: int) -> None:
    graph = random_hierarchy(seed, 25, extra=12)
    above: dict[str, set[str]] = {}

    def climb(name: str) -> set[str]:
        if name not in above:
            parents = [graph.names[p] for p in graph.parents[graph.position[name]]]
            above[name] = {name}.union(*[climb(parent) for parent in parents]) if parents else {name}
        return above[name]

    for a in graph.names:
        assert set(graph.ancestors(a)) == climb(a) - {a}
        for b in graph.names:
            common = climb(a) & climb(b)
            least = {x for x in common if not any(x in climb(y) for y in common - {x})}
            assert set(graph.least_common_subsumers(a, b)) == least


def test_post_order_puts_what_is_below_first() -> None:
    assert [ANIMALS.names[i] for i in ANIMALS.post_order] == ["wolf", "dog", "canine", "tabby", "cat", "animal"]
    graph = random_hierarchy(7, 30, extra=10)
    assert sorted(graph.post_order) == list(range(30))


def test_drawing() -> None:
    assert PERSON.draw().splitlines() == [
        "entity",
        "├── living",
        "│   └── organism",
        "│       └── person",
        "│           ├── clerk",
        "│           └── guard",
        "└── cause",
        "    └── person (see above)",
    ]


@pytest.mark.parametrize("parent", ["first", "last"])
def test_tree_keeps_one_parent(parent: str) -> None:
    tree = PERSON.tree(parent)
    assert all(len(above) <= 1 for above in tree.parents)
    assert ("organism" in tree.names) == (parent == "first")
    with pytest.raises(InvalidOption, match="'first' or 'last'"):
        PERSON.tree("both")


@pytest.mark.parametrize("name", ["h.csv", "h.json", "h.yaml"])
@pytest.mark.parametrize("hierarchy", [ANIMALS, PERSON, Hierarchy(("alone",), ((),))], ids=["tree", "graph", "one"])
def test_every_form_gives_back_what_was_written(hierarchy: Hierarchy, name: str, tmp_path) -> None:
    if name == "h.yaml" and importlib.util.find_spec("yaml") is None:
        pytest.skip("PyYAML is not installed")
    if name == "h.csv" and len(hierarchy.names) == 1:
        pytest.skip("a single node has no edge")
    write_hierarchy(hierarchy, tmp_path / name)
    again = read_hierarchy(tmp_path / name)
    assert set(again.edges) == set(hierarchy.edges)
    assert again.root == hierarchy.root


def test_levels_of_arx(tmp_path) -> None:
    path = tmp_path / "levels.csv"
    write_hierarchy(ANIMALS, path, form="levels")
    assert path.read_text().splitlines() == ["wolf;canine;animal", "dog;canine;animal", "tabby;cat;animal"]
    assert set(read_hierarchy(path).edges) == set(ANIMALS.edges)
    path.write_text("a;a;*\nb;bc;*\nc;bc;*\n")
    assert read_hierarchy(path).edges == (("a", "*"), ("b", "bc"), ("bc", "*"), ("c", "bc"))
    with pytest.raises(InvalidOption, match="trees only, and 'person' has several parents"):
        write_hierarchy(PERSON, path, form="levels")


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("h.csv", "", InvalidData, "empty"),
        ("h.csv", "child,parent\na,b,c\n", InvalidData, "line 2 must hold a child and a parent"),
        ("h.csv", "child,parent\n", InvalidData, "at least one node"),
        ("h.csv", "a;;c\n", InvalidData, "line 1 has an empty level"),
        ("h.csv", "a\nb\n", InvalidData, "neither edges nor levels"),
        ("h.json", "{", FileProblem, "not JSON"),
        ("h.json", json.dumps({"a": None, "b": None}), InvalidData, "one key, the root"),
        ("h.json", json.dumps({"a": 5}), InvalidData, "must be an object, a list of names or null"),
        ("h.json", json.dumps({"a": [["b"]]}), InvalidData, "must hold names only"),
        ("h.json", json.dumps({"a": {"b": {"a": None}}}), InvalidData, "cycle|root"),
    ],
)
def test_files_that_cannot_be_used(name: str, text: str, error, message: str, tmp_path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(error, match=message):
        read_hierarchy(path)


def test_file_that_is_not_there(tmp_path) -> None:
    with pytest.raises(FileProblem, match="cannot be read"):
        read_hierarchy(tmp_path / "none.csv")


def write_wordnet(folder) -> None:
    """Five synsets in the form of WordNet's files: offsets count bytes."""
    words = {"entity": [], "cause": ["@ entity"], "person": ["@ entity", "@ cause"], "clerk": ["@ person"]}
    instances = {"ada": ["@i person"]}
    offsets, data = {}, "  1 licence\n"
    for word, above in {**words, **instances}.items():
        offsets[word] = len(data)
        pointers = [f"{symbol} {offsets[up]:08d} n 0000" for symbol, up in (a.split() for a in above)]
        data += " ".join([f"{len(data):08d} 03 n 01 {word} 0 {len(pointers):03d}", *pointers]) + " | a gloss\n"
    (folder / "data.noun").write_text(data)
    lines = [f"{word} n 1 1 @ 1 0 {offset:08d}  " for word, offset in sorted(offsets.items())]
    (folder / "index.noun").write_text("  1 licence\n" + "\n".join(lines) + "\n")


def test_wordnet(tmp_path) -> None:
    write_wordnet(tmp_path)
    found = from_wordnet({"clerks": "clerk.n.01", "Ada": "ada.n.01"}, tmp_path)
    assert set(found.edges) == {
        ("clerks", "person.n.01"),
        ("Ada", "person.n.01"),
        ("person.n.01", "entity.n.01"),
        ("person.n.01", "cause.n.01"),
        ("cause.n.01", "entity.n.01"),
    }
    assert from_wordnet({"all": "entity.n.01"}, tmp_path).names == ("all",)


@pytest.mark.parametrize(
    ("synsets", "message"),
    [
        ({}, "at least one value"),
        ({"a": "clerk"}, "must be written lemma.n.01"),
        ({"a": "clerk.n.02"}, "no synset 'clerk.n.02'; it knows 1 senses"),
        ({"a": "robot.n.01"}, "it knows 0 senses"),
        ({"a": "clerk.n.01", "b": "clerk.n.01"}, "same synset"),
        ({"person.n.01": "clerk.n.01"}, "named like a synset"),
    ],
)
def test_synsets_that_cannot_be(synsets, message: str, tmp_path) -> None:
    write_wordnet(tmp_path)
    with pytest.raises(InvalidData, match=message):
        from_wordnet(synsets, tmp_path)


def test_wordnet_that_is_not_there(tmp_path, monkeypatch) -> None:
    with pytest.raises(FileProblem, match="cannot be read"):
        from_wordnet({"a": "clerk.n.01"}, tmp_path)
    monkeypatch.setattr("microagg.semantic.wordnet.DEBIAN_FOLDER", tmp_path)
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(FileProblem, match="wordnet-base"):
        from_wordnet({"a": "clerk.n.01"})
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    write_wordnet(tmp_path)
    assert from_wordnet({"a": "clerk.n.01"}).root == "entity.n.01"
