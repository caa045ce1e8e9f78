"""Completes the short forms of openapi.yaml's shared components, and makes parts of operations."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from wishwell.http import responses

Node = Any  # a part of the description

STANDARD_HEADERS = (
    *("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
    "X-Request-Id",
)
"""Headers of every response."""


def reference(kind: str, name: str) -> Node:
    return {"$ref": f"#/components/{kind}/{name}"}


def parameter(name: str, written: Node) -> Node:
    """Returns a parameter: by default named like its key, and optional in the query."""
    default = {"name": name[0].lower() + name[1:], "in": "query"}
    return default | {"required": written.get("in") == "path"} | written


def error(
    request_id: str, *, status: int, description: str, examples: Node, headers: Iterable[str] = ()
) -> Node:
    """Returns the response for a status. Its examples get the envelope of errors."""
    enveloped = {}
    for name, example in examples.items():
        detail = {"message": example["message"], "error": responses.phrase(HTTPStatus(status))}
        detail |= {"statusCode": status, "requestId": request_id, **example}
        summary = {"summary": detail.pop("summary")} if "summary" in detail else {}
        enveloped[name] = summary | {"value": {"error": detail}}
    content = {"application/json": media_type("ApiError", enveloped)}
    return {"description": description, "headers": headers_of(headers), "content": content}


def headers_of(names: Iterable[str]) -> Node:
    """Returns the standard headers, after those with these names."""
    return {name: reference("headers", name) for name in (*names, *STANDARD_HEADERS)}


def media_type(schema: str, examples: Node) -> Node:
    """Returns the content of a body. An example without a summary is its value."""
    return {
        "schema": reference("schemas", schema),
        "examples": {
            name: example if "value" in example else {"value": example}
            for name, example in examples.items()
        },
    }


def request_body(schema: str, examples: Node, required: bool = True) -> Node:
    content = {"application/json": media_type(schema, examples)}
    return {"required": required, "content": content}
