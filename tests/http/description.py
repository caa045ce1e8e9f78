"""The API description, parsed, and its schemas as validators."""

from __future__ import annotations

import functools
import json
from typing import Any

import jsonschema_rs  # installed with schemathesis

from wishwell.http import management

DOCUMENT: dict[str, Any] = json.loads(management.description())


def follow(value: dict[str, Any]) -> dict[str, Any]:
    """Returns the target of a reference, or the value itself."""
    while "$ref" in value:
        place: Any = DOCUMENT
        for part in value["$ref"].removeprefix("#/").split("/"):
            place = place[part.replace("~1", "/").replace("~0", "~")]
        value = place
    return value


METHODS = ("get", "head", "post", "put", "patch", "delete")
OPERATIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    operation["operationId"]: (method, path, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if method in METHODS
}


def parameters_of(name: str) -> list[dict[str, Any]]:
    _, path, operation = OPERATIONS[name]
    shared = DOCUMENT["paths"][path].get("parameters", [])
    return [follow(entry) for entry in [*shared, *operation.get("parameters", [])]]


def errors_of(schema: dict[str, Any], value: Any) -> list[str]:
    """Returns why a value doesn't match the schema; references are resolved in the document."""
    return [error.message for error in validator(json.dumps(schema)).iter_errors(value)]


@functools.cache
def validator(schema: str) -> jsonschema_rs.Draft202012Validator:
    root = json.loads(schema) | {"components": DOCUMENT["components"]}
    return jsonschema_rs.Draft202012Validator(root, validate_formats=True)
