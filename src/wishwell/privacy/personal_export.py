"""Export of a profile's data as a JSON document (data access request)."""

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import events, profiles
from wishwell import field_types as types
from wishwell.contacts import queue
from wishwell.db import Database, Reader
from wishwell.errors import NotFound
from wishwell.privacy import erasure
from wishwell.products import shown
from wishwell.profiles import Profile, pages
from wishwell.profiles.pages import PageRequest
from wishwell.profiles.records import ProfileView
from wishwell.wishlists import items, lists, orders, share_pages, shares
from wishwell.wishlists.items import Item
from wishwell.wishlists.shares import Share

T = TypeVar("T")


class ExportedReservation(msgspec.Struct, rename="camel"):
    """A reservation that the profile has made of somebody's item.

    The item's owner isn't shown.
    """

    product_id: types.ProductId
    variant_id: types.ProductId | UnsetType
    quantity: types.Quantity
    created_at: types.Time


# rules: profile-export, reserve-secret
async def stream_document(
    db: Database,
    profile: Profile,
    view: ProfileView,
    *,
    include_products: bool = False,
    base: str | None = None,
) -> AsyncIterator[bytes]:
    """Yields the document in pieces of at most a list or a page. ``view`` is the profile itself.

    ``include_products``: whether items have their products, with titles and links. ``base``: the
    storefront's path; without it, shares lack the addresses that follow from it.

    Omits others' reservations on the profile's items. Raises ``profiles.missing`` if the profile is
    closed or erased in the meantime.
    """
    yield b'{"data":{"profile":' + msgspec.json.encode(view)
    batches_by_name: Mapping[str, AsyncIterator[Iterable[Any]]] = {
        "lists": _stream_lists(db, profile),
        "items": _stream_items(db, profile, shown.page if include_products else items.page),
        "shares": _stream_all(db, profile, functools.partial(_find_shares, base=base)),
        "reservations": _stream_all(db, profile, _find_reservations),
        "purchases": _stream_all(db, profile, orders.of_profile),
        "mails": _stream_all(db, profile, queue.find_of_profile),
        "events": _stream_events(db, profile),
    }
    for name, batches in batches_by_name.items():
        yield f',"{name}":['.encode()
        separator = b""
        async for records in batches:
            if records_json := b",".join(map(msgspec.json.encode, records)):
                yield separator + records_json
                separator = b","
        yield b"]"
    yield b"}}"


async def _read_unless_erased(
    db: Database, profile: Profile, use_case: Callable[..., Awaitable[T]], *arguments: Any
) -> T:
    """Reads records. Raises ``profiles.missing`` if the profile is being erased by then."""
    records = await db.read(use_case, *arguments)
    if await db.read(erasure.is_under_way, profile.id):  # rule: erase-immediate
        raise profiles.missing(profile)
    return records


async def _stream_all(
    db: Database, profile: Profile, use_case: Callable[[Reader, Profile], Awaitable[list[Any]]]
) -> AsyncIterator[Iterable[Any]]:
    yield await _read_unless_erased(db, profile, use_case, profile)


async def _stream_lists(db: Database, profile: Profile) -> AsyncIterator[Iterable[Any]]:
    """Yields the lists, oldest first, with their item ids in the customer's order."""
    for row in await _read_unless_erased(
        db, profile, lambda tx: tx.all("lists_all", profile=profile.id)
    ):
        try:
            wishlist = await _read_unless_erased(
                db, profile, lists.find, profile, row[0], "customer"
            )
        except NotFound:
            continue
        item_ids = [item.id for item in wishlist.items or ()]
        wishlist.items = UNSET
        yield [{**msgspec.to_builtins(wishlist), "itemIds": item_ids}]


async def _stream_items(
    db: Database, profile: Profile, read_page: Callable[..., Awaitable[pages.Page[Item]]]
) -> AsyncIterator[Iterable[Any]]:
    page_request = PageRequest(None, pages.MAX_SIZE)
    while True:
        page = await _read_unless_erased(db, profile, read_page, profile, page_request)
        items.show(page.records, text_ids=profile.store.has_text_ids)
        yield page.records
        if page.next is None:
            return
        page_request = msgspec.structs.replace(page_request, cursor=page.next)


# rule: share-url
async def _find_shares(tx: Reader, profile: Profile, base: str | None) -> list[Share]:
    found_shares = await shares.find_all(tx, profile)
    if base is not None:
        share_pages.set_urls(profile.store, base, found_shares)
    return found_shares


async def _find_reservations(tx: Reader, profile: Profile) -> list[ExportedReservation]:
    owner_ids = [row[0] for row in await tx.all("held_owners", profile=profile.id)]
    rows = await tx.all("person_reserved", holder=profile.id, owners=owner_ids) if owner_ids else ()
    show_id = profile.store.shown_id
    return [
        ExportedReservation(
            show_id(product), show_id(variant) if variant else UNSET, quantity, created_at
        )
        for _, product, variant, quantity, created_at in rows
    ]


async def _stream_events(db: Database, profile: Profile) -> AsyncIterator[Iterable[Any]]:
    """Yields the events of the profile and of sessions that were merged into it."""
    for key in (
        *await _read_unless_erased(db, profile, erasure.find_linked_sessions, profile),
        profile.id,
    ):
        batch, after = None, 0
        while batch is None or len(batch) == pages.MAX_SIZE:
            batch = await _read_unless_erased(db, profile, _read_events, key, after)
            after = batch[-1].sequence if batch else after
            yield batch


async def _read_events(tx: Reader, key: str, after: int) -> list[events.Event]:
    params = {"profile": key, "after": after, "limit": pages.MAX_SIZE}
    return [events.from_row(row) for row in await tx.all("person_events", **params)]
