"""The HTTP client of calls to other servers: one request on a connection to a checked address.

Only ``outbound.py`` imports this, with its first call.
"""

import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from wishwell.outbound import LARGEST, Address, Answer, Unanswered

_KEPT_SECONDS = 4.0
"""Of idle connections. Many servers close theirs after 5 s; we are the first: no call is lost."""

_AUTOMATIC = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
"""Headers that the client would add. What is sent is ours alone."""

Addresses = Callable[[str, int], Awaitable[list[Address]]]


class Client:
    """Connections that are kept for a few seconds. Belongs to the event loop that makes it."""

    def __init__(self, addresses: Addresses, tls: ssl.SSLContext) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                ssl=tls,
                resolver=_Resolver(addresses),
                ttl_dns_cache=0,  # calls that wait for one look-up share it, and no later ones
                limit=0,  # so that no server that hangs makes another one wait
                keepalive_timeout=_KEPT_SECONDS,
            ),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_AUTOMATIC,
            auto_decompress=False,
            trust_env=False,
        )

    # contract: outbound-plain
    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> Answer:
        """One request and its answer, however long it takes. Raises ``Unanswered``."""
        try:
            return await self._exchange(method, URL(url, encoded=True), headers, body)
        except aiohttp.ClientConnectorError as error:
            raise Unanswered(_no_connection(error)) from None
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
            raise Unanswered("the connection broke off") from None
        except (aiohttp.ClientError, ValueError):
            raise Unanswered("the answer is not HTTP, or broke off") from None

    async def close(self) -> None:
        """Closes every connection."""
        await self._session.close()

    async def _exchange(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes | None
    ) -> Answer:
        found = bytearray()
        async with self._session.request(
            method, url, headers=headers, data=body, allow_redirects=False
        ) as response:
            async for part in response.content.iter_any():
                found += part
                if len(found) > LARGEST:
                    response.close()
                    break
        if response.status < 100:
            raise ValueError("no status")
        whole = len(found) <= LARGEST
        later = response.headers.get("Retry-After", "")
        return Answer(response.status, bytes(found[:LARGEST]), whole, later)


def _no_connection(error: aiohttp.ClientConnectorError) -> str:
    cause = error.__cause__
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate is not accepted: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return f"TLS failed: {cause.reason}"
        cause = cause.__context__
    return "no connection was made"


class _Resolver(AbstractResolver):
    """Gives the connection the addresses that were checked, and no others."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: int = socket.AF_UNSPEC,  # noqa: ARG002
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in await self._addresses(host, port)
        ]

    async def close(self) -> None:
        pass
