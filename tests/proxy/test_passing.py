"""docs/proxy.md, What passes: headers and bodies, in both directions."""

import json
import time
import uuid
from email.utils import parsedate_to_datetime

import pytest

from tests.api.conftest import over_the_wire

from .conftest import (
    BASE,
    Browser,
    Fixed,
    asked_of,
    envelope,
    made_cookie,
    nothing_forwarded,
    shop_jwt,
    shopper_of,
)

BODY = b'{"productId":7}'


def head(front, *lines: str, method: str = "POST", cookie: str | None = None) -> bytes:
    words = [f"{method} {BASE}/api/items HTTP/1.1", "Host: localhost"]
    words += [f"Cookie: wishwell={cookie}"] if cookie else []
    return "\r\n".join([*words, *lines]).encode("latin-1") + b"\r\n\r\n"


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


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_ambiguous_request_is_refused(front, name):
    """What passes: what two readers could read as different requests is refused, nothing is sent."""
    lines, body = AMBIGUOUS[name]
    visitor = front.anyone(1)
    request = head(front, *COMMON, *lines, cookie=visitor.cookie) + body
    # A second request behind the first must not be answered as if it were one of its own.
    request += head(front, method="DELETE", cookie=visitor.cookie)
    with nothing_forwarded(front.api):
        got = over_the_wire(front.proxy, request, patience=1)
    assert got.status in (400, 415, 501), got.everything
    assert got.headers["date"].endswith(" GMT")
    assert visitor.products() == [1]


def test_chunked_body_arrives_whole(front):
    """What passes: the body is read whole, however it was sent."""
    visitor = front.anyone(1)
    line = "Transfer-Encoding: chunked"
    request = head(front, *COMMON, line, "Connection: close", cookie=visitor.cookie) + CHUNKS
    assert over_the_wire(front.proxy, request).status == 201
    assert visitor.products() == [1, 7]


@pytest.mark.python_only("the JavaScript one reads it as HTTP/1.1")
@pytest.mark.parametrize("length", [(), ("Connection: keep-alive",)], ids=["", "kept"])
def test_chunks_in_http_1_0_are_refused(front, length):
    """What passes: HTTP/1.0 has no chunks (RFC 9112, 6.1): where its body ends is anybody's guess."""
    visitor = front.anyone(1)
    lines = (*COMMON, "Transfer-Encoding: chunked", *length)
    request = head(front, *lines, cookie=visitor.cookie).replace(b"HTTP/1.1", b"HTTP/1.0")
    with nothing_forwarded(front.api):
        assert over_the_wire(front.proxy, request + CHUNKS).status == 400
    assert visitor.products() == [1]


@pytest.mark.python_only("the JavaScript one goes by what a list begins or ends with")
@pytest.mark.parametrize("value", ["nonsense", "100-continue, x", "x, 100-continue", "200-ok", ""])
def test_expectation_that_is_unknown_is_417(front, value):
    """What passes: what can't be met is refused before anything is done (RFC 9110, 10.1.1)."""
    visitor = front.anyone(1)
    lines = (*COMMON, f"Expect: {value}", "Content-Length: 15", "Connection: close")
    with nothing_forwarded(front.api):
        got = over_the_wire(front.proxy, head(front, *lines, cookie=visitor.cookie) + BODY)
    assert got.status == 417
    assert visitor.products() == [1]


@pytest.mark.parametrize("value", ["100-continue", "100-Continue"])
def test_expectation_of_100_continue_is_met(front, value):
    """What passes: who waits for it is told to go on, once, and then gets the one answer."""
    visitor = front.anyone(1)
    lines = (*COMMON, f"Expect: {value}", "Content-Length: 15", "Connection: close")
    got = over_the_wire(front.proxy, head(front, *lines, cookie=visitor.cookie) + BODY)
    assert got.everything.count(b"HTTP/1.1 100") == 1
    assert got.everything.count(b"HTTP/1.1 201") == 1
    assert visitor.products() == [1, 7]


def test_client_of_http_1_0_is_told_no_100(front):
    """What passes: it would take it for the answer (RFC 9110, 10.1.1)."""
    visitor = front.anyone(1)
    lines = (*COMMON, "Expect: 100-continue", "Content-Length: 15")
    request = head(front, *lines, cookie=visitor.cookie).replace(b"HTTP/1.1", b"HTTP/1.0")
    got = over_the_wire(front.proxy, request + BODY)
    assert got.status == 201
    assert visitor.products() == [1, 7]


@pytest.mark.python_only("the JavaScript one tells everybody to go on, and then refuses")
def test_body_that_is_refused_is_not_asked_for(front):
    """What passes: who asks before the body is sent is refused without it."""
    visitor = front.anyone(1)
    lines = ("Content-Type: application/json", "Expect: 100-continue", "Content-Length: 15")
    evil = ("Sec-Fetch-Site: cross-site", *lines)
    got = over_the_wire(front.proxy, head(front, *evil, cookie=visitor.cookie), patience=1)
    assert got.status == 403
    assert b"HTTP/1.1 100" not in got.everything


FORBIDDEN = {
    "Authorization": "Bearer {admin}",
    "Profile": "{other}",
    "X-Forwarded-For": "10.0.0.1",
    "X-Forwarded-Host": "evil.example",
    "Forwarded": "for=10.0.0.1",
    "X-HTTP-Method-Override": "DELETE",
    "X-Original-URL": "/api/2025-04/profiles/token",
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_header_of_the_browser_changes_nothing(front, name):
    """What passes: none of these reaches the API; the shopper stays who the cookie says."""
    victim, visitor = front.anyone(1), front.anyone(2)
    value = FORBIDDEN[name].format(admin=front.shop.admin_token, other=victim.session)
    answer = visitor.get("/items", headers={name: value})
    assert [item["productId"] for item in answer.json()["data"]] == [2]
    assert "profile" not in answer.json()["data"][0]
    assert visitor.post("/items", json={"productId": 3}, headers={name: value}).status_code == 201
    assert victim.products() == [1]
    assert visitor.products() == [2, 3]


@pytest.mark.parametrize("named", ["authorization", "cookie", "profile", "host", "x-request-id"])
def test_headers_named_in_connection_go_no_further(front, named):
    """What passes: a name in Connection takes nothing away that the proxy itself puts in."""
    visitor = front.anyone(2)
    lines = ("Connection: close, " + named, f"X-Request-Id: {uuid.uuid4()}")
    request = head(front, *lines, method="GET", cookie=visitor.cookie)
    got = over_the_wire(front.proxy, request)
    assert got.status == 200
    assert [item["productId"] for item in json.loads(got.body)["data"]] == [2]


def test_content_type_named_in_connection_is_dropped(front):
    """What passes: Connection ends a header at the proxy; the API then sees no content type."""
    visitor = front.anyone(1)
    lines = ("Connection: content-type, close", "Content-Length: 15")
    got = over_the_wire(front.proxy, head(front, *COMMON, *lines, cookie=visitor.cookie) + BODY)
    assert got.status == 415
    assert visitor.products() == [1]


def test_request_id_passes_when_it_is_a_uuid(front):
    """What passes: a UUID comes back, and is the API's id too; anything else is replaced."""
    visitor, own = front.anyone(), str(uuid.uuid4())
    assert visitor.get("/items", headers={"X-Request-Id": own}).headers["X-Request-Id"] == own
    assert own in [line["requestId"] for line in asked_of(front.api)]
    for bad in ("x", "a" * 36, own + "0", f"{own}, {own}"):
        got = visitor.get("/items", headers={"X-Request-Id": bad}).headers["X-Request-Id"]
        assert got != bad
        assert str(uuid.UUID(got)) == got


def test_body_up_to_256_kib(front):
    """What passes: 413 above 256 KiB, whether the length is told or not; at it, it arrives."""
    visitor = front.anyone(1)

    def padded(size: int) -> bytes:
        return b'{"productId":8' + b" " * (size - 15) + b"}"

    kind = {"Content-Type": "application/json"}
    with nothing_forwarded(front.api):
        told = visitor.post("/items", content=padded(262_145), headers=kind)
        envelope(told, 413)
        pieces = (padded(262_145)[at : at + 50_000] for at in range(0, 262_145, 50_000))
        envelope(visitor.post("/items", content=pieces, headers=kind), 413)
    assert visitor.post("/items", content=padded(262_144), headers=kind).status_code == 201


def test_content_type_passes(front):
    """What passes: the API judges the body and its type."""
    visitor = front.anyone(1)
    assert visitor.post("/items", content=BODY).status_code == 415
    plain = {"Content-Type": "text/plain"}
    envelope(visitor.post("/items", content=BODY, headers=plain), 415)
    assert "productId" in envelope(visitor.post("/items", json={"productId": "x"}), 400)
    envelope(visitor.get("/items/01a1fb82-8f15-7000-aafc-5adf06151cd4"), 404)


def test_headers_of_the_answer(front):
    """What passes: the limits and the id come back; every answer is private; Location is ours."""
    visitor = front.browser()
    made = visitor.post("/items", json={"productId": 1})
    id = made.json()["data"]["id"]
    assert made.headers["Location"] == f"{BASE}/api/items/{id}"
    answer = visitor.get("/items")
    for name in ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"):
        assert int(answer.headers[name]) >= 0
    known = {
        "date", "content-type", "content-length", "cache-control", "vary", "wishwell-shopper",
        "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "x-request-id",
        "x-content-type-options", "connection", "keep-alive",
    }  # fmt: skip
    assert set(answer.headers) <= known


def test_every_answer_is_private(front):
    """What passes: Cache-Control, Vary and Wishwell-Shopper on every answer under api/."""
    visitor = front.anyone(1)
    answers = [
        visitor.get("/items"),
        visitor.get("/items?limit=x"),
        visitor.get("/nothing"),
        visitor.put("/items"),
        visitor.post("/items", json={}, headers={"Sec-Fetch-Site": "cross-site"}),
        visitor.get("/items", headers={"X-Shop-Token": "wrong"}),
        front.browser().get("/lists"),
        front.browser().delete("/items"),
    ]
    assert [a.status_code for a in answers] == [200, 400, 404, 405, 403, 401, 200, 204]
    for answer in answers:
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert answer.headers["Vary"] == "Cookie"
        assert len(answer.headers["Wishwell-Shopper"]) in (1, 16)


NO_REQUEST = {
    "no HTTP": b"hello\r\n\r\n",
    "target in absolute form": f"GET http://x{BASE}/api/items HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
    "# in the query": f"GET {BASE}/api/items?a#b HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
    "no host": f"GET {BASE}/api/items HTTP/1.1\r\n\r\n".encode(),
    "host twice": f"GET {BASE}/api/items HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n".encode(),
    "length and chunks": head(None, *COMMON, *AMBIGUOUS["length and chunks"][0]) + CHUNKS,
    "headers too large": head(None, "X-Y: " + "a" * 70_000),
}


@pytest.mark.python_only("the JavaScript one takes some of these")
@pytest.mark.parametrize("name", NO_REQUEST)
def test_refusal_of_what_is_no_request_is_private(front, name):
    """What passes: the headers of every answer under api/, also where nobody was looked for."""
    got = over_the_wire(front.proxy, NO_REQUEST[name], patience=1)
    assert got.status in (400, 431)
    error = json.loads(got.body)["error"]
    assert error["requestId"] == got.headers["x-request-id"]
    assert error["statusCode"] == got.status
    expected = {"cache-control": "private, no-store", "vary": "Cookie", "wishwell-shopper": "-"}
    expected["x-content-type-options"] = "nosniff"
    assert {name: got.headers.get(name) for name in expected} == expected


def test_shopper_says_whether_it_is_the_same(front):
    """What passes, Wishwell-Shopper: the first 16 of the HMAC of the GID, - for nobody."""
    visitor = front.browser()
    assert visitor.get("/items").headers["Wishwell-Shopper"] == "-"
    made = visitor.post("/items", json={"productId": 1})
    assert made.headers["Wishwell-Shopper"] == shopper_of(visitor.session)
    assert visitor.get("/lists").headers["Wishwell-Shopper"] == shopper_of(visitor.session)
    forged = front.browser(made_cookie(visitor.session, secret="x" * 32))
    answer = visitor.get("/items", headers={"X-Shop-Token": shop_jwt("77")})
    assert answer.headers["Wishwell-Shopper"] == shopper_of("gid://shopify/Customer/77")
    assert forged.get("/items").headers["Wishwell-Shopper"] == "-"


def test_rate_limit_of_the_api_passes(new_front):
    """What passes: 429 of the API with its Retry-After and its limits."""
    front = new_front("--limit", "profile_read=1")
    visitor = front.anyone(1)
    answer = [visitor.get("/items") for _ in range(3)][-1]
    envelope(answer, 429)
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert answer.headers["X-RateLimit-Remaining"] == "0"


def test_date_of_the_api_passes(start_proxy, api):
    """What passes: a Retry-After that is a date is read against the clock that it was written by."""
    then, later = "Mon, 01 Jan 2024 00:00:00 GMT", "Mon, 01 Jan 2024 00:00:30 GMT"
    head = f"HTTP/1.1 429 Wait\r\nDate: {then}\r\nRetry-After: {later}\r\nContent-Length: 0\r\n\r\n"
    waiting = Fixed(head.encode())
    try:
        proxy = start_proxy(api, "wwadm_" + "x" * 49, API=waiting.url)
        answer = Browser(proxy).post("/items", json={"productId": 1})
        assert answer.status_code == 429
        assert answer.headers.get_list("Retry-After") == [later]
        assert answer.headers.get_list("Date") == [then]
    finally:
        waiting.close()


def test_every_answer_has_one_date(front):
    """What passes: one Date, whoever has written the answer."""
    visitor, place = front.anyone(1), f"{front.proxy.url}{BASE}"
    asked = ("/api/items", "/api/nothing", "/api/items?limit=x", "/livez", "/assets/wishwell.js")
    answers = [visitor.http.get(f"{place}{path}") for path in asked]
    for answer in (*answers, front.browser().get("/items")):
        [date] = answer.headers.get_list("Date")
        assert abs(parsedate_to_datetime(date).timestamp() - time.time()) < 60


def test_query_passes_with_every_method(front):
    """What passes: the query as it came, so that the API judges it, reads and writes alike."""
    visitor = front.browser()
    id = visitor.save(1)["id"]
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


@pytest.mark.slow
def test_body_that_is_too_slow_is_408(front):
    """What passes: a body that takes longer than 10 s is 408, and nothing is sent on."""
    visitor = front.anyone(1)
    request = head(front, *COMMON, "Content-Length: 15", cookie=visitor.cookie) + BODY[:-1]
    with nothing_forwarded(front.api):
        began = time.monotonic()
        answer = over_the_wire(front.proxy, request, patience=14)
        assert (answer.status, answer.closed) == (408, True)
        assert time.monotonic() - began < 16, "it was held after its answer"
