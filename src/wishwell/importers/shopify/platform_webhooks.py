"""Reads Shopify's webhooks about products and orders, and applies them to the store.

The state comes from the body, never from the topic, so deliveries may be late, repeated, and in any
order. Written for the payloads of API version 2026-04, which omit nothing that is read here.
"""

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from wishwell import ids, products, profiles, stores
from wishwell.db import RunAgain, Writer
from wishwell.db.clock import ReferenceClock
from wishwell.errors import Invalid, Unauthenticated
from wishwell.field_types import MAX_NUMBER
from wishwell.importers import cells
from wishwell.importers.feed_products import ProductRow, product_from_rows, row_of_variant
from wishwell.products import Availability, NewProduct, Variant
from wishwell.products.money import Money
from wishwell.stores import Store
from wishwell.wishlists import fields, items, orders
from wishwell.wishlists.orders import Line, Order

_REMEMBERED_MS = 7 * ids.DAY_MS
"""Milliseconds for which a delivery is remembered."""

_BATCH_SIZE = 1_000
_FULL_VARIANTS = 100
"""The number of variants from which on the platform may omit further ones."""

_MAX_UNITS = 1_000_000
_PAID = ("paid", "partially_paid", "partially_refunded")

Time = Annotated[datetime, Meta(tz=True)]
Result = Literal["applied", "unchanged", "ignored"]
Given = Mapping[str, Any]


class DeletedProduct(msgspec.Struct, forbid_unknown_fields=True):
    """The body of ``products/delete``, which has nothing else."""

    id: int


class ProductBody(msgspec.Struct):
    """The body of ``products/create`` and ``products/update``. Optional fields are read leniently:
    a value of another kind counts as unknown."""

    id: int
    updated_at: Time
    variants: list[dict[str, Any]]
    variant_gids: list[dict[str, Any]] | None = None
    title: Any = None
    handle: Any = None
    status: Any = "active"
    published_at: Any = ""
    image: Any = None
    images: Any = None

    @property
    def is_listed(self) -> bool:
        """Whether shoppers can open the product's page."""
        return self.status in ("active", "unlisted") and self.published_at is not None

    # rules: platform-products, catalogue-variants
    def product(self, store: Store, id: str, stored: Sequence[Variant]) -> NewProduct:
        """Returns the product. Stored variants stay that a partial list may have omitted."""
        some = self.variants[: products.MAX_FILE_VARIANTS]
        known = {str(one.get("id")): one for one in some}
        named = [str(one.get("admin_graphql_api_id")) for one in self.variant_gids or ()]
        all_ids = {name.rpartition("/")[2] for name in named}
        pictures = {str(one.get("id")): one.get("src") for one in _objects(self.images)}
        own = [one.get("src") for one in _objects([self.image])] or [*pictures.values()]
        place = store.hosts[0] if store.hosts else f"https://{store.naming.platform_shop}"
        found = {
            "": ProductRow(
                title=_read(cells.title, self.title),
                url=_read(cells.url, self.handle and f"{place}/products/{self.handle}"),
                image=_read(cells.url, next(iter(own), None)),
            )
        }
        for given in known.values():
            variant, title = _id(store, given.get("id")), given.get("title")
            if variant is not None:
                found[variant] = ProductRow(
                    option=None if title == "Default Title" else _read(cells.title, title),
                    image=_read(cells.url, pictures.get(str(given.get("image_id")))),
                    price=_price(given.get("price"), store.reporting.currency),
                    availability=_availability(given),
                )
        is_partial = bool(all_ids - known.keys()) if all_ids else len(known) >= _FULL_VARIANTS
        for one in stored if is_partial else ():
            if len(found) <= products.MAX_FILE_VARIANTS:
                found.setdefault(str(one.variant_id), row_of_variant(one))
        return product_from_rows(id, found)


class OrderBody(msgspec.Struct):
    """The body of ``orders/paid``, ``orders/updated`` and ``orders/cancelled``."""

    id: int
    created_at: Time
    updated_at: Time
    line_items: list[dict[str, Any]]
    financial_status: Any
    processed_at: Time | None = None
    cancelled_at: Any = None
    currency: Any = None
    taxes_included: bool = False
    customer: dict[str, Any] | None = None
    refunds: list[dict[str, Any]] = []

    # rule: platform-orders
    def order(self, store: Store, now: int) -> Order:
        """Returns this version of the order; ``now`` in milliseconds. Raises ``Invalid``."""
        is_paid = not self.cancelled_at and self.financial_status in _PAID
        refunded: Counter[str] = Counter()
        for refund in self.refunds:
            for one in _objects(refund.get("refund_line_items")):
                refunded[str(one.get("line_item_id"))] += _units(one.get("quantity"))
        lines, removed = [], 0
        for given in self.line_items[: orders.MAX_LINES]:
            ordered = _units(given.get("quantity"))
            left = max(0, ordered - refunded[str(given.get("id"))])
            left = min(left, _units(given.get("current_quantity", left)))
            removed += ordered - left
            product, variant = (
                _id(store, given.get(name)) for name in ("product_id", "variant_id")
            )
            if product is not None and left:
                price = self._unit_price(given, ordered) or Money("", "")
                key = product, variant or items.NO_VARIANT
                lines.append(Line(*key, left, price.amount, price.currency))
        # The platform's times have no milliseconds. Of two versions within a second, the one that
        # is further on counts: from unpaid over paid and units removed to the end.
        is_over = self.cancelled_at or self.financial_status in ("refunded", "voided")
        step = 999 if is_over else min(1 + removed, 998) if is_paid else 0
        at = fields.time("updated_at", self.updated_at, now)
        return Order(
            str(self.id),
            self._buyer(store),
            fields.time("created_at", self.processed_at or self.created_at, now),
            at.replace(".000Z", f".{step:03}Z"),
            lines if is_paid else (),
        )

    def _buyer(self, store: Store) -> profiles.Profile | None:
        id = (self.customer or {}).get("id")
        if type(id) is not int or id < 1:
            return None
        return profiles.of_customer(store, ids.customer_gid(store.platform, str(id)))

    def _unit_price(self, given: Given, units: int) -> Money | None:
        """Returns what the customer paid per unit, in the shop's currency."""
        try:
            discounts = _total(given.get("discount_allocations"), "amount")
            taxes = 0 if self.taxes_included else _total(given.get("tax_lines"), "price")
            discount = max(discounts, Decimal(str(given.get("total_discount", 0))))
            paid = Decimal(str(given["price"])) * units - discount + taxes
            amount = f"{paid / units:.4f}".removesuffix("00")
            return msgspec.convert({"amount": amount, "currency": self.currency}, Money)
        except (KeyError, ArithmeticError, msgspec.ValidationError):
            return None


def _objects(value: Any) -> list[Given]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _total(parts: Any, field: str) -> Decimal:
    return sum((Decimal(str(one[field])) for one in _objects(parts)), Decimal())


def _units(value: Any) -> int:
    """Returns a number of units; 0 for anything else."""
    return value if type(value) is int and 0 < value <= _MAX_UNITS else 0


def _id(store: Store, id: Any) -> str | None:
    """Returns a product or variant id as stored; ``None`` for one that no item can have."""
    if type(id) is not int or not 1 <= id <= MAX_NUMBER:
        return None
    return store.product_id("id", str(id) if store.has_text_ids else id)


def _read(read: Callable[[str], Any], value: Any) -> Any:
    """Returns the value of a field, or ``None`` if it is empty or can't be read."""
    try:
        return read(value) if isinstance(value, str) and value else None
    except Invalid:
        return None


def _price(amount: Any, currency: str) -> Money | None:
    """Returns a price, or ``None`` if it or its currency is unknown. 0 stands for unknown."""
    try:
        price = msgspec.convert({"amount": str(amount), "currency": currency}, Money)
    except msgspec.ValidationError:
        return None
    return price if Decimal(price.amount) else None


# rule: product-replaced
def _availability(given: Given) -> Availability | None:
    if given.get("inventory_management", "") is None:  # before version 2024-07: it isn't tracked
        return "in_stock"
    units = given.get("inventory_quantity")
    if type(units) is not int:
        return None
    if units > 0:
        return "in_stock"
    return "backorder" if given.get("inventory_policy") == "continue" else "out_of_stock"


# rules: platform-products, platform-orders
async def take(
    tx: Writer,
    store: Store,
    delivery: str,
    body: DeletedProduct | ProductBody | OrderBody,
    new_id: str,
    now: int,
) -> Result:
    """Applies a proven body; ``now`` in milliseconds.

    ``delivery``: the hash of its signature, which is the same for the same body and secret. Raises
    ``Invalid``, ``StoreDeleted``, and ``Unauthenticated`` if another store took the delivery.
    """
    at = ids.timestamp(now)
    if isinstance(body, OrderBody):
        if not orders.are_accepted(store):
            return "ignored"
        order = body.order(store, now)
        await tx.begin()
        if await _is_repeated(tx, store, delivery, at):
            return "unchanged"
        return (await orders.apply(tx, store, order, at)).result
    if (id := _id(store, body.id)) is None:
        return "ignored"
    version, make = ids.timestamp(ids.MAX_TIMESTAMP_MS), None
    if isinstance(body, ProductBody):
        version = fields.time("updated_at", body.updated_at, now)
        make = functools.partial(body.product, store, id) if body.is_listed else None
    await tx.one("store_write_lock", store=store.id)
    await stores.check_not_deleting(tx, store)
    if await _is_repeated(tx, store, delivery, at):
        return "unchanged"
    done = await products.put_version(tx, store, id, version, make, new_id, at)
    return "applied" if done else "unchanged"


# rule: platform-signed
async def _is_repeated(tx: Writer, store: Store, delivery: str, now: str) -> bool:
    """Remembers a delivery. Returns whether it was known."""
    if await tx.one("platform_delivery_add", hash=delivery, store=store.id, now=now):
        return False
    row = await tx.one("platform_delivery", hash=delivery)
    if row is None:  # forgotten since
        raise RunAgain
    if row[0] != store.id:
        raise Unauthenticated(
            "X-Shopify-Shop-Domain: another shop has already sent this body.", "signature_invalid"
        )
    return True


# rules: platform-signed, clock-guard
async def forget(tx: Writer, clock: ReferenceClock) -> int:
    """Deletes a batch of deliveries of more than seven days ago. Returns their number. Raises
    ``ClockSuspect``."""
    before = ids.timestamp(max(0, await clock.checked_now(tx) - _REMEMBERED_MS))
    return len(await tx.all("platform_deliveries_forget", before=before, limit=_BATCH_SIZE))
