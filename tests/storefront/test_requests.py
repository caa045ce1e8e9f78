"""Ambiguous requests (smuggling), bodies and headers on the storefront."""

import pytest

from tests.api.conftest import Wire, over_the_wire

from . import way
from .conftest import BASE, nothing_done
from .way import direct

BODY = b'{"productId":7}'
COMMON = ("Sec-Fetch-Site: same-origin", "Content-Type: application/json")
CHUNKS = b'f\r\n{"productId":7}\r\n0\r\n\r\n'
AMBIGUOUS = {
    "length and chunks": (("Content-Length: 15", "Transfer-Encoding: chunked"), CHUNKS),
    "two lengths": (("Content-Length: 15", "Content-Length: 16"), BODY),
    "length twice": (("Content-Length: 15", "Content-Length: 15"), BODY),
    "encoding unknown": (("Transfer-Encoding: xchunked",), CHUNKS),
    "folded": (("X-Y: a\r\n Content-Length: 3", "Content-Length: 15"), BODY),
    "line feed in a value": (("X-Y: a\nProfile: x", "Content-Length: 15"), BODY),
    "NUL in a value": (("Accept: a\0b", "Content-Length: 15"), BODY),
    "content type twice": (("Content-Length: 15", "Content-Type: text/plain"), BODY),
    "bad chunk": (("Transfer-Encoding: chunked",), b"zz\r\nx\r\n0\r\n\r\n"),
}


def head(front, *lines: str, method: str = "POST", cookie: str | None = None) -> bytes:
    words = [f"{method} {BASE}/api/items HTTP/1.1", f"Host: {front.host}"]
    words += [f"Cookie: wishwell={cookie}"] if cookie else []
    return "\r\n".join([*words, *lines]).encode("latin-1") + b"\r\n\r\n"


def save(visitor, *lines: str, body: bytes = BODY, version: bytes = b"HTTP/1.1") -> Wire:
    """Saves product 7 with these headers in addition to the common ones; returns the response."""
    request = head(visitor.front, *COMMON, *lines, cookie=visitor.cookie)
    return over_the_wire(visitor.front, request.replace(b"HTTP/1.1", version) + body)


@direct("Caddy mends some of it and passes that on", "nginx", "node", "asgi")
@pytest.mark.parametrize("name", AMBIGUOUS)
def test_ambiguous_request_is_refused(front, name):
    """An ambiguous request is refused, and so is anything hidden after it.
    Rules: storefront-paths, request-smuggling."""
    if name == "line feed in a value" and way.NAME == "nginx":
        pytest.skip("to nginx a header ends there, and it is not passed on")
    lines, body = AMBIGUOUS[name]
    visitor = front.anyone(1)
    # The hidden second request must not be carried out.
    hidden = head(front, method="DELETE", cookie=visitor.cookie)
    with nothing_done(front):
        got = save(visitor, *lines, body=body + hidden)
    assert got.status in (400, 415, 501), got.everything
    if way.NAME != "node":
        assert got.headers["date"].endswith(" GMT")


CHUNKED = "Transfer-Encoding: chunked"
LENGTH = ("Content-Length: 15", "Connection: close")


@direct("Caddy stands between, and takes headers away", "nginx", "node", "asgi")
def test_body_and_headers_arrive_as_they_were_sent(front):
    """Bodies and headers arrive unchanged, also in chunks; `Connection` removes no header.
    Rule: storefront-paths."""
    visitor = front.anyone(1)
    assert save(visitor, CHUNKED, "Connection: close", body=CHUNKS).status == 201
    for named in ("authorization", "cookie", "profile", "host", "content-type"):
        assert save(visitor, f"Connection: close, {named}", LENGTH[0]).status == 200, named
    assert visitor.products() == [1, 7]


@direct("an expectation is of the server in front")
def test_refused_request_gets_no_100_continue(front):
    """A refused request gets no 100 Continue. Rule: storefront-paths."""
    visitor = front.anyone(1)
    evil = ("Sec-Fetch-Site: cross-site", COMMON[1], "Expect: 100-continue", LENGTH[0])
    with nothing_done(front):
        got = over_the_wire(front, head(front, *evil, cookie=visitor.cookie), patience=1)
    assert got.status == 403
    assert b"HTTP/1.1 100" not in got.everything


@direct("an expectation is of the server in front: uvicorn and Caddy tell", "nginx", "node")
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_client_gets_at_most_one_100_continue(front, version):
    """100 Continue is sent at most once, and never in HTTP/1.0, where it would look like the
    response.
    Rule: storefront-paths."""
    for value in ("100-continue", "100-Continue"):
        visitor = front.anyone(1)
        got = save(visitor, f"Expect: {value}", *LENGTH, version=f"HTTP/{version}".encode())
        assert got.everything.count(b"HTTP/1.1 100") <= (version == "1.1")
        assert got.everything.count(b"HTTP/1.1 201") == 1
