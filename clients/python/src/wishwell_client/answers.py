"""Decoders of response bodies: one record, a page of records or of a list, the feed of events."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, get_args

import msgspec

from wishwell_client.records import Event, Item

T = TypeVar("T")


class _Several(msgspec.Struct, Generic[T], frozen=True, rename="camel"):
    data: tuple[T, ...]

    def __iter__(self) -> Iterator[T]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


class _PageInfo(msgspec.Struct, frozen=True):
    next: str | None = None
    previous: str | None = None


class Page(_Several[T], Generic[T], frozen=True):
    """A page of records, newest first, with the cursors of the next and previous page or None."""

    page_info: _PageInfo = _PageInfo()

    @property
    def next(self) -> str | None:
        """The cursor of the page of older records."""
        return self.page_info.next

    @property
    def previous(self) -> str | None:
        """The cursor of the page of newer records."""
        return self.page_info.previous


class Feed(_Several[Event], frozen=True):
    """A batch of a store's events, oldest first. ``resume``: the ``from_`` of the next batch.

    Each event has the class of its type, such as ``ItemCreatedEvent``, with the fields that its
    ``data`` always has. The type of a newer service's event may be unknown: it is an ``Event``.
    """

    resume: str


class _Answer(msgspec.Struct, Generic[T], frozen=True):
    data: T


def one(kind: type[T]) -> Callable[[bytes], T]:
    """Returns a decoder of ``{"data": {...}}``, which raises ``msgspec.DecodeError``."""
    decoder: Any = msgspec.json.Decoder(_Answer[kind])  # type: ignore[valid-type]
    return lambda body: decoder.decode(body).data


def page_of(kind: type[T]) -> Callable[[bytes], Page[T]]:
    """Returns a decoder of a page, which raises ``msgspec.DecodeError``."""
    return msgspec.json.Decoder(Page[kind]).decode  # type: ignore[valid-type]


class _ListWithItems(msgspec.Struct):
    items: tuple[Item, ...]


class _ListPage(msgspec.Struct, rename="camel"):
    data: _ListWithItems
    page_info: _PageInfo = _PageInfo()


_list_page_decoder = msgspec.json.Decoder(_ListPage)


def list_items(body: bytes) -> Page[Item]:
    """Decodes a page of a list's items. Raises ``msgspec.DecodeError``."""
    found = _list_page_decoder.decode(body)
    return Page(found.data.items, found.page_info)


class _RawFeed(msgspec.Struct):
    data: tuple[msgspec.Raw, ...]
    resume: str


class _Type(msgspec.Struct):
    type: str


_type_decoder = msgspec.json.Decoder(_Type)
_decoders_by_type: dict[str, msgspec.json.Decoder[Event]] = {
    get_args(kind.__annotations__["type"])[0]: msgspec.json.Decoder(kind)
    for kind in Event.__subclasses__()
}
_event_decoder = msgspec.json.Decoder(Event)
_raw_feed_decoder = msgspec.json.Decoder(_RawFeed)


def feed(body: bytes) -> Feed:
    """Decodes the feed, each event by its type. Raises ``msgspec.DecodeError``."""
    raw_feed = _raw_feed_decoder.decode(body)
    decoders = (
        (_decoders_by_type.get(_type_decoder.decode(raw).type, _event_decoder), raw)
        for raw in raw_feed.data
    )
    return Feed(tuple(decoder.decode(raw) for decoder, raw in decoders), raw_feed.resume)


def nothing(body: bytes) -> None:
    """Decodes the empty body of a 204."""
