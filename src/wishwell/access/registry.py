"""A process's snapshot of stores, admin tokens and revocations, and the query for its changes."""

from collections.abc import Collection
from dataclasses import dataclass, field

from msgspec import structs

from wishwell import ids, stores
from wishwell.db import Reader, Row, bad_rows, statements
from wishwell.stores import Store, store_secrets

_COOKIE_LIFETIME_MS = (store_secrets.COOKIE_DAYS + 1) * ids.DAY_MS
_CLOCK_SKEW_MS = 15 * 60_000
"""Clock skew between machines, in milliseconds: each refresh reads changes from this much
earlier."""


class UnreadableStore(Store, frozen=True):
    """A store whose row can't be read, except for its hosts (rule: bad-row)."""


@dataclass
class AccessSnapshot:
    """Stores, revocations and running erasures, as of the last refresh.

    ``revoked``: the time until which tokens are refused, by profile and ``jti``; an empty ``jti``
    stands for everything that names the profile. ``erased``: the keys of all profiles that are
    being erased.
    """

    stores: dict[str, Store] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    sealed: dict[str, str] = field(default_factory=dict)
    revoked_admins: set[str] = field(default_factory=set)
    revoked: dict[tuple[str, str], int] = field(default_factory=dict)
    erased: frozenset[str] = frozenset()

    def apply(self, changes: "AccessSnapshot") -> bool:
        """Applies changes. Returns whether any store changed.

        Changes of the last quarter of an hour arrive again with each refresh. An unchanged store
        stays the same object, so that caches keyed by it stay valid.
        """
        changed_stores = {
            id: store
            for id, store in changes.stores.items()
            if id not in changes.deleted and self.stores.get(id) != store
        }
        removed_stores = [self.stores.pop(id) for id in changes.deleted & self.stores.keys()]
        self.stores |= changed_stores
        # An import may have recreated a deleted store.
        self.deleted = (self.deleted - changed_stores.keys()) | changes.deleted
        self.sealed |= changes.sealed
        self.revoked_admins |= changes.revoked_admins
        self.revoked |= changes.revoked
        self.erased = changes.erased
        return bool(changed_stores or removed_stores)


def oldest_revocations(now: int) -> tuple[str, str]:
    """Returns the times before which revocations are obsolete: of tokens, and of whole profiles,
    whose cookies live longer. ``now``: milliseconds since 1970."""
    margin = now - _CLOCK_SKEW_MS
    return ids.timestamp(margin - ids.DAY_MS), ids.timestamp(margin - _COOKIE_LIFETIME_MS)


# rules: changes-take-effect, token-revoked
async def fetch_changes(
    tx: Reader, refreshed_at: int, now: int, store_ids: Collection[str]
) -> AccessSnapshot:
    """Returns the changes since ``refreshed_at``, or everything if that is 0. ``store_ids``: the
    ids of the stores in the snapshot."""
    since = ids.timestamp(max(0, refreshed_at - _CLOCK_SKEW_MS)) if refreshed_at else ""
    rows = await tx.all("stores_changed", since=since)
    changed_stores = [_store_from_row(row) for row in rows]
    # An imported store brings older revocations, so read all.
    revoked_since = since if {store.id for store in changed_stores} <= set(store_ids) else ""
    oldest_token, oldest_cookie = oldest_revocations(now)
    revocations = await tx.all(
        "revocations_since",
        since=max(revoked_since, oldest_token),
        since_for_cookies=max(revoked_since, oldest_cookie),
    )
    return AccessSnapshot(
        stores={store.id: store for store in changed_stores},
        deleted={row[0] for row in await tx.all("stores_deleted", since=since)},
        sealed={row[0]: row[1] for row in await tx.all("store_secrets_changed", since=since)},
        revoked_admins={row[0] for row in await tx.all("admin_tokens_revoked", since=since)},
        revoked=dict(map(_revocation_from_row, revocations)),
        erased=frozenset(
            row[0] for row in await tx.all("erasures_waiting", limit=ids.MAX_TIMESTAMP_MS)
        ),
    )


# rule: bad-row
def _store_from_row(row: Row) -> Store:
    """Returns a store. An unreadable one keeps its hosts, whose requests get 503."""
    with bad_rows.skip_bad_row("stores", str(row[0])):
        return stores.from_row(row)
    hosts = statements.name_columns("store_fields", row)["hosts"]
    blank = structs.asdict(stores.blank(row[0], "", ""))
    return UnreadableStore(**blank | {"hosts": tuple(hosts.split())})


# rule: bad-row
def _revocation_from_row(row: Row) -> tuple[tuple[str, str], int]:
    """Returns a revocation's key and end. One with an unreadable time never ends."""
    profile_id, jti, revoked_at = row
    until = ids.MAX_TIMESTAMP_MS
    with bad_rows.skip_bad_row("revocations", str(profile_id)):
        until = ids.from_timestamp(revoked_at)
    return (profile_id, jti), until
