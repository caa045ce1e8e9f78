"""Lists: named collections of a profile's items, with an order (contract: list-order)."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import items, pages, profiles
from wishwell.db import Database, Reader, Row, Writer
from wishwell.errors import Invalid, LimitReached, NotFound
from wishwell.items import Item
from wishwell.profiles import Profile, Scope, WholeStore
from wishwell.stores import Bounds

Sort = Literal["recently_saved", "oldest_saved", "customer"]
SORTS: tuple[Sort, ...] = get_args(Sort)
DEFAULT_SORT: Sort = "recently_saved"
MAX_NAME = 255


class List(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """A list as the API shows it; ``items`` only where a single list is answered with them."""

    id: str
    name: str
    item_count: int
    created_at: str
    updated_at: str
    items: list[Item] | UnsetType = UNSET
    profile: str | UnsetType = UNSET


def from_row(row: Row) -> List:
    """A row that begins with ``list_fields`` of queries.sql."""
    id, name, item_count, created_at, updated_at = row[:5]
    return List(id, name, item_count, created_at, updated_at)


def _in_store(row: Row) -> List:
    found = from_row(row)
    found.profile = row[5]
    return found


def check_name(name: str) -> str:
    """The name, trimmed: 1 to 255 characters, no control characters; else ``Invalid``."""
    name = name.strip()
    if not 1 <= len(name) <= MAX_NAME:
        raise Invalid(f"name: must be 1 to {MAX_NAME} characters after trimming.")
    if any(character < " " or "\x7f" <= character <= "\x9f" for character in name):
        raise Invalid("name: must hold no control characters.")
    return name


async def page(db: Database, scope: Scope, asked: pages.PageRequest) -> pages.Page[List]:
    """Lists, newest first. A session that has ended is refused, not shown as empty."""
    if isinstance(scope, WholeStore):
        return await pages.read(db, "lists", scope, asked, _in_store)
    found = await pages.read(db, "lists", scope, asked, from_row)
    if not found.records:
        await profiles.check_open(db.read, scope)
    return found


async def find(profile: Profile, db: Reader, id: str, sort: Sort) -> List:
    """A list with its items. Raises ``NotFound``, or ``profiles.missing``."""
    rows = await db.all("list_with_items", profile.id, id)
    if not rows:
        await profiles.check_open(db, profile)
        raise NotFound("There is no such list.")
    found = _sorted([row for row in rows if row[4] is not None], sort)
    id, name, created_at, updated_at = rows[0][:4]
    shown = [items.from_row(row[5:]) for row in found]
    return List(id, name, len(shown), created_at, updated_at, shown)


def _sorted(rows: Sequence[Row], sort: Sort) -> list[Row]:
    """Rows of ``list_with_items``: position at 4, the item's id at 5, its createdAt at 11."""
    if sort == "oldest_saved":
        return sorted(rows, key=_saved)
    newest = sorted(rows, key=_saved, reverse=True)
    if sort == "customer":
        # Stable: what was never placed (0) stays newest first, behind the placed.
        return sorted(newest, key=lambda row: (row[4] == 0, row[4]))
    return newest


def _saved(row: Row) -> tuple[Any, Any]:
    return row[11], row[5]


async def create(
    profile: Profile, db: Database, name: str, id: str, bounds: Bounds, now: str
) -> List:
    """A new, empty list. Raises ``LimitReached`` for one more than may be, ``profiles.missing``."""
    return await db.transaction(_create, profile, name, id, bounds.lists, now)


async def _create(tx: Writer, profile: Profile, name: str, id: str, most: int, now: str) -> List:
    await profiles.lock(tx, profile, now)
    row = await tx.one("list_count", profile.id)
    if row is not None and row[0] >= most:
        raise LimitReached(f"A profile holds at most {most} lists; delete some first.")
    await tx.run("list_create", profile.id, id, profile.store_id, name, now)
    return List(id, name, 0, now, now)


async def rename(profile: Profile, db: Database, id: str, name: str | None, now: str) -> List:
    """Sets the name; without one, changes nothing. Raises ``NotFound``, ``profiles.missing``."""
    if name is None:
        row = await db.read.one("list_find", profile.id, id)
    else:
        row = await db.write.one("list_rename", profile.id, id, name, now)
    if row is None:
        await profiles.check_open(db.read, profile)
        raise NotFound("There is no such list.")
    return from_row(row)


async def delete(profile: Profile, db: Database, id: str) -> None:
    """Deletes the list and keeps its items. Raises ``NotFound``, ``profiles.missing``."""
    if await db.write.one("list_delete", profile.id, id) is None:
        await profiles.check_open(db.read, profile)
        raise NotFound("There is no such list.")


async def order(profile: Profile, db: Database, id: str, item_ids: Sequence[str], now: str) -> List:
    """Places the items named, in this order; answers the list in its customer order.

    What was placed before and is not named follows in the order that it had; what was never placed
    comes last. Raises ``Invalid``, and changes nothing, when an id is not on the list or is there
    twice; ``NotFound``; ``profiles.missing``.
    """
    return await db.transaction(_order, profile, id, tuple(item_ids), now)


async def _order(
    tx: Writer, profile: Profile, id: str, item_ids: tuple[str, ...], now: str
) -> List:
    known = await profiles.lock_known(tx, profile)
    if not known or await tx.one("list_find", profile.id, id) is None:
        raise NotFound("There is no such list.")
    positions = {row[0]: row[1] for row in await tx.all("list_entries", profile.id, id)}
    if len(set(item_ids)) != len(item_ids):
        raise Invalid("itemIds: names an item twice.")
    if not positions.keys() >= set(item_ids):
        raise Invalid("itemIds: names an item that is not on this list.")
    named = set(item_ids)
    rest = sorted((at, item) for item, at in positions.items() if at and item not in named)
    placed = [*item_ids, *(item for _, item in rest)]
    moved = [(item, at) for at, item in enumerate(placed, 1) if positions[item] != at]
    if moved:
        await tx.run_many("entry_place", [(profile.id, id, item, at) for item, at in moved])
        await tx.run("list_touch", profile.id, id, now)
    return await find(profile, tx, id, "customer")
