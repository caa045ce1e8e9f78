"""Every input has a limit, and refusing larger input is cheap."""

from __future__ import annotations

import contextlib
import gzip

import psutil
import pytest

from tests.api.conftest import connect, data

pytestmark = pytest.mark.either_engine

MB = 2**20


def resident(service) -> int:
    """Returns the bytes of memory of the service and its child processes."""
    first = psutil.Process(service.process.pid)
    return sum(process.memory_info().rss for process in (first, *first.children(recursive=True)))


BOMBS = {
    "arrays in a field": b'{"productId":1,"tags":' + b"[" * 120_000 + b"]" * 120_000 + b"}",
    "many tags": b'{"productId":1,"tags":[' + b'"a",' * 60_000 + b'"a"]}',
    "many keys": b"{" + b",".join(b'"k%d":1' % n for n in range(20_000)) + b"}",
    "one key over and over": b"{" + b'"quantity":1,' * 19_000 + b'"productId":1}',
    "a fraction of 250,000 digits": b'{"productId":0.' + b"9" * 250_000 + b"}",
    "an exponent": b'{"productId":1e999999999}',
    "escapes": b'{"productId":1,"tags":["' + b"\\u0061" * 40_000 + b'"]}',
    "compressed": gzip.compress(b'{"productId":1}' + b" " * 20_000_000),
}


def test_bombs_are_refused_and_their_memory_is_freed(service, roomy_shop):
    """Large or nested bodies are refused, and memory doesn't grow after repeating them."""
    http = roomy_shop.customer("1").http
    json_type = {"Content-Type": "application/json"}
    data(http.get("/items"))
    for warm in (True, False):
        began = resident(service)
        for name, body in BOMBS.items():
            assert len(body) <= 256 * 1024, name
            headers = json_type | ({"Content-Encoding": "gzip"} if name == "compressed" else {})
            for _ in range(1 if warm else 5):
                assert http.post("/items", content=body, headers=headers).status_code in (
                    400,
                    415,
                ), name
    assert resident(service) - began < 20 * MB
    assert data(http.get("/items")) == []


def test_idle_connections_do_not_block_others(service, shop):
    """300 idle connections don't keep others from being served. Rule: slow-clients."""
    with contextlib.ExitStack() as idle:
        for _ in range(300):
            idle.enter_context(connect(service))
        data(shop.customer("1").http.get("/items"))
