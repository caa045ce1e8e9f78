"""An idle connection is closed after its timeout, and not before. The program is real; only its 30
seconds are reduced to three."""

from __future__ import annotations

import sys
import time

import pytest

from tests.api.conftest import connect
from tests.servers import PREFIX, Service

SECONDS = 3
PROGRAM = f"""#!{sys.executable}
from wishwell import cli
from wishwell.http.server import protocol
assert protocol._IDLE_SECONDS > {SECONDS}
protocol._IDLE_SECONDS = {SECONDS}
cli.main()
"""
LIVE, ITEMS = (
    f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode() for path in ("/livez", f"{PREFIX}/items")
)


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    """A service with an idle timeout of three seconds."""
    program = tmp_path_factory.mktemp("program") / "wishwell"
    program.write_text(PROGRAM)
    program.chmod(0o700)
    service = Service()
    service.command = program
    with service:
        yield service


@pytest.mark.slow
@pytest.mark.parametrize(("request_", "status"), [(LIVE, b"200"), (ITEMS, b"401")])
def test_idle_connection_is_closed_after_the_idle_timeout(impatient, request_, status):
    """The idle timeout counts from the last response, whatever its status. Rule: request-limits."""
    with connect(impatient) as connection:
        for _ in range(6):  # each request restarts the timeout
            time.sleep(0.25 * SECONDS)
            sent = time.monotonic()
            connection.sendall(request_)
            assert connection.recv(4096).split()[1] == status
        assert connection.recv(1) == b""
    # From the request, because on a busy machine the response may be read late.
    assert 0.9 * SECONDS < time.monotonic() - sent < SECONDS + 20
