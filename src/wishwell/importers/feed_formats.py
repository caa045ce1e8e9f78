"""The formats of product feeds: their columns, and how one is recognised by its columns.

A format names a column, or several, of which the first non-empty cell counts, for each field of
``FIELDS``. ``rows`` rewrites a row whose cells have to be combined; it may yield several.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from wishwell.errors import Invalid

Row = Mapping[str, Any]

SALE_FIELDS = ("sale_price", "sale_period", "sale_starts", "sale_ends")
FIELDS = (
    *("product", "variant", "title", "option", "url", "image", "available", "price"),
    *SALE_FIELDS,
)
"""Fields that a column can be mapped to. ``option``: the title of a variant inside its product.
``sale_period`` is a start and an end in one cell."""

ONLY_WOOCOMMERCE = ("sku", "parent", "published")
MAPPED = (*FIELDS, *ONLY_WOOCOMMERCE)
"""What ``--map`` takes."""


class Unpublished(Exception):
    """The row is of a product that the shop doesn't show."""


class NoProduct(Exception):
    """The row isn't of a product, such as a price rule. Its arguments: the column that says what
    it is, and the cell."""


_OTHER_ROWS = (
    ({"item_type", "product_id"}, "item_type", "product"),
    ({"item", "id", "inventory_tracking"}, "item", "product"),
    ({"sku", "store_view_code"}, "store_view_code", ""),
)
"""Columns by which an export of BigCommerce's (two kinds) or Magento's is recognised; the one that
says what a row is; and its cell in rows of products."""


# rule: catalogue-other-rows
def kind_column(header: Collection[str]) -> tuple[str, str]:
    """Returns the column that says what a row is, and its cell in rows of products; both are empty
    if the table has no other rows."""
    names = {*header}
    return next(((name, cell) for signs, name, cell in _OTHER_ROWS if signs <= names), ("", ""))


class Format(NamedTuple):
    """A format. ``signs``: columns that only this format has together; each is needed. ``reads``:
    further columns that ``rows`` reads. ``header``: columns that ``--map`` translates, by field.
    ``ids``: the columns of a row's id, if they aren't those of its product."""

    name: str
    columns: Mapping[str, str]
    rows: Callable[[Row], Iterable[Row]] | None = None
    signs: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    header: Mapping[str, str] | None = None
    needs_text_ids: bool = False
    ids: tuple[str, ...] = ()

    @property
    def all_columns(self) -> set[str]:
        """The names of all columns that are read."""
        return {name for names in self.columns.values() for name in names.split("|")} | {
            *self.signs,
            *self.reads,
        }


GOOGLE = Format(
    "google",
    {
        "product": "item_group_id|id",
        "variant": "id",
        "title": "title",
        "url": "link",
        "image": "image_link",
        "available": "availability|available",
        "price": "price",
        "sale_price": "sale_price",
        "sale_period": "sale_price_effective_date",
    },
)
META = GOOGLE._replace(name="meta")


class Shopify:
    """The rows of Shopify's product CSV, of which only a product's first has a status."""

    def __init__(self) -> None:
        self._hidden: set[str] = set()

    # rule: catalogue-formats
    def rows(self, row: Row) -> Iterable[Row]:
        """Yields the rows of a row. Raises ``Unpublished``."""
        handle = row.get("handle") or row.get("url_handle") or ""
        published = row.get("published") or row.get("published_on_online_store") or ""
        hidden = (row.get("status") or "").lower() in ("draft", "archived")
        if hidden or published.lower() == "false":
            self._hidden.add(handle)
        if handle in self._hidden:
            raise Unpublished
        yield from _shopify_rows(row)


# rule: catalogue-partial
def _cells(row: Row, **columns: str) -> dict[str, Any]:
    """Returns the first non-empty cell of each field's ``columns``, without the fields that have no
    column in the row."""
    fields: dict[str, Any] = {}
    for field, names in columns.items():
        if cells := [row[name] for name in names.split("|") if name in row]:
            fields[field] = next(filter(None, cells), None)
    return fields


def _shopify_rows(row: Row) -> Iterable[Row]:
    """Yields the product's part of a row, and the variant's. The first image of the file is the
    product's; a variant has its own column."""
    handle = row.get("handle") or row.get("url_handle")
    sku = row.get("variant_sku") or row.get("sku")
    own = {"product": handle, **_cells(row, title="title", image="image_src|product_image_url")}
    stock = "variant_inventory_qty|inventory_quantity"
    offer = _cells(row, price="variant_price|price", available=stock)
    is_offer = sku or row.get("option1_value") or offer.get("price")  # not only a picture
    if "available" in offer and is_offer:
        offer["available"] = _shopify_stock(row, offer["available"] or "")
    if not sku:
        yield own | offer
        return
    yield own
    variant = _cells(row, option="option1_value", image="variant_image|variant_image_url")
    if "option" in variant:
        chosen = [row.get(f"option{number}_value") for number in (1, 2, 3)]
        options = (value for value in chosen if value and value != "Default Title")
        variant["option"] = " / ".join(options)
    yield {"product": handle, "variant": sku, **variant, **offer}


def _shopify_stock(row: Row, quantity: str) -> str:
    policy = row.get("variant_inventory_policy") or row.get("continue_selling_when_out_of_stock")
    trackers = row.get("variant_inventory_tracker"), row.get("inventory_tracker")
    if not quantity or "" in trackers:
        return "in stock"  # a product whose stock isn't tracked is always for sale
    is_empty = quantity.startswith(("-", "0"))
    sells_on = str(policy).lower() in ("continue", "true", "yes")
    return "backorder" if is_empty and sells_on else quantity


SHOPIFY = Format(
    "shopify",
    {field: field for field in ("product", "variant", "title", "option", "image")}
    | {"price": "price", "available": "available"},
    _shopify_rows,
    signs=frozenset({"title", "option1_name", "option1_value"}),
    reads=frozenset(
        (
            *("handle", "url_handle", "variant_sku", "sku", "variant_price"),
            *("image_src", "product_image_url", "variant_image", "variant_image_url"),
            *("option2_value", "option3_value", "variant_inventory_qty", "inventory_quantity"),
            *("variant_inventory_policy", "continue_selling_when_out_of_stock", "status"),
            *("published", "published_on_online_store"),
            *("variant_inventory_tracker", "inventory_tracker"),
        )
    ),
    needs_text_ids=True,
    ids=("handle", "url_handle"),
)


def _bulk_rows(row: Row) -> Iterable[Row]:
    """Yields the row of a line of Shopify's bulk export: a product, or an object that belongs to
    one, such as a variant or a picture."""
    id, parent = str(row.get("id") or ""), row.get("__parentid")
    image = {"image": _picture(row)} if _PICTURES.intersection(row) else {}
    if parent is None:
        yield {"product": id, **_cells(row, title="title", url="onlinestoreurl"), **image}
    elif "/ProductVariant/" in id:
        made = {"product": parent, "variant": id, **image}
        made |= _cells(row, option="title", price="price")
        if made.get("option") == "Default Title":
            made["option"] = ""
        if not {"availableforsale", "inventoryquantity"}.isdisjoint(row):
            made["available"] = _bulk_stock(row)
        yield made
    elif "/Product/" in str(parent) and image.get("image"):
        yield {"product": parent, **image}


_PICTURE_OBJECTS = ("featuredimage", "featuredmedia", "image", "preview")
_PICTURES = frozenset((*_PICTURE_OBJECTS, "url", "originalsrc", "src"))


def _picture(row: Row) -> str | None:
    """Returns the first URL in an object with a picture."""
    for name in _PICTURE_OBJECTS:
        inner = row.get(name)
        while isinstance(inner, dict):
            if url := inner.get("url") or inner.get("originalSrc"):
                return str(url)
            inner = inner.get("preview") or inner.get("image")
    url = row.get("url") or row.get("originalsrc") or row.get("src")
    return url if isinstance(url, str) else None


def _bulk_stock(row: Row) -> Any:
    quantity, sold = row.get("inventoryquantity"), row.get("availableforsale")
    if sold is False:
        return "out of stock"
    if sold is None:
        return quantity
    is_empty = isinstance(quantity, int) and quantity <= 0
    return "backorder" if is_empty and row.get("inventorypolicy") == "CONTINUE" else "in stock"


SHOPIFY_BULK = Format(
    "shopify",
    {**SHOPIFY.columns, "url": "url"},
    _bulk_rows,
    reads=frozenset(
        (
            *("id", "__parentid", "featuredimage", "featuredmedia", "preview", "onlinestoreurl"),
            *("availableforsale", "inventoryquantity", "inventorypolicy"),
        )
    ),
)


_NOT_PUBLISHED = {"0", "-1", "0.0", "-1.0", "false", "no"}  # private and drafts


class WooCommerce:
    """The rows of WooCommerce's export. Variations name their parent by its SKU or ``id:44``."""

    def __init__(self) -> None:
        self._id_of: dict[str, str] = {}
        self._hidden: set[str] = set()

    # rule: catalogue-formats
    def remember_product(self, row: Row) -> None:
        """Remembers the SKU of a product, which variations may name, and whether it is hidden."""
        if row.get("published", "").lower().lstrip("'") in _NOT_PUBLISHED:
            self._hidden.add(row["id"])
        if row.get("sku") and not row.get("parent"):
            self._id_of.setdefault(row["sku"], row["id"])

    def rows(self, row: Row) -> Iterable[Row]:
        """Yields the row with its product. Raises ``Invalid`` for an unknown parent, and
        ``Unpublished``."""
        stock = row.get("in_stock?") or row.get("stock") or ""
        if stock == "0" and row.get("backorders_allowed?") in ("1", "notify"):
            stock = "backorder"
        made = {**row, "product": row["id"]}
        if "images" in row:
            made["image"] = row["images"].split(",")[0]
        if not {"in_stock?", "stock"}.isdisjoint(row):
            made["available"] = stock
        if parent := row.get("parent"):
            id = parent[3:] if parent.startswith("id:") else self._id_of.get(parent)
            if not id:
                raise Invalid(f"parent: {parent[:60]!r} is no product of the file")
            made |= {"product": id, "variant": row["id"]}
        if not self._hidden.isdisjoint((row["id"], made["product"])):
            raise Unpublished
        yield made


_WOOCOMMERCE = {
    "title": "name",
    "url": "permalink",
    "price": "regular_price",
    "sale_price": "sale_price",
    "sale_starts": "date_sale_price_starts",
    "sale_ends": "date_sale_price_ends",
}
"""Columns that are read as they are in the file."""

WOOCOMMERCE = Format(
    "woocommerce",
    {name: name for name in ("product", "variant", "image", "available")} | _WOOCOMMERCE,
    signs=frozenset({"id", "sku", "regular_price"}),
    reads=frozenset({"parent", "images", "in_stock?", "stock", "backorders_allowed?", "published"}),
    header={"product": "id", "image": "images", "available": "in_stock?"}
    | {name: name for name in ONLY_WOOCOMMERCE}
    | _WOOCOMMERCE,
    ids=("id",),
)

FORMATS = {one.name: one for one in (GOOGLE, META, SHOPIFY, WOOCOMMERCE)}


def detect(header: Collection[str], *, commented: bool) -> Format:
    """Returns the format of a table by its columns. ``commented``: comments precede them."""
    names = {*header}
    for one in (SHOPIFY, WOOCOMMERCE):
        if one.signs <= names:
            return one
    if names >= {"id", "sku", "in_stock?"}:  # with chosen columns
        return WOOCOMMERCE._replace(signs=frozenset({"id"}))
    return META if commented else GOOGLE
