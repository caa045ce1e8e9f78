"""What several request bodies, and the lines of a file, have in common."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, TypeVar

from msgspec import Meta

from wishwell import stores
from wishwell.errors import Invalid
from wishwell.wishes import items

T = TypeVar("T")
R = TypeVar("R")

ProductId = (
    Annotated[int, Meta(ge=1, le=stores.MAX_NUMBER)]
    | Annotated[str, Meta(pattern=f"^{stores.TEXT_ID.pattern}$")]
)
Quantity = Annotated[int, Meta(ge=1, le=items.MAX_QUANTITY)]


def each(field: str, values: Iterable[T], of: Callable[[T], R]) -> list[R]:
    """``of`` each value. An ``Invalid`` that it raises names the value by its place."""
    found = []
    for place, value in enumerate(values):
        try:
            found.append(of(value))
        except Invalid as error:
            raise Invalid(f"{field}[{place}].{error.message}") from None
    return found


def each_once(field: str, values: Sequence[str]) -> tuple[str, ...]:
    """The values. Raises ``Invalid`` for a duplicate."""
    if len(set(values)) != len(values):
        raise Invalid(f"{field}: must not contain duplicates.")
    return tuple(values)


def key_twice(text: bytes | str) -> str | None:
    """A key that an object in this JSON has twice: decoders silently keep the last.

    The text was decoded before, so that it is JSON within its bounds.
    """
    try:
        _once.decode(text if isinstance(text, str) else text.decode())
    except _Twice as error:
        return str(error)
    return None


class _Twice(Exception):
    pass


def _each_key_once(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twice(next(key for key in keys if keys.count(key) > 1))


_once = json.JSONDecoder(object_pairs_hook=_each_key_once)
