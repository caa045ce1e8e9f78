"""Products: facts that a shop puts about its products, so that wishes for them hear of changes.

A put says all that is known of a product (contract: product-put-whole). ``notices.py`` finds the
changes that wishes hear of.
"""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import ids, stores
from wishwell.db import Reader, Row, Writer
from wishwell.errors import Invalid, NotFound
from wishwell.products import notices
from wishwell.products.notices import Money, Said
from wishwell.profiles import WholeStore, pages
from wishwell.stores import Store
from wishwell.wishes import item_record, items

MAX_BULK = 250
MAX_VARIANTS = 250
MAX_TITLE = 255
MAX_URL = 2_048


class Variant(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """A variant of a product. For fields that it leaves out, those of the product hold."""

    variant_id: str | int
    title: str | UnsetType = UNSET
    image: str | UnsetType = UNSET
    price: Money | UnsetType = UNSET
    available: bool | UnsetType = UNSET


class Facts(msgspec.Struct, omit_defaults=True, gc=False):
    """What is known of a product, without its variants. Fields that are left out are not known."""

    title: str | UnsetType = UNSET
    url: str | UnsetType = UNSET
    image: str | UnsetType = UNSET
    price: Money | UnsetType = UNSET
    available: bool | UnsetType = UNSET


# contract: product-fields
class Product(Facts, rename="camel", omit_defaults=True, kw_only=True, gc=False):
    """A product as the API shows it. ``variants`` are set only for a single product."""

    product_id: str | int
    variants: list[Variant] | UnsetType = UNSET
    created_at: str
    updated_at: str


class NewProduct(msgspec.Struct, frozen=True):
    """A product to put, already checked (contract: product-bounds)."""

    product_id: str
    facts: Facts
    variants: tuple[Variant, ...] = ()

    @property
    def said(self) -> dict[str, Said]:
        """Price and availability: first of variants that are not listed (``NO_VARIANT``), then of
        each variant."""
        price, available = self.facts.price or None, _known(self.facts.available)
        said = {item_record.NO_VARIANT: Said(price, available)}
        for variant in self.variants:
            own = _known(variant.available)
            said[str(variant.variant_id)] = Said(
                variant.price or price, available if own is None else own
            )
        return said


def _known(value: bool | UnsetType) -> bool | None:
    return None if value is UNSET else value


_variants = msgspec.json.Decoder(list[Variant])


def from_row(row: Row, store: Store) -> Product:
    """Makes a product from its columns (``product_fields``), and its variants if they follow."""
    _, product_id, document, created_at, updated_at, *variants = row
    facts = msgspec.structs.asdict(msgspec.json.decode(document, type=Facts))
    product = Product(product_id=product_id, created_at=created_at, updated_at=updated_at, **facts)
    if variants:
        product.variants = _variants.decode(variants[0])
    if not store.has_text_ids:
        product.product_id = stores.number(product.product_id)
        for variant in product.variants or ():
            variant.variant_id = stores.number(variant.variant_id)
    return product


# contract: product-put-order, product-put-many
async def put(
    tx: Writer, store: Store, given: Sequence[NewProduct], new_ids: Sequence[str], now: str
) -> None:
    """Puts products, at most one for each product id. ``new_ids`` are for those not yet known."""
    wanted = {product.product_id: product for product in given}
    rows = await tx.all("products_lock", store=store.id, products=list(wanted))
    while len(rows) < len(wanted):
        there = {row[0] for row in rows}
        new = sorted(wanted.keys() - there)
        opened = [
            {
                "store": store.id,
                "product": product_id,
                "id": id,
                "position": ids.NO_UUID,
                "now": now,
            }
            for product_id, id in zip(new, new_ids, strict=False)
        ]
        await tx.run_many("product_open", opened)
        rows = await tx.all("products_lock", store=store.id, products=list(wanted))
    written = []
    for product_id, known, position in rows:
        product = wanted[product_id]
        before = notices.known_from(store, product_id, known)
        left = notices.compare(store, before, position, product.said, now)
        known, position, noticed_at = left
        written.append(
            {
                "store": store.id,
                "product": product_id,
                "document": msgspec.json.encode(product.facts).decode(),
                "variants": msgspec.json.encode(product.variants).decode(),
                "known": known,
                "position": position,
                "noticed_at": noticed_at,
                "now": now,
            }
        )
    await tx.run_many("product_put", written)


async def put_one(tx: Writer, store: Store, given: NewProduct, new_id: str, now: str) -> Product:
    """Puts a product, and returns it."""
    await put(tx, store, [given], [new_id], now)
    return await find(tx, store, given.product_id)


async def find(tx: Reader, store: Store, product_id: str) -> Product:
    """The product with its variants. Raises ``NotFound``."""
    row = await tx.one("product_find", store=store.id, product=product_id)
    if row is None:
        raise _absent()
    return from_row(row, store)


# contract: product-pages
async def page(tx: Reader, scope: WholeStore, asked: pages.PageRequest) -> pages.Page[Product]:
    """A page of products without their variants: the product that was put first comes last."""
    return await pages.read(tx, "products", scope, asked, lambda row: from_row(row, scope.store))


# contract: product-delete
async def delete(tx: Writer, store: Store, product_id: str) -> None:
    """Forgets a product, and with it the notices that are not told yet. Raises ``NotFound``."""
    if await tx.one("product_delete", store=store.id, product=product_id) is None:
        raise _absent()


def _absent() -> NotFound:
    return NotFound("There is no such product.")


# contract: product-bounds
def check_text(field: str, text: str) -> str:
    """The text. Raises ``Invalid`` if it has control characters."""
    if items.has_control(text):
        raise Invalid(f"{field}: must not contain control characters.")
    return text
