"""Reads what has changed in the database since the access cache's last refresh."""

from typing import NamedTuple

from wishwell import ids, stores
from wishwell.db import Reader, Row, bad_rows, statements
from wishwell.stores import Store, store_secrets
from wishwell.stores.naming import authority


class News(NamedTuple):
    """``unreadable``: the stores whose rows can't be read, with their hosts."""

    stores: list[Store]
    unreadable: dict[str, frozenset[str]]
    deleted: set[str]
    sealed: dict[str, str]
    revoked_admins: list[str]
    revoked: dict[tuple[str, str], int]


# contract: store-change-seen, token-revoked
async def read(tx: Reader, since: str, tokens_since: str, profiles_since: str) -> News:
    """The changes since a time. Revocations of single tokens and of whole profiles have their own:
    a cookie lives longer than a token."""
    rows = await tx.all("stores_changed", since=since)
    readable = bad_rows.each("stores", rows, stores.from_row)
    known = {store.id for store in readable}
    unreadable = {row[0]: _hosts_of(row) for row in rows if row[0] not in known}
    deleted = {row[0] for row in await tx.all("stores_deleted", since=since)}
    sealed = await store_secrets.changed(tx, since)
    admins = [id for id, _ in await tx.all("admin_tokens_revoked", since=since)]
    rows = await tx.all("revocations_since", since=tokens_since, since_for_cookies=profiles_since)
    revoked = dict(bad_rows.each("revocations", rows, _revocation, _for_good))
    return News(readable, unreadable, deleted, sealed, admins, revoked)


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
