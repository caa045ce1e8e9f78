"""A reverse proxy for shops in Python: an ASGI application that forwards requests to the service.

    app.mount("/apps/wishlist", Forward("http://127.0.0.1:8000", token, customer))

The proxy only adds a token, made by ``wishwell token create --for storefront``. ``@wishwell/proxy``
is its counterpart in JavaScript.
"""

import asyncio
import inspect
import json
import re
import uuid
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from typing import Any
from urllib.parse import quote, unquote

import httpx2

from wishwell_client import arguments

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
CustomerOf = Callable[[Scope], str | int | Awaitable[str | int | None] | None]

_LARGEST = 256 * 1024
_TO_SERVICE = (
    b"accept accept-language content-type if-none-match origin sec-fetch-site traceparent"
).split()
_TO_BROWSER = (
    b"allow cache-control content-security-policy content-type etag location referrer-policy "
    b"retry-after set-cookie vary wishwell-shopper x-content-type-options x-ratelimit-limit "
    b"x-ratelimit-remaining x-ratelimit-reset x-request-id x-robots-tag"
).split()
# Headers that the service trusts from the proxy only, and hop-by-hop headers.
_NEVER = "authorization|profile|forwarded|x-forwarded-.*|wishwell-.*"
_NEVER += "|host|connection|content-length|transfer-encoding"
_UUID = re.compile(b"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FAILURES = {
    400: ("Bad Request", "invalid_request"),
    404: ("Not Found", "path_not_found"),
    413: ("Content Too Large", "body_too_large"),
    503: ("Service Unavailable", "unavailable"),
    504: ("Gateway Timeout", "gateway_timeout"),
}
"""The phrase and the code of each status."""


class _Refused(Exception):
    """Ends a request with a status, and a message for the browser."""


class Forward:
    """Forwards requests below ``base`` to the service; other paths are 404.

    A body over 256 KiB is 413. The response is 503 if the service can't be reached, and 504 if it
    takes longer than ``timeout`` seconds.

    ``customer``: a function of the scope, asynchronous or not, for a token made with
    ``--names-customers``. It returns the customer's id or GID, which the shop has verified, or None
    or "" for a visitor. For anything else nothing is sent, and ``TypeError`` propagates to the
    framework or server. Without the function, the JWT and the cookie identify the shopper.
    ``headers``: further request headers to forward, such as the one with the JWT.
    ``origin``: the shop's origin, such as ``https://shop.example``, if ``Host`` or the scheme in
    the scope differs from it.

    Use an instance in one event loop only. Raises ``ValueError`` for a bad argument.
    """

    def __init__(
        self,
        api: str,
        token: str,
        customer: CustomerOf | None = None,
        *,
        base: str = "/apps/wishlist",
        headers: Iterable[str] = (),
        origin: str | None = None,
        timeout: float = 10,
    ) -> None:
        self._token = arguments.options(api, token, timeout)["headers"]["Authorization"].encode()
        self._forwarded_names = {*_TO_SERVICE, *(name.lower().encode() for name in headers)}
        if any(re.fullmatch(_NEVER.encode(), name) for name in self._forwarded_names):
            raise ValueError("headers must not contain a header that only the proxy may set")
        if not re.fullmatch("(/[^/]+)+", base):
            raise ValueError("base must be a path without a trailing slash")
        if origin and not re.fullmatch("https?://[^/?#@]+", origin):
            raise ValueError("origin must be http://host or https://host")
        self._origin = origin.encode().split(b"://") if origin else None
        self._api, self._customer, self._timeout = httpx2.URL(api), customer, timeout
        self._base = f"{base}/".encode()
        # Not a client, which would store shoppers' cookies and use proxies from the environment.
        self._http = httpx2.AsyncHTTPTransport()

    async def aclose(self) -> None:
        """Closes the connections. The application that mounts this calls it on shutdown."""
        await self._http.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # servers continue without lifespan if it isn't supported
            raise NotImplementedError("wishwell_client.forward answers HTTP only")
        sent_id = dict(scope["headers"]).get(b"x-request-id", b"")
        # Chosen here, so that a request without a response can be found in the service's log.
        id = sent_id if _UUID.fullmatch(sent_id) else str(uuid.uuid4()).encode()
        try:
            request = await self._build_request(scope, receive, id)
            status, headers, body = await self._forward(request)
        except _Refused as refused:
            status, message = refused.args
            phrase, code = _FAILURES[status]
            error = {"message": message, "error": phrase, "statusCode": status}
            error |= {"requestId": id.decode(), "code": code}
            body = json.dumps({"error": error}).encode()
            headers = [(b"content-type", b"application/json"), (b"x-request-id", id)]
            headers += [(b"cache-control", b"private, no-store")]
            headers += [(b"retry-after", b"1")] if status == 503 else []
        has_no_body = scope["method"] == "HEAD" or status in (204, 304)
        headers += [] if has_no_body else [(b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if has_no_body else body})

    async def _build_request(self, scope: Scope, receive: Receive, id: bytes) -> httpx2.Request:
        method, path, query = scope["method"], scope["path"], scope["query_string"]
        # The mounting framework may have stripped its prefix; a raw path, if present, is complete.
        paths = (quote(path).encode(), quote(scope.get("root_path", "") + path).encode())
        candidates = (scope.get("raw_path") or b"", *paths)
        path = next(
            (candidate for candidate in candidates if candidate.startswith(self._base)), b""
        )
        if not path or {".", ".."} & set(re.split(r"[/\\]", unquote(path))):
            raise _Refused(404, f"Only paths below {self._base.decode()} are forwarded.")
        headers = [
            (name, value) for name, value in scope["headers"] if name in self._forwarded_names
        ]
        if cookies := [value for name, value in scope["headers"] if name == b"cookie"]:
            headers.append((b"cookie", b"; ".join(cookies)))
        host = dict(scope["headers"]).get(b"host", b"")
        scheme, host = self._origin or (scope.get("scheme", "http").encode(), host)
        headers += [(b"authorization", self._token), (b"x-request-id", id)]
        headers += [(b"x-forwarded-host", host), (b"x-forwarded-proto", scheme)]
        if address := (scope.get("client") or ("",))[0]:
            headers.append((b"x-forwarded-for", address.encode()))
        if self._customer is not None:
            customer = self._customer(scope)
            customer = await customer if inspect.isawaitable(customer) else customer
            headers.append((b"wishwell-customer", _encode_customer(customer)))
        body = await _read_body(receive) if method not in ("GET", "HEAD") else None
        # The target is forwarded as sent, because httpx would normalise a URL.
        target = self._api.raw_path.rstrip(b"/") + path + (b"?" + query if query else b"")
        options: dict[str, Any] = {"content": body, "extensions": {"target": target}}
        return httpx2.Request(method, self._api, headers=headers, **options)

    async def _forward(
        self, request: httpx2.Request
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        try:
            async with asyncio.timeout(self._timeout):
                async with aclosing(await self._http.handle_async_request(request)) as answer:
                    body = await answer.aread()
        except httpx2.LocalProtocolError:
            raise _Refused(400, "The URL or a header is malformed.") from None
        except httpx2.TransportError:
            raise _Refused(503, "The wishlist service can't be reached now.") from None
        except TimeoutError:
            message = (
                "The wishlist service did not respond in time. A change may or "
                "may not have been made."
            )
            raise _Refused(504, message) from None
        names = [*_TO_BROWSER, b"content-length"] if request.method == "HEAD" else _TO_BROWSER
        pairs = [(name.lower(), value) for name, value in answer.headers.raw]
        return answer.status_code, [pair for pair in pairs if pair[0] in names], body


async def _read_body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Refused(400, "The body is incomplete.")
        body, more = body + message.get("body", b""), message.get("more_body", False)
        if len(body) > _LARGEST:
            raise _Refused(413, "The body must be at most 256 KiB.")
    return body


def _encode_customer(customer: object) -> bytes:
    """Returns the customer for the header; "-" for None and "", which stand for a visitor.

    Raises ``TypeError`` for anything else, so that no mistake turns a customer into a visitor.
    """
    if customer is None or customer == "":
        return b"-"
    text = str(customer) if isinstance(customer, str | int) else ""
    if isinstance(customer, bool) or text == "-" or not re.fullmatch("[!-~]+", text):
        must_be = "an id or a GID in printable ASCII without spaces, or None if nobody is signed in"
        raise TypeError(f"wishwell_client.forward: customer must be {must_be}")
    return text.encode()
