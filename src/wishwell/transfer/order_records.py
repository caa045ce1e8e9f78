"""Records of the export file with the shop's orders, and with items that were removed lately."""

from typing import Annotated

import msgspec
from msgspec import Meta

from wishwell import ids
from wishwell.errors import Invalid
from wishwell.field_types import ProductId, Quantity
from wishwell.stores import Store
from wishwell.transfer.record_types import Id, Record, RecordId, Time, WholeNumber, check_gid
from wishwell.wishlists.orders import Purchase


class PurchaseFields(
    msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """A line of an order that matches a wish, as in the database; ``profile``: the buyer's GID."""

    product_id: ProductId
    quantity: Quantity
    day: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]
    line: WholeNumber = 0
    variant_id: ProductId | None = None
    wish_variant_id: ProductId | None = None
    amount: Annotated[str, Meta(pattern=r"^([0-9]{1,12}(\.[0-9]{1,4})?)?\Z")] = ""
    currency: Annotated[str, Meta(pattern=r"^([A-Z]{3})?\Z")] = ""
    placed_at: Time | None = None
    profile: str | None = None

    def to_purchase(self, store: Store) -> Purchase:
        return Purchase(
            self.line,
            None if self.profile is None else ids.profile_key(store.id, self.profile),
            str(self.product_id),
            str(self.variant_id or ""),
            str(self.wish_variant_id or ""),
            self.quantity,
            self.amount,
            self.currency,
            self.day,
            self.placed_at or "",
        )


class OrderRecord(Record):
    """An order's version, and its lines that match a wish. ``hash``: the hashed order id."""

    hash: Id
    updated_at: Time
    purchases: list[PurchaseFields] = msgspec.field(default_factory=list)

    def to_purchases(self, store: Store) -> list[Purchase]:
        """Returns the purchases as they are stored."""
        return [purchase.to_purchase(store) for purchase in self.purchases]

    def check(self, store: Store, /) -> None:
        for purchase in self.purchases:
            for field in ("product_id", "variant_id", "wish_variant_id"):
                if (id := getattr(purchase, field)) is not None:
                    store.product_id(f"purchases.{field}", id)
            has_price, has_buyer = bool(purchase.amount), purchase.profile is not None
            if has_price != bool(purchase.currency) or has_buyer != (
                purchase.placed_at is not None
            ):
                raise Invalid(
                    "purchases: amount and currency, profile and placedAt belong together"
                )
            if purchase.profile is not None:
                purchase.profile = check_gid("purchases.profile", purchase.profile)


class RemovedRecord(Record):
    """An item that was removed within the last seven days (rule: purchase-match)."""

    item_id: RecordId
    product_id: ProductId
    created_at: Time
    removed_at: Time
    variant_id: ProductId | None = None
    saved_at: Time | None = None

    def check(self, store: Store, /) -> None:
        for field in ("product_id", "variant_id"):
            if (id := getattr(self, field)) is not None:
                store.product_id(field, id)
