"""Reads a shop's product feed from a file (docs/products.md): one product or variant per row.

``Catalogue.read`` checks the rows and stores them in a temporary file, which then groups them by
product. ``feed_rows.py`` finds the file's syntax and format, ``feed_formats.py`` has the columns of
each format, ``cells.py`` reads cells.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import tzinfo
from decimal import Decimal
from typing import Any, BinaryIO

import msgspec

from wishwell import currencies, products
from wishwell.db import Row
from wishwell.errors import Invalid
from wishwell.importers import cells, json_rows, table
from wishwell.importers.catalogue_missing import Missing
from wishwell.importers.cells import Period
from wishwell.importers.feed_formats import NoProduct, Unpublished
from wishwell.importers.feed_products import ProductRow, Stated, product_from_rows
from wishwell.importers.feed_rows import FeedRows
from wishwell.products import NewProduct
from wishwell.products.money import Money, amount
from wishwell.stores import Store
from wishwell.transfer.spool import Spool

_BATCH_SIZE = 10_000
_SALE_DATES = ("sale_starts", "sale_ends")
_MAX_SALES = 100
_MAX_REASONS = 100
_PRODUCT_ROW_NAMES = {"available": "availability"} | {
    name: name for name in ("title", "option", "url", "image", "price")
}
"""Names in ``ProductRow`` by field."""


class Reason(msgspec.Struct):
    """Why rows or cells were left out. ``line``: the first one's number (0 if unknown), with its
    ``example``."""

    column: str
    reason: str
    count: int
    line: int
    example: str = ""
    refused: bool = False
    """Whether the whole row was left out."""

    def __str__(self) -> str:
        unit = ("row" if self.refused else "cell") + ("s" if self.count > 1 else "")
        example_parts = [f"line {self.line}"] if self.line else []
        example_parts += [repr(self.example)] if self.example else []
        name = f"{self.column}: " if self.column else ""
        return f"{name}{self.reason} ({self.count:,} {unit}, first: {', '.join(example_parts)})"


# rule: catalogue-cells
def parse_id_pattern(pattern: str) -> Callable[[str], tuple[str, str]]:
    """Returns a function that splits an id into product and variant, which may be empty. Raises
    ``Invalid``."""
    parts = re.split(r"\{(product|variant)\}", pattern)
    names = parts[1::2]
    if sorted(names) not in (["product"], ["product", "variant"]):
        raise Invalid("--id-pattern: must contain {product} once and {variant} at most once.")
    prefix, *separators, suffix = parts[::2]

    def split_id(id: str) -> tuple[str, str]:
        middle = id[len(prefix) : len(id) - len(suffix)]
        if not (id.startswith(prefix) and id.endswith(suffix) and middle):
            raise Invalid("doesn't match --id-pattern")
        if not separators:
            return middle, ""
        # Searched as text in linear time; backtracking of a regular expression is quadratic.
        [separator] = separators
        index = middle.find(separator, 1, len(middle) - 1)
        if index < 0:
            raise Invalid("doesn't match --id-pattern")
        if index != middle.rfind(separator, 1, len(middle) - 1):
            raise Invalid("matches --id-pattern in several ways")
        ids_by_name = dict(
            zip(names, (middle[:index], middle[index + len(separator) :]), strict=True)
        )
        return ids_by_name["product"], ids_by_name["variant"]

    return split_id


class Catalogue:
    """The product feed in ``file``. After ``read``, it can be iterated, which yields products.

    ``rows``: number of rows; ``refused``: number of them that were left out; ``lost``: number of
    cells that were; ``reasons``: why, at most ``_MAX_REASONS``; ``hidden``: the rows of products
    that the shop doesn't show; ``skipped``: those of no product; ``read_columns``: a column
    that was read, by field; ``sales``: when the sales of the first products end, in milliseconds
    since 1970. ``stated``: the fields that its columns state. ``compared``, ``put`` and
    ``unchanged`` are numbers of products; ``missing``: what the file lacks.
    """

    def __init__(
        self,
        path: str,
        file: BinaryIO,
        store: Store,
        now: int,
        *,
        pattern: str = "",
        currency: str = "",
        zone: tzinfo | None = None,
        accept_deletions: bool = False,
        **feed_options: Any,
    ) -> None:
        """``now``: milliseconds since 1970, for the periods of sales. ``zone``: of their times
        without an offset, if not the store's. ``accept_deletions``: whether any number may be
        deleted, and lines inside quotes are never rows. ``feed_options``: as for ``FeedRows``.
        Raises ``Invalid``."""
        self.store, self._now = store, now
        self._currency = currency or store.reporting.currency
        self._zone = zone or store.reporting.zone
        self._split_by_pattern = parse_id_pattern(pattern) if pattern else None
        feed_options |= {
            "has_pattern": bool(pattern),
            "is_id": None if accept_deletions else self._is_id,
        }
        self.feed = FeedRows(path, file, store, **feed_options)
        self.put = self.unchanged = self.rows = self.refused = self.lost = self.compared = 0
        self.stated = Stated(set(), set())
        self.read_columns: dict[str, str] = {}
        self.sales: dict[str, int] = {}
        self.hidden = Reason("", "the product isn't published", 0, 0, refused=True)
        self.skipped = Reason("", "the row isn't a product", 0, 0, refused=True)
        self._reasons: dict[tuple[str, str, str], Reason] = {}
        self.spool = Spool()
        self.missing = Missing(store, self.spool, is_accepted=accept_deletions)

    @property
    def reasons(self) -> list[Reason]:
        """Why rows and cells were left out: rows first, then by number."""
        return sorted(
            self._reasons.values(), key=lambda reason: (not reason.refused, -reason.count)
        )

    def read(self) -> Iterator[int]:
        """Checks all rows. Yields the number of rows read so far at intervals. Raises
        ``Invalid``."""
        for line, row in self.feed:
            self.rows += 1
            if isinstance(row, str):
                self.refuse(line, "", row)
            else:
                try:
                    all(
                        self._store_row(line, rewritten_row)
                        for rewritten_row in self.feed.rewrite_row(row)
                    )
                except Invalid as error:
                    self.refuse(line, *_split_field(error.message))
                except Unpublished:
                    self.hidden.count += 1
                    self.hidden.line = self.hidden.line or line
                except NoProduct as error:
                    self._skip(line, *error.args)
            if self.rows % _BATCH_SIZE == 0:
                yield self.rows
        self.feed.check_columns()
        self._refuse_large_products()

    # rule: catalogue-other-rows
    def _skip(self, line: int, column: str, cell: str) -> None:
        """Counts a row that isn't a product."""
        reason = self.skipped
        reason.count += 1
        if reason.count == 1:
            reason.column, reason.line, reason.example = column, line, cell[:60]

    # rule: catalogue-variants
    def _refuse_large_products(self) -> None:
        """Refuses the products with too many variants."""
        query = (
            "SELECT key, min(line) FROM records WHERE kind > '' GROUP BY key "
            "HAVING count(DISTINCT kind) > CAST(? AS INTEGER)"
        )
        max_variants = products.MAX_FILE_VARIANTS
        for product, line in self.spool.query(query, str(max_variants)).fetchall():
            self.refuse(line, "", f"a product has more than {max_variants:,} variants", product)
            self.spool.add(product, line, "", "")

    # rule: catalogue-cells
    def _store_row(self, line: int, row: Mapping[str, Any]) -> bool:
        """Stores the product data of a row; of a refused row only the product's id, if known.
        Returns whether the row was accepted."""
        self._record_stated(row)
        product = variant = cell = ""
        try:
            cell = self._read_id(row, "product")
            product, product_in_cell, variant_in_pattern = self._split_id(cell)
            cell = self._read_id(row, "variant") or variant_in_pattern
            if cell and cell != product_in_cell:
                variant = table.product_id(self.store, "ProductVariant", cell)
        except Invalid as error:
            self.refuse(line, "variant" if product else "product", error.message, cell)
            if product:
                self.spool.add(product, line, "", "")
            return False
        product_row = ProductRow(
            title=self._read_optional(line, row, "title", cells.parse_title),
            option=self._read_optional(line, row, "option", cells.parse_title),
            url=self._read_optional(line, row, "url", cells.parse_url),
            availability=self._read_optional(line, row, "available", cells.parse_availability),
        )
        product_row.image = self._read_optional(
            line, row, "image", lambda cell: cells.parse_url(cell, product_row.url or "")
        )
        product_row.price, product_row.sale_until = self._read_price(line, row)
        self.spool.add(product, line, variant, msgspec.json.encode(product_row).decode())
        return True

    # rule: catalogue-partial
    def _record_stated(self, row: Mapping[str, Any]) -> None:
        """Adds the fields that a row has columns for, even if their cells are empty."""
        if self.feed.is_plain:
            stated_levels = [*self.stated]
        else:  # the format's own columns differ
            stated_levels = [self.stated.variant if "variant" in row else self.stated.product]
        for stated_fields in stated_levels:
            for field, name in _PRODUCT_ROW_NAMES.items():
                if name not in stated_fields and any(
                    map(row.__contains__, self.feed.columns[field])
                ):
                    stated_fields.add(name)
        if "title" in self.stated.variant:
            self.stated.variant.add("option")  # the rest of a title

    # rule: catalogue-prices
    def _read_price(self, line: int, row: Mapping[str, Any]) -> tuple[Money | None, int | None]:
        """Returns the price at the time of the run, and until when it is a sale's."""
        regular_price = self._read_money(line, row, "price", self._currency)
        sale_price = self._read_money(
            line, row, "sale_price", regular_price.currency if regular_price else self._currency
        )
        if sale_price is None:
            return regular_price, None
        if fault := _explain_invalid_sale(sale_price, regular_price):
            self._count_reason(line, "sale_price", fault, self._find_cell(row, "sale_price"))
            return regular_price, None
        zone = self._zone
        period = self._read_optional(
            line, row, "sale_period", lambda cell: cells.parse_period(cell, zone)
        )
        if period is None and self._find_cell(row, "sale_period"):
            return regular_price, None  # a sale whose period can't be read doesn't count
        if period is None:
            start = self._read_optional(
                line, row, "sale_starts", lambda cell: cells.parse_time(cell, zone)
            )
            end = self._read_optional(
                line, row, "sale_ends", lambda cell: cells.parse_time(cell, zone, is_end=True)
            )
            for field, time in (("sale_starts", start), ("sale_ends", end)):
                if time is None and self._find_cell(row, field):
                    return regular_price, None
            period = Period(start, end)
        return (sale_price, period.end) if period.includes(self._now) else (regular_price, None)

    def _read_money(
        self, line: int, row: Mapping[str, Any], field: str, currency: str
    ) -> Money | None:
        """Returns the price in a field, in the currency of its column's name, or in ``currency``. 0
        stands for an unknown price, or for no sale."""
        codes = filter(None, map(currencies.of_column, self.feed.columns[field]))
        code = next(codes, currency)
        money = self._read_optional(line, row, field, lambda cell: cells.parse_price(cell, code))
        return money if money and Decimal(money.amount) else None

    def _read_optional(
        self, line: int, row: Mapping[str, Any], field: str, parse: Callable[[str], Any]
    ) -> Any:
        """Returns the value of a cell, or None if it is empty or can't be read."""
        cell = ""
        try:
            cell = self._find_cell(row, field)
            return parse(cell) if cell else None
        except Invalid as error:
            self._count_reason(line, field, error.message, cell)
            return None

    def _read_id(self, row: Mapping[str, Any], field: str) -> str:
        return self._find_cell(row, field).removeprefix("'")  # Excel's mark for text

    def _split_id(self, cell: str) -> tuple[str, str, str]:
        """Returns the product's id as stored, and product and variant as in the cell."""
        product, variant = self._split_by_pattern(cell) if self._split_by_pattern else (cell, "")
        return table.product_id(self.store, "Product", product), product, variant

    # rule: catalogue-quotes
    def _is_id(self, cell: str) -> bool:
        try:
            return bool(self._split_id(cell.removeprefix("'")))
        except Invalid:
            return False

    def _find_cell(self, row: Mapping[str, Any], field: str) -> str:
        """Returns the first non-empty cell of a field's columns, or ""."""
        for name in self.feed.columns[field]:
            scalar = json_rows.read_cell(row.get(name))
            cell = "" if scalar is None else str(scalar).strip()
            is_no_date = field in _SALE_DATES and cell.startswith("0000-00-00")
            if cell not in table.EMPTY_CELLS and not is_no_date:
                self.read_columns.setdefault(field, name)
                table.check_text(cell, self.feed.encoding)
                return cell
        return ""

    def refuse(self, line: int, field: str, message: str, example: str = "") -> None:
        """Counts a row that is left out. ``line``: 0 if unknown."""
        self.refused += 1
        self._count_reason(line, field, message, example, refused=True)

    def _count_reason(
        self, line: int, field: str, message: str, example: str = "", *, refused: bool = False
    ) -> None:
        self.lost += not refused
        names = self.feed.columns.get(field) or [field]
        column = self.read_columns.get(field, names[-1])
        # Digits differ from row to row, so they make no reason of their own; words for stock do.
        stock_word = example.lower() if field == "available" else ""
        key = column, re.sub("[0-9][0-9.,]*", "0", message) + "!" * refused, stock_word
        if (counted_reason := self._reasons.get(key)) is not None:
            counted_reason.count += 1
        elif len(self._reasons) < _MAX_REASONS:
            text = message.removesuffix(".")
            self._reasons[key] = Reason(column, text, 1, line, example[:60], refused)

    def group_rows(self, *query: str) -> Iterator[tuple[str, dict[str, ProductRow]]]:
        """Yields each product's id and its rows by variant ("" for its own), without the products
        of which a row was refused. ``query``: as for ``Spool.by_key``."""
        for id, rows in self.spool.by_key(*query):
            if rows_by_variant := self._merge_rows(rows):
                yield id, rows_by_variant

    def __iter__(self) -> Iterator[NewProduct]:
        for id, rows in self.group_rows():
            product = product_from_rows(id, rows)
            self.record_sale(product, rows)
            yield product

    def record_sale(self, product: NewProduct, rows_by_variant: Mapping[str, ProductRow]) -> None:
        """Adds the end of the sale to ``sales`` if the product's price is a sale's."""
        if len(self.sales) == _MAX_SALES:
            return
        price = product.data.price
        sale_ends = [row.sale_until for row in rows_by_variant.values() if row.price == price]
        if price is not None and sale_ends and sale_ends[0] is not None:
            self.sales[product.product_id] = sale_ends[0]

    def count(self) -> int:
        """Returns the number of products in the file."""
        [product_count] = self.spool.query("SELECT count(DISTINCT key) FROM records").fetchone()
        return int(product_count)

    # rule: catalogue-variants
    def _merge_rows(self, rows: Iterable[Row]) -> dict[str, ProductRow]:
        """Merges the rows of a product by variant; returns nothing if one of them was refused."""
        rows_by_variant: dict[str, ProductRow] = {}
        for *_, variant, text in rows:
            if not text:
                return {}
            row = msgspec.json.decode(text, type=ProductRow)
            if variant in rows_by_variant:
                rows_by_variant[variant].complement(row)
            else:
                rows_by_variant[variant] = row
        return rows_by_variant

    # rule: catalogue-delete-missing
    @property
    def is_unsure(self) -> bool:
        """Whether products may be missing only because rows were left out. Valid once the products
        are compared with the stored ones."""
        return bool(self.refused) or not self.compared


# rule: catalogue-prices
def _explain_invalid_sale(sale_price: Money, regular_price: Money | None) -> str:
    """Returns why a sale price doesn't count, or ""."""
    if regular_price is None:
        return "has no regular price beside it"
    if sale_price.currency != regular_price.currency:
        return "isn't in the currency of the regular price"
    return "" if amount(sale_price) < amount(regular_price) else "isn't below the regular price"


def _split_field(message: str) -> tuple[str, str]:
    """Returns the name of a field at the start of an error message, or "", and the rest."""
    field, colon, reason = message.partition(": ")
    return (field, reason) if colon and field.isidentifier() else ("", message)
