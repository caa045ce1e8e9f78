"""The request, and the components of the service that handlers use."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec

from wishwell import ids, profiles, stores
from wishwell.access.access_cache import AccessCache
from wishwell.access.auth import Authenticator, Caller
from wishwell.config import Settings
from wishwell.db import Database, Row
from wishwell.db.clock import ReferenceClock
from wishwell.errors import Invalid
from wishwell.events.sender import Sender
from wishwell.http.responses import Headers
from wishwell.http.server.admission import Admission, RequestTicket
from wishwell.http.server.body_reader import BodyReader
from wishwell.mailer.sender import Sender as MailSender
from wishwell.outbound import Outbound
from wishwell.profiles import Profile, Scope
from wishwell.profiles.pages import CursorSigner
from wishwell.ratelimits import Limiter, LimitState
from wishwell.shoppers.shop import ShopCache, StorefrontRequest
from wishwell.stores import Store
from wishwell.stores.sealing import Sealing

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Services:
    """The components of a running service. Only ``app`` builds it."""

    settings: Settings
    db: Database
    access_cache: AccessCache
    authenticator: Authenticator
    limiter: Limiter
    admission: Admission
    cursor_signer: CursorSigner
    outbound: Outbound
    sealing: Sealing | None
    shops: ShopCache
    sender: Sender | None
    """Sends webhook deliveries; ``None`` without sealing keys, which encrypt webhook secrets."""
    mailer: MailSender | None
    """Sends mails; ``None`` if this installation sends none."""
    clock: ReferenceClock
    new_id: ids.UUID7
    share_locations: dict[str, Row] = field(default_factory=dict)
    """Cache of where share tokens lead; see ``shares.ShareLookup``."""

    failing_jobs: set[str] = field(default_factory=set)
    """Names of the background jobs whose last run in this process failed."""

    has_warned_of_proxy: bool = False
    """Whether the log names a network that forwards browsers and isn't trusted."""

    placeholders_logged: dict[str, float] = field(default_factory=dict)
    """By store id: the monotonic time at which the log last named a placeholder."""

    def now(self) -> str:
        """Returns the current time in the format that records store."""
        return ids.timestamp(self.clock())

    def cookie_seconds(self) -> int:
        """Returns the time by which visitors' cookies are judged, in seconds."""
        return self.clock.for_ages() // 1000


class Request(RequestTicket, eq=False, kw_only=True):
    """A request on its way through the pipeline."""

    service: Services
    id: str
    method: str
    reads: bool = False
    """Whether it changes nothing, by its method."""
    target: bytes
    """The request target exactly as sent."""
    raw_path: str
    path: str
    """The percent-decoded path, except on the storefront, which uses the raw path."""
    query_string: bytes
    headers: dict[bytes, bytes]
    pairs: Headers
    """All header lines. ``headers`` has only the last one of each name."""
    peer: str
    incoming: BodyReader
    """The body, possibly still arriving."""
    keep_alive: bool
    """Whether the connection stays open after the response (keep-alive)."""
    accepts_chunked: bool
    """Whether the client understands chunked transfer encoding; HTTP/1.0 doesn't."""
    traceparent: str = ""
    """Its valid ``traceparent`` (W3C Trace Context)."""
    shopping: bool = False
    """Whether it is for the storefront."""
    of_api: bool = False
    """Whether it is for the API itself."""
    decoding: tuple[bytes, type[msgspec.Struct]] | None = None
    """The body and its type, once it is decoded."""
    reading: bool = False
    """Whether the body is still arriving: until then the request has had no effect."""
    route: str = "unknown"
    parameters: dict[str, str] = msgspec.field(default_factory=dict)
    """Path parameters by name."""
    query: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Query parameters of an API operation by name."""
    cursor_scope: str = ""
    """Scope that page cursors are bound to, set by ``responding.parse_page_request``."""
    caller: Caller | None = None
    rate_limit_state: LimitState | None = None
    """State of the rate limit that the request was counted against; ``None`` before that."""
    acts_on: Scope | None = None
    """The profile or whole store that the request acts on, once known."""
    merged: tuple[Profile, Profile] | None = None
    """The session that the request merged into a customer, and the customer."""
    visit: StorefrontRequest | None = None
    """On the storefront: the shop and the shopper, once known."""
    authorize: Callable[["Request"], Awaitable[None]] | None = None
    """Repeats authentication; called when the body took long to arrive."""
    create_profile: Callable[["Request"], Awaitable[None]] | None = None
    """Creates the profile that the request acts on; called after all checks, before the write."""

    @property
    def store(self) -> Store:
        """The caller's store or, on the storefront, the shop's."""
        if self.visit is not None:
            return self.visit.store
        assert self.caller is not None
        return self.caller.store

    @property
    def scope(self) -> Scope:
        """The profile or whole store that the request acts on. Only if the route needs a token."""
        assert self.acts_on is not None
        return self.acts_on

    @property
    def size_limits(self) -> stores.SizeLimits:
        """How much a profile of this store may hold."""
        return stores.size_limits(self.store, self.service.settings)

    def now(self) -> str:
        return self.service.now()

    def profile_of(self, gid: str, field: str) -> Profile:
        """Returns the profile with a GID in the store. Raises ``Invalid``, naming ``field``."""
        namespace = self.service.settings.session_namespace
        is_stored = self.reads or self.method == "DELETE"
        return profiles.parse(self.store, namespace, gid, field, is_stored=is_stored)

    def run(
        self,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **options: P.kwargs,
    ) -> Awaitable[T]:
        """Runs a use-case with ``Database.read`` for GET and HEAD, else with ``Database.write``."""
        db = self.service.db
        return (db.read if self.reads else db.write)(use_case, *arguments, **options)

    # rule: input-strict
    def check_once(self, *names: bytes) -> None:
        """Raises ``Invalid`` if a header in ``names`` was sent more than once."""
        if len(self.headers) != len(self.pairs):
            sent_names = [name for name, _ in self.pairs]
            for name in names:
                if sent_names.count(name) > 1:
                    message = f"{name.decode().title()}: must be sent only once."
                    raise Invalid(message, cause="repeated")

    def header(self, name: bytes) -> str | None:
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")
