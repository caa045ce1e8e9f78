"""A cache of stores, admin tokens and revocations: every request needs them, they rarely change.

Each process reads the changes from the database once a second, so a request needs no query for
them. A revocation takes effect everywhere within 5 s (contract: token-revoked): if the last
refresh is older than 4 s, requests wait for a new one.
"""

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterable
from contextvars import Context
from typing import Literal

import msgspec

from wishwell import ids, lru
from wishwell.access.registry import Registry, UnreadableStore, news
from wishwell.db import Database, ask
from wishwell.errors import StoreDeleted, Unavailable
from wishwell.profiles import Profile
from wishwell.stores import Store
from wishwell.stores.naming import authority

AdminScope = Literal["admin", "storefront", "naming", "reports"]
"""What an admin token is for: the API, the storefront, the storefront and naming customers, or
reports alone."""

_PORT = re.compile(r":[^\]]*$")
_HOST = re.compile(r"[a-z0-9._-]*|\[[0-9a-f:.]+\]")

_TRUSTED_MS = 4_000
_LOOK_UPS = 2
"""How many unknown admin tokens are looked up at once."""
_LOOK_UP_SECONDS = 0.75
"""How long a request waits for that, and for a refresh. Of its 5 s a write may take 4."""

_PAUSE_MS = {
    "admin_token_used": 60_000,
    "session_touch": ids.DAY_MS // 4,
    "customer_touch": ids.DAY_MS,
}
"""The statements that write when something was last used, and how long each does not write again of
the same one."""

_REMEMBERED = 100_000
_Note = tuple[str, str]
"""One of these statements, and the id that it takes."""


class AdminToken(msgspec.Struct, frozen=True):
    """The parts of an admin token that are checked; the times are text."""

    id: str
    store_id: str
    scope: AdminScope
    expires_at: str | None
    revoked_at: str | None


class AccessCache:
    """Call ``refresh`` before its first use and every second, ``flush`` every few seconds."""

    def __init__(self, db: Database, clock: Callable[[], int]) -> None:
        self._db = db
        self._clock = clock
        self._registry = Registry()
        self._origins: set[str] = set()
        self._hosts: dict[str, Store] = {}
        self._platform_shops: dict[str, Store] = {}
        self._admins: dict[str, AdminToken] = {}
        self._asked_at = 0
        self._reading: asyncio.Task[None] | None = None
        self._looking_up = asyncio.Semaphore(_LOOK_UPS)
        self._noted: dict[_Note, int] = {}
        self._written: dict[_Note, int] = {}

    @property
    def asked_at(self) -> int:
        """When the last successful refresh began, in milliseconds since 1970."""
        return self._asked_at

    # ------------------------------------------------------------------------ look-ups

    # contract: store-delete, bad-row
    def store(self, id: str) -> Store | None:
        """The store with this id; None if there is none.

        Raises ``StoreDeleted``, and ``Unavailable`` if its row can't be read.
        """
        if id in self._registry.deleted:
            raise StoreDeleted
        return _readable(self._registry.stores.get(id))

    def allows_origin(self, origin: str) -> bool:
        """Whether any store allows this browser origin."""
        return origin in self._origins

    # contract: storefront-hosts, bad-row
    def store_of_host(self, host: str) -> Store | None:
        """The store with this host; or the only store, if it has named no host.

        Raises ``Unavailable`` for the host of a store that can't be read.
        """
        stores = self._registry.stores
        if len(stores) == 1 and not self._hosts:
            return _readable(next(iter(stores.values())))
        return _readable(self._hosts.get(host))

    def names_hosts(self) -> bool:
        """Whether any store has named a host."""
        return bool(self._hosts)

    def is_shop_host(self, host: str) -> bool:
        """Whether a store has named this host; on any port, if it named none. Text that is no
        well-formed host counts too: a web server may take it for one."""
        name = _PORT.sub("", host).rstrip(".")
        return host in self._hosts or name in self._hosts or not _HOST.fullmatch(name)

    def store_of_platform_shop(self, shop: str) -> Store | None:
        return self._platform_shops.get(shop)

    def tells_events(self) -> bool:
        """Whether any store tells events."""
        return any(store.events_since is not None for store in self._registry.stores.values())

    def sealed(self, store_id: str) -> str | None:
        """The store's secrets, sealed; None if it has none."""
        return self._registry.sealed.get(store_id)

    @property
    def erased(self) -> frozenset[str]:
        """The keys of profiles that may be being erased (contract: erase-moment). What has ended
        meanwhile, the database knows."""
        return self._registry.erased

    def is_revoked_whole(self, profile_id: str) -> bool:
        """Whether everything that names a profile was revoked within the life of a cookie."""
        return (profile_id, "") in self._registry.revoked

    def is_revoked(self, profile_id: str, jti: str) -> bool:
        """Whether a profile token was revoked, alone or with all tokens of its profile."""
        if not self._registry.revoked:
            return False
        if (profile_id, jti) in self._registry.revoked:
            return True
        until = self._registry.revoked.get((profile_id, ""))
        # The jti has the token's time in milliseconds. iat has whole seconds, which is too coarse:
        # a token issued right after a revocation must be valid.
        return until is not None and ids.time_of(jti) <= until

    def known_admin_token(self, hashed: str) -> AdminToken | None:
        """The admin token with this hash, if it was looked up before."""
        return self._admins.get(hashed)

    async def admin_token(self, hashed: str) -> AdminToken | None:
        """The admin token with this hash; None if it is unknown, revoked or expired."""
        token = self._admins.get(hashed) or await self._look_up(hashed)
        if token is None or token.revoked_at or token.id in self._registry.revoked_admins:
            return None
        if token.expires_at is not None and token.expires_at <= ids.timestamp(self._clock()):
            return None
        self._note("admin_token_used", token.id)
        return token

    # contract: admin-token-guess
    async def _look_up(self, hashed: str) -> AdminToken | None:
        """Asks the database, few at a time: made-up tokens must not take all its connections."""
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS), self._looking_up:
                rows = await self._db.read(ask, "admin_token_by_hash", hash=hashed)
        except TimeoutError as error:
            raise Unavailable("Too many unknown admin tokens at once.") from error
        if not rows:
            return None
        token = AdminToken(*rows[0])
        if token.store_id not in self._registry.stores:  # both are newer than the last refresh
            await self.refresh()
        self._admins[hashed] = token
        return token

    # --------------------------------------------------------------------- keeping fresh

    # contract: database-away
    async def ensure_fresh(self) -> None:
        """Refreshes if the cache is too old. Raises ``Unavailable`` if that fails or takes long:
        the request has its own time for the database."""
        if 0 <= self._clock() - self._asked_at < _TRUSTED_MS:
            return
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS):
                await self._read()
        except TimeoutError as error:
            raise Unavailable("The database is too slow.") from error

    # contract: store-change-seen
    async def refresh(self) -> None:
        """Reads what has changed until now from the database. Raises ``Unavailable``."""
        if self._reading is not None:  # it may have begun too early
            await asyncio.wait([self._reading])
        await self._read()

    async def _read(self) -> None:
        """One look serves all who wait, and its failure is theirs: a thousand of them would queue
        for minutes behind a database server that is paused."""
        if self._reading is None:
            # With an empty context: it is the work of no single request.
            self._reading = asyncio.create_task(self._look(), context=Context())
        await asyncio.shield(self._reading)

    async def _look(self) -> None:
        now = self._clock()
        # contract: clock-marks. After the clock was set back, everything: it may have been ahead
        # when this process asked, and what changed since would be older than that.
        since = self._asked_at if self._asked_at <= now else 0
        try:
            changes = await self._db.read(news, since, now, self._registry.stores.keys())
        finally:
            self._reading = None
        if self._registry.learn(changes):
            all_stores = self._registry.stores.values()
            self._origins = {origin for store in all_stores for origin in store.origins}
            self._hosts = {authority(host): store for store in all_stores for host in store.hosts}
            self._platform_shops = {store.naming.platform_shop: store for store in all_stores}
            self._platform_shops.pop("", None)
        self._asked_at = now

    # ------------------------------------------------- what is written: uses of tokens, touches

    # contract: session-touched
    def touch(self, profile_id: str) -> None:
        """Notes that an admin token reads a session, so that the purge keeps the session."""
        self._note("session_touch", profile_id)

    # contract: forget-customers
    def touch_customer(self, profile: Profile) -> None:
        """Notes that a customer made a request, where the store forgets customers."""
        if profile.store.forget_customers_after is not None:
            self._note("customer_touch", profile.id)

    async def touch_now(self, profile_ids: Iterable[str]) -> None:
        """Writes at once that an admin token changes sessions, and not only into memory.

        Otherwise, if this process ended, a purge could remove the new records. Raises
        ``Unavailable``.
        """
        for id in profile_ids:
            self.touch(id)
            await self._write(("session_touch", id))

    def _note(self, statement: str, id: str) -> None:
        note, now = (statement, id), self._clock()
        if not 0 <= now - self._written.get(note, 0) <= _PAUSE_MS[statement]:
            self._noted[note] = now

    async def flush(self) -> None:
        """Writes what was noted. Raises ``Unavailable``.

        Each time is written by itself: its row may lie on a server that is away. What could not be
        written is kept, and comes last the next time.
        """
        for note in list(self._noted):
            await self._write(note)

    async def _write(self, note: _Note) -> None:
        if (at := self._noted.pop(note, None)) is None:
            return
        statement, id = note
        named = {"id": id, "profile": id, "now": ids.timestamp(at)}  # each takes its own of these
        try:
            await self._db.write(ask, statement, **named)
        except BaseException:
            self._noted.setdefault(note, at)
            raise
        lru.keep(self._written, note, at, _REMEMBERED)

    async def close(self) -> None:
        with contextlib.suppress(Unavailable):
            await self.flush()


def _readable(store: Store | None) -> Store | None:
    if isinstance(store, UnreadableStore):
        raise Unavailable("This store can't be read.")
    return store
