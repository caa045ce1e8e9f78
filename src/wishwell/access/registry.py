"""What a process knows of stores, admin tokens and revocations, and what has changed of it."""

from collections.abc import Collection
from dataclasses import dataclass, field

from msgspec import structs

from wishwell import ids, stores
from wishwell.db import Reader, Row, bad_rows, statements
from wishwell.stores import Store, store_secrets

_COOKIES_MS = (store_secrets.COOKIE_DAYS + 1) * ids.DAY_MS
_MARGIN_MS = 15 * 60_000
"""How far back each look reads: the clocks of other machines may be behind by this much."""


class UnreadableStore(Store, frozen=True):
    """One whose row can't be read, but for its hosts (contract: bad-row)."""


@dataclass
class Registry:
    """``revoked``: until when, by profile and ``jti``; without a ``jti`` everything that names the
    profile. ``erased``: the keys of profiles that are being erased, all of them each time."""

    stores: dict[str, Store] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    sealed: dict[str, str] = field(default_factory=dict)
    revoked_admins: set[str] = field(default_factory=set)
    revoked: dict[tuple[str, str], int] = field(default_factory=dict)
    erased: frozenset[str] = frozenset()

    def learn(self, news: "Registry") -> bool:
        """Adds what has changed. Returns whether any store has.

        The changes of the last quarter of an hour are news each time. A store that has not changed
        stays the same object, with everything that was made from it.
        """
        changed = {
            id: store
            for id, store in news.stores.items()
            if id not in news.deleted and self.stores.get(id) != store
        }
        gone = [self.stores.pop(id) for id in news.deleted & self.stores.keys()]
        self.stores |= changed
        # An import may have made a deleted store again.
        self.deleted = (self.deleted - changed.keys()) | news.deleted
        self.sealed |= news.sealed
        self.revoked_admins |= news.revoked_admins
        self.revoked |= news.revoked
        self.erased = news.erased
        return bool(changed or gone)


def revocations_over(now: int) -> tuple[str, str]:
    """Up to when revocations have nothing left to refuse: of a token, and of a whole profile, whose
    cookies live longer. ``now`` in milliseconds."""
    margin = now - _MARGIN_MS
    return ids.timestamp(margin - ids.DAY_MS), ids.timestamp(margin - _COOKIES_MS)


# contract: store-change-seen, token-revoked
async def news(tx: Reader, asked_at: int, now: int, store_ids: Collection[str]) -> Registry:
    """What has changed since ``asked_at``; everything if that is 0. ``store_ids``: known ones."""
    since = ids.timestamp(max(0, asked_at - _MARGIN_MS)) if asked_at else ""
    rows = await tx.all("stores_changed", since=since)
    changed = [_store(row) for row in rows]
    # A store that was imported brings its older revocations.
    revoked_since = since if {store.id for store in changed} <= set(store_ids) else ""
    token, cookie = revocations_over(now)
    revocations = await tx.all(
        "revocations_since",
        since=max(revoked_since, token),
        since_for_cookies=max(revoked_since, cookie),
    )
    return Registry(
        stores={store.id: store for store in changed},
        deleted={row[0] for row in await tx.all("stores_deleted", since=since)},
        sealed={row[0]: row[1] for row in await tx.all("store_secrets_changed", since=since)},
        revoked_admins={row[0] for row in await tx.all("admin_tokens_revoked", since=since)},
        revoked=dict(map(_revocation, revocations)),
        erased=frozenset(
            row[0] for row in await tx.all("erasures_waiting", limit=ids.MAX_TIMESTAMP_MS)
        ),
    )


# contract: bad-row
def _store(row: Row) -> Store:
    """One that can't be read keeps its hosts, which are answered 503."""
    with bad_rows.skip_bad_row("stores", str(row[0])):
        return stores.from_row(row)
    hosts = statements.named("store_fields", row)["hosts"]
    blank = structs.asdict(stores.blank(row[0], "", ""))
    return UnreadableStore(**blank | {"hosts": tuple(hosts.split())})


# contract: bad-row
def _revocation(row: Row) -> tuple[tuple[str, str], int]:
    """Until when it holds: for ever, if its time can't be read."""
    profile_id, jti, at = row
    until = ids.MAX_TIMESTAMP_MS
    with bad_rows.skip_bad_row("revocations", str(profile_id)):
        until = ids.from_timestamp(at)
    return (profile_id, jti), until
