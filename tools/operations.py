"""Completes the short forms of openapi.yaml, which its head explains.

An operation's token, parameters, statuses, headers and examples follow from its route, its error
codes and its other lines. Keys that an operation has in full stay as they are.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from tools import components, error_codes
from tools.components import reference
from wishwell.http import routes
from wishwell.http.routes import Route

Node = Any  # a part of the description

ALWAYS = {"400", "405", "408", "429", "431", "500", "503"}
"""Statuses of each operation: every request is parsed, counted and timed, and may fail."""
WITH_TOKEN = {"401", "403", "404"}
"""A token may be wrong, or not allow the operation. `Profile` may name an unknown session."""
WITH_BODY = {"413", "415"}
"""A body may be too large, or not JSON."""

PAGE_LINKS = {"NextPage": ("next", "after"), "PreviousPage": ("previous", "before")}
"""Links from a page to others, each with its cursor and its place."""
UNLINKED = {"include", "format"}
"""Parameters that links to other pages omit."""

_NO_LINKS: Mapping[str, Any] = {}


def complete(document: Node) -> None:
    """Completes the components and operations of a document."""
    parameters, errors = (document["components"][kind] for kind in ("parameters", "responses"))
    for name, written in parameters.items():
        parameters[name] = components.parameter(name, written)
    names_by_status = {str(written["status"]): name for name, written in errors.items()}
    request_id = document["components"]["headers"]["X-Request-Id"]["example"]
    for name, written in errors.items():
        errors[name] = components.error(request_id, **written)
    records = document.pop("records")
    routes_by_path = {route.path: route for route in routes.API}
    for path, item in document["paths"].items():
        for method, written in item.items():
            operation = _Operation(routes_by_path[path], written, parameters, records)
            item[method] = operation.completed(names_by_status)
        if operation.in_path:
            in_path = [reference("parameters", name) for name in operation.in_path]
            document["paths"][path] = {"parameters": in_path} | item


def schema_names(document: Node, part: str) -> set[str]:
    """Returns the names of schemas in a part of the operations, such as "responses"."""
    operations = [node for item in document["paths"].values() for node in item.values()]
    parts = [node[part] for node in operations if part in node]
    return set(re.findall(r"#/components/schemas/(\w+)", json.dumps(parts)))


def _security(route: Route) -> Node:
    """Returns which tokens a route accepts, or nothing if any token will do."""
    if route.of_store:
        return {"x-admin-token": True}
    if route.caller == "welcome":
        return {"security": [{}, {"bearer": []}]}
    return {"security": []} if route.caller == "ignored" else {}


class _Operation:
    """An operation as it is written, and its route."""

    def __init__(self, route: Route, written: Node, parameters: Node, records: Node) -> None:
        self.route, self.written, self.records = route, written, records
        nodes = parameters.items()
        names = {f"{{{node['name']}}}": name for name, node in nodes if node["in"] == "path"}
        self.in_path = [names[part] for part in route.path.split("/") if part.startswith("{")]
        self.others = [*written.get("parameters", ())]
        needs_profile = route.caller != "ignored" and not route.of_store
        if needs_profile and "Profile" not in self.others:
            self.others.append("Profile")
        self.parameters = parameters

    def completed(self, names_by_status: Mapping[str, str]) -> Node:
        """Returns the operation. Its derived keys follow the description unless it has them.

        ``names_by_status``: the components of errors.
        """
        derived = _security(self.route)
        if self.others:
            derived["parameters"] = [
                reference("parameters", each) if isinstance(each, str) else each
                for each in self.others
            ]
        completed: Node = {}
        for key, node in self.written.items():
            completed[key] = derived["parameters"] if key == "parameters" else node
            if key == "description":
                completed |= {name: derived[name] for name in derived if name not in self.written}
        if "requestBody" in self.written:
            completed["requestBody"] = components.request_body(**self.written["requestBody"])
        completed["responses"] = {
            status: self._success(**({"description": node} if isinstance(node, str) else node))
            for status, node in self.written["responses"].items()
        }
        for status in sorted(self._error_statuses()):
            completed["responses"][status] = reference("responses", names_by_status[status])
        return completed

    def _error_statuses(self) -> set[str]:
        codes = self.written.get("errors", ())
        statuses = ALWAYS | {error_codes.STATUSES[code] for code in codes}
        if self.route.caller != "ignored":
            statuses |= WITH_TOKEN
        return statuses | (WITH_BODY if "requestBody" in self.written else set())

    def _success(
        self,
        description: str,
        schema: str = "",
        examples: Node = None,
        csv: str = "",
        location: str = "",
        links: Mapping[str, Any] = _NO_LINKS,
    ) -> Node:
        """Returns a response. ``csv`` is an example of the spreadsheet with the same content."""
        headers = {"Location": reference("headers", location)} if location else {}
        response = {"description": description, "headers": headers | components.headers_of(())}
        if schema:
            examples = examples or self._record_examples(schema)
            response["content"] = {"application/json": components.media_type(schema, examples)}
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
        """Returns the written link, one to another page, or a reference to a component.

        A link to another page may be written as its parameters, if their order differs.
        """
        if isinstance(written, dict):
            return written
        if name not in PAGE_LINKS:
            return reference("links", name)
        cursor, place = PAGE_LINKS[name]
        nodes = [self.parameters[each] for each in (*self.in_path, *self.others)]
        sources = {node["name"]: f"$request.{node['in']}.{node['name']}" for node in nodes}
        sources["page"] = f"$response.body#/pageInfo/{cursor}"
        linked = written or [each for each in sources if each not in UNLINKED]
        return {
            "operationId": self.written["operationId"],
            "description": f"The page {place} this one.",
            "parameters": {each: sources[each] for each in linked},
        }
