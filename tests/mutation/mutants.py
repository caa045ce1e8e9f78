"""Makes a module's mutants with mutmut, each with a name that stays the same when lines move."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import libcst as cst
from libcst.matchers import Raise, SimpleString, findall
from mutmut.mutation.file_mutation import create_mutations, deep_replace

_KINDS = {
    cst.BaseString: "string",
    cst.BaseNumber: "number",
    cst.Name: "flag",
    cst.Assign: "assignment",
    cst.AnnAssign: "assignment",
    cst.AugAssign: "assignment",
    cst.Call: "argument",
    cst.Lambda: "lambda",
    cst.UnaryOperation: "negation",
    cst.Match: "case",
    cst.IfExp: "condition",
}
"""Kind of change by the type of the replaced node; other nodes have their operator's name."""


class Mutant(NamedTuple):
    """A module's source with one change.

    ``name``: the changed function, class or constant, and the kind of change. It needn't be unique.
    """

    name: str
    code: str
    diff: str


def of(path: Path) -> list[Mutant]:
    """Returns a module's mutants.

    Omits changes to error messages, because tests check those that matter, and all but one change
    per string, because other changes are equivalent or, in SQL, change nothing.
    """
    code = path.read_text()
    module, mutations, *_ = create_mutations(str(path), code)
    mutants: dict[str, Mutant] = {}
    places = _places(module)
    parts = [module.code_for_node(outer) for outer in module.body]
    head = "".join(module.code_for_node(line) for line in module.header)
    strings = {
        id(words)
        for raised in findall(module, Raise())
        for words in findall(raised, SimpleString())
    }
    for mutation in mutations:
        node = mutation.original_node
        if isinstance(node, cst.BaseString):
            if id(node) in strings:
                continue
            strings.add(id(node))
        at, where = places[id(node)]
        part = module.code_for_node(deep_replace(module.body[at], node, mutation.mutated_node))
        changed = "".join([head, *parts[:at], part, *parts[at + 1 :]])
        if changed != code and changed not in mutants:
            diff = difflib.unified_diff(
                code.splitlines(), changed.splitlines(), path.name, path.name, n=1, lineterm=""
            )
            mutants[changed] = Mutant(f"{where}: {_kind(node)}", changed, "\n".join(diff))
    return list(mutants.values())


def _kind(node: cst.CSTNode) -> str:
    named = next((kind for type_, kind in _KINDS.items() if isinstance(node, type_)), None)
    return named or type(getattr(node, "operator", node)).__name__


def _all(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _all(child)


def _places(module: cst.Module) -> dict[int, tuple[int, str]]:
    """Returns for each node the index of its top-level statement, and its enclosing name.

    The name is that of a function, method, class or constant. Keys are ``id(node)``.
    """
    places = {}
    for at, outer in enumerate(module.body):
        name = _name(outer)
        places |= {id(node): (at, name) for node in _all(outer)}
        for inner in outer.body.body if isinstance(outer, cst.ClassDef) else ():
            if isinstance(inner, cst.FunctionDef):
                method = f"{name}.{inner.name.value}"
                places |= {id(node): (at, method) for node in _all(inner)}
    return places


def _name(outer: cst.CSTNode) -> str:
    if isinstance(outer, cst.FunctionDef | cst.ClassDef):
        return outer.name.value
    targets = [node.target for node in _all(outer) if isinstance(node, cst.AssignTarget)]
    targets += [node.target for node in _all(outer) if isinstance(node, cst.AnnAssign)]
    names = [
        node.value for target in targets for node in _all(target) if isinstance(node, cst.Name)
    ]
    return " ".join(names) or "module"
