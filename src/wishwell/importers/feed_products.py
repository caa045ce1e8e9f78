"""Products as the rows of a feed describe them, and their variants."""

from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from typing import NamedTuple

import msgspec

from wishwell import products
from wishwell.products import Availability, NewProduct, ProductData, Variant
from wishwell.products.money import Money

_JOINTS = " -–—/|,:;()[]"


class ProductRow(msgspec.Struct, omit_defaults=True):
    """What the rows of one product or variant say."""

    title: str | None = None
    option: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    availability: Availability | None = None
    sale_until: int | None = None

    def complement(self, other: "ProductRow") -> None:
        """Takes over what is unknown here."""
        if self.price is None:
            self.price, self.sale_until = other.price, other.sale_until
        for name in ("title", "option", "url", "image", "availability"):
            if getattr(self, name) is None:
                setattr(self, name, getattr(other, name))


class Stated(NamedTuple):
    """The fields of ``ProductRow`` that a file's columns state, of products and of variants."""

    product: set[str]
    variant: set[str]

    @property
    def any(self) -> set[str]:
        return self.product | self.variant

    def without_prices(self) -> "Stated":
        return Stated(self.product - {"price"}, self.variant - {"price"})


# rules: catalogue-partial, catalogue-variants
def merged_product(
    stored: NewProduct, of_file: Mapping[str, ProductRow], stated: Stated, *, keeps_variants: bool
) -> NewProduct:
    """Returns a stored product as a file changes it: with the fields that the file states, and
    with the other fields as stored. ``keeps_variants``: keeps the variants without a row."""
    before = stored.data
    rows = {"": ProductRow(before.title, None, before.url, before.image)}
    for variant in stored.variants:
        if keeps_variants or str(variant.variant_id) in of_file:
            rows[str(variant.variant_id)] = row_of_variant(variant)
    for id, row in of_file.items():
        names = stated.variant if id else stated.product
        rows[id] = _complete(row, rows.get(id, ProductRow()), names)
    product = product_from_rows(stored.product_id, rows)
    for name in ("url", "image"):  # not from variants without a row
        values = (getattr(row, name) for row in (rows[""], *of_file.values()))
        setattr(product.data, name, _first(values))
    if "price" not in stated.any:
        product.data.price = before.price
    if "availability" not in stated.any:
        product.data.available = before.available
        product.data.availability = before.availability
    return product


def _complete(row: ProductRow, stored: ProductRow, stated: Set[str]) -> ProductRow:
    """Returns the row with the stored values of the fields that the file doesn't state."""
    others = {*ProductRow.__struct_fields__} - stated - {"sale_until"}
    return msgspec.structs.replace(row, **{name: getattr(stored, name) for name in others})


def row_of_variant(variant: Variant) -> ProductRow:
    """Returns the row that describes a stored variant."""
    row = ProductRow(None, variant.title, variant.url, variant.image, variant.price)
    row.availability = products.availability_of(variant)
    return row


# rule: catalogue-variants
def product_from_rows(id: str, found: Mapping[str, ProductRow]) -> NewProduct:
    """Builds a product from what the rows say of it (under "") and of its variants."""
    own, rows = found.get("") or ProductRow(), list(found.values())
    stock = [facts.availability for variant, facts in found.items() if variant]
    words = [(facts.title or "").split() for facts in rows]
    common: list[str] = []
    for some in zip(*filter(None, words), strict=False):
        if len({word.strip(_JOINTS) for word in some}) > 1:
            break
        common.append(some[0])
    title = own.title or " ".join(common).rstrip(_JOINTS)
    if not title:
        title, common = next((facts.title for facts in rows if facts.title), ""), []
    whole = ProductData(
        title=title or None,
        url=own.url or _first(facts.url for facts in rows),
        image=own.image or _first(facts.image for facts in rows),
        price=own.price or _lowest([facts.price for facts in rows]),
        availability=own.availability or _best_availability(stock),
    )
    rests = [" ".join(of_row[len(common) :]).strip(_JOINTS) or None for of_row in words]
    variants = [
        Variant(
            variant_id=id_of_variant,
            title=facts.option or rest,
            image=facts.image,
            price=facts.price,
            availability=facts.availability,
            url=facts.url,
        )
        for (id_of_variant, facts), rest in zip(found.items(), rests, strict=True)
        if id_of_variant
    ]
    products.set_availability(whole, stored=True)
    for variant in variants:
        products.set_availability(variant, stored=True)
    return NewProduct(id, whole, tuple(variants))


def _first(values: Iterable[str | None]) -> str | None:
    return next(filter(None, values), None)


def _lowest(prices: Sequence[Money | None]) -> Money | None:
    """Returns the lowest of the known prices; None if they are in several currencies."""
    known = [price for price in prices if price]
    if len({price.currency for price in known}) != 1:
        return None
    return min(known, key=lambda price: Decimal(price.amount))


def _best_availability(stock: Sequence[Availability | None]) -> Availability | None:
    """Returns the availability of a product by that of its variants."""
    for best in ("in_stock", "backorder", "preorder"):
        if best in stock:
            return best
    return None if None in stock or not stock else "out_of_stock"
