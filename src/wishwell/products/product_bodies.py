"""Bodies of requests that put products, and the products that they become."""

import re
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wishwell import products, stores
from wishwell.products import Facts, NewProduct, Variant
from wishwell.products.notices import Money
from wishwell.stores import Store
from wishwell.wishes import fields
from wishwell.wishes.fields import ProductId

_URL = (
    r"^[Hh][Tt][Tt][Pp][Ss]?://"
    r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._~%!$&'()*+,;=-]+)(:[0-9]{1,5})?([/?#][!-~]*)?$"
)
"""Without user name and password: ``shop.example@evil.example`` must not look like the shop."""

Title = Annotated[str, Meta(min_length=1, max_length=products.MAX_TITLE)]
Url = Annotated[str, Meta(max_length=products.MAX_URL, pattern=_URL)]


# contract: product-money
class PriceBody(msgspec.Struct, forbid_unknown_fields=True):
    """An amount of money."""

    amount: Annotated[str, Meta(pattern=r"^[0-9]{1,12}(\.[0-9]{1,4})?$")]
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$")]

    def money(self) -> Money:
        # `$` in a pattern also matches before a newline at the end.
        amount = products.check_text("price.amount", self.amount)
        return Money(amount, products.check_text("price.currency", self.currency))


class VariantBody(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """A variant of a product. null is the same as leaving a field out, here and below."""

    variant_id: ProductId
    title: Title | None = None
    image: Url | None = None
    price: PriceBody | None = None
    available: bool | None = None

    def variant(self, store: Store) -> Variant:
        id = store.product_id("variantId", self.variant_id)
        return Variant(
            id, _text("title", self.title), *_rest(self.image, self.price, self.available)
        )


# contract: product-bounds
class ProductBody(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """``PUT /products/{productId}``."""

    title: Title | None = None
    url: Url | None = None
    image: Url | None = None
    price: PriceBody | None = None
    available: bool | None = None
    variants: Annotated[list[VariantBody], Meta(max_length=products.MAX_VARIANTS)] | None = None

    def product(self, id: str, store: Store) -> NewProduct:
        variants = fields.each("variants", self.variants or (), lambda body: body.variant(store))
        fields.each_once("variantId", [str(variant.variant_id) for variant in variants])
        rest = _rest(self.image, self.price, self.available)
        facts = Facts(_text("title", self.title), _text("url", self.url), *rest)
        return NewProduct(id, facts, tuple(variants))


class NamedProductBody(ProductBody, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """One of ``PUT /products``."""

    product_id: ProductId

    def named(self, store: Store) -> NewProduct:
        return self.product(store.product_id("productId", self.product_id), store)


class ProductsBody(msgspec.Struct, forbid_unknown_fields=True):
    """``PUT /products``."""

    products: Annotated[list[NamedProductBody], Meta(min_length=1, max_length=products.MAX_BULK)]

    def named(self, store: Store) -> list[NewProduct]:
        checked = fields.each("products", self.products, lambda body: body.named(store))
        fields.each_once("productId", [product.product_id for product in checked])
        return checked


def _text(field: str, text: str | None) -> str | UnsetType:
    return UNSET if text is None else products.check_text(field, text)


def _rest(
    image: str | None, price: PriceBody | None, available: bool | None
) -> tuple[str | UnsetType, Money | UnsetType, bool | UnsetType]:
    return (
        _text("image", image),
        UNSET if price is None else price.money(),
        UNSET if available is None else available,
    )


# contract: product-path
def product_id(text: str, store: Store) -> str:
    """The product that a path names. Raises ``Invalid`` if it is not an id of the store's kind."""
    is_number = re.fullmatch("[1-9][0-9]{0,15}", text) and int(text) <= stores.MAX_NUMBER
    return store.product_id(
        "productId", int(text) if is_number and not store.has_text_ids else text
    )
