"""Buffers the body of a request while it arrives."""

import asyncio
from collections.abc import Callable
from weakref import WeakKeyDictionary

from wishwell.errors import BodyTimeout, Overloaded, ServiceError, TooLarge
from wishwell.telemetry import metrics

MAX_BODY = 256 * 1024
MAX_PLATFORM_BODY = 2 * 1024 * 1024
"""Maximum bytes of a webhook of the platform: products with many variants are large."""

MAX_LARGE = 16
"""Maximum bodies over ``MAX_BODY`` that a process stores at a time."""

_large: WeakKeyDictionary["BodyReader", None] = WeakKeyDictionary()
"""The large bodies, the oldest first."""


def too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than {limit // 1024:,} KiB.")


class BodyMemory:
    """The memory that all unfinished bodies of a process share."""

    def __init__(self, limit: int) -> None:
        self._limit, self._used = limit, 0
        self._bodies: dict[str, dict[BodyReader, int]] = {}
        """Bytes of each body by sender, the oldest first."""

    # rule: request-limits
    def resize(self, sender: str, body: "BodyReader", size: int) -> None:
        """Sets the size of an unfinished body. Above the limit, ends the oldest body of the sender
        with the most bytes."""
        bodies = self._bodies.setdefault(sender, {})
        self._used += size - bodies.get(body, 0)
        bodies[body] = size
        while self._used > self._limit:
            largest = max(self._bodies.values(), key=lambda sizes: sum(sizes.values()))
            metrics.BODIES_ENDED.inc()
            next(iter(largest)).end(BodyTimeout("The body arrived too slowly. Send it again."))

    def release(self, sender: str, body: "BodyReader") -> None:
        """Forgets a body that has ended."""
        bodies = self._bodies[sender]
        self._used -= bodies.pop(body)
        if not bodies:
            del self._bodies[sender]


class BodyReader:
    """The body received so far. The connection fills it, the application reads it.

    The application responds to an incomplete body: the request has been counted by then, so the
    response shows the caller's rate limit.
    """

    __slots__ = (
        *("__weakref__", "_body", "_memory", "_sender", "_waiting"),
        *("ask", "ended", "error", "limit"),
    )

    def __init__(self, ask: Callable[[], None] | None, limit: int = MAX_BODY) -> None:
        self.limit = limit
        """Maximum bytes of the body."""
        self.ask = ask
        """Sends ``100 Continue`` to a client that waits for it; ``None`` afterwards."""
        self.ended = False
        self.error: ServiceError | None = None
        """Why the body can't be read."""
        self._body = bytearray()
        self._waiting: asyncio.Future[None] | None = None
        self._memory: BodyMemory | None = None
        """The memory that counts it; ``None`` if it arrived in one piece, or has ended."""
        self._sender = ""

    # rule: request-limits
    def add(self, piece: bytes) -> None:
        """Adds a chunk. The rest of a body that is too large is discarded."""
        if not self.ended:
            self._body += piece
            if len(self._body) > self.limit:
                self.end(too_large(self.limit))
            elif len(self._body) > MAX_BODY and self not in _large:
                _large[self] = None
                if len(_large) > MAX_LARGE:
                    # Not the new one, or slow clients could keep out everybody else.
                    oldest = next(body for body in _large if not body.ended)
                    oldest.end(Overloaded())

    def share(self, memory: BodyMemory, find_sender: Callable[[], str]) -> None:
        """Counts the bytes of an unfinished body in the memory that all of them share."""
        if self.ended:
            return
        if self._memory is None:
            self._memory, self._sender = memory, find_sender()
        memory.resize(self._sender, self, len(self._body))

    def _leave_memory(self) -> None:
        if self._memory is not None:
            self._memory.release(self._sender, self)
            self._memory = None

    def end(self, error: ServiceError | None = None) -> None:
        """Marks the body as complete or, with an error, as failed."""
        if not self.ended:
            self.ended, self.error, self.ask = True, error, None
            if error is None:
                self._leave_memory()
            else:
                self.discard()
            if self._waiting is not None and not self._waiting.done():
                self._waiting.set_result(None)

    def check(self) -> None:
        """Raises the error, if there is one."""
        if self.error is not None:
            raise self.error

    # rule: request-limits
    async def wait(self, seconds: float) -> None:
        """Waits until the body has ended. Raises ``BodyTimeout``."""
        if self.ask is not None:
            self.ask()
            self.ask = None
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(seconds):
                await self._waiting
        except TimeoutError as error:
            raise BodyTimeout("The body didn't arrive in time.") from error

    def read(self) -> bytes:
        """Returns the complete body. Raises its error."""
        self.check()
        return bytes(self._body)

    def discard(self) -> None:
        """Frees the body and ignores further input, once the request has its response."""
        if len(self._body) > MAX_BODY:
            _large.pop(self, None)
        self._leave_memory()
        self.ended, self._body = True, bytearray()
