"""Shares: links with which anyone can see a list, or a whole wishlist.

A share is stored with the list's owner and found by its token. ``share_tokens`` maps the token's
hash (its lookup key) to the owner, so a view needs two lookups, on a cluster on two shards.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import field_types as types
from wishwell import ids, opaque, profiles
from wishwell.db import Reader, Row, RunAgain, Writer, mapping
from wishwell.errors import Invalid, LimitReached, UnknownShare, no_record
from wishwell.profiles import Profile
from wishwell.stores import Store
from wishwell.wishlists import fields, items

MAX_SHARES = 20
"""Maximum shares of a list, or of a whole wishlist."""

WHOLE = ids.NO_UUID
"""Stands for the id of a list in a share of the whole wishlist."""

MAX_SHOWN = 1_000
"""Maximum items of a whole wishlist that are shown, the newest ones."""

MAX_DISPLAY_NAME = 100

PREFIX = "wwshr_"
_RANDOM_CHARACTERS = 22
"""Random characters of a token (130 bits)."""

HasReservations = Annotated[
    bool, types.published("HasReservations", "Whether others may reserve items of the list.")
]
ShowsNotes = Annotated[
    bool, types.published("ShowsNotes", "Whether the notes of the items are shown.")
]

DisplayName = Annotated[
    str,
    types.published(
        "DisplayName",
        "The owner's name as people with the link see it: 1 to 100 characters, without control "
        "characters, trimmed.",
        minLength=1,
        maxLength=MAX_DISPLAY_NAME,
    ),
]

_MAX_LOCATIONS = 10_000
"""Maximum token locations in a process's cache."""


class ShareLookup(NamedTuple):
    """Dependencies of a lookup by token.

    ``store``: returns the store with an id, if the caller may see it. ``locations``: a cache of
    token locations (ids of store, profile and share) by hash; shares themselves aren't cached.
    """

    store: Callable[[str], Store | None]
    locations: dict[str, Row]


class Share(msgspec.Struct, rename="camel", omit_defaults=True):
    """A link that shows a list, or a whole wishlist, to anyone who has it."""

    id: types.Id
    token: Annotated[str, types.published(pattern=f"^{PREFIX}[0-9A-Za-z]{{28}}$")]
    """The token in the path of the list, `/shared/{token}`."""
    list_id: types.Id | UnsetType
    """Omitted for the whole wishlist."""
    reservations: HasReservations
    notes: ShowsNotes
    display_name: DisplayName | UnsetType
    created_at: types.Time
    expires_at: types.Time | None = None
    """When the share expires; omitted if it never does."""
    profile: types.ProfileGid | UnsetType = UNSET
    """The owner; only for an admin token without `Profile`."""
    url: Annotated[str, types.published(pattern="^https?://[!-~]+$")] | UnsetType = UNSET
    """The page that shows the list; omitted if the store has no page that does."""


class ShareSettings(NamedTuple):
    """Settings of a share. None leaves a field unchanged; an empty ``expires_at`` never expires, an
    empty ``display_name`` removes the name."""

    reservations: bool | None = None
    notes: bool | None = None
    expires_at: str | None = None
    display_name: str | None = None


# rule: shared-hides-owner
class SharedItem(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """An item of a shared list."""

    id: types.Id
    product_id: types.ProductId
    variant_id: types.ProductId | UnsetType
    """Omitted without a variant."""
    quantity: types.Quantity
    note: Annotated[types.Note, types.published(minLength=1)] | UnsetType
    """Omitted if there is no note or the share doesn't show notes."""
    reserved: types.Count | UnsetType = UNSET
    """The quantity reserved by all profiles, which may exceed `quantity` after that was lowered.
    Only if the share has reservations, and never for the owner."""
    yours: types.Count | UnsetType = UNSET
    """The quantity that the caller has reserved. Only with a profile token."""
    product: types.ItemProduct | UnsetType = UNSET


_from_item_row = mapping.from_columns(SharedItem, "item_fields")


# rule: shared-hides-owner
class SharedList(msgspec.Struct, rename="camel", omit_defaults=True):
    """A list or whole wishlist, as anyone with its link sees it. Nothing else of its owner is
    shown."""

    name: types.ListName | UnsetType
    """Omitted for a whole wishlist."""
    items: list[SharedItem]
    """All items of the list, in the owner's order, or the newest 1,000 of the wishlist."""
    updated_at: types.Time
    reservations: HasReservations
    display_name: DisplayName | UnsetType = UNSET


Include = Callable[[Reader, Store, Sequence[SharedItem]], Awaitable[None]]


class Shared(NamedTuple):
    """A share found by its token: its owner, its id, its list and settings."""

    owner: Profile
    id: str
    list_id: str
    reservations: bool
    notes: bool


_from_row = mapping.from_columns(Share, "share_fields")


def from_row(row: Row) -> Share:
    share = _from_row(row)
    if share.list_id == WHOLE:
        share.list_id = UNSET
    return share


# rule: share-token
def new_token() -> str:
    return opaque.new(PREFIX, _RANDOM_CHARACTERS)


def is_token(text: str) -> bool:
    """Returns whether the token is well-formed, including its checksum."""
    return opaque.is_well_formed(text, PREFIX, _RANDOM_CHARACTERS)


# rule: share-ends
def check_expiry(expires_at: str, now: str) -> str:
    """Returns the time. Raises ``Invalid`` unless it is in the future."""
    if expires_at <= now:
        raise Invalid(f"expiresAt: must be in the future; it is now {now}.")
    return expires_at


# rule: shared-hides-owner
def check_display_name(name: str) -> str:
    """Returns the trimmed name. Raises ``Invalid`` for a long one or a control character."""
    name = name.strip()
    if len(name) > MAX_DISPLAY_NAME or fields.has_control(name):
        raise Invalid(
            f"displayName: must be at most {MAX_DISPLAY_NAME} characters, without control "
            "characters."
        )
    return name


# rules: profile-limits, share-whole
async def create(
    tx: Writer,
    profile: Profile,
    list_id: str,
    settings: ShareSettings,
    id: str,
    token: str,
    now: str,
) -> Share:
    """Shares a list, or the ``WHOLE`` wishlist.

    Raises ``NotFound``, ``LimitReached``, ``profiles.missing``.
    """
    is_whole = list_id == WHOLE
    if is_whole:
        await profiles.lock(tx, profile, now)
    is_known = is_whole or await profiles.lock_known(tx, profile)
    row = await tx.one("shares_count", profile=profile.id, list=list_id) if is_known else None
    if row is None:
        raise no_record("list")
    if row[0] >= MAX_SHARES:
        raise LimitReached(
            f"A {'wishlist' if is_whole else 'list'} can have at most {MAX_SHARES} shares; "
            "delete some first.",
            "share_limit_reached",
        )
    share = Share(
        id,
        token,
        UNSET if is_whole else list_id,
        bool(settings.reservations),
        bool(settings.notes),
        settings.display_name or UNSET,
        now,
        settings.expires_at or None,
    )
    params = {"profile": profile.id, "store": profile.store.id}
    await tx.run(
        "share_add", **mapping.to_columns(share, "share_fields") | params | {"list_id": list_id}
    )
    await tx.run("share_token_add", **params, hash=opaque.hashed(token), share=id)
    statement = "profile_mark_shared" if is_whole else "list_mark_shared"
    await tx.run(statement, profile=profile.id, id=list_id)
    return share


async def change(
    tx: Writer, profile: Profile, list_id: str | None, id: str, settings: ShareSettings
) -> Share:
    """Changes a share, of any list with None. Raises ``NotFound``, ``profiles.missing``."""
    row = await tx.one(
        "share_change", profile=profile.id, id=id, list=list_id, **settings._asdict()
    )
    if row is None:
        await profiles.lock_known(tx, profile)  # rule: erase-completes
        raise no_record("share")
    return from_row(row)


# rule: share-ends
async def delete(tx: Writer, profile: Profile, list_id: str | None, id: str) -> None:
    """Deletes a share. Raises ``NotFound``, ``profiles.missing``."""
    if not await profiles.lock_known(tx, profile):
        raise no_record("share")
    await delete_all(tx, profile, [await find(tx, profile, list_id, id)])


async def find(tx: Reader, profile: Profile, list_id: str | None, id: str) -> Share:
    """Returns a share, of any list with None. Raises ``NotFound``."""
    for share in await find_all(tx, profile):
        if share.id == id and list_id in (None, share.list_id or WHOLE):
            return share
    raise no_record("share")


# rule: share-ends
async def delete_all(tx: Writer, profile: Profile, shares: Sequence[Share]) -> None:
    """Deletes these shares and their tokens."""
    if shares:
        hashes = [opaque.hashed(share.token) for share in shares]
        await tx.run("share_tokens_remove", hashes=hashes)
        await tx.run("shares_remove", profile=profile.id, ids=[share.id for share in shares])


async def find_all(tx: Reader, profile: Profile) -> list[Share]:
    """Returns all shares of a profile, oldest first."""
    return [from_row(row) for row in await tx.all("shares_all", profile=profile.id)]


async def find_of_list(tx: Reader, profile: Profile, list_id: str) -> list[Share]:
    shares = await find_all(tx, profile)
    return [share for share in shares if (share.list_id or WHOLE) == list_id]


# rules: shared-hides-owner, reserve-secret
async def view(
    tx: Reader,
    lookup: ShareLookup,
    token: str,
    reader: Profile | None,
    now: str,
    item_id: str | None = None,
    include: Include | None = None,
) -> SharedList:
    """Returns a shared list as ``reader`` sees it; None is an anonymous visitor.

    ``item_id``: returns only this item. ``include``: adds product data to the items. Raises
    ``UnknownShare``, ``profiles.missing(reader)``.
    """
    if reader is not None:
        await profiles.check_open(tx, reader)
    params: dict[str, object] = {"now": now, "reader": reader and reader.id, "item": item_id}
    store, owner_id, rows = await _find_share(tx, lookup, token, "shared_list", params)
    if rows[0][1] == WHOLE:
        params["limit"] = MAX_SHOWN
        store, owner_id, rows = await _find_share(tx, lookup, token, "shared_wishlist", params)
    reservations, notes, display_name, name, *_ = rows[0][2:]
    shows_reserved = reservations and (reader is None or reader.id != owner_id)
    shared_items = []
    for reserved, yours, is_wanted, *columns in (row[7:] for row in rows):
        if columns[0] is None:  # an empty list
            continue
        item = _from_item_row(columns)
        if not notes:
            item.note = UNSET
        if shows_reserved:
            item.reserved = reserved if is_wanted else max(reserved, item.quantity)
            item.yours = UNSET if reader is None else yours
        shared_items.append(item)
    items.show(shared_items, text_ids=store.has_text_ids)
    if include is not None:
        await include(tx, store, shared_items)
    updated_at = max(row[6] for row in rows)
    return SharedList(
        name or UNSET, shared_items, updated_at, bool(reservations), display_name or UNSET
    )


# rules: share-token, store-isolation
async def resolve(tx: Reader, lookup: ShareLookup, token: str, now: str) -> Shared:
    """Returns the share of a token. Raises ``UnknownShare``, with one message for all reasons."""
    store, owner_id, rows = await _find_share(tx, lookup, token, "share_open", {"now": now})
    _, id, gid, is_session, list_id, reservations, notes = rows[0]
    owner = Profile(owner_id, store, gid, bool(is_session))
    return Shared(owner, id, list_id, bool(reservations), bool(notes))


async def _find_share(
    tx: Reader, lookup: ShareLookup, token: str, statement: str, params: Mapping[str, object]
) -> tuple[Store, str, Sequence[Row]]:
    """Returns the store, the owner's key, and the statement's rows for the share of a token.

    Tries three times, because the cached location may be stale, and a link may move the share once
    more after the lookup. On a cluster, the share may briefly be visible at neither location: then
    raises ``RunAgain`` (rule: cluster-nodes).
    """
    check_form(token)
    hash = opaque.hashed(token)
    location = lookup.locations.get(hash)
    for _ in range(3):
        location = location or await tx.one("share_owner", hash=hash)
        store = lookup.store(location[0]) if location else None
        if location is None or store is None:
            raise _unknown_share()
        rows = await tx.all(statement, profile=location[1], id=location[2], **params)
        if rows and not rows[0][0]:
            raise _unknown_share()
        if rows:
            if len(lookup.locations) >= _MAX_LOCATIONS:
                lookup.locations.clear()  # atomic, because SQLite's writer thread uses it too
            lookup.locations[hash] = location
            return store, location[1], rows
        location = None
    raise RunAgain


def check_form(token: str) -> None:
    """Raises ``UnknownShare`` unless the token is well-formed."""
    if not is_token(token):
        raise _unknown_share()


def _unknown_share() -> UnknownShare:
    return UnknownShare(
        "The shared list doesn't exist: its link is wrong, has expired or was deleted.",
        "shared_list_not_found",
    )


async def resolve_locked(
    tx: Writer, lookup: ShareLookup, token: str, caller: Profile, now: str
) -> Shared:
    """Resolves a token, with the owner and the caller locked for the rest of the transaction.

    Raises ``UnknownShare``, ``profiles.missing(caller)``.
    """
    shared = await resolve(tx, lookup, token, now)
    # The same lock order as a link and a bulk delete (sessions first) prevents deadlocks.
    both = {shared.owner.id: shared.owner, caller.id: caller}
    for profile in sorted(both.values(), key=lambda profile: (not profile.is_session, profile.id)):
        if profile is caller:
            await profiles.lock(tx, caller, now)
        else:
            await tx.one("profile_lock", profile=profile.id)
    old_owner_id = shared.owner.id
    shared = await resolve(tx, lookup, token, now)
    if shared.owner.id != old_owner_id:  # a link moved it before the lock
        raise RunAgain
    return shared
