"""What a user may choose is declared once: keywords, options, files, commands and reports follow from the plan."""

import inspect
import shlex
from dataclasses import fields

import pandas as pd
import pytest

import microagg as ma
from microagg.anonymize import make_plan
from microagg.cli import main
from microagg.cli.anonymize import anonymize as command
from microagg.cli.choices import typed_choices
from microagg.errors import InfeasibleK, InvalidOption
from microagg.partition import partition
from microagg.plan import CHOICES, Plan, PlanFile, call_of, command_of, dump, parse, settings_of
from microagg.plan.spelling import read_options

NAMES = [item.name for item in CHOICES]
FULL = Plan(
    k=4,
    quasi=("age", "net, pay"),
    identifiers=("name",),
    confidential=("ill", "net = pay"),
    l={"ill": "recursive:2.5,3", "net = pay": 3},
    p={"ill": 2},
    t={"net = pay": 0.15},
    others="drop",
    keep=("shoe size",),
    kinds={"age": "numeric"},
    recode={"age": ("bottom:5%", "top:90"), "net, pay": ("round:0.5",)},
    method="vmdav",
    refine="local",
    refine_options={"max_passes": 3},
    options={"gamma": 0.3},
    effort="quick",
    by=("region",),
    column_weights={"age": 2.0},
    standardize=False,
    aggregate="median",
    centroid="subsumer",
    suppress=0.05,
    beyond=0.4,
    missing={"age": "drop", "*": "value"},
    round={"age": 1},
    mask={"cause": "pram:0.8", "pay, net": "noise:0.1:correlated"},
    bound=2.0,
    shuffle=True,
    exact_means=True,
    seed=9,
)
OTHERS = (
    Plan(k=4, weights="w", round=True),
    Plan(k=4, method="hm2", options={"path": "nearest_neighbour", "path_options": {"dummy": "city", "start": 3}}),
    Plan(k=4, outliers="join", round=("age",), standardize=True),
    Plan(k=4, unit="house", unit_alias=True),
    Plan(k=4, method="mdav", refine="local", device="cuda"),
    Plan(k=4, epsilon=0.5, limits={"net, pay": (0, 9000), "share": (0.0, 1.0, 0.01)}),
)


def test_keywords_are_the_fields():
    """The signature that help() and notebooks show has every choice, with its default and its words."""
    shown = inspect.signature(ma.anonymize).parameters
    for item in CHOICES:
        if item.name == "options":
            continue
        assert item.name in shown
        assert f"{item.name} : {item.form.described}" in Plan.__doc__
        assert f"{item.name} : {item.form.described}" in ma.anonymize.__doc__
        if item.name != "k":
            assert shown[item.name].default == (item.default if item.default != {} else None)
    assert "{choices}" not in ma.anonymize.__doc__
    assert {"keep_index", "threads", "progress", "options"} <= set(shown)


def test_every_choice_is_declared_for_all_who_ask():
    assert [item.name for item in fields(Plan)] == NAMES
    spellings = [word for item in CHOICES for flag in item.flags for word in flag.spellings]
    assert len(spellings) == len(set(spellings))
    offered = {word for parameter in command.params for word in parameter.opts}
    assert set(spellings) <= offered
    for item in CHOICES:
        assert item.help
        assert item.doc
        assert item.comment


def test_together_the_plans_of_these_tests_differ_from_every_default():
    """So that what follows sees every choice: a field that is added must be added here too."""
    for item in CHOICES:
        assert any(item.differs(getattr(plan, item.name)) for plan in (FULL, *OTHERS)), item.name


@pytest.mark.parametrize("plan", [FULL, *OTHERS])
def test_the_printed_command_and_call_give_the_plan_again(plan, tmp_path):
    """Whatever is chosen, in the words of the command line, of a plan file and of Python."""
    (tmp_path / "people.csv").write_text("a\n")
    words = shlex.split(command_of(plan, str(tmp_path / "people.csv"), "out.csv"))[2:]
    context = command.make_context("anonymize", words, parent=None)
    read = Plan(**typed_choices(context, context.params))
    rounded = dict.fromkeys(plan.round, 0) if isinstance(plan.round, tuple) else plan.round
    assert read == Plan(**{**{name: getattr(plan, name) for name in NAMES}, "round": rounded})
    assert parse(dump(PlanFile(plan))).plan == plan
    asked = call_of(plan).removeprefix("microagg.anonymize(data, ").removesuffix(")")
    called = eval(f"dict({asked})", {})  # noqa: S307  our own words
    assert make_plan(**called) == plan


def test_settings_say_what_was_chosen():
    told = settings_of(FULL)
    assert told["Columns standardized"] == "no"
    assert told["Common value of a group"] == "median"
    assert told["Outliers suppressed"] == "at most 5% of the records"
    assert settings_of(OTHERS[0])["Common value of a group"] == "weighted mean, weights w"
    for item in CHOICES:
        assert not item.title or item.title in told


def test_options_with_parts_are_told_part_by_part():
    assert "path_options.dummy = city, path_options.start = 3" in ", ".join(settings_of(OTHERS[1]).values())
    assert "--option path_options.dummy=city" in command_of(OTHERS[1])


def test_an_option_has_either_a_value_or_parts():
    with pytest.raises(InvalidOption, match="either a value or parts"):
        read_options(["path_options=3", "path_options.dummy=city"])


def test_a_file_explains_every_line():
    lines = [line for plan in (FULL, *OTHERS) for line in dump(PlanFile(plan)).splitlines()]
    for item in CHOICES:
        if not item.form.repeats:
            assert any(line.startswith(f"{item.name} = ") and line.endswith(f"# {item.comment}") for line in lines)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"k": -4, "missing": "whatever"}, "k must be between 2 and the number of records; got k=-4"),
        (
            {"missing": "whatever"},
            "missing must be one of refuse, drop, value, impute, impute-any-share; got 'whatever'",
        ),
        ({"missing": "dorp"}, r"got 'dorp'\. Did you mean 'drop'\?"),
        ({"method": "mdva"}, r"Did you mean 'mdav'\?"),
        ({"aggregate": "mode"}, "aggregate must be one of mean, median; got 'mode'"),
        ({"aggregate": "median", "weights": "w"}, "weights enter group means only"),
        ({"outliers": "join", "by": "region"}, "cannot be combined with by"),
        (
            {"method": "vmdav", "options": {"gama": 1}},
            r"cannot honour the option 'gama'; did you mean 'gamma'\? It takes",
        ),
        ({"options": {"gamma": 1}}, "method 'auto' cannot honour the option 'gamma'"),
        ({"refine": "magic"}, "refine must be one of local, search, rcs, or None; got 'magic'"),
        ({"method": "individual", "refine": "local"}, "refine must be None"),
        ({"method": "individual", "bound": 1.0}, "bound holds for groups of whole records"),
        ({"method": "mixed", "standardize": False}, "standardize must stay True"),
        ({"round": {"age": 400}}, "from -300 to 300; got 400"),
        ({"suppress": 1.5}, "suppress must be a number between 0 and 1; got 1.5"),
        ({"column_weights": {"age": -1}}, "the weight of column 'age'"),
        ({"column_weights": ["age"]}, "column_weights must map names"),
        ({"l": {"ill": 1}}, "l of column 'ill' must be a whole number of at least 2"),
        ({"l": {"ill": "entropy:1"}}, "l of column 'ill' must be"),
        ({"l": {"ill": "recursive:0,3"}}, "l of column 'ill' must be"),
        ({"p": {"ill": 2.5}}, "p of column 'ill' must be a whole number"),
        ({"t": {"ill": 1.5}}, "t of column 'ill' must be a number from 0 to 1"),
        ({"t": {"ill": True}}, "t of column 'ill' must be a number from 0 to 1"),
        ({"l": {"ill": 2}, "quasi": ["ill"]}, "one role only"),
        ({"l": {"ill": 2}, "by": "ill"}, "serves as by or weights"),
        ({"l": {"ill": 2}, "method": "individual"}, "nothing can be promised"),
        ({"l": {"ill": 2}, "outliers": "join"}, "outliers='join' puts records"),
        ({"kinds": {"age": "colour"}}, "the kind of column 'age' must be"),
        ({"kinds": {"age": 3}}, "the kind of column 'age' must be"),
        ({"quasi": "age"}, r"write \['age'\]"),
        ({"quasi": [3]}, "which are texts; got 3"),
        ({"weights": 3}, "weights must be the name of a column"),
        ({"shuffle": "yes"}, "shuffle must be True or False; got 'yes'"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"device": "tpu"}, "device must be one of cpu, cuda"),
        ({"device": "cuda", "method": "mixed"}, "device='cuda' is for mdav, fast and refine='local'"),
        ({"device": "cuda", "l": {"ill": 2}}, "on a device groups keep k alone"),
        ({"device": "cuda", "unit": "house"}, "on a device groups keep k alone"),
        ({"bound": 0}, "bound must be a positive number of seconds"),
    ],
)
def test_no_plan_can_be_built_wrong(asked, message):
    """Whatever can be refused without the data is refused when the plan is made, long before anything is grouped."""
    with pytest.raises(InvalidOption, match=message):
        Plan(**{"k": 3, **asked})
    with pytest.raises(InvalidOption, match=message):
        Plan(k=3).changed(**asked)


def test_a_k_that_cannot_be_is_told_apart():
    with pytest.raises(InfeasibleK):
        Plan(k=1)


def test_lists_become_tuples_and_mappings_are_copied():
    kinds = {"age": "numeric"}
    plan = Plan(k=3, quasi=["age"], by="region", kinds=kinds, round=["age"])
    kinds["age"] = "nominal"
    assert (plan.quasi, plan.by, plan.kinds, plan.round) == (("age",), ("region",), {"age": "numeric"}, ("age",))


@pytest.mark.parametrize(
    ("misspelt", "meant"), [("quassi", "quasi"), ("confidental", "confidential"), ("thread", "threads")]
)
def test_a_misspelt_keyword_is_answered_with_the_nearest(misspelt, meant):
    frame = pd.DataFrame({"age": [1, 2, 3, 4]})
    with pytest.raises(InvalidOption, match=f"anonymize has no option '{misspelt}'; did you mean '{meant}'"):
        ma.anonymize(frame, k=2, **{misspelt: ["age"]})
    with pytest.raises(InvalidOption, match=r"cannot honour the option 'gama'; did you mean 'gamma'\?"):
        ma.anonymize(frame, k=2, method="vmdav", gama=0.2)
    with pytest.raises(InvalidOption, match=r"did you mean 'gamma'\?"):
        partition([[1.0], [2.0]], 2, method="vmdav", gama=0.2)
    with pytest.raises(InvalidOption, match=r"anonymize_file has no option 'memry'; did you mean 'memory'\?"):
        ma.anonymize_file("people.csv", None, 2, memry="1GB")


def test_a_misspelt_flag_is_answered_with_the_nearest(capsys):
    with pytest.raises(SystemExit):
        main(["anonymize", "-k", "3", "--quassi", "age"])
    assert "--quasi" in capsys.readouterr().err


def test_the_earlier_spelling_is_understood():
    """Old calls and old plan files go on working; what is written has the spelling of today."""
    assert make_plan(k=3, standardise=False) == Plan(k=3, standardize=False)
    assert Plan(k=3).changed(standardise=False).standardize is False
    old = parse("[release]\nk = 3\nstandardise = false\n").plan
    assert old.standardize is False
    assert old.standardise is False
    assert "standardise" not in dump(PlanFile(old))
    frame = pd.DataFrame({"a": [1, 2, 30, 40], "b": [1, 9, 2, 8]})
    pd.testing.assert_frame_equal(
        ma.anonymize(frame, k=2, standardise=False).data, ma.anonymize(frame, k=2, standardize=False).data
    )
    with pytest.raises(InvalidOption, match="standardize is given twice"):
        make_plan(k=3, standardise=False, standardize=True)
