"""A cache of stores, admin tokens and revocations: every request needs them, they rarely change.

Each process reads the changes from the database once a second, so a request needs no query for
them. A revocation takes effect everywhere within 5 s (contract: token-revoked): if the last
refresh is older than 4 s, requests wait for a new one.
"""

import asyncio
import contextlib
import operator
import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import msgspec

from wishwell import ids
from wishwell.access.erased import ErasedProfiles
from wishwell.access.registry import Registry, news
from wishwell.db import Database, Reader, ask
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
_PAUSE = 0.5
"""Seconds between a failed refresh and the next that a request begins."""

_LOOK_UPS = 2
_LOOK_UP_SECONDS = 1.0
"""How many unknown admin tokens are looked up at once, and how long others wait for their turn."""

_FORGET_MS = 3_600_000

_Note = tuple[Literal["admin_token_used", "customer_touch", "session_touch"], str]
"""The statement that writes a time, and the id that it takes."""


class AdminToken(msgspec.Struct, frozen=True):
    """The parts of an admin token that are checked; ``expires_at`` is a time as text."""

    id: str
    store_id: str
    scope: AdminScope
    expires_at: str | None


class AccessCache:
    """Call ``refresh`` before its first use and every second, ``flush`` every few seconds."""

    def __init__(self, db: Database, clock: Callable[[], int]) -> None:
        self._db = db
        self._clock = clock
        self._registry = Registry()
        self._origins: set[str] = set()
        self._hosts: dict[str, Store | None] = {}  # None: of a store that can't be read
        self._platform_shops: dict[str, Store] = {}
        self._admins: dict[str, AdminToken] = {}
        self.erased = ErasedProfiles()
        self._asked_at = 0
        self._asking = asyncio.Lock()
        self._not_before = 0.0
        self._looking_up = asyncio.Semaphore(_LOOK_UPS)
        self._noted: dict[_Note, int] = {}
        self._written: dict[_Note, int] = {}
        self._forgot_at = 0

    @property
    def asked_at(self) -> int:
        """When the last successful refresh began, in milliseconds since 1970."""
        return self._asked_at

    @property
    def stores(self) -> Mapping[str, Store]:
        """All stores, by their ids: another object whenever any has changed."""
        return self._registry.stores

    # ------------------------------------------------------------------------ look-ups

    # contract: store-delete, bad-row
    def store(self, id: str) -> Store | None:
        """The store with this id; None if there is none.

        Raises ``StoreDeleted``, and ``Unavailable`` if its row can't be read.
        """
        store = self._registry.stores.get(id)
        if store is None and id in self._registry.deleted:
            raise StoreDeleted
        if store is None and id in self._registry.unreadable:
            raise Unavailable("This store can't be read.")
        return store

    def allows_origin(self, origin: str) -> bool:
        """Whether any store allows this browser origin."""
        return origin in self._origins

    # contract: storefront-hosts, bad-row
    def store_of_host(self, host: str) -> Store | None:
        """The store with this host; or the only store, if it has named no host.

        Raises ``Unavailable`` for the host of a store that can't be read.
        """
        if host in self._hosts:
            store = self._hosts[host]
            if store is None:
                raise Unavailable("This store can't be read.")
            return store
        alone = (
            len(self._registry.stores) == 1 and not self._hosts and not self._registry.unreadable
        )
        return next(iter(self._registry.stores.values())) if alone else None

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

    async def admin_token(self, hashed: str) -> AdminToken | None:
        """The admin token with this hash; None if it is unknown, revoked or expired."""
        token = self._admins.get(hashed) or await self._look_up(hashed)
        if token is None or token.id in self._registry.revoked_admins:
            return None
        now = self._clock()
        if token.expires_at is not None and token.expires_at <= ids.timestamp(now):
            return None
        self._noted["admin_token_used", token.id] = now
        return token

    # contract: admin-token-guess
    async def _look_up(self, hashed: str) -> AdminToken | None:
        """Asks the database, few at a time: made-up tokens must not take all its connections."""
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS):
                await self._looking_up.acquire()
        except TimeoutError as error:
            raise Unavailable("Too many unknown admin tokens at once.") from error
        try:
            token = await self._db.read(_token, hashed)
        finally:
            self._looking_up.release()
        if token is not None:
            if token.store_id not in self._registry.stores:  # both are newer than the last refresh
                await self.refresh()
            self._admins[hashed] = token
        return token

    # --------------------------------------------------------------------- keeping fresh

    # contract: database-away
    async def ensure_fresh(self) -> None:
        """Refreshes if the cache is too old. Raises ``Unavailable`` if that fails.

        One refresh serves all requests that wait, and a pause follows a failed one: a thousand of
        them would queue for minutes behind a database server that is paused.
        """
        if self._is_fresh():
            return
        async with self._asking:
            if self._is_fresh():
                return
            if time.monotonic() < self._not_before:
                raise Unavailable("Reading stores and revocations failed a moment ago.")
            await self._read()

    def _is_fresh(self) -> bool:
        return 0 <= self._clock() - self._asked_at < _TRUSTED_MS

    # contract: store-change-seen
    async def refresh(self) -> None:
        """Reads what has changed from the database. Raises ``Unavailable``."""
        async with self._asking:
            await self._read()

    async def _read(self) -> None:
        now = self._clock()
        try:
            changes = await self._db.read(news, self._asked_at, now, self._registry.stores.keys())
        except Unavailable:
            self._not_before = time.monotonic() + _PAUSE
            raise
        if self._registry.learn(changes):
            self._index()
        self.erased.refresh(changes.erased, now)
        self._asked_at = now

    def _index(self) -> None:
        all_stores = self._registry.stores.values()
        self._origins = {origin for store in all_stores for origin in store.origins}
        self._hosts = {host: None for hosts in self._registry.unreadable.values() for host in hosts}
        self._hosts |= {authority(host): store for store in all_stores for host in store.hosts}
        self._platform_shops = {store.naming.platform_shop: store for store in all_stores}
        self._platform_shops.pop("", None)

    # ------------------------------------------------- what is written: uses of tokens, touches

    # contract: session-touched
    def touch(self, profile_id: str) -> None:
        """Notes that an admin token reads a session, so that the purge keeps the session."""
        now = self._clock()
        if self._is_due(profile_id, now):
            self._noted["session_touch", profile_id] = now

    # contract: forget-customers
    def touch_customer(self, profile: Profile) -> None:
        """Notes that a customer made a request, once a day, where the store forgets customers."""
        note: _Note = "customer_touch", profile.id
        if profile.store.forget_customers_after is not None and note not in self._written:
            self._noted[note] = self._clock()

    async def touch_now(self, profile_ids: Iterable[str]) -> None:
        """Writes at once that an admin token changes sessions, and not only into memory.

        Otherwise, if this process ended, a purge could remove the new records. Raises
        ``Unavailable``.
        """
        now = self._clock()
        for id in profile_ids:
            if self._is_due(id, now):
                await self._write(("session_touch", id), now)

    def _is_due(self, profile_id: str, now: int) -> bool:
        return now - self._written.get(("session_touch", profile_id), 0) > ids.DAY_MS // 4

    async def _write(self, note: _Note, at: int) -> None:
        statement, id = note
        named = {"id": id, "profile": id, "now": ids.timestamp(at)}  # each takes its own of these
        await self._db.write(ask, statement, **named)
        self._written[note] = at

    async def flush(self) -> None:
        """Writes what was noted, and once an hour forgets old revocations. Raises ``Unavailable``.

        Each time is written by itself: its row may lie on a server that is away. What could not be
        written is kept, and comes last the next time. Few tokens come before many sessions.
        """
        now = self._clock()
        for note in sorted(self._noted, key=operator.itemgetter(0)):
            at = self._noted.pop(note)
            try:
                await self._write(note, at)
            except BaseException:
                self._noted.setdefault(note, at)
                raise
        if now - self._forgot_at > _FORGET_MS:
            await self._forget(now)

    async def _forget(self, now: int) -> None:
        self._written = {note: at for note, at in self._written.items() if at > now - ids.DAY_MS}
        before, for_cookies = self._registry.forget(now)
        named = {"before": before, "before_for_cookies": for_cookies}
        await self._db.write(ask, "revocations_forget", **named)
        self._forgot_at = now

    async def close(self) -> None:
        with contextlib.suppress(Unavailable):
            await self.flush()


async def _token(tx: Reader, hashed: str) -> AdminToken | None:
    row = await tx.one("admin_token_by_hash", hash=hashed)
    if row is None or row[4] is not None:
        return None
    id, store_id, scope, expires_at, revoked_at = row
    return None if revoked_at is not None else AdminToken(id, store_id, scope, expires_at)
