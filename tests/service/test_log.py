"""If the log can't be written, lines are lost but the service keeps working."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import signal
import socket
import threading
from collections.abc import Callable

import pytest

from tests.conftest import SIGNING_KEY
from tests.servers import HERE, Service, wait_until

from .test_metrics import value

pytestmark = pytest.mark.either_engine

LIVE = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
MANY = 20_000
"""More lines than the 1 MiB queue and the 1 MiB being written can hold."""


@pytest.fixture
def service():
    """A service on the embedded database; the test starts it with its own log."""
    with contextlib.closing(
        Service({"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_LIMIT_ADDRESS": "1000000"})
    ) as made:
        yield made


def send_requests(service: Service, count: int) -> None:
    """Sends ``count`` requests on one connection; each must get 200."""
    port = int(service.settings["WISHWELL_PORT"])
    with socket.create_connection((HERE, port), 30) as connection:
        for _ in range(count // 100):
            connection.sendall(LIVE * 100)
            got = b""
            while got.count(b"\r\n\r\n") < 100 or not got.endswith(b'"ok"}'):
                more = connection.recv(65536)
                assert more, got[-500:]
                got += more
            assert got.count(b"HTTP/1.1 200 OK\r\n") == 100


def lost_line_count(service: Service) -> float:
    """Returns how many log lines all workers have lost."""
    return value(service, "wishwell_log_lines_lost_total")


def stop_service(service: Service) -> None:
    """Stops the service; asserts exit code 0."""
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(60) == 0


def stuck(*, blocking: bool = True) -> tuple[int, int]:
    """Returns both ends of a pipe that nobody reads: writer, reader."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, blocking)
    return writer, reader


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "workers"), [("gone", 1), ("stuck", 1), ("stuck", 2), ("full", 1)]
)
def test_blocked_log_does_not_stop_the_service(service, what, workers):
    """A closed or stuck reader, or a full disk, doesn't stop the service.
    Rule: log-private."""
    service.settings["WISHWELL_WORKERS"] = str(workers)
    log, reader = stuck()
    if what == "gone":
        os.close(reader)
    elif what == "full":
        log = os.open("/dev/full", os.O_WRONLY)
    service.start_into(log, "--welcome")
    os.close(log)
    send_requests(service, MANY if what == "stuck" else 200)
    assert wait_until(lambda: lost_line_count(service) > 0, seconds=30, every=0.1)
    stop_service(service)


class Reader(threading.Thread):
    """Reads everything from a pipe once it is started."""

    def __init__(self, pipe: int) -> None:
        super().__init__(daemon=True)
        self.pipe, self.text = pipe, b""

    def run(self) -> None:
        while piece := os.read(self.pipe, 65536):
            self.text += piece


def complete_lines(log: bytes) -> bytes:
    """Returns the log without an incomplete last line."""
    return log[: log.rfind(b"\n") + 1]


def requests_of(log: bytes) -> list[dict]:
    events = [json.loads(line) for line in log.splitlines()]
    return [event for event in events if event.get("route") == "/livez"]


def all_there(service: Service, log: Callable[[], bytes], count: int) -> None:
    """Asserts that the logged and the lost lines add up to the requests sent."""
    # A tolerance of 100, because the number of start-up probes and metrics requests isn't known,
    # and the metric is up to a second old.
    there = lambda: len(requests_of(log())) + lost_line_count(service)  # noqa: E731
    assert wait_until(lambda: count <= there() < count + 100, seconds=30, every=0.1), there()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "blocking"),
    [
        (1, False),
        (1, True),
        (2, False),
        (2, True),
    ],
)
def test_log_continues_with_whole_lines_when_it_is_read_again(service, workers, blocking):
    """When the log is read again, it continues with whole lines, and all missing ones are counted.
    Rule: log-private."""
    service.settings["WISHWELL_WORKERS"] = str(workers)
    log, pipe = stuck(blocking=blocking)
    service.start_into(log)
    send_requests(service, MANY)
    assert wait_until(lambda: lost_line_count(service) > 0, seconds=30, every=0.1)
    reader = Reader(pipe)
    reader.start()
    assert wait_until(lambda: requests_of(complete_lines(reader.text)), seconds=30)
    send_requests(service, 100)
    all_there(service, lambda: complete_lines(reader.text), MANY + 100)
    stop_service(service)
    os.close(log)
    reader.join(5)
    os.close(pipe)
    assert reader.text == complete_lines(reader.text)


def test_log_continues_on_a_new_line_when_the_disk_has_space_again(service):
    """When the disk has room again, the log continues on a new line, even after a partial one.
    Rule: log-private."""
    path = service.folder / "log"
    size = 32 * 2**20  # the database stays below this limit
    with path.open("ab") as log:
        os.ftruncate(log.fileno(), size)
        service.start_into(log.fileno())
        send_requests(service, 100)
        assert wait_until(lambda: path.stat().st_size > size + 10_000, seconds=30)
        bound = path.stat().st_size + 1_000
        _, most = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (bound, most))
        send_requests(service, 200)
        assert wait_until(lambda: lost_line_count(service) > 0, seconds=30, every=0.1)
        assert path.stat().st_size == bound
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (most, most))
        send_requests(service, 100)
        assert wait_until(lambda: path.stat().st_size > bound, seconds=30)

        def log() -> bytes:
            before, after = path.read_bytes()[size:bound], complete_lines(path.read_bytes()[bound:])
            torn = before[before.rindex(b"\n") + 1 :]
            assert torn
            assert after.startswith(b"\n")
            return before[: -len(torn)] + after[1:]

        all_there(service, log, 400)
        stop_service(service)


def test_log_is_written_to_its_end_at_a_stop(service):
    """At a stop all queued lines are written, including the last."""
    log, pipe = stuck()
    reader = Reader(pipe)
    reader.start()
    service.start_into(log)
    send_requests(service, 1_000)
    stop_service(service)
    os.close(log)
    reader.join(5)
    assert len(requests_of(reader.text)) >= 1_000
    os.close(pipe)
