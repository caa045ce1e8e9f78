"""How answers are read: one record, a page of records, the feed of events."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from wishwell.client.records import Event

T = TypeVar("T")


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


class Feed(msgspec.Struct, frozen=True):
    """Events of a store, oldest first, and from where to go on."""

    data: tuple[Event, ...]
    resume: str

    def __iter__(self) -> Iterator[Event]:
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
    decoder: Any = msgspec.json.Decoder(_Answer[kind])  # type: ignore[valid-type]
    return lambda body: decoder.decode(body).data


def page_of(kind: type[T]) -> Callable[[bytes], Page[T]]:
    """A reader of a page, which raises ``msgspec.DecodeError`` for anything else."""
    read = msgspec.json.Decoder(_Answer[tuple[kind, ...]]).decode  # type: ignore[valid-type]

    def page(body: bytes) -> Page[T]:
        answer = read(body)
        return Page(answer.data, answer.page_info.next, answer.page_info.previous)

    return page


feed: Callable[[bytes], Feed] = msgspec.json.Decoder(Feed).decode


def nothing(body: bytes) -> None:
    """Reads the body of a 204."""
