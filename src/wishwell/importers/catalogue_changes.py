"""Compares a catalogue with the stored products, holds back improbable prices, and puts products
that differ.

``compare`` comes before the first put. It notes the products that differ in the temporary file.
"""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from wishwell import ids, products, stores
from wishwell.db import Database, Reader, Writer, bad_rows, run_statement
from wishwell.db.clock import MAX_JUMP_MS
from wishwell.field_types import ProductId
from wishwell.importers.catalogue import Catalogue
from wishwell.importers.feed_products import ProductRow, merged_product, product_from_rows
from wishwell.products import NewProduct, ProductData, Variant, notice_preview, notices
from wishwell.products.money import Money, decrease, is_known
from wishwell.products.notice_preview import NoticeCounts

_MAX_DROPS = 20
"""Maximum products that may become cheaper by more than ``max_drop`` percent."""

_MAX_WISHES = 100
"""Maximum wishes for such a product."""

_MAX_LARGEST = 5
_MAX_EXAMPLES = 10
_MAX_NAMED = 1_000

_CHANGED = (
    "SELECT * FROM records NOT INDEXED WHERE key IN (SELECT key FROM changed) ORDER BY key, line"
)

Batch = dict[str, dict[str, ProductRow]]
"""The rows of products, by product id and variant."""


class Drop(msgspec.Struct, rename="camel", omit_defaults=True):
    """The largest drop of a product's prices: of its own one, or a variant's. ``wishes``: for the
    product; only counted if the price may be held back. ``held``: whether it is."""

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

    ``new``, ``changed`` and ``unchanged``: numbers of products. ``largest``: the largest drops of
    prices; ``held``: those that are held back, at most ``_MAX_NAMED`` of ``held_prices``.
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
        # A later time comes from a wrong clock.
        self._ahead = since and ids.timestamp(ids.from_timestamp(since) + MAX_JUMP_MS)
        self._max_drop, self._accepts_drops = max_drop, accepts_drops
        self.new = self.changed = self.unchanged = self.held_prices = 0
        self.largest: list[Drop] = []
        self.held: list[Drop] = []
        self._first: list[tuple[str, Mapping[str, ProductRow], _StoredProduct | None]] = []
        self.notices = NoticeCounts()
        self._is_holding = self._is_wished = False

    # rules: catalogue-partial, catalogue-drops
    async def compare(self, db: Database) -> AsyncIterator[None]:
        """Compares all products of the file with the stored ones. To be called once, before
        ``put``."""
        self._catalogue.spool.ask("CREATE TABLE changed (key TEXT PRIMARY KEY, held TEXT)")
        for batch in self._batches():
            stored = await db.read(self._stored, batch)
            large = [*filter(None, (self._compare(id, batch[id], stored.get(id)) for id in batch))]
            if large:
                await self._count_wishes(db, large)
            yield
        self._is_holding = self.held_prices > _MAX_DROPS or self._is_wished
        self._catalogue.unchanged = self.unchanged
        if self._is_holding:
            [only_prices] = self._ask("SELECT count(*) FROM changed WHERE held = 'all'")
            self.changed -= only_prices
            self.unchanged += only_prices
            for drop in (*self.largest, *self.held):
                drop.held = self._is_large(drop)
        else:
            self.held_prices, self.held = 0, []

    def _compare(
        self, id: str, rows: Mapping[str, ProductRow], stored: _StoredProduct | None
    ) -> Drop | None:
        """Counts a product, and notes it if it differs. Returns its drop if that is too large."""
        product = self._merge(id, rows, stored)
        if len(product.variants) > products.MAX_FILE_VARIANTS:
            most = f"{products.MAX_FILE_VARIANTS:,}"
            reason = f"the product has more than {most} variants with the stored ones, which "
            self._catalogue.refuse(0, "", reason + "--delete-missing deletes", f"product {id}")
            return None
        self._catalogue.compared += 1
        if len(self._first) < _MAX_EXAMPLES:
            self._first.append((id, rows, stored))
        if stored is not None and product.stored == stored.texts:
            self.unchanged += 1
            return None
        self.new += stored is None
        self.changed += stored is not None
        drop, held = self._largest_drop(product, stored.states if stored else {}), ""
        if drop is not None:
            self.largest.append(drop)
            self.largest = sorted(self.largest, key=lambda one: -one.percent)[:_MAX_LARGEST]
            if self._is_large(drop):
                without_price = self._merge(id, rows, stored, holds=True)
                held = "all" if stored and without_price.stored == stored.texts else "price"
        self._catalogue.spool.ask("INSERT INTO changed VALUES (?, ?)", id, held)
        return drop if held else None

    def _is_large(self, drop: Drop) -> bool:
        return not self._accepts_drops and decrease(drop.before, drop.after) > self._max_drop

    async def _count_wishes(self, db: Database, drops: Sequence[Drop]) -> None:
        """Adds drops that are too large to those that may be held back."""
        params = {"store": self._store.id, "products": [str(drop.product_id) for drop in drops]}
        rows = await db.read(run_statement, "products_wishes", **params)
        wishes: dict[str, int] = {id: number for id, number in rows}  # noqa: C416
        for drop in drops:
            drop.wishes = wishes.get(str(drop.product_id), 0)
            self._is_wished |= drop.wishes > _MAX_WISHES
        self.held_prices += len(drops)
        self.held += drops[: _MAX_NAMED - len(self.held)]

    def examples(self) -> list[NewProduct]:
        """Returns the first products as they will be, and notes the ends of their sales."""
        examples = []
        for id, rows, stored in self._first:
            examples.append(self._merge(id, rows, stored, holds=self._holds(id)))
            self._catalogue.note_sale(examples[-1], rows)
        return examples

    # rule: catalogue-dry-run
    async def preview(self, db: Database, now: int) -> AsyncIterator[None]:
        """Counts the items that would get notices, after ``compare``. ``now``: milliseconds since
        1970."""
        for batch in self._batches(_CHANGED):
            for id, old in (await db.read(self._stored, batch)).items():
                product = self._merge(id, batch[id], old, holds=self._holds(id))
                counts = await notice_preview.count_notices(
                    db, self._store, product, old.states, now
                )
                self.notices = NoticeCounts(*map(sum, zip(self.notices, counts, strict=True)))
            yield

    # rule: catalogue-import
    async def put(
        self, db: Database, new_id: ids.UUID7, now: Callable[[], str]
    ) -> AsyncIterator[None]:
        """Puts the products that differ in batches, one transaction each, after ``compare``."""
        for batch in self._batches(_CHANGED):
            new_ids = [new_id() for _ in batch]
            changed = await db.write(self._put, batch, new_ids, now())
            self._catalogue.put += changed
            self._catalogue.unchanged += len(batch) - changed
            yield

    async def _put(self, tx: Writer, batch: Batch, new_ids: Sequence[str], now: str) -> int:
        """Puts the products of a batch that still differ. Returns their number."""
        await tx.begin()
        await stores.check_not_deleting(tx, self._store)
        # Locked before they are read, because the fields that the file lacks are written back.
        await tx.all("products_lock", store=self._store.id, products=[*batch])
        stored, new = await self._stored(tx, batch), []
        for id, rows in batch.items():
            old = stored.get(id)
            product = self._merge(id, rows, old, holds=self._holds(id))
            fits = len(product.variants) <= products.MAX_FILE_VARIANTS
            if fits and (old is None or product.stored != old.texts):
                new.append(product)
        if new:
            await products.put(tx, self._store, new, new_ids, now)
        return len(new)

    def _batches(self, *query: str) -> Iterator[Batch]:
        described = self._catalogue.described(*query)
        while batch := dict(itertools.islice(described, products.MAX_BULK)):
            yield batch

    def _merge(
        self,
        id: str,
        rows: Mapping[str, ProductRow],
        stored: _StoredProduct | None,
        *,
        holds: bool = False,
    ) -> NewProduct:
        """Returns the product as the file changes it. ``holds``: keeps its prices."""
        if stored is None:
            return product_from_rows(id, rows)
        stated, missing = self._catalogue.stated, self._catalogue.missing
        is_sure = self._since and not (missing.is_withheld or self._catalogue.refused)
        removes = missing.removes_variants and is_sure
        return merged_product(
            stored.product,
            rows,
            stated.without_prices() if holds else stated,
            keeps_variants=not removes or self._since <= stored.updated_at <= self._ahead,
        )

    def _holds(self, id: str) -> bool:
        """Returns whether a product's price is held back."""
        query = "SELECT count(*) FROM changed WHERE key = ? AND held > ''"
        return self._is_holding and self._ask(query, id) == (1,)

    def _ask(self, query: str, *values: str) -> tuple[int]:
        row: tuple[int] = self._catalogue.spool.ask(query, *values).fetchone()
        return row

    async def _stored(self, tx: Reader, batch: Batch) -> dict[str, _StoredProduct]:
        """Returns the stored products of a batch. An unreadable one counts as new."""
        rows = await tx.all("products_compared", store=self._store.id, products=[*batch])
        stored: dict[str, _StoredProduct] = {}
        for id, document, variants, known, updated_at in rows:
            with bad_rows.skip_bad_row("products", f"{id} of store {self._store.id}"):
                data = msgspec.json.decode(document, type=ProductData)
                listed = msgspec.json.decode(variants, type=tuple[Variant, ...])
                states = notices.decode_states(self._store, id, known)
                product = NewProduct(id, data, listed)
                stored[id] = _StoredProduct(product, (document, variants), states, updated_at)
        return stored

    def _largest_drop(self, product: NewProduct, states: notices.Variants) -> Drop | None:
        """Returns the largest drop of a product's prices, compared with the last known ones."""
        largest: Drop | None = None
        for variant, (price, _) in product.offers.items():
            state = states.get(variant, notices.VariantState())
            before = state.price if is_known(state.price) else state.reference
            percent = round(float(decrease(before, price)), 2)
            if before and price and percent > (largest.percent if largest else 0):
                largest = Drop(percent, self._store.shown_id(product.product_id), before, price)
                largest.variant_id = self._store.shown_id(variant) if variant else None
        return largest
