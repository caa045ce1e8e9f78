"""wishwell_client.forward on a real ASGI server, with a test server in place of the service."""

import asyncio
import contextlib
import json
import re
import socket
import threading
from typing import Any

import httpx2
import pytest
import uvicorn

from tests.servers import HERE, free_port, wait_until
from wishwell_client.forward import Forward

from .conftest import BASE, FORGED, ID, ITEMS, PASSED

LARGEST = 256 * 1024


@contextlib.contextmanager
def served(app, **more):
    """Serves the application; yields a browser that never stores cookies."""
    config: Any = {"host": HERE, "port": free_port(), "log_level": "critical", "lifespan": "off"}
    # Without this, uvicorn would trust forwarding headers of the local browser.
    config |= {"proxy_headers": False} | more
    server = uvicorn.Server(uvicorn.Config(app, **config))
    thread = threading.Thread(target=server.run)
    thread.start()
    assert wait_until(lambda: server.started, seconds=30)
    try:
        url = f"http://{HERE}:{config['port']}"
        with httpx2.Client(base_url=url, trust_env=False, timeout=10) as browser:
            yield browser
    finally:
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def shop(service):
    with served(Forward(service.url, "wwadm_1")) as browser:
        yield browser


def envelope(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["Cache-Control"] == "private, no-store"
    error = answer.json()["error"]
    assert list(error) == ["message", "error", "statusCode", "requestId", "code"]
    assert (error["statusCode"], error["requestId"]) == (status, answer.headers["X-Request-Id"])
    return error


def raw(browser, target, *lines):
    """Sends a request that no client library would send; returns the status."""
    url = browser.base_url
    text = "\r\n".join([f"GET {target} HTTP/1.1", "Host: a", "Connection: close", *lines, "", ""])
    with socket.create_connection((url.host, url.port), 5) as connection:
        connection.sendall(text.encode("latin-1"))
        return int(connection.makefile("rb").read().split()[1])


def test_only_allowed_request_headers_are_forwarded(service, shop):
    """Only allowed headers are forwarded; the proxy overwrites the ones that it sets."""
    more = {"User-Agent": "forged", "X-Real-Ip": "6.6.6.6", "X-Shop-Token": "forged"}
    query = "?query=product:1,2&page=a%2Fb+c&&x="
    shop.post(ITEMS + query, headers=PASSED | FORGED | more, content=b"{}")
    assert service.last[:2] == ("POST", ITEMS + query) and service.last.body == b"{}"
    host = f"{shop.base_url.host}:{shop.base_url.port}"
    own = {"Authorization": "Bearer wwadm_1", "X-Forwarded-For": HERE, "X-Forwarded-Host": host}
    own["X-Forwarded-Proto"] = "http"
    framing = {"Host": service.address, "Content-Length": "2"}
    expected = [(name.lower(), value) for name, value in (PASSED | own | framing).items()]
    assert sorted(service.last.headers) == sorted(expected)


def test_duplicate_headers_are_forwarded_as_duplicates(service, shop):
    """Duplicate cookie headers are joined; other duplicates are forwarded as they are."""
    assert raw(shop, ITEMS, "Cookie: a=1", "Cookie: b=2", "Origin: http://a", "Origin: b") == 200
    assert service.last.values("Cookie") == ["a=1; b=2"]
    assert service.last.values("Origin") == ["http://a", "b"]


def test_cookie_of_one_shopper_never_goes_with_another(service, shop):
    """Cookies of a response aren't stored or sent for another shopper."""
    service.answer = b"HTTP/1.1 204 No Content\r\nSet-Cookie: a=1; Path=/\r\n\r\n"
    assert shop.get(ITEMS).headers["Set-Cookie"] == "a=1; Path=/"
    shop.cookies.clear()
    shop.get(ITEMS)
    assert service.last.values("Cookie") == []


def test_options_set_forwarded_headers_origin_and_base(service):
    """Options set forwarded headers, the origin and the base; the service's URL may have a path."""
    more: Any = {"headers": ["X-Shop-Token"], "origin": "https://shop.example", "base": "/w"}
    with served(Forward(f"{service.url}/wishes/", "t", **more)) as shop:
        shop.get("/w/livez", headers={"X-Shop-Token": "jwt"})
    assert service.last.target == "/wishes/w/livez"
    assert service.last.values("X-Shop-Token") == ["jwt"]
    assert service.last.values("X-Forwarded-Host") == ["shop.example"]
    assert service.last.values("X-Forwarded-Proto") == ["https"]


GIVEN = {"number": 7, "text": "7", "gid": "gid://shopify/Customer/7", "nobody": None, "empty": ""}
SENT = {"number": "7", "text": "7", "gid": "gid://shopify/Customer/7", "nobody": "-", "empty": "-"}


@pytest.mark.parametrize("awaits", [False, True])
def test_id_that_the_function_returns_is_sent_as_the_customer(service, awaits):
    """The function's id is sent as the customer, and `-` if it returns none."""

    def customer(scope):
        return GIVEN[dict(scope["headers"])[b"x-user"].decode()]

    async def later(scope):
        await asyncio.sleep(0)
        return customer(scope)

    with served(Forward(service.url, "t", later if awaits else customer)) as shop:
        for name in GIVEN:
            shop.get(ITEMS, headers={"X-User": name, "Wishwell-Customer": "666"})
            assert service.seen.pop().values("Wishwell-Customer") == [SENT[name]]


@pytest.mark.parametrize("customer", ["a b", "é", "7\r\nProfile: 8", "-", True, 7.0, b"7", print])
def test_invalid_customer_id_raises_an_error_in_the_shop(service, customer):
    """An invalid customer raises an error that explains it to the shop, as `@wishwell/proxy` does."""
    scope = {"type": "http", "method": "GET", "path": ITEMS, "query_string": b"", "headers": []}
    app = Forward(service.url, "t", lambda _: customer)

    async def unused(*_: object) -> Any:
        pytest.fail("nothing is read or answered")

    with pytest.raises(
        TypeError, match=r"^wishwell_client\.forward: customer must be an id or a GID"
    ):
        asyncio.run(app(scope, unused, unused))
    assert service.seen == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"api": "127.0.0.1:8000"}, {"api": "http://a:b@c"}, {"api": "http://a?b"}, {"token": ""},
        {"token": "a b"}, {"base": "/"}, {"base": "/a/"}, {"origin": "shop.example"},
        {"origin": "https://shop.example/a"}, {"headers": ["Authorization"]},
        {"headers": ["X-Forwarded-Host"]}, {"headers": ["Wishwell-Customer"]}, {"timeout": 0},
    ],
    ids=str,
)  # fmt: skip
def test_bad_argument_is_refused_immediately(wrong):
    """Bad arguments are refused before any request."""
    given: Any = {"api": "http://127.0.0.1:8000", "token": "t"} | wrong
    with pytest.raises(ValueError, match=r"must be|must not contain"):
        Forward(**given)


def test_only_allowed_response_headers_are_returned(service, shop):
    """Only allowed response headers are returned, with all cookies, a single length, and the Date
    of the shop's own server."""
    passed = {
        "allow": "GET", "cache-control": "private, no-store", "content-type": "application/json",
        "etag": '"1"', "location": f"{ITEMS}/1", "retry-after": "3", "vary": "Cookie",
        "wishwell-shopper": "abc", "x-content-type-options": "nosniff", "x-ratelimit-limit": "9",
        "x-ratelimit-remaining": "8", "x-ratelimit-reset": "7", "x-request-id": ID,
    }  # fmt: skip
    kept = {"Server": "x", "Date": "x", "WWW-Authenticate": "x", "Access-Control-Allow-Origin": "*"}
    cookies = ["a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2; HttpOnly"]
    chunked = {"Transfer-Encoding": "chunked"}
    lines = [*(passed | kept | chunked).items(), *(("Set-Cookie", value) for value in cookies)]
    head = "".join(f"{name}: {value}\r\n" for name, value in lines)
    service.answer = f"HTTP/1.1 429 X\r\n{head}\r\n2\r\n[]\r\n0\r\n\r\n".encode()
    answer = shop.get(ITEMS)
    assert (answer.status_code, answer.text) == (429, "[]")
    assert answer.headers.get_list("Set-Cookie") == cookies
    assert answer.headers.pop("Date") != "x"
    assert answer.headers.pop("Server") == "uvicorn"
    del answer.headers["Set-Cookie"]
    assert dict(answer.headers) == passed | {"content-length": "2"}


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("DELETE", 204), ("GET", 304)])
def test_response_without_a_body_leaves_the_connection_usable(service, shop, method, status):
    """Responses without a body leave connections usable; redirects aren't followed."""
    service.answer = b"HTTP/1.1 302 X\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"
    answer = shop.get(f"{BASE}/assets/wishwell.js")
    assert (answer.status_code, answer.headers["Location"], len(service.seen)) == (302, "/b", 1)
    service.answer = f'HTTP/1.1 {status} X\r\nETag: "1"\r\n\r\n'.encode()
    for _ in range(2):
        answer = shop.request(method, ITEMS)
        assert (answer.status_code, answer.headers["ETag"]) == (status, '"1"')
        assert "Content-Length" not in answer.headers
        assert service.seen.pop().method == method


def test_path_outside_the_base_is_404(service, shop):
    """A path outside the base, or leading out of the base, is 404."""
    for path in ("/", BASE, f"{BASE}s/x", "/api/2025-04/items", f"/{BASE}/x"):
        envelope(shop.get(path), 404)
    for path in ("../x", "%2e%2E/x", "a/.", "..%2fx", "..\\x"):
        assert raw(shop, f"{BASE}/{path}") == 404
    head = shop.head("/")
    assert (head.status_code, head.content) == (404, b"")
    assert service.seen == []


def test_unforwardable_request_is_400(service):
    """A request that can't be forwarded, from a laxer server, is 400."""
    app = Forward(service.url, "t")

    async def lax(scope, receive, send):
        headers = [*scope["headers"], (b"cookie", b"a=\r\nProfile: 666")]
        await app(scope | {"headers": headers}, receive, send)

    with served(lax) as shop:
        envelope(shop.get(ITEMS), 400)
        assert service.seen == []


def test_body_of_more_than_256_kib_is_413(service, shop):
    """A body over 256 KiB is 413, with a declared length or without."""
    assert shop.post(ITEMS, content=b"x" * LARGEST).status_code == 200
    assert len(service.last.body) == LARGEST
    for content in (b"x" * (LARGEST + 1), iter([b"x" * LARGEST, b"x"])):
        assert envelope(shop.post(ITEMS, content=content), 413)["error"] == "Content Too Large"
    assert len(service.seen) == 1


def test_unreachable_service_is_503(service, shop):
    """If the service can't be reached or breaks off its response, the answer is 503."""
    with served(Forward(f"http://{HERE}:{free_port()}", "t")) as other:
        answer = other.get(ITEMS, headers={"X-Request-Id": ID})
    assert answer.headers["Retry-After"] == "1"
    assert envelope(answer, 503)["requestId"] == ID
    service.then = "hang up"
    for service.answer in (b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", b"gibberish\r\n"):
        envelope(shop.post(ITEMS), 503)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"])
def test_late_or_incomplete_response_is_504(service, answer):
    """A late or incomplete response is 504; the service's log has the same request id."""
    service.answer, service.then = answer, "wait"
    with served(Forward(service.url, "t", timeout=0.2)) as shop:
        told = set()
        for _ in range(50):  # on a busy machine it may time out before the service has the request
            error = envelope(shop.get(ITEMS, headers={"X-Request-Id": "none"}), 504)
            assert re.fullmatch("[0-9a-f-]{36}", error["requestId"])
            told.add(error["requestId"])
            if service.seen:
                break
        assert set(service.last.values("X-Request-Id")) <= told
        service.answer, service.then = b"HTTP/1.1 204 X\r\n\r\n", ""
        assert any(shop.get(ITEMS).status_code == 204 for _ in range(50))


def test_proxy_settings_in_the_environment_are_ignored(service, monkeypatch):
    """Proxy settings in the environment are ignored, so the token reaches only the service."""
    monkeypatch.setenv("HTTP_PROXY", f"http://{HERE}:{free_port()}")
    with served(Forward(service.url, "t")) as shop:
        assert shop.get(ITEMS).status_code == 200


@pytest.mark.parametrize("rest", [False, True], ids=["whole path", "rest of it"])
@pytest.mark.parametrize("raw", [False, True], ids=["no raw path", "raw path"])
def test_mounted_application_works_whether_path_has_the_mount_point_or_not(service, rest, raw):
    """A mounted application works whether `path` contains the mount point (Starlette 0.33) or not."""
    app = Forward(service.url, "t")

    async def mount(scope, receive, send):
        path = scope["path"].removeprefix(BASE) if rest else scope["path"]
        scope |= {"root_path": BASE, "path": path}
        await app({k: v for k, v in scope.items() if raw or k != "raw_path"}, receive, send)

    with served(mount) as shop:
        assert shop.get(f"{ITEMS}?a=1").status_code == 200
        assert service.last.target == f"{ITEMS}?a=1"


@pytest.mark.parametrize("lifespan", ["auto", "off"])
def test_connections_are_reused_and_can_be_closed(service, lifespan):
    """Connections are reused, with or without a lifespan, and a closed application can be used
    again."""
    app = Forward(service.url, "t")

    async def asked():
        transport = httpx2.ASGITransport(app)  # type: ignore[arg-type]
        async with httpx2.AsyncClient(transport=transport, base_url="http://shop") as browser:
            for _ in range(2):
                assert (await browser.get(ITEMS)).status_code == 200
                await app.aclose()
                await app.aclose()

    asyncio.run(asked())
    with served(app, lifespan=lifespan) as shop:
        assert json.loads(shop.get(ITEMS).text) == {}
