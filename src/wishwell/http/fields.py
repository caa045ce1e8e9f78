"""What several request bodies have in common."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from wishwell import items, stores
from wishwell.errors import Invalid

ProductId = (
    Annotated[int, Meta(ge=1, le=stores.MAX_NUMBER)]
    | Annotated[str, Meta(pattern=f"^{stores.TEXT_ID.pattern}$")]
)
Quantity = Annotated[int, Meta(ge=1, le=items.MAX_QUANTITY)]


def each_once(field: str, values: Sequence[str]) -> tuple[str, ...]:
    """The values. Raises ``Invalid`` for a duplicate."""
    if len(set(values)) != len(values):
        raise Invalid(f"{field}: must not contain duplicates.")
    return tuple(values)
