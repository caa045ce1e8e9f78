"""Types of request bodies with the items of a list."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from wishwell import field_types as types
from wishwell.errors import FieldCode, Invalid
from wishwell.http.request_types import Body
from wishwell.wishlists import fields

MAX_LIST_ITEMS = 1_000
"""Most items in one request that replaces or removes items on a list."""


# rule: bulk-atomic
class ListItemsBody(Body):
    """The items of a list (``PUT /lists/{listId}/items``)."""

    item_ids: Annotated[list[str], Meta(max_length=MAX_LIST_ITEMS)]
    """Items of the list's owner, in the new order. An empty array empties the list."""


# rule: bulk-atomic
class ListItemsRemovalBody(Body):
    """Items to take off a list (``DELETE /lists/{listId}/items``): either field."""

    item_ids: (
        Annotated[list[str], Meta(min_length=1, max_length=MAX_LIST_ITEMS), types.Unique]
        | UnsetType
        | None
    ) = UNSET
    """Items to take off the list; null counts as omitted."""
    all: bool | UnsetType = UNSET
    """true takes off all items."""

    def removed_ids(self) -> tuple[str, ...] | None:
        """Returns the ids of the items, or ``None`` for all."""
        item_ids = None if self.item_ids is UNSET else self.item_ids
        if (item_ids is None) != (self.all is True):
            cause: FieldCode = "required" if item_ids is None else "not_allowed"
            raise Invalid("itemIds: is required, or all with true, but not both.", cause=cause)
        return None if item_ids is None else fields.each_once("itemIds", item_ids)


Place = Annotated[Literal["first", "last"], types.published("ListPlace", "An end of the list.")]


# rule: list-order
class PlaceBody(Body):
    """A position on a list (``PUT /lists/{listId}/items/{itemId}``): either field."""

    after: str | UnsetType | None = UNSET
    """Another item of the list, after which this one is placed; null places it first."""
    position: Place | UnsetType = UNSET
    """An end of the list, in place of `after`."""

    def new_place(self) -> str | UnsetType | None:
        """Returns the item after which to place this one, or ``None`` for an end of the list."""
        if self.position is UNSET:
            return self.after
        if self.after is not UNSET:
            raise Invalid(
                "position: isn't allowed with after; send one of them.", cause="not_allowed"
            )
        return None
