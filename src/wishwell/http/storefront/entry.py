"""Storefront requests: finds out who is shopping, and which API route to run on their behalf.

Steps: path and method, store, shopper, same origin, body, and merging the session of a visitor who
has signed in. The pipeline then counts and answers the request like one with the shopper's token.
"""

import contextlib
import functools

import structlog

from wishwell import ids, profiles
from wishwell.access.auth import Caller
from wishwell.contacts import addresses
from wishwell.errors import NotFound, Unauthenticated, Unavailable
from wishwell.http import assets, rate_limits, request_body, responses
from wishwell.http.context import Request, Services
from wishwell.http.responses import Headers, Response
from wishwell.http.routes import PREFIX, Route
from wishwell.http.server import flows
from wishwell.http.storefront import documents, identity, mail_pages, paths, visitors
from wishwell.profiles import Profile
from wishwell.shoppers import customers
from wishwell.shoppers.shop import StorefrontRequest
from wishwell.telemetry import metrics
from wishwell.wishlists import linking

_VARY = (b"vary", b"Cookie")
_PRIVATE = ((b"cache-control", b"private, no-store"), _VARY)
_OURS = frozenset({b"cache-control", b"www-authenticate", b"location", b"x-content-type-options"})
_OF_ASSETS = frozenset({b"cache-control", b"location"})
_PREFIX = PREFIX.encode()
_PROFILE = "/profile"

log = structlog.get_logger("wishwell.storefront")


class Storefront:
    """Resolves requests below the storefront's base to a caller and an API route."""

    def __init__(self, service: Services) -> None:
        self._service = service
        self._base = service.settings.storefront_base

    def serves(self, path: str) -> bool:
        """Returns whether a path is the base or below it."""
        return path.startswith(self._base) and path[len(self._base) :][:1] in ("", "/")

    # rule: storefront-paths
    async def resolve(self, request: Request) -> Route | Response:
        """Sets the request's caller and returns the route to run as them; or the response, if no
        route has to run. Raises ``ServiceError``."""
        request.incoming.check()
        route, name = paths.find(request, self._base)
        paths.check(request)
        if name == visitors.EXCHANGE:
            return await visitors.token(request)
        if route == "mail":
            return await mail_pages.answer(request, name)
        # The elements' scripts are served while a store is off, because they hide the hearts.
        visit = request.visit = await identity.begin(request, serves_off=route == "asset")
        request.flow = flows.of_visit(request, visit)
        if route == "asset":
            return assets.file(request, assets.FOLDER, name, [])
        if route == "page":
            languages = request.header(b"accept-language")
            return documents.answer(name, self._base, visit, languages)
        await identity.identify(request, visit)
        request.flow = flows.of_visit(request, visit)
        if not request.reads:
            identity.check_origin(request, visit)
            request.authorize = self._authorize
            await self._count_change(request, visit, by_key=isinstance(route, str))
            await request_body.read(request)
            visit = request.visit
        if isinstance(route, str):
            return await self._link_by_key(request, visit)
        if visit.signed:
            request.query_string = customers.without_platform(request.query_string)
        await self._link(request, visit)
        if request.reads and route.path == _PROFILE:
            await self._store_address(request, visit)
        if visit.shopper is None:
            return await self._resolve_nobody(request, visit, route)
        self._act_as(request, visit, visit.shopper)
        return route

    # rule: limit-address
    async def _count_change(
        self, request: Request, visit: StorefrontRequest, *, by_key: bool
    ) -> None:
        """Counts a change before its body is read: for the shopper, else for the address.
        ``by_key``: whether it links the session of a key, which only a customer can."""
        if visit.shopper is None or (by_key and visit.customer is None):
            await self._count_nobody(request, visit, "changes")
            return
        self._act_as(request, visit, visit.shopper)
        limit = rate_limits.limit_of(request, "token" if by_key else "write")
        await rate_limits.count(request, limit)

    # rule: token-revoked
    async def _authorize(self, request: Request) -> None:
        request.visit = await identity.begin(request)
        await identity.identify(request, request.visit)

    # rule: storefront-no-token
    def replace_headers(self, request: Request, answer: Response) -> None:
        """Replaces the API's headers of a response by the storefront's."""
        of_api = request.path.startswith(f"{self._base}/api/")
        headers: Headers = [(b"x-content-type-options", b"nosniff")]
        for name, value in answer.headers:
            if name == b"location" and value.startswith(_PREFIX):
                headers.append((name, self._base.encode() + b"/api" + value[len(_PREFIX) :]))
            elif name not in _OURS or (not of_api and answer.status < 400 and name in _OF_ASSETS):
                headers.append((name, value))
        if of_api:
            cache_control = dict(answer.headers).get(b"cache-control", b"")
            # rule: show-wishes. A cached response is valid for the same cookies only.
            headers += (
                ((b"cache-control", cache_control), _VARY)
                if b"max-age" in cache_control
                else _PRIVATE
            )
            headers += self._shopper_headers(request.visit)
            if request.rate_limit_state is not None:
                headers += responses.limits(request.rate_limit_state)
        elif answer.status >= 400:
            headers.append((b"cache-control", b"no-store"))
        if request.path == f"{self._base}/api{visitors.EXCHANGE}":
            headers += visitors.cors(request)
        elif (visit := request.visit) is not None and visit.new_key and answer.status < 300:
            answer.body = visitors.with_key(answer.body, visit)
        answer.headers[:] = headers

    def _shopper_headers(self, visit: StorefrontRequest | None) -> Headers:
        # A page takes a changed header for another shopper, and asks again.
        if visit is None or not visit.is_identified:
            return []
        cookies = [(b"set-cookie", visit.set_cookie)] if visit.set_cookie is not None else []
        shopper = visit.shop.cookies.shopper(visit.shopper.gid) if visit.shopper else b"-"
        return [*cookies, (b"wishwell-shopper", shopper)]

    # ------------------------------------------------------------------- on the shopper's behalf

    # rule: storefront-sign-in
    async def _link(self, request: Request, visit: StorefrontRequest) -> None:
        """Merges the session of a visitor who has signed in into the customer.

        If the database is unavailable, the customer is still served, and the next request retries,
        because the cookie stays.
        """
        if visit.customer is None or visit.session is None:
            return
        try:
            await self._merge(request, visit.session, visit.customer)
        except Unavailable as error:
            log.warning("link_put_off", requestId=request.id, reason=error.message)
            return
        visit.remove_cookie()

    async def _merge(self, request: Request, session: Profile, customer: Profile) -> None:
        """Merges a session, unless it was purged, into a customer. Raises ``Unavailable``."""
        service = self._service
        with contextlib.suppress(NotFound):
            moved = await service.db.long_write(
                linking.link, session, customer, request.size_limits, service.now()
            )
            metrics.count_link(moved)
            request.merged = session, customer

    # rule: storefront-visitor-key
    async def _link_by_key(self, request: Request, visit: StorefrontRequest) -> Response:
        """Merges the session of a key into the customer whom the platform's query names."""
        key = await visitors.key_in(request)
        if not visit.signed:
            raise NotFound("This path requires the platform's signed query.", "path_not_found")
        if visit.customer is None:
            return responses.record({"linked": False})
        self._act_as(request, visit, visit.customer)
        session, _ = await visitors.session_of(request, visit.shop, key)
        await self._merge(request, session, visit.customer)
        return responses.record({"linked": True})

    # rule: storefront-visitor
    async def forget_session(
        self, request: Request, visit: StorefrontRequest, route: Route
    ) -> Route:
        """Resolves a request again, as of a new visitor, whose session was linked or purged."""
        visit.session = None
        visit.remove_cookie()
        return await self._resolve_nobody(request, visit, route)

    # rules: storefront-visitor, limit-address
    async def _resolve_nobody(
        self, request: Request, visit: StorefrontRequest, route: Route
    ) -> Route:
        """Lets a visitor without a session act as an empty profile or, to save or to change a
        shared list, as the session that the handler will create."""
        request.caller = request.acts_on = None
        if route.caller == "welcome":
            return route
        if request.reads:
            await self._count_nobody(request, visit, "reads")
            if not route.of_shop:
                request.query_string = b""  # whatever the search, an empty profile has no matches
        names_record = bool(request.parameters) and "token" not in request.parameters
        if names_record or request.method not in ("POST", "PUT"):
            request.acts_on = profiles.of_nobody(visit.store)
            return route
        id = ids.random_uuid()
        gid = ids.session_gid(self._service.settings.session_namespace, id)
        request.create_profile = functools.partial(self._begin_session, id)
        self._act_as(request, visit, profiles.of_session(visit.store, gid, by_token=True))
        return route

    async def _count_nobody(self, request: Request, visit: StorefrontRequest, what: str) -> None:
        if visit.address is not None:
            limit = self._service.settings.limit_visitor_read
            key = f"{visit.store.id}:nobody:{what}:{visit.address}"
            await rate_limits.count_address(request, key, limit, f"{what} without a cookie")

    async def _begin_session(self, id: str, request: Request) -> None:
        """Creates the session of a visitor who saves something for the first time."""
        service, visit = self._service, request.visit
        assert visit is not None
        if visit.signed and not visitors.service_of(visit):  # rule: storefront-platform
            raise Unauthenticated(
                "Sign in to save: this shop's platform removes cookies.", "sign_in_required"
            )
        limit, what = service.settings.limit_new_sessions, "new visitors"
        # A captured query may be sent with any address.
        for sender in filter(None, (visit.signature, visit.address)):
            key = f"{visit.store.id}:sessions:{sender}"
            await rate_limits.count_address(request, key, limit, what)
        namespace = service.settings.session_namespace
        visit.session = await service.db.write(
            profiles.create_session, visit.store, namespace, id, service.now()
        )
        if visit.signed:
            visit.new_key = visitors.key_of(visit.shop, visit.session, service.clock())
        else:
            visit.issue_cookie(visit.session, service.clock())

    def _act_as(self, request: Request, visit: StorefrontRequest, profile: Profile) -> None:
        kind: profiles.Kind = "session" if profile.is_session else "customer"
        request.caller = Caller(kind, visit.store, "", profile)
        request.acts_on = profile

    async def finish(self, request: Request, visit: StorefrontRequest) -> None:
        """Stores what the request says about the shopper, beside the request's own work."""
        await self._renew_cookie(visit)
        if not request.reads:
            await self._store_address(request, visit)

    # rule: mail-addresses
    async def _store_address(self, request: Request, visit: StorefrontRequest) -> None:
        """Stores the address that the shop's JWT names with the customer's profile, unless it is
        stored or the customer has removed their address. Only writes and ``GET /profile`` do, so
        that other reads cost nothing."""
        address = visit.shop_address
        if address is None or not visit.store.mail.mail_on:
            return
        db = self._service.db
        try:
            if await db.read(addresses.is_new, address):
                await db.write(addresses.set_by_shop, visit.store, [address], self._service.now())
        except Unavailable as error:  # the next request retries
            log.warning("address_put_off", requestId=request.id, reason=error.message)

    # rule: session-purged
    async def _renew_cookie(self, visit: StorefrontRequest) -> None:
        """Renews a visitor's cookie and session, once a day, so that they don't expire."""
        if visit.customer is not None or visit.session is None or not visit.is_due:
            return
        with contextlib.suppress(NotFound, Unavailable):  # the next response retries
            await self._service.db.write(profiles.renew_session, visit.session, self._service.now())
            visit.issue_cookie(visit.session, self._service.clock())
