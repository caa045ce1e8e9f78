"""A marketing tool's API in the test's event loop: checks each request against the published schema."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import jsonschema_rs  # installed with schemathesis

from tests.servers.base import HERE
from tests.servers.called import Called

SCHEMAS = {
    path.stem: json.loads(path.read_text())
    for path in (Path(__file__).parents[1] / "vendors").glob("*.json")
}
KEY = "pk_0123456789abcdef/+="
BASES = {"segment": "/v1", "klaviyo": "/api", "brevo": "/v3", "listmonk": "/api"}
PROFILES = {"7": "01GDDKASAP8TKDDA2GRZDSVP4H"}
"""Klaviyo's own ids, by the shop's."""

_HEADERS = {
    "segment": {"authorization": f"Basic {base64.b64encode(f'{KEY}:'.encode()).decode()}"},
    "klaviyo": {"authorization": f"Klaviyo-API-Key {KEY}", "revision": "2026-07-15"},
    "brevo": {"api-key": KEY},
    "listmonk": {"authorization": f"token {KEY}"},
}
_TYPES = {"klaviyo": "application/vnd.api+json"}


class Call(NamedTuple):
    """A received request: method, path below the base address, query, headers and body."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


def answer(status: int, body: Any = None, *lines: str) -> bytes:
    """Returns a response with a JSON body."""
    text = b"" if body is None else json.dumps(body).encode()
    head = "".join(f"{line}\r\n" for line in (f"Content-Length: {len(text)}", *lines))
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + text


def klaviyo_profile(external_id: str, id: str | None = None) -> dict[str, Any]:
    """Returns a profile as in the answer to a search."""
    attributes = {"external_id": external_id}
    return {"type": "profile", "id": id or PROFILES[external_id], "attributes": attributes}


class Tool(Called):
    """Answers as the tool does; a request that breaks its rules is 400 and listed in ``wrong``.

    ``script``: the answers to the next requests, before the usual ones.
    """

    def __init__(self, format: str) -> None:
        super().__init__()
        self.format = format
        self.got: list[Call] = []
        self.wrong: list[str] = []
        self.script: list[Any] = []
        self.running = self.most = 0

    @property
    def url(self) -> str:
        return f"http://{HERE}:{self.port}{BASES[self.format]}"

    async def _take(self, head: bytes, reader: asyncio.StreamReader) -> None:
        first, *lines = head.decode().split("\r\n")[:-2]
        method, target, _ = first.split(" ")
        headers = {name.lower(): text for name, _, text in (x.partition(": ") for x in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        parts = urlsplit(target)
        query = {name: text for name, [text] in parse_qs(parts.query).items()}
        path = parts.path.removeprefix(BASES[self.format])
        call = Call(method, path, query, headers, json.loads(body) if body else None)
        self.got.append(call)
        try:
            usual = self._usual(call)
        except (AssertionError, KeyError, jsonschema_rs.ValidationError) as error:
            self.wrong.append(f"{first}: {error}")
            usual = answer(400, {"message": str(error)})
        self.answer = self.script.pop(0) if self.script else usual

    def _usual(self, call: Call) -> bytes:
        for name, text in _HEADERS[self.format].items():
            assert call.headers[name] == text, name
        if call.body is not None:
            assert call.headers["content-type"] == _TYPES.get(self.format, "application/json")
        return getattr(self, f"_{self.format}")(call)

    def check(self, name: str, body: Any) -> None:
        """Raises ``ValidationError`` unless a body has this published schema."""
        schemas = SCHEMAS[self.format]
        schema = {"$ref": f"#/components/schemas/{name}", "components": schemas["components"]}
        jsonschema_rs.validate(schema, body, validate_formats=True)

    def _segment(self, call: Call) -> bytes:
        assert (call.method, call.path) in {("POST", "/track"), ("POST", "/alias")}
        self.check(call.path[1:], call.body)
        assert len(json.dumps(call.body)) <= SCHEMAS["segment"]["maxBytes"]
        return answer(200, {"success": True})

    def _klaviyo(self, call: Call) -> bytes:
        described = SCHEMAS["klaviyo"]["paths"][f"/api{call.path}"][call.method.lower()]
        if "body" in described:
            self.check(described["body"], call.body)
            return answer(described["status"])
        assert set(call.query) <= {*described["query"]}
        found = call.query["filter"].removeprefix('equals(external_id,"').removesuffix('")')
        return answer(200, {"data": [klaviyo_profile(found)] if found in PROFILES else []})

    def _listmonk(self, call: Call) -> bytes:
        """Checks what https://listmonk.app/docs/apis/transactional asks for in external mode."""
        if call.method == "GET":
            assert call.path == "/health"
            return answer(200, {"data": True})
        assert (call.method, call.path) == ("POST", "/tx")
        body = call.body
        assert body["subscriber_mode"] == "external" and type(body["template_id"]) is int
        assert all(isinstance(email, str) for email in body["subscriber_emails"])
        assert isinstance(body["data"], dict) and all(len(pair) == 1 for pair in body["headers"])
        return answer(200, {"data": True})

    def _brevo(self, call: Call) -> bytes:
        if call.method == "DELETE":
            assert call.path.startswith("/contacts/") and call.query["identifierType"] == "ext_id"
            known = unquote(call.path.removeprefix("/contacts/")) in PROFILES
            return answer(204) if known else answer(404, {"code": "document_not_found"})
        described = SCHEMAS["brevo"]["paths"][f"/v3{call.path}"][call.method.lower()]
        if "body" in described:
            self.check(described["body"], call.body)
        return answer(described["status"])
