"""A cache of stores, admin tokens and revocations: every request needs them, they rarely change.

Each process reads the changes from the database once a second, so a request needs no query for
them. A revocation takes effect everywhere within 5 s (contract: token-revoked): if the last
refresh is older than 4 s, requests wait for a new one.
"""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Literal

import msgspec
import structlog

from wishwell import ids
from wishwell.access import access_news
from wishwell.db import Database, Reader, Writer
from wishwell.errors import StoreDeleted, Unavailable
from wishwell.stores import Store, store_secrets
from wishwell.stores.naming import authority

AdminScope = Literal["admin", "storefront", "naming"]
"""What an admin token is for: the API, the storefront, or the storefront and naming customers."""

_PORT = re.compile(r":[^\]]*$")
_HOST = re.compile(r"[a-z0-9._-]*|\[[0-9a-f:.]+\]")

_TRUSTED_MS = 4_000
_MARGIN_MS = 15 * 60_000
"""How far back each refresh reads: the clocks of other machines may be behind by this much."""

_PAUSE = 0.5
"""Seconds between a failed refresh and the next try."""

_LOOK_UPS = 2
_LOOK_UP_SECONDS = 1.0
"""How many unknown admin tokens are looked up at once, and how long others wait for their turn."""

_FLUSH_MS = 5_000
_FORGET_MS = 3_600_000
_FAILURES = 3
_DAY_MS = 86_400_000
_COOKIES_MS = (store_secrets.COOKIE_DAYS + 1) * _DAY_MS

_Note = Callable[[Writer, str, str], Awaitable[None]]
"""A use-case that writes a time for an id."""

log = structlog.get_logger("wishwell.access.access_cache")


class AdminToken(msgspec.Struct, frozen=True):
    """The parts of an admin token that are checked; ``expires_at`` is a time as text."""

    id: str
    store_id: str
    scope: AdminScope
    expires_at: str | None


class AccessCache:
    """Call ``refresh`` before its first use; ``keep_fresh`` once a second keeps it fresh."""

    def __init__(self, db: Database, clock: Callable[[], int]) -> None:
        self._db = db
        self._clock = clock
        self._stores: dict[str, Store] = {}
        self._deleted: set[str] = set()
        self._unreadable: dict[str, frozenset[str]] = {}  # the stores' hosts by their ids
        self._origins: dict[str, int] = {}
        self._hosts: dict[str, Store] = {}
        self._platform_shops: dict[str, Store] = {}
        self._sealed: dict[str, str] = {}
        self._admins: dict[str, AdminToken] = {}
        self._revoked_admins: set[str] = set()
        self._revoked: dict[tuple[str, str], int] = {}
        self._since = 0
        self._asked_at = 0
        self._flushed_at = 0
        self._behind = False  # whether uses could not be written the last time
        self._forgot_at = 0
        self._used: dict[str, int] = {}
        self._touched: dict[str, int] = {}
        self._touched_before: dict[str, int] = {}
        self._asking = asyncio.Lock()
        self._looking_up = asyncio.Semaphore(_LOOK_UPS)
        self._renewing: asyncio.Task[None] | None = None
        self._not_before = 0.0

    @property
    def asked_at(self) -> int:
        """When the last successful refresh began, in milliseconds since 1970."""
        return self._asked_at

    @property
    def stores(self) -> Mapping[str, Store]:
        """All stores, by their ids: another object whenever any has changed."""
        return self._stores

    # ------------------------------------------------------------------------ look-ups

    # contract: store-delete, bad-row
    def store(self, id: str) -> Store | None:
        """The store with this id; None if there is none.

        Raises ``StoreDeleted``, and ``Unavailable`` if its row can't be read.
        """
        store = self._stores.get(id)
        if store is None and id in self._deleted:
            raise StoreDeleted
        if store is None and id in self._unreadable:
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
        if self._is_of_unreadable(host):
            raise Unavailable("This store can't be read.")
        if self._hosts:
            return self._hosts.get(host)
        alone = len(self._stores) == 1 and not self._unreadable
        return next(iter(self._stores.values())) if alone else None

    def _is_of_unreadable(self, host: str) -> bool:
        if not self._unreadable or host in self._hosts:
            return False
        return any(host in hosts for hosts in self._unreadable.values())

    def names_hosts(self) -> bool:
        """Whether any store has named a host."""
        return bool(self._hosts) or any(self._unreadable.values())

    def is_shop_host(self, host: str) -> bool:
        """Whether a store has named this host; on any port, if it named none. Text that is no
        well-formed host counts too: a web server may take it for one."""
        name = _PORT.sub("", host).rstrip(".")
        named = host in self._hosts or name in self._hosts or not _HOST.fullmatch(name)
        return named or self._is_of_unreadable(host) or self._is_of_unreadable(name)

    def store_of_platform_shop(self, shop: str) -> Store | None:
        return self._platform_shops.get(shop)

    def tells_events(self) -> bool:
        """Whether any store tells events."""
        return any(store.events_since is not None for store in self._stores.values())

    def sealed(self, store_id: str) -> str | None:
        """The store's secrets, sealed; None if it has none."""
        return self._sealed.get(store_id)

    def is_revoked_whole(self, profile_id: str) -> bool:
        """Whether everything that names a profile was revoked within the life of a cookie."""
        return (profile_id, "") in self._revoked

    def is_revoked(self, profile_id: str, jti: str) -> bool:
        """Whether a profile token was revoked, alone or with all tokens of its profile."""
        if not self._revoked:
            return False
        if (profile_id, jti) in self._revoked:
            return True
        until = self._revoked.get((profile_id, ""))
        # The jti has the token's time in milliseconds. iat has whole seconds, which is too coarse:
        # a token issued right after a revocation must be valid.
        return until is not None and ids.time_of(jti) <= until

    async def admin_token(self, hashed: str) -> AdminToken | None:
        """The admin token with this hash; None if it is unknown, revoked or expired."""
        token = self._admins.get(hashed)
        if token is None:
            token = await self._look_up(hashed)
            if token is None:
                return None
            if token.store_id not in self._stores:  # both are newer than the last refresh
                await self.refresh()
            self._admins[hashed] = token
        now = self._clock()
        if token.id in self._revoked_admins:
            return None
        if token.expires_at is not None and token.expires_at <= ids.timestamp(now):
            return None
        self._used[token.id] = now
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
            return await self._db.read(_token, hashed)
        finally:
            self._looking_up.release()

    # contract: session-touched
    def touch(self, profile_id: str) -> None:
        """Notes that an admin token reads a session, so that the purge keeps the session."""
        now = self._clock()
        if self._is_due(profile_id, now):
            self._touched[profile_id] = now

    async def touch_now(self, profile_ids: Iterable[str]) -> None:
        """Writes at once that an admin token changes sessions, and not only into memory.

        Otherwise, if this process ended, a purge could remove the new records. Raises
        ``Unavailable``.
        """
        now = self._clock()
        for id in profile_ids:
            if self._is_due(id, now):
                await self._db.write(_touch, id, ids.timestamp(now))
                self._touched_before[id] = now

    def _is_due(self, profile_id: str, now: int) -> bool:
        return now - self._touched_before.get(profile_id, 0) > _DAY_MS // 4

    # --------------------------------------------------------------------- keeping fresh

    # contract: database-away
    async def ensure_fresh(self) -> None:
        """Refreshes if the cache is too old. Raises ``Unavailable`` if that fails."""
        if not 0 <= self._clock() - self._asked_at < _TRUSTED_MS:
            await self._renew()

    async def _renew(self) -> None:
        """One refresh for all requests that wait, and a pause after a failed one.

        If each of a thousand requests did its own, they would queue for minutes behind a database
        server that is paused.
        """
        loop = asyncio.get_running_loop()
        if self._renewing is None or self._renewing.done():
            if loop.time() < self._not_before:
                raise Unavailable("Reading stores and revocations failed a moment ago.")
            self._renewing = loop.create_task(self.refresh())
            # If no request waits for it any more, take its error, or asyncio would log a warning.
            self._renewing.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            await asyncio.shield(self._renewing)
        except Unavailable:
            self._not_before = loop.time() + _PAUSE
            raise

    # contract: store-change-seen
    async def refresh(self) -> None:
        """Reads what has changed from the database. Raises ``Unavailable``."""
        async with self._asking:
            now = self._clock()
            news = await self._news(now)
            # The changes of the last quarter of an hour are read each time. A store that has not
            # changed stays the same object, with everything that was made from it.
            gone = news.deleted
            changed = {
                store.id: store
                for store in news.stores
                if store.id not in gone and self._stores.get(store.id) != store
            }
            readable = {store.id for store in news.stores}
            unreadable = self._unreadable | news.unreadable
            for id in readable | gone:
                unreadable.pop(id, None)
            self._unreadable = unreadable
            # An import may have made a deleted store again.
            self._deleted = (self._deleted - changed.keys()) | gone
            if changed or gone & self._stores.keys():
                known = self._stores | changed
                self._stores = {id: store for id, store in known.items() if id not in gone}
                self._index()
            self._sealed |= news.sealed
            self._revoked_admins.update(news.revoked_admins)
            self._revoked |= news.revoked
            self._since = self._asked_at = now

    async def _news(self, now: int) -> access_news.News:
        since = ids.timestamp(max(0, self._since - _MARGIN_MS)) if self._since else ""
        a_day_ago = ids.timestamp(now - _DAY_MS - _MARGIN_MS)
        long_ago = ids.timestamp(now - _COOKIES_MS - _MARGIN_MS)
        revoked = max(since, a_day_ago), max(since, long_ago)
        news = await self._db.read(access_news.read, since, *revoked)
        if self._since and not {store.id for store in news.stores} <= self._stores.keys():
            # A store that was imported brings its older revocations.
            news = await self._db.read(access_news.read, since, a_day_ago, long_ago)
        return news

    def _index(self) -> None:
        known = self._stores.values()
        self._origins = {origin: 1 for store in known for origin in store.origins}
        self._hosts = {authority(host): store for store in known for host in store.hosts}
        self._platform_shops = {store.naming.platform_shop: store for store in known}
        self._platform_shops.pop("", None)

    async def keep_fresh(self) -> None:
        """Refreshes, and flushes every few seconds. Raises ``Unavailable``."""
        await self._renew()
        if self._clock() - self._flushed_at > _FLUSH_MS:
            await self._flush_or_log()

    async def _flush_or_log(self) -> None:
        try:
            await self.flush()
            self._behind = False
        except Unavailable as error:
            if not self._behind:  # once, however long a server of a cluster is away
                log.warning("uses_put_off", reason=error.message)
            self._behind = True

    async def flush(self) -> None:
        """Writes when admin tokens were used and sessions touched, and drops old revocations.

        Raises ``Unavailable``; the times that it could not write are kept for the next flush.
        """
        self._flushed_at = now = self._clock()
        try:
            await self._write_noted(_touch, self._touched, self._touched_before)
        finally:
            await self._write_noted(_used, self._used, {})
        day_old = now - _DAY_MS
        self._touched_before = {id: at for id, at in self._touched_before.items() if at > day_old}
        # As in `revocations_forget`: that of a whole profile, without a jti, refuses cookies too.
        before, before_for_cookies = day_old - _MARGIN_MS, now - _COOKIES_MS - _MARGIN_MS
        self._revoked = {
            (profile_id, jti): at
            for (profile_id, jti), at in self._revoked.items()
            if at > (before if jti else before_for_cookies)
        }
        if now - self._forgot_at > _FORGET_MS:
            await self._db.write(_forget, ids.timestamp(before), ids.timestamp(before_for_cookies))
            self._forgot_at = now

    async def _write_noted(
        self, write: _Note, noted: dict[str, int], written: dict[str, int]
    ) -> None:
        """Writes each noted time by itself: its row may lie on a server that is away.

        Raises ``Unavailable`` if any could not be written, and stops after ``_FAILURES`` of them.
        Those come last the next time.
        """
        failures: list[Unavailable] = []
        for id, at in list(noted.items()):
            try:
                await self._db.write(write, id, ids.timestamp(at))
            except Unavailable as error:
                noted[id] = noted.pop(id)
                failures.append(error)
                if len(failures) == _FAILURES:
                    break
            else:
                written[id] = at
                if noted[id] == at:
                    del noted[id]
        if failures:
            raise failures[0]

    async def close(self) -> None:
        with contextlib.suppress(Unavailable):
            await self.flush()


async def _token(tx: Reader, hashed: str) -> AdminToken | None:
    row = await tx.one("admin_token_by_hash", hash=hashed)
    if row is None:
        return None
    id, store_id, scope, expires_at, revoked_at = row
    return None if revoked_at is not None else AdminToken(id, store_id, scope, expires_at)


async def _used(tx: Writer, id: str, at: str) -> None:
    await tx.run("admin_token_used", id=id, now=at)


async def _touch(tx: Writer, profile_id: str, at: str) -> None:
    await tx.run("session_touch", profile=profile_id, now=at)


async def _forget(tx: Writer, before: str, before_for_cookies: str) -> None:
    await tx.run("revocations_forget", before=before, before_for_cookies=before_for_cookies)
