"""The client that blocks. Written by ``make format`` from asynchronous.py."""

from types import TracebackType
from typing import Self

import httpx2

from wishwell.client import transport
from wishwell.client.conversation import Terms
from wishwell.client.sync_line import Line
from wishwell.client.sync_operations import Resources


class Wishwell(Resources):
    """A client with one token, for any number of threads.

    ``profile`` is the GID that an admin token acts for. ``timeout`` is in seconds, and applies to
    connecting and to each wait for data. A call is retried at most ``retries`` times, if that is
    harmless, after at most ``longest_wait`` seconds. If the service asks for a longer wait, the
    error is raised at once. Raises ``ValueError`` for a bad URL, token, profile or number.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        profile: str | None = None,
        timeout: float = 10,
        retries: int = 4,
        longest_wait: float = 60,
    ) -> None:
        options = transport.options(url, token, timeout)
        terms = Terms(retries, longest_wait)
        self._attach(Line(httpx2.Client(**options), terms, transport.named(profile)))

    def acting_as(self, profile: str) -> Self:
        """A client for another profile on the same connections. Close only one of the two."""
        other = type(self).__new__(type(self))
        other._attach(Line(self._line.http, self._line.terms, transport.named(profile)))
        return other

    def close(self) -> None:
        """Closes the connections."""
        self._line.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
