"""A bounded in-memory cache that evicts the oldest insertion: FIFO, simpler than an LRU cache."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def keep(known: dict[K, V], key: K, value: V, most: int) -> None:
    """Adds an entry and, if ``known`` has ``most`` entries, evicts the oldest insertion first.

    Reading an entry doesn't protect it, so callers must be able to recreate an evicted one.
    """
    if len(known) >= most:
        known.pop(next(iter(known)))
    known[key] = value
