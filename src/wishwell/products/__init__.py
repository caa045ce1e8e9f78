"""Products: titles, prices and availability uploaded by a shop, and the notices that changes cause.

Start with ``put``: it replaces all data of a product (rule: product-replaced). ``notices.py``
detects price drops and restocks and records events for the items, ``shown.py`` adds product data to
items in responses, ``product_bodies.py`` validates request bodies.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from wishwell import field_types as types
from wishwell import ids
from wishwell.db import Reader, Row, Writer, statements
from wishwell.errors import Invalid, no_record
from wishwell.jobs import Run
from wishwell.products import notices
from wishwell.products.money import Money
from wishwell.products.notices import Offer
from wishwell.profiles import WholeStore, pages
from wishwell.stores import Store
from wishwell.wishlists import fields, items

MAX_BULK = 250
MAX_VARIANTS = 250
"""Maximum variants of a product in a request."""

MAX_FILE_VARIANTS = 2_048
"""Maximum variants of a product in a file, as on Shopify."""

_MARKER_MS = 365 * ids.DAY_MS
"""Milliseconds for which a deleted product leaves a marker (tombstone)."""

MAX_TITLE = 255
MAX_URL = 2_048


_URL = (
    r"^[Hh][Tt][Tt][Pp][Ss]?://"
    r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._~%!$&'()*+,;=-]+)(:[0-9]{1,5})?([/?#][!-~]*)?\Z"
)
"""An http or https URL. User information isn't allowed, because
``https://shop.example@evil.example`` would look like a URL of the shop."""

Title = Annotated[
    str,
    Meta(min_length=1, max_length=MAX_TITLE),
    types.published(
        "Title",
        "1 to 255 characters, without control characters.",
        pattern=r"^[^\u0000-\u001f\u007f-\u009f]+$",
    ),
]
Url = Annotated[
    str,
    Meta(max_length=MAX_URL, pattern=_URL),
    types.published("Url", "An http or https URL in printable ASCII characters."),
]

_NULL = "null has the same effect as omitting the field."
NewTitle = Annotated[Title | None, types.published("TitleOrNull", _NULL)]
NewUrl = Annotated[Url | None, types.published("UrlOrNull", _NULL)]
NewPrice = Annotated[Money | None, types.published("PriceOrNull", _NULL)]
NewAvailable = Annotated[bool | None, types.published("AvailableOrNull", _NULL)]

Availability = Annotated[
    Literal["in_stock", "out_of_stock", "preorder", "backorder"],
    types.published("Availability", "Whether and how the product can be ordered."),
]
NewAvailability = Annotated[Availability | None, types.published("AvailabilityOrNull", _NULL)]


class Variant(
    msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True, gc=False
):
    """The data of a single variant. For omitted fields, those of the product apply."""

    variant_id: types.ProductId
    title: NewTitle = None
    image: NewUrl = None
    price: NewPrice = None
    available: NewAvailable = None
    """Whether it can be ordered: false for `out_of_stock` only."""
    url: NewUrl = None
    availability: NewAvailability = None
    """Decides, if `available` differs."""


class ProductData(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """The data of a product, without its variants. A missing field is unknown."""

    title: NewTitle = None
    url: NewUrl = None
    image: NewUrl = None
    price: NewPrice = None
    available: NewAvailable = None
    """Whether it can be ordered: false for `out_of_stock` only."""
    availability: NewAvailability = None
    """Decides, if `available` differs."""


# rule: product-replaced
def availability_of(product: ProductData | Variant) -> Availability | None:
    """Returns the availability that was given, or that follows from ``available``."""
    if product.availability or product.available is None:
        return product.availability
    return "in_stock" if product.available else "out_of_stock"


def set_availability(product: ProductData | Variant, *, stored: bool) -> None:
    """Makes ``available`` and ``availability`` agree. ``stored``: drops an availability that
    follows from ``available``, so that data of earlier releases doesn't change."""
    availability = availability_of(product)
    product.available = None if availability is None else availability != "out_of_stock"
    is_implied = availability in ("in_stock", "out_of_stock")
    product.availability = None if stored and is_implied else availability


class Product(ProductData, rename="camel", kw_only=True):
    """The published data of a product. Unknown fields are omitted."""

    product_id: types.ProductId
    variants: Annotated[list[Variant], types.published(maxItems=MAX_FILE_VARIANTS)] | None = None
    """The variants as they were set; only for a single product."""
    created_at: types.Time
    """When it was first set."""
    updated_at: types.Time
    """When it was last set."""


class NewProduct(msgspec.Struct, frozen=True):
    """A validated product to put."""

    product_id: str
    data: ProductData
    variants: tuple[Variant, ...] = ()

    @property
    def stored(self) -> tuple[str, str]:
        """The product's data and its variants as JSON, as the database stores them."""
        variants = msgspec.json.encode(self.variants).decode()
        return msgspec.json.encode(self.data).decode(), variants

    @property
    def offers(self) -> dict[str, Offer]:
        """Price and availability by variant id. ``NO_VARIANT`` comes first, for the product itself
        and unlisted variants."""
        price, availability = self.data.price, availability_of(self.data)
        offers = {items.NO_VARIANT: Offer(price, availability)}
        for variant in self.variants:
            offers[str(variant.variant_id)] = Offer(
                variant.price or price, availability_of(variant) or availability
            )
        return offers


_variants = msgspec.json.Decoder(list[Variant])


def from_row(row: Row, store: Store) -> Product:
    """Returns the product in a row of ``product_fields`` and, optionally, its variants."""
    names = statements.columns("product_fields")
    columns = dict(zip(names, row, strict=False))
    data = msgspec.json.decode(columns["document"], type=ProductData)
    metadata = {name: columns[name] for name in ("product_id", "created_at", "updated_at")}
    product = Product(**metadata, **msgspec.structs.asdict(data))
    set_availability(product, stored=False)
    if len(row) > len(names):
        product.variants = _variants.decode(row[-1])
        for variant in product.variants:
            set_availability(variant, stored=False)
    product.product_id = store.shown_id(product.product_id)
    for variant in product.variants or ():
        variant.variant_id = store.shown_id(variant.variant_id)
    return product


# rule: product-replaced
async def put(
    tx: Writer, store: Store, products: Sequence[NewProduct], new_ids: Sequence[str], now: str
) -> None:
    """Creates or replaces products with distinct product ids. ``new_ids``: ids for new rows."""
    products_by_id = {product.product_id: product for product in products}
    stored = []
    for product_id, state, position in await _open(tx, store, [*products_by_id], new_ids, now):
        product = products_by_id[product_id]
        before = notices.decode_states(store, product_id, state)
        state, position, noticed_at = notices.compare(store, before, position, product.offers, now)
        document, variants = product.stored
        stored.append(
            {
                "store": store.id,
                "product": product_id,
                "document": document,
                "variants": variants,
                "known": state,
                "position": position,
                "noticed_at": noticed_at,
                "now": now,
            }
        )
    await tx.run_many("product_put", stored)


async def _open(
    tx: Writer, store: Store, product_ids: Sequence[str], new_ids: Sequence[str], now: str
) -> Sequence[Row]:
    """Locks the rows of products, creating those that don't exist. Returns the rows."""
    params = {"store": store.id, "products": product_ids}
    rows = await tx.all("products_lock", **params)
    while len(rows) < len(product_ids):
        missing = sorted({*product_ids} - {row[0] for row in rows})
        columns = {"store": store.id, "position": ids.NO_UUID, "now": now}
        new_rows = [
            {**columns, "product": product_id, "id": id}
            for product_id, id in zip(missing, new_ids, strict=False)
        ]
        await tx.run_many("product_open", new_rows)
        await tx.run("deleted_products_remove", store=store.id, products=missing)
        rows = await tx.all("products_lock", **params)
    return rows


# rule: platform-products
async def put_version(
    tx: Writer,
    store: Store,
    id: str,
    version: str,
    make: Callable[[Sequence[Variant]], NewProduct] | None,
    new_id: str,
    now: str,
) -> bool:
    """Puts a product as of a version of the platform, unless a later one is known. The caller holds
    the store's lock, which serialises the versions. Returns whether it did.

    ``make`` makes the product, given its stored variants; ``None`` deletes it, with a marker.
    """
    params = {"store": store.id, "product": id}
    row = await tx.one("product_version", **params)
    stored_version, document, variants = row or ("", "", "[]")
    if version < stored_version:
        return False
    if make is None:
        await tx.run("product_delete", **params)
        await tx.run("deleted_product_add", **params, now=now)
        await tx.run("deleted_product_set_version", **params, version=version)
        return True
    product = make(_variants.decode(variants))
    if product.stored != (document, variants):
        await put(tx, store, [product], [new_id], now)
    await tx.run("product_set_version", **params, version=version)
    return True


async def put_one(tx: Writer, store: Store, product: NewProduct, new_id: str, now: str) -> Product:
    """Creates or replaces a product, and returns it."""
    await put(tx, store, [product], [new_id], now)
    return await find(tx, store, product.product_id)


async def find(tx: Reader, store: Store, product_id: str) -> Product:
    """Returns the product with its variants. Raises ``NotFound``."""
    row = await tx.one("products_find", store=store.id, products=[product_id])
    if row is None:
        raise no_record("product")
    return from_row(row, store)


async def page(tx: Reader, scope: WholeStore, request: pages.PageRequest) -> pages.Page[Product]:
    """Returns a page of products without variants, newest first by their first put."""
    return await pages.read(tx, "products", scope, request, lambda row: from_row(row, scope.store))


# rules: delete-scope, product-deleted
async def delete(tx: Writer, store: Store, product_id: str, now: str) -> None:
    """Deletes a product with its pending notices, and leaves a marker. Raises ``NotFound``."""
    await tx.begin()
    if await tx.one("product_delete", store=store.id, product=product_id) is None:
        raise no_record("product")
    await tx.run("deleted_product_add", store=store.id, product=product_id, now=now)


# rule: product-deleted
async def forget_deleted(tx: Writer, now: int) -> int:
    """Deletes a batch of old markers. Returns their number."""
    before = ids.timestamp(max(0, now - _MARKER_MS))
    return len(await tx.all("deleted_products_forget", before=before, limit=MAX_BULK))


async def remove_markers(run: Run, now: int) -> AsyncIterator[int]:
    """Deletes old markers in batches: a step of the job ``purge``."""
    while count := await run.db.write(forget_deleted, now):
        yield count


def check_text(field: str, text: str) -> None:
    """Raises ``Invalid`` for control characters."""
    if fields.has_control(text):
        raise Invalid(f"{field}: must not contain control characters.")
