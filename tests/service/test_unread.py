"""A response that the client doesn't read is dropped after a timeout, with its memory; one that is
read isn't."""

from __future__ import annotations

import json
import re
import socket
import threading
import time

import httpx2
import psutil
import pytest

from tests.api.conftest import data, request_head
from tests.conftest import ROOMY, SIGNING_KEY, Shop
from tests.servers import HERE, PREFIX, Service, wait_until

from .test_metrics import value

SECONDS = 2
MB = 2**20
# xdist runs the group in one process, so the tests share a service.
pytestmark = pytest.mark.xdist_group("unread")


@pytest.fixture(scope="module")
def service():
    """A service whose only customer has pages of 300 KB."""
    settings = {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_ANSWER_TIMEOUT": str(SECONDS)}
    with Service(settings) as service:
        customer = Shop(service, *ROOMY).customer()
        service.http = customer.http
        service.page = request_head("GET", "/items?limit=250", customer.token)
        for numbers in (range(1, 126), range(126, 251)):  # as much as a body may contain
            tags = [f"{at}-{'x' * 40}" for at in range(20)]
            items = [{"productId": number, "tags": tags} for number in numbers]
            data(service.http.put("/items", json={"items": items}))
        yield service
        assert "Traceback" not in service.output()


def send_request(service: Service, request: bytes) -> socket.socket:
    """Sends a request on a connection with a small receive buffer; returns the connection."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(30)
    connection.connect((HERE, int(service.url.rpartition(":")[2])))
    connection.sendall(request)
    return connection


def dropped_count(service: Service) -> float:
    return value(service, "wishwell_dropped_answers_total")


def read_rest(connection: socket.socket) -> bytes:
    """Reads the rest; a dropped connection ends with a reset."""
    with connection:
        received = b""
        try:
            while piece := connection.recv(65536):
                received += piece
        except ConnectionResetError:
            received += b"(reset)"
    return received


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("Connection: close",)], ids=["kept", "close"])
def test_unread_response_is_dropped_and_its_memory_freed(service, more):
    """Unread responses are dropped, logged and counted, and their memory is reused.
    Rule: slow-clients."""
    process = psutil.Process(service.process.pid)
    request = service.page[:-2] + "".join(f"{line}\r\n" for line in more).encode() + b"\r\n"
    held = []
    for _ in range(3):
        before = dropped_count(service)
        deaf = [send_request(service, request) for _ in range(100)]
        assert wait_until(
            lambda at=before: dropped_count(service) == at + 100, seconds=30, every=0.1
        )
        for connection in deaf:
            assert read_rest(connection).endswith(b"(reset)")
        held.append(process.memory_info().rss)
    assert held[-1] - held[0] < 8 * MB, [at // MB for at in held]
    said = lambda: [line for line in service.log_lines() if '"dropped"' in line]  # noqa: E731
    assert wait_until(said, seconds=30)
    assert json.loads(said()[-1])["reason"] == "The client didn't read the response in time."
    assert service.http.get("/items?limit=1").status_code == 200


@pytest.mark.slow
def test_slowly_read_response_is_complete(service):
    """A slowly read response is complete, although it takes several timeouts.
    Rule: slow-clients."""
    connection = send_request(service, service.page)
    began, received = time.monotonic(), b""
    while b"\r\n\r\n" not in received or len(received) < 250_000:
        received += connection.recv(4096)
        time.sleep(0.06)
    assert time.monotonic() - began > 2 * SECONDS
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head)[1])
    while len(body) < length:
        body += connection.recv(65536)
    assert len(json.loads(body)["data"]) == 250
    connection.close()


def test_response_read_a_byte_now_and_then_is_dropped(service):
    """Reading a byte now and then doesn't prevent the drop. Rule: slow-clients."""
    before, began = dropped_count(service), time.monotonic()
    connection = send_request(service, service.page)
    while dropped_count(service) == before and time.monotonic() - began < 60:
        assert connection.recv(1)
        time.sleep(0.1)
    assert dropped_count(service) == before + 1
    assert read_rest(connection).endswith(b"(reset)")


def test_pipelined_requests_wait_until_the_response_is_read(service):
    """Pipelined requests wait until the response before them is read, and aren't carried out if it
    never is.
    Rule: slow-clients."""
    token = service.http.headers["Authorization"].removeprefix("Bearer ")
    gone = request_head("DELETE", "/items?itemIds={}", token).decode()
    ids = [item["id"] for item in service.http.get("/items?limit=2").json()["data"]]
    before = dropped_count(service)
    reading = send_request(service, service.page + gone.format(ids[0]).encode())
    deaf = send_request(service, service.page + gone.format(ids[1]).encode())
    time.sleep(0.2)
    one = request_head("GET", f"/items/{ids[0]}", token, "Connection: close")
    reading.sendall(one)
    answers = [int(status) for status in re.findall(rb"HTTP/1.1 (\d+) ", read_rest(reading))]
    assert answers == [200, 204, 404]
    assert wait_until(lambda: dropped_count(service) == before + 1, seconds=30, every=0.1)
    assert read_rest(deaf).endswith(b"(reset)")
    assert service.http.get(f"/items/{ids[1]}").status_code == 200
    assert httpx2.get(f"{service.url}{PREFIX}/items").status_code == 401


@pytest.mark.slow
def test_thousands_of_pipelined_requests_are_handled_one_by_one(service):
    """Thousands of pipelined requests are handled one by one; others are served meanwhile, and
    memory stays flat.
    Rule: request-smuggling."""
    process = psutil.Process(service.process.pid)
    before, count = process.memory_info().rss, 15_000
    one = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
    answered = 0
    with socket.create_connection((HERE, int(service.url.rpartition(":")[2])), 10) as connection:
        sender = threading.Thread(target=connection.sendall, args=(one * count,))
        sender.start()
        tail = b""
        while answered < count:
            tail += connection.recv(2**20)
            found = tail.split(b"HTTP/1.1 200 OK")
            answered += len(found) - 1
            tail = found[-1]
            if answered % 7 == 0:
                assert httpx2.get(f"{service.url}{PREFIX}/items").status_code in (401, 429)
        sender.join()
    assert process.memory_info().rss - before < 40 * MB
