"""Completes the short forms of openapi.yaml, which its head explains.

An operation's token, parameters, statuses, headers and examples follow from its route, its error
codes and its other lines. Keys that an operation has in full stay as they are.
"""

import json
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from tools import error_codes
from wishwell.http import responses, routes
from wishwell.http.routes import Route

Node = Any  # a part of the description

ALWAYS = {"400", "405", "408", "429", "431", "500", "503"}
"""Statuses of each operation: every request is parsed, counted and timed, and may fail."""
WITH_TOKEN = {"401", "403", "404"}
"""A token may be wrong, or not allow the operation. `Profile` may name an unknown session."""
WITH_BODY = {"413", "415"}
"""A body may be too large, or not JSON."""

STANDARD_HEADERS = (
    *("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
    "X-Request-Id",
)
"""Headers of every response."""

PAGE_LINKS = {"NextPage": ("next", "after"), "PreviousPage": ("previous", "before")}
"""Links from a page to others, each with its cursor and its place."""
UNLINKED = {"include", "format"}
"""Parameters that links to other pages omit."""

_NONE: Mapping[str, Any] = {}


def complete(document: Node) -> None:
    """Completes the components and operations of a document."""
    components = document["components"]
    for name, written in components["parameters"].items():
        components["parameters"][name] = _parameter(name, written)
    errors = {str(node["status"]): name for name, node in components["responses"].items()}
    request_id = components["headers"]["X-Request-Id"]["example"]
    for name, written in components["responses"].items():
        components["responses"][name] = _error(request_id, **written)
    records = document.pop("records")
    routes_by_path = {route.path: route for route in routes.API}
    for path, item in document["paths"].items():
        route = routes_by_path[path]
        for method, written in item.items():
            operation = _Operation(route, written, components["parameters"], records)
            item[method] = operation.completed(errors)
        if operation.in_path:
            shared = [_reference("parameters", name) for name in operation.in_path]
            document["paths"][path] = {"parameters": shared} | item


def schema_names(document: Node, part: str) -> set[str]:
    """Returns the names of the schemas that a part of operations, such as "responses", names."""
    operations = [node for item in document["paths"].values() for node in item.values()]
    parts = [node[part] for node in operations if part in node]
    return set(re.findall("#/components/schemas/(\\w+)", json.dumps(parts)))


def _reference(kind: str, name: str) -> Node:
    return {"$ref": f"#/components/{kind}/{name}"}


def _parameter(name: str, written: Node) -> Node:
    """Returns a component. By default it is named like its key, and optional in the query."""
    default = {"name": name[0].lower() + name[1:], "in": "query"}
    return default | {"required": written.get("in") == "path"} | written


def _security(route: Route) -> Node:
    """Returns the tokens that a route accepts, or nothing if any token will do."""
    if route.of_store:
        return {"security": [{"adminBearer": []}]}
    if route.caller == "welcome":
        return {"security": [{}, {"bearer": []}]}
    return {"security": []} if route.caller == "ignored" else {}


def _headers(names: Iterable[str]) -> Node:
    return {name: _reference("headers", name) for name in (*names, *STANDARD_HEADERS)}


def _error(
    request_id: str, status: int, description: str, examples: Node, headers: Iterable[str] = ()
) -> Node:
    """Returns the component of an error status. Its examples get the envelope of errors."""
    whole = {}
    for name, example in examples.items():
        error = {"message": example["message"], "error": responses.phrase(HTTPStatus(status))}
        error |= {"statusCode": status, "requestId": request_id, **example}
        summary = {"summary": error.pop("summary")} if "summary" in error else {}
        whole[name] = summary | {"value": {"error": error}}
    content = {"application/json": _media_type("ApiError", whole)}
    return {"description": description, "headers": _headers(headers), "content": content}


def _media_type(schema: str, examples: Node) -> Node:
    """Returns the content of a body. An example without a summary is its value."""
    whole = {name: one if "value" in one else {"value": one} for name, one in examples.items()}
    return {"schema": _reference("schemas", schema), "examples": whole}


def _request_body(schema: str, examples: Node, required: bool = True) -> Node:
    content = {"application/json": _media_type(schema, examples)}
    return {"required": required, "content": content}


class _Operation:
    """An operation as it is written, and its route."""

    def __init__(self, route: Route, written: Node, parameters: Node, records: Node) -> None:
        self.route, self.written, self.records = route, written, records
        nodes = parameters.items()
        names = {f"{{{node['name']}}}": name for name, node in nodes if node["in"] == "path"}
        parts = route.path.split("/")
        self.in_path = [names[part] for part in parts if part.startswith("{")]
        self.others = [*written.get("parameters", ())]
        needs_profile = route.caller != "ignored" and not route.of_store
        if needs_profile and "Profile" not in self.others:
            self.others.append("Profile")
        self.parameters = [
            parameters[one] if isinstance(one, str) else one
            for one in (*self.in_path, *self.others)
        ]

    def completed(self, errors: Mapping[str, str]) -> Node:
        """Returns the whole operation. Keys that aren't written follow the description.

        ``errors``: the components of errors by status.
        """
        derived = _security(self.route)
        if self.others:
            derived["parameters"] = [
                _reference("parameters", one) if isinstance(one, str) else one
                for one in self.others
            ]
        completed: Node = {}
        for key, node in self.written.items():
            completed[key] = node
            if key == "description":
                completed |= {name: derived[name] for name in derived if name not in self.written}
        if "parameters" in completed:
            completed["parameters"] = derived["parameters"]
        if "requestBody" in completed:
            completed["requestBody"] = _request_body(**self.written["requestBody"])
        completed["responses"] = {
            status: self._success(**({"description": node} if isinstance(node, str) else node))
            for status, node in self.written["responses"].items()
        } | {status: _reference("responses", errors[status]) for status in self._error_statuses()}
        return completed

    def _error_statuses(self) -> list[str]:
        codes = self.written.get("errors", ())
        statuses = ALWAYS | {error_codes.STATUSES[code] for code in codes}
        if self.route.caller != "ignored":
            statuses |= WITH_TOKEN
        if "requestBody" in self.written:
            statuses |= WITH_BODY
        return sorted(statuses)

    def _success(
        self,
        description: str,
        schema: str = "",
        examples: Node = None,
        csv: str = "",
        location: str = "",
        links: Mapping[str, Any] = _NONE,
    ) -> Node:
        """Returns a response. ``csv`` is an example of the spreadsheet with the same content."""
        headers = {"Location": _reference("headers", location)} if location else {}
        response = {"description": description, "headers": headers | _headers(())}
        if schema:
            examples = examples or self._record_examples(schema)
            response["content"] = {"application/json": _media_type(schema, examples)}
        if csv:
            sheet = {"sheet": {"value": csv}}
            response["content"]["text/csv"] = {"schema": {"type": "string"}, "examples": sheet}
        if links:
            response["links"] = {name: self._link(name, link) for name, link in links.items()}
        return response

    def _record_examples(self, schema: str) -> Node:
        """Returns the examples of a response with a record, or with a page of records."""
        if schema.endswith("Page"):
            return {"page": {"data": [*self.records[schema.removesuffix("Page")].values()]}}
        records = self.records[schema.removesuffix("Response")]
        return {name: {"data": record} for name, record in records.items()}

    def _link(self, name: str, written: Node) -> Node:
        """Returns a link: the written one, the one to another page, or a reference."""
        if isinstance(written, dict):
            return written
        if name not in PAGE_LINKS:
            return _reference("links", name)
        cursor, place = PAGE_LINKS[name]
        sources = {one["name"]: f"$request.{one['in']}.{one['name']}" for one in self.parameters}
        sources["page"] = f"$response.body#/pageInfo/{cursor}"
        linked = written or [one for one in sources if one not in UNLINKED]
        return {
            "operationId": self.written["operationId"],
            "description": f"The page {place} this one.",
            "parameters": {one: sources[one] for one in linked},
        }
