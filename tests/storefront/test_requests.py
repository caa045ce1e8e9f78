"""Requests that two readers could take for different ones, their bodies and their headers."""

import json
import time
import uuid

import httpx2
import pytest

from tests.api.conftest import Wire, over_the_wire, soon

from . import way
from .conftest import BASE, envelope, nothing_done, products
from .way import direct

BODY = b'{"productId":7}'


COMMON = ("Sec-Fetch-Site: same-origin", "Content-Type: application/json")
CHUNKS = b'f\r\n{"productId":7}\r\n0\r\n\r\n'
AMBIGUOUS = {
    "length and chunks": (("Content-Length: 15", "Transfer-Encoding: chunked"), CHUNKS),
    "chunks and length": (("Transfer-Encoding: chunked", "Content-Length: 15"), CHUNKS),
    "two lengths": (("Content-Length: 15", "Content-Length: 16"), BODY),
    "length twice": (("Content-Length: 15", "Content-Length: 15"), BODY),
    "two lengths in one": (("Content-Length: 15, 15",), BODY),
    "length with a plus": (("Content-Length: +15",), BODY),
    "encoding unknown": (("Transfer-Encoding: xchunked",), CHUNKS),
    "encoding twice": (("Transfer-Encoding: chunked", "Transfer-Encoding: identity"), CHUNKS),
    "space before the colon": (("Content-Length : 15",), BODY),
    "folded": (("X-Y: a\r\n Content-Length: 3", "Content-Length: 15"), BODY),
    "line feed in a value": (("X-Y: a\nProfile: x", "Content-Length: 15"), BODY),
    "carriage return in a value": (("X-Y: a\rProfile: x", "Content-Length: 15"), BODY),
    "NUL in a value": (("Accept: a\0b", "Content-Length: 15"), BODY),
    "content type twice": (("Content-Length: 15", "Content-Type: text/plain"), BODY),
    "bad chunk": (("Transfer-Encoding: chunked",), b"zz\r\nx\r\n0\r\n\r\n"),
}


def head(front, *lines: str, method: str = "POST", cookie: str | None = None) -> bytes:
    words = [f"{method} {BASE}/api/items HTTP/1.1", f"Host: {front.host}"]
    words += [f"Cookie: wishwell={cookie}"] if cookie else []
    return "\r\n".join([*words, *lines]).encode("latin-1") + b"\r\n\r\n"


def save(visitor, *lines: str, body: bytes = BODY, version: bytes = b"HTTP/1.1") -> Wire:
    """The answer to a save of product 7 with these headers beside the common ones."""
    request = head(visitor.front, *COMMON, *lines, cookie=visitor.cookie)
    return over_the_wire(visitor.front, request.replace(b"HTTP/1.1", version) + body)


@direct("Caddy mends some of it and passes that on", "nginx", "node", "asgi")
@pytest.mark.parametrize("name", AMBIGUOUS)
def test_ambiguous_request_is_refused(front, name):
    """contract: storefront-strict, http-ambiguous. What two readers could read as different requests
    is refused."""
    if name == "line feed in a value" and way.NAME == "nginx":
        pytest.skip("to nginx a header ends there, and it is not passed on")
    lines, body = AMBIGUOUS[name]
    visitor = front.anyone(1)
    # A second request behind the first must not be answered as if it were one of its own.
    hidden = head(front, method="DELETE", cookie=visitor.cookie)
    with nothing_done(front):
        got = save(visitor, *lines, body=body + hidden)
    assert got.status in (400, 415, 501), got.everything
    if way.NAME != "node":
        assert got.headers["date"].endswith(" GMT")


@direct("the server in front reads the chunks")
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_body_that_breaks_off_is_answered_by_the_storefront(front, method):
    """contract: http-ambiguous. With the headers of every other answer, and the log tells the same."""
    visitor, id = front.anyone(1), str(uuid.uuid4())
    lines = (*COMMON, f"X-Request-Id: {id}", "Transfer-Encoding: chunked")
    for cookie in (visitor.cookie, None):
        request = head(front, *lines, method=method, cookie=cookie) + b"zz\r\nx\r\n0\r\n\r\n"
        with nothing_done(front):
            got = over_the_wire(front, request, patience=1)
        assert (got.status, got.closed) == (400, True)
        assert got.headers["cache-control"] == "private, no-store"
        assert got.headers["x-request-id"] == id
    soon(lambda: front.api.output().count(id) == 2)
    logged = [json.loads(line) for line in front.api.output().splitlines() if id in line]
    assert {line["status"] for line in logged} == {400}


def test_chunked_body_arrives_whole(front):
    """contract: storefront-strict. The body is read whole, however it was sent."""
    visitor = front.anyone(1)
    assert (
        save(visitor, "Transfer-Encoding: chunked", "Connection: close", body=CHUNKS).status == 201
    )
    assert visitor.products() == [1, 7]


@direct("other servers read such chunks, and pass the body on with its length", "nginx")
def test_chunks_in_http_1_0_are_refused(front):
    """contract: storefront-strict. HTTP/1.0 has no chunks (RFC 9112, 6.1): where its body ends is
    anybody's guess."""
    visitor, chunked = front.anyone(1), "Transfer-Encoding: chunked"
    with nothing_done(front):
        for lines in ((chunked,), (chunked, "Connection: keep-alive")):
            assert save(visitor, *lines, body=CHUNKS, version=b"HTTP/1.0").status == 400


LENGTH = ("Content-Length: 15", "Connection: close")


@direct("an expectation is of the server in front")
def test_expectation_that_is_unknown_is_417(front):
    """contract: storefront-strict. What can't be met is refused before anything is done (RFC 9110,
    10.1.1)."""
    visitor, unmet = (
        front.anyone(1),
        ("nonsense", "100-continue, x", "x, 100-continue", "200-ok", ""),
    )
    with nothing_done(front):
        assert [save(visitor, f"Expect: {value}", *LENGTH).status for value in unmet] == [417] * 5


@direct("an expectation is of the server in front: Caddy says it twice", "nginx", "node", "asgi")
@pytest.mark.parametrize("value", ["100-continue", "100-Continue"])
def test_expectation_of_100_continue_is_met(front, value):
    """contract: storefront-strict. Who waits for it is told to go on, once, and then gets the one
    answer."""
    got = save(front.anyone(1), f"Expect: {value}", *LENGTH).everything
    assert (got.count(b"HTTP/1.1 100"), got.count(b"HTTP/1.1 201")) == (1, 1)


@direct("an expectation is of the server in front: uvicorn and Caddy tell", "nginx", "node")
def test_client_of_http_1_0_is_told_no_100(front):
    """contract: storefront-strict. It would take it for the answer (RFC 9110, 10.1.1)."""
    got = save(front.anyone(1), "Expect: 100-continue", LENGTH[0], version=b"HTTP/1.0")
    assert got.status == 201


@direct("an expectation is of the server in front")
def test_body_that_is_refused_is_not_asked_for(front):
    """contract: storefront-strict. Who asks before the body is sent is refused without it."""
    lines = ("Content-Type: application/json", "Expect: 100-continue", "Content-Length: 15")
    evil = ("Sec-Fetch-Site: cross-site", *lines)
    got = over_the_wire(front, head(front, *evil, cookie=front.anyone(1).cookie), patience=1)
    assert got.status == 403
    assert b"HTTP/1.1 100" not in got.everything


UNREAD = {
    "Authorization": "Basic c2hvcDpzdGFnaW5n",
    "Profile": "{other}",
    "X-Forwarded-For": "10.0.0.1",
    "X-Forwarded-Host": "evil.example",
    "Forwarded": "for=10.0.0.1",
    "X-HTTP-Method-Override": "DELETE",
    "X-Original-URL": "/api/2025-04/profiles/token",
}


def test_header_of_the_browser_changes_nothing(front):
    """contract: storefront-evidence. The shopper stays who the cookie says."""
    victim = front.anyone(1)
    for name, value in UNREAD.items():
        visitor = front.anyone(2)
        visitor.http.headers[name] = value.format(other=victim.session)
        visitor.save(3)
        answer = visitor.get("/items")
        assert products(answer) == [2, 3], name
        assert "profile" not in answer.json()["data"][0]
    assert victim.products() == [1]


@direct("Authorization is the way's own")
def test_token_of_the_api_is_403(front):
    """contract: storefront-token. What opens the API is no shopper here; a GID is a token that is none."""
    visitor = front.anyone(2)
    member = front.shop.session()
    tokens = {front.shop.admin_token: 403, member.token: 403, visitor.session: 401}
    with nothing_done(front):
        for token, status in tokens.items():
            for browser in (visitor, front.browser()):
                browser.http.headers["Authorization"] = f"Bearer {token}"
                envelope(browser.get("/items"), status)
                refused = browser.post("/items", json={"productId": 3})
                envelope(refused, status)
                assert "Set-Cookie" not in refused.headers


@direct("Caddy stands between, and takes them away", "nginx", "node", "asgi")
@pytest.mark.parametrize("named", ["authorization", "cookie", "profile", "host", "content-type"])
def test_name_in_connection_takes_nothing_away(front, named):
    """contract: storefront-strict. No proxy stands between: the headers are those that were
    sent."""
    visitor = front.anyone(2)
    assert save(visitor, f"Connection: close, {named}", "Content-Length: 15").status == 201
    assert visitor.products() == [2, 7]


def test_request_id_passes_when_it_is_a_uuid(front):
    """contract: request-id. A UUID comes back, and is in the log; anything else is replaced."""
    visitor, own = front.anyone(), str(uuid.uuid4())
    assert visitor.get("/items", headers={"X-Request-Id": own}).headers["X-Request-Id"] == own
    soon(lambda: own in front.api.output())
    for bad in ("x", "a" * 36, own + "0", f"{own}, {own}"):
        got = visitor.get("/items", headers={"X-Request-Id": bad}).headers["X-Request-Id"]
        assert got != bad
        assert str(uuid.UUID(got)) == got


def test_body_up_to_256_kib(front):
    """contract: body-size. 413 above 256 KiB, whether the length is told or not; at it, it
    arrives."""
    visitor = front.anyone(1)

    def padded(size: int) -> bytes:
        return b'{"productId":8' + b" " * (size - 15) + b"}"

    def too_large(answer: httpx2.Response) -> None:
        assert answer.status_code == 413
        if way.NAME != "nginx":  # which says so by itself
            envelope(answer, 413)

    kind = {"Content-Type": "application/json"}
    with nothing_done(front):
        told = visitor.post("/items", content=padded(262_145), headers=kind)
        too_large(told)
        pieces = (padded(262_145)[at : at + 50_000] for at in range(0, 262_145, 50_000))
        too_large(visitor.post("/items", content=pieces, headers=kind))
    assert visitor.post("/items", content=padded(262_144), headers=kind).status_code == 201


def test_body_and_query_are_judged_as_by_the_api(front):
    """contract: storefront-paths. With reads and writes alike."""
    visitor = front.browser()
    id = visitor.save(1)["id"]
    assert visitor.post("/items", content=BODY).status_code == 415
    plain = {"Content-Type": "text/plain"}
    envelope(visitor.post("/items", content=BODY, headers=plain), 415)
    assert "productId" in envelope(visitor.post("/items", json={"productId": "x"}), 400)
    for method, path, body in (
        ("GET", "/items", None),
        ("POST", "/items", {"productId": 2}),
        ("PATCH", f"/items/{id}", {"quantity": 2}),
        ("PUT", f"/items/{id}/lists", {"lists": []}),
        ("DELETE", f"/items/{id}", None),
        ("DELETE", "/items", {"ids": [id]}),
    ):
        more = {} if body is None else {"json": body}
        answer = visitor.request(method, f"{path}?unknown=1", **more)
        assert "unknown" in envelope(answer, 400), (method, path)
    assert visitor.products() == [1]


@direct("the server in front waits for the body")
@pytest.mark.slow
def test_body_that_is_too_slow_is_408(front):
    """contract: body-time. One that takes longer than 10 s is 408, and nothing is done."""
    visitor = front.anyone(1)
    request = head(front, *COMMON, "Content-Length: 15", cookie=visitor.cookie) + BODY[:-1]
    with nothing_done(front):
        began = time.monotonic()
        answer = over_the_wire(front, request, patience=14)
        assert (answer.status, answer.closed) == (408, True)
        assert time.monotonic() - began < 16, "it was held after its answer"
