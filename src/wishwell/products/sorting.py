"""Sorts and filters items by their products (rules: item-sort, search-terms)."""

import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal
from uuid import UUID

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from wishwell.db import Reader, patterns
from wishwell.products import shown
from wishwell.products.money import Money
from wishwell.profiles import Profile, pages
from wishwell.profiles.search import Search
from wishwell.wishlists import lists
from wishwell.wishlists.items import Item
from wishwell.wishlists.list_pages import ListPage

ALL_ITEMS = 10_000_000
"""More than a profile's items, which a setting limits."""

_UNKNOWN = b"\xff\xff\xff"


class _Compared(msgspec.Struct):
    """The data of a product that items are sorted and searched by."""

    title: str | None = None
    price: Money | None = None
    available: bool | None = None


_AVAILABLE = {"true": True, "false": False, "unknown": None}
_decode = msgspec.json.Decoder(_Compared).decode
_find_with_products = shown.including(lists.find)


# rule: item-sort
async def page(
    tx: Reader, profile: Profile, request: pages.PageRequest, by: str, *, included: bool
) -> pages.Page[Item]:
    """Returns a page of a profile's items. Reads all that match the search by fields of items.

    ``by``: how to sort. ``included``: whether items have their products. Raises
    ``profiles.missing``.
    """
    search, product_search = request.search.split()
    all_items = await shown.page(tx, profile, pages.PageRequest(None, ALL_ITEMS, search))
    matches = _build_filter(product_search)
    found_items = [item for item in all_items.records if matches(_decode_product(item))]
    ids_page, records = _sorted_page(request, found_items, by, included)
    return pages.Page(records, ids_page.next, ids_page.previous)


# rules: list-sort, list-pages
async def find(
    tx: Reader, profile: Profile, id: str, by: str, request: pages.PageRequest, *, included: bool
) -> ListPage:
    """Returns a list with a page of its items, sorted. Reads all items of the list.

    Raises ``NotFound``, ``profiles.missing``.
    """
    found_list = await _find_with_products(tx, profile, id, "recently_saved")
    ids_page, found_list.items = _sorted_page(request, found_list.items or (), by, included)
    return ListPage(found_list, ids_page.next, ids_page.previous)


# rule: search-terms
def _build_filter(search: Search) -> Callable[[_Compared], bool]:
    """Returns the condition that a product matches all terms, each by one of its values."""
    titles = [
        [patterns.compile_either_case(text) for text in values]
        for field, values in zip(search.fields, search.values, strict=True)
        if field == "title"
    ]
    available = [
        {_AVAILABLE[value] for value in values}
        for field, values in zip(search.fields, search.values, strict=True)
        if field == "available"
    ]

    def matches(product: _Compared) -> bool:
        title = product.title or ""
        return all(product.available in values for values in available) and all(
            any(pattern.search(title) for pattern in values) for values in titles
        )

    return matches


def _sorted_page(
    request: pages.PageRequest, all_items: Sequence[Item], by: str, included: bool
) -> tuple[pages.Page[str], list[Item]]:
    """Returns a page of ids in the order of the items' sort keys, and its items."""
    items_by_id = {item.id: item for item in all_items}
    ids_page = pages.sorted_page(
        request, {id: _sort_key(item, by) for id, item in items_by_id.items()}
    )
    records = [items_by_id[id] for id in ids_page.records]
    return ids_page, records if included else [_without_product(item) for item in records]


def _without_product(item: Item) -> Item:
    return replace(item, product=UNSET)


def _decode_product(item: Item) -> _Compared:
    return _Compared() if item.product is UNSET else _decode(item.product)


def _sort_key(item: Item, by: str) -> bytes:
    """Returns an item's sort key; of equal ones, the newest item is first.

    Prices of one currency sort together; unknown ones come last.
    """
    if by == "oldest":
        key = UUID(item.id).bytes
    elif by in ("newest", "custom"):
        key = b""
    else:
        key = _product_key(_decode_product(item), by)
    return key + bytes(-len(key) % 3)


def _product_key(product: _Compared, by: str) -> bytes:
    key = _UNKNOWN
    if by == "price" and product.price is not None:
        amount = int(Decimal(product.price.amount).scaleb(4))
        key = product.price.currency.encode() + amount.to_bytes(9)
    elif by == "title" and product.title is not None:
        plain = unicodedata.normalize("NFKD", product.title.casefold())
        letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
        key = letters.encode()[: pages.MAX_KEY_BYTES]
    return key
