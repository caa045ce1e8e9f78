"""The records of the API as types. Unknown fields, of a newer service, are ignored."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")
ProductId = int | str
"""An int, or a str in a store with text ids."""


class Money(msgspec.Struct, frozen=True):
    """A price: ``amount`` is decimal text, ``currency`` three letters."""

    amount: str
    currency: str


class ItemProduct(msgspec.Struct, frozen=True, rename="camel"):
    """What is known of an item's product; image, price and availability are its variant's own."""

    title: str | None = None
    variant_title: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None


class Item(msgspec.Struct, frozen=True, rename="camel"):
    """A product or variant that a profile saved.

    ``profile``, the owner's GID, is set only for an admin token that acts on the whole store.
    """

    id: str
    product_id: ProductId
    quantity: int
    tags: tuple[str, ...]
    list_ids: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    variant_id: ProductId | None = None
    note: str | None = None
    profile: str | None = None
    product: ItemProduct | None = None


class NewItem(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """An item to save. An empty ``note`` clears that of an item that is there."""

    product_id: ProductId
    variant_id: ProductId | None = None
    quantity: int | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None
    list_ids: tuple[str, ...] = ()


class List(msgspec.Struct, frozen=True, rename="camel"):
    """A named collection of items. ``items`` is None if the API did not send them."""

    id: str
    name: str
    item_count: int
    created_at: datetime
    updated_at: datetime
    items: tuple[Item, ...] | None = None
    profile: str | None = None


class Share(msgspec.Struct, frozen=True, rename="camel"):
    """A link that shows a list to others. Without ``expires_at`` it is for ever."""

    id: str
    token: str
    list_id: str
    reservations: bool
    notes: bool
    created_at: datetime
    expires_at: datetime | None = None
    profile: str | None = None


class SharedItem(msgspec.Struct, frozen=True, rename="camel"):
    """An item of a shared list.

    ``reserved``: how many, ``yours``: how many by the client's profile; None where not shown.
    """

    id: str
    product_id: ProductId
    quantity: int
    variant_id: ProductId | None = None
    note: str | None = None
    reserved: int | None = None
    yours: int | None = None
    product: ItemProduct | None = None


class SharedList(msgspec.Struct, frozen=True, rename="camel"):
    """A list that somebody shares. ``reservations``: whether they can be made."""

    name: str
    items: tuple[SharedItem, ...]
    updated_at: datetime
    reservations: bool


class EventProduct(msgspec.Struct, frozen=True):
    """What was known of a product when a notice of it was made."""

    title: str | None = None
    url: str | None = None
    image: str | None = None


class EventData(msgspec.Struct, frozen=True, rename="camel"):
    """What an event says; which fields are set depends on its type."""

    item: Item | None = None
    list: List | None = None
    changed: tuple[str, ...] | None = None
    item_ids: tuple[str, ...] | None = None
    session: str | None = None
    customer: str | None = None
    items: int | None = None
    lists: int | None = None
    left: int | None = None
    variant_id: ProductId | None = None
    product: EventProduct | None = None
    previous_price: Money | None = None
    price: Money | None = None


class Event(msgspec.Struct, frozen=True):
    """Something that happened to a profile. ``sequence`` counts its events without a gap."""

    id: str
    type: str
    timestamp: datetime
    profile: str
    sequence: int
    data: EventData


class Feed(msgspec.Struct, frozen=True):
    """Events of a store, oldest first, and from where to go on."""

    data: tuple[Event, ...]
    resume: str

    def __iter__(self) -> Iterator[Event]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


class Variant(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What is known of a variant alone. For what is None, the product's holds."""

    variant_id: ProductId
    title: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None


class NewProduct(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """All that is known of a product. What is None is not known."""

    product_id: ProductId
    title: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None
    variants: tuple[Variant, ...] = ()


class Product(msgspec.Struct, frozen=True, rename="camel"):
    """A product as it was put. ``variants`` is None if the API did not send them."""

    product_id: ProductId
    created_at: datetime
    updated_at: datetime
    title: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    available: bool | None = None
    variants: tuple[Variant, ...] | None = None


class ProfileToken(msgspec.Struct, frozen=True, rename="camel"):
    """A token, valid for a day, and the GID of its profile."""

    token: str
    profile: str

    def __repr__(self) -> str:
        # Without the token: a repr ends up in logs and crash reports.
        return f"ProfileToken(token='...', profile={self.profile!r})"


class Webhook(msgspec.Struct, frozen=True, rename="camel"):
    """An address that events are sent to; no types are all. ``secret`` and ``missed`` are set only
    by the calls that say so."""

    id: str
    url: str
    types: tuple[str, ...]
    enabled: bool
    created_at: datetime
    updated_at: datetime
    failing_since: datetime | None = None
    secret: str | None = None
    missed: int | None = None

    def __repr__(self) -> str:
        return f"Webhook(id={self.id!r}, url={self.url!r}, enabled={self.enabled!r})"


class Delivery(msgspec.Struct, frozen=True, rename="camel"):
    """The sending of one event to one webhook."""

    id: str
    event_id: str
    type: str
    status: str
    attempts: int
    last_status: int | None = None
    last_attempt_at: datetime | None = None
    next_attempt_at: datetime | None = None


class SignIn(msgspec.Struct, frozen=True, rename="camel"):
    """The store's sign-in path."""

    auth_flow: str


@dataclass(frozen=True)
class Page(Generic[T]):
    """Records, newest first, and the cursors of the next and previous page, or None."""

    data: tuple[T, ...]
    next: str | None = None
    previous: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


class _PageInfo(msgspec.Struct, frozen=True):
    next: str | None = None
    previous: str | None = None


class _Answer(msgspec.Struct, Generic[T], frozen=True, rename="camel"):
    data: T
    page_info: _PageInfo = _PageInfo()


def one(kind: type[T]) -> Callable[[bytes], T]:
    """A reader of ``{"data": {...}}``, which raises ``msgspec.DecodeError`` for anything else."""
    envelope: Any = _Answer[kind]  # type: ignore[valid-type]

    def read(body: bytes) -> T:
        record: T = msgspec.json.decode(body, type=envelope).data
        return record

    return read


def several(kind: type[T]) -> Callable[[bytes], tuple[T, ...]]:
    """A reader of ``{"data": [...]}``, as ``one`` is of one record."""
    return one(tuple[kind, ...])  # type: ignore[valid-type]


def page_of(kind: type[T]) -> Callable[[bytes], Page[T]]:
    """A reader of a page, which raises ``msgspec.DecodeError`` for anything else."""
    envelope: Any = _Answer[tuple[kind, ...]]  # type: ignore[valid-type]

    def read(body: bytes) -> Page[T]:
        answer = msgspec.json.decode(body, type=envelope)
        return Page(answer.data, answer.page_info.next, answer.page_info.previous)

    return read


feed: Callable[[bytes], Feed] = msgspec.json.Decoder(Feed).decode


def nothing(body: bytes) -> None:
    """Reads the body of a 204."""
