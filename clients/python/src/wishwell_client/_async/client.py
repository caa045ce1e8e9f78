"""The client for asyncio."""

from types import TracebackType
from typing import Self

import httpx2

from wishwell_client import arguments
from wishwell_client._async.operations import AsyncResources
from wishwell_client._async.transport import Transport
from wishwell_client.retries import RetryPolicy


class AsyncWishwell(AsyncResources):
    """A client with one token, for any number of tasks of one event loop.

    ``profile`` is the GID that an admin token acts for. ``timeout``, in seconds, applies to
    connecting and to each wait for data. A call that is safe to repeat is retried up to ``retries``
    times, with a backoff of up to ``longest_wait`` seconds. If the service's ``Retry-After`` is
    longer, the error is raised immediately. Raises ``ValueError`` for an invalid argument.
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
        options = arguments.options(url, token, timeout)
        policy = RetryPolicy(retries, longest_wait)
        self._attach(
            Transport(httpx2.AsyncClient(**options), policy, arguments.profile_gid(profile))
        )

    def acting_as(self, profile: str) -> Self:
        """Returns a client for another profile on the same connections. Close only one."""
        other = type(self).__new__(type(self))
        other._attach(
            Transport(self._transport.http, self._transport.policy, arguments.profile_gid(profile))
        )
        return other

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._transport.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
