"""A request, and the parts of the service that answers it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec

from wishwell import ids, stores
from wishwell.access.access_cache import AccessCache
from wishwell.access.auth import Authenticator, Caller
from wishwell.config import Settings
from wishwell.db import Database, Row
from wishwell.errors import Invalid
from wishwell.events.sender import Sender
from wishwell.http.admission import Admission
from wishwell.http.incoming import Incoming
from wishwell.http.responses import Headers
from wishwell.http.storefront.shop import Shops, Visit
from wishwell.limits import Limiter, Taken
from wishwell.outbound import Outbound
from wishwell.profiles import Scope
from wishwell.profiles.pages import CursorSigner
from wishwell.stores import Store
from wishwell.stores.sealing import Sealing

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Services:
    """The parts of a running service. Only ``app`` builds it."""

    settings: Settings
    db: Database
    access_cache: AccessCache
    authenticator: Authenticator
    limiter: Limiter
    admission: Admission
    cursor_signer: CursorSigner
    outbound: Outbound
    sealing: Sealing | None
    shops: Shops
    sender: Sender | None
    """Sends deliveries; None where nothing can be sealed."""
    clock: ids.Clock
    new_id: ids.UUID7
    share_places: dict[str, Row] = field(default_factory=dict)
    """See ``shares.Finder``."""

    def now(self) -> str:
        """The current time in the form that records have."""
        return ids.timestamp(self.clock())


class Request(msgspec.Struct):
    """One request on its way through the pipeline."""

    service: Services
    id: str
    method: str
    target: bytes
    """As it was sent."""
    raw_path: str
    path: str
    """The decoded path, and for the storefront the raw one."""
    query_string: bytes
    headers: dict[bytes, bytes]
    pairs: Headers
    """All header lines. ``headers`` has only the last of each name."""
    peer: str
    incoming: Incoming
    """The body."""
    keeps: bool
    """Whether the connection stays open behind the answer."""
    chunks: bool
    """Whether its client reads an answer in chunks; HTTP/1.0 does not."""
    reading: bool = False
    """Whether the body is still arriving, so that nothing has been done yet."""
    route: str = "unknown"
    parameters: dict[str, str] = msgspec.field(default_factory=dict)
    """The parameters in the path, by name."""
    query: Mapping[str, str] = msgspec.field(default_factory=dict)
    """The query parameters of an operation of the API, by name."""
    walk: str = ""
    """What the cursors of its page are bound to."""
    caller: Caller | None = None
    taken: Taken | None = None
    """The limit that it was counted for; None before that."""
    acts_on: Scope | None = None
    """Whose data, once that is known."""
    visit: Visit | None = None
    """For the storefront: who is shopping, once that is known."""
    authorize: Callable[["Request"], Awaitable[None]] | None = None
    """Looks again at who is asking; called when the body took long."""
    begin: Callable[["Request"], Awaitable[None]] | None = None
    """Creates the profile that it acts on; called when nothing but the write is left."""

    @property
    def store(self) -> Store:
        """The store of its caller, and on the storefront the shop's."""
        if self.visit is not None:
            return self.visit.store
        assert self.caller is not None
        return self.caller.store

    @property
    def scope(self) -> Scope:
        """Whose data it acts on; only for what needs a token."""
        assert self.acts_on is not None
        return self.acts_on

    @property
    def bounds(self) -> stores.Bounds:
        """How much a profile of the store may hold."""
        return stores.bounds(self.store, self.service.settings)

    def now(self) -> str:
        return self.service.now()

    def run(
        self,
        use_case: Callable[Concatenate[Any, P], Awaitable[T]],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> Awaitable[T]:
        """Runs a use-case, which reads for a GET or HEAD, and otherwise writes."""
        db = self.service.db
        return (db.read if self.reads else db.write)(use_case, *arguments, **named)

    # contract: header-twice
    def check_once(self, *names: bytes) -> None:
        """Raises ``Invalid`` for a header of these that was sent more than once."""
        if len(self.headers) != len(self.pairs):
            sent = [name for name, _ in self.pairs]
            for name in names:
                if sent.count(name) > 1:
                    raise Invalid(f"{name.decode().title()}: must be sent only once.")

    @property
    def reads(self) -> bool:
        return self.method in ("GET", "HEAD")

    def header(self, name: bytes) -> str | None:
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")
