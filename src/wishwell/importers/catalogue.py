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
_STATED = {"available": "availability"} | {
    name: name for name in ("title", "option", "url", "image", "price")
}
"""Names in ``ProductRow`` by field."""


class Reason(msgspec.Struct):
    """Why rows or cells were left out. ``line``: of the first one (0 if unknown), with its
    ``example``."""

    column: str
    reason: str
    count: int
    line: int
    example: str = ""
    refused: bool = False
    """Whether the whole row was left out."""

    def __str__(self) -> str:
        what = ("row" if self.refused else "cell") + ("s" if self.count > 1 else "")
        shown = [f"line {self.line}"] if self.line else []
        shown += [repr(self.example)] if self.example else []
        name = f"{self.column}: " if self.column else ""
        return f"{name}{self.reason} ({self.count:,} {what}, first: {', '.join(shown)})"


# rule: catalogue-cells
def in_pattern(pattern: str) -> Callable[[str], tuple[str, str]]:
    """Returns a function that splits an id into product and variant, which may be empty. Raises
    ``Invalid``."""
    parts = re.split(r"\{(product|variant)\}", pattern)
    names = parts[1::2]
    if sorted(names) not in (["product"], ["product", "variant"]):
        raise Invalid("--id-pattern: must contain {product} once and {variant} at most once.")
    first, *between, last = parts[::2]

    def read(id: str) -> tuple[str, str]:
        inner = id[len(first) : len(id) - len(last)]
        if not (id.startswith(first) and id.endswith(last) and inner):
            raise Invalid("doesn't match --id-pattern")
        if not between:
            return inner, ""
        # Searched as text in linear time; backtracking of a regular expression is quadratic.
        [mark] = between
        at = inner.find(mark, 1, len(inner) - 1)
        if at < 0:
            raise Invalid("doesn't match --id-pattern")
        if at != inner.rfind(mark, 1, len(inner) - 1):
            raise Invalid("matches --id-pattern in several ways")
        ids_by_name = dict(zip(names, (inner[:at], inner[at + len(mark) :]), strict=True))
        return ids_by_name["product"], ids_by_name["variant"]

    return read


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
        **how: Any,
    ) -> None:
        """``now``: milliseconds since 1970, for the periods of sales. ``zone``: of their times
        without an offset, if not the store's. ``accept_deletions``: whether any number may be
        deleted, and lines inside quotes are never rows. ``how``: as for ``FeedRows``. Raises
        ``Invalid``."""
        self.store, self._now = store, now
        self._currency = currency or store.reporting.currency
        self._zone = zone or store.reporting.zone
        self._split = in_pattern(pattern) if pattern else None
        how |= {"has_pattern": bool(pattern), "is_id": None if accept_deletions else self._is_id}
        self.feed = FeedRows(path, file, store, **how)
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
        return sorted(self._reasons.values(), key=lambda one: (not one.refused, -one.count))

    def read(self) -> Iterator[int]:
        """Checks all rows. Yields the number of rows read so far at intervals. Raises
        ``Invalid``."""
        for line, row in self.feed:
            self.rows += 1
            if isinstance(row, str):
                self.refuse(line, "", row)
            else:
                try:
                    all(self._take(line, made) for made in self.feed.rewritten(row))
                except Invalid as error:
                    self.refuse(line, *_parted(error.message))
                except Unpublished:
                    self.hidden.count += 1
                    self.hidden.line = self.hidden.line or line
                except NoProduct as error:
                    self._skip(line, *error.args)
            if self.rows % _BATCH_SIZE == 0:
                yield self.rows
        self.feed.check_columns()
        self._refuse_large()

    # rule: catalogue-other-rows
    def _skip(self, line: int, column: str, cell: str) -> None:
        """Counts a row that isn't a product."""
        skipped = self.skipped
        skipped.count += 1
        if skipped.count == 1:
            skipped.column, skipped.line, skipped.example = column, line, cell[:60]

    # rule: catalogue-variants
    def _refuse_large(self) -> None:
        """Refuses the products with too many variants."""
        asked = (
            "SELECT key, min(line) FROM records WHERE kind > '' GROUP BY key "
            "HAVING count(DISTINCT kind) > CAST(? AS INTEGER)"
        )
        most = products.MAX_FILE_VARIANTS
        for product, line in self.spool.ask(asked, str(most)).fetchall():
            self.refuse(line, "", f"a product has more than {most:,} variants", product)
            self.spool.add(product, line, "", "")

    # rule: catalogue-cells
    def _take(self, line: int, row: Mapping[str, Any]) -> bool:
        """Stores what a row says of its product; of a refused row only the product, if known.
        Returns whether the row was accepted."""
        self._note_stated(row)
        product = variant = cell = ""
        try:
            cell = self._id(row, "product")
            product, of_product, of_pattern = self._split_id(cell)
            cell = self._id(row, "variant") or of_pattern
            if cell and cell != of_product:
                variant = table.product_id(self.store, "ProductVariant", cell)
        except Invalid as error:
            self.refuse(line, "variant" if product else "product", error.message, cell)
            if product:
                self.spool.add(product, line, "", "")
            return False
        facts = ProductRow(
            title=self._optional(line, row, "title", cells.title),
            option=self._optional(line, row, "option", cells.title),
            url=self._optional(line, row, "url", cells.url),
            availability=self._optional(line, row, "available", cells.availability),
        )
        facts.image = self._optional(
            line, row, "image", lambda cell: cells.url(cell, facts.url or "")
        )
        facts.price, facts.sale_until = self._price(line, row)
        self.spool.add(product, line, variant, msgspec.json.encode(facts).decode())
        return True

    # rule: catalogue-partial
    def _note_stated(self, row: Mapping[str, Any]) -> None:
        """Adds the fields that a row has columns for, even if their cells are empty."""
        if self.feed.is_plain:
            levels = [*self.stated]
        else:  # the format's own columns differ
            levels = [self.stated.variant if "variant" in row else self.stated.product]
        for stated in levels:
            for field, name in _STATED.items():
                if name not in stated and any(map(row.__contains__, self.feed.columns[field])):
                    stated.add(name)
        if "title" in self.stated.variant:
            self.stated.variant.add("option")  # the rest of a title

    # rule: catalogue-prices
    def _price(self, line: int, row: Mapping[str, Any]) -> tuple[Money | None, int | None]:
        """Returns the price at the time of the run, and until when it is a sale's."""
        regular = self._money(line, row, "price", self._currency)
        sale = self._money(line, row, "sale_price", regular.currency if regular else self._currency)
        if sale is None:
            return regular, None
        if why := _no_sale(sale, regular):
            self._count(line, "sale_price", why, self._cell(row, "sale_price"))
            return regular, None
        zone = self._zone
        period = self._optional(line, row, "sale_period", lambda cell: cells.period(cell, zone))
        if period is None and self._cell(row, "sale_period"):
            return regular, None  # a sale whose period can't be read doesn't count
        if period is None:
            start = self._optional(line, row, "sale_starts", lambda cell: cells.moment(cell, zone))
            end = self._optional(
                line, row, "sale_ends", lambda cell: cells.moment(cell, zone, ends=True)
            )
            for name, read in (("sale_starts", start), ("sale_ends", end)):
                if read is None and self._cell(row, name):
                    return regular, None
            period = Period(start, end)
        return (sale, period.end) if period.includes(self._now) else (regular, None)

    def _money(self, line: int, row: Mapping[str, Any], field: str, currency: str) -> Money | None:
        """Returns the price in a field, in the currency of its column's name, or in ``currency``. 0
        stands for an unknown price, or for no sale."""
        named = filter(None, map(currencies.of_column, self.feed.columns[field]))
        code = next(named, currency)
        money = self._optional(line, row, field, lambda cell: cells.price(cell, code))
        return money if money and Decimal(money.amount) else None

    def _optional(
        self, line: int, row: Mapping[str, Any], field: str, read: Callable[[str], Any]
    ) -> Any:
        """Returns the value of a cell, or None if it is empty or can't be read."""
        cell = ""
        try:
            cell = self._cell(row, field)
            return read(cell) if cell else None
        except Invalid as error:
            self._count(line, field, error.message, cell)
            return None

    def _id(self, row: Mapping[str, Any], field: str) -> str:
        return self._cell(row, field).removeprefix("'")  # Excel's mark for text

    def _split_id(self, cell: str) -> tuple[str, str, str]:
        """Returns the product's id as stored, and product and variant as in the cell."""
        product, variant = self._split(cell) if self._split else (cell, "")
        return table.product_id(self.store, "Product", product), product, variant

    # rule: catalogue-quotes
    def _is_id(self, cell: str) -> bool:
        try:
            return bool(self._split_id(cell.removeprefix("'")))
        except Invalid:
            return False

    def _cell(self, row: Mapping[str, Any], field: str) -> str:
        """Returns the first non-empty cell of a field's columns, or ""."""
        for name in self.feed.columns[field]:
            value = json_rows.scalar(row.get(name))
            cell = "" if value is None else str(value).strip()
            is_no_date = field in _SALE_DATES and cell.startswith("0000-00-00")
            if cell not in table.EMPTY_CELLS and not is_no_date:
                self.read_columns.setdefault(field, name)
                table.check_text(cell, self.feed.encoding)
                return cell
        return ""

    def refuse(self, line: int, field: str, message: str, example: str = "") -> None:
        """Counts a row that is left out. ``line``: 0 if unknown."""
        self.refused += 1
        self._count(line, field, message, example, refused=True)

    def _count(
        self, line: int, field: str, message: str, example: str = "", *, refused: bool = False
    ) -> None:
        self.lost += not refused
        names = self.feed.columns.get(field) or [field]
        column = self.read_columns.get(field, names[-1])
        # Digits differ from row to row, so they make no reason of their own; words for stock do.
        word = example.lower() if field == "available" else ""
        key = column, re.sub("[0-9][0-9.,]*", "0", message) + "!" * refused, word
        if (known := self._reasons.get(key)) is not None:
            known.count += 1
        elif len(self._reasons) < _MAX_REASONS:
            text = message.removesuffix(".")
            self._reasons[key] = Reason(column, text, 1, line, example[:60], refused)

    def described(self, *query: str) -> Iterator[tuple[str, dict[str, ProductRow]]]:
        """Yields each product's id, unless a row was refused, and its rows by variant ("" for its
        own). ``query``: as for ``Spool.by_key``."""
        for id, rows in self.spool.by_key(*query):
            if found := self._merged(rows):
                yield id, found

    def __iter__(self) -> Iterator[NewProduct]:
        for id, rows in self.described():
            product = product_from_rows(id, rows)
            self.note_sale(product, rows)
            yield product

    def note_sale(self, product: NewProduct, found: Mapping[str, ProductRow]) -> None:
        """Adds the end of the sale to ``sales`` if the product's price is a sale's."""
        if len(self.sales) == _MAX_SALES:
            return
        price = product.data.price
        until = [facts.sale_until for facts in found.values() if facts.price == price]
        if price is not None and until and until[0] is not None:
            self.sales[product.product_id] = until[0]

    def count(self) -> int:
        """Returns the number of products in the file."""
        [number] = self.spool.ask("SELECT count(DISTINCT key) FROM records").fetchone()
        return int(number)

    # rule: catalogue-variants
    def _merged(self, rows: Iterable[Row]) -> dict[str, ProductRow]:
        """Merges the rows of a product by variant; returns nothing if one of them was refused."""
        found: dict[str, ProductRow] = {}
        for *_, variant, text in rows:
            if not text:
                return {}
            facts = msgspec.json.decode(text, type=ProductRow)
            if variant in found:
                found[variant].complement(facts)
            else:
                found[variant] = facts
        return found

    # rule: catalogue-delete-missing
    @property
    def is_unsure(self) -> bool:
        """Whether products may be missing only because rows were left out. Valid once the products
        are compared with the stored ones."""
        return bool(self.refused) or not self.compared


# rule: catalogue-prices
def _no_sale(sale: Money, regular: Money | None) -> str:
    """Returns why a sale price doesn't count, or ""."""
    if regular is None:
        return "has no regular price beside it"
    if sale.currency != regular.currency:
        return "isn't in the currency of the regular price"
    return "" if amount(sale) < amount(regular) else "isn't below the regular price"


def _parted(message: str) -> tuple[str, str]:
    """Parts the name of a field from an error message, if it begins with one."""
    field, colon, reason = message.partition(": ")
    return (field, reason) if colon and field.isidentifier() else ("", message)
