"""The body of a request, as it arrives."""

import asyncio
from collections.abc import Callable

from wishwell.errors import BodyTimeout, ServiceError, TooLarge

MAX_BODY = 256 * 1024


def too_large() -> TooLarge:
    return TooLarge(f"The body is larger than {MAX_BODY // 1024} KiB.")


class Incoming:
    """What has come of a body. The connection fills it, the application reads it.

    A body that breaks off is the application's to answer: the request has been counted by then, so
    its answer shows the caller's limit.
    """

    __slots__ = ("_body", "_waiting", "ask", "ended", "error")

    def __init__(self, ask: Callable[[], None] | None) -> None:
        self.ask = ask
        """Asks for it a client that waits for ``100 Continue``; None once it is asked or here."""
        self.ended = False
        self.error: ServiceError | None = None
        """Why it can't be read."""
        self._body = bytearray()
        self._waiting: asyncio.Future[None] | None = None

    # contract: body-size
    def add(self, piece: bytes) -> None:
        """Adds a piece. Once it is too large, the rest is passed over."""
        if not self.ended:
            self._body += piece
            if len(self._body) > MAX_BODY:
                self.end(too_large())

    def end(self, error: ServiceError | None = None) -> None:
        """It is there or, with an error, will never be."""
        if not self.ended:
            self.ended, self.error, self.ask = True, error, None
            if self._waiting is not None and not self._waiting.done():
                self._waiting.set_result(None)

    def check(self) -> None:
        """Raises the error, if there is one."""
        if self.error is not None:
            raise self.error

    # contract: body-time
    async def wait(self, seconds: float) -> None:
        """Waits until it has ended. Raises ``BodyTimeout``."""
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
        """All of it. Raises the error."""
        self.check()
        return bytes(self._body)
