"""Shares: links that show a list to whoever has them.

A share is a row of the list's owner. Its token is the only way to it from outside: the token's hash
says whose it is (``share_tokens``), so a view touches two places, the token's and the owner's.
Nothing of a share is kept in memory, so that one that has ended is refused everywhere at once.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import opaque, profiles
from wishwell.db import Reader, Row, Writer
from wishwell.errors import LimitReached, NotFound, UnknownShare
from wishwell.profiles import Profile
from wishwell.stores import Store

MOST = 20
"""Shares of a list."""

PREFIX = "wwshr_"
_RANDOM = 22
"""Characters of a token: 130 random bits."""

FindStore = Callable[[str], Store | None]
"""The store with an id, where the caller may see it."""


# contract: share-fields
class Share(msgspec.Struct, rename="camel", omit_defaults=True):
    """A share as the API shows it. ``profile`` is set only in answers for a whole store."""

    id: str
    token: str
    list_id: str
    reservations: bool
    notes: bool
    created_at: str
    expires_at: str | UnsetType = UNSET
    profile: str | UnsetType = UNSET


class NewShare(NamedTuple):
    """How a list is to be shared. ``expires_at``: from when on it no longer is."""

    reservations: bool
    notes: bool
    expires_at: str | None


class Shared(NamedTuple):
    """What a token leads to: the share, its list, and whose it is."""

    owner: Profile
    id: str
    list_id: str
    reservations: bool
    notes: bool


def from_row(row: Row) -> Share:
    """Makes a share from its columns (``rows.SHARE``)."""
    id, token, list_id, reservations, notes, created_at, expires_at = row
    expires = expires_at or UNSET
    return Share(id, token, list_id, bool(reservations), bool(notes), created_at, expires)


# contract: share-token
def new_token() -> str:
    return opaque.new(PREFIX, _RANDOM)


# contract: share-most
async def create(
    tx: Writer, profile: Profile, list_id: str, new: NewShare, id: str, token: str, now: str
) -> Share:
    """Shares a list. Raises ``NotFound``, ``LimitReached``, ``profiles.missing``."""
    known = await profiles.lock_known(tx, profile)
    row = await tx.one("shares_count", profile.id, list_id) if known else None
    if row is None:
        raise NotFound("There is no such list.")
    if row[0] >= MOST:
        raise LimitReached(f"A list has at most {MOST} shares; delete some first.")
    made = await tx.one(
        "share_add",
        profile.id,
        id,
        profile.store.id,
        list_id,
        int(new.reservations),
        int(new.notes),
        now,
        new.expires_at,
        token,
    )
    assert made is not None
    await tx.run("share_token_add", opaque.hashed(token), profile.store.id, profile.id, id)
    await tx.run("list_share", profile.id, list_id)
    return from_row(made)


async def end_of_list(tx: Writer, profile: Profile, list_id: str) -> None:
    """Ends all shares of a list. The caller holds the profile's lock."""
    await end(tx, profile, await tx.all("shares_of_list", profile.id, list_id))


async def end(tx: Writer, profile: Profile, found: Sequence[Row]) -> None:
    """Ends these shares, given their ids and tokens."""
    if found:
        hashes = [opaque.hashed(token) for _, token in found]
        await tx.run("share_tokens_remove", hashes)
        await tx.run("shares_remove", profile.id, [id for id, _ in found])


# contract: shared-unknown, store-isolation
async def resolve(tx: Reader, find_store: FindStore, token: str, now: str) -> Shared:
    """What a token leads to. Raises ``UnknownShare``, one and the same for all that is wrong."""
    store, owner_id, found = await _look_up(tx, find_store, token, "share_open", now)
    id, gid, is_session, list_id, reservations, notes = found[0]
    owner = Profile(owner_id, store, gid, bool(is_session))
    return Shared(owner, id, list_id, bool(reservations), bool(notes))


async def _look_up(
    tx: Reader, find_store: FindStore, token: str, statement: str, now: str
) -> tuple[Store, str, Sequence[Row]]:
    """The store and the key of a token's owner, and what the statement finds of its share there.

    A link may move the share between the two look-ups, but only once, to a customer.
    """
    before = None
    while opaque.well_formed(token, PREFIX, _RANDOM):
        place = await tx.one("share_owner", opaque.hashed(token))
        if place is None or place == before or (store := find_store(place[0])) is None:
            break
        if found := await tx.all(statement, place[1], place[2], now):
            return store, place[1], found
        before = place
    raise UnknownShare("There is no such shared list: its link is wrong, or is no longer good.")


async def lock(tx: Writer, find_store: FindStore, token: str, caller: Profile, now: str) -> Shared:
    """``resolve`` with the owner and the caller locked, for what is to be of one moment.

    Raises ``UnknownShare``, and ``profiles.missing(caller)``.
    """
    found = await resolve(tx, find_store, token, now)
    while True:
        # In the order of a link and of a bulk delete, sessions first: no deadlocks.
        both = {found.owner.id: found.owner, caller.id: caller}
        for profile in sorted(both.values(), key=lambda one: (not one.is_session, one.id)):
            if profile is caller:
                await profiles.lock(tx, caller, now)
            else:
                await tx.one("profile_lock", profile.id)
        before = found.owner.id
        found = await resolve(tx, find_store, token, now)
        if found.owner.id == before:  # otherwise a link has moved it meanwhile
            return found
