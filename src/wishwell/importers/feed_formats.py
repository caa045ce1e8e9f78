"""The formats of product feeds: their columns, and how one is recognised by its columns.

A format names a column, or several, of which the first non-empty cell counts, for each field of
``FIELDS``. ``rewrite`` changes a row whose cells have to be combined; it may yield several.
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

WOOCOMMERCE_FIELDS = ("sku", "parent", "published")
MAPPABLE_FIELDS = (*FIELDS, *WOOCOMMERCE_FIELDS)
"""What ``--map`` takes."""


class Unpublished(Exception):
    """The row is of a product that the shop doesn't show."""


class NoProduct(Exception):
    """The row describes something else than a product, such as a price rule. Arguments: the column
    with the row's kind, and its cell."""


_EXPORTS_WITH_OTHER_ROWS = (
    ({"item_type", "product_id"}, "item_type", "product"),
    ({"item", "id", "inventory_tracking"}, "item", "product"),
    ({"sku", "store_view_code"}, "store_view_code", ""),
)
"""Columns that identify an export of BigCommerce's (two kinds) or Magento's; the column with a
row's kind; and that column's cell in rows of products."""


# rule: catalogue-other-rows
def kind_column(header: Collection[str]) -> tuple[str, str]:
    """Returns the column with a row's kind, and its cell in rows of products; both are empty if the
    table has no other rows."""
    names = {*header}
    return next(
        ((name, cell) for columns, name, cell in _EXPORTS_WITH_OTHER_ROWS if columns <= names),
        ("", ""),
    )


class Format(NamedTuple):
    """A format. ``signature``: needed columns that only this format has together.
    ``more_columns``: further columns that ``rewrite`` reads. ``translated_columns``: columns that
    ``--map`` translates, by field. ``id_columns``: the columns of a row's id, if they aren't those
    of its product."""

    name: str
    columns: Mapping[str, str]
    rewrite: Callable[[Row], Iterable[Row]] | None = None
    signature: frozenset[str] = frozenset()
    more_columns: frozenset[str] = frozenset()
    translated_columns: Mapping[str, str] | None = None
    needs_text_ids: bool = False
    id_columns: tuple[str, ...] = ()

    @property
    def all_columns(self) -> set[str]:
        """The names of all columns that are read."""
        return {name for names in self.columns.values() for name in names.split("|")} | {
            *self.signature,
            *self.more_columns,
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
        self._hidden_handles: set[str] = set()

    # rule: catalogue-formats
    def rewrite(self, row: Row) -> Iterable[Row]:
        """Yields the product's part of a row, and the variant's. Raises ``Unpublished``."""
        handle = row.get("handle") or row.get("url_handle") or ""
        published = row.get("published") or row.get("published_on_online_store") or ""
        is_hidden = (row.get("status") or "").lower() in ("draft", "archived")
        if is_hidden or published.lower() == "false":
            self._hidden_handles.add(handle)
        if handle in self._hidden_handles:
            raise Unpublished
        yield from _rewrite_shopify_row(row)


# rule: catalogue-partial
def _pick_cells(row: Row, **columns: str) -> dict[str, Any]:
    """Returns the first non-empty cell of each field's ``columns``, without the fields that have no
    column in the row."""
    fields: dict[str, Any] = {}
    for field, column_names in columns.items():
        if cells := [row[name] for name in column_names.split("|") if name in row]:
            fields[field] = next(filter(None, cells), None)
    return fields


def _rewrite_shopify_row(row: Row) -> Iterable[Row]:
    """Yields the product's part of a row, and the variant's. The first image of the file is the
    product's; a variant has its own column."""
    handle = row.get("handle") or row.get("url_handle")
    sku = row.get("variant_sku") or row.get("sku")
    product_cells = {
        "product": handle,
        **_pick_cells(row, title="title", image="image_src|product_image_url"),
    }
    stock = "variant_inventory_qty|inventory_quantity"
    offer_cells = _pick_cells(row, price="variant_price|price", available=stock)
    is_offer = sku or row.get("option1_value") or offer_cells.get("price")  # not only a picture
    if "available" in offer_cells and is_offer:
        offer_cells["available"] = _read_shopify_stock(row, offer_cells["available"] or "")
    if not sku:
        yield product_cells | offer_cells
        return
    yield product_cells
    variant_cells = _pick_cells(
        row, option="option1_value", image="variant_image|variant_image_url"
    )
    if "option" in variant_cells:
        option_values = [row.get(f"option{number}_value") for number in (1, 2, 3)]
        options = (value for value in option_values if value and value != "Default Title")
        variant_cells["option"] = " / ".join(options)
    yield {"product": handle, "variant": sku, **variant_cells, **offer_cells}


def _read_shopify_stock(row: Row, quantity: str) -> str:
    policy = row.get("variant_inventory_policy") or row.get("continue_selling_when_out_of_stock")
    trackers = row.get("variant_inventory_tracker"), row.get("inventory_tracker")
    if not quantity or "" in trackers:
        return "in stock"  # a product whose stock isn't tracked is always for sale
    is_empty = quantity.startswith(("-", "0"))
    is_backorder_allowed = str(policy).lower() in ("continue", "true", "yes")
    return "backorder" if is_empty and is_backorder_allowed else quantity


SHOPIFY = Format(
    "shopify",
    {field: field for field in ("product", "variant", "title", "option", "image")}
    | {"price": "price", "available": "available"},
    _rewrite_shopify_row,
    signature=frozenset({"title", "option1_name", "option1_value"}),
    more_columns=frozenset(
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
    id_columns=("handle", "url_handle"),
)


def _rewrite_bulk_row(row: Row) -> Iterable[Row]:
    """Yields the row of a line of Shopify's bulk export: a product, or an object that belongs to
    one, such as a variant or a picture."""
    id, parent = str(row.get("id") or ""), row.get("__parentid")
    image = {"image": _find_picture(row)} if _PICTURES.intersection(row) else {}
    if parent is None:
        yield {"product": id, **_pick_cells(row, title="title", url="onlinestoreurl"), **image}
    elif "/ProductVariant/" in id:
        variant_cells = {"product": parent, "variant": id, **image}
        variant_cells |= _pick_cells(row, option="title", price="price")
        if variant_cells.get("option") == "Default Title":
            variant_cells["option"] = ""
        if not {"availableforsale", "inventoryquantity"}.isdisjoint(row):
            variant_cells["available"] = _read_bulk_stock(row)
        yield variant_cells
    elif "/Product/" in str(parent) and image.get("image"):
        yield {"product": parent, **image}


_PICTURE_OBJECTS = ("featuredimage", "featuredmedia", "image", "preview")
_PICTURES = frozenset((*_PICTURE_OBJECTS, "url", "originalsrc", "src"))


def _find_picture(row: Row) -> str | None:
    """Returns the first URL in an object with a picture."""
    for name in _PICTURE_OBJECTS:
        picture = row.get(name)
        while isinstance(picture, dict):
            if url := picture.get("url") or picture.get("originalSrc"):
                return str(url)
            picture = picture.get("preview") or picture.get("image")
    url = row.get("url") or row.get("originalsrc") or row.get("src")
    return url if isinstance(url, str) else None


def _read_bulk_stock(row: Row) -> Any:
    quantity, is_for_sale = row.get("inventoryquantity"), row.get("availableforsale")
    if is_for_sale is False:
        return "out of stock"
    if is_for_sale is None:
        return quantity
    is_empty = isinstance(quantity, int) and quantity <= 0
    return "backorder" if is_empty and row.get("inventorypolicy") == "CONTINUE" else "in stock"


SHOPIFY_BULK = Format(
    "shopify",
    {**SHOPIFY.columns, "url": "url"},
    _rewrite_bulk_row,
    more_columns=frozenset(
        (
            *("id", "__parentid", "featuredimage", "featuredmedia", "preview", "onlinestoreurl"),
            *("availableforsale", "inventoryquantity", "inventorypolicy"),
        )
    ),
)


_UNPUBLISHED_CELLS = {"0", "-1", "0.0", "-1.0", "false", "no"}  # private and drafts


class WooCommerce:
    """The rows of WooCommerce's export. Variations name their parent by its SKU or ``id:44``."""

    def __init__(self) -> None:
        self._ids_by_sku: dict[str, str] = {}
        self._hidden_ids: set[str] = set()

    # rule: catalogue-formats
    def remember_product(self, row: Row) -> None:
        """Remembers the SKU of a product, which variations may name, and whether it is hidden."""
        if row.get("published", "").lower().lstrip("'") in _UNPUBLISHED_CELLS:
            self._hidden_ids.add(row["id"])
        if row.get("sku") and not row.get("parent"):
            self._ids_by_sku.setdefault(row["sku"], row["id"])

    def rewrite(self, row: Row) -> Iterable[Row]:
        """Yields the row with its product. Raises ``Invalid`` for an unknown parent, and
        ``Unpublished``."""
        stock = row.get("in_stock?") or row.get("stock") or ""
        if stock == "0" and row.get("backorders_allowed?") in ("1", "notify"):
            stock = "backorder"
        rewritten = {**row, "product": row["id"]}
        if "images" in row:
            rewritten["image"] = row["images"].split(",")[0]
        if not {"in_stock?", "stock"}.isdisjoint(row):
            rewritten["available"] = stock
        if parent := row.get("parent"):
            id = parent[3:] if parent.startswith("id:") else self._ids_by_sku.get(parent)
            if not id:
                raise Invalid(f"parent: {parent[:60]!r} is no product of the file")
            rewritten |= {"product": id, "variant": row["id"]}
        if not self._hidden_ids.isdisjoint((row["id"], rewritten["product"])):
            raise Unpublished
        yield rewritten


_WOOCOMMERCE_COLUMNS = {
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
    {name: name for name in ("product", "variant", "image", "available")} | _WOOCOMMERCE_COLUMNS,
    signature=frozenset({"id", "sku", "regular_price"}),
    more_columns=frozenset(
        {"parent", "images", "in_stock?", "stock", "backorders_allowed?", "published"}
    ),
    translated_columns={"product": "id", "image": "images", "available": "in_stock?"}
    | {name: name for name in WOOCOMMERCE_FIELDS}
    | _WOOCOMMERCE_COLUMNS,
    id_columns=("id",),
)

FORMATS = {format.name: format for format in (GOOGLE, META, SHOPIFY, WOOCOMMERCE)}


def detect_format(header: Collection[str], *, has_comments: bool) -> Format:
    """Returns the format of a table by its columns. ``has_comments``: comments precede them."""
    names = {*header}
    for format in (SHOPIFY, WOOCOMMERCE):
        if format.signature <= names:
            return format
    if names >= {"id", "sku", "in_stock?"}:  # with chosen columns
        return WOOCOMMERCE._replace(signature=frozenset({"id"}))
    return META if has_comments else GOOGLE
