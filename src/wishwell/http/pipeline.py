"""The steps of every request: id, route, caller, rate limit, handler, response, log line.

A request is counted before its other checks (rule: limit-address): for its caller or its address.
"""

import asyncio
import functools

import structlog
from msgspec import structs

from wishwell import errors, ids, profiles
from wishwell.access import addresses
from wishwell.access.auth import Caller
from wishwell.db import journal
from wishwell.fairness.fair_queue import CURRENT
from wishwell.http import (
    bad_fields,
    bad_parameters,
    queries,
    rate_limits,
    responding,
    responses,
    routes,
)
from wishwell.http.context import Request, Services
from wishwell.http.responses import Headers, Response
from wishwell.http.routes import Route
from wishwell.http.server import flows
from wishwell.http.server.body_reader import BodyMemory
from wishwell.http.storefront import identity
from wishwell.http.storefront.entry import Storefront
from wishwell.privacy import erasure
from wishwell.profiles import Profile, WholeStore
from wishwell.ratelimits import Kind
from wishwell.telemetry import metrics
from wishwell.telemetry.log import RequestLine, write_line

_API = "/api/"
"""The paths with rate limits, including unknown versions of the API."""

_SHARED = "/shared/"
# rule: response-uncached
_SHARED_HEADERS = ((b"x-robots-tag", b"noindex"), (b"referrer-policy", b"no-referrer"))
"""Headers of shared-list responses. Anyone with the link can see the list, so keep it out of search
engines and ``Referer``."""

SHED = "shed"
"""The route in metrics of requests that were shed because of overload."""

_ALLOWED_HEADERS = b"Authorization, Content-Type, X-Request-Id, Traceparent"

log = structlog.get_logger("wishwell.request")


class Pipeline:
    """The application: turns each request into a response."""

    def __init__(self, service: Services) -> None:
        self.service = service
        self._storefront = Storefront(service)
        self._storefront_api = f"{service.settings.storefront_base}{_API}"
        self._body_memory = BodyMemory(service.settings.body_memory * 2**20)

    def submit(self, request: Request) -> None:
        """Submits a request to admission, which calls its ``begin``."""
        if self._storefront.serves(request.raw_path):
            request.path, request.shopping = request.raw_path, True
            request.admitted = request.path.startswith(self._storefront_api)
        else:
            request.of_api = request.path.startswith(_API) or request.path == _API[:-1]
            request.admitted = request.of_api
        if request.admitted:
            self.service.admission.submit(request, flows.before_checks)
        else:
            request.begin()  # health checks need no admission

    def share_memory(self, request: Request) -> None:
        """Counts an unfinished body in the memory that all of the process share."""
        request.incoming.share(self._body_memory, functools.partial(flows.sender, request))

    async def __call__(self, request: Request) -> Response:
        """Returns the response; errors become a response, too."""
        try:
            if request.admitted:
                if request.refusal is not None:
                    raise request.refusal
                request.resume()
                CURRENT.set(request)
            if request.shopping:
                answer = await self._answer_storefront(request)
            else:
                self._check_host(request)
                answer = await (self._answer_api if request.of_api else _answer_management)(request)
        except Exception as error:
            answer = _answer_error(error, request)
        except asyncio.CancelledError:
            # rule: serve-workers. The timeout for running requests has expired.
            has_no_effect = request.reading or request.reads
            error_type = errors.Unavailable if has_no_effect else errors.Undecided
            answer = _answer_error(error_type("The service is shutting down."), request)
        finally:
            self.service.admission.leave(request)
        if request.shopping:
            self._storefront.replace_headers(request, answer)
        elif request.of_api:
            answer.headers += self._api_headers(request)
        if _SHARED in request.path:
            answer.headers += _SHARED_HEADERS
        answer.headers.append((b"x-request-id", request.id.encode()))
        return answer

    def refused(self, error: errors.ServiceError, peer: str) -> Response:
        """Returns the response to a malformed or oversized request."""
        id = ids.request_uuid()
        answer = responses.failure(error, id)
        log.info("refused", requestId=id, status=answer.status, reason=error.message)
        answer.headers += [*self._limit_headers(peer), (b"x-request-id", id.encode())]
        return answer

    # rule: storefront-hosts
    def _check_host(self, request: Request) -> None:
        """Raises ``NotFound`` on the host of a shop, which has only the storefront."""
        cache = self.service.access_cache
        if not cache.any_hosts_named():
            return
        # Checks both headers, even of an untrusted sender, because the web server may have routed
        # by either.
        for forwards in (False, True):
            if any(map(cache.is_shop_host, identity.hosts_of(request, forwards))):
                raise errors.NotFound("There is nothing at this path.", "path_not_found")

    # rule: limit-window
    async def _answer_api(self, request: Request) -> Response:
        route, request.parameters = routes.find(request.path)
        if route is not None:
            request.route = route.path
        if request.method == "OPTIONS" and b"access-control-request-method" in request.headers:
            return await self._preflight(request, route)
        refused: errors.ServiceError | None = None
        try:
            request.check_once(b"authorization")
            try:
                await self._authorize(request)
            finally:  # not before: the request counts for a valid token's caller
                request.check_once(*bad_parameters.SINGLE_HEADERS)
        except (errors.Invalid, errors.Unauthenticated, errors.Unavailable) as error:
            refused = error
        # The address isn't charged for a token that can't be checked now, or that is no guess.
        cost = 0 if isinstance(refused, errors.Unavailable | errors.OutdatedToken) else 1
        if route is not None and route.verified_by_body:
            return await rate_limits.count_forged(request, self._answer(request, route, refused))
        limit = rate_limits.limit_of(request, _limit_kind(request, route))
        await rate_limits.count(request, limit, cost)
        return await self._answer(request, route, refused)

    async def _answer_storefront(self, request: Request) -> Response:
        """Answers a request to the storefront: as the shopper, or as a new visitor if the shopper's
        session has ended."""
        resolved, visit = await self._storefront.resolve(request), request.visit
        if isinstance(resolved, Response):
            return resolved
        if visit is None or visit.shopper is None:
            return await self._run(request, resolved)
        try:
            answer = await self._run(request, resolved)
        except errors.SessionEnded:
            route = await self._storefront.forget_session(request, visit, resolved)
            return await self._run(request, route)
        await self._storefront.finish(request, visit)
        return answer

    async def _run(self, request: Request, route: Route) -> Response:
        """Counts a request unless it was counted before, and returns its response."""
        if request.rate_limit_state is None:
            limit = rate_limits.limit_of(request, _limit_kind(request, route))
            await rate_limits.count(request, limit)
        return await self._answer(request, route, None)

    async def _answer(
        self, request: Request, route: Route | None, refused: errors.ServiceError | None
    ) -> Response:
        request.incoming.check()
        if route is None:
            raise routes.unknown(request.path)
        handler = routes.handler(route, request.method)
        # A write to a share locks its owner, so writes with the same token take turns.
        request.lock_key = request.parameters.get("token")
        try:
            if refused is not None and not (
                isinstance(refused, errors.Unauthenticated)
                and (
                    route.caller == "ignored"
                    or (route.caller == "welcome" and not rate_limits.has_bad_token(request))
                )
            ):
                raise refused
            if request.caller is not None and route.caller != "ignored":
                await self._check_scope(request, route, request.caller)
            if route.of_store and b"profile" in request.headers:
                raise errors.Invalid(
                    "Profile: isn't allowed here; this operation acts on the whole store.",
                    cause="not_allowed",
                )
            for name in responding.PRECONDITIONS:
                responding.check_precondition(request, name)
            if route.of_store:
                responding.check_admin(request)
            names = routes.query_names(route, request.method)
            request.query = queries.parameters(request.query_string, names)
            responding.check_ids(request.parameters)
            answer = responding.answer(request, await handler(request))
            return await responding.compressed(request, answer) if route.compressed else answer
        except errors.RequestError as error:
            # rule: limit-address. Except for admin tokens, whose server sends many requests.
            if isinstance(error, errors.UnknownShare) and (
                request.caller is None or request.caller.profile is not None
            ):
                await rate_limits.count_guess(request)
            bad_fields.name_all(request, error)
            await bad_parameters.name_all(request, error, route)
            # rule: session-ended. It takes precedence over any other error.
            if isinstance(request.acts_on, Profile) and request.create_profile is None:
                await self.service.db.read(profiles.check_open, request.acts_on)
            raise

    # rules: token-required, token-revoked
    async def _authorize(self, request: Request) -> None:
        """Authenticates the caller; repeated when a body took long to arrive."""
        header = request.header(b"authorization")
        if header is None:
            raise errors.Unauthenticated(
                "Authorization: is required; send Bearer <token>.", "token_missing"
            )
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise errors.Unauthenticated("Authorization: must be Bearer <token>.", "token_missing")
        request.caller = caller = await self.service.authenticator.caller(token.strip())
        request.flow = flows.of_caller(request, caller)
        if not request.reads:
            request.authorize = self._authorize
            journal.actor.set(f"token {caller.token_id}")
        if request.acts_on is not None:
            await self._set_scope(request, caller)

    # rule: token-scope
    async def _check_scope(self, request: Request, route: Route, caller: Caller) -> None:
        """Sets whose data the request acts on. Raises ``Forbidden`` for a token of reports."""
        if caller.kind == "reports" and not route.for_reports:
            raise errors.Forbidden("This token allows only reports.", "token_kind_not_allowed")
        if request.acts_on is None:
            await self._set_scope(request, caller)
        elif request.visit is not None and isinstance(request.acts_on, Profile):
            request.acts_on = await self._empty_if_erased(request, request.acts_on)

    # rule: profile-header
    async def _set_scope(self, request: Request, caller: Caller) -> None:
        """Sets whose data the request acts on (rules: token-scope, profile-header)."""
        gid, cache = request.header(b"profile"), self.service.access_cache
        if caller.kind in ("customer", "session"):
            if gid is not None:
                raise errors.Forbidden(
                    "Profile: only an admin token may send this header.",
                    "profile_header_not_allowed",
                )
            assert caller.profile is not None
            request.acts_on = await self._empty_if_erased(request, caller.profile)
        elif caller.kind not in ("admin", "reports"):
            raise errors.Forbidden(
                "This token is valid only for the storefront, not for the API.",
                "token_kind_not_allowed",
            )
        elif gid is None:
            request.acts_on = WholeStore(caller.store)
        else:
            profile = request.profile_of(gid, "Profile")
            if profile.is_session and request.reads:
                cache.touch(profile.id)
            elif profile.is_session:
                await cache.touch_now([profile.id])
            request.acts_on = await self._empty_if_erased(request, profile)

    # rules: erase-immediate, erase-completes, forget-customers
    async def _empty_if_erased(self, request: Request, profile: Profile) -> Profile:
        """Returns the profile; for reads of a profile that is being erased, an empty one."""
        cache = self.service.access_cache
        if not profile.is_session:
            cache.touch_customer(profile)
        if (
            request.reads
            and profile.id in cache.erased
            and await self.service.db.read(erasure.is_under_way, profile.id)
        ):
            return structs.replace(profile, id=ids.NO_UUID)
        return profile

    # rule: cors-allowed
    async def _preflight(self, request: Request, route: Route | None) -> Response:
        """Returns the response to a preflight. A preflight has no token, so an origin of any store
        is allowed."""
        request.parameters = {}  # a preflight accesses no record
        # The limit is shown but not charged: a preflight is cheap, and an office may share an
        # address.
        await rate_limits.count(request, rate_limits.limit_of(request, "read"), cost=0)
        await self.service.access_cache.ensure_fresh()
        if route is None:
            raise routes.unknown(request.path)
        origin = request.headers.get(b"origin", b"").decode("latin-1")
        if not self.service.access_cache.allows_origin(origin):
            raise errors.Forbidden(
                "Origin: isn't an allowed origin. Allow it with `wishwell store update --origin`.",
                "origin_not_allowed",
            )
        answer = responses.no_content()
        answer.headers += [
            (b"access-control-allow-methods", ", ".join(routes.allowed(route)).encode()),
            (b"access-control-allow-headers", _ALLOWED_HEADERS),
            (b"access-control-max-age", b"7200"),
        ]
        return answer

    # rule: cors-allowed
    def _api_headers(self, request: Request) -> Headers:
        """Returns the headers that every response of the API has."""
        service, origin = self.service, request.headers.get(b"origin")
        state = request.rate_limit_state  # None if the request was refused before it was counted
        headers = responses.limits(state) if state else self._limit_headers(request.peer)
        if origin is not None:
            text = origin.decode("latin-1")
            headers += responses.cors(
                origin,
                text in request.store.browser_origins
                if request.caller
                else service.access_cache.allows_origin(text),
            )
        return headers

    # rule: limit-window
    def _limit_headers(self, peer: str) -> Headers:
        """Returns the limit headers of an uncounted request: the limit of its sender's address."""
        key = f"address:{addresses.client_address(peer)}"
        limit = self.service.settings.limit_address
        return responses.limits(self.service.limiter.count(key, limit, 0))


async def _answer_management(request: Request) -> Response:
    """Returns the response to a path outside the API's prefix."""
    request.incoming.check()
    route, request.parameters = routes.find(request.path)
    if route is None:
        raise routes.unknown(request.path)
    request.route = route.path
    return responding.answer(request, await routes.handler(route, request.method)(request))


# rule: limit-caller
def _limit_kind(request: Request, route: Route | None) -> Kind:
    if route is not None and route.kind is not None:
        return route.kind
    return "read" if request.method in ("GET", "HEAD", "OPTIONS") else "write"


def _answer_error(error: Exception, request: Request) -> Response:
    answer = responses.failure(error, request.id)
    if isinstance(error, errors.Overloaded):
        request.route = SHED
    elif answer.status >= 500:
        if isinstance(error, errors.Unavailable):
            log.warning("unavailable", requestId=request.id, reason=error.message)
        else:
            log.error("failed", requestId=request.id, exc_info=error)
    return answer


# rule: log-private
def log_request(request: Request, status: int, seconds: float) -> None:
    """Writes log line and metrics. They never contain path, query, token or body."""
    method, source = metrics.method_label(request.method), request.visit or request.caller
    store = source.store.handle if source else ""
    metrics.record_request(method, request.route, status, seconds, store)
    if request.route == SHED:  # logged as one line a second
        return
    line = RequestLine(
        request_id=request.id,
        method=method,
        route=request.route,
        status=status,
        ms=round(seconds * 1000, 2),
        traceparent=request.traceparent,
    )
    if request.service.settings.log_networks == "on":
        line.network = addresses.network_of(rate_limits.address(request) or "")
    for name, id in request.parameters.items():
        if name != "orderId" and ids.is_uuid(id):
            line.record = id
    if (caller := request.caller) is not None:
        line.store = caller.store.handle
        line.caller = caller.kind
        line.token = caller.token_id
        if isinstance(request.acts_on, Profile):
            line.profile = request.acts_on.log_name
    if request.merged is not None:
        line.session, line.profile = (profile.log_name for profile in request.merged)
    write_line(line)
