"""Compares a catalogue with the stored products, holds back improbable prices, and puts products
that differ.

``compare`` comes before the first put. It records the products that differ in the temporary file.
"""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from wishwell import ids, products, stores
from wishwell.db import Database, Reader, Writer, bad_rows, run_statement
from wishwell.field_types import ProductId
from wishwell.importers.catalogue import Catalogue
from wishwell.importers.feed_products import ProductRow, merge_product, product_from_rows
from wishwell.products import NewProduct, ProductData, Variant, notice_preview, notices
from wishwell.products.money import Money, decrease, is_known
from wishwell.products.notice_preview import NoticeCounts

_MAX_DROPS = 20
"""Maximum products that may become cheaper by more than ``max_drop`` percent."""

_MAX_WISHES = 100
"""Maximum wishes for such a product."""

_MAX_LARGEST_DROPS = 5
_MAX_EXAMPLES = 10
_MAX_HELD_DROPS = 1_000

_CHANGED_ROWS_QUERY = (
    "SELECT * FROM records NOT INDEXED WHERE key IN (SELECT key FROM changed) ORDER BY key, line"
)

Batch = dict[str, dict[str, ProductRow]]
"""The rows of products, by product id and variant."""


class Drop(msgspec.Struct, rename="camel", omit_defaults=True):
    """The largest drop among the prices of a product and its variants. ``wishes``: for the product;
    only counted if the price may be held back. ``held``: whether it is."""

    percent: float
    product_id: ProductId
    before: Money
    after: Money
    variant_id: ProductId | None = None
    wishes: int | None = None
    held: bool = False

    def __str__(self) -> str:
        variant = f", variant {self.variant_id}" if self.variant_id else ""
        prices = f"{self.before.amount} to {self.after.amount} {self.after.currency}"
        wishes = "" if self.wishes is None else f", wishes: {self.wishes:,}"
        return f"product {self.product_id}{variant}: {prices}, {self.percent:.1f} % cheaper{wishes}"


class _StoredProduct(NamedTuple):
    product: NewProduct
    texts: tuple[str, str]
    states: notices.Variants
    updated_at: str


class Changes:
    """The changes that a catalogue makes to the stored products.

    ``new``, ``changed`` and ``unchanged``: numbers of products. ``largest_drops``: of
    prices; ``held_drops``: those that are held back, at most ``_MAX_HELD_DROPS`` of
    ``held_prices``.
    ``notices``: numbers that ``preview`` counts.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        since: str = "",
        max_drop: int = 80,
        accepts_drops: bool = False,
    ) -> None:
        """``since``: when the import began, because products put later keep their variants; if
        empty, all do. ``max_drop``: percent by which a price may become lower."""
        self._catalogue, self._store, self._since = catalogue, catalogue.store, since
        self._max_drop, self._accepts_drops = max_drop, accepts_drops
        self.new = self.changed = self.unchanged = self.held_prices = 0
        self.largest_drops: list[Drop] = []
        self.held_drops: list[Drop] = []
        self._examples: list[tuple[str, Mapping[str, ProductRow], _StoredProduct | None]] = []
        self.notices = NoticeCounts()
        self._holds_back_prices = self._has_wished_drop = False

    # rules: catalogue-partial, catalogue-drops
    async def compare(self, db: Database) -> AsyncIterator[None]:
        """Compares all products of the file with the stored ones. To be called once, before
        ``put``."""
        self._catalogue.spool.query("CREATE TABLE changed (key TEXT PRIMARY KEY, held TEXT)")
        for batch in self._read_batches():
            stored_products = await db.read(self._read_stored, batch)
            large_drops = [
                *filter(
                    None,
                    (self._compare_product(id, batch[id], stored_products.get(id)) for id in batch),
                )
            ]
            if large_drops:
                await self._count_wishes(db, large_drops)
            yield
        self._holds_back_prices = self.held_prices > _MAX_DROPS or self._has_wished_drop
        self._catalogue.unchanged = self.unchanged
        if self._holds_back_prices:
            [price_only_count] = self._query_row("SELECT count(*) FROM changed WHERE held = 'all'")
            self.changed -= price_only_count
            self.unchanged += price_only_count
            for drop in (*self.largest_drops, *self.held_drops):
                drop.held = self._is_large(drop)
        else:
            self.held_prices, self.held_drops = 0, []

    def _compare_product(
        self, id: str, rows: Mapping[str, ProductRow], stored: _StoredProduct | None
    ) -> Drop | None:
        """Counts a product, and records it if it differs. Returns its drop if that is too large."""
        product = self._merge_file(id, rows, stored)
        if len(product.variants) > products.MAX_FILE_VARIANTS:
            limit = f"{products.MAX_FILE_VARIANTS:,}"
            reason = f"the product has more than {limit} variants with the stored ones, which "
            self._catalogue.refuse(0, "", reason + "--delete-missing deletes", f"product {id}")
            return None
        self._catalogue.compared += 1
        if len(self._examples) < _MAX_EXAMPLES:
            self._examples.append((id, rows, stored))
        if stored is not None and product.stored == stored.texts:
            self.unchanged += 1
            return None
        self.new += stored is None
        self.changed += stored is not None
        drop, held_part = self._find_largest_drop(product, stored.states if stored else {}), ""
        if drop is not None:
            self.largest_drops.append(drop)
            self.largest_drops = sorted(self.largest_drops, key=lambda drop: -drop.percent)[
                :_MAX_LARGEST_DROPS
            ]
            if self._is_large(drop):
                unpriced_product = self._merge_file(id, rows, stored, holds_price=True)
                held_part = "all" if stored and unpriced_product.stored == stored.texts else "price"
        self._catalogue.spool.query("INSERT INTO changed VALUES (?, ?)", id, held_part)
        return drop if held_part else None

    def _is_large(self, drop: Drop) -> bool:
        return not self._accepts_drops and decrease(drop.before, drop.after) > self._max_drop

    async def _count_wishes(self, db: Database, drops: Sequence[Drop]) -> None:
        """Adds drops that are too large to those that may be held back."""
        params = {"store": self._store.id, "products": [str(drop.product_id) for drop in drops]}
        rows = await db.read(run_statement, "products_wishes", **params)
        wishes: dict[str, int] = {id: count for id, count in rows}  # noqa: C416
        for drop in drops:
            drop.wishes = wishes.get(str(drop.product_id), 0)
            self._has_wished_drop |= drop.wishes > _MAX_WISHES
        self.held_prices += len(drops)
        self.held_drops += drops[: _MAX_HELD_DROPS - len(self.held_drops)]

    def examples(self) -> list[NewProduct]:
        """Returns the first products as they will be, and records the ends of their sales."""
        examples = []
        for id, rows, stored in self._examples:
            examples.append(self._merge_file(id, rows, stored, holds_price=self._holds_price(id)))
            self._catalogue.record_sale(examples[-1], rows)
        return examples

    # rule: catalogue-dry-run
    async def preview(self, db: Database, now: int) -> AsyncIterator[None]:
        """Counts the items that would get notices, after ``compare``. ``now``: milliseconds since
        1970."""
        for batch in self._read_batches(_CHANGED_ROWS_QUERY):
            for id, stored in (await db.read(self._read_stored, batch)).items():
                product = self._merge_file(id, batch[id], stored, holds_price=self._holds_price(id))
                counts = await notice_preview.count_notices(
                    db, self._store, product, stored.states, now
                )
                self.notices = NoticeCounts(*map(sum, zip(self.notices, counts, strict=True)))
            yield

    # rule: catalogue-import
    async def put(
        self, db: Database, new_id: ids.UUID7, now: Callable[[], str]
    ) -> AsyncIterator[None]:
        """Puts the products that differ in batches, one transaction each, after ``compare``."""
        for batch in self._read_batches(_CHANGED_ROWS_QUERY):
            new_ids = [new_id() for _ in batch]
            changed_count = await db.write(self._put_batch, batch, new_ids, now())
            self._catalogue.put += changed_count
            self._catalogue.unchanged += len(batch) - changed_count
            yield

    async def _put_batch(self, tx: Writer, batch: Batch, new_ids: Sequence[str], now: str) -> int:
        """Puts the products of a batch that still differ. Returns their number."""
        await tx.begin()
        await stores.check_not_deleting(tx, self._store)
        # Locked before they are read, because the fields that the file lacks are written back.
        await tx.all("products_lock", store=self._store.id, products=[*batch])
        stored_products, changed_products = await self._read_stored(tx, batch), []
        for id, rows in batch.items():
            stored = stored_products.get(id)
            product = self._merge_file(id, rows, stored, holds_price=self._holds_price(id))
            has_few_variants = len(product.variants) <= products.MAX_FILE_VARIANTS
            if has_few_variants and (stored is None or product.stored != stored.texts):
                changed_products.append(product)
        if changed_products:
            await products.put(tx, self._store, changed_products, new_ids, now)
        return len(changed_products)

    def _read_batches(self, *query: str) -> Iterator[Batch]:
        rows_by_product = self._catalogue.group_rows(*query)
        while batch := dict(itertools.islice(rows_by_product, products.MAX_BULK)):
            yield batch

    def _merge_file(
        self,
        id: str,
        rows: Mapping[str, ProductRow],
        stored: _StoredProduct | None,
        *,
        holds_price: bool = False,
    ) -> NewProduct:
        """Returns the product as the file changes it. ``holds_price``: keeps its prices."""
        if stored is None:
            return product_from_rows(id, rows)
        stated, missing = self._catalogue.stated, self._catalogue.missing
        can_delete = self._since and not (missing.is_withheld or self._catalogue.refused)
        removes_variants = missing.removes_variants and can_delete
        return merge_product(
            stored.product,
            rows,
            stated.without_prices() if holds_price else stated,
            keeps_variants=not removes_variants or self._since <= stored.updated_at,
        )

    def _holds_price(self, id: str) -> bool:
        """Returns whether a product's price is held back."""
        query = "SELECT count(*) FROM changed WHERE key = ? AND held > ''"
        return self._holds_back_prices and self._query_row(query, id) == (1,)

    def _query_row(self, query: str, *params: str) -> tuple[int]:
        row: tuple[int] = self._catalogue.spool.query(query, *params).fetchone()
        return row

    async def _read_stored(self, tx: Reader, batch: Batch) -> dict[str, _StoredProduct]:
        """Returns the stored products of a batch. An unreadable one counts as new."""
        rows = await tx.all("products_compared", store=self._store.id, products=[*batch])
        stored: dict[str, _StoredProduct] = {}
        for id, data_json, variants_json, states_json, updated_at in rows:
            with bad_rows.skip_bad_row("products", f"{id} of store {self._store.id}"):
                product_data = msgspec.json.decode(data_json, type=ProductData)
                variants = msgspec.json.decode(variants_json, type=tuple[Variant, ...])
                states = notices.decode_states(self._store, id, states_json)
                product = NewProduct(id, product_data, variants)
                stored[id] = _StoredProduct(product, (data_json, variants_json), states, updated_at)
        return stored

    def _find_largest_drop(self, product: NewProduct, states: notices.Variants) -> Drop | None:
        """Returns the largest drop of a product's prices, compared with the last known ones."""
        largest: Drop | None = None
        for variant, (new_price, _) in product.offers.items():
            state = states.get(variant, notices.VariantState())
            old_price = state.price if is_known(state.price) else state.reference
            percent = round(float(decrease(old_price, new_price)), 2)
            if old_price and new_price and percent > (largest.percent if largest else 0):
                largest = Drop(
                    percent, self._store.shown_id(product.product_id), old_price, new_price
                )
                largest.variant_id = self._store.shown_id(variant) if variant else None
        return largest
