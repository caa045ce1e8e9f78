"""What several request bodies have in common."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, TypeVar

from msgspec import Meta

from wishwell import items, stores
from wishwell.errors import Invalid

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
