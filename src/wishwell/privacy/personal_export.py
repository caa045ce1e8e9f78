"""Export of a profile's data as a JSON document (data access request)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import events, profiles
from wishwell import field_types as types
from wishwell.db import Database, Reader
from wishwell.errors import NotFound
from wishwell.privacy import erasure
from wishwell.profiles import Profile, pages
from wishwell.profiles.pages import PageRequest
from wishwell.profiles.records import ProfileView
from wishwell.wishlists import items, lists, orders, shares

T = TypeVar("T")


class Reserved(msgspec.Struct, rename="camel"):
    """A reservation that the profile has made of somebody's item.

    The item's owner isn't shown.
    """

    product_id: types.ProductId
    variant_id: types.ProductId | UnsetType
    quantity: types.Quantity
    created_at: types.Time


# rules: profile-export, reserve-secret
async def document(db: Database, profile: Profile, shown: ProfileView) -> AsyncIterator[bytes]:
    """Yields the document in pieces of at most a list or a page. ``shown`` is the profile itself.

    Omits others' reservations on the profile's items. Raises ``profiles.missing`` if the profile is
    closed or erased in the meantime.
    """
    yield b'{"data":{"profile":' + msgspec.json.encode(shown)
    parts: Mapping[str, AsyncIterator[Iterable[Any]]] = {
        "lists": _lists(db, profile),
        "items": _items(db, profile),
        "shares": _each(db, profile, shares.find_all),
        "reservations": _each(db, profile, _reserved),
        "purchases": _each(db, profile, orders.of_profile),
        "events": _events(db, profile),
    }
    for name, pieces in parts.items():
        yield f',"{name}":['.encode()
        between = b""
        async for piece in pieces:
            if encoded := b",".join(map(msgspec.json.encode, piece)):
                yield between + encoded
                between = b","
        yield b"]"
    yield b"}}"


async def _read(
    db: Database, profile: Profile, use_case: Callable[..., Awaitable[T]], *arguments: Any
) -> T:
    """Reads a piece. Raises ``profiles.missing`` if the profile is being erased by then."""
    found = await db.read(use_case, *arguments)
    if await db.read(erasure.is_under_way, profile.id):  # rule: erase-immediate
        raise profiles.missing(profile)
    return found


async def _each(
    db: Database, profile: Profile, use_case: Callable[[Reader, Profile], Awaitable[list[Any]]]
) -> AsyncIterator[Iterable[Any]]:
    yield await _read(db, profile, use_case, profile)


async def _lists(db: Database, profile: Profile) -> AsyncIterator[Iterable[Any]]:
    """Yields the lists, oldest first, with their item ids in the customer's order."""
    for row in await _read(db, profile, lambda tx: tx.all("lists_all", profile=profile.id)):
        try:
            found = await _read(db, profile, lists.find, profile, row[0], "customer")
        except NotFound:
            continue
        on = [item.id for item in found.items or ()]
        found.items = UNSET
        yield [{**msgspec.to_builtins(found), "itemIds": on}]


async def _items(db: Database, profile: Profile) -> AsyncIterator[Iterable[Any]]:
    asked = PageRequest(None, pages.MAX_SIZE)
    while True:
        page = await _read(db, profile, items.page, profile, asked)
        items.show(page.records, text_ids=profile.store.has_text_ids)
        yield page.records
        if page.next is None:
            return
        asked = msgspec.structs.replace(asked, cursor=page.next)


async def _reserved(tx: Reader, profile: Profile) -> list[Reserved]:
    owners = [row[0] for row in await tx.all("held_owners", profile=profile.id)]
    rows = await tx.all("person_reserved", holder=profile.id, owners=owners) if owners else ()
    shown = profile.store.shown_id
    return [
        Reserved(shown(product), shown(variant) if variant else UNSET, quantity, created_at)
        for product, variant, quantity, created_at in rows
    ]


async def _events(db: Database, profile: Profile) -> AsyncIterator[Iterable[Any]]:
    """Yields the events of the profile and of sessions that were merged into it."""
    for key in (*await _read(db, profile, erasure.linked, profile), profile.id):
        rows, after = None, 0
        while rows is None or len(rows) == pages.MAX_SIZE:
            rows = await _read(db, profile, _events_after, key, after)
            after = rows[-1].sequence if rows else after
            yield rows


async def _events_after(tx: Reader, key: str, after: int) -> list[events.Event]:
    named = {"profile": key, "after": after, "limit": pages.MAX_SIZE}
    return [events.from_row(row) for row in await tx.all("person_events", **named)]
