"""`make demo` as a program: it starts, ends with all that it has started, and says what is wrong."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys

import pytest

from tests.servers import HERE

from .conftest import ROOT, Demo


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_demo_ends_with_its_service_and_keeps_nothing(number):
    """Ctrl-C or SIGTERM: exit code 0, no process and no file stays."""
    with Demo({}) as demo:
        service = demo.service
        assert list(demo.folder.glob("wishwell-demo-*/wishwell.db"))
        assert demo._end(number, 20) == 0
        assert not service.is_running()
        assert not list(demo.folder.glob("wishwell-demo-*"))
        said = demo.output()
    assert f"The shop is open: {demo.url}" in said
    assert "Traceback" not in said


def test_busy_port_is_named():
    """One line, before anything is started."""
    with socket.create_server((HERE, 0)) as busy:
        argv = [sys.executable, "-m", "demo", "--port", str(busy.getsockname()[1])]
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.returncode == 1
    assert "Change --host and --port" in done.stderr
    assert done.stderr.count("\n") == 1
