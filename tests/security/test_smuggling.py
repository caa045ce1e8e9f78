"""Request smuggling: two readers of one connection never take an attacker's request for another's."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import time
import uuid
from types import SimpleNamespace

import pytest

from tests.api.conftest import (
    connect,
    data,
    over_the_wire,
    printed_until,
    products,
    request_head,
    soon,
)
from tests.conftest import missing
from tests.security import payloads
from tests.security.nginx import Nginx, nginx_binary

pytestmark = pytest.mark.either_engine

NAMES = list(payloads.payloads("t", payloads.hidden("i", "t")))
JSON = "Content-Type: application/json"
CHUNKED = "Transfer-Encoding: chunked"
SAVE = b'f\r\n{"productId":1}\r\n0\r\n'


def was_executed(service, request_id: str) -> bool:
    return any(request_id in line for line in service.log_lines())


def answers(got) -> int:
    """Returns the number of responses, without 100 Continue."""
    return len(re.findall(rb"HTTP/1\.1 [2-5]\d\d ", got.everything))


def test_smuggled_request_is_never_executed(service, shop):
    """A payload gets at most one response and its hidden request isn't carried out. An ambiguous
    one is 400 with the error envelope, and its connection closes.
    Rules: request-smuggling, error-envelope."""
    attacker = shop.customer("attacker")
    sent = {name: str(uuid.uuid4()) for name in NAMES}
    for name, request_id in sent.items():
        inside = payloads.hidden(request_id, attacker.token)
        request = payloads.payloads(attacker.token, inside)[name]
        # The connection closes after an ambiguous request only.
        patience = 0.3 if name in payloads.PLAIN else 30
        got = over_the_wire(service, request, patience=patience)
        assert answers(got) <= 1, (name, got.everything[:300])
        if name not in payloads.PLAIN:
            assert (got.status, got.closed) == (400, True), name
            assert got.headers["date"].endswith(" GMT"), name
            assert got.headers["cache-control"] == "no-store", name
            error = json.loads(got.body)["error"]
            fields = {"message", "error", "statusCode", "requestId", "code"}
            assert set(error) - {"details"} == fields, name
            assert (error["statusCode"], error["requestId"]) == (400, got.headers["x-request-id"])
    later = shop.admin.get("/lists")
    assert data(later) == []
    output = printed_until(service, later)
    assert [name for name, request_id in sent.items() if request_id in output] == []


def test_smuggled_request_is_executed_when_it_is_sent_openly(service, shop):
    """Control: the same bytes sent as a request of their own are carried out and logged."""
    inside = payloads.hidden(request_id := str(uuid.uuid4()), shop.admin_token)
    got = over_the_wire(service, inside, patience=0.3)
    assert got.status == 200 and got.headers["x-request-id"] == request_id
    soon(lambda: was_executed(service, request_id))


def test_trailer_does_not_count_as_a_header(service, shop):
    """A trailer can't set the token, the profile or the content type. Rule: request-smuggling."""
    member = shop.customer("1")
    token = f"Authorization: Bearer {member.token}"
    admin = f"Authorization: Bearer {shop.admin_token}"
    cases = {
        "token": ([JSON, CHUNKED], token, 401),
        "token beside another": ([JSON, CHUNKED, token], admin, 201),
        "profile": ([JSON, CHUNKED, admin], "Profile: gid://shopify/Customer/1", 400),
        "content type": ([CHUNKED, token], JSON, 415),
    }
    for name, (lines, trailer, status) in cases.items():
        head = request_head("POST", "/items", None, *lines, "Connection: close")
        end = f"{trailer}\r\n\r\n".encode()
        got = over_the_wire(service, head + SAVE + end)
        assert got.status == status, name
    assert products(member.http) == [1]


@pytest.mark.parametrize("end", [b"zz\r\n", b"0\r\n: x\r\n\r\n", b"0\r\nX: \0\r\n\r\n"])
def test_body_that_breaks_off_after_its_response_gets_no_second_one(service, end):
    """A body that breaks after its response gets no second response, which a proxy would give to
    the next client."""
    head = request_head("POST", "/items", None, JSON, CHUNKED)
    with connect(service) as connection:
        connection.sendall(head + b"2\r\n{}\r\n")
        received = connection.recv(65536)
        connection.sendall(end)
        while piece := connection.recv(65536):
            received += piece
    assert received.startswith(b"HTTP/1.1 401 ") and received.count(b"HTTP/1.1") == 1


LOST = {
    "upgrade": lambda token: request_head("GET", "/items", token, "Connection: upgrade", "Upgrade: h2c")
    + request_head("POST", "/items", token, JSON, "Content-Length: 999"),
    "long header": lambda token: request_head("GET", "/items", token)
    + b"GET /livez HTTP/1.1\r\nX: " + b" " * 25_000,
}  # fmt: skip


@pytest.mark.parametrize("name", LOST)
def test_nothing_more_is_read_after_a_parse_error(service, shop, name):
    """After a parse error nothing more is read, even if it arrives while an earlier request is in
    progress.
    Rule: request-smuggling."""
    token = shop.customer("attacker").token
    for milliseconds in range(12):
        inside = payloads.hidden(str(uuid.uuid4()), token)
        with connect(service) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(LOST[name](token))
            time.sleep(milliseconds / 2000)
            with contextlib.suppress(OSError):
                connection.sendall(b"y\r\n\r\n" * (name == "long header") + inside)
            received = b""
            with contextlib.suppress(OSError):
                while piece := connection.recv(65536):
                    received += piece
        assert len(re.findall(rb"HTTP/1\.1 [2-5]\d\d ", received)) <= 1
    assert data(shop.admin.get("/lists")) == []


@pytest.fixture(scope="module", params=["whole bodies", "bodies as they come"])
def proxied(request, service):
    """The service behind an nginx that shares one upstream connection."""
    if nginx_binary() is None:
        missing("there is no nginx on this system")
    with Nginx(service.url, buffering=request.param == "whole bodies") as nginx:
        yield nginx


@pytest.mark.slow
def test_each_client_of_nginx_gets_its_own_response(service, shop, proxied):
    """After each payload, a victim's request on the same upstream connection gets its own response."""
    attacker, victim = shop.customer("attacker"), shop.customer("victim")
    made = victim.http.post("/lists", json={"name": "Mine"})
    soon(lambda: was_executed(service, made.headers["X-Request-Id"]))
    kept = data(made, 201)
    front = SimpleNamespace(url=proxied.url)
    before, sent = len(service.log_lines()), []
    for name in NAMES:
        inside = payloads.hidden(str(uuid.uuid4()), attacker.token)
        over_the_wire(front, payloads.payloads(attacker.token, inside)[name], patience=0.15)
        for _ in range(2):
            sent.append(mine := str(uuid.uuid4()))
            asked = request_head(
                "GET", f"/lists/{kept['id']}", victim.token, f"X-Request-Id: {mine}",
                "Connection: close",
            )  # fmt: skip
            got = over_the_wire(front, asked)
            assert got.status == 200 and got.headers["x-request-id"] == mine, name
            assert kept["id"].encode() in got.body, name
    soon(lambda: set(sent) <= carried_out(service, before))
    # The service carried out only what nginx forwarded as a request.
    soon(lambda: carried_out(service, before) <= set(proxied.passed_on()))


def carried_out(service, since: int) -> set[str]:
    """Returns the ids of completed requests in the log since a line."""
    entries = map(json.loads, service.log_lines()[since:])
    given_up = (408, 499)
    return {
        e["requestId"] for e in entries if e["event"] == "request" and e["status"] not in given_up
    }
