"""A dict of the newest entries: what a process remembers, within a bound."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def keep(known: dict[K, V], key: K, value: V, most: int) -> None:
    """Adds an entry to at most ``most``; the oldest goes. What is still in use is made again."""
    if len(known) >= most:
        known.pop(next(iter(known)))
    known[key] = value
