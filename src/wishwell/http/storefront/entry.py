"""The storefront's way through the pipeline: who is shopping, then a route of the API for them.

The order: path and method, the store, who, same origin, the body, the link of a visitor who signs
in, and only then what is counted and answered as for a token of the shopper.
"""

import contextlib
import time
from collections.abc import Awaitable, Callable

import structlog

from wishwell import ids, profiles, recent, stores
from wishwell.access.auth import Caller
from wishwell.errors import NotFound, SessionEnded, Unauthenticated, Unavailable
from wishwell.http import bodies, counting, metrics, responses
from wishwell.http.context import Request, Services
from wishwell.http.responses import Headers, Response
from wishwell.http.routes import PREFIX, Route
from wishwell.http.storefront import assets, cookie, customers, identity, paths
from wishwell.http.storefront.paths import Found
from wishwell.http.storefront.shop import Shops
from wishwell.http.storefront.visit import Visit
from wishwell.profiles import Profile
from wishwell.wishes import linking

_PRIVATE = ((b"cache-control", b"private, no-store"), (b"vary", b"Cookie"))
_OURS = frozenset({b"cache-control", b"www-authenticate", b"location", b"x-content-type-options"})
_PREFIX = PREFIX.encode()
_LINKED = 10_000

log = structlog.get_logger("wishwell.storefront")


class Storefront:
    """``run`` counts a request whose caller is known, and answers it."""

    def __init__(
        self,
        service: Services,
        shops: Shops,
        run: Callable[[Request, Route], Awaitable[Response]],
    ) -> None:
        self._service = service
        self._shops = shops
        self._run = run
        self._base = service.settings.storefront_base
        self._linked: dict[str, None] = {}

    def serves(self, path: str) -> bool:
        """Whether a path is below the base."""
        return path.startswith(self._base) and path[len(self._base) :].startswith("/")

    # contract: storefront-paths
    async def __call__(self, request: Request) -> Response:
        """The answer. Raises ``ServiceError``."""
        bodies.check(request.asgi)
        found = paths.find(request.path, self._base)
        if found is None:
            raise NotFound("There is nothing at this path.")
        request.route = found.name
        request.parameters = found.parameters
        paths.check_method(found, request.method)
        if found.route is None and found.asset is None:
            headers = [(b"content-type", b"text/plain"), (b"cache-control", b"no-store")]
            return Response(200, b"ok", headers)
        paths.check(request)
        seen = await self._begin(request)
        if found.asset is not None:
            return assets.answer(found.asset, self._base)
        await identity.identify(request, seen)
        if not request.reads:
            identity.check_origin(request, seen)
            request.authorize = self._authorize
            request.body = await bodies.read(request)
            seen = request.visit or seen
        if seen.signed:
            request.query_string = customers.without_platform(request.query_string)
        self._know_shopper(seen)
        await self._link(request, seen)
        return await self._answer(request, seen, found)

    async def _begin(self, request: Request) -> Visit:
        request.visit = await identity.begin(self._service, self._shops, request)
        return request.visit

    # contract: token-while-sending
    async def _authorize(self, request: Request) -> None:
        await identity.identify(request, await self._begin(request))

    # contract: storefront-answer, storefront-no-token
    def finish(self, request: Request, answer: Response) -> None:
        """Gives an answer the storefront's headers."""
        headers: Headers = [(b"x-content-type-options", b"nosniff")]
        for name, value in answer.headers:
            if name not in _OURS:
                headers.append((name, value))
            elif name == b"location" and value.startswith(_PREFIX):
                headers.append((name, self._base.encode() + b"/api" + value[len(_PREFIX) :]))
        if not request.path.startswith(f"{self._base}/api/"):
            if answer.status >= 400:
                headers.append((b"cache-control", b"no-store"))
            else:
                headers += [h for h in answer.headers if h[0] in (b"cache-control", b"location")]
            answer.headers[:] = headers
            return
        headers += _PRIVATE
        seen = request.visit
        shopper = b"-"
        if seen is not None:
            if seen.shopper is not None:
                shopper = seen.shop.cookies.shopper(seen.shopper.gid)
            if seen.set_cookie is not None:
                headers.append((b"set-cookie", seen.set_cookie))
        headers.append((b"wishwell-shopper", shopper))
        if request.taken is not None:
            headers += responses.limits(request.taken)
        answer.headers[:] = headers

    # ------------------------------------------------------------------------ on their behalf

    def _know_shopper(self, seen: Visit) -> None:
        """Makes a profile of the customer, or else of the visitor whose session is not revoked."""
        store, known = seen.store, seen.visitor
        if known is not None:
            session = profiles.of_session(store, known.session, by_token=True)
            # contract: storefront-cookie-revoked
            # Whatever its time, which may be ahead: who begins anew gets a session of their own.
            if self._service.access_cache.is_revoked_whole(session.id):
                seen.visitor = None
                seen.remove_cookie()
            else:
                seen.shopper = session
        if seen.customer is not None:
            seen.shopper = profiles.of_customer(store, seen.customer)

    # contract: storefront-sign-in
    async def _link(self, request: Request, seen: Visit) -> None:
        """Links the session of a customer who still carries one.

        If that fails, the customer is served all the same, and the cookie stays for another try.
        """
        if seen.customer is None or seen.visitor is None or seen.shopper is None:
            return
        session = profiles.of_session(seen.store, seen.visitor.session)
        if session.id not in self._linked:
            service = self._service
            bounds = stores.bounds(seen.store, service.settings)
            try:
                moved = await service.db.long_write(
                    linking.link, session, seen.shopper, bounds, service.now()
                )
                metrics.linked(moved)
            except NotFound:
                pass  # it was purged
            except Unavailable as error:
                log.warning("link_put_off", requestId=request.id, reason=error.message)
                return
            # The browser may send the cookie again before it has seen that it is removed.
            recent.keep(self._linked, session.id, None, _LINKED)
        seen.remove_cookie()

    async def _answer(self, request: Request, seen: Visit, found: Found) -> Response:
        assert found.route is not None
        if seen.shopper is not None:
            try:
                answer = await self._as(request, seen, found.route, seen.shopper)
            except SessionEnded:
                # It was linked or purged (contract: storefront-cookie-revoked).
                seen.shopper = seen.visitor = None
                seen.remove_cookie()
            else:
                await self._keep_cookie(seen)
                return answer
        return await self._for_nobody(request, seen, found, found.route)

    # contract: storefront-visitor, storefront-limits
    async def _for_nobody(
        self, request: Request, seen: Visit, found: Found, route: Route
    ) -> Response:
        """Nobody has anything, until they save something: only that begins a session."""
        request.caller = request.acts_on = None
        if route.caller == "welcome":  # contract: storefront-shared
            return await self._run(request, route)
        service, store = self._service, seen.store
        if request.reads and seen.address is not None:
            limit = service.settings.limit_visitor_read
            key, what = f"{store.id}:nobody:{seen.address}", "reads without a cookie"
            await counting.count_address(request, key, limit, what)
        if not found.is_page and not found.begins(request.method):
            raise NotFound("There is no such record.")
        if request.method == "DELETE":
            return responses.no_content()
        if request.reads:
            return responses.page([], {})
        if seen.signed:
            # contract: storefront-platform-visitor
            raise Unauthenticated("Sign in to save: this shop's platform takes cookies away.")
        seen.new_session = ids.random_uuid()
        gid = ids.session_gid(service.settings.session_namespace, seen.new_session)
        request.begin = self._begin_session
        return await self._as(request, seen, route, profiles.of_session(store, gid, by_token=True))

    async def _begin_session(self, request: Request) -> None:
        """Makes the session of a visitor who saves something for the first time."""
        service, seen, session = self._service, request.visit, request.acts_on
        assert seen is not None
        assert isinstance(session, Profile)
        if seen.address is not None:
            limit = service.settings.limit_new_sessions
            key, what = f"{seen.store.id}:sessions:{seen.address}", "new visitors"
            await counting.count_address(request, key, limit, what)
        namespace = service.settings.session_namespace
        await service.db.write(
            profiles.create_session, seen.store, namespace, seen.new_session, service.now()
        )
        seen.shopper = session
        value = seen.shop.cookies.value(session.gid, int(time.time()))
        seen.set_cookie = cookie.line(value, secure=seen.secure)

    async def _as(self, request: Request, seen: Visit, route: Route, profile: Profile) -> Response:
        kind: profiles.Kind = "session" if profile.is_session else "customer"
        request.caller = Caller(kind, seen.store, "", profile)
        request.acts_on = profile
        return await self._run(request, route)

    # contract: session-touched
    async def _keep_cookie(self, seen: Visit) -> None:
        """Sets the cookie of a visitor again, once a day, so that it and its session live on."""
        now, known = int(time.time()), seen.visitor
        if seen.customer is not None or known is None or not known.is_due(now):
            return
        service, session = self._service, profiles.of_session(seen.store, known.session)
        with contextlib.suppress(NotFound, Unavailable):  # then with the next answer
            await service.db.write(profiles.renew_session, session, service.now())
            value = seen.shop.cookies.value(known.session, now)
            seen.set_cookie = cookie.line(value, secure=seen.secure)
