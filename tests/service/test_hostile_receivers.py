"""Servers of key sets that answer without end stop nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import resource
import subprocess
import sys
import time

import httpx2
import jwt
import psutil
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.conftest import SEALING_KEY, Shop
from tests.servers import HERE, PREFIX
from tests.servers.hostile import WAYS

MB = 2**20
OPEN = {
    "WISHWELL_WEBHOOK_HTTP": "true",
    "WISHWELL_WEBHOOK_PRIVATE": "true",
    "WISHWELL_SEALING_KEYS": SEALING_KEY,
    "WISHWELL_LIMIT_ADDRESS": "1000000",
    "WISHWELL_LIMIT_PROFILE_READ": "1000000",
}


@contextlib.contextmanager
def hostile():
    """The port of a server that answers without end."""
    command = [sys.executable, "-m", "tests.servers.hostile"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        yield int(server.stdout.readline())
        server.stdin.close()


def made(service, port, shops):
    """Stores whose key sets are at that server."""
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


async def shopping(service, token, shops):
    """Somebody reads again and again, while each shop is asked with a token that only its key set could
    say something of: how long each read took, and what the strangers were answered."""
    key = rsa.generate_private_key(65_537, 2_048)
    claims = {"sub": "9", "exp": int(time.time()) + 600}
    strange = {"X-Shop-Token": jwt.encode(claims, key, "RS256", {"kid": "r"})}
    mine = {"Authorization": f"Bearer {token}"}
    took, statuses = [], set()
    limits = httpx2.Limits(max_connections=2 * shops)
    async with httpx2.AsyncClient(base_url=service.url, limits=limits, timeout=30) as http:

        async def ask(number):
            headers = strange | {"Host": f"bad-{number}.test"}
            while True:
                answer = await http.get("/apps/wishlist/api/items", headers=headers)
                statuses.add(answer.status_code)
                await asyncio.sleep(0.2)

        strangers = [asyncio.create_task(ask(number)) for number in range(shops)]
        end = time.monotonic() + 8
        while time.monotonic() < end:
            began = time.monotonic()
            answer = await http.get(f"{PREFIX}/items", headers=mine)
            assert answer.status_code == 200
            took.append(time.monotonic() - began)
            await asyncio.sleep(0.02)
        assert not any(task.done() for task in strangers)
        for task in strangers:
            task.cancel()
    return took, statuses


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
    token = Shop(service).customer().token
    with hostile() as port:
        made(service, port, shops)
        before = memory(service)
        took, statuses = asyncio.run(shopping(service, token, shops))
        grown = memory(service) - before
        print(f"{len(took)} reads, the longest {max(took):.2f} s; {grown / MB:.0f} MB more")
        assert max(took) < 2
        assert grown < 100 * MB * workers
        assert statuses == {503}
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
