"""Load shedding: a process with a full set of requests in flight refuses others cheaply, in full
form. The one permitted request is a write that waits for another process's lock on the SQLite file."""

from __future__ import annotations

import contextlib
import json
import socket
import sqlite3
import threading
import time
import uuid

import httpx2
import pytest

from tests.api.conftest import connect, over_the_wire, request_head
from tests.servers import PREFIX, Service, wait_until

LIMITS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
ORIGIN = "https://shop.example"


# xdist runs the group in one process, so the service starts once.
pytestmark = pytest.mark.xdist_group("shedding")


@pytest.fixture(scope="module")
def busy():
    """A service with one request slot; yields a context manager that fills it."""
    with Service({"WISHWELL_MAX_IN_FLIGHT": "1"}) as service:
        service.cli("store", "update", "default", "--origin", ORIGIN)
        admin = service.client(service.admin_token(), "gid://shopify/Customer/1")
        known = "access-control-allow-origin"

        def is_known() -> bool:
            # With one slot, an immediate request may find the previous one still in flight.
            answer = admin.get("/items", headers={"Origin": ORIGIN})
            return answer.status_code == 200 and known in answer.headers

        def write() -> None:
            while admin.post("/items", json={"productId": 1}).status_code == 503:
                time.sleep(0.01)

        assert wait_until(is_known, seconds=30)

        @contextlib.contextmanager
        def full():
            other = sqlite3.connect(service.folder / "wishwell.db", isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            writing = threading.Thread(target=write)
            writing.start()
            try:
                url = service.url + PREFIX + "/items"
                assert wait_until(lambda: httpx2.get(url).status_code == 503, seconds=30)
                yield service
            finally:
                other.execute("ROLLBACK")
                other.close()
                writing.join()

        yield full


def raw(service: Service, request: bytes, answers: int) -> list[tuple[str, bytes]]:
    """Returns the status and body of each response on one connection."""
    with connect(service) as connection:
        connection.sendall(request)
        stream, found = connection.makefile("rb"), []
        for _ in range(answers):
            status, length = stream.readline().split()[1].decode(), 0
            while line := stream.readline().strip().lower():
                if line.startswith(b"content-length: "):
                    length = int(line[16:])
            found.append((status, stream.read(length)))
        return found


def test_refusal_of_a_full_process_has_the_error_envelope_and_headers(busy):
    """A refusal is 503 with the error envelope, request id, Retry-After and rate-limit headers.
    Liveness still succeeds.
    Rules: load-shedding, health-checks."""
    id = str(uuid.uuid4())
    with busy() as service:
        url = service.url + PREFIX
        answer = httpx2.get(f"{url}/items", headers={"X-Request-Id": id, "Origin": ORIGIN})
        strange = httpx2.get(f"{url}/items", headers={"Origin": "https://other.example"})
        head = httpx2.head(f"{url}/items")
        nowhere = httpx2.get(f"{url}/nothing")
        for path in ("/livez", "/readyz", "/metrics"):
            assert httpx2.get(service.url + path).status_code == 200
    assert answer.status_code == 503
    error = answer.json()["error"]
    assert error["statusCode"] == 503 and error["requestId"] == id
    assert "Nothing was done" in error["message"]
    assert answer.headers["x-request-id"] == id
    assert answer.headers["retry-after"] == "1"
    assert all(answer.headers[name].isdigit() for name in LIMITS)
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert "access-control-allow-origin" not in strange.headers
    assert uuid.UUID(strange.json()["error"]["requestId"]).version == 4
    assert head.status_code == 503 and head.content == b""
    assert head.headers["content-length"] == answer.headers["content-length"]
    assert nowhere.status_code == 503


def test_connection_works_after_a_refusal(busy):
    """A connection works after a refusal, also behind an unread body and with pipelined requests.
    Rule: load-shedding."""
    body = json.dumps({"productId": 2}).encode()
    lines = ("Content-Type: application/json", f"Content-Length: {len(body)}")
    post = request_head("POST", "/items", None, *lines) + body
    chunks = request_head("POST", "/items", None, "Transfer-Encoding: chunked")
    chunks += b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    get = request_head("GET", "/items", None)
    live = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
    with busy() as service:
        found = raw(service, post + get + chunks + live + get, 5)
    assert [status for status, _ in found] == ["503", "503", "503", "200", "503"]
    ids = [json.loads(body)["error"]["requestId"] for status, body in found if status == "503"]
    assert len(set(ids)) == 4


def test_each_of_many_connections_is_refused_once(busy):
    """Of 200 connections that ask a full process at the same time, each gets one refusal, also
    when it sends nothing more. Most are deferred. Rule: load-shedding."""
    with busy() as service, contextlib.ExitStack() as stack:
        connections = [stack.enter_context(connect(service)) for _ in range(200)]
        for number, connection in enumerate(connections):
            connection.sendall(request_head("GET", "/items", None, "Connection: close"))
            if number % 2:
                connection.shutdown(socket.SHUT_WR)
        for connection in connections:
            got = connection.makefile("rb").read()
            assert got.startswith(b"HTTP/1.1 503 ") and got.count(b"HTTP/1.1 ") == 1


def test_refusal_closes_the_connection_when_a_second_response_would_be_misread(busy):
    """A refusal closes the connection after `Connection: close` and HTTP/1.0, and when a body waits
    for 100 Continue or breaks off, where a second response would be taken for the next request's.
    Rule: request-smuggling."""
    waits = ("Expect: 100-continue", "Content-Length: 9")
    with busy() as service:
        for request in (
            request_head("GET", "/items", None, "Connection: close"),
            request_head("GET", "/items", None).replace(b"HTTP/1.1", b"HTTP/1.0"),
            request_head("POST", "/items", None, *waits),
            request_head("POST", "/items", None, "Transfer-Encoding: chunked") + b"zz\r\n",
        ):
            got = over_the_wire(service, request)
            assert (got.status, got.closed) == (503, True)
            assert got.everything.count(b"HTTP/1.1 ") == 1
            assert got.headers.get("connection") == "close" or b"zz" in request


def test_refused_requests_are_logged_once_a_second(busy):
    """Refused requests share one `shed` log line a second with their number, and are counted in
    metrics.
    Rule: log-private."""
    with busy() as service:
        lines = service.output().count('"route":"shed"')
        found = raw(service, request_head("GET", "/items", None) * 20, 20)
        assert {status for status, _ in found} == {"503"}

    def said() -> int:
        return sum(
            json.loads(line)["requests"]
            for line in service.output().splitlines()
            if line.startswith("{") and '"event":"shed"' in line
        )

    assert wait_until(lambda: said() >= 20, seconds=30, every=0.1)
    assert lines == 0
    text = httpx2.get(service.url + "/metrics").text
    assert 'wishwell_requests_total{method="GET",route="shed",status="503"}' in text
