"""Generates the Python client's records and operations from the API's description, openapi.json.

``make format`` runs it; a test fails if a committed file is out of date. ``x-python`` in the
description names the method of an operation, such as ``items.find``, and the class of an object
whose schema has another name. Schemas of the same class make one record, in which a field is
required only if all of them require it. A schema with ``x-python-base`` also makes a subclass.
"""

import json
import keyword
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tools import openapi

ROOT = Path(__file__).parents[1]
CLIENT = ROOT / "clients" / "python" / "src" / "wishwell_client"
DESCRIPTION = json.loads(openapi.BUILT.read_text("utf-8"))

# Methods that are written by hand, in _async/by_hand.py.
BY_HAND = {
    *("events.list", "orders.put_many", "products.put", "profiles.token", "profiles.identify")
}

RECORDS_HEAD = '''"""The records of the API. Written by ``make format`` from http/openapi.json."""

from datetime import datetime
from typing import Literal

from wishwell_client.record import Record

'''
OPERATIONS_HEAD = '''"""The operations. Written by ``make format`` from http/openapi.json."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from wishwell_client.answers import Page, nothing, one, page_of
from wishwell_client._async.transport import AsyncResource, Transport
from wishwell_client._async.by_hand import AsyncEventsByHand, AsyncListsByHand
from wishwell_client._async.by_hand import AsyncOrdersByHand, AsyncProductsByHand
from wishwell_client._async.by_hand import AsyncProfilesByHand
from wishwell_client.calls import UNSET, Call, UnsetType, body
from wishwell_client.calls import changes, given, joined, path, several
'''
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
RAISED = {"404": "NotFound", "409": "Conflict", "410": "Gone"}
Node = Any  # a part of the description


def resolved(node: Node) -> Node:
    """Returns a node with its references resolved. Its own keys override the target's."""
    while "$ref" in node:
        target = DESCRIPTION
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target | {key: value for key, value in node.items() if key != "$ref"}
    return node


def component(node: Node) -> str:
    """Returns the name of the component that a node refers to, or ''."""
    return str(node.get("$ref", "")).rpartition("/")[2]


def content(node: Node) -> Node:
    """Returns the schema of a request's or response's body."""
    return node["content"]["application/json"]["schema"]


def nullable(schema: Node) -> bool:
    """Returns whether a value may be null."""
    return "null" in schema.get("type", ()) or {"type": "null"} in schema.get("oneOf", ())


def described_as(schema: Node) -> str:
    """Returns the description of a value, or of the first kind that it may have."""
    first = resolved(schema.get("oneOf", [{}])[0])
    if "x-schema" in schema:
        first = DESCRIPTION["components"]["schemas"][schema["x-schema"]]
    return str(schema.get("description") or first.get("description", ""))


def snake(name: str) -> str:
    """Returns a name in snake case: ``list_id`` for ``listId``."""
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def docstring(text: str, indent: int) -> str:
    """Returns Markdown of the description as a docstring, with names converted to Python's."""
    text = re.sub(r"`HEAD`\sreturns\sthe\ssame\sresponse\swithout\sa\sbody\.", "", text.strip())
    text = re.sub(r"`([a-z]+[A-Z]\w+)`", lambda name: f"`{snake(name[1])}`", text)
    text = re.sub(r"\bnull\b", "None", re.sub(r"`([^`]+)`", r"``\1``", text))
    wrap = textwrap.TextWrapper(100 - indent, break_on_hyphens=False).fill
    lines = "\n\n".join(wrap(paragraph) for paragraph in ('"""' + text).split("\n\n"))
    fits = "\n" not in lines and len(lines) <= 97 - indent
    return textwrap.indent(lines + ('"""' if fits else '\n"""'), " " * indent) + "\n"


@dataclass
class Types:
    """The types in the description, in order of dependency: aliases, and the schemas of classes."""

    aliases: dict[str, str] = field(default_factory=dict)
    records: dict[str, list[Node]] = field(default_factory=dict)
    subclasses: dict[str, Node] = field(default_factory=dict)

    def of(self, node: Node, sequence: str = "tuple[{}, ...]") -> str:
        """Returns the Python type of a value, without ``None``."""
        schema = resolved(node)
        if "discriminator" in schema:
            members = schema["discriminator"]["mapping"].values()
            return self._union(schema, [{"$ref": member} for member in members])
        if "oneOf" in schema:
            options = [option for option in schema["oneOf"] if option != {"type": "null"}]
            if len(options) == 1:
                return self.of(options[0], sequence)
            self.aliases[component(node)] = " | ".join(self.of(option) for option in options)
            return component(node)
        kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
        if kind == "array":
            return sequence.format(self.of(schema["items"]))
        if kind == "object":
            return self._record(component(node), schema)
        if "x-python" in schema:
            return str(schema["x-python"])
        return "datetime" if schema.get("format") == "date-time" else SCALARS[kind]

    def _union(self, schema: Node, options: list[Node]) -> str:
        """Returns the base class of a union, whose bases follow all that their fields refer to."""
        base = str(schema["x-python"])
        if base not in self.records:
            for option in options:
                self.of(option)
            for name in dict.fromkeys(one["x-python-base"] for one in self.subclasses.values()):
                self.records[name] = self.records.pop(name)
            self.records[base][0] = self.records[base][0] | {"description": schema["description"]}
        return base

    def of_parameter(self, node: Node) -> str:
        """Returns the type of a parameter. An enum becomes an alias with its component's name."""
        schema = resolved(node)["schema"]
        if schema.get("type") == "array":
            return f"str | {self.of(schema, 'Sequence[{}]')}"
        if "enum" not in schema:
            return self.of(schema)
        words = ", ".join(f'"{word}"' for word in schema["enum"])
        self.aliases[component(node)] = f"Literal[{words}]"
        return component(node)

    def _record(self, described: str, schema: Node) -> str:
        for node in schema["properties"].values():
            self.of(node)
        name = str(schema.get("x-python", described))
        if name.startswith("dict["):
            return name
        if not name:
            raise ValueError(f"an object without x-python: {schema}")
        # The component itself, without a description that a reference adds.
        whole = DESCRIPTION["components"]["schemas"].get(described, schema)
        if base := whole.get("x-python-base"):
            self.subclasses[name] = whole
            name, whole = base, whole | {"description": "The fields of all subclasses."}
        if whole not in self.records.setdefault(name, []):
            self.records[name].append(whole)
        return name

    def source(self) -> str:
        """Returns the source of records.py, unformatted."""
        text = (
            RECORDS_HEAD
            + f"__all__ = {sorted([*self.aliases, *self.records, *self.subclasses])}\n\n"
        )
        text += "".join(f"{name} = {kind}\n" for name, kind in self.aliases.items())
        text += "".join(self._class(*record) for record in list(self.records.items()))
        return text + "".join(self._subclass(*one) for one in self.subclasses.items())

    def _subclass(self, name: str, schema: Node) -> str:
        """Returns a class that only narrows its base's fields. Unknown types become the base."""
        text = f"\n\nclass {name}({schema['x-python-base']}, frozen=True, kw_only=True):\n"
        text += docstring(schema["description"], 4) + "\n"
        for sent, node in schema["properties"].items():
            data = component(node)
            if "const" in node:
                text += f'    {snake(sent)}: Literal["{node["const"]}"]\n'
            elif data in self.subclasses:
                text += f"    {snake(sent)}: {data}\n"
            elif schema["x-python-base"] == "EventData" and sent in schema.get("required", ()):
                kind = self.of(node) + " | None" * nullable(resolved(node))
                text += f"    {snake(sent)}: {kind}\n"
        return text

    def _class(self, name: str, schemas: list[Node]) -> str:
        fields: dict[str, Node] = {}
        for schema in sorted(schemas, key=lambda schema: -len(schema["properties"])):
            fields = fields | {k: v for k, v in schema["properties"].items() if k not in fields}
        required = set.intersection(*(set(schema.get("required", ())) for schema in schemas))
        text = f"\n\nclass {name}(Record, frozen=True):\n"
        text += docstring(schemas[0]["description"], 4) + "\n"
        for sent in sorted(fields, key=lambda sent: sent not in required):
            node, kind = fields[sent], self.of(fields[sent])
            if sent not in required:
                kind += " | None = None"
            elif nullable(resolved(node)):
                kind += " | None"
            text += f"    {snake(sent)}: {kind}\n"
            text += docstring(node["description"], 4) if "description" in node else ""
        return text


class Argument(NamedTuple):
    """An argument of a method. ``sent``: its name in the API; ``kind``: its type and default."""

    sent: str
    name: str
    kind: str
    words: str


def mapping(function: str, arguments: list[Argument]) -> str:
    """Returns the source of a call that passes the arguments by their names in the API."""
    pairs = [
        f"{sent}=several({name})"
        if kind.startswith("Sequence")
        else (f"{sent}=joined({name})" if "Sequence" in kind else f"{sent}={name}")
        for sent, name, kind, _ in arguments
        if not keyword.iskeyword(sent)
    ]
    pairs += [f'**{{"{sent}": {name}}}' for sent, name, *_ in arguments if keyword.iskeyword(sent)]
    return f"{function}({', '.join(pairs)})"


class Operation:
    """An operation, as a method in the class for its resource."""

    def __init__(
        self, path: str, method: str, node: Node, path_parameters: list[Node], types: Types
    ):
        self.node, self.method, self.types = node, method.upper(), types
        self.resource, _, self.name = node["x-python"].partition(".")
        self.is_repeatable = self.method != "POST" or "x-repeatable" in node
        self.path_parameters = {
            resolved(parameter)["name"]: types.of_parameter(parameter)
            for parameter in path_parameters
        }
        parts = [f'"{part}"' for part in path[1:].split("/")]
        parts = [self._local(part[2:-2]) if part.startswith('"{') else part for part in parts]
        self.path = f"path({', '.join(parts)})"
        answer = next(answer for status, answer in node["responses"].items() if status < "300")
        self.record, self.is_page = self._read_response(answer)
        request = resolved(content(node["requestBody"])) if "requestBody" in node else {}
        described, required = request.get("properties", {}), request.get("required", ())
        ordered = sorted(described, key=lambda sent: sent not in required)
        self.fields = [self._field(sent, described[sent], sent in required) for sent in ordered]
        query = [
            parameter
            for parameter in node.get("parameters", ())
            if resolved(parameter)["in"] == "query"
        ]
        # The client returns records only, so it has no parameter `format`. Pages of a list's items
        # are written by hand.
        left_out = {*described, "format"} | ({"page", "limit"} if not self.is_page else set())
        query = [parameter for parameter in query if resolved(parameter)["name"] not in left_out]
        self.query = [self._parameter(reference) for reference in query]

    def _read_response(self, answer: Node) -> tuple[str, bool]:
        """Returns the class of the records in the response, and whether it is a page."""
        if "content" not in answer or self.node["x-python"] == "profiles.identify":
            return "None", False
        body = resolved(content(answer))["properties"]
        is_page = "pageInfo" in body and "items" in body["data"]
        return self.types.of(body["data"]["items"] if is_page else body["data"]), is_page

    def _local(self, sent: str) -> str:
        """Returns the name in Python. Ids of the resource's own records are ``id`` and ``ids``."""
        own = self.resource.removesuffix("s")
        return {f"{own}Id": "id", f"{own}Ids": "ids"}.get(sent, snake(sent))

    def _field(self, sent: str, node: Node, is_required: bool) -> Argument:
        schema, kind = resolved(node), self.types.of(node, "Sequence[{}]")
        if not is_required and self.method in ("PATCH", "PUT"):
            kind += " | UnsetType" + " | None" * nullable(schema) + " = UNSET"
        elif not is_required:
            kind += f" = {schema.get('default', False)}" if kind == "bool" else " | None = None"
        return Argument(sent, self._local(sent), kind, described_as(schema))

    def _parameter(self, reference: Node) -> Argument:
        parameter, kind = resolved(reference), self.types.of_parameter(reference)
        words = parameter["description"].partition("\n\n")[0]
        kind += "" if parameter["required"] else " | None = None"
        name = parameter["name"] + "_" * keyword.iskeyword(parameter["name"])
        return Argument(parameter["name"], name, kind, words)

    def source(self) -> str:
        """Returns the method's source and, for a list operation, its iterators over pages."""
        kind = f"Page[{self.record}]" if self.is_page else self.record
        reader = f"page_of({self.record})" if self.is_page else f"one({self.record})"
        call = f'"{self.method}", {self.path}, {"nothing" if kind == "None" else reader}'
        text = f"    async def {self.name}({self._signature()}) -> {kind}:\n{self._docstring()}"
        options = ""
        if self.query:
            text += f"        params = {mapping('given', self.query)}\n"
            options += ", params=params"
        if "requestBody" in self.node:
            may_clear = any("UNSET" in argument.kind for argument in self.fields)
            function = "changes" if may_clear else "body"
            text += f"        fields = {mapping(function, self.fields)}\n"
            options += ", body=fields"
        options += "" if self.is_repeatable else ", repeatable=False"
        text += f"        call = Call({call}{options})\n"
        text += (
            f"        {'' if kind == 'None' else 'return '}await self._transport.result(call)\n\n"
        )
        if self.name == "list" and self.is_page and not self.path_parameters:
            text += self._walk("pages", kind, call) + self._walk("all", self.record, call)
        return text

    def _walk(self, name: str, kind: str, call: str) -> str:
        words = "Follows the cursors from `page` (by default the newest) to the oldest page."
        text = f"    def {name}({self._signature()}) -> AsyncIterator[{kind}]:\n"
        text += docstring(words, 8)
        text += f"        call = Call({call}, {mapping('given', self.query)})\n"
        return text + f"        return self._transport.{name}(call)\n\n"

    def _signature(self) -> str:
        path_arguments = [
            f"{self._local(sent)}: {kind}" for sent, kind in self.path_parameters.items()
        ]
        other_arguments = [
            f"{argument.name}: {argument.kind}" for argument in self.fields + self.query
        ]
        required = [
            argument for argument in path_arguments + other_arguments if "=" not in argument
        ]
        optional = [argument for argument in other_arguments if "=" in argument]
        return ", ".join(["self", *required, *(["*", *optional] if optional else [])])

    def _docstring(self) -> str:
        words = [self.node["description"]]
        words += [f"`{one.name}`: {one.words}" for one in self.fields + self.query if one.words]
        raised = [name for status, name in RAISED.items() if status in self.node["responses"]]
        ending = f"Raises {' and '.join(f'`{name}`' for name in raised)}."
        ending += "" if self.is_repeatable else " Not retried after a lost connection."
        return docstring("\n\n".join([*(one.strip() for one in words), ending]), 8)


def operations_source(operations: list[Operation], types: Types) -> str:
    """Returns the source of _async/operations.py, unformatted and with unused imports."""
    words = {tag["name"]: tag["description"].split("\n\n")[0] for tag in DESCRIPTION["tags"]}
    names = ", ".join([*types.aliases, *types.records])
    text = OPERATIONS_HEAD + f"from wishwell_client.records import {names}\n"
    attached = ""
    for resource in dict.fromkeys(operation.resource for operation in operations):
        methods = [operation for operation in operations if operation.resource == resource]
        kind = f"Async{resource.title()}".replace("_", "")
        parent = f"{kind}ByHand" if f"{kind}ByHand" in OPERATIONS_HEAD else "AsyncResource"
        text += f"\n\nclass {kind}({parent}):\n"
        text += docstring(words[methods[0].node["tags"][0]], 4) + "\n"
        text += "".join(one.source() for one in methods if one.node["x-python"] not in BY_HAND)
        attached += f"        self.{resource} = {kind}(transport)\n"
    text += '\n\nclass AsyncResources:\n    """The operations, by resource."""\n\n'
    text += "    def _attach(self, transport: Transport) -> None:\n"
    text += "        self._transport = transport\n"
    return text + attached


def format_source(text: str, path: Path) -> str:
    """Returns source text formatted by ruff, without unused imports."""
    for command in (["check", "--select", "F401,I", "--fix-only", "--quiet"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def generate_sources() -> dict[Path, str]:
    """Returns the expected content of each generated file."""
    types = Types()
    operations = [
        Operation(path, method, node, item.get("parameters", []), types)
        for path, item in DESCRIPTION["paths"].items()
        for method, node in item.items()
        if "x-python" in node
    ]
    codes = DESCRIPTION["components"]["schemas"]["ErrorCode"]["x-extensible-enum"]
    types.aliases["ErrorCode"] = f"Literal{codes}"
    types.of({"$ref": "#/components/schemas/BadField"})
    sources = {
        CLIENT / "records.py": types.source(),
        CLIENT / "_async" / "operations.py": operations_source(operations, types),
    }
    return {path: format_source(text, path) for path, text in sources.items()}


if __name__ == "__main__":
    for path, text in generate_sources().items():
        path.write_text(text)
