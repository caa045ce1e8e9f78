"""Products as the rows of a feed describe them, and their variants."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

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


# rule: catalogue-delete-missing
def with_variants(product: NewProduct, stored: str) -> NewProduct:
    """Returns the product with its variants and further ones of these ``stored`` as JSON."""
    before = msgspec.json.decode(stored, type=list[Variant])
    merged = {str(variant.variant_id): variant for variant in (*before, *product.variants)}
    variants = tuple(merged.values())[: products.MAX_FILE_VARIANTS]
    return NewProduct(product.product_id, product.data, variants)


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
