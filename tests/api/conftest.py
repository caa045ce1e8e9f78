"""Assertions and helpers that all API tests share."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import secrets
import socket
import time
import uuid
from collections.abc import Callable
from contextlib import contextmanager
from typing import NamedTuple, TypeVar
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

T = TypeVar("T")


@pytest.fixture
def http(shop):
    """A client of a customer of a new store."""
    return shop.customer("1").http


@pytest.fixture
def handle() -> str:
    """A handle that no store has yet."""
    return f"new-{secrets.token_hex(6)}"


def stores(service) -> dict[str, dict]:
    """Returns the records of all stores by handle."""
    listed = json.loads(service.quick("store", "list", "--json"))
    return {record["handle"]: record for record in listed}


def is_uuid(text: object) -> bool:
    try:
        return str(uuid.UUID(str(text))) == text
    except ValueError:
        return False


def has_standard_headers(answer: httpx2.Response) -> None:
    """Asserts the headers that every response under the version prefix has."""
    limit, remaining, reset = (int(answer.headers[name]) for name in RATE_HEADERS)
    assert 0 <= remaining <= limit
    # The window starts when the request is admitted, before its body arrives.
    received = answer.extensions.get("received", time.time())
    assert received - answer.elapsed.total_seconds() - 1 <= reset <= received + 61
    assert answer.headers["X-Request-Id"]


def data(answer: httpx2.Response, status: int = 200):
    """Asserts a success with the usual headers; returns its record or records."""
    assert answer.status_code == status, f"{answer.status_code} {answer.text}"
    assert answer.headers["Content-Type"].partition(";")[0] == "application/json"
    has_standard_headers(answer)
    body = answer.json()
    assert set(body) - {"pageInfo"} == {"data"}
    assert isinstance(body["data"], list) or "pageInfo" not in body or "items" in body["data"]
    return body["data"]


def done(answer: httpx2.Response) -> None:
    """Asserts a 204 without a body."""
    assert answer.status_code == 204, f"{answer.status_code} {answer.text}"
    assert answer.content == b""
    has_standard_headers(answer)


def envelope(answer: httpx2.Response, status: int) -> str:
    """Asserts a complete error envelope; returns its message."""
    assert answer.status_code == status, f"{answer.status_code} {answer.text[:500]}"
    assert answer.headers["Content-Type"].partition(";")[0] == "application/json"
    body = answer.json()
    assert set(body) == {"error"}
    error = body["error"]
    assert set(error) - {"details"} == {"message", "error", "statusCode", "requestId", "code"}
    assert error["statusCode"] == status
    assert error["error"] == NAMES.get(status, error["error"])
    assert isinstance(error["error"], str) and error["error"]
    assert error["requestId"] == answer.headers["X-Request-Id"]
    assert is_uuid(error["requestId"])
    assert isinstance(error["message"], str) and error["message"].strip()
    assert "Traceback" not in answer.text
    return error["message"]


def refused(answer: httpx2.Response, status: int, *words: object) -> str:
    """Asserts an error under the version prefix whose message contains all words; returns the
    message."""
    message = envelope(answer, status)
    has_standard_headers(answer)
    if status == 401:
        assert answer.headers["WWW-Authenticate"].lower().startswith("bearer")
    # compare 1,000,000 as 1000000
    plain = re.sub(r"(?<=\d)[,_ ](?=\d{3})", "", message).lower()
    missing = [word for word in words if str(word).lower() not in plain]
    assert not missing, f"{missing} not named in: {message}"
    return message


def save(http: httpx2.Client, product: int | str, **fields) -> dict:
    """Saves an item that doesn't exist yet; returns it."""
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
    """Returns everything that a caller can read, to detect whether a request changed anything."""
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
    """Returns every page in one direction, beginning with the first."""
    pages = []
    while True:
        body = http.get(path, params=params).json()
        pages.append(body["data"])
        cursor = body.get("pageInfo", {}).get(direction)
        if cursor is None:
            return pages
        params["page"] = cursor


def printed_until(service, answer) -> str:
    """Returns the service's output up to this response's log line; output is flushed ten times a
    second."""
    soon(lambda: answer.headers["X-Request-Id"] in service.output())
    return service.output()


def soon(check, within: float = 30.0) -> None:
    """Polls until the check holds. Changes reach every process within 5 s, on a busy machine later."""
    assert wait_until(check, seconds=within, every=0.1), f"not within {within} s"


_WINDOW_SECONDS = 60
"""Length of a rate-limit window, which begins with the clock's minute."""

_MIN_SECONDS, _MAX_WINDOWS = 5, 3


def in_one_window(check: Callable[..., T]) -> Callable[..., T]:
    """Decorates a test, or a part of it, whose requests have to count in one rate-limit window.

    Each window has counters of its own, so the check begins in a window that lasts for at least 5 more
    seconds. On a busy machine that may be too short: if the check fails and the window ended before
    it did, its requests counted in two windows, and it runs again in a new one.
    """

    @functools.wraps(check)
    def run(*arguments: object, **named: object) -> T:
        window = _await_window(_MIN_SECONDS)
        for _ in range(1, _MAX_WINDOWS):
            try:
                return check(*arguments, **named)
            except AssertionError:
                if time.time() // _WINDOW_SECONDS == window:
                    raise
            # The addresses of the failed attempt may have counted in the present window already.
            window = _await_window(_WINDOW_SECONDS)
        return check(*arguments, **named)

    return run


def _await_window(seconds: float) -> float:
    """Waits for a new rate-limit window if the present one ends within ``seconds``. Returns its
    number."""
    left = _WINDOW_SECONDS - time.time() % _WINDOW_SECONDS
    if left < seconds:
        time.sleep(left + 0.05)
    return time.time() // _WINDOW_SECONDS


class Wire(NamedTuple):
    """A response received over a bare socket."""

    status: int
    headers: dict[str, str]
    body: bytes
    closed: bool
    everything: bytes


def _read_all(connection: socket.socket, patience: float) -> tuple[bytes, bool]:
    received = b""
    try:
        while chunk := connection.recv(65536):
            received += chunk
            connection.settimeout(patience)
        return received, True
    except TimeoutError:
        return received, False
    except ConnectionResetError:
        return received, True


def connect(service, seconds: float = 30, source: str = HERE) -> socket.socket:
    """Opens a bare TCP connection to a service; ``seconds`` is its timeout."""
    target = urlsplit(service.url)
    return socket.create_connection((target.hostname, target.port), seconds, (source, 0))


def over_the_wire(service, request: bytes, *, patience: float = 2.0) -> Wire:
    """Sends exactly these bytes; reads until the server closes, or is silent for ``patience`` seconds
    after it has begun to respond."""
    with connect(service) as connection:
        # The server may respond and close before it has read everything.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(request)
        received, closed = _read_all(connection, patience)
    head, _, rest = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    status = int(first.split(" ")[1]) if first.startswith("HTTP/1.1 ") else 0
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", len(rest)))
    return Wire(status, headers, rest[:length], closed, received)


def request_head(method: str, path: str, token: str | None, *lines: str) -> bytes:
    """Returns a request's head with a Host and the given lines, ready for a body."""
    words = [f"{method} {PREFIX}{path} HTTP/1.1", "Host: localhost"]
    words += [f"Authorization: Bearer {token}"] if token else []
    return ("\r\n".join([*words, *lines]) + "\r\n\r\n").encode("latin-1")


def wrong(expected: int, statuses: dict[str, int]) -> dict[str, int]:
    """Returns the cases with an unexpected status; tests compare the result with an empty
    dictionary."""
    return {name: status for name, status in statuses.items() if status != expected}
