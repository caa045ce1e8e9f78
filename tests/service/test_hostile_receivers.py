"""Servers of key sets that answer without end stop nobody else."""

from __future__ import annotations

import contextlib
import itertools
import json
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import jwt
import psutil
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.conftest import SEALING_KEY, Shop
from tests.servers import HERE, wait_until
from tests.servers.hostile import WAYS

MB = 2**20
OPEN = {f"WISHWELL_WEBHOOK_{name}": "true" for name in ("HTTP", "PRIVATE")}
OPEN |= {f"WISHWELL_LIMIT_{name}": "1000000" for name in ("ADDRESS", "PROFILE_READ")}
OPEN |= {"WISHWELL_SEALING_KEYS": SEALING_KEY}


@contextlib.contextmanager
def hostile():
    """The port of a server that answers without end."""
    command = [sys.executable, "-m", "tests.servers.hostile"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        yield int(server.stdout.readline())
        server.stdin.close()


def made(service, port, shops):
    """Stores whose key sets are at that server, and what asks each for a customer that only its key set
    could say something of."""
    key = rsa.generate_private_key(65_537, 2_048)
    claims = {"sub": "9", "exp": int(time.time()) + 600}
    token = jwt.encode(claims, key, "RS256", {"kid": "r"})
    stores = [
        {
            "handle": f"bad-{number}",
            "hosts": [f"http://bad-{number}.test"],
            "naming": {
                "jwtHeader": "X-Shop-Token",
                "jwtKeySet": f"http://{HERE}:{port}/{way}?{number}",
            },
        }
        for number, way in zip(range(shops), itertools.cycle(WAYS), strict=False)
    ]
    (service.folder / "stores.yaml").write_text(json.dumps({"stores": stores}))
    service.quick("store", "apply", "stores.yaml", "--yes")
    return [{"X-Shop-Token": token, "Host": f"{store['handle']}.test"} for store in stores]


def memory(service):
    """Of all its processes."""
    parent = psutil.Process(service.process.pid)
    return sum(one.memory_info().rss for one in (parent, *parent.children(recursive=True)))


@pytest.mark.either_engine
@pytest.mark.parametrize(
    ("workers", "shops"), [(1, 18), pytest.param(2, 50, marks=pytest.mark.slow)]
)
def test_servers_that_answer_without_end_stop_nobody(new_service, workers, shops):
    """contract: outbound-bounds. Reads are answered, and memory stays."""
    service = new_service(**OPEN, WISHWELL_WORKERS=str(workers)).start()
    http, url = Shop(service).customer().http, f"{service.url}/apps/wishlist/api/items"
    with hostile() as port, ThreadPoolExecutor(shops) as pool:
        strangers = made(service, port, shops)
        known = lambda: httpx2.get(url, headers={"Host": strangers[-1]["Host"]}).status_code == 200  # noqa: E731
        # By each worker.
        assert wait_until(lambda: all(known() for _ in range(20 * workers)), seconds=10, every=0.2)
        before = memory(service)
        asked = [pool.submit(httpx2.get, url, headers=one, timeout=30) for one in strangers]
        while not all(one.done() for one in asked):
            answer = http.get("/items")
            assert answer.status_code == 200
            # As the rule says: meanwhile, and not when the calls have ended.
            assert answer.elapsed.total_seconds() < 2
        assert {one.result().status_code for one in asked} == {503}
        assert memory(service) - before < 100 * MB * workers
    service.close()


@pytest.mark.either_engine
def test_program_may_open_many_files(new_service):
    """contract: slow-clients. As many as the system lets it, also where it begins with few."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, files[1]))
    try:
        service = new_service().start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, files)
    found = resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE)
    assert found == (min(65_536, files[1]), files[1])
    service.close()
