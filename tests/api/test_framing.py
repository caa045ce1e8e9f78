"""Malformed HTTP over raw sockets. Requests that two readers could interpret differently:
tests/security/test_smuggling.py."""

import json
import socket

import pytest

from .conftest import connect, in_one_window, is_uuid, over_the_wire, products, request_head, save


def post(token: str, *lines: str, body: bytes = b'{"productId":1}') -> bytes:
    return request_head("POST", "/items", token, "Content-Type: application/json", *lines) + body


LENGTH = "Content-Length: 15"
CHUNKED = "Transfer-Encoding: chunked"
CHUNKS = b'f\r\n{"productId":1}\r\n0\r\n\r\n'

BROKEN = {
    "at once": (b"", b"zz\r\n"),
    "later": (b'4\r\n{"pr\r\n', b"zz\r\n"),
    "in a chunk's end": (b'4\r\n{"pr\r\n', b"5\r\nabcdeXX"),
    "in a trailer": (b'f\r\n{"productId":1}\r\n0\r\n', b"X: " + b"y" * 17_000 + b"\r\n\r\n"),
}


@pytest.mark.parametrize("name", BROKEN)
@in_one_window
def test_request_whose_body_breaks_off_gets_rate_limit_and_cors_headers(service, make_shop, name):
    """A request whose body breaks off gets its caller's rate-limit and CORS headers.
    Rules: limit-window, error-envelope, cors-allowed."""
    origin, given = "https://shop.example", "0b9e6f0e-7d5c-4a0e-9a57-5a2e0c7b1d11"
    shop = make_shop("--limit", "profile_write=9", "--origin", origin)
    member = shop.customer("1")
    lines = ["Content-Type: application/json", CHUNKED, f"Origin: {origin}"]
    head = request_head("POST", "/items", member.token, *lines, f"X-Request-Id: {given}")
    first, then = BROKEN[name]
    with connect(service) as connection:
        connection.sendall(head + first)
        if first:
            # The request was counted by the time a later request has its response.
            assert products(member.http) == []
        connection.sendall(then)
        received = b""
        while piece := connection.recv(65_536):
            received += piece
    answer, _, body = received.decode().lower().partition("\r\n\r\n")
    assert answer.startswith("http/1.1 431" if name == "in a trailer" else "http/1.1 400")
    assert received.count(b"HTTP/1.1 ") == 1
    assert "x-ratelimit-limit: 9\r\nx-ratelimit-remaining: 8\r\n" in answer
    assert f"x-request-id: {given}" in answer and given in body
    assert f"access-control-allow-origin: {origin}" in answer
    assert "connection: close" in answer
    after = member.http.post("/items", json={"productId": 1})
    assert after.headers["X-RateLimit-Remaining"] == "7"


def test_garbage_after_a_request_does_not_fail_the_request(service, shop):
    """A save followed by garbage succeeds; the garbage then closes the connection."""
    member = shop.customer("1")
    got = over_the_wire(service, post(member.token, LENGTH) + b"\x16\x03\x01garbage\r\n\r\n")
    assert got.status == 201 and got.closed
    assert got.everything.count(b"HTTP/1.1 ") == 1
    assert products(member.http) == [1]


def test_bad_target_is_refused_on_a_kept_alive_connection(service):
    """A bad target is refused on a kept-alive connection too, after a good request.
    Rule: request-smuggling."""
    good, bad = (f"GET {at} HTTP/1.1\r\nHost: a\r\n\r\n" for at in ("/livez", "http://a:b/"))
    with connect(service) as connection:
        for asked, status in ((good, b"200"), (bad, b"400")):
            connection.sendall(asked.encode())
            assert connection.recv(65_536).startswith(b"HTTP/1.1 " + status)


def test_status_line_and_body_have_the_same_status_name(service, shop):
    """The status line and the body use the same status name on every Python version.
    Rule: error-envelope."""
    json_type, large = "Content-Type: application/json", "Content-Length: 300000"
    for request in (
        request_head("POST", "/items", shop.customer("1").token, json_type, large),
        request_head("GET", "/items", None, "Connection: close"),
        request_head("PATCH", "/items", shop.admin_token, "Connection: close"),
        request_head("GET", "/items", shop.admin_token, "X-Y: " + "x" * 17_000),
        b"garbage\r\n\r\n",
    ):
        got = over_the_wire(service, request)
        line = got.everything.partition(b"\r\n")[0].decode()
        error = json.loads(got.body)["error"]
        assert line == f"HTTP/1.1 {error['statusCode']} {error['error']}"


def test_header_over_16_kib_is_refused(service, shop):
    """Request line and headers over 16 KiB are 431; smaller ones are accepted.
    Rule: request-limits."""
    many = [f"X-{n}: {'x' * 100}" for n in range(200)]
    for lines in (["X-Y: " + "x" * 17_000], ["X-Y: " + "x" * 200_000], many):
        got = over_the_wire(service, request_head("GET", "/items", shop.admin_token, *lines))
        assert got.status == 431 and got.closed
        assert json.loads(got.body)["error"]["statusCode"] == 431
        fewer = [line[:10_000] for line in lines[:90]]
        head = request_head("GET", "/items", shop.admin_token, *fewer, "Connection: close")
        assert over_the_wire(service, head).status == 200


@pytest.mark.parametrize(
    "header", ["Profile", "Origin", "X-Request-Id", "Idempotency-Key", "Accept", "X-Forwarded-For"]
)
def test_response_headers_never_contain_client_bytes(service, shop, header):
    """Response headers never contain client bytes; an `X-Request-Id` is kept only if it is a UUID.
    Rules: input-inert, error-envelope."""
    odd = ("gid://shopify/Customer/\x85", "https://x\xa0y.example", "\xe2\x80\xa8evil", "a\tb\x7f")
    for value in (*odd, "%0d%0aevil: 1", "xyzzy", "a" * 65, "a b c d e f", "<script>a(1)</script>"):
        lines = (f"{header}: {value}", "Connection: close")
        got = over_the_wire(service, request_head("GET", "/items", shop.admin_token, *lines))
        assert got.status in (200, 400), value
        assert is_uuid(got.headers["x-request-id"])
        head = got.everything.partition(b"\r\n\r\n")[0]
        assert value.encode("latin-1") not in head and b"\r\nevil" not in head
        assert all(32 <= byte < 127 or byte in b"\r\n" for byte in head)


def test_absolute_form_and_old_http_are_answered(service, shop):
    """The absolute form (RFC 9112 §3.2.2) works; HTTP/1.0 connections close after the response.
    Rule: request-smuggling."""
    whole = request_head("GET", "/items", shop.admin_token)
    last = request_head("GET", "/items", shop.admin_token, "Connection: close")
    for asked in (
        last.replace(b"GET /", b"GET http://localhost/", 1),
        last.replace(b"GET /", b"GET http://LocalHost/", 1),
        whole.replace(b"HTTP/1.1", b"HTTP/1.0", 1),
    ):
        got = over_the_wire(service, asked)
        assert (got.status, got.closed) == (200, True)
        assert json.loads(got.body) == {"data": []}


@pytest.mark.parametrize("connection", ["close", "keep-alive"])
def test_transfer_encoding_is_refused_in_http_1_0(service, shop, connection):
    """A chunked body in HTTP/1.0 is refused because of its header, before the body is parsed, and
    the connection closes: a proxy that doesn't know the header would see the body end elsewhere
    (RFC 9112 §6.1). The same request in HTTP/1.1 is accepted.
    Rule: request-smuggling."""
    member = shop.customer("1")
    request = post(member.token, CHUNKED, f"Connection: {connection}", body=CHUNKS)
    got = over_the_wire(service, request.replace(b"HTTP/1.1", b"HTTP/1.0", 1))
    assert (got.status, got.closed) == (400, True)
    error = json.loads(got.body)["error"]
    assert error["message"] == "Transfer-Encoding: is not allowed in HTTP/1.0."
    assert got.everything.count(b"HTTP/1.1 ") == 1
    assert products(member.http) == []
    assert over_the_wire(service, request).status == 201


@pytest.mark.parametrize("version", [b"1.1", b"1.0", b"1.0 without Host"])
def test_target_on_another_host_than_the_header_is_refused(service, shop, version):
    """The target's host must equal `Host`, because a program in front may use either.
    Rule: request-smuggling."""
    whole = request_head("GET", "/items", shop.admin_token)
    whole = whole.replace(b"HTTP/1.1", b"HTTP/" + version[:3], 1)
    hosts = [b"other.example", b"localhost:81", b"x@localhost", b"localhost.", b""]
    if version.endswith(b"Host"):
        whole, hosts = whole.replace(b"Host: localhost\r\n", b""), [*hosts, b"localhost"]
    for host in hosts:
        got = over_the_wire(service, whole.replace(b"GET /", b"GET http://%b/" % host, 1))
        assert (got.status, got.closed) == (400, True), host


def test_request_that_offers_an_upgrade_is_answered_as_a_plain_one(service, shop):
    """An offered upgrade is ignored, because some clients offer HTTP/2 with every first request.
    With a body it is refused: tests/security/payloads.py.
    Rule: request-smuggling."""
    offer = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"]
    member = shop.customer("1")
    got = over_the_wire(service, request_head("GET", "/items", member.token, *offer))
    assert got.status == 200 and got.closed


def test_endless_trailer_ends_the_connection(service):
    """An endless trailer is cut off, because reassembling its pieces would block the event loop.
    Rule: request-limits."""
    with connect(service, 10) as connection:
        connection.sendall(request_head("GET", "/items", None, CHUNKED) + b"0\r\nX: ")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            connection.sendall(b"a" * 8_000_000)


def test_connection_close_in_a_trailer_closes_the_connection(service, shop):
    """`Connection: close` in a trailer closes the connection, because the parser accepts no further
    input.
    Rule: request-smuggling."""
    end = CHUNKS.removesuffix(b"\r\n") + b"Connection: close\r\n\r\n"
    got = over_the_wire(service, post(shop.customer("1").token, CHUNKED, body=end))
    assert (got.status, got.closed) == (201, True)


def test_client_that_shuts_down_sending_still_gets_its_response(service, shop):
    """A client that shuts down its sending side still gets its response.
    Rule: request-smuggling."""
    with connect(service) as connection:
        connection.sendall(post(shop.customer("1").token, LENGTH))
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 201")


def test_white_space_after_a_header_value_is_ignored(service, shop):
    """Trailing white space isn't part of a header's value (RFC 9110 §5.5)."""
    given = "0b9e6f0e-7d5c-4a0e-9a57-5a2e0c7b1d11"
    lines = [f"Profile: {shop.gid('7')} \t", f"X-Request-Id: {given} ", "Connection: close"]
    got = over_the_wire(service, request_head("GET", "/items", shop.admin_token, *lines))
    assert got.status == 200, got.body
    assert got.headers["x-request-id"] == given


def test_head_204_and_100_continue_are_framed_correctly(service, shop):
    """HEAD, 204 and `Expect: 100-continue` are framed correctly. Rule: request-smuggling."""
    member = shop.customer("1")
    saved = save(member.http, 1)
    paths = [("HEAD", "/items"), ("DELETE", f"/items/{saved['id']}"), ("GET", "/items")]
    asked = b"".join(request_head(method, path, member.token) for method, path in paths)
    assert over_the_wire(service, asked).everything.count(b"HTTP/1.1 20") == 3
    head, body = post(member.token, LENGTH, "Expect: 100-continue", body=b""), b'{"productId":1}'
    with connect(service) as connection:
        connection.sendall(head)
        assert connection.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 201")
        connection.sendall(head + body)  # A client needn't wait for 100 Continue
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
