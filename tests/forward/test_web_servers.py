"""The nginx and Caddy configurations of deploy/ for a shop's domain, with a token or a trusted
address."""

import shutil
import socket

import httpx2
import pytest

from tests.conftest import missing
from tests.security.nginx import nginx_binary
from tests.servers import HERE

from .conftest import BASE, FORGED, ITEMS, PASSED
from .ways import Caddy, nginx


@pytest.fixture(params=["nginx", "caddy"])
def server(request):
    """Starts a web server with its configuration of deploy/ in front of a service."""
    there = {"nginx": nginx_binary(), "caddy": shutil.which("caddy")}[request.param]
    if there is None:
        missing(f"there is no {request.param} on this system")
    started = []

    def start(service, token):
        made = (nginx if request.param == "nginx" else Caddy)(service.url, token)
        started.append(made)
        return made

    yield start
    for made in started:
        made.close()


def ask(server, target, *headers, host="shop.example", absolute=""):
    """Sends a raw request; returns the response, or an empty string if the server hangs up."""
    lines = [f"POST {absolute}{target} HTTP/1.1", f"Host: {host}", "Connection: close"]
    lines += ["Content-Length: 2", *(f"{name}: {value}" for name, value in headers), "", "{}"]
    with socket.create_connection((HERE, server.port), 5) as connection:
        connection.sendall("\r\n".join(lines).encode())
        return connection.makefile("rb").read().decode()


@pytest.mark.parametrize("token", ["wwadm_1", ""], ids=["token", "trusted address"])
def test_forged_identity_headers_are_not_forwarded(service, server, token):
    """No forged header is forwarded, in any case and number."""
    running = server(service, token)
    again = [(name.upper(), value) for name, value in FORGED.items() if name != "Authorization"]
    answer = ask(running, f"{ITEMS}?a=%2F&&b", *PASSED.items(), *FORGED.items(), *again)
    assert " 200 OK" in answer
    [seen] = service.seen
    assert (seen.method, seen.target, seen.body) == ("POST", f"{ITEMS}?a=%2F&&b", b"{}")
    for value in FORGED.values():
        assert value not in str(seen.headers)
    assert {name: seen.values(name) for name in PASSED} == {n: [v] for n, v in PASSED.items()}
    assert seen.values("Authorization") == ([f"Bearer {token}"] if token else [])
    assert seen.values("X-Forwarded-For") == [HERE]
    assert seen.values("X-Forwarded-Proto") == ["http"]
    assert seen.values("X-Forwarded-Host") == ["shop.example"]
    # Another shop's host, or an unknown one, isn't forwarded.
    ask(running, ITEMS, host="forged.example")
    ask(running, ITEMS, absolute="http://forged.example")
    assert len(service.seen) == 1
    ask(running, ITEMS, host="forged.example", absolute="http://shop.example")
    assert all("forged" not in str(seen.headers) for seen in service.seen)


def test_only_paths_below_the_base_are_forwarded(service, server):
    """Only paths below the base are forwarded, and responses are returned unchanged."""
    running = server(service, "wwadm_1")
    for path in ("/", BASE, f"{BASE}s/", "/api/2025-04/items", f"{BASE}/../x", f"{BASE}/%2e%2e/x"):
        ask(running, path)
    assert service.seen == []
    service.answer = (
        b"HTTP/1.1 302 Found\r\nLocation: /apps/wishlist/assets/w-1.js\r\nSet-Cookie: a=1\r\n"
        b"Set-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"
    )
    answer = httpx2.get(
        f"http://{HERE}:{running.port}{BASE}/assets/w.js",
        headers={"Host": "shop.example"},
        trust_env=False,
    )
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{BASE}/assets/w-1.js")
    assert answer.headers.get_list("Set-Cookie") == ["a=1", "b=2"]
