"""The ASGI application: who is shopping, then the API on their behalf, then the answer.

The order is that of docs/proxy.md: path and method, the platform's signature, who, same origin,
the body, the link of a visitor who signs in, the token, and only then the API.
"""

import inspect
import time
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any

import structlog

from wishwell import ids
from wishwell.log import Line, write_line
from wishwell.proxy import allowed, answers, cookie, newcomers, origin, reading, who
from wishwell.proxy.allowed import Route
from wishwell.proxy.answers import Answer, Headers, Refused, Relayed
from wishwell.proxy.assets import Assets
from wishwell.proxy.cookie import Visitor
from wishwell.proxy.inside import Inside
from wishwell.proxy.keys import KeySet
from wishwell.proxy.newcomers import Newcomers
from wishwell.proxy.settings import Settings
from wishwell.proxy.start import Check
from wishwell.proxy.tokens import Tokens, Unknown, reached
from wishwell.proxy.upstream import Upstream

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
CustomerOf = Callable[[Scope], str | int | Awaitable[str | int | None] | None]


log = structlog.get_logger("wishwell.request")


class _Visit:
    """One request on its way, and what it turns out to be."""

    __slots__ = (
        "customer",
        "has_cookie",
        "headers",
        "id",
        "jars",
        "method",
        "path",
        "query",
        "receive",
        "repeated",
        "route",
        "scope",
        "secure",
        "set_cookie",
        "shopper",
        "visitor",
    )

    def __init__(self, scope: Scope, receive: Receive) -> None:
        pairs = scope["headers"]
        self.scope = scope
        self.receive = receive
        self.method: str = scope["method"]
        raw = scope.get("raw_path")
        self.path: str = raw.decode("latin-1") if raw else scope["path"]
        self.query: bytes = scope["query_string"]
        self.headers: dict[bytes, bytes] = dict(pairs)
        repeated = len(self.headers) != len(pairs)
        names = [name for name, _ in pairs] if repeated else []
        self.repeated = {name for name in names if names.count(name) > 1}
        self.jars = [value for name, value in pairs if name == b"cookie"]
        self.id = allowed.request_id(self.headers) or ids.random_uuid()
        self.route: Route | None = None
        self.secure = False
        self.customer: str | None = None
        self.visitor: Visitor | None = None
        self.has_cookie = False
        self.shopper: str | None = None
        self.set_cookie: bytes | None = None


class _VisitLine(Line, kw_only=True, rename={"request_id": "requestId"}):
    """What the log says of a request to the proxy."""

    request_id: str
    method: str
    route: str
    status: int
    shopper: str
    ms: float


class Proxy:
    """The proxy as an ASGI application, for a server of its own or mounted into another one.

    ``customer``: a function of the ASGI scope that names the signed-in customer by id or GID, or
    None; it may be asynchronous. It is asked before the platform's query and the JWT.
    ``dates``: the answers carry ``Date``, the API's where there is one. For a server that writes
    none itself: most do, and two of them would be worse than one of another clock.
    """

    def __init__(
        self,
        settings: Settings,
        customer: CustomerOf | None = None,
        upstream: Upstream | Inside | None = None,
        *,
        dates: bool = False,
    ) -> None:
        self._settings = settings
        self._dates = dates
        self._customer_of = customer
        self._signer = cookie.Signer(settings.secret, settings.store)
        self._assets = Assets(Path(settings.assets), settings.base)
        self._upstream = upstream or Upstream(settings.api, settings.timeout)
        self._tokens = Tokens(self._upstream, settings.token, settings.tokens)
        self._check = Check(self._upstream, settings)
        self._newcomers = Newcomers(settings.new_sessions)
        self._keys = KeySet(settings.jwt_jwks, settings.timeout) if settings.jwt_jwks else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1003})
            return
        started = time.perf_counter()
        self._check.begin()  # a server that mounts it may tell it of no start
        visit = _Visit(scope, receive)
        try:
            answer = await self._answer(visit)
        except Refused as refused:
            answer = refused.answer(visit.id)
        except Relayed as relayed:
            answer = self._passed_on(relayed.answer)
        except reading.Gone:
            return
        except Exception as error:
            log.error("failed", requestId=visit.id, exc_info=error)
            answer = answers.own(500, "The proxy failed; its log has the reason.", visit.id, [])
        await self._send(visit, answer, send)
        line = _VisitLine(
            request_id=visit.id,
            method=visit.method if len(visit.method) < 10 else "other",
            route=visit.route.template if visit.route else "unknown",
            status=answer.status,
            shopper="customer" if visit.customer else "visitor" if visit.shopper else "nobody",
            ms=round((time.perf_counter() - started) * 1000, 2),
        )
        write_line(line)

    async def begin(self) -> None:
        """Asks the API whether it takes the settings, and logs if not. It holds a start up for a
        second at most; a mounted proxy asks by itself with its first request."""
        await self._check.patiently()

    async def close(self) -> None:
        """Closes the connections to the API."""
        self._check.end()
        await self._upstream.close()
        if self._keys is not None:
            await self._keys.close()

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                await self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return
            await self.begin()
            await send({"type": "lifespan.startup.complete"})

    async def _send(self, visit: _Visit, answer: Answer, send: Send) -> None:
        headers = answer.headers
        headers.append(answers.NOSNIFF)
        if visit.path.startswith(f"{self._settings.base}/api/"):
            shopper = self._signer.shopper(visit.shopper) if visit.shopper else b"-"
            headers.extend(answers.PRIVATE)
            headers.append((b"wishwell-shopper", shopper))
        elif answer.status >= 400:
            headers.append((b"cache-control", b"no-store"))
        if visit.set_cookie is not None:
            headers.append((b"set-cookie", visit.set_cookie))
        if self._dates and not any(name == b"date" for name, _ in headers):
            headers.append((b"date", formatdate(usegmt=True).encode()))
        if answer.status in (408, 413) and visit.scope.get("http_version") == "1.1":
            headers.append((b"connection", b"close"))  # what is left of the body is not read
        if answer.status != 204:
            headers.append((b"content-length", b"%d" % len(answer.body)))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        body = b"" if visit.method == "HEAD" else answer.body
        await send({"type": "http.response.body", "body": body})

    # ---------------------------------------------------------------------------- what it is

    async def _answer(self, visit: _Visit) -> Answer:
        visit.route = route = allowed.route(visit.path, self._settings.base)
        if route is None:
            raise Refused(404, "There is nothing at this path.")
        allowed.check_method(route, visit.method)
        if route.kind == "livez":
            return Answer(200, [(b"content-type", b"text/plain"), (b"cache-control", b"no-store")],
                          b"ok")  # fmt: skip
        allowed.check_query(visit.query)
        customer = self._platform(visit)
        if route.kind == "assets":
            return self._assets.answer(route.path)
        allowed.check_headers(visit.headers, visit.repeated)
        await self._identify(visit, customer)
        body = b""
        if visit.method in allowed.WRITES:
            origin.check_same(visit.scope, visit.headers, self._settings, secure=visit.secure)
            body = await reading.body(visit.headers, visit.receive)
        if await self._is_linked(visit):
            self._remove_cookie(visit)
        return await self._for_shopper(visit, route, body)

    async def _is_linked(self, visit: _Visit) -> bool:
        """Links the session of a customer who still carries one; where that fails, the customer is
        served all the same, and the cookie stays for another try."""
        if visit.customer is None or visit.visitor is None:
            return False
        return await self._tokens.link(visit.visitor.session, visit.customer, visit.id)

    def _platform(self, visit: _Visit) -> str | None:
        """The customer of the platform's signed query. Without a good one nothing goes on."""
        settings = self._settings
        if not settings.platform_secret:
            return None
        try:
            customer = who.platform_customer(
                visit.query, settings.platform_secret, settings.platform_shop, int(time.time())
            )
        except who.Wrong as wrong:
            raise Refused(401, f"The platform's signed query: {wrong}.") from None
        visit.query = who.without_platform(visit.query)
        return customer

    # --------------------------------------------------------------------------------- who

    async def _identify(self, visit: _Visit, customer: str | None) -> None:
        visit.secure = origin.is_secure(visit.scope, visit.headers, self._settings)
        found = cookie.values(visit.jars, cookie.name(secure=visit.secure)) if visit.jars else []
        if found:
            visit.has_cookie = True
            if len(found) == 1:
                visit.visitor = self._signer.visitor(found[0], int(time.time()))
            if visit.visitor is None:
                self._remove_cookie(visit)
        visit.customer = await self._customer(visit, customer)
        if visit.customer is not None:
            visit.shopper = visit.customer
        elif visit.visitor is not None:
            visit.shopper = visit.visitor.session

    async def _customer(self, visit: _Visit, of_platform: str | None) -> str | None:
        """The GID of the customer whom the shop names."""
        if self._customer_of is not None:
            named = self._customer_of(visit.scope)
            if inspect.isawaitable(named):
                named = await named
            if named is not None:
                return who.gid(self._settings.platform, named)
        if of_platform is not None:
            try:
                return who.gid(self._settings.platform, of_platform)
            except who.Wrong as wrong:
                raise Refused(401, f"logged_in_customer_id: {wrong}.") from None
        return await self._jwt(visit)

    async def _jwt(self, visit: _Visit) -> str | None:
        settings = self._settings
        name = settings.jwt_header.lower().encode()
        if name and name in visit.headers:
            if name in visit.repeated:
                raise Refused(400, f"{settings.jwt_header}: this header is there twice.")
            text = visit.headers[name].decode("latin-1").strip()
            try:
                return await self._jwt_customer(
                    text[7:].strip() if text[:7].lower() == "bearer " else text
                )
            except who.Wrong as wrong:
                raise Refused(401, f"{settings.jwt_header}: {wrong}.") from None
        if settings.jwt_cookie:
            found = cookie.values(visit.jars, settings.jwt_cookie.encode())
            if len(found) == 1:
                try:
                    return await self._jwt_customer(found[0].decode("latin-1"))
                except who.Wrong:
                    return None  # a shop's old cookies come along for years
        return None

    async def _jwt_customer(self, token: str) -> str:
        settings = self._settings
        key = await self._keys.key(who.key_id(token)) if self._keys else settings.jwt_key
        customer = who.jwt_customer(
            token,
            key,
            issuer=settings.jwt_issuer,
            audience=settings.jwt_audience,
            claim=settings.jwt_claim,
        )
        return who.gid(settings.platform, customer)

    # ------------------------------------------------------------------------ on their behalf

    async def _for_shopper(self, visit: _Visit, route: Route, body: bytes) -> Answer:
        if visit.shopper is not None:
            try:
                answer = await self._forward(visit, route, visit.shopper, body)
            except Unknown:
                if visit.customer is not None:
                    raise Refused(404, "The wishlist knows no such customer.") from None
                visit.shopper = None
                self._remove_cookie(visit)
            else:
                self._keep_cookie(visit)
                return answer
        return await self._for_nobody(visit, route, body)

    async def _for_nobody(self, visit: _Visit, route: Route, body: bytes) -> Answer:
        """The API is asked nothing, until somebody saves something."""
        if not route.is_page:
            raise Refused(404, "There is no such record.")
        if visit.method == "DELETE":
            return Answer(204, [(b"x-request-id", visit.id.encode())])
        if visit.method != "POST":
            return answers.empty(visit.id)
        try:
            self._newcomers.check(newcomers.address(visit.scope, self._settings))
            session = await self._tokens.begin(visit.id)
            visit.shopper = session
            value = self._signer.value(session, int(time.time()))
            visit.set_cookie = cookie.line(value, secure=visit.secure)
            return await self._forward(visit, route, session, body)
        except Unknown:
            raise answers.away() from None

    async def _forward(self, visit: _Visit, route: Route, gid: str, body: bytes) -> Answer:
        """The API's answer to the request, sent with a token of the profile."""
        lines = allowed.to_api(visit.headers, visit.id, has_body=bool(body))
        target = f"{allowed.API}{route.path}"
        if visit.query:
            target += "?" + visit.query.decode("ascii")
        # The body of a HEAD is dropped at the end; asked for as GET, both are read alike.
        method = "GET" if visit.method == "HEAD" else visit.method
        for last in (False, True):
            token = await self._tokens.get(gid, visit.id)
            headers = b"authorization: Bearer " + token.encode() + b"\r\n" + lines
            answer = await reached(self._upstream.send(method, target, headers, body))
            if answer.status != 401 or last:
                break
            self._tokens.drop(gid, token)
        return self._passed_on(answer)

    def _passed_on(self, answer: Answer) -> Answer:
        headers: Headers = allowed.from_api(answer.headers, self._settings.base, date=self._dates)
        return Answer(answer.status, headers, answer.body)

    # ------------------------------------------------------------------------------ the cookie

    def _remove_cookie(self, visit: _Visit) -> None:
        if visit.has_cookie:
            visit.set_cookie = cookie.line("", secure=visit.secure)

    def _keep_cookie(self, visit: _Visit) -> None:
        """Sets the cookie of a visitor again, once a day, so that it lives on."""
        now = int(time.time())
        if visit.customer is None and visit.visitor is not None and visit.visitor.is_due(now):
            value = self._signer.value(visit.visitor.session, now)
            visit.set_cookie = cookie.line(value, secure=visit.secure)
