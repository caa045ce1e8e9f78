"""A bounded in-memory cache that evicts the oldest insertion: FIFO, simpler than an LRU cache."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def keep(cache: dict[K, V], key: K, value: V, max_entries: int) -> None:
    """Adds an entry. If ``cache`` has ``max_entries``, evicts the oldest insertion first.

    Reading an entry doesn't protect it, so callers must be able to recreate an evicted one.
    """
    if len(cache) >= max_entries:
        cache.pop(next(iter(cache)))
    cache[key] = value
