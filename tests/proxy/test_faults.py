"""docs/proxy.md, What passes: the API away or slow; and the end of the program."""

import fcntl
import os

import httpx2
import pytest

from tests.conftest import Shop

from .conftest import BASE, ROOMY, Fixed, Front, envelope, made_cookie, new_api, nothing_forwarded

SESSION = "gid://wishwell/Session/400705fd-f08e-4532-85ca-9a17350587b9"


@pytest.fixture
def own(start_proxy):
    """A proxy and an API that a test may stop."""
    with new_api() as api:
        shop = Shop(api, *ROOMY)
        yield Front(start_proxy(api, shop.admin_token, TIMEOUT="0.7"), shop, api)


def test_api_away_is_503_and_comes_back(own):
    """What passes: 503 with Retry-After while the API is away; the cookie stays; then it goes on."""
    visitor, cookie = own.anyone(1), None
    cookie = visitor.cookie
    own.api.stop()
    for answer in (
        visitor.get("/items"),
        visitor.post("/items", json={"productId": 2}),
        own.browser(made_cookie(SESSION)).get("/items"),
        own.browser().post("/items", json={"productId": 2}),
    ):
        envelope(answer, 503)
        assert answer.headers["Retry-After"] == "1"
        assert "Set-Cookie" not in answer.headers
    assert own.browser().get("/items").json() == {"data": []}
    own.api.restart()
    assert visitor.cookie == cookie
    assert visitor.products() == [1]
    assert visitor.post("/items", json={"productId": 2}).status_code == 201


def test_api_slow_is_504(own):
    """What passes: 504 when the API does not answer in time, with a token and without."""
    visitor = own.anyone(1)
    own.api.pause()
    try:
        envelope(visitor.get("/items"), 504)
        envelope(visitor.post("/items", json={"productId": 2}), 504)
        envelope(own.browser(made_cookie(SESSION)).get("/items"), 504)
    finally:
        own.api.resume()
    assert 1 in visitor.products()


def test_restart_of_the_api_is_not_seen(own):
    """The connection: one that was kept and is closed is replaced, reads and writes alike."""
    visitor = own.anyone(1)
    own.api.restart()
    assert visitor.post("/items", json={"productId": 2}).status_code == 201
    own.api.restart()
    assert visitor.products() == [1, 2]


BROKEN = {
    "nothing": b"",
    "no HTTP": b"hello\r\n\r\n",
    "half a head": b"HTTP/1.1 201 Created\r\nContent-",
    "half a body": b'HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"data"',
    "half a chunk": b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nab",
}


def test_broken_answer_is_504_and_not_sent_twice(start_proxy, api):
    """What passes: an answer that breaks off is none; what may have been done is not repeated."""
    broken = Fixed(b"")
    try:
        proxy = start_proxy(api, "wwadm_" + "x" * 49, API=broken.url, TIMEOUT="2")
        got = {}
        for name, bytes_ in BROKEN.items():
            broken.answer, broken.asked = bytes_, 0
            answer = httpx2.post(
                f"{proxy.url}{BASE}/api/items",
                json={"productId": 1},
                headers={"Sec-Fetch-Site": "same-origin"},
                timeout=10,
            )
            envelope(answer, 504)
            got[name] = broken.asked
        assert got == dict.fromkeys(BROKEN, 1)
    finally:
        broken.close()


def test_redirect_of_the_api_is_not_passed_on(start_proxy, api):
    """What passes: where an API redirects, its address is wrong; no browser is to follow."""
    moved = (
        b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n"
    )
    broken = Fixed(moved)
    try:
        proxy = start_proxy(api, "wwadm_" + "x" * 49, API=broken.url, TIMEOUT="2")
        answer = httpx2.post(
            f"{proxy.url}{BASE}/api/items",
            json={"productId": 1},
            headers={"Sec-Fetch-Site": "same-origin"},
            timeout=10,
        )
        envelope(answer, 502)
        assert "Location" not in answer.headers
    finally:
        broken.close()


def test_sigterm_ends_it_with_0(new_front):
    """Settings: SIGTERM ends the program cleanly, also with a connection that is kept."""
    front = new_front()
    visitor = front.anyone(1)
    with nothing_forwarded(front.api):
        assert front.proxy.stop() == 0
    with pytest.raises(httpx2.ConnectError):
        visitor.get("/items")


def test_log_that_nobody_reads_stops_nothing(api, start_proxy):
    """The program: its log's reader has ended; it serves, and ends as asked."""
    shop = Shop(api, *ROOMY)
    proxy = start_proxy(api, shop.admin_token, started=False)
    reader, writer = os.pipe()
    os.close(reader)
    try:
        proxy.start(stdout=writer, stderr=writer)
    finally:
        os.close(writer)
    visitor = Front(proxy, shop, api).anyone(1)
    for _ in range(50):
        assert visitor.products() == [1]
    assert proxy.stop() == 0


def test_log_that_is_stuck_stops_nothing(api, start_proxy, implementation):
    """The program: its log's reader does not read; more lines come than the pipe and memory take."""
    if implementation == "node":
        pytest.skip("it writes where it serves; the issue on the door for shoppers removes it")
    shop = Shop(api, *ROOMY)
    proxy = start_proxy(api, shop.admin_token, started=False)
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    proxy.start(stdout=writer, stderr=writer)
    visitor = Front(proxy, shop, api).anyone(1)
    for _ in range(50):
        assert visitor.products() == [1]
    assert proxy.stop() == 0
    os.close(writer)
    os.close(reader)
