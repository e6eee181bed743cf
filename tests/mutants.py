"""Do the tests notice when a check that guards k is broken? python tests/mutants.py [PART ...]

Breaks one small thing at a time (a mutant): < becomes <=, `and` becomes `or`, a condition its contrary, 1 becomes 2, a
call or a raise is left out. The tests that guard that file must fail; a mutant that they let pass survives, and is
printed unless EXPLAINED says why it changes nothing. Each mutant is a forked process in which the compiled function has
been exchanged, so that nothing is imported again. `make mutants` runs it.
"""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import inspect
import os
import select
import signal
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 300
"""Seconds after which a mutant counts as one that runs on and on, which somebody would notice."""


@dataclass(frozen=True)
class Part:
    """A module, the tests that guard it, and the functions and words in lines of it that are meant; all by default."""

    module: str
    tests: tuple[str, ...]
    functions: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


_PROMISES = ("tests/constraints",)
HELPING = {"kernel", "least_size", "mean_size", "most_groups", "start_size", "_least_distance"}
SPEAKING = {"spelled", "best", "words", "number_words"}
"""Functions that help to group or to speak: what they do wrong is found by the check, or seen."""
PARTS = {
    "classes": Part("microagg.risk.classes", ("tests/risk/test_classes.py",)),
    "groups": Part(
        "microagg.base.groups",
        ("tests/base/test_groups.py", "tests/risk/test_classes.py"),
        ("equivalence_classes", "keys_of", "class_sizes", "units_by_class"),
    ),
    "constraint": Part("microagg.constraints.constraint", _PROMISES),
    "k": Part("microagg.constraints.k", _PROMISES),
    "unit": Part("microagg.constraints.unit", (*_PROMISES, "tests/test_units.py")),
    "l": Part("microagg.constraints.l", _PROMISES),
    "p": Part("microagg.constraints.p", _PROMISES),
    "t": Part("microagg.constraints.t", _PROMISES),
    "promises": Part("microagg.constraints.promises", _PROMISES),
    "flow": Part(
        "microagg.flow",
        ("tests/constraints/test_refused.py", "tests/test_anonymize.py"),
        ("make_release", "check_promises"),
        ("check_", "per_column", "terms"),
    ),
}

_TIDY = "tidying keys that need none changes no key; where all are -0, all are equal as they are"
_EMPTY = "of an array without rows only the first column is read"
_SLACK = "what is reached lies on the level or a step away from it, never exactly the slack away"
_PAIRED = "what is paired is made of the same promises, so that nothing can be longer"
EXPLAINED = {
    "microagg.constraints.promises.Terms.kept: "
    "for promise, worst, count in zip(self.promises, after, broken, strict=True):  [False at 78]": _PAIRED,
    "microagg.constraints.promises.Terms.kept: "
    "for p, reached, was in zip(self.promises, after, before, strict=True)  [False at 76]": _PAIRED,
    "microagg.constraints.promises.Terms._reached: figures = [p.constraint.worst(np.array(of)) "
    "for p, of in zip(self.promises, worst, strict=True)]  [False at 98]": _PAIRED,
    "microagg.base.groups.keys_of: "
    "if some_missing or (tidy.view(np.int64) == _MINUS_ZERO).any():  [NotEq at 24]": _TIDY,
    "microagg.base.groups.units_by_class: pairs = np.unique(np.column_stack([classes, units]), axis=0) "
    "if len(classes) else np.empty((0, 2), dtype=np.int64)  [3 at 99]": _EMPTY,
    "microagg.constraints.constraint.Constraint.keeps: "
    "kept: BoolArray = self.reached(made, column) >= self.level - SLACK  [Gt at 26]": _SLACK,
    "microagg.constraints.t.Closeness.keeps: "
    "kept: BoolArray = self.reached(made, column) <= self.value + SLACK  [Lt at 26]": _SLACK,
    "microagg.constraints.unit.with_units: return Terms((*columns, Sensitive(name, False, np.bincount(units))), "
    "(*promises, own))  [True at 44]": "whether values have an order matters to closeness alone",
    "microagg.constraints.l.EntropyDiversity.lacks: "
    "return np.where(lacking > SLACK_OF_KERNELS, lacking, 0.0)  [GtE at 24]": _SLACK,
    "microagg.constraints.t.Closeness.lacks: "
    "return np.where(lacking > SLACK_OF_KERNELS, lacking, 0.0)  [GtE at 24]": _SLACK,
}
"""Mutants that change nothing, as they are printed, and why."""

COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult}


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    """Give what can be broken at a node: what it is called, and what breaks a copy of it."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
        other = COMPARED[type(node.ops[0])]
        yield other.__name__, lambda it: setattr(it, "ops", [other()])
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield swapped.__name__, lambda it: setattr(it, "op", swapped())
    elif isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        computed = COMPUTED[type(node.op)]
        yield computed.__name__, lambda it: setattr(it, "op", computed())
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield str(not node.value), lambda it: setattr(it, "value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield str(node.value + 1), lambda it: setattr(it, "value", node.value + 1)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "not", lambda it: setattr(it, "test", ast.UnaryOp(ast.Not(), it.test))
    elif isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield "left out", lambda it: None


@dataclass(frozen=True)
class Mutant:
    """A function of which one thing is broken: what is printed of it, its name, and its code."""

    words: str
    name: str
    code: types.CodeType


def mutants_of(part: Part) -> Iterator[Mutant]:
    """Break everything that can be broken in the functions of a part, one thing at a time."""
    path = Path(inspect.getsourcefile(importlib.import_module(part.module)) or "")
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    tree = ast.parse(source)
    counted = list(enumerate(ast.walk(tree)))
    messages = {id(inner) for _, node in counted if isinstance(node, ast.JoinedStr) for inner in ast.walk(node)}
    for name, function in functions_of(tree):
        if (part.functions and name.split(".")[0] not in part.functions) or name.split(".")[-1] in HELPING | SPEAKING:
            continue
        inside = {id(node) for statement in function.body for node in ast.walk(statement)}
        for place, node in counted:
            if id(node) not in inside or id(node) in messages:
                continue
            if part.words and not any(word in lines[getattr(node, "lineno", 1) - 1] for word in part.words):
                continue
            for words, change in changes(node):
                broken = copy.deepcopy(tree)
                victim = next(other for number, other in enumerate(ast.walk(broken)) if number == place)
                if isinstance(victim, ast.Raise | ast.Expr):
                    broken = LeavingOut(victim).visit(broken)
                else:
                    change(victim)
                code = compile(ast.fix_missing_locations(broken), str(path), "exec")
                shown = lines[node.lineno - 1].strip()
                yield Mutant(
                    f"{part.module}.{name}: {shown}  [{words} at {node.col_offset}]", name, find_code(code, name)
                )


class LeavingOut(ast.NodeTransformer):
    """Puts `pass` in the place of a statement."""

    def __init__(self, victim: ast.AST) -> None:
        self.victim = victim

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.Pass() if node is self.victim else self.generic_visit(node)


def functions_of(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Give the functions and methods of a module by their full names."""
    for node in getattr(tree, "body", []):
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions_of(node, f"{prefix}{node.name}.")


def find_code(code: types.CodeType, name: str) -> types.CodeType:
    """Find the code of a function in that of its module."""
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            if inner.co_qualname == name:
                return inner
            if name.startswith(f"{inner.co_qualname}."):
                return find_code(inner, name)
    raise LookupError(name)


def find_function(module: str, name: str) -> types.FunctionType:
    """Find a function where it is, whatever decorates it."""
    holder: object = importlib.import_module(module)
    *outer, last = name.split(".")
    for word in outer:
        holder = getattr(holder, word)
    found = vars(holder)[last]
    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, functools.cached_property):
        found = found.func
    elif isinstance(found, classmethod | staticmethod):
        found = found.__func__
    found = inspect.unwrap(found)
    assert isinstance(found, types.FunctionType)
    return found


def survives(part: Part, mutant: Mutant | None) -> bool:
    """Say whether the tests pass with a mutant, or, without one, as they should."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        if mutant is not None:
            find_function(part.module, mutant.name).__code__ = mutant.code
        code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-n", "0", *part.tests])
        os.write(writer, b"y" if code == 0 else b"n")
        os._exit(0)
    os.close(writer)
    is_ready = select.select([reader], [], [], PATIENCE)[0]
    answer = os.read(reader, 1) if is_ready else b"n"
    os.close(reader)
    if not is_ready:
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return answer == b"y"


def main() -> int:
    """Try all mutants of the parts that are named, or of all parts."""
    os.chdir(ROOT)
    os.environ["OMP_NUM_THREADS"] = "1"
    for name in ("pandas", "polars", "pyarrow", "duckdb", "microagg.cli"):
        importlib.import_module(name)
    unexplained = 0
    for name in sys.argv[1:] or PARTS:
        part = PARTS[name]
        if not survives(part, None):
            raise SystemExit(f"{name}: its tests fail as it is: {' '.join(part.tests)}")
        killed = explained = 0
        for mutant in mutants_of(part):
            if not survives(part, mutant):
                killed += 1
            elif mutant.words in EXPLAINED:
                explained += 1
            else:
                unexplained += 1
                sys.stdout.write(f"survives  {mutant.words}\n")
        sys.stdout.write(f"{name}: {killed} noticed, {explained} change nothing\n")
        sys.stdout.flush()
    return int(unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
