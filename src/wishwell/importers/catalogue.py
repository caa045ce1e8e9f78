"""Reads a shop's product feed from a file (docs/products.md): one product or variant per row.

Checks the rows and stores them in a temporary file, which then groups them by product.
"""

import itertools
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, BinaryIO
from urllib.parse import quote

import msgspec

from wishwell import ids, products, stores
from wishwell.db import Database, Row, Writer, ask, statements
from wishwell.db.clock import MAX_JUMP_MS, ClockSuspect, ReferenceClock
from wishwell.errors import Invalid
from wishwell.importers import table
from wishwell.importers.table import Table
from wishwell.products import NewProduct, ProductData, Variant
from wishwell.products.notices import Money
from wishwell.stores import Store
from wishwell.transfer.spool import Spool, read_lines
from wishwell.wishlists import fields

FEED_COLUMNS = {
    "product": "item_group_id|id",
    "variant": "id",
    "title": "title",
    "price": "sale_price|price",
    "image": "image_link",
    "url": "link",
    "available": "availability",
}
"""Default columns for each field: those of a feed for Google's Merchant Center."""

_BATCH_SIZE = 10_000
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
_JOINTS = " -–—/|,:;()[]"
_STOCK = dict.fromkeys(("in stock", "preorder", "backorder", "true", "yes"), True)
_STOCK |= dict.fromkeys(("out of stock", "discontinued", "false", "no"), False)
_PRICE = re.compile(r"([A-Z]{3})? ?([0-9.,]{1,30}) ?([A-Z]{3})?")
_POINT = re.compile(r"([0-9]{1,3}(,[0-9]{3})+|[0-9]+)(\.[0-9]{1,4})?")
_COMMA = re.compile(r"([0-9]{1,3}(\.[0-9]{3})+|[0-9]+)(,[0-9]{1,2})?")
_THREE_DECIMALS = ("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND")
"""Currencies whose prices have three decimals."""

_json = msgspec.json.Decoder(dict[str, Any], float_hook=str)


# rule: catalogue-strict
def in_pattern(pattern: str) -> Callable[[str], tuple[str, str]]:
    """Returns a function that splits an id into product and variant, which may be empty. Raises
    ``Invalid``."""
    parts = re.split(r"\{(product|variant)\}", pattern)
    names = parts[1::2]
    if sorted(names) not in (["product"], ["product", "variant"]):
        raise Invalid("--id-pattern: must contain {product} once and {variant} at most once.")
    # Greedy and lazy: their results differ if an id can be split in two ways.
    texts = [*map(re.escape, parts[::2])]
    ways = [re.compile(f"(.{many})".join(texts)) for many in ("+", "+?")]

    def read(id: str) -> tuple[str, str]:
        found = {match.groups() for way in ways if (match := way.fullmatch(id))}
        if len(found) != 1:
            raise Invalid(
                "matches --id-pattern in several ways" if found else "doesn't match --id-pattern"
            )
        named = dict(zip(names, found.pop(), strict=True))
        return named["product"], named.get("variant", "")

    return read


def _normal(name: str) -> str:
    return "_".join(name.lower().split())


class Catalogue:
    """The product feed in ``file``. After ``read``, it can be iterated once, which yields products.

    Calls ``tell`` with a message for each rejected row. ``refused``: number of rejected rows;
    ``nameless``: number with an unknown product; ``unread``: ignored columns. ``put``,
    ``unchanged`` and ``deleted`` are numbers of products.
    """

    def __init__(
        self,
        path: str,
        file: BinaryIO,
        store: Store,
        tell: Callable[[str], None],
        *,
        is_json: bool = False,
        columns: Mapping[str, str] | None = None,
        encoding: str = "utf-8-sig",
        pattern: str = "",
        currency: str = "",
    ) -> None:
        """``columns``: overrides ``FEED_COLUMNS``. Raises ``Invalid``."""
        self._path, self._file, self._store, self._tell = path, file, store, tell
        self._is_json, self._named = is_json, columns or {}
        self._encoding, self._currency = encoding, currency
        self.put = self.unchanged = self.deleted = self.refused = self.nameless = 0
        self.unread: set[str] = set()
        self._split = in_pattern(pattern) if pattern else None
        known = (
            FEED_COLUMNS | ({"product": "id", "variant": ""} if pattern else {}) | {**self._named}
        )
        self._columns = {
            field: [*filter(None, map(_normal, known[field].split("|")))] for field in FEED_COLUMNS
        }
        self._known = {name for names in self._columns.values() for name in names}
        self._readers: dict[str, Callable[[str], Any]] = {
            "product": lambda cell: table.product_id(store, "Product", cell),
            "variant": lambda cell: table.product_id(store, "ProductVariant", cell),
            "title": _title,
            "price": self._price,
            "image": _url,
            "url": _url,
            "available": _available,
        }
        self._spool = Spool()

    def read(self) -> Iterator[int]:
        """Checks all rows. Yields the number of rows read so far at intervals. Raises
        ``Invalid``."""
        rows = self._of_json() if self._is_json else self._of_table()
        for number, (line, row) in enumerate(rows, 1):
            self._take(line, row)
            if number % _BATCH_SIZE == 0:
                yield number
        self.unread -= self._known

    # rule: catalogue-strict
    def _of_table(self) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
        found = Table(self._path, self._file, self._encoding, self._known, _normal)
        self.unread.update(found.header)
        for field in ("product", *self._named):
            if not {*found.header}.intersection(self._columns[field]):
                found.place("|".join(self._columns[field]))
        for name in self._known.intersection(found.header):
            found.place(name)  # raises if the column occurs twice
        for line, cells in found.rows():
            row = cells if isinstance(cells, str) else dict(zip(found.header, cells, strict=True))
            yield line, row

    def _of_json(self) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
        for line, text in enumerate(read_lines(self._file, table.MAX_LINE), 1):
            if isinstance(text, str):
                yield line, text
                continue
            text = text.removeprefix(b"\xef\xbb\xbf")
            try:
                if text.strip():
                    row = {_normal(name): cell for name, cell in _json.decode(text).items()}
                    self.unread.update(row)
                    yield line, row
            except (msgspec.DecodeError, ValueError, RecursionError) as error:
                yield line, f"isn't a JSON object ({error})"

    # rule: catalogue-strict
    def _take(self, line: int, row: Mapping[str, Any] | str) -> None:
        """Stores the data of a row; for a rejected row only the product, if it is known."""
        said: dict[str, Any] = {}
        field = ""
        try:
            if isinstance(row, str):
                raise Invalid(row)
            product = of_pattern = ""
            for field in FEED_COLUMNS:
                cell = self._cell(row, self._columns[field])
                if field == "product":
                    product, of_pattern = self._split(cell) if self._split else (cell, "")
                    cell = product
                elif field == "variant":
                    cell = cell or of_pattern
                    cell = "" if cell == product else cell
                if cell or field == "product":
                    said[field] = self._readers[field](cell)
        except Invalid as error:
            self._fail(line, f"{field}: {error.message}" if field else error.message)
            self.nameless += "product" not in said
            if "product" in said:
                self._spool.add(said["product"], line, "", "")
        else:
            product, variant = said.pop("product"), said.pop("variant", "")
            self._spool.add(product, line, variant, msgspec.json.encode(said).decode())

    def _fail(self, line: int, message: str) -> None:
        self.refused += 1
        self._tell(f"line {line}: {message.removesuffix('.')}")

    def _cell(self, row: Mapping[str, Any], columns: Iterable[str]) -> str:
        """Returns the first non-empty cell of the given columns, or ""."""
        for name in columns:
            value = row.get(name)
            if isinstance(value, dict):  # a price in the form of the API
                value = f"{value.get('amount')} {value.get('currency')}"
            elif not isinstance(value, str | int | None):
                raise Invalid("must be a string or a number")
            cell = "" if value is None else str(value).strip()
            if cell not in table.EMPTY_CELLS:
                table.check_text(cell, self._encoding)
                return cell
        return ""

    # rule: catalogue-strict
    def _price(self, cell: str) -> Money:
        match = _PRICE.fullmatch(cell)
        before, text, behind = match.groups() if match else (None, "", None)
        currency = before or behind or self._currency
        if not currency or (before and behind):
            raise Invalid(
                "must be an amount with a currency, such as 19.90 EUR; set the currency of prices "
                "without one with --currency"
            )
        read = {text.replace(",", "")} if _POINT.fullmatch(text) else set()
        if _COMMA.fullmatch(text) and not (read and currency in _THREE_DECIMALS):
            read.add(text.replace(".", "").replace(",", "."))
        if not read:
            raise Invalid(f"{text} isn't an amount such as 19.90 or 1,299.00")
        if len(read) > 1:
            raise Invalid(f"{text} is ambiguous: it can mean {' or '.join(sorted(read))}")
        try:
            return msgspec.convert({"amount": read.pop(), "currency": currency}, Money)
        except msgspec.ValidationError as error:
            raise Invalid("must have at most 12 digits before and 4 after the point") from error

    def __iter__(self) -> Iterator[NewProduct]:
        for id, of_product in self._spool.by_key():
            if found := self._different(of_product):
                yield _gathered(id, found)

    # rule: catalogue-strict
    def _different(self, offers: Iterable[Row]) -> dict[str, ProductData]:
        """Returns the data of each variant; nothing if a row of the product was rejected."""
        found: dict[str, ProductData] = {}
        for _, line, variant, facts in offers:
            if not facts:
                return {}
            if variant in found:
                self._fail(line, "has the same product and variant as an earlier row")
            elif variant and len(found.keys() - {""}) == products.MAX_VARIANTS:
                most = products.MAX_VARIANTS
                self._fail(
                    line, f"is variant {most + 1} of its product; at most {most} are allowed"
                )
                return {}
            else:
                found[variant] = msgspec.json.decode(facts, type=ProductData)
        return found

    # rules: catalogue-import, catalogue-variants
    async def load(
        self, db: Database, new_id: ids.UUID7, now: Callable[[], str]
    ) -> AsyncIterator[None]:
        """Puts the products in batches, one transaction each."""
        left = iter(self)
        has_variants = bool(self._spool.ask("SELECT 1 FROM records WHERE kind > ''").fetchone())
        while some := list(itertools.islice(left, products.MAX_BULK)):
            new_ids = [new_id() for _ in some]
            changed, kept = await db.write(_put, self._store, some, new_ids, now(), has_variants)
            self.put += changed
            self.unchanged += len(some) - changed - len(kept)
            self.refused += len(kept)
            for id in kept:
                self._tell(
                    f"product {id}: has variants, but this file has none. Assign their column with "
                    "--map variant=COLUMN, or delete the product first"
                )
            yield

    # rule: catalogue-delete-missing
    @property
    def is_unsure(self) -> bool:
        """Whether products may be missing only because rows were rejected. Valid after ``load``."""
        return bool(self.nameless) or not self.put + self.unchanged

    async def delete_missing(
        self, db: Database, since: str, clock: ReferenceClock
    ) -> AsyncIterator[None]:
        """Deletes the products that are missing from the file, except those put after ``since``.
        Raises ``ClockSuspect``, also if the clock was set back since."""
        after, asked = ids.NO_UUID, "SELECT 1 FROM records WHERE key = ?"
        these = {"store": self._store.id, "limit": products.MAX_BULK}
        self._spool.ask("CREATE INDEX by_key ON records (key)")
        while rows := await db.read(ask, "export_products", **these, after=after):
            known = [statements.named("product_file_fields", row) for row in rows]
            after = known[-1]["id"]
            for product in (columns["product_id"] for columns in known):
                if not self._spool.ask(asked, product).fetchone():
                    self.deleted += await db.write(_delete, self._store, product, since, clock)
            yield


def _title(cell: str) -> str:
    title = " ".join(cell.split())
    if not 0 < len(title) <= products.MAX_TITLE or fields.has_control(title):
        raise Invalid(
            f"must have at most {products.MAX_TITLE} characters and no control characters"
        )
    return title


def _url(cell: str) -> str:
    try:
        return msgspec.convert(quote(cell, safe=_PRINTABLE), products.Url)
    except msgspec.ValidationError as error:
        most = f"{products.MAX_URL:,}"
        raise Invalid(f"must be an http or https URL of at most {most} characters") from error


def _available(cell: str) -> bool:
    if re.fullmatch("-?[0-9]{1,9}", cell):  # the stock quantity
        return int(cell) > 0
    word = re.sub("[_-]", " ", cell.lower())
    if word not in _STOCK:
        raise Invalid("must be in stock, out of stock, true, false or a number")
    return _STOCK[word]


# rule: catalogue-variants
def _gathered(id: str, found: Mapping[str, ProductData]) -> NewProduct:
    """Builds a product from the data of each variant, and its own, stored as the variant ""."""
    rows = list(found.values())
    words = [(facts.title or "").split() for facts in rows]
    common = []
    for some in zip(*filter(None, words), strict=False):
        if len({word.strip(_JOINTS) for word in some}) > 1:
            break
        common.append(some[0])
    if not (title := " ".join(common).rstrip(_JOINTS)):
        title, common = next((facts.title for facts in rows if facts.title), ""), []
    rests = [" ".join(of_row[len(common) :]).strip(_JOINTS) or None for of_row in words]
    prices = {facts.price for facts in rows if facts.price}
    all_alike = all(facts.price for facts in rows) and len({one.currency for one in prices}) == 1
    price = min(prices, key=lambda one: Decimal(one.amount)) if all_alike else None
    stock = {facts.available for facts in rows}
    available = None if None in stock else True in stock
    whole = ProductData(title or None, rows[0].url, rows[0].image, price, available)
    variants = [
        Variant(variant, rest, facts.image, facts.price, facts.available, facts.url)
        for (variant, facts), rest in zip(found.items(), rests, strict=True)
        if variant
    ]
    return NewProduct(id, found.get("", whole), tuple(variants))


# rule: clock-guard
async def _delete(
    tx: Writer, store: Store, product: str, since: str, clock: ReferenceClock
) -> bool:
    """Deletes a product unless it was put after ``since``. Returns whether it did."""
    now = await clock.checked_now(tx)
    if ids.timestamp(now) < since:
        raise ClockSuspect("The clock was set back while this command ran. Run it again.")
    times = {"since": since, "ahead": ids.timestamp(now + MAX_JUMP_MS)}
    named = {"store": store.id, "product": product}
    return await tx.one("product_delete_missing", **named, **times) is not None


async def _put(
    tx: Writer,
    store: Store,
    given: Sequence[NewProduct],
    new_ids: Sequence[str],
    now: str,
    has_variants: bool,
) -> tuple[int, list[str]]:
    """Puts the products that differ from the stored ones. Returns their number, and the ids of
    products left unchanged because a file without any variants would delete their variants."""
    await stores.check_not_deleting(tx, store)
    of = [product.product_id for product in given]
    rows = await tx.all("products_find", store=store.id, products=of)
    known = {id: (document, variants) for _, id, document, _, _, variants in rows}
    kept = [] if has_variants else [id for id, (_, variants) in known.items() if variants != "[]"]
    changed = [
        product
        for product in given
        if product.product_id not in kept and known.get(product.product_id) != product.stored
    ]
    if changed:
        await products.put(tx, store, changed, new_ids, now)
    return len(changed), kept
