"""What users call does not change by accident, and all of it is explained."""

from __future__ import annotations

import inspect
from collections import Counter
from difflib import unified_diff

import public_api

import microagg as ma


def test_the_public_names_are_what_they_were():
    """On purpose? Then `python tests/public_api.py`, and tell users of it in the changelog (docs/stability.md)."""
    before, now = public_api.LISTED.read_text(encoding="utf-8"), public_api.listing()
    changes = list(unified_diff(before.splitlines(), now.splitlines(), "tests/public_api.txt", "now", lineterm="", n=0))
    assert not changes, "\n".join(changes)


def test_every_public_name_is_in_the_reference_once():
    """Names of `microagg` itself may stand there under the module that they come from."""
    documented = Counter(public_api.documented())
    assert [name for name, count in documented.items() if count > 1] == []
    explained = [public_api.value_of(name) for name in documented]
    lacking = [name for name, value in public_api.exported().items() if not any(value is other for other in explained)]
    assert lacking == []
    assert any(other is ma.Microaggregator for other in explained)


def test_every_public_name_says_what_it_does():
    """Functions say what they take; whoever calls help() finds words, not a signature alone."""
    for name in {*public_api.documented(), *public_api.exported()}:
        value = public_api.value_of(name)
        if not (inspect.isfunction(value) or inspect.isclass(value)):
            continue
        text = inspect.getdoc(value) or ""
        assert len(text) > 20, name
        assert not text.startswith(f"{value.__name__}("), name  # what dataclasses write where nobody does


def test_a_call_is_told_without_types_and_addresses():
    def example(a: int, *, b: object = test_a_call_is_told_without_types_and_addresses, c: str = "x") -> None: ...

    assert public_api.call_of(example) == "(a, *, b=..., c='x')"
