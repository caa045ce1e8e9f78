"""A connection that nobody uses is closed after its time, and none before it.

The program is the real one; only its 30 seconds are two here.
"""

from __future__ import annotations

import contextlib
import http.client
import sys
import time
from pathlib import Path

import pytest

from tests.servers import HERE, PREFIX, Service

SECONDS = 2
PROGRAM = f"""#!{sys.executable}
from wishwell import cli
from wishwell.run import serve
assert serve._KEEP_ALIVE_SECONDS > {SECONDS}
serve._KEEP_ALIVE_SECONDS = {SECONDS}
cli.main()
"""
LIVE, ITEMS = "/livez", PREFIX + "/items"


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    """A service on which idle connections have two seconds."""
    program: Path = tmp_path_factory.mktemp("program") / "wishwell"
    program.write_text(PROGRAM)
    program.chmod(0o700)
    service = Service()
    service.command = program
    with service:
        yield service


@contextlib.contextmanager
def connected(service: Service):
    port = int(service.url.rpartition(":")[2])
    with contextlib.closing(http.client.HTTPConnection(HERE, port, timeout=10)) as made:
        yield made


def ask(connection: http.client.HTTPConnection, path: str) -> int:
    connection.request("GET", path)
    with connection.getresponse() as answer:
        answer.read()
        return answer.status


@pytest.mark.parametrize(("path", "status"), [(LIVE, 200), (ITEMS, 401)])
def test_idle_connection_is_closed_after_its_time(impatient, path, status):
    """contract: http-bounds. Counted from its last answer, whatever that was."""
    with connected(impatient) as connection:
        assert ask(connection, path) == status
        began = time.monotonic()
        assert connection.sock.recv(1) == b""
    assert 0.9 * SECONDS < time.monotonic() - began < SECONDS + 5


def test_connection_in_use_stays_open(impatient):
    """Each request begins the time anew."""
    with connected(impatient) as connection:
        assert ask(connection, LIVE) == 200
        first = connection.sock
        for _ in range(6):
            time.sleep(0.25 * SECONDS)
            assert ask(connection, LIVE) == 200
            assert connection.sock is first
