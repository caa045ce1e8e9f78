"""Items: what a profile wishes for, one per product and variant (contract: save-once)."""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import ids, pages, profiles, search
from wishwell.db import Database, Reader, Row, UniqueViolation, Writer
from wishwell.errors import Conflict, Invalid, LimitReached, NotFound
from wishwell.profiles import Profile, Scope, WholeStore
from wishwell.stores import Bounds

NO_VARIANT = 0
"""Stored instead of a variant: a NULL would slip through the unique constraint."""

MAX_NUMBER = search.MAX_NUMBER
MAX_QUANTITY = 1_000_000
MAX_TAGS = 20
MAX_BULK = 250

_UNKNOWN_LIST = "listIds: names a list that this profile does not have."
_HEADROOM = 500
"""How far below its limit a profile may be saved to in a single statement.

Such a statement counts what was there before it waited for the profile's lock: as many saves as
there are connections could pass the limit at once. This close to it, a transaction counts exactly.
"""


class Item(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """An item as the API shows it. ``profile`` is there in a whole store's answers only."""

    id: str
    product_id: int
    variant_id: int | UnsetType
    quantity: int
    tags: list[str]
    list_ids: list[str]
    created_at: str
    updated_at: str
    profile: str | UnsetType = UNSET


class NewItem(msgspec.Struct, frozen=True):
    """What to save, within its bounds (contract: item-numbers, item-tags, item-list-ids).

    None is what the body does not name.
    """

    product_id: int
    variant_id: int | None = None
    quantity: int | None = None
    tags: tuple[str, ...] | None = None
    list_ids: tuple[str, ...] = ()


class ItemPatch(msgspec.Struct, frozen=True):
    """What to change; None leaves a field as it is, ``NO_VARIANT`` clears the variant."""

    product_id: int | None = None
    variant_id: int | None = None
    quantity: int | None = None
    tags: tuple[str, ...] | None = None


def from_row(row: Row) -> Item:
    """A row that begins with ``item_fields`` of queries.sql."""
    # [:8]: a page's row has more.
    id, product_id, variant_id, quantity, tags, list_ids, created_at, updated_at = row[:8]
    return Item(
        id,
        product_id,
        variant_id or UNSET,
        quantity,
        tags.split(),
        list_ids.split() if list_ids else [],
        created_at,
        updated_at,
    )


def _in_store(row: Row) -> Item:
    item = from_row(row)
    item.profile = row[8]
    return item


async def page(db: Database, scope: Scope, asked: pages.PageRequest) -> pages.Page[Item]:
    """Items, newest first. A session that has ended is refused, not shown as empty."""
    if isinstance(scope, WholeStore):
        return await pages.read(db, "items", scope, asked, _in_store)
    found = await pages.read(db, "items", scope, asked, from_row)
    if not found.records:
        # A link takes all items away in the moment in which it closes the session: a page that
        # holds one needs no look at the profile.
        await profiles.check_open(db.read, scope)
    return found


async def find(profile: Profile, db: Reader, id: str) -> Item:
    """Raises ``NotFound``, or ``profiles.missing`` for a session that has ended."""
    row = await db.one("item_find", profile.id, id)
    if row is None:
        raise await _absent(db, profile, id)
    return from_row(row)


async def save(
    profile: Profile, db: Database, new: NewItem, id: str, bounds: Bounds, now: str
) -> tuple[Item, bool]:
    """Saves; whether that made the item (with this ``id``) or found it there.

    What ``new`` names is set on an item that is there, its lists are added, nothing else changes.
    Raises ``LimitReached`` where it would pass one of the ``bounds``, ``NotFound`` for a list that
    the profile does not have, ``profiles.missing`` for a session that has ended.
    """
    if not new.list_ids and new.tags is None:
        sure = max(bounds.items - _HEADROOM, 0)
        row = await db.write.one("item_save", *_save_arguments(profile, new, id, sure, now))
        if row is not None:
            return from_row(row), bool(row[8])
    # The rarer cases: lists, tags, a customer's first item, a full or ended profile.
    return await db.transaction(_save, profile, new, id, bounds, now)


async def _save(
    tx: Writer, profile: Profile, new: NewItem, id: str, bounds: Bounds, now: str
) -> tuple[Item, bool]:
    await profiles.lock(tx, profile, now)
    await _check_lists(tx, profile, new.list_ids)
    row = await tx.one("item_save", *_save_arguments(profile, new, id, bounds.items, now))
    if row is None:
        raise LimitReached(f"A profile holds at most {bounds.items} items; delete some first.")
    item, created = from_row(row), bool(row[8])
    if new.tags is not None:
        await index_tags(tx, profile, item.id, new.tags)
    added = [list_id for list_id in new.list_ids if list_id not in item.list_ids]
    if added:
        await _check_room(tx, profile, added, 0, bounds)
        await tx.run("entries_add", profile.id, item.id, added)
        await tx.run("item_touch", profile.id, item.id, now)
        item = await find(profile, tx, item.id)
    return item, created


def _save_arguments(
    profile: Profile, new: NewItem, id: str, limit: int, now: str
) -> tuple[object, ...]:
    return (
        profile.id,
        id,
        new.product_id,
        new.variant_id or NO_VARIANT,
        new.quantity,
        _stored(new.tags),
        now,
        limit,
    )


async def change(profile: Profile, db: Database, id: str, patch: ItemPatch, now: str) -> Item:
    """Changes what the patch names; ``updated_at`` moves only when something did change.

    Raises ``Conflict`` when another item has the product and variant, ``NotFound``, and
    ``profiles.missing`` for a session that has ended.
    """
    try:
        if patch.tags is None:
            return await _change(db.write, profile, id, patch, now)
        return await db.transaction(_change, profile, id, patch, now)
    except UniqueViolation as error:
        raise Conflict(
            "productId, variantId: another item of this profile has this product and variant."
        ) from error


async def _change(tx: Writer, profile: Profile, id: str, patch: ItemPatch, now: str) -> Item:
    row = await tx.one(
        "item_change",
        profile.id,
        id,
        patch.product_id,
        patch.variant_id,
        patch.quantity,
        _stored(patch.tags),
        now,
    )
    if row is None:
        raise await _absent(tx, profile, id)
    if patch.tags is not None:
        await index_tags(tx, profile, id, patch.tags)
    return from_row(row)


async def delete(profile: Profile, db: Database, id: str) -> None:
    """Raises ``NotFound`` when it is not there, ``profiles.missing`` for a session that ended."""
    if not await db.write.all("items_delete", profile.id, [id]):
        raise await _absent(db.read, profile, id)


async def delete_many(db: Database, scope: Scope, ids_: Sequence[str]) -> None:
    """Deletes all of them or, on an error, none; ids that are not there are no error."""
    known = [id for id in ids_ if ids.is_uuid(id)]
    if isinstance(scope, Profile):
        await db.transaction(_delete_many, scope, known)
    elif known:
        await db.transaction(_delete_in_store, scope, known)


async def _delete_many(tx: Writer, profile: Profile, ids_: Sequence[str]) -> None:
    # The lock first, in a statement of its own: a delete that waited for a link would see the
    # items that the link merged, and not those that it moved.
    if await profiles.lock_known(tx, profile):
        await tx.run("items_delete", profile.id, list(ids_))


async def _delete_in_store(tx: Writer, store: WholeStore, ids_: Sequence[str]) -> None:
    # A link may move an item between the look-up and the delete: then it is looked up once more.
    while found := await tx.all("item_owners", store.store_id, list(ids_)):
        by_owner: dict[tuple[bool, str], list[str]] = {}
        for profile_id, id, is_session in found:
            by_owner.setdefault((not is_session, profile_id), []).append(id)
        # In one order everywhere, sessions before customers as a link takes them, so that none of
        # these waits for another that waits for it.
        for owner in sorted(by_owner):
            await tx.run("items_delete", owner[1], by_owner[owner])


async def set_lists(
    profile: Profile, db: Database, id: str, list_ids: Sequence[str], bounds: Bounds, now: str
) -> Item:
    """Puts the item on exactly these lists.

    Raises ``NotFound`` for the item or a list, ``LimitReached`` where a list or the profile would
    hold more than its bound.
    """
    if db.has_functions:
        # The same in one round trip instead of seven; an id that is no UUID is of no list.
        wanted = [at if ids.is_uuid(at) else ids.NO_UUID for at in list_ids]
        most = (bounds.entries, bounds.list_items)
        row = await db.write.one("item_set_lists", profile.id, id, wanted, now, *most)
        if row is None:
            raise await _absent(db.read, profile, id)
        item = from_row(row)
        if set(item.list_ids) == set(list_ids):
            return item
        # It has changed nothing; why, the long way tells.
    return await db.transaction(_set_lists, profile, id, tuple(list_ids), bounds, now)


async def _set_lists(
    tx: Writer, profile: Profile, id: str, list_ids: tuple[str, ...], bounds: Bounds, now: str
) -> Item:
    if not await profiles.lock_known(tx, profile):
        raise NotFound("There is no such item.")
    row = await tx.one("item_and_lists", profile.id, id, [at for at in list_ids if ids.is_uuid(at)])
    if row is None:
        raise await _absent(tx, profile, id)
    if row[8] < len(list_ids):
        raise NotFound(_UNKNOWN_LIST)
    item = from_row(row)
    gone = [at for at in item.list_ids if at not in list_ids]
    added = [at for at in list_ids if at not in item.list_ids]
    if added:
        await _check_room(tx, profile, added, len(gone), bounds)
        await tx.run("entries_add", profile.id, id, added)
    if gone:
        await tx.run("entries_remove", profile.id, id, gone)
    if gone or added:
        await tx.run("item_touch", profile.id, id, now)
        # Under the lock nobody else changes it: it needs not be read again.
        item.list_ids = sorted(list_ids)
        item.updated_at = max(item.updated_at, now)
    return item


async def _check_lists(tx: Reader, profile: Profile, list_ids: Sequence[str]) -> None:
    if not list_ids:
        return
    known = [id for id in list_ids if ids.is_uuid(id)]
    there = {row[0] for row in await tx.all("lists_known", profile.id, known)}
    for id in list_ids:
        if id not in there:
            raise NotFound(_UNKNOWN_LIST)


async def _check_room(
    tx: Reader, profile: Profile, added: Sequence[str], gone: int, bounds: Bounds
) -> None:
    """Raises ``LimitReached`` where one more item on each of the lists, and on ``gone`` other lists
    one less, would be too many."""
    row = await tx.one("entries_count", profile.id, list(added))
    assert row is not None
    entries, fullest = row
    if fullest >= bounds.list_items:
        raise LimitReached(f"listIds: a list holds at most {bounds.list_items} items.")
    if len(added) > gone and entries + len(added) - gone > bounds.entries:
        raise LimitReached(
            f"listIds: a profile's items stand on its lists at most {bounds.entries} times in all."
        )


async def index_tags(tx: Writer, profile: Profile, id: str, tags: Sequence[str]) -> None:
    """Keeps ``item_tags``, by which tags are found, as ``items.tags``, which is what is read."""
    await tx.run("item_tags_clear", profile.id, id)
    if tags:
        await tx.run_many("item_tags_add", [(profile.id, id, tag) for tag in tags])


async def _absent(db: Reader, profile: Profile, id: str) -> Exception:
    await profiles.check_open(db, profile)
    return NotFound("There is no such item.")


def _stored(tags: Sequence[str] | None) -> str | None:
    return None if tags is None else " ".join(tags)


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """At most 20, each once, each 1 to 50 of ``a-z 0-9 _ -``; else ``Invalid``."""
    if len(tags) > MAX_TAGS:
        raise Invalid(f"tags: at most {MAX_TAGS}.")
    if not all(search.TAG.fullmatch(tag) for tag in tags):
        raise Invalid("tags: each must be 1 to 50 of a-z 0-9 _ -.")
    if len(set(tags)) != len(tags):
        raise Invalid("tags: names one twice.")
    return tuple(tags)
