"""Request bodies that put products, and their conversion to validated ``NewProduct``s."""

import re
from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from wishwell import products
from wishwell.field_types import MAX_NUMBER, ProductId
from wishwell.products import NewProduct, ProductData, Variant
from wishwell.products.money import check_currency
from wishwell.stores import Store
from wishwell.stores.placeholders import new_product_id
from wishwell.wishlists import fields


class ProductBody(ProductData, kw_only=True):
    """All data of a product (``PUT /products/{productId}``)."""

    variants: Annotated[list[Variant], Meta(max_length=products.MAX_VARIANTS)] | None = None

    def product(self, id: str, store: Store, *, is_stored: bool = False) -> NewProduct:
        """Returns the product. ``is_stored``: accepts ids and currencies that only older versions
        stored."""
        convert = partial(_checked_variant, store, is_stored=is_stored)
        variants = fields.each("variants", self.variants or (), convert)
        ids = [variant.variant_id for variant in variants]
        fields.check_once("variants[{}].variantId: is the same as in variants[{}].", ids)
        _check(self, is_stored=is_stored)
        data = ProductData(
            self.title, self.url, self.image, self.price, self.available, self.availability
        )
        products.set_availability(data, stored=True)
        return NewProduct(id, data, tuple(variants))


class NamedProductBody(ProductBody, rename="camel", kw_only=True):
    """All data of a product. Fields that are omitted are unknown."""

    product_id: ProductId

    def named(self, store: Store) -> NewProduct:
        return self.product(new_product_id(store, "productId", self.product_id), store)


class ProductsBody(msgspec.Struct, forbid_unknown_fields=True):
    """Products to put (``PUT /products``)."""

    products: Annotated[list[NamedProductBody], Meta(min_length=1, max_length=products.MAX_BULK)]
    """Each product at most once."""

    def named(self, store: Store) -> list[NewProduct]:
        checked = fields.each("products", self.products, lambda body: body.named(store))
        ids = [product.product_id for product in checked]
        fields.check_once("products[{}].productId: is the same as in products[{}].", ids)
        return checked


def _checked_variant(store: Store, variant: Variant, *, is_stored: bool) -> Variant:
    check_id = store.product_id if is_stored else partial(new_product_id, store)
    variant.variant_id = check_id("variantId", variant.variant_id)
    _check(variant, is_stored=is_stored)
    products.set_availability(variant, stored=True)
    return variant


def _check(product: ProductData | Variant, *, is_stored: bool) -> None:
    if not is_stored:
        check_currency("price.currency", product.price)
    for field in ("title", "url", "image"):
        products.check_text(field, getattr(product, field) or "")


def product_id(text: str, store: Store, field: str = "productId") -> str:
    """Returns the product id in a path or query parameter.

    Raises ``Invalid`` unless its form fits the store's kind of ids (integer or text).
    """
    is_number = re.fullmatch("[1-9][0-9]{0,15}", text) and int(text) <= MAX_NUMBER
    return store.product_id(field, int(text) if is_number and not store.has_text_ids else text)
