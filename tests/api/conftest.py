"""What the walk asserts everywhere, said once."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import socket
import time
import uuid
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.servers import HERE, PREFIX, wait_until

NAMES = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found"}
NAMES |= {405: "Method Not Allowed", 409: "Conflict", 415: "Unsupported Media Type"}
NAMES |= {429: "Too Many Requests", 503: "Service Unavailable"}
RATE_HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
ITEM_KEYS = {"id", "productId", "quantity", "tags", "listIds", "createdAt", "updatedAt"}
LIST_KEYS = {"id", "name", "itemCount", "createdAt", "updatedAt"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
LARGEST = 2**53 - 1


@pytest.fixture
def http(shop):
    """A customer of a new store."""
    return shop.customer("1").http


@pytest.fixture
def handle() -> str:
    """One that no store has yet."""
    return f"new-{secrets.token_hex(6)}"


def stores(service) -> dict[str, dict]:
    """The records of all stores, by handle."""
    listed = json.loads(service.quick("store", "list", "--json"))
    return {record["handle"]: record for record in listed}


def is_uuid(text: object) -> bool:
    try:
        return str(uuid.UUID(str(text))) == text
    except ValueError:
        return False


def has_standard_headers(answer: httpx2.Response) -> None:
    """The headers of every response under the version prefix."""
    limit, remaining, reset = (int(answer.headers[name]) for name in RATE_HEADERS)
    assert 0 <= remaining <= limit
    # The window is of the time when the request was admitted, before its body.
    assert time.time() - answer.elapsed.total_seconds() - 1 <= reset <= time.time() + 61
    assert answer.headers["X-Request-Id"]


def data(answer: httpx2.Response, status: int = 200):
    """The one record or the records of an answer that went well."""
    assert answer.status_code == status, f"{answer.status_code} {answer.text}"
    assert answer.headers["Content-Type"].partition(";")[0] == "application/json"
    has_standard_headers(answer)
    body = answer.json()
    assert set(body) - {"pageInfo"} == {"data"}
    assert isinstance(body["data"], list) or "pageInfo" not in body
    return body["data"]


def done(answer: httpx2.Response) -> None:
    """204 and nothing else."""
    assert answer.status_code == 204, f"{answer.status_code} {answer.text}"
    assert answer.content == b""
    has_standard_headers(answer)


def envelope(answer: httpx2.Response, status: int) -> str:
    """The message of an error whose envelope is whole."""
    assert answer.status_code == status, f"{answer.status_code} {answer.text[:500]}"
    assert answer.headers["Content-Type"].partition(";")[0] == "application/json"
    body = answer.json()
    assert set(body) == {"error"}
    error = body["error"]
    assert set(error) == {"message", "error", "statusCode", "requestId"}
    assert error["statusCode"] == status
    assert error["error"] == NAMES.get(status, error["error"])
    assert isinstance(error["error"], str) and error["error"]
    assert error["requestId"] == answer.headers["X-Request-Id"]
    assert is_uuid(error["requestId"])
    assert isinstance(error["message"], str) and error["message"].strip()
    assert "Traceback" not in answer.text
    return error["message"]


def refused(answer: httpx2.Response, status: int, *words: object) -> str:
    """An error under the version prefix, whose message names all of the words."""
    message = envelope(answer, status)
    has_standard_headers(answer)
    if status == 401:
        assert answer.headers["WWW-Authenticate"].lower().startswith("bearer")
    # 1,000,000 and 1000000 are the same rule.
    plain = re.sub(r"(?<=\d)[,_ ](?=\d{3})", "", message).lower()
    missing = [word for word in words if str(word).lower() not in plain]
    assert not missing, f"{missing} not named in: {message}"
    return message


def save(http: httpx2.Client, product: int | str, **fields) -> dict:
    """Save an item that was not there."""
    return data(http.post("/items", json={"productId": product, **fields}), 201)


def new_list(http: httpx2.Client, name: str = "Gifts") -> dict:
    return data(http.post("/lists", json={"name": name}), 201)


def item(http: httpx2.Client, id: str) -> dict:
    return data(http.get(f"/items/{id}"))


def whole_list(http: httpx2.Client, id: str, sort: str | None = None) -> dict:
    return data(http.get(f"/lists/{id}", params={"sort": sort} if sort else {}))


def order_of(http: httpx2.Client, id: str, sort: str = "customer") -> list[str]:
    return [entry["id"] for entry in whole_list(http, id, sort)["items"]]


def products(http: httpx2.Client, query: str | None = None) -> list:
    found = data(http.get("/items", params={"query": query} if query else {}))
    return [entry["productId"] for entry in found]


def everything(http: httpx2.Client) -> dict:
    """All that a caller can see, to tell whether a request changed anything."""
    lists = data(http.get("/lists?limit=250"))
    return {
        "items": data(http.get("/items?limit=250")),
        "lists": lists,
        "orders": [order_of(http, entry["id"]) for entry in lists],
    }


@contextmanager
def nothing_changes(http: httpx2.Client):
    before = everything(http)
    yield
    assert everything(http) == before


def walk(http: httpx2.Client, path: str, direction: str = "next", **params) -> list[list[dict]]:
    """Every page from the first one on, in one direction."""
    pages = []
    while True:
        body = http.get(path, params=params).json()
        pages.append(body["data"])
        cursor = body.get("pageInfo", {}).get(direction)
        if cursor is None:
            return pages
        params["page"] = cursor


def printed_until(service, answer) -> str:
    """What the service has printed up to the line of this answer; it writes ten times a second."""
    soon(lambda: answer.headers["X-Request-Id"] in service.output())
    return service.output()


def soon(check, within: float = 5.0) -> None:
    """Ask until the check holds; every process has to know of a change within 5 seconds."""
    assert wait_until(check, seconds=within, every=0.1), f"not within {within} s"


def fresh_window(seconds: float = 5) -> None:
    """Windows of a minute may begin with the clock's: don't start counting right before its end."""
    left = 60 - time.time() % 60
    if left < seconds:
        time.sleep(left + 0.05)


class Wire(NamedTuple):
    """What came back over a bare socket."""

    status: int
    headers: dict[str, str]
    body: bytes
    closed: bool
    everything: bytes


def _read_all(connection: socket.socket) -> tuple[bytes, bool]:
    received = b""
    try:
        while chunk := connection.recv(65536):
            received += chunk
        return received, True
    except TimeoutError:
        return received, False
    except ConnectionResetError:
        return received, True


def connect(service, seconds: float = 5, source: str = HERE) -> socket.socket:
    """A bare connection to a service, which waits for so long."""
    target = urlsplit(service.url)
    return socket.create_connection((target.hostname, target.port), seconds, (source, 0))


def over_the_wire(service, request: bytes, *, patience: float = 2.0) -> Wire:
    """Send these bytes exactly, and read until the server closes or says nothing more."""
    with connect(service, patience) as connection:
        # It may answer and close before it has read everything, which is its right.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(request)
        received, closed = _read_all(connection)
    head, _, rest = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    status = int(first.split(" ")[1]) if first.startswith("HTTP/1.1 ") else 0
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", len(rest)))
    return Wire(status, headers, rest[:length], closed, received)


def request_head(method: str, path: str, token: str | None, *lines: str) -> bytes:
    """The head of a request, with a Host and the lines given, ready for a body."""
    words = [f"{method} {PREFIX}{path} HTTP/1.1", "Host: localhost"]
    words += [f"Authorization: Bearer {token}"] if token else []
    return ("\r\n".join([*words, *lines]) + "\r\n\r\n").encode("latin-1")


def wrong(expected: int, statuses: dict[str, int]) -> dict[str, int]:
    """The cases of a table that were not answered as expected: a test compares it to nothing."""
    return {name: status for name, status in statuses.items() if status != expected}
