"""Items: products saved by a profile, at most one per product and variant (rule: save-once)."""

import contextlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Protocol

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from wishwell import events, ids, profiles
from wishwell import field_types as types
from wishwell.db import Reader, Writer, mapping, statements
from wishwell.errors import LimitReached, NotFound, no_record
from wishwell.profiles import Profile, Scope, pages, search
from wishwell.stores import SizeLimits
from wishwell.wishlists import reservation_rows

NO_VARIANT = ""  # stored instead of NULL, which the unique constraint ignores

MAX_BULK = 250


class Item(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """A product or variant that a profile saved.

    Product and variant ids are stored as text; ``show`` converts them for a store with integer ids.
    """

    id: types.Id
    product_id: types.ProductId
    variant_id: types.ProductId | UnsetType
    """Omitted without a variant."""
    quantity: types.Quantity
    tags: Annotated[list[types.Tag], types.Unique]
    """At most 20, but linking may merge the tags of two items."""
    note: Annotated[types.Note, types.published(minLength=1)] | UnsetType
    """Omitted without a note."""
    list_ids: Annotated[list[types.Id], types.Unique]
    """The ids of the lists that contain the item."""
    created_at: types.Time
    updated_at: types.Time
    saved_price: Annotated[msgspec.Raw, types.published("Price")] | UnsetType = UNSET
    """The product's price when this product or variant was saved; omitted if it was unknown."""
    purchased: types.Purchased | UnsetType = UNSET  # rule: purchase-mark
    """Omitted unless an order has matched the item since it was last saved."""
    profile: types.ProfileGid | UnsetType = UNSET
    """The owner; only for an admin token without `Profile`."""
    product: types.ItemProduct | UnsetType = UNSET


class NewItem(msgspec.Struct, frozen=True):
    """A validated item to save (rule: item-lists). None: the body lacks the field."""

    product_id: str
    variant_id: str = NO_VARIANT
    quantity: int | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None
    list_ids: tuple[str, ...] = ()
    list_name: str | None = None
    """The name of another list to put the item on (rule: item-lists)."""


class ItemPatch(msgspec.Struct, frozen=True):
    """Changes to an item. None leaves a field unchanged; ``""`` clears variant or note."""

    product_id: str | None = None
    variant_id: str | None = None
    quantity: int | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None


from_row = mapping.from_columns(Item, "item_fields")
from_store_row = mapping.from_columns(Item, "item_fields", "profile")
"""Both convert a row to an item; the row of a whole store's page also has the owner's GID."""

OPTIONS = statements.columns("item_options")
"""Fields that a save and a change may give, and that an event and a merge treat as plain values."""


def new(id: str, product_id: str, variant_id: str, now: str) -> Item:
    """Returns an item with a quantity of 1 and nothing else."""
    columns = {"id": id, "product_id": product_id, "variant_id": variant_id, "quantity": 1}
    columns |= {"created_at": now, "updated_at": now}
    return from_row([columns.get(name, "") for name in statements.columns("item_fields")])


class _OfProduct(Protocol):
    """An item, or an item of a shared list."""

    product_id: types.ProductId
    variant_id: types.ProductId | UnsetType


# rule: store-product-ids
def show(found: Iterable[_OfProduct], *, text_ids: bool) -> None:
    """Converts product and variant ids to numbers, unless the store has text ids."""
    if text_ids:
        return
    for item in found:
        # Inlines stores.number, because its calls would take 3 % of a page's time.
        product, variant = item.product_id, item.variant_id
        if product.__class__ is str and product.isdecimal():
            item.product_id = int(product)
        if variant.__class__ is str and variant.isdecimal():
            item.variant_id = int(variant)


async def page(tx: Reader, scope: Scope, asked: pages.PageRequest) -> pages.Page[Item]:
    """Returns a page of items, newest first. Raises ``profiles.missing``."""
    made = from_row if isinstance(scope, Profile) else from_store_row
    return await pages.read(tx, "items", scope, asked, made)


async def find(tx: Reader, profile: Profile, id: str) -> Item:
    """Returns an item. Raises ``NotFound``, ``profiles.missing``."""
    row = await tx.one("item_find", profile=profile.id, id=id)
    if row is None:
        await profiles.check_open(tx, profile)
        raise no_record("item")
    return from_row(row)


async def of_products(
    tx: Reader, profile: Profile, products: Iterable[str]
) -> dict[tuple[str, str], Item]:
    """Returns the profile's items with these products, by key (see ``item_key``)."""
    rows = await tx.all("items_of_products", profile=profile.id, products=sorted({*products}))
    return {item_key(item): item for item in map(from_row, rows)}


def item_key(item: Item) -> tuple[str, str]:
    """Returns an item's key, unique in its profile: product and variant as stored."""
    return str(item.product_id), str(item.variant_id or NO_VARIANT)


# rule: delete-scope
async def delete(tx: Writer, profile: Profile, id: str, now: str) -> None:
    """Deletes an item. Raises ``NotFound``, ``profiles.missing``."""
    recording = events.events_enabled(profile)
    if recording:
        await tx.begin()
    row = None
    if not profile.store.reporting.purchases:  # rule: purchase-match
        row = await tx.one("items_delete", profile=profile.id, ids=[id])
    if row is None:  # it has tags or lists, doesn't exist, or is to be remembered
        if not await _delete_of(tx, profile, [id], now):
            raise no_record("item")
    elif recording:
        event = _event(from_row(row), None, profile.store.has_text_ids)
        await events.record_event(tx, profile, now, *event)


# rules: bulk-atomic, link-atomic
async def delete_many(tx: Writer, scope: Scope, ids_: Sequence[str], now: str) -> None:
    """Deletes these items, all or, on an error, none. Ignores unknown ids."""
    known = [id for id in ids_ if ids.is_uuid(id)]
    if isinstance(scope, Profile):
        await _delete_of(tx, scope, known, now)
        return
    # Twice, because a link may move an item to a customer between lookup and lock, but only once.
    for _ in range(2):
        rows = await tx.all("items_owners", store=scope.store.id, ids=known)
        owners = {row[0]: Profile(row[0], scope.store, row[3], bool(row[2])) for row in rows}
        # The same lock order as in a link (sessions before customers) prevents deadlocks.
        for owner in sorted(owners.values(), key=lambda owner: (not owner.is_session, owner.id)):
            with contextlib.suppress(NotFound):  # a link has closed the session since
                await _delete_of(tx, owner, known, now)


async def _delete_of(tx: Writer, profile: Profile, known: list[str], now: str) -> bool:
    """Deletes the given items that exist, under the profile's lock. Returns whether any did."""
    if not await profiles.lock_known(tx, profile):
        return False
    rows = await tx.all("items_known", profile=profile.id, ids=known)
    await apply(tx, profile, [(from_row(row), None) for row in rows], now)
    return bool(rows)


# rule: item-lists
async def set_lists(
    tx: Writer, profile: Profile, id: str, list_ids: Sequence[str], limits: SizeLimits, now: str
) -> Item:
    """Puts the item on exactly these lists.

    Raises ``NotFound`` for the item or a list, ``LimitReached`` if a list or the profile would
    exceed its size limit.
    """
    return await replace_lists(
        tx, profile, await find_locked(tx, profile, id), list_ids, limits, now
    )


async def find_locked(tx: Writer, profile: Profile, id: str) -> Item:
    """Returns an item under the profile's lock. Raises ``NotFound``, ``profiles.missing``."""
    row = None
    if await profiles.lock_known(tx, profile):
        row = await tx.one("item_find", profile=profile.id, id=id)
    if row is None:
        raise no_record("item")
    return from_row(row)


async def replace_lists(
    tx: Writer,
    profile: Profile,
    before: Item,
    list_ids: Collection[str],
    limits: SizeLimits,
    now: str,
) -> Item:
    """Puts an item that was read under the profile's lock on exactly these lists."""
    item = replace(before, list_ids=sorted({*list_ids}))
    if item == before:
        return item
    await check_limits(tx, profile, [(before, item)], limits, "listIds")
    await apply(tx, profile, [(before, item)], now)
    return item


Change = tuple[Item | None, Item | None]
"""An item before and after a change: (None, new) creates it, (old, None) deletes it."""


def _list_ids(item: Item | None) -> set[str]:
    return set(item.list_ids) if item else set()


# rule: profile-limits
async def check_limits(
    tx: Reader, profile: Profile, changes: Sequence[Change], limits: SizeLimits, field: str
) -> None:
    """Checks changes, applied in order, against the size limits.

    Raises ``NotFound`` for a list that the profile doesn't have, ``LimitReached`` if one of the
    ``limits`` would be exceeded. ``field``: the field with the lists, for the error message; a
    placeholder gets the index of the change.
    """
    held = 0
    if any(before is None for before, _ in changes):
        row = await tx.one("profile_items", profile=profile.id)
        held = row[0] if row else 0
    sizes: dict[str, int] = dict(map(tuple, await tx.all("list_sizes", profile=profile.id)))
    entries = sum(sizes.values())
    for index, (before, after) in enumerate(changes):
        more, less = _list_ids(after) - _list_ids(before), _list_ids(before) - _list_ids(after)
        held += before is None
        entries += len(more) - len(less)
        if before is None and held > limits.items:
            raise LimitReached(
                f"A profile can have at most {limits.items} items; delete some first.",
                "item_limit_reached",
            )
        named = field.format(index)
        if unknown := more - sizes.keys():
            raise NotFound(
                f"{named}: {search.excerpt(min(unknown))} isn't the id of a list of this profile.",
                "list_not_found",
            )
        for id in more:
            sizes[id] += 1
            if sizes[id] > limits.list_items:
                raise LimitReached(
                    f"{named}: a list can have at most {limits.list_items} items.",
                    "list_item_limit_reached",
                )
        if len(more) > len(less) and entries > limits.entries:
            raise LimitReached(
                f"{named}: all lists of a profile together can have at most {limits.entries} "
                "items.",
                "list_entry_limit_reached",
            )


async def apply(tx: Writer, profile: Profile, changes: Sequence[Change], now: str) -> None:
    """Saves changes like ``write``, and records their events."""
    await events.record_events(tx, profile, now, await write(tx, profile, changes, now))


# rules: event-changed, event-transaction, updated-at, item-lists, reserve-ends, purchase-match
async def write(
    tx: Writer,
    profile: Profile,
    changes: Sequence[Change],
    now: str,
    positions: Mapping[tuple[str, str], int] = MappingProxyType({}),
) -> list[tuple[events.Type, bytes]]:
    """Saves changes of items with their tags and lists, under the profile's lock.

    Returns the events, which the caller records. ``positions``: positions of items on lists that
    they are added to, by list id and item id; other items get none. Sets ``updated_at`` of changed
    items. Raises ``UniqueViolation``.
    """
    real = [change for change in changes if change[0] != change[1]]
    for before, after in real:
        if before and after:
            after.updated_at = max(before.updated_at, now)
    deleted = [before.id for before, after in real if before and not after]
    created = [after for before, after in real if after and not before]
    updated = [after for before, after in real if after and before]
    if created:
        await tx.fill("items", [_to_columns(profile, item) for item in created])
    await tx.run_many("item_put", [_to_columns(profile, item) for item in updated])
    await _write_tags(tx, profile, real)
    left = await _write_entries(tx, profile, real, positions)
    if deleted:
        if profile.store.reporting.purchases:
            await tx.run("items_remember", profile=profile.id, ids=deleted, now=now)
        await tx.run("items_remove", profile=profile.id, ids=deleted)
    if deleted or left:
        await reservation_rows.delete_unshared(tx, profile.id)
    if len(created) != len(deleted):
        await profiles.count(tx, profile, items=len(created) - len(deleted))
    return tell(profile, real)


def tell(profile: Profile, changes: Sequence[Change]) -> list[tuple[events.Type, bytes]]:
    """Returns the events of changes that have been saved, if the store has events enabled."""
    if not events.events_enabled(profile):
        return []
    return [_event(before, after, profile.store.has_text_ids) for before, after in changes]


async def _write_tags(tx: Writer, profile: Profile, changes: Sequence[Change]) -> None:
    """Updates ``item_tags``, which only searches use; an item is read with ``items.tags``."""
    cleared: list[str] = []
    added: list[dict[str, str]] = []
    for before, after in changes:
        was, now = before.tags if before else [], after.tags if after else []
        if before and was and was != now:
            cleared.append(before.id)
        if after and was != now:
            params = {"profile_id": profile.id, "store_id": profile.store.id, "item_id": after.id}
            added += [{**params, "tag": tag} for tag in now]
    if cleared:
        await tx.run("item_tags_clear", profile=profile.id, ids=cleared)
    if added:
        await tx.fill("item_tags", added)


async def _write_entries(
    tx: Writer,
    profile: Profile,
    changes: Sequence[Change],
    positions: Mapping[tuple[str, str], int],
) -> bool:
    """Updates the lists' entries. Returns whether any item left a list."""
    added: list[dict[str, object]] = []
    left: list[dict[str, object]] = []
    sizes = Counter[str]()
    for before, after in changes:
        more, less = _list_ids(after) - _list_ids(before), _list_ids(before) - _list_ids(after)
        if after:
            params = {"profile_id": profile.id, "item_id": after.id}
            added += [
                {**params, "list_id": id, "position": positions.get((id, after.id), 0)}
                for id in more
            ]
        if before:
            left += [{"profile": profile.id, "list": id, "item": before.id} for id in less]
        sizes.update(more)
        sizes.subtract(less)
    await tx.run_many("entry_remove", left)
    if added:
        await tx.fill("entries", added)
    resized = [{"profile": profile.id, "id": id, "more": n} for id, n in sizes.items()]
    await tx.run_many("list_resize", resized)
    return bool(left)


def _to_columns(profile: Profile, item: Item) -> dict[str, object]:
    product_id, variant_id = item_key(item)
    return mapping.to_columns(item, "items_filled") | {
        "profile_id": profile.id,
        "store_id": profile.store.id,
        "product_id": product_id,
        "variant_id": variant_id,
        **dict.fromkeys(("dropped_at", "restocked_at", "saved_at"), ""),
    }


# rule: event-changed
def _event(before: Item | None, after: Item | None, text_ids: bool) -> tuple[events.Type, bytes]:
    if after is None:
        assert before is not None
        return "item.deleted", data(before, text_ids)
    if before is None:
        return "item.created", data(after, text_ids)
    return "item.updated", data(after, text_ids, events.changed(before, after))


def data(item: Item, text_ids: bool, changed: Sequence[str] = ()) -> bytes:
    show([item], text_ids=text_ids)
    return msgspec.json.encode({"item": item, "changed": changed} if changed else {"item": item})
