"""What a process knows of stores, admin tokens and revocations, and what has changed of it."""

from collections.abc import Collection
from dataclasses import dataclass, field

from wishwell import ids, stores
from wishwell.db import Reader, Row, bad_rows, statements
from wishwell.stores import Store, store_secrets
from wishwell.stores.naming import authority

_COOKIES_MS = (store_secrets.COOKIE_DAYS + 1) * ids.DAY_MS
_MARGIN_MS = 15 * 60_000
"""How far back each look reads: the clocks of other machines may be behind by this much."""


@dataclass
class Registry:
    """``stores`` are another dict whenever any has changed. ``unreadable``: those whose rows can't
    be read, with their hosts. ``revoked``: until when, by profile and ``jti``; without a ``jti``
    everything that names the profile. ``erased``: of the news alone, the keys of profiles that are
    being erased."""

    stores: dict[str, Store] = field(default_factory=dict)
    unreadable: dict[str, frozenset[str]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    sealed: dict[str, str] = field(default_factory=dict)
    revoked_admins: set[str] = field(default_factory=set)
    revoked: dict[tuple[str, str], int] = field(default_factory=dict)
    erased: frozenset[str] = frozenset()

    def learn(self, news: "Registry") -> bool:
        """Adds what has changed. Returns whether that is more than secrets and revocations.

        The changes of the last quarter of an hour are news each time. A store that has not changed
        stays the same object, with everything that was made from it.
        """
        changed = {
            id: store
            for id, store in news.stores.items()
            if id not in news.deleted and self.stores.get(id) != store
        }
        unreadable = self.unreadable | news.unreadable
        for id in news.stores.keys() | news.deleted:
            unreadable.pop(id, None)
        differs = changed or unreadable != self.unreadable or news.deleted & self.stores.keys()
        if differs:
            all_stores = self.stores | changed
            self.stores = {id: store for id, store in all_stores.items() if id not in news.deleted}
            self.unreadable = unreadable
        # An import may have made a deleted store again.
        self.deleted = (self.deleted - changed.keys()) | news.deleted
        self.sealed |= news.sealed
        self.revoked_admins |= news.revoked_admins
        self.revoked |= news.revoked
        return bool(differs)

    def forget(self, now: int) -> tuple[str, str]:
        """Forgets revocations of tokens, and those of whole profiles, that are over for all.

        Returns the times up to which that is so, as text. ``now`` in milliseconds.
        """
        token, cookie = _limits(now)
        self.revoked = {
            (profile_id, jti): at
            for (profile_id, jti), at in self.revoked.items()
            if at > (token if jti else cookie)
        }
        return ids.timestamp(token), ids.timestamp(cookie)


def _limits(now: int) -> tuple[int, int]:
    """The times up to which revocations are over: of a token, and of a whole profile's cookies."""
    return now - ids.DAY_MS - _MARGIN_MS, now - _COOKIES_MS - _MARGIN_MS


# contract: store-change-seen, token-revoked
async def news(tx: Reader, asked_at: int, now: int, store_ids: Collection[str]) -> Registry:
    """What has changed since ``asked_at``; everything if that is 0. ``store_ids``: known ones."""
    since = ids.timestamp(max(0, asked_at - _MARGIN_MS)) if asked_at else ""
    rows = await tx.all("stores_changed", since=since)
    readable = {store.id: store for store in bad_rows.each("stores", rows, stores.from_row)}
    # A store that was imported brings its older revocations.
    revoked_since = since if readable.keys() <= set(store_ids) else ""
    token, cookie = map(ids.timestamp, _limits(now))
    revocations = await tx.all(
        "revocations_since",
        since=max(revoked_since, token),
        since_for_cookies=max(revoked_since, cookie),
    )
    return Registry(
        stores=readable,
        unreadable={row[0]: _hosts_of(row) for row in rows if row[0] not in readable},
        deleted={row[0] for row in await tx.all("stores_deleted", since=since)},
        sealed={row[0]: row[1] for row in await tx.all("store_secrets_changed", since=since)},
        revoked_admins={row[0] for row in await tx.all("admin_tokens_revoked", since=since)},
        revoked=dict(bad_rows.each("revocations", revocations, _revocation, _for_good)),
        erased=frozenset(row[0] for row in await tx.all("erasures_under_way")),
    )


def _hosts_of(row: Row) -> frozenset[str]:
    """The hosts of a store whose other columns can't be read."""
    return frozenset(map(authority, row[statements.columns("store_fields").index("hosts")].split()))


def _revocation(row: Row) -> tuple[tuple[str, str], int]:
    profile_id, jti, at = row
    return (profile_id, jti), ids.from_timestamp(at)


# contract: bad-row
def _for_good(row: Row) -> tuple[tuple[str, str], int]:
    """A revocation whose time can't be read holds for ever."""
    return (row[0], row[1]), ids.LAST
