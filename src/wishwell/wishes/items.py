"""Items: the products that a profile saved, one per product and variant (contract: save-once)."""

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager

import msgspec

from wishwell import events, ids, profiles
from wishwell.db import Reader, Row, UniqueViolation, Writer
from wishwell.errors import Conflict, Invalid, LimitReached, NotFound
from wishwell.profiles import Profile, Scope, pages, search
from wishwell.stores import Bounds
from wishwell.wishes import reservations
from wishwell.wishes.item_record import NO_VARIANT, Item, from_row, show

MAX_QUANTITY = 1_000_000
MAX_TAGS = 20
MAX_NOTE = 500
MAX_BULK = 250


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


def _in_store(row: Row) -> Item:
    """``from_row``, with the owner's GID as the last column."""
    *columns, owner = row
    item = from_row(columns)
    item.profile = owner
    return item


def records(
    tx: Reader, profile: Profile, statement: str, *keys: object
) -> Callable[[], Awaitable[events.Records]]:
    """What reads the items that a statement finds, for ``events.watch``."""

    async def read() -> events.Records:
        found = [from_row(row) for row in await tx.all(statement, profile.id, *keys)]
        show(found, text_ids=profile.store.has_text_ids)
        return {item.id: events.Record(item) for item in found}

    return read


async def page(tx: Reader, scope: Scope, asked: pages.PageRequest) -> pages.Page[Item]:
    """A page of items, newest first. Raises ``profiles.missing``."""
    made = from_row if isinstance(scope, Profile) else _in_store
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
    arguments = (
        profile.id,
        id,
        new.product_id,
        new.variant_id,
        new.quantity,
        _stored(new.tags),
        new.note,
        now,
        bounds.items,
    )
    alone = new.tags is None and not new.list_ids
    statement, more = _telling(profile, "item_save")
    watched: AbstractAsyncContextManager[None] = events.UNWATCHED
    if new.list_ids:  # saved and put on lists: one change
        statement, more = "item_save", ()
        of_product = records(tx, profile, "item_of_product", new.product_id, new.variant_id)
        watched = events.watch(tx, profile, now, "item", of_product)
    async with watched:
        row = await tx.one(statement, *arguments, *more) if alone else None
        if row is None:
            # There are lists or tags, the customer has no row yet, or it is full or has ended.
            await profiles.lock(tx, profile, now)
            row = await tx.one(statement, *arguments, *more)
        if row is None:
            raise LimitReached(f"A profile holds at most {bounds.items} items; delete some first.")
        *columns, created = row
        item = from_row(columns)
        if new.tags is not None:
            await _index_tags(tx, profile, item.id, new.tags)
        if not set(new.list_ids) <= set(item.list_ids):
            union = {*item.list_ids, *new.list_ids}
            item = await _put_on(tx, profile, item.id, tuple(union), bounds, now)
        return item, bool(created)


# contract: item-update, item-variant-null, item-conflict, item-updated-at
async def change(tx: Writer, profile: Profile, id: str, patch: ItemPatch, now: str) -> Item:
    """Changes an item. ``updated_at`` is set only if something changed.

    Raises ``Conflict`` if another item has the product and variant, ``NotFound``,
    ``profiles.missing``.
    """
    statement, more = _telling(profile, "item_change")
    if patch.tags is not None:
        await profiles.lock_known(tx, profile)
    arguments = (patch.product_id, patch.variant_id, patch.quantity, _stored(patch.tags))
    try:
        row = await tx.one(statement, profile.id, id, *arguments, patch.note, now, *more)
    except UniqueViolation as error:
        raise Conflict(
            "productId, variantId: another item of this profile has this product and variant."
        ) from error
    if row is None:
        raise await _absent(tx, profile)
    if patch.tags is not None:
        await _index_tags(tx, profile, id, patch.tags)
    return from_row(row)


# contract: item-delete
async def delete(tx: Writer, profile: Profile, id: str, now: str) -> None:
    """Deletes an item. Raises ``NotFound``, ``profiles.missing``."""
    statement, more = _telling(profile, "items_delete", now)
    if await _certain(tx, profile, statement, [id], more=more) is None:
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
        by_owner: dict[tuple[bool, str, str], list[str]] = {}
        for profile_id, id, is_session, gid in await tx.all("item_owners", scope.store.id, known):
            by_owner.setdefault((not is_session, profile_id, gid), []).append(id)
        # Locked in one order everywhere, sessions before customers as in a link: no deadlocks.
        for owner in sorted(by_owner):
            is_customer, profile_id, gid = owner
            profile = Profile(profile_id, scope.store, gid, not is_customer)
            with contextlib.suppress(NotFound):  # a session that a link has closed since
                await _delete_of(tx, profile, by_owner[owner], now)


async def _delete_of(tx: Writer, profile: Profile, known: Sequence[str], now: str) -> None:
    if await profiles.lock_known(tx, profile):
        statement, more = _telling(profile, "items_delete", now)
        await tx.run(statement, profile.id, known, True, *more)
        await reservations.end_unshared(tx, profile.id)


# contract: item-set-lists, item-set-lists-place, list-item-limit, place-limit
async def set_lists(
    tx: Writer, profile: Profile, id: str, list_ids: Sequence[str], bounds: Bounds, now: str
) -> Item:
    """Puts the item on exactly these lists.

    Raises ``NotFound`` for the item or a list, ``LimitReached`` if a list or the profile would
    exceed its bound.
    """
    async with events.watch(tx, profile, now, "item", records(tx, profile, "items_known", [id])):
        return await _put_on(tx, profile, id, list_ids, bounds, now)


async def _put_on(
    tx: Writer, profile: Profile, id: str, list_ids: Sequence[str], bounds: Bounds, now: str
) -> Item:
    wanted = sorted(at if ids.is_uuid(at) else ids.NO_UUID for at in list_ids)
    arguments = (id, " ".join(wanted), bounds.entries, bounds.list_items, now)
    row = await _certain(tx, profile, "item_set_lists", *arguments)
    if row is None:
        raise NotFound(_NO_ITEM)
    *columns, changed = row
    item = from_row(columns)
    if changed or item.list_ids == wanted:
        return item
    # Nothing was changed. Find out why.
    sizes = {row[0]: row[1] for row in await tx.all("lists_known", profile.id, wanted)}
    if len(sizes) < len(wanted):
        raise NotFound("listIds: names a list that this profile does not have.")
    if any(sizes[at] >= bounds.list_items for at in set(wanted) - set(item.list_ids)):
        raise LimitReached(f"listIds: a list holds at most {bounds.list_items} items.")
    raise LimitReached(
        f"listIds: all lists of a profile together hold at most {bounds.entries} items."
    )


# contract: reserve-ends
async def _certain(
    tx: Writer,
    profile: Profile,
    statement: str,
    *arguments: object,
    more: Sequence[object] = (),
) -> Row | None:
    """Runs what takes items off lists, which may end reservations of them.

    As a single statement it does nothing if it had to wait for the profile's lock, since it then
    sees old rows, or if others have reserved any item of the profile. Then it runs again with the
    lock held, and ends those reservations.
    """
    row = await tx.one(statement, profile.id, *arguments, False, *more)
    if row is None and await profiles.lock_known(tx, profile):
        row = await tx.one(statement, profile.id, *arguments, True, *more)
        await reservations.end_unshared(tx, profile.id)
    return row


_NO_ITEM = "There is no such item."


async def _absent(tx: Reader, profile: Profile) -> NotFound:
    await profiles.check_open(tx, profile)
    return NotFound(_NO_ITEM)


async def _index_tags(tx: Writer, profile: Profile, id: str, tags: Sequence[str]) -> None:
    """Updates ``item_tags``, the index for searching; ``items.tags`` is what is read."""
    await tx.run("item_tags_clear", profile.id, id)
    if tags:
        await tx.run_many("item_tags_add", [(profile.id, id, tag) for tag in tags])


# contract: event-transaction
def _telling(profile: Profile, statement: str, *more: object) -> tuple[str, tuple[object, ...]]:
    """The statement; in a store that tells events the form that tells what it does, and what that
    takes besides."""
    if profile.store.events_since is None:
        return statement, ()
    return f"{statement}_told", (profile.store.has_text_ids, *more)


def _stored(tags: Sequence[str] | None) -> str | None:
    return None if tags is None else " ".join(tags)


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags. Raises ``Invalid`` unless there are at most 20, no duplicates, each of 1 to 50
    characters ``a-z 0-9 _ -``."""
    if len(tags) > MAX_TAGS:
        raise Invalid(f"tags: must be at most {MAX_TAGS} tags.")
    return check_each_tag(tags)


def check_each_tag(tags: Sequence[str]) -> tuple[str, ...]:
    """``check_tags`` of however many."""
    if not all(search.TAG.fullmatch(tag) for tag in tags):
        raise Invalid("tags: each tag must be 1 to 50 characters: a-z, 0-9, _ or -.")
    if len(set(tags)) != len(tags):
        raise Invalid("tags: must not contain duplicates.")
    return tuple(tags)


# contract: item-note
def check_note(note: str) -> str:
    """The note. Raises ``Invalid`` for more than 500 characters or a control one but a newline."""
    if len(note) > MAX_NOTE:
        raise Invalid(f"note: must be at most {MAX_NOTE} characters.")
    if has_control(note.replace("\n", "")):
        raise Invalid(
            "note: must not contain control characters other than newlines; send \\n, not \\r\\n."
        )
    return note


# contract: text-kept
def has_control(text: str) -> bool:
    return any(character < " " or "\x7f" <= character <= "\x9f" for character in text)
