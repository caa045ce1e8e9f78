"""Products as the rows of a feed describe them, and their variants."""

from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from typing import NamedTuple

import msgspec

from wishwell import products
from wishwell.products import Availability, NewProduct, ProductData, Variant
from wishwell.products.money import Money

_SEPARATORS = " -–—/|,:;()[]"


class ProductRow(msgspec.Struct, omit_defaults=True):
    """The product data in the rows of one product or variant."""

    title: str | None = None
    option: str | None = None
    url: str | None = None
    image: str | None = None
    price: Money | None = None
    availability: Availability | None = None
    sale_until: int | None = None

    def complement(self, other: "ProductRow") -> None:
        """Copies the fields of another row that are empty here."""
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
def merge_product(
    stored: NewProduct,
    rows_in_file: Mapping[str, ProductRow],
    stated: Stated,
    *,
    keeps_variants: bool,
) -> NewProduct:
    """Returns a stored product as a file changes it: with the fields that the file states, and
    with the other fields as stored. ``keeps_variants``: keeps the variants without a row."""
    stored_data = stored.data
    rows = {"": ProductRow(stored_data.title, None, stored_data.url, stored_data.image)}
    for variant in stored.variants:
        if keeps_variants or str(variant.variant_id) in rows_in_file:
            rows[str(variant.variant_id)] = row_of_variant(variant)
    for id, row in rows_in_file.items():
        stated_names = stated.variant if id else stated.product
        rows[id] = _fill_unstated(row, rows.get(id, ProductRow()), stated_names)
    product = product_from_rows(stored.product_id, rows)
    for name in ("url", "image"):  # not from variants without a row
        values = (getattr(row, name) for row in (rows[""], *rows_in_file.values()))
        setattr(product.data, name, _find_first(values))
    if "price" not in stated.any:
        product.data.price = stored_data.price
    if "availability" not in stated.any:
        product.data.available = stored_data.available
        product.data.availability = stored_data.availability
    return product


def _fill_unstated(row: ProductRow, stored: ProductRow, stated: Set[str]) -> ProductRow:
    """Returns the row with the stored values of the fields that the file doesn't state."""
    unstated_names = {*ProductRow.__struct_fields__} - stated - {"sale_until"}
    return msgspec.structs.replace(row, **{name: getattr(stored, name) for name in unstated_names})


def row_of_variant(variant: Variant) -> ProductRow:
    """Returns the row that describes a stored variant."""
    row = ProductRow(None, variant.title, variant.url, variant.image, variant.price)
    row.availability = products.availability_of(variant)
    return row


# rule: catalogue-variants
def product_from_rows(id: str, rows_by_variant: Mapping[str, ProductRow]) -> NewProduct:
    """Returns the product that its own row (with the key "") and its variants' rows describe."""
    product_row, rows = rows_by_variant.get("") or ProductRow(), list(rows_by_variant.values())
    availabilities = [row.availability for variant, row in rows_by_variant.items() if variant]
    title_words = [(row.title or "").split() for row in rows]
    common_words: list[str] = []
    for words in zip(*filter(None, title_words), strict=False):
        if len({word.strip(_SEPARATORS) for word in words}) > 1:
            break
        common_words.append(words[0])
    title = product_row.title or " ".join(common_words).rstrip(_SEPARATORS)
    if not title:
        title, common_words = next((row.title for row in rows if row.title), ""), []
    product_data = ProductData(
        title=title or None,
        url=product_row.url or _find_first(row.url for row in rows),
        image=product_row.image or _find_first(row.image for row in rows),
        price=product_row.price or _find_lowest([row.price for row in rows]),
        availability=product_row.availability or _find_best_availability(availabilities),
    )
    variant_titles = [
        " ".join(row_words[len(common_words) :]).strip(_SEPARATORS) or None
        for row_words in title_words
    ]
    variants = [
        Variant(
            variant_id=id_of_variant,
            title=row.option or variant_title,
            image=row.image,
            price=row.price,
            availability=row.availability,
            url=row.url,
        )
        for (id_of_variant, row), variant_title in zip(
            rows_by_variant.items(), variant_titles, strict=True
        )
        if id_of_variant
    ]
    products.set_availability(product_data, stored=True)
    for variant in variants:
        products.set_availability(variant, stored=True)
    return NewProduct(id, product_data, tuple(variants))


def _find_first(values: Iterable[str | None]) -> str | None:
    return next(filter(None, values), None)


def _find_lowest(prices: Sequence[Money | None]) -> Money | None:
    """Returns the lowest of the known prices; None if they are in several currencies."""
    known_prices = [price for price in prices if price]
    if len({price.currency for price in known_prices}) != 1:
        return None
    return min(known_prices, key=lambda price: Decimal(price.amount))


def _find_best_availability(availabilities: Sequence[Availability | None]) -> Availability | None:
    """Returns the availability of a product whose variants have these."""
    for availability in ("in_stock", "backorder", "preorder"):
        if availability in availabilities:
            return availability
    return None if None in availabilities or not availabilities else "out_of_stock"
