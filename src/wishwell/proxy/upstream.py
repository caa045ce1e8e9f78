"""The connection to the API: HTTP/1.1 on kept connections, parsed by httptools.

One request at a time on a connection; the newest idle one is taken first. Why not a ready-made
client: docs/decisions/0011-proxy-upstream.md.
"""

import asyncio
import ssl
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httptools

from wishwell.proxy.answers import Answer, Headers

_IDLE_SECONDS = 20.0
"""How long an idle connection is kept: less than the API's own 30 s, so that we are the first."""

_MOST = 256
"""Requests on their way at once, which is what one process of the API takes on."""

_LARGEST = 64 * 1024 * 1024
_IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "DELETE"})


class Unreached(Exception):
    """The request was not sent: nothing was done."""


class Unanswered(Exception):
    """The request was sent, and no answer came, or not all of it, or not in time."""


class _Stale(Exception):
    """A kept connection ended before the first byte of an answer."""


class Target(NamedTuple):
    """Where an address leads."""

    host: str
    port: int
    tls: ssl.SSLContext | None
    authority: str
    path: str

    @classmethod
    def of(cls, url: str) -> "Target":
        """Of an ``http://`` or ``https://`` address; its path has no slash at the end."""
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        tls = ssl.create_default_context() if secure else None
        port = parts.port or (443 if secure else 80)
        return cls(parts.hostname or "", port, tls, parts.netloc, parts.path.rstrip("/"))


class Upstream:
    """A pool of connections to one address. Belongs to the event loop that it is first used in."""

    def __init__(self, url: str, timeout: float) -> None:
        self.target = Target.of(url)
        self._timeout = timeout
        self._host = b" HTTP/1.1\r\nhost: " + self.target.authority.encode() + b"\r\n"
        self._idle: list[_Connection] = []
        self._busy: set[_Connection] = set()
        self._under_way = 0
        self._closed = False

    async def send(
        self, method: str, path: str, headers: bytes, body: bytes = b"", *, again: bool = False
    ) -> Answer:
        """One request and its whole answer; ``path`` goes below the address's own, query included.

        ``headers`` are whole lines. ``again``: sending it twice does no harm, whatever the method.
        A kept connection that turns out closed is replaced by a new one, once, if that is so.
        Raises ``Unreached`` and ``Unanswered``.
        """
        if self._under_way >= _MOST or self._closed:
            raise Unreached("too many requests at once")
        head = f"{method} {self.target.path}{path}".encode("ascii") + self._host + headers
        if body or method in ("POST", "PUT", "PATCH"):
            head += b"content-length: %d\r\n" % len(body)
        message = head + b"\r\n" + body
        self._under_way += 1
        try:
            if (kept := self._kept()) is not None:
                try:
                    return await self._exchange(kept, message)
                except _Stale:
                    if not again and method not in _IDEMPOTENT:
                        raise Unanswered("the connection was closed") from None
            try:
                return await self._exchange(await self._connect(), message)
            except _Stale:
                raise Unanswered("the connection was closed") from None
        finally:
            self._under_way -= 1

    async def close(self) -> None:
        """Closes every connection."""
        self._closed = True
        for connection in [*self._idle, *self._busy]:
            connection.end()
        self._idle.clear()

    def _kept(self) -> "_Connection | None":
        now = asyncio.get_running_loop().time()
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open and now - connection.idle_since < _IDLE_SECONDS:
                return connection
            connection.end()
        return None

    async def _connect(self) -> "_Connection":
        target, loop = self.target, asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._timeout):
                _, connection = await loop.create_connection(
                    _Connection, target.host, target.port, ssl=target.tls
                )
        except (OSError, TimeoutError) as error:
            raise Unreached(str(error) or "the connection was not made in time") from None
        return connection

    async def _exchange(self, connection: "_Connection", message: bytes) -> Answer:
        self._busy.add(connection)
        try:
            answer = await connection.ask(message, self._timeout)
        except BaseException:
            connection.end()  # whatever is still to come on it belongs to this request
            raise
        finally:
            self._busy.discard(connection)
        if connection.is_open and not self._closed:
            self._idle.append(connection)
        else:
            connection.end()
        return answer


class _Connection(asyncio.Protocol):
    """One connection, and the answer that is being read from it."""

    def __init__(self) -> None:
        self.is_open = False
        self.idle_since = 0.0
        self._loop = asyncio.get_running_loop()
        self._transport: Any = None
        self._waiter: asyncio.Future[Answer] | None = None
        self._parser: Any = httptools.HttpResponseParser(self)
        self._clear()

    def _clear(self) -> None:
        self._headers: Headers = []
        self._body: list[bytes] = []
        self._size = 0
        self._began = False
        self._framed = False
        self._in_body = False

    async def ask(self, message: bytes, timeout: float) -> Answer:  # noqa: ASYNC109
        """Sends a request and waits for all of its answer."""
        waiter: asyncio.Future[Answer] = self._loop.create_future()
        self._waiter = waiter
        # A timer costs a tenth of what asyncio.timeout does, and this is on every request's way.
        timer = self._loop.call_later(timeout, self._fail, Unanswered("not in time"))
        self._transport.write(message)
        try:
            return await waiter
        finally:
            timer.cancel()
            self._waiter = None

    def end(self) -> None:
        """Closes it at once."""
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def _fail(self, error: Exception) -> None:
        self.is_open = False
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(error)

    # -------------------------------------------------------------------- asyncio's callbacks

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        if self._waiter is None or self._waiter.done():
            self.end()  # nobody asked: what is said here must not become another's answer
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._fail(Unanswered("it is not HTTP"))

    def eof_received(self) -> None:
        self.is_open = False

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        if self._in_body and not self._framed and exc is None:
            self._complete()  # an answer without a length ends with its connection
        elif self._began:
            self._fail(Unanswered("it broke off"))
        else:
            self._fail(_Stale())

    # ------------------------------------------------------------------- the parser's callbacks

    def on_message_begin(self) -> None:
        if self._waiter is None or self._waiter.done():
            self.is_open = False  # a second answer to one request
        self._began = True

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        if name in (b"content-length", b"transfer-encoding"):
            self._framed = True
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        self._in_body = True

    def on_body(self, body: bytes) -> None:
        self._size += len(body)
        if self._size > _LARGEST:
            self._fail(Unanswered("it is too large"))
            self._transport.abort()
            return
        self._body.append(body)

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() < 200:
            self._clear()  # an interim answer; the real one follows
            return
        if not self._parser.should_keep_alive():
            self.is_open = False
        self._complete()

    def _complete(self) -> None:
        answer = Answer(self._parser.get_status_code(), self._headers, b"".join(self._body))
        self.idle_since = self._loop.time()
        self._clear()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(answer)
