"""Receivers of webhooks and servers of key sets that answer without end stop nobody else."""

from __future__ import annotations

import contextlib
import itertools
import json
import resource
import subprocess
import sys
import threading
import time

import httpx2
import jwt
import psutil
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.api.conftest import data, save
from tests.conftest import SEALING_KEY, Shop
from tests.servers import HERE, wait_until
from tests.servers.hostile import WAYS

SHOPS = 50
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


def made(service, port):
    """Stores whose key sets and webhooks are at that server, with something to tell each."""
    ways = itertools.cycle(WAYS)
    urls = [f"http://{HERE}:{port}/{next(ways)}?{number}" for number in range(SHOPS)]
    stores = [
        {
            "handle": f"bad-{number}",
            "hosts": [f"http://bad-{number}.test"],
            "events": True,
            "naming": {
                "jwtHeader": "X-Shop-Token",
                "jwtKeySet": f"http://{HERE}:{port}/{next(ways)}?{number}",
            },
        }
        for number, url in enumerate(urls)
    ]
    (service.folder / "stores.yaml").write_text(json.dumps({"stores": stores}))
    service.quick("store", "apply", "stores.yaml", "--yes")
    admins = [service.client(service.create_token(store["handle"])) for store in stores]
    time.sleep(5)  # until each process knows that they tell events
    for url, admin in zip(urls, admins, strict=True):
        data(admin.post("/webhooks", json={"url": url}), 201)
        gid = {"customer": "gid://shopify/Customer/1"}
        token = data(admin.post("/profiles/token", json=gid), 201)["token"]
        with service.client(token) as customer:
            for product in (1, 2, 3):
                save(customer, product)
    return admins


class Strangers:
    """Ask each shop again and again, each with a token that only a key set could say something of."""

    def __init__(self, service):
        key = rsa.generate_private_key(65_537, 2_048)
        claims = {"sub": "9", "exp": int(time.time()) + 600}
        self.headers = {"X-Shop-Token": jwt.encode(claims, key, "RS256", {"kid": "r"})}
        self.url, self.ends = f"{service.url}/apps/wishlist/api/items", threading.Event()
        self.statuses: set[int] = set()
        self.threads = [threading.Thread(target=self.ask, args=(n,)) for n in range(SHOPS)]

    def ask(self, number):
        headers = self.headers | {"Host": f"bad-{number}.test"}
        with httpx2.Client(headers=headers, timeout=30, trust_env=False, verify=False) as http:
            while not self.ends.wait(0.2):
                self.statuses.add(http.get(self.url).status_code)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def memory(service):
    """Of all its processes."""
    parent = psutil.Process(service.process.pid)
    return sum(one.memory_info().rss for one in (parent, *parent.children(recursive=True)))


def attempts(admin):
    """Whether each delivery of a store's webhook was tried."""
    [hook] = data(admin.get("/webhooks"))
    return [one["attempts"] > 0 for one in data(admin.get(f"/webhooks/{hook['id']}/deliveries"))]


@pytest.mark.either_engine
@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_servers_that_answer_without_end_stop_nobody(new_service, workers):
    """contract: outbound-bounds. While 50 of each are called, other stores' reads are answered, and
    memory stays; every attempt ends."""
    service = new_service(**OPEN, WISHWELL_WORKERS=workers).start()
    quiet = Shop(service)
    reader = quiet.customer().http
    with hostile() as port:
        before = memory(service)
        admins = made(service, port)
        reader.get("/items")
        took = []
        with Strangers(service) as strangers:
            until = time.monotonic() + 8
            while time.monotonic() < until:
                begun = time.monotonic()
                assert reader.get("/items").status_code == 200
                took.append(time.monotonic() - begun)
                time.sleep(0.02)
            grown = memory(service) - before
        took.sort()
        print(
            f"{workers} workers: {len(took)} reads, median {took[len(took) // 2] * 1000:.1f} ms,"
            f" 99 % {took[len(took) * 99 // 100] * 1000:.0f} ms, longest {took[-1] * 1000:.0f} ms;"
            f" {grown / MB:.0f} MB more, statuses {strangers.statuses}"
        )
        assert took[-1] < 2
        assert grown < 100 * MB * int(workers)
        assert strangers.statuses == {503}

        def untried():
            return [n for n, admin in enumerate(admins) if attempts(admin) != [True] * 3]

        # A busy database makes a webhook wait for half a minute.
        ended = wait_until(lambda: not untried(), seconds=120)
        left = {number: attempts(admins[number]) for number in untried()}
        assert ended, (left, [line for line in service.log_lines() if '"webhook' in line])
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
