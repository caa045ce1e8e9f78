"""A dict of the newest entries: what a process remembers, within a bound."""

import itertools
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_parts = itertools.count()


def keep(known: dict[K, V], key: K, value: V, most: int) -> None:
    """Adds an entry to at most ``most``; the oldest goes. What is still in use is made again."""
    if len(known) >= most:
        known.pop(next(iter(known)))
    known[key] = value


class Part(Generic[K, V]):
    """What one owner remembers in ``entries``, which many share. ``most`` bounds all of them
    together. Nobody finds an entry of another part, also of one that is gone."""

    __slots__ = ("_entries", "_most", "_number")

    def __init__(self, entries: dict[Any, Any], most: int) -> None:
        self._entries = entries
        self._most = most
        self._number = next(_parts)

    def get(self, key: K) -> V | None:
        found: V | None = self._entries.get((self._number, key))
        return found

    def keep(self, key: K, value: V) -> None:
        keep(self._entries, (self._number, key), value, self._most)

    def forget(self, key: K) -> None:
        self._entries.pop((self._number, key), None)
