"""Outbound calls to hostile servers: each call ends in time and uses little memory."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading

import psutil
import pytest
from cryptography import x509

from tests.servers.base import HERE
from tests.servers.called import OK, Authority, Called, calls, connected, on_loop
from wishwell.outbound.answer import Unanswered
from wishwell.outbound.names import NameResolver

MB = 2**20
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

# How each endless answer begins, and the part that it repeats.
ENDLESS = {
    "interim answers": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    "empty lines": (b"", b"\r\n"),
    "headers": (HEAD, b"X: y\r\n"),
    "an extension of a chunk": (CHUNKED + b"1", b";a=b"),
    "chunks of a byte": (CHUNKED, b"1\r\na\r\n"),
}


@pytest.fixture(scope="module")
def authority():
    return Authority()


async def resolve_to_this_machine(host: str, port: int) -> list[str]:
    """Resolves every name to this machine."""
    return [HERE]


@pytest.mark.parametrize("piece", [100_000, 1], ids=["fast", "a byte at a time"])
@pytest.mark.parametrize("name", ENDLESS)
@on_loop
async def test_endless_response_is_cut_off(name, piece):
    """An endless answer ends the call long before its deadline, and nothing remains in memory.
    Rule: outbound-limits."""
    begins, again = ENDLESS[name]

    async def speak(writer: asyncio.StreamWriter) -> None:
        writer.write(begins)
        while True:
            for at in range(len(again)) if piece == 1 else (0,):
                writer.write(again[at : at + 1] if piece == 1 else again * (piece // len(again)))
                await writer.drain()
                await asyncio.sleep(0)

    process = psutil.Process()
    async with Called(speak).serve() as server, calls() as there:
        url = f"http://{HERE}:{server.port}/"
        with pytest.raises(Unanswered, match=r"too much|not HTTP"):
            await there.call("GET", url, seconds=30)
        memory = process.memory_info().rss
        for method in ("POST", "GET"):
            with pytest.raises(Unanswered, match=r"too much|not HTTP"):
                await there.call(method, url, seconds=30)
        assert process.memory_info().rss - memory < 20 * MB
        assert not connected(server.port)


@on_loop
async def test_response_without_a_length_ends_with_its_connection():
    """An answer without a length ends with its connection."""

    async def speak(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.0 200 OK\r\n\r\nall of it")

    async with Called(speak).serve() as server, calls() as there:
        answer = await there.call("GET", f"http://{HERE}:{server.port}/")
        assert answer[:3] == (200, b"all of it", True)


BEHIND = {
    "an answer": HEAD + b"Content-Length: 3\r\n\r\nbad",
    "the start of one": b"HTTP/1.1 200 O",
    "a letter": b"H",
    "no HTTP": b"bad bad bad",
}


@pytest.mark.parametrize("pause", [None, 0, 0.05], ids=["at once", "in the next packet", "later"])
@pytest.mark.parametrize("scheme", ["http", "https"])
@on_loop
async def test_bytes_after_a_response_are_not_a_response(scheme, pause, authority, tmp_path):
    """Extra bytes after an answer aren't taken for the next one; that request uses a new
    connection.
    Rule: outbound-limits."""
    rubbish = iter(BEHIND.values())

    async def behind(writer: asyncio.StreamWriter) -> None:
        if pause is None:
            writer.write(OK + next(rubbish))
        else:
            writer.write(OK)
            await asyncio.sleep(pause)
            writer.write(next(rubbish))
        await asyncio.sleep(60)

    tls = authority.server(tmp_path, x509.DNSName("shop.example"))
    async with (
        Called(behind).serve(tls if scheme == "https" else None) as server,
        calls(tls=authority.trusted(), resolve=resolve_to_this_machine) as there,
    ):
        for count in range(1, len(BEHIND) + 1):
            url = f"{scheme}://shop.example:{server.port}/"
            answer = await there.call("POST", url, body=b"", seconds=10)
            assert answer[:3] == (200, b"ok", True)
            assert server.connections == count
            await asyncio.sleep(0.15)


@on_loop
async def test_idle_connection_closed_by_the_server_is_replaced():
    """After the server closed an idle connection, the next request uses a new one. A request that
    may have been received isn't sent again."""

    async def hang_up(writer: asyncio.StreamWriter) -> None:
        pass

    async with Called().serve() as server, calls() as there:
        url = f"http://{HERE}:{server.port}/"
        await there.call("POST", url, body=b"")
        server.hang_up()
        await asyncio.sleep(0.05)
        await there.call("POST", url, body=b"")
        server.answer = hang_up
        with pytest.raises(Unanswered, match="broke off"):
            await there.call("POST", url, body=b"")
        assert (server.connections, len(server.heads)) == (2, 3)


@on_loop
async def test_reset_connection_fails_the_call():
    """A connection that is reset fails the call."""

    async def reset(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        await asyncio.sleep(0.1)
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    async with Called(reset).serve() as server, calls() as there:
        with pytest.raises(Unanswered, match="broke off"):
            await there.call("GET", f"http://{HERE}:{server.port}/")


@on_loop
async def test_response_before_the_request_was_read_is_accepted():
    """An answer that comes before the request was read counts; without an answer the call times
    out."""

    async def early(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n")
        await asyncio.sleep(0.1)

    async def never(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    async with Called(never).serve() as server, calls() as there:
        url = f"http://{HERE}:{server.port}/"
        with pytest.raises(Unanswered, match="no whole answer within"):
            await there.call("POST", url, body=bytes(30 * MB), seconds=0.5)
        server.answer = early
        assert (await there.call("POST", url, body=bytes(100_000))).status == 413


@on_loop
async def test_endless_tls_session_tickets_end_the_call(authority, tmp_path):
    """An endless series of TLS session tickets, which the TLS layer itself consumes, ends the call.
    Rule: outbound-limits."""
    tls = authority.server(tmp_path, x509.DNSName("shop.example"))
    tls.num_tickets = 5_000
    async with (
        Called().serve(tls) as server,
        calls(tls=authority.trusted(), resolve=resolve_to_this_machine) as there,
    ):
        with pytest.raises(Unanswered, match="too much"):
            await there.call("GET", f"https://shop.example:{server.port}/", seconds=30)


@pytest.mark.parametrize("speed", [1, 10_000])
@on_loop
async def test_bytes_that_only_resemble_tls_end_the_call(speed):
    """Bytes that only look like a TLS record end the call, at any speed. Rule: outbound-limits."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write((b"\x16\x03\x03\x40\x00" + bytes(0x4000))[:speed])
                await writer.drain()
                await asyncio.sleep(0.001)
        except OSError:
            pass

    async with await asyncio.start_server(serve, HERE, 0) as server, calls() as there:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Unanswered, match=r"TLS failed|too much|no whole answer within"):
            await there.call("GET", f"https://{HERE}:{port}/", seconds=2)
        assert not connected(port)


@on_loop
async def test_next_address_is_tried_when_one_refuses():
    """The next address is tried after one that refuses and after one that doesn't respond."""

    async def names(host: str, port: int) -> list[str]:
        return ["127.0.0.2", HERE]

    async with Called().serve() as server, calls(resolve=names) as there:
        with contextlib.ExitStack() as held:
            full = held.enter_context(socket.socket())
            full.bind(("127.0.0.2", server.port))
            full.listen(0)
            for _ in range(3):
                waiting = held.enter_context(socket.socket())
                waiting.setblocking(False)
                waiting.connect_ex(("127.0.0.2", server.port))
            answer = await there.call("GET", f"http://shop.example:{server.port}/", seconds=10)
        assert answer.status == 200


@on_loop
async def test_concurrent_callers_share_one_slow_lookup():
    """Concurrent callers share one slow lookup (single-flight), even after the first gave up.
    Rule: outbound-limits."""
    asked, goes_on = [], asyncio.Event()

    async def names(host: str, port: int) -> list[str]:
        asked.append(host)
        await goes_on.wait()
        return [HERE]

    async with Called().serve() as server, calls(resolve=names) as there:
        url = f"http://shop.example:{server.port}/"
        for _ in range(2):
            late = await asyncio.gather(
                *(there.call("GET", url, seconds=0.2) for _ in range(30)), return_exceptions=True
            )
            assert {type(one) for one in late} == {Unanswered}
        goes_on.set()
        assert (await there.call("GET", url)).status == 200
        assert asked == ["shop.example"]


@on_loop
async def test_hanging_lookups_of_one_owner_do_not_block_others(monkeypatch):
    """Hanging lookups of one owner leave lookup slots for other owners. Rule: outbound-limits."""
    goes_on = threading.Event()

    def slow(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        if host.startswith("slow"):
            goes_on.wait(30)
        return [(0, 0, 0, "", (HERE, port))]

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    async with Called().serve() as server, calls() as there:
        hosts = [*(f"slow-{n}.example" for n in range(60)), "shop.example"]
        hang = [
            asyncio.create_task(there.call("GET", f"http://{host}:{server.port}/", owner="bad"))
            for host in hosts
        ]
        await asyncio.sleep(0.2)
        try:
            url = f"http://shop.example:{server.port}/"
            assert (await there.call("GET", url, owner="good", seconds=20)).status == 200
        finally:
            goes_on.set()
        assert {one.status for one in await asyncio.gather(*hang)} == {200}


@on_loop
async def test_only_the_first_four_addresses_of_a_name_are_tried():
    """Every address of a name is checked, and only the first four are tried.
    Rules: outbound-address, outbound-limits."""
    addresses = [f"93.184.216.{n}" for n in range(1, 60)]

    async def resolve(host: str, port: int) -> list[str]:
        return addresses

    names = NameResolver(resolve, private=False)
    asked = "shop.example", 443, "an owner"
    assert [str(address) for address in await names.addresses(*asked)] == addresses[:4]
    for at in (0, len(addresses)):
        addresses.insert(at, HERE)
        with pytest.raises(Unanswered, match=f"has the address {HERE}"):
            await names.addresses(*asked)
        addresses.remove(HERE)


@on_loop
async def test_owners_share_no_connection():
    """Connections aren't shared between owners, so a late answer never reaches another owner.
    Rule: outbound-limits."""
    async with Called().serve() as server, calls() as there:
        for owner, connections in [("a", 1), ("b", 2), ("a", 2), ("b", 2)]:
            url = f"http://{HERE}:{server.port}/"
            assert (await there.call("POST", url, body=b"", owner=owner)).status == 200
            assert server.connections == connections
