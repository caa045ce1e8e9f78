"""Workers that are killed, hang or don't start, and signals while others are handled."""

import os
import signal
import subprocess
import threading
import time
from contextlib import contextmanager
from itertools import pairwise

import httpx2
import psutil
import pytest

from tests.api.conftest import soon
from tests.servers import ServerFailed, Service, answers, connects, wait_until

from .test_metrics import workers
from .test_workers import statuses

pytestmark = pytest.mark.either_engine

# Runs in each process before the program. Workers append their start to a file, and end or sleep if
# the file `fault` says so.
AT_START = """
import os, sys, time
folder = os.path.dirname(__file__)
if any("spawn_main" in word for word in sys.orig_argv):
    with open(folder + "/starts", "a") as file:
        file.write(f"{time.monotonic()}\\n")
    with open(folder + "/fault") as file:
        exec(file.read())
"""


@pytest.fixture
def faulty(new_service):
    """Two workers, not started, and a function that sets the code that new workers run first."""
    service = new_service(WISHWELL_WORKERS="2", WISHWELL_LIMIT_ADDRESS="100000")
    (service.folder / "sitecustomize.py").write_text(AT_START)
    service.settings["PYTHONPATH"] = str(service.folder)
    inject = (service.folder / "fault").write_text
    inject("")
    return service, inject


def starts(service: Service) -> list[float]:
    """Returns the times at which workers started."""
    return [float(line) for line in (service.folder / "starts").read_text().split()]


@contextmanager
def load(service: Service):
    """Sends requests on new connections, one at a time; yields the statuses, 0 for a cut one."""
    seen, stopped = [], threading.Event()

    def send() -> None:
        while not stopped.wait(0.01):
            try:
                seen.append(httpx2.get(f"{service.url}/livez", timeout=30).status_code)
            except httpx2.TransportError:
                seen.append(0)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield seen
    finally:
        stopped.set()
        thread.join()


@pytest.mark.slow
def test_killed_worker_costs_at_most_its_own_requests_and_is_replaced(faulty):
    """While a worker is killed and replaced, the other serves all new connections.
    Rule: serve-workers."""
    service, _ = faulty
    with service.start(), load(service) as seen:
        [killed, _] = workers(service)
        killed.kill()
        soon(lambda: len({*workers(service)} - {killed}) == 2, within=60)
        answered = len(seen)
        soon(lambda: len(seen) > answered + 10, within=60)
    assert seen.count(0) <= 1
    assert {*seen} <= {0, 200}


def test_service_does_not_start_if_a_worker_crashes_at_its_start(faulty):
    """If a worker can't start, `serve` logs it, ends the others and exits with 1.
    Rule: serve-workers."""
    service, inject = faulty
    inject("os._exit(7)")
    with pytest.raises(ServerFailed, match="exit code 1") as failed:
        service.start()
    assert '"exit":7' in str(failed.value)
    assert "A worker ended before it served." in str(failed.value)


@pytest.mark.slow
def test_worker_that_crashes_repeatedly_is_replaced_with_backoff(faulty):
    """The other worker keeps serving, and replacements start ever less often until one stays.
    Rule: serve-workers."""
    service, inject = faulty
    with service.start():
        inject("os._exit(7)")
        [killed, kept] = workers(service)
        killed.kill()
        soon(lambda: len(starts(service)) >= 6, within=120)
        times = starts(service)[2:6]
        delays = [later - earlier for earlier, later in pairwise(times)]
        # On a busy machine a start takes longer, too, so a delay has no upper limit.
        assert all(delay >= least for delay, least in zip(delays, (1, 2, 4), strict=True)), delays
        assert statuses(service, path="/../../livez") == {200}
        inject("")
        assert wait_until(lambda: len({*workers(service)} - {killed, kept}) == 1, seconds=60)
        assert service.stop() == 0


@pytest.mark.slow
def test_hangup_keeps_the_old_workers_when_new_ones_crash(faulty):
    """SIGHUP replaces no worker if a new one ends at its start. Rule: serve-workers."""
    service, inject = faulty
    with service.start():
        before = {*workers(service)}
        inject("os._exit(7)")
        service.process.send_signal(signal.SIGHUP)
        assert wait_until(lambda: '"workers_not_replaced"' in service.output(), seconds=60)
        assert {*workers(service)} == before
        assert service.stop() == 0


@pytest.mark.slow
def test_hangups_during_a_hangup_replace_the_workers_once_more(faulty):
    """SIGHUPs that arrive while workers are replaced lead to one more replacement, while
    requests are served. Rule: serve-workers."""
    service, inject = faulty
    with service.start(), load(service) as seen:
        # New workers wait until all signals were sent.
        inject("while not os.path.exists(folder + '/sent'): time.sleep(0.01)")
        service.process.send_signal(signal.SIGHUP)
        soon(lambda: len(starts(service)) > 2, within=60)
        for _ in range(5):
            service.process.send_signal(signal.SIGHUP)
        (service.folder / "sent").touch()
        done = lambda: service.output().count('"workers_replaced"') == 2  # noqa: E731
        assert wait_until(done, seconds=150, every=0.1)
        time.sleep(0.5)  # a third replacement would have begun
        assert len(workers(service)) == 2
        assert len(starts(service)) == 6
    # Each of the four stopped workers may close a connection whose request hasn't arrived yet.
    assert seen.count(0) <= 4
    assert {*seen} <= {0, 200}


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 1.0])
def test_stop_during_a_start_ends_all_processes(faulty, after):
    """SIGTERM while workers start ends them and the parent, with exit code 0. Rule: serve-workers."""
    service, inject = faulty
    service.cli("init")
    inject("time.sleep(60)")
    process = subprocess.Popen(
        [service.command, "serve"], cwd=service.folder, env=service.environment
    )
    try:
        assert wait_until((service.folder / "starts").exists, seconds=60)
        time.sleep(after)
        family = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        assert process.wait(60) == 0
        assert not psutil.wait_procs(family, timeout=60)[1]
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_stop_during_a_replacement_ends_old_and_new_workers(faulty):
    """While new workers start after SIGHUP, the old ones serve new connections; SIGTERM then ends
    all. Rule: serve-workers."""
    service, inject = faulty
    with service.start():
        # New workers have the socket, but don't serve yet.
        inject("import uvicorn; uvicorn.Server.run = lambda *_: time.sleep(60)")
        service.process.send_signal(signal.SIGHUP)
        soon(lambda: len(starts(service)) == 4, within=60)
        family = psutil.Process(service.process.pid).children(recursive=True)
        for _ in range(40):
            assert httpx2.get(f"{service.url}/livez").status_code == 200
        began = time.monotonic()
        assert service.stop() == 0
        # New workers aren't waited for: they would be killed after 28 s.
        assert time.monotonic() - began < 25
        assert not psutil.wait_procs(family, timeout=60)[1]


@pytest.mark.slow
def test_killed_parent_leaves_no_worker_on_the_port(faulty):
    """Workers that serve and workers that still start end when the parent is killed.
    Rule: serve-workers."""
    service, inject = faulty
    with service.start():
        inject("time.sleep(3)")
        workers(service)[0].kill()
        soon(lambda: len(starts(service)) == 3, within=60)
        family = psutil.Process(service.process.pid).children(recursive=True)
        os.kill(service.process.pid, signal.SIGKILL)
        service.process.wait()
        port = int(service.url.rpartition(":")[2])
        assert wait_until(lambda: not connects(port), seconds=60, every=0.1)
        assert not psutil.wait_procs(family, timeout=60)[1]


@pytest.mark.slow
def test_worker_that_hangs_is_killed_and_replaced(faulty):
    """A worker that sends no heartbeats is replaced within 30 s; one in a service that was paused as
    a whole isn't. Rule: serve-workers."""
    service, _ = faulty
    with service.start():
        before = {*workers(service)}
        service.pause()
        time.sleep(20)
        service.resume()
        time.sleep(3)
        assert {*workers(service)} == before
        assert answers(f"{service.url}/livez")
        [hung, kept] = before
        hung.suspend()
        assert wait_until(lambda: not hung.is_running(), seconds=30, every=0.1)
        assert wait_until(lambda: len({*workers(service)} - {kept}) == 1, seconds=60, every=0.1)
        assert '"exit":-9' in service.output()
        assert service.stop() == 0
