"""The faults: mutmut's, made of a module's text, each with a name that outlives moved lines."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import libcst as cst
from libcst.matchers import Raise, SimpleString, findall
from mutmut.mutation.file_mutation import create_mutations, deep_replace


class Mutant(NamedTuple):
    """A module's text with one fault; ``name`` says where and what."""

    name: str
    code: str
    diff: str


def of(path: Path) -> list[Mutant]:
    """The mutants of a module.

    Left out are the words of errors, of which tests look at the ones that matter, and all but one
    fault in a string: in other cases it is the same fault or, in SQL, none.
    """
    code = path.read_text()
    module, mutations, *_ = create_mutations(str(path), code)
    found: dict[str, Mutant] = {}
    places = _places(module)
    within = {id(node): at for at, outer in enumerate(module.body) for node in _all(outer)}
    parts = [module.code_for_node(outer) for outer in module.body]
    head = "".join(module.code_for_node(line) for line in module.header)
    done = {
        id(words)
        for raised in findall(module, Raise())
        for words in findall(raised, SimpleString())
    }
    for mutation in mutations:
        node = mutation.original_node
        if isinstance(node, cst.BaseString):
            if id(node) in done:
                continue
            done.add(id(node))
        at = within[id(node)]
        part = module.code_for_node(deep_replace(module.body[at], node, mutation.mutated_node))
        changed = "".join([head, *parts[:at], part, *parts[at + 1 :]])
        if changed != code and changed not in found:
            where = places.get(id(mutation.contained_by_top_level_function), "module")
            found[changed] = _mutant(path.name, where, code, changed)
    return list(found.values())


def _all(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _all(child)


def _places(module: cst.Module) -> dict[int, str]:
    """The names of functions and methods, and of the class of what else is in one."""
    found = {}
    for outer in module.body:
        if isinstance(outer, cst.FunctionDef):
            found[id(outer)] = outer.name.value
        elif isinstance(outer, cst.ClassDef):
            for inner in outer.body.body:
                method = f".{inner.name.value}" if isinstance(inner, cst.FunctionDef) else ""
                found[id(inner)] = outer.name.value + method
    return found


def _mutant(file: str, where: str, code: str, changed: str) -> Mutant:
    lines = list(
        difflib.unified_diff(code.splitlines(), changed.splitlines(), file, file, n=1, lineterm="")
    )
    was, now = (
        " ".join(line[1:].strip() for line in lines[2:] if line.startswith(sign)) for sign in "-+"
    )
    return Mutant(f"{where}: {was} -> {now}", changed, "\n".join(lines))
