"""A cache of stores, admin tokens and revocations: every request needs them, they rarely change.

Each process reads the changes from the database once a second, so a request needs no query for
them. A revocation takes effect everywhere within 5 s (rule: token-revoked): if the last
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
from wishwell.access.registry import AccessSnapshot, UnreadableStore, fetch_changes
from wishwell.db import Database, run_statement
from wishwell.errors import StoreDeleted, Unavailable
from wishwell.jobs import Job
from wishwell.profiles import Profile
from wishwell.stores import Store
from wishwell.stores.naming import authority

AdminScope = Literal["admin", "storefront", "naming", "reports"]
"""The purpose of an admin token: the API, the storefront, the storefront and naming customers, or
only reports."""

_PORT_PATTERN = re.compile(r":[^\]]*\Z")
_HOST_PATTERN = re.compile(r"[a-z0-9._-]*|\[[0-9a-f:.]+\]")

_MAX_AGE_MS = 4_000
_MAX_CONCURRENT_LOOKUPS = 2
"""Maximum concurrent lookups of unknown admin tokens."""
_LOOKUP_TIMEOUT_SECONDS = 0.75
"""Timeout of a lookup or refresh, because a request may take 5 s and its write 4 s."""

_WRITE_INTERVAL_MS = {
    "admin_token_used": 60_000,
    "session_touch": ids.DAY_MS // 4,
    "customer_touch": ids.DAY_MS,
}
"""Throttle: milliseconds between two writes of the last use of the same id, by statement."""

_MAX_REMEMBERED_USES = 100_000
_Use = tuple[str, str]
"""A statement that writes a last use, and the id that it takes."""


class AdminToken(msgspec.Struct, frozen=True):
    """The parts of an admin token that are checked; the times are text."""

    id: str
    store_id: str
    scope: AdminScope
    expires_at: str | None
    revoked_at: str | None


class AccessCache:
    """The cache of a process. Call ``refresh`` before first use and every second, and
    ``write_uses`` every few seconds."""

    def __init__(self, db: Database, clock: Callable[[], int]) -> None:
        self._db = db
        self._clock = clock
        self._snapshot = AccessSnapshot()
        self._origins: set[str] = set()
        self._hosts: dict[str, Store] = {}
        self._platform_shops: dict[str, Store] = {}
        self._admins: dict[str, AdminToken] = {}
        self.refreshed_at = 0
        """When the last successful refresh began, in milliseconds since 1970."""
        self._refreshing: asyncio.Task[None] | None = None
        self._lookups = asyncio.Semaphore(_MAX_CONCURRENT_LOOKUPS)
        self._pending_uses: dict[_Use, int] = {}
        self._written_uses: dict[_Use, int] = {}

    # ------------------------------------------------------------------------ look-ups

    # rules: store-delete, bad-row
    def store(self, id: str) -> Store | None:
        """Returns the store with this id, or ``None``.

        Raises ``StoreDeleted``, and ``Unavailable`` if its row can't be read.
        """
        if id in self._snapshot.deleted:
            raise StoreDeleted
        return _check_readable(self._snapshot.stores.get(id))

    def allows_origin(self, origin: str) -> bool:
        """Returns whether any store allows this browser origin."""
        return origin in self._origins

    # rules: storefront-hosts, bad-row
    def store_of_host(self, host: str) -> Store | None:
        """Returns the store with this host; or the only store, if it has named no host.

        Raises ``Unavailable`` for the host of a store that can't be read.
        """
        stores = self._snapshot.stores
        if len(stores) == 1 and not self._hosts:
            return _check_readable(next(iter(stores.values())))
        return _check_readable(self._hosts.get(host))

    def any_hosts_named(self) -> bool:
        """Returns whether any store has named a host."""
        return bool(self._hosts)

    def all_stores(self) -> Iterable[Store]:
        return self._snapshot.stores.values()

    def is_host_of(self, host: str, store_id: str | None) -> bool:
        """Returns whether this store, or any for ``None``, has named this host."""
        store = self._hosts.get(host)
        return store is not None and store_id in (None, store.id)

    def is_shop_host(self, host: str) -> bool:
        """Returns whether a store has named this host, with this port or without one. A malformed
        host counts too, because a web server may accept it."""
        name = _PORT_PATTERN.sub("", host).rstrip(".")
        return host in self._hosts or name in self._hosts or not _HOST_PATTERN.fullmatch(name)

    def store_of_platform_shop(self, shop: str) -> Store | None:
        return self._platform_shops.get(shop)

    def any_events_enabled(self) -> bool:
        return any(store.events_since is not None for store in self._snapshot.stores.values())

    def sealed_secrets(self, store_id: str) -> str | None:
        """Returns the store's sealed secrets, or ``None``."""
        return self._snapshot.sealed.get(store_id)

    @property
    def erased(self) -> frozenset[str]:
        """Keys of profiles whose erasure may still be running (rule: erase-immediate).

        May be stale; the database decides."""
        return self._snapshot.erased

    def is_profile_revoked(self, profile_id: str) -> bool:
        """Returns whether all of a profile's tokens were revoked within a cookie's lifetime."""
        return (profile_id, "") in self._snapshot.revoked

    def is_revoked(self, profile_id: str, jti: str) -> bool:
        """Returns whether a profile token was revoked, alone or with the profile's other tokens."""
        if not self._snapshot.revoked:
            return False
        if (profile_id, jti) in self._snapshot.revoked:
            return True
        revoked_until = self._snapshot.revoked.get((profile_id, ""))
        # The jti has the token's time in milliseconds. iat has whole seconds, which is too coarse:
        # a token issued right after a revocation must be valid.
        return revoked_until is not None and ids.time_of(jti) <= revoked_until

    def cached_admin_token(self, token_hash: str) -> AdminToken | None:
        """Returns the admin token with this hash, if it was looked up before."""
        return self._admins.get(token_hash)

    async def admin_token(self, token_hash: str) -> AdminToken | None:
        """Returns the admin token with this hash; None if it is unknown, revoked or expired."""
        token = self._admins.get(token_hash) or await self._fetch_admin_token(token_hash)
        if token is None or token.revoked_at or token.id in self._snapshot.revoked_admins:
            return None
        if token.expires_at is not None and token.expires_at <= ids.timestamp(self._clock()):
            return None
        self._record_use("admin_token_used", token.id)
        return token

    # rule: admin-token-hashed
    async def _fetch_admin_token(self, token_hash: str) -> AdminToken | None:
        """Reads a token from the database. Limits concurrency, because lookups of invented tokens
        must not take all connections."""
        try:
            async with asyncio.timeout(_LOOKUP_TIMEOUT_SECONDS), self._lookups:
                rows = await self._db.read(run_statement, "admin_token_by_hash", hash=token_hash)
        except TimeoutError as error:
            raise Unavailable("Too many lookups of unknown admin tokens.") from error
        if not rows:
            return None
        token = AdminToken(*rows[0])
        if token.store_id not in self._snapshot.stores:  # the store is newer than the last refresh
            await self.refresh()
        self._admins[token_hash] = token
        return token

    # --------------------------------------------------------------------- keeping fresh

    # rule: database-away
    async def ensure_fresh(self) -> int:
        """Refreshes if the cache is too old. Returns the time in milliseconds since 1970.

        Raises ``Unavailable`` if that fails or takes too long, because the request's statements
        need the rest of the time."""
        now = self._clock()
        if 0 <= now - self.refreshed_at < _MAX_AGE_MS:
            return now
        try:
            async with asyncio.timeout(_LOOKUP_TIMEOUT_SECONDS):
                await self._refresh_once()
        except TimeoutError as error:
            raise Unavailable("The database is too slow.") from error
        return self._clock()

    # rule: changes-take-effect
    async def refresh(self) -> None:
        """Reads all changes until now from the database. Raises ``Unavailable``."""
        if self._refreshing is not None:  # it may have begun too early
            await asyncio.wait([self._refreshing])
        await self._refresh_once()

    async def _refresh_once(self) -> None:
        """Refreshes the snapshot. Concurrent callers share one refresh and its error
        (single-flight); otherwise they would queue for minutes for a paused database server."""
        if self._refreshing is None:
            # With an empty context, because the refresh belongs to no single request.
            self._refreshing = asyncio.create_task(self._apply_changes(), context=Context())
        await asyncio.shield(self._refreshing)

    async def _apply_changes(self) -> None:
        now = self._clock()
        # rule: changes-take-effect. After the clock was set back, read everything: the last
        # refresh may have a future date, and changes since then would seem older.
        since = self.refreshed_at if self.refreshed_at <= now else 0
        try:
            changes = await self._db.read(fetch_changes, since, now, self._snapshot.stores.keys())
        finally:
            self._refreshing = None
        if self._snapshot.apply(changes):
            all_stores = self._snapshot.stores.values()
            self._origins = {origin for store in all_stores for origin in store.browser_origins}
            self._hosts = {authority(host): store for store in all_stores for host in store.hosts}
            self._platform_shops = {store.naming.platform_shop: store for store in all_stores}
            self._platform_shops.pop("", None)
        self.refreshed_at = now

    def jobs(self) -> tuple[Job, Job]:
        """Returns the jobs that refresh the cache and write uses."""
        return (
            Job("access_cache", 1.0, lambda _: self.refresh()),
            Job("uses", 5.0, lambda _: self.write_uses()),
        )

    # --------------------------------------------------------- writes: uses of tokens, touches

    # rule: session-purged
    def touch(self, profile_id: str) -> None:
        """Records that an admin token reads a session, so that the purge keeps the session."""
        self._record_use("session_touch", profile_id)

    # rule: forget-customers
    def touch_customer(self, profile: Profile) -> None:
        """Records a customer's request, if the store erases inactive customers."""
        if profile.store.forget_customers_after is not None:
            self._record_use("customer_touch", profile.id)

    async def touch_now(self, profile_ids: Iterable[str]) -> None:
        """Writes to the database immediately that an admin token changes sessions.

        Otherwise, if this process ended, a purge could remove the new records. Raises
        ``Unavailable``.
        """
        for id in profile_ids:
            self.touch(id)
            await self._write(("session_touch", id))

    def _record_use(self, statement: str, id: str) -> None:
        use, now = (statement, id), self._clock()
        if not 0 <= now - self._written_uses.get(use, 0) <= _WRITE_INTERVAL_MS[statement]:
            self._pending_uses[use] = now

    async def write_uses(self) -> None:
        """Writes the recorded uses. Raises ``Unavailable``.

        Each in its own transaction, because its row may be on an unreachable server. A use that
        wasn't written is retried at the next call, after the others.
        """
        for use in list(self._pending_uses):
            await self._write(use)

    async def _write(self, use: _Use) -> None:
        if (used_at := self._pending_uses.pop(use, None)) is None:
            return
        statement, id = use
        params = {"id": id, "profile": id, "now": ids.timestamp(used_at)}
        try:
            await self._db.write(run_statement, statement, **params)
        except BaseException:
            self._pending_uses.setdefault(use, used_at)
            raise
        lru.keep(self._written_uses, use, used_at, _MAX_REMEMBERED_USES)

    async def close(self) -> None:
        with contextlib.suppress(Unavailable):
            await self.write_uses()


def _check_readable(store: Store | None) -> Store | None:
    if isinstance(store, UnreadableStore):
        raise Unavailable("This store can't be read.")
    return store
