"""Makes the API's description portable to typed clients: open answers, strict requests.

A client that was generated from today's description must read what a later service sends, so
answers allow further fields, and their sets of words are open. Requests stay closed. A schema that
differs between the two gets the suffix ``Input`` in requests.
"""

import copy
import json
from collections.abc import Iterator
from typing import Any

Node = Any  # a part of the description

SCHEMAS = "#/components/schemas/"
MAX_INT32 = 2**31 - 1
FALLBACK = "FutureEvent"
"""The member of the events' union for types that the description doesn't have. It sorts before the
others, because generated Go tries the members by name once no type matches."""
UNION = "WishlistEvent"


def complete(document: Node) -> None:
    """Opens the answers of a document, adds formats, and simplifies what may be null."""
    schemas = document["components"]["schemas"]
    _add_fallback(schemas)
    _split(document)
    document["components"]["schemas"] = schemas = dict(sorted(schemas.items()))
    for node in walk(document):
        if node.get("type") == "integer":
            node["format"] = "int32" if node.get("maximum", 2**63) <= MAX_INT32 else "int64"
    parts = [part for name, part in document["components"].items() if name != "schemas"]
    roots = [document["paths"], document["webhooks"], *parts]
    referred = used(roots, schemas)
    for node in walk(document):
        if "oneOf" in node:
            _merge_null(schemas, node)
    unused = {name: schemas.pop(name) for name in referred - used(roots, schemas)}
    for node in walk(document):
        if node.get("x-schema") in unused:  # written out wherever it was referred to
            schema = unused[node.pop("x-schema")]
            if "description" in schema:
                node.setdefault("description", schema["description"])


def walk(node: Node) -> Iterator[Node]:
    """Yields all objects of a document except its examples."""
    if isinstance(node, list):
        for each in node:
            yield from walk(each)
    elif isinstance(node, dict):
        yield node
        for key, value in node.items():
            if key not in ("example", "examples"):
                yield from walk(value)


def _add_fallback(schemas: Node) -> None:
    """Adds the event of an unknown type to the union of events."""
    known = copy.deepcopy(schemas["ProfileErasedEvent"])
    known["description"] = "An event whose type is newer than this description."
    known["properties"]["type"] = {"type": "string", "minLength": 1}
    known["properties"]["data"] = {"$ref": SCHEMAS + "FutureData"}
    known["required"] = ["id", "type", "timestamp", "data"]
    known.pop("x-python-base")
    schemas[FALLBACK] = known
    description = "The data of an event whose type is newer than this description."
    schemas["FutureData"] = {"description": description, "type": "object", "properties": {}}
    # A known event also matches the fallback, so the union isn't exclusive.
    schemas[UNION]["anyOf"] = [*schemas[UNION].pop("oneOf"), {"$ref": SCHEMAS + FALLBACK}]


def _split(document: Node) -> None:
    """Opens the schemas of answers, and gives requests a copy of those that they share."""
    schemas = document["components"]["schemas"]
    operations = [node for item in document["paths"].values() for node in item.values()]
    operations = [node for node in operations if isinstance(node, dict)]
    bodies = [node["requestBody"] for node in operations if "requestBody" in node]
    sent = [*bodies, document["components"]["parameters"]]
    answers = [[node["responses"] for node in operations], document["webhooks"]]
    in_requests = used(sent, schemas)
    in_answers = used([answers, document["components"]["responses"]], schemas)
    opened = {name: _open(schemas[name], is_named=True) for name in in_answers}
    differing = {name for name in in_requests & in_answers if opened[name] != schemas[name]}
    # A schema that contains a differing one differs as well.
    while more := {
        name
        for name in (in_requests & in_answers) - differing
        if used([schemas[name]], schemas) & differing
    }:
        differing |= more
    for name in in_requests & differing:
        schemas[name + "Input"] = copy.deepcopy(schemas[name])
        if "properties" in schemas[name]:
            schemas[name + "Input"].setdefault("x-python", name)
    only_sent = [schemas[name] for name in in_requests - in_answers]
    for node in walk([sent, only_sent, [schemas[name + "Input"] for name in differing]]):
        if (name := _referred(node)) in differing:
            node["$ref"] = f"{SCHEMAS}{name}Input"
    schemas |= opened


def used(nodes: Node, schemas: Node) -> set[str]:
    """Returns the names of the schemas that nodes refer to, directly or not."""
    found: set[str] = set()
    waiting = [nodes]
    while waiting:
        names = {_referred(node) for node in walk(waiting.pop())} - found - {""}
        found |= names
        waiting += [schemas[name] for name in names]
    return found


def _referred(node: Node) -> str:
    reference = node.get("$ref", "")
    return reference.removeprefix(SCHEMAS) if reference.startswith(SCHEMAS) else ""


def _open(node: Node, is_named: bool = False) -> Node:
    """Returns a schema that allows further fields and further words."""
    opened = json.loads(json.dumps(node))
    for each in walk(opened):
        if each.get("type") == "object":
            each["additionalProperties"] = True
        if "enum" in each:
            each["x-extensible-enum"] = each.pop("enum")
    return opened


def _merge_null(schemas: Node, node: Node) -> None:
    """Writes "a scalar, an array or null" as a list of types, which more generators read. The
    documents' tables show the name of the schema, ``x-schema``."""
    options = [each for each in node["oneOf"] if each != {"type": "null"}]
    if len(options) != 1 or len(node["oneOf"]) != 2:
        return
    name = _referred(options[0])
    own = {key: value for key, value in options[0].items() if key != "$ref"}
    merged = {key: value for key, value in schemas.get(name, {}).items() if key != "description"}
    merged |= own
    kind = merged.get("type", "object")
    if isinstance(kind, str) and kind != "object" and "enum" not in merged:
        described = {**node}
        del node["oneOf"], described["oneOf"]
        node |= merged | {"type": [kind, "null"]} | described
        if name:
            node["x-schema"] = name
