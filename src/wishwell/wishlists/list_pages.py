"""Pages of the items on a list, in the list's order (rule: list-pages)."""

import msgspec

from wishwell import profiles
from wishwell.db import Reader
from wishwell.errors import no_record
from wishwell.profiles import Profile, pages
from wishwell.profiles.pages import Cursor, PageRequest
from wishwell.wishlists import items, lists, ordering
from wishwell.wishlists.lists import List, Sort


class ListPage(msgspec.Struct, frozen=True):
    """A list with a page of its items, and the cursors of the next and previous page or None."""

    wishlist: List
    next: Cursor | None = None
    previous: Cursor | None = None


# rule: list-pages
async def find(
    tx: Reader, profile: Profile, id: str, sort: Sort, page_request: PageRequest
) -> ListPage:
    """Returns a list with a page of its items. Reads the positions and times of all of them.

    Raises ``NotFound``, ``profiles.missing``.
    """
    rows = await tx.all("list_entries", profile=profile.id, id=id)
    if not rows:
        await profiles.check_open(tx, profile)
        raise no_record("list")
    *list_columns, _, _, _ = rows[0]
    found_list = lists.from_row(list_columns)
    sort_keys = {
        item_id: _sort_key(sort, position, created_at, item_id)
        for *_, item_id, position, created_at in rows
        if item_id is not None  # an empty list
    }
    ids_page = pages.sorted_page(page_request, sort_keys)
    item_rows = await tx.all("items_known", profile=profile.id, ids=ids_page.records)
    items_by_id = {item.id: item for item in map(items.from_row, item_rows)}
    found_list.items = [items_by_id[id] for id in ids_page.records if id in items_by_id]
    return ListPage(found_list, ids_page.next, ids_page.previous)


def _sort_key(sort: Sort, position: int, created_at: str, item_id: str) -> bytes:
    """Returns an item's key in the order of ``lists.find``; equal ones: newest id first."""
    time = created_at.encode()
    if sort == "oldest_saved":
        key = time + item_id.encode()
    else:
        key = bytes(255 - byte for byte in time)
        if sort == "customer":
            key = (position or ordering.POSITION_LIMIT).to_bytes(4) + key
    return key + bytes(-len(key) % 3)
