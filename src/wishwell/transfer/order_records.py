"""Records of the export file with the shop's orders, and with items that were removed lately."""

from collections.abc import AsyncIterator, Collection
from typing import Annotated

import msgspec
from msgspec import Meta

from wishwell import ids
from wishwell.db import Reader, mapping
from wishwell.errors import Invalid
from wishwell.field_types import ProductId, Quantity
from wishwell.stores import Store
from wishwell.transfer.record_types import (
    Id,
    Record,
    RecordId,
    Time,
    WholeNumber,
    check_gid,
    show_ids,
)
from wishwell.wishlists.orders import Purchase

_BATCH_SIZE = 1_000
"""Orders read by one statement."""


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
    mailed: bool = False

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
            int(self.mailed),
        )


class OrderRecord(Record):
    """An order's version, and its lines that match a wish. ``hash``: the hashed order id."""

    hash: Id
    updated_at: Time
    purchases: list[PurchaseFields] = msgspec.field(default_factory=list)

    def to_matches(self, store: Store) -> list[Purchase]:
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


_from_row = mapping.from_columns(PurchaseFields, "purchase_fields")


# rule: purchase-private
async def read(tx: Reader, store: Store) -> AsyncIterator[Collection[OrderRecord]]:
    """Yields the store's orders in batches. Omits the buyers that are being erased."""
    params = {"store": store.id, "limit": _BATCH_SIZE}
    after = ids.NO_UUID
    while order_rows := await tx.all("export_orders", **params, after=after):
        after = order_rows[-1][0]
        orders = {hash: OrderRecord(hash, updated_at) for hash, updated_at in order_rows}
        rows = await tx.all("export_purchases", store=store.id, hashes=[*orders])
        buyers = {columns[1] for _, *columns in rows} - {None}
        gids = dict(map(tuple, await tx.all("export_buyers", profiles=[*buyers])))
        for hash, *columns in rows:
            purchase = _from_row(columns)
            show_ids(store, purchase, "product_id", "variant_id", "wish_variant_id")
            purchase.profile = gids.get(columns[1])
            if purchase.profile is None:
                purchase.placed_at = None
            orders[hash].purchases.append(purchase)
        yield orders.values()


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
