"""Items: the products that a profile saved, one per product and variant (contract: save-once)."""

import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence, Set
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import events, ids, profiles
from wishwell.db import Reader, Row, UniqueViolation, Writer
from wishwell.errors import Conflict, LimitReached, NotFound
from wishwell.profiles import Profile, Scope, pages
from wishwell.stores import Bounds
from wishwell.wishes import reservations

NO_VARIANT = ""
"""Stored instead of a missing variant, because the unique constraint ignores NULL."""

MAX_QUANTITY = 1_000_000
MAX_TAGS = 20
MAX_NOTE = 500
MAX_BULK = 250


# contract: item-fields
class Item(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """An item as the API shows it. ``profile`` is set only for a whole store, ``product`` if asked.

    Product and variant ids are text here; for a store with integer ids the API shows numbers.
    """

    id: str
    product_id: str | int
    variant_id: str | int | UnsetType
    quantity: int
    tags: list[str]
    note: str | UnsetType
    list_ids: list[str]
    created_at: str
    updated_at: str
    profile: str | UnsetType = UNSET
    product: msgspec.Raw | UnsetType = UNSET


class NewItem(msgspec.Struct, frozen=True):
    """An item to save, already checked (contract: item-numbers, item-tags, item-list-ids).

    None means that the body does not have the field.
    """

    product_id: str
    variant_id: str = NO_VARIANT
    quantity: int | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None
    list_ids: tuple[str, ...] = ()


class ItemPatch(msgspec.Struct, frozen=True):
    """Changes to an item. None leaves a field; ``NO_VARIANT`` and an empty note clear it."""

    product_id: str | None = None
    variant_id: str | None = None
    quantity: int | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None


def from_row(row: Row) -> Item:
    """Makes an item from its columns (``item_fields``)."""
    id, product_id, variant_id, quantity, tags, note, list_ids, created_at, updated_at = row
    return Item(
        id,
        product_id,
        variant_id or UNSET,
        quantity,
        tags.split(),
        note or UNSET,
        list_ids.split(),
        created_at,
        updated_at,
    )


# contract: product-id-kind
def show(found: Iterable[Item], *, text_ids: bool) -> None:
    """Turns the ids of products and variants into those of a store's kind."""
    if text_ids:
        return
    for item in found:
        # As stores.number does: its calls are 3 % of a page.
        product, variant = item.product_id, item.variant_id
        if isinstance(product, str) and product.isdecimal():
            item.product_id = int(product)
        if isinstance(variant, str) and variant.isdecimal():
            item.variant_id = int(variant)


def in_store(row: Row) -> Item:
    """``from_row``, with the owner's GID as the last column."""
    *columns, owner = row
    item = from_row(columns)
    item.profile = owner
    return item


def records(
    tx: Reader, profile: Profile, statement: str, **keys: object
) -> Callable[[], Awaitable[events.Records]]:
    """What reads the items that a statement finds, for ``events.watch``."""

    async def read() -> events.Records:
        rows = await tx.all(statement, profile=profile.id, **keys)
        items = [from_row(row) for row in rows]
        show(items, text_ids=profile.store.has_text_ids)
        return {item.id: events.Record(item) for item in items}

    return read


async def page(tx: Reader, scope: Scope, asked: pages.PageRequest) -> pages.Page[Item]:
    """A page of items, newest first. Raises ``profiles.missing``."""
    made = from_row if isinstance(scope, Profile) else in_store
    return await pages.read(tx, "items", scope, asked, made)


async def find(tx: Reader, profile: Profile, id: str) -> Item:
    """The item. Raises ``NotFound``, ``profiles.missing``."""
    row = await tx.one("item_find", profile=profile.id, id=id)
    if row is None:
        raise await _absent(tx, profile)
    return from_row(row)


# contract: save-again, item-limit
async def save(
    tx: Writer, profile: Profile, new: NewItem, id: str, bounds: Bounds, now: str
) -> tuple[Item, bool]:
    """Saves an item. Returns it, and whether it was created (with this ``id``) or existed.

    On an existing item the fields that ``new`` has are set, its lists are added, and nothing else
    changes. Raises ``LimitReached`` if one of the ``bounds`` would be exceeded, ``NotFound`` for a
    list that the profile does not have, ``profiles.missing``.
    """
    given: dict[str, Any] = {
        "profile": profile.id,
        "id": id,
        "product": new.product_id,
        "variant": new.variant_id,
        "quantity": new.quantity,
        "tags": _stored(new.tags),
        "note": new.note,
        "now": now,
        "most": bounds.items,
    }
    row = None
    if new.tags is None and not new.list_ids and not events.are_told(profile):
        row = await tx.one("item_save", **given)
    if row is None:
        # There are lists, tags or an event, the customer has no row yet, or it is full or ended.
        await profiles.lock(tx, profile, now)
        row = await tx.one("item_save", **given)
    if row is None:
        raise LimitReached(full(bounds))
    *columns, names, created = row
    item, changed = from_row(columns), names.split()
    if new.tags is not None:
        await _index_tags(tx, profile, item.id, new.tags)
    if not set(new.list_ids) <= set(item.list_ids):
        item = await _set_lists(tx, profile, item, {*item.list_ids, *new.list_ids}, bounds, now)
        changed.append("listIds")
    if created:
        await _tell(tx, profile, now, "item.created", item)
    elif changed:
        await _tell(tx, profile, now, "item.updated", item, changed)
    return item, bool(created)


# contract: item-update, item-variant-null, item-conflict, item-updated-at
async def change(tx: Writer, profile: Profile, id: str, patch: ItemPatch, now: str) -> Item:
    """Changes an item. ``updated_at`` is set only if something changed.

    Raises ``Conflict`` if another item has the product and variant, ``NotFound``,
    ``profiles.missing``.
    """
    if patch.tags is not None or events.are_told(profile):
        await profiles.lock_known(tx, profile)
    try:
        row = await tx.one(
            "item_change",
            profile=profile.id,
            id=id,
            product=patch.product_id,
            variant=patch.variant_id,
            quantity=patch.quantity,
            tags=_stored(patch.tags),
            note=patch.note,
            now=now,
        )
    except UniqueViolation as error:
        raise Conflict(
            "productId, variantId: another item of this profile has this product and variant."
        ) from error
    if row is None:
        await profiles.lock_known(tx, profile)  # contract: erase-writes
        raise NotFound(_NO_ITEM)
    *columns, names = row
    item = from_row(columns)
    if patch.tags is not None:
        await _index_tags(tx, profile, id, patch.tags)
    if names:
        await _tell(tx, profile, now, "item.updated", item, names.split())
    return item


# contract: item-delete
async def delete(tx: Writer, profile: Profile, id: str, now: str) -> None:
    """Deletes an item. Raises ``NotFound``, ``profiles.missing``."""
    row = None
    if not events.are_told(profile):
        row = await tx.one("items_delete", profile=profile.id, ids=[id])
    if row is None and not await _delete_of(tx, profile, [id], now):
        raise NotFound(_NO_ITEM)


# contract: items-delete, link-races
async def delete_many(tx: Writer, scope: Scope, ids_: Sequence[str], now: str) -> None:
    """Deletes all of these items or, on an error, none. Unknown ids are ignored."""
    known = [id for id in ids_ if ids.is_uuid(id)]
    if isinstance(scope, Profile):
        await _delete_of(tx, scope, known, now)
        return
    # A link may move an item between the look-up and the lock, but only once, to a customer.
    for _ in range(2):
        rows = await tx.all("item_owners", store=scope.store.id, ids=known)
        owners = {row[0]: Profile(row[0], scope.store, row[3], bool(row[2])) for row in rows}
        # Locked in one order everywhere, sessions before customers as in a link: no deadlocks.
        for owner in sorted(owners.values(), key=lambda owner: (not owner.is_session, owner.id)):
            with contextlib.suppress(NotFound):  # a session that a link has closed since
                await _delete_of(tx, owner, known, now)


# contract: reserve-ends
async def _delete_of(tx: Writer, profile: Profile, known: list[str], now: str) -> list[Item]:
    """Deletes those of these items that there are, under the profile's lock."""
    if not await profiles.lock_known(tx, profile):
        return []
    rows = await tx.all("items_known", profile=profile.id, ids=known)
    gone = [from_row(row) for row in rows]
    if not gone:
        return []
    sizes = Counter(list_id for item in gone for list_id in item.list_ids)
    if any(item.tags for item in gone):
        await tx.run("item_tags_clear", profile=profile.id, ids=known)
    await _leave(tx, profile, known, sizes)
    await tx.run("items_remove", profile=profile.id, ids=known)
    await profiles.count(tx, profile, items=-len(gone))
    if sizes:
        await reservations.end_unshared(tx, profile.id)
    text_ids = profile.store.has_text_ids
    deletions: list[tuple[events.Type, bytes]] = [
        ("item.deleted", data(item, text_ids)) for item in gone
    ]
    await events.tell_all(tx, profile, now, deletions)
    return gone


async def _leave(tx: Writer, profile: Profile, known: list[str], sizes: Mapping[str, int]) -> None:
    """Takes items off lists; ``sizes``: how many of them each of these lists loses."""
    if sizes:
        await tx.run("entries_remove", profile=profile.id, lists=[*sizes], items=known)
        await tx.run_many(
            "list_resize",
            [{"profile": profile.id, "id": id, "more": -less} for id, less in sizes.items()],
        )


# contract: item-set-lists, item-set-lists-place, list-item-limit, place-limit
async def set_lists(
    tx: Writer, profile: Profile, id: str, list_ids: Sequence[str], bounds: Bounds, now: str
) -> Item:
    """Puts the item on exactly these lists.

    Raises ``NotFound`` for the item or a list, ``LimitReached`` if a list or the profile would
    exceed its bound.
    """
    before = await find_locked(tx, profile, id)
    return await put_on(tx, profile, before, list_ids, bounds, now)


async def find_locked(tx: Writer, profile: Profile, id: str) -> Item:
    """``find`` under the profile's lock."""
    row = None
    if await profiles.lock_known(tx, profile):
        row = await tx.one("item_find", profile=profile.id, id=id)
    if row is None:
        raise NotFound(_NO_ITEM)
    return from_row(row)


async def put_on(
    tx: Writer,
    profile: Profile,
    before: Item,
    list_ids: Collection[str],
    bounds: Bounds,
    now: str,
    field: str = "listIds",
) -> Item:
    """``set_lists`` of an item that was found under the lock. ``field``: what an error names."""
    item = await _set_lists(tx, profile, before, list_ids, bounds, now, field)
    if item is not before:
        await _tell(tx, profile, now, "item.updated", item, ["listIds"])
    return item


async def _set_lists(
    tx: Writer,
    profile: Profile,
    item: Item,
    list_ids: Collection[str],
    bounds: Bounds,
    now: str,
    field: str = "listIds",
) -> Item:
    """The item as it is then: the same one, if it is on these lists already."""
    wanted = set(list_ids)
    more, less = wanted - set(item.list_ids), set(item.list_ids) - wanted
    if not more and not less:
        return item
    lists = {row[0]: row[1:3] for row in await tx.all("lists_kept", profile=profile.id)}
    check_lists({id: size for id, (size, _) in lists.items()}, more, less, bounds, field)
    await _leave(tx, profile, [item.id], dict.fromkeys(less, 1))
    if more:
        await tx.fill("entries", [(profile.id, id, item.id, 0) for id in sorted(more)])
        longer = [{"profile": profile.id, "id": id, "more": 1} for id in more]
        await tx.run_many("list_resize", longer)
    named = {"profile": profile.id, "id": item.id, "list_ids": " ".join(sorted(wanted))}
    row = await tx.one("item_set_lists", **named, now=now)
    assert row is not None
    if any(lists[id][1] for id in less):  # only a list that was ever shared has reservations
        await reservations.end_unshared(tx, profile.id)
    return from_row(row)


def check_lists(
    sizes: Mapping[str, int], more: Set[str], less: Set[str], bounds: Bounds, field: str
) -> None:
    """Raises ``NotFound``, ``LimitReached`` unless an item may be put on the lists ``more`` and
    taken off ``less``; ``sizes``: of all lists of the profile."""
    if not more <= sizes.keys():
        raise NotFound(f"{field}: names a list that this profile does not have.")
    if any(sizes[id] >= bounds.list_items for id in more):
        raise LimitReached(f"{field}: a list holds at most {bounds.list_items} items.")
    if len(more) > len(less) and sum(sizes.values()) + len(more) - len(less) > bounds.entries:
        raise LimitReached(
            f"{field}: all lists of a profile together hold at most {bounds.entries} items."
        )


_NO_ITEM = "There is no such item."


def full(bounds: Bounds) -> str:
    return f"A profile holds at most {bounds.items} items; delete some first."


async def _absent(tx: Reader, profile: Profile) -> NotFound:
    await profiles.check_open(tx, profile)
    return NotFound(_NO_ITEM)


async def _index_tags(tx: Writer, profile: Profile, id: str, tags: Sequence[str]) -> None:
    """Updates ``item_tags``, the index for searching; ``items.tags`` is what is read."""
    await tx.run("item_tags_clear", profile=profile.id, ids=[id])
    if tags:
        key, store = profile.id, profile.store.id
        await tx.fill("item_tags", [(key, id, tag, store) for tag in tags])


# contract: event-transaction
async def _tell(
    tx: Writer,
    profile: Profile,
    now: str,
    type_: events.Type,
    item: Item,
    changed: Sequence[str] = (),
) -> None:
    if events.are_told(profile):
        text_ids = profile.store.has_text_ids
        await events.tell(tx, profile, now, type_, data(item, text_ids, changed))


def data(item: Item, text_ids: bool, changed: Sequence[str] = ()) -> bytes:
    """What an event says of an item."""
    show([item], text_ids=text_ids)
    return msgspec.json.encode({"item": item, "changed": changed} if changed else {"item": item})


def _stored(tags: Sequence[str] | None) -> str | None:
    return None if tags is None else " ".join(tags)
