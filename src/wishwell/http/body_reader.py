"""Buffers the body of a request while it arrives."""

import asyncio
from collections.abc import Callable
from weakref import WeakKeyDictionary

from wishwell.errors import BodyTimeout, Overloaded, ServiceError, TooLarge

MAX_BODY = 256 * 1024
MAX_PLATFORM_BODY = 2 * 1024 * 1024
"""Maximum bytes of a webhook of the platform: products with many variants are large."""

MAX_LARGE = 16
"""Maximum bodies over ``MAX_BODY`` that a process stores at a time."""

_large: WeakKeyDictionary["BodyReader", None] = WeakKeyDictionary()
"""The large bodies, the oldest first."""


def too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than {limit // 1024:,} KiB.")


class BodyReader:
    """The body received so far. The connection fills it, the application reads it.

    The application responds to an incomplete body: the request has been counted by then, so the
    response shows the caller's rate limit.
    """

    __slots__ = ("__weakref__", "_body", "_waiting", "ask", "ended", "error", "limit")

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
                    oldest = next(one for one in _large if not one.ended)
                    oldest.end(Overloaded())
                    oldest.discard()

    def end(self, error: ServiceError | None = None) -> None:
        """Marks the body as complete or, with an error, as failed."""
        if not self.ended:
            self.ended, self.error, self.ask = True, error, None
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
        self.ended, self._body = True, bytearray()
