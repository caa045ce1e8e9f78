"""Outbound calls (SSRF protection, limits) to real servers here; names resolve as a test says."""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import time
from typing import Any

import pytest
import uvloop
from cryptography import x509

from tests.servers.base import HERE, free_port
from tests.servers.called import OK, Authority, Called, calls, connected, on_loop
from wishwell.errors import Invalid
from wishwell.outbound import Outbound, names
from wishwell.outbound.answer import MAX_ANSWER_BYTES, Answer, Unanswered


class Names:
    """A resolver with fixed addresses for any name, which records the names that it was asked for."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return list(self.addresses)


def get(url: str, **settings) -> Answer:
    """Makes one call with the given settings."""

    async def story():
        async with calls(**settings) as there:
            return await there.call("GET", url)

    return uvloop.run(story())


NEVER = [
    "0.0.0.0", "0.1.2.3", "100.64.0.1", "100.100.100.200", "168.63.129.16", "169.254.1.1", "169.254.169.254",
    "192.0.0.192", "192.0.2.1", "198.18.0.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::7f00:1", "::ffff:169.254.169.254", "::ffff:0:7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1",
    "100::1", "2001:db8::1", "2001::1", "2002:7f00:1::", "3fff::1", "5f00::1", "fd00:ec2::254", "fd20:ce::254",
    "fe80::", "fe80::1%lo", "fec0::1", "ff02::1", "ff0e::1",
]  # fmt: skip
OWN = [
    "10.0.0.1", "10.255.255.255", "127.0.0.1", "127.255.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1",
    "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::192.168.0.1", "fc00::1", "fd12::1",
]  # fmt: skip
PUBLIC = [
    "93.184.216.34", "172.32.0.1", "2606:4700:4700::1111", "::ffff:93.184.216.34", "64:ff9b::93.184.216.34",
]  # fmt: skip


@pytest.mark.parametrize("address", ["169.254.169.254", "10.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_non_public_address_is_not_called(address):
    """A non-public address is refused both in a URL and as the address of a name (SSRF).
    Rule: outbound-address."""
    with pytest.raises(Unanswered, match=r"shop.example has the address .*, which is not public"):
        get("https://shop.example/", private=False, resolve=Names(address))
    shown = f"[{address}]" if ":" in address else address
    with pytest.raises(Invalid, match=r"^jwks: (must not lead to|has an invalid host)"):
        Outbound(http=False, private=False).check("jwks", f"https://{shown}/")


def test_setting_allows_only_private_and_loopback_addresses():
    """The setting allows private and loopback addresses, and no other non-public ones.
    Rule: outbound-address."""
    for private, allowed in ((False, PUBLIC), (True, OWN + PUBLIC)):
        for text in NEVER + OWN + PUBLIC:
            address = ipaddress.ip_address(text)
            assert names.is_allowed(address, private=private) is (text in allowed), text


def test_this_machine_by_name_is_not_called():
    """The system's resolver can't be used to reach this machine by name.
    Rule: outbound-address."""
    with pytest.raises(Unanswered, match="must not lead to localhost"):
        get("https://localhost/", private=False)
    with pytest.raises(Unanswered, match=r"no address of no.such.invalid was found"):
        get("https://no.such.invalid/")
    with pytest.raises(Unanswered, match="no connection was made"):
        get(f"http://localhost:{free_port()}/")


@on_loop
async def test_dns_rebinding_does_not_affect_an_open_connection():
    """The address is resolved once per connection, so DNS rebinding has no effect on an open one.
    Rule: outbound-address."""
    names = Names("127.0.0.1")
    async with Called().serve() as server, calls(resolve=names) as there:
        url = f"http://shop.example:{server.port}/"
        await there.call("GET", url)
        names.addresses = ("169.254.169.254",)
        await there.call("GET", url)
        assert (server.connections, names.asked) == (1, ["shop.example"])
        server.hang_up()
        await asyncio.sleep(0.05)
        with pytest.raises(Unanswered, match=r"169\.254\.169\.254"):
            await there.call("GET", url)


WRONG = {
    "http://shop.example/": "must begin with https://; WISHWELL_WEBHOOK_HTTP=true allows http://",
    "shop.example": "must begin with https://",
    "https://shop.example:80/": "must have the port 443 or 8443; WISHWELL_WEBHOOK_HTTP=true allows",
    "https://shop.example:22/": "must have the port 443 or 8443",
    "https://shop.example:65536/": "has an invalid host or port",
    "https://me:word@shop.example/": "must not have a user name",
    "https://shop.example\\@other.example/": "must not have a user name",
    "https://shop.example/#there": "must not have a user name",
    "https://shöp.example/": "must be a URL",
    "https://shop.example/\r\nX: y": "must be a URL",
    "https://shop.example/" + "a" * 2_048: "must be a URL",
    "": "must be a URL",
    "https://shop..example/": "has an invalid host or port",
    "https://shop.example./": "has an invalid host or port",
    "https://" + "a" * 64 + ".example/": "has an invalid host or port",
    "https://shop%2eexample/": "has an invalid host or port",
    "https://2130706433/": "has an invalid host or port",
    "https://0x7f000001/": "has an invalid host or port",
    "https://[::1/": "has an invalid host or port",
    "https://[v1.shop]/": "has an invalid host or port",
    "https://a.localhost/": "must not lead to a.localhost",
}  # fmt: skip


@pytest.mark.parametrize("url", WRONG)
def test_forbidden_url_is_refused(url):
    """A forbidden URL is refused both when it is configured and when it is called.
    Rule: outbound-address."""
    names = Names("93.184.216.34")
    with pytest.raises(Invalid) as told:
        Outbound(http=False, private=False, resolve=names).check("jwks", url)
    assert told.value.message.startswith(f"jwks: {WRONG[url]}")
    with pytest.raises(Unanswered):
        get(url, private=False, http=False, resolve=names)
    assert names.asked == []


def test_allowed_hosts_and_ports_pass():
    """Allowed hosts and ports pass; plain http and other ports need the setting.
    Rule: outbound-address."""
    strict = Outbound(http=False, private=False)
    for host in (
        "shop.example",
        "SHOP.example:8443/a?b=c",
        "[2606:4700::1]:443/",
        "xn--shp-sna.example/",
    ):
        strict.check("jwks", f"https://{host}")
    for url in ("http://shop.example:81/", "https://shop.example:9000/"):
        Outbound(http=True, private=False).check("jwks", url)


@on_loop
async def test_request_has_host_headers_and_length():
    """The `Host` header is the URL's; the caller's headers and the body's length are sent."""
    async with Called().serve() as server, calls(resolve=Names(HERE)) as there:
        url = f"http://Shop.example:{server.port}/hook?a=%20b"
        await there.call("POST", url, headers={"X-Own": "1"}, body=b"\r\n\r\n")
        first, *lines = server.heads[0].decode().lower().split("\r\n")
        assert first == "post /hook?a=%20b http/1.1"
        expected = {f"host: shop.example:{server.port}", "x-own: 1", "content-length: 4"}
        assert {*expected, "accept-encoding: identity"} <= {*lines}


@on_loop
async def test_proxy_of_the_environment_is_not_used(monkeypatch):
    """Proxy settings in the environment are ignored. Rule: outbound-limits."""
    async with Called().serve() as proxy, Called().serve() as server:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://{HERE}:{proxy.port}")
            monkeypatch.setenv(name.upper(), f"http://{HERE}:{proxy.port}")
        async with calls() as there:
            await there.call("GET", f"http://{HERE}:{server.port}/")
        assert (proxy.connections, len(server.heads)) == (0, 1)


HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
PACKED = gzip.compress(bytes(10_000_000))
GZIP = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(PACKED)
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 50
ANSWERS: dict[str, tuple[bytes, int, bytes]] = {
    "a redirect": (b"HTTP/1.1 302 Go\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", 302, b""),
    "one for good": (b"HTTP/1.1 308 Go\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", 308, b""),
    "a packed body": (HEAD + GZIP + PACKED, 200, PACKED),
    "hints before it": (b"HTTP/1.1 100 Continue\r\n\r\n" + HINTS + OK, 200, b"ok"),
    "a trailer": (HEAD + CHUNKED + b"2;a=b\r\nok\r\n0\r\nX: 9\r\n\r\n", 200, b"ok"),
}


@pytest.mark.parametrize("name", ANSWERS)
@on_loop
async def test_response_is_returned_unchanged(name):
    """Redirects aren't followed and nothing is decompressed; the connection is reused.
    Rule: outbound-limits."""
    sent, *expected = ANSWERS[name]
    async with Called(sent).serve() as server, calls() as there:
        for _ in range(2):
            answer = await there.call("POST", f"http://{HERE}:{server.port}/", body=b"a")
            assert answer[:3] == (*expected, True)
        assert (server.connections, len(server.heads)) == (1, 2)


@on_loop
async def test_at_most_64_kib_of_a_response_are_read():
    """At most 64 KiB of the body are read, even if the answer never ends. Rule: outbound-limits."""

    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"a" * 10_000)
            await writer.drain()

    async with Called().serve() as server, calls() as there:
        for size, whole in (
            (MAX_ANSWER_BYTES, True),
            (MAX_ANSWER_BYTES + 1, False),
            (10_000_000, False),
        ):
            server.answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + b"a" * size
            answer = await there.call("GET", f"http://{HERE}:{server.port}/")
            assert answer[:3] == (200, b"a" * MAX_ANSWER_BYTES, whole)
        server.answer = endless
        answer = await there.call("GET", f"http://{HERE}:{server.port}/")
        assert answer[:3] == (200, b"a" * MAX_ANSWER_BYTES, False)


BROKEN = {
    "not HTTP": b"hello\r\n\r\n",
    "cut off": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
    "cut off in its headers": b"HTTP/1.1 200 OK\r\nContent-",
    "nothing": b"",
    "another protocol": b"HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello",
    "an old version": b"HTTP/0.9 200 OK\r\n\r\nok",
    "no status": b"HTTP/1.1 099 What\r\nContent-Length: 0\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
}


@pytest.mark.parametrize("name", BROKEN)
@on_loop
async def test_invalid_response_fails_the_call(name):
    """A response that isn't HTTP, or is incomplete, fails the call."""

    async def speak(writer: asyncio.StreamWriter) -> None:
        writer.write(BROKEN[name])
        await writer.drain()

    async with Called(speak).serve() as server, calls() as there:
        with pytest.raises(Unanswered, match=r"not HTTP|broke off"):
            await there.call("GET", f"http://{HERE}:{server.port}/")


async def _never(*_: object) -> list[str]:
    await asyncio.sleep(60)
    return []


SLOW: dict[str, tuple[Any, str, Any]] = {
    "no answer": (_never, "http", None),
    "no TLS": (_never, "https", None),
    "no address": (OK, "http", _never),
}  # fmt: skip


@pytest.mark.parametrize("name", SLOW)
@on_loop
async def test_one_deadline_covers_a_call(name):
    """One deadline covers all phases of a call; no connection remains open after it.
    Rule: outbound-limits."""
    answer, scheme, resolve = SLOW[name]
    settings = {"resolve": resolve} if resolve else {}
    host = "shop.example" if resolve else HERE
    async with Called(answer).serve() as server, calls(**settings) as there:
        begun = time.monotonic()
        with pytest.raises(Unanswered, match=r"no whole answer within 0\.3 s"):
            await there.call("GET", f"{scheme}://{host}:{server.port}/", seconds=0.3)
        assert 0.25 < time.monotonic() - begun < 20
        assert not connected(server.port)


@pytest.fixture(scope="module")
def authority():
    return Authority()


@on_loop
async def test_certificate_of_another_host_is_refused(authority, tmp_path):
    """SNI and the certificate check use the URL's host name, not its address.
    Rule: outbound-address."""
    named = []
    tls = authority.server(tmp_path, x509.DNSName("shop.example"))
    tls.sni_callback = lambda _socket, name, _context: named.append(name)
    trusted = authority.trusted()
    async with Called().serve(tls) as server, calls(resolve=Names(HERE), tls=trusted) as there:
        assert (await there.call("GET", f"https://shop.example:{server.port}/")).body == b"ok"
        for other in ("other.example", HERE):
            with pytest.raises(Unanswered, match=r"the certificate is not accepted: .*mismatch"):
                await there.call("GET", f"https://{other}:{server.port}/")
    assert named[:2] == ["shop.example", "other.example"]


@on_loop
async def test_unknown_certificate_authority_is_refused(authority, tmp_path):
    """Only the system's certificate authorities are trusted. Rule: outbound-address."""
    tls = authority.server(tmp_path, x509.DNSName("shop.example"))
    async with Called().serve(tls) as server, calls(resolve=Names(HERE)) as there:
        with pytest.raises(Unanswered, match="the certificate is not accepted: "):
            await there.call("GET", f"https://shop.example:{server.port}/")
        assert server.heads == []
