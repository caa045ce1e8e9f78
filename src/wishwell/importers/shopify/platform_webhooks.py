"""Reads Shopify's webhooks about products, orders and customers, and applies them to the store.

The state comes from the body, never from the topic, so deliveries may be late, repeated, and in any
order. Written for the payloads of API version 2026-04, which omit nothing that is read here.
"""

import functools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from wishwell import ids, products, profiles, stores
from wishwell.contacts import addresses
from wishwell.contacts.addresses import ShopAddress
from wishwell.db import RunAgain, Writer
from wishwell.errors import Invalid, Unauthenticated
from wishwell.field_types import MAX_NUMBER
from wishwell.importers import cells
from wishwell.importers.feed_products import ProductRow, product_from_rows, row_of_variant
from wishwell.jobs import Run
from wishwell.products import Availability, NewProduct, Variant
from wishwell.products.money import Money
from wishwell.stores import Store
from wishwell.wishlists import fields, items, orders
from wishwell.wishlists.orders import Line, Order

_REMEMBERED_MS = 7 * ids.DAY_MS
"""Milliseconds for which a delivery is remembered."""

_BATCH_SIZE = 1_000
_FULL_VARIANT_LIST = 100
"""The number of variants from which on the platform may omit further ones."""

_MAX_UNITS = 1_000_000
_PAID_STATUSES = ("paid", "partially_paid", "partially_refunded")

Time = Annotated[datetime, Meta(tz=True)]
Result = Literal["applied", "unchanged", "ignored"]
JsonObject = Mapping[str, Any]


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
    def to_product(self, store: Store, id: str, stored: Sequence[Variant]) -> NewProduct:
        """Returns the product. Stored variants stay that a partial list may have omitted."""
        variants = self.variants[: products.MAX_FILE_VARIANTS]
        variants_by_id = {str(variant.get("id")): variant for variant in variants}
        rows = {"": self._product_row(store), **self._variant_rows(store, variants_by_id)}
        for variant in stored if self._is_partial(variants_by_id) else ():
            if len(rows) <= products.MAX_FILE_VARIANTS:
                rows.setdefault(str(variant.variant_id), row_of_variant(variant))
        return product_from_rows(id, rows)

    def _product_row(self, store: Store) -> ProductRow:
        host_url = store.hosts[0] if store.hosts else f"https://{store.naming.platform_shop}"
        image_urls = [image.get("src") for image in _keep_objects([self.image])]
        image_urls = image_urls or [image.get("src") for image in _keep_objects(self.images)]
        return ProductRow(
            title=_read_cell(cells.parse_title, self.title),
            url=_read_cell(cells.parse_url, self.handle and f"{host_url}/products/{self.handle}"),
            image=_read_cell(cells.parse_url, next(iter(image_urls), None)),
        )

    def _variant_rows(
        self, store: Store, variants_by_id: Mapping[str, JsonObject]
    ) -> dict[str, ProductRow]:
        """Returns the rows of variants by their ids as stored."""
        image_urls = {
            str(image.get("id")): image.get("src") for image in _keep_objects(self.images)
        }
        rows: dict[str, ProductRow] = {}
        for variant in variants_by_id.values():
            id, title = _read_id(store, variant.get("id")), variant.get("title")
            if id is not None:
                rows[id] = ProductRow(
                    option=None
                    if title == "Default Title"
                    else _read_cell(cells.parse_title, title),
                    image=_read_cell(cells.parse_url, image_urls.get(str(variant.get("image_id")))),
                    price=_read_price(variant.get("price"), store.reporting.currency),
                    availability=_read_availability(variant),
                )
        return rows

    def _is_partial(self, variants_by_id: Mapping[str, JsonObject]) -> bool:
        """Whether the platform may have omitted variants."""
        gids = [str(variant.get("admin_graphql_api_id")) for variant in self.variant_gids or ()]
        all_ids = {gid.rpartition("/")[2] for gid in gids}
        if all_ids:
            return bool(all_ids - variants_by_id.keys())
        return len(variants_by_id) >= _FULL_VARIANT_LIST


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
    def to_order(self, store: Store, now: int) -> Order:
        """Returns this version of the order; ``now`` in milliseconds. Raises ``Invalid``."""
        is_paid = not self.cancelled_at and self.financial_status in _PAID_STATUSES
        refunded_units = self._count_refunds()
        lines, removed_units = [], 0
        for line in self.line_items[: orders.MAX_LINES]:
            ordered_units = _read_units(line.get("quantity"))
            units = max(0, ordered_units - refunded_units[str(line.get("id"))])
            units = min(units, _read_units(line.get("current_quantity", units)))
            removed_units += ordered_units - units
            product = _read_id(store, line.get("product_id"))
            variant = _read_id(store, line.get("variant_id")) or items.NO_VARIANT
            if product is not None and units:
                price = self._compute_unit_price(line, ordered_units) or Money("", "")
                lines.append(Line(product, variant, units, price.amount, price.currency))
        # The platform's times have no milliseconds. Of two versions within a second, the one that
        # is further on counts: from unpaid over paid and units removed to the end.
        is_over = self.cancelled_at or self.financial_status in ("refunded", "voided")
        progress_ms = 999 if is_over else min(1 + removed_units, 998) if is_paid else 0
        updated_at = fields.time("updated_at", self.updated_at, now)
        return Order(
            str(self.id),
            self._find_buyer(store),
            fields.time("created_at", self.processed_at or self.created_at, now),
            updated_at.replace(".000Z", f".{progress_ms:03}Z"),
            lines if is_paid else (),
        )

    def _count_refunds(self) -> Counter[str]:
        """Returns the number of refunded units by line id."""
        units: Counter[str] = Counter()
        for refund in self.refunds:
            for line in _keep_objects(refund.get("refund_line_items")):
                units[str(line.get("line_item_id"))] += _read_units(line.get("quantity"))
        return units

    def _find_buyer(self, store: Store) -> profiles.Profile | None:
        id = (self.customer or {}).get("id")
        if type(id) is not int or id < 1:
            return None
        return profiles.of_customer(store, ids.customer_gid(store.platform, str(id)))

    def _compute_unit_price(self, line: JsonObject, units: int) -> Money | None:
        """Returns the price that the customer paid per unit, in the shop's currency."""
        try:
            discounts = _sum_amounts(line.get("discount_allocations"), "amount")
            taxes = 0 if self.taxes_included else _sum_amounts(line.get("tax_lines"), "price")
            discount = max(discounts, Decimal(str(line.get("total_discount", 0))))
            paid_amount = Decimal(str(line["price"])) * units - discount + taxes
            amount = f"{paid_amount / units:.4f}".removesuffix("00")
            return msgspec.convert({"amount": amount, "currency": self.currency}, Money)
        except (KeyError, ArithmeticError, msgspec.ValidationError):
            return None


class CustomerBody(msgspec.Struct):
    """The body of ``customers/create`` and ``customers/update``."""

    id: int
    updated_at: Time
    verified_email: bool
    email: str | None
    locale: Any = None

    # rule: mail-addresses
    def to_address(self, store: Store) -> ShopAddress | None:
        """Returns the customer's address, or None if the platform hasn't verified one."""
        if not self.verified_email or not self.email or self.id < 1:
            return None
        profile = profiles.of_customer(store, ids.customer_gid(store.platform, str(self.id)))
        try:
            email = profiles.check_email(self.email)
        except Invalid:
            return None
        return ShopAddress(profile, email, addresses.read_language(self.locale))


def _keep_objects(value: Any) -> list[JsonObject]:
    return (
        [element for element in value if isinstance(element, dict)]
        if isinstance(value, list)
        else []
    )


def _sum_amounts(parts: Any, field: str) -> Decimal:
    return sum((Decimal(str(part[field])) for part in _keep_objects(parts)), Decimal())


def _read_units(value: Any) -> int:
    """Returns a number of units; 0 for anything else."""
    return value if type(value) is int and 0 < value <= _MAX_UNITS else 0


def _read_id(store: Store, id: Any) -> str | None:
    """Returns a product or variant id as stored; ``None`` for one that no item can have."""
    if type(id) is not int or not 1 <= id <= MAX_NUMBER:
        return None
    return store.product_id("id", str(id) if store.has_text_ids else id)


def _read_cell(parse: Callable[[str], Any], value: Any) -> Any:
    """Returns the value of a field, or ``None`` if it is empty or can't be read."""
    try:
        return parse(value) if isinstance(value, str) and value else None
    except Invalid:
        return None


def _read_price(amount: Any, currency: str) -> Money | None:
    """Returns a price, or ``None`` if it or its currency is unknown. 0 stands for unknown."""
    try:
        price = msgspec.convert({"amount": str(amount), "currency": currency}, Money)
    except msgspec.ValidationError:
        return None
    return price if Decimal(price.amount) else None


# rule: product-replaced
def _read_availability(variant: JsonObject) -> Availability | None:
    if variant.get("inventory_management", "") is None:  # before version 2024-07: it isn't tracked
        return "in_stock"
    units = variant.get("inventory_quantity")
    if type(units) is not int:
        return None
    if units > 0:
        return "in_stock"
    return "backorder" if variant.get("inventory_policy") == "continue" else "out_of_stock"


# rules: platform-products, platform-orders
async def apply_body(
    tx: Writer,
    store: Store,
    delivery: str,
    body: DeletedProduct | ProductBody | OrderBody | CustomerBody,
    new_id: str,
    now: int,
) -> Result:
    """Applies a proven body; ``now`` in milliseconds.

    ``delivery``: the hash of its signature, which is the same for the same body and secret. Raises
    ``Invalid``, ``StoreDeleted``, and ``Unauthenticated`` if another store took the delivery.
    """
    received_at = ids.timestamp(now)
    if isinstance(body, OrderBody):
        if not orders.are_accepted(store):
            return "ignored"
        order = body.to_order(store, now)
        await tx.begin()
        if await _record_delivery(tx, store, delivery, received_at):
            return "unchanged"
        return (await orders.apply(tx, store, order, received_at)).result
    if isinstance(body, CustomerBody):
        return await _apply_customer(tx, store, delivery, body, now)
    if (id := _read_id(store, body.id)) is None:
        return "ignored"
    version, make_product = ids.timestamp(ids.MAX_TIMESTAMP_MS), None
    if isinstance(body, ProductBody):
        version = fields.time("updated_at", body.updated_at, now)
        make_product = functools.partial(body.to_product, store, id) if body.is_listed else None
    await tx.one("store_write_lock", store=store.id)
    await stores.check_not_deleting(tx, store)
    if await _record_delivery(tx, store, delivery, received_at):
        return "unchanged"
    has_changed = await products.put_version(
        tx, store, id, version, make_product, new_id, received_at
    )
    return "applied" if has_changed else "unchanged"


# rule: mail-addresses
async def _apply_customer(
    tx: Writer, store: Store, delivery: str, body: CustomerBody, now: int
) -> Result:
    if (address := body.to_address(store)) is None:
        return "ignored"
    received_at = ids.timestamp(now)
    updated_at = min(fields.time("updated_at", body.updated_at, now), received_at)
    await tx.begin()
    if await _record_delivery(tx, store, delivery, received_at):
        return "unchanged"
    stored, unknown = await addresses.set_by_shop(tx, store, [address], updated_at)
    return "applied" if stored else "ignored" if unknown else "unchanged"


# rule: platform-signed
async def _record_delivery(tx: Writer, store: Store, delivery: str, now: str) -> bool:
    """Records a delivery. Returns whether it was already recorded."""
    if await tx.one("platform_delivery_add", hash=delivery, store=store.id, now=now):
        return False
    owner = await tx.one("platform_delivery", hash=delivery)
    if owner is None:  # forgotten since
        raise RunAgain
    if owner[0] != store.id:
        raise Unauthenticated(
            "X-Shopify-Shop-Domain: another shop has already sent this body.", "signature_invalid"
        )
    return True


# rule: platform-signed
async def forget(tx: Writer, now: int) -> int:
    """Deletes a batch of deliveries of more than seven days ago. Returns their number."""
    before = ids.timestamp(max(0, now - _REMEMBERED_MS))
    return len(await tx.all("platform_deliveries_forget", before=before, limit=_BATCH_SIZE))


async def remove_deliveries(run: Run, now: int) -> AsyncIterator[int]:
    """Deletes old deliveries in batches: a step of the job ``purge``."""
    while count := await run.db.write(forget, now):
        yield count
