"""Counts and deletes the products that a file lacks."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec

from wishwell import ids, products
from wishwell.db import Database, Writer, run_statement, statements
from wishwell.db.clock import ClockSuspect, ReferenceClock
from wishwell.stores import Store
from wishwell.transfer.spool import Spool

_MAX_UNCONFIRMED = 10
_UNCONFIRMED_SHARE = 5  # one fifth


# rule: catalogue-delete-missing
class Missing:
    """Stored products and variants that the file in ``spool`` lacks.

    ``products`` and ``variants``: how many the import is about to delete, of ``stored_products``
    and ``stored_variants``; ``deleted``: the number of products that it did. ``removes_variants``:
    whether variants without a row are to be deleted from products that have rows.
    """

    def __init__(self, store: Store, spool: Spool, *, is_accepted: bool) -> None:
        """``is_accepted``: whether any number may be deleted."""
        self._store, self._spool, self._is_accepted = store, spool, is_accepted
        self.products = self.variants = self.stored_products = self.stored_variants = 0
        self.deleted, self.removes_variants = 0, False

    @property
    def is_withheld(self) -> bool:
        """Whether so much is missing that nothing may be deleted."""
        counts = (self.products, self.stored_products), (self.variants, self.stored_variants)
        return not self._is_accepted and any(
            missing > _MAX_UNCONFIRMED and missing * _UNCONFIRMED_SHARE > stored
            for missing, stored in counts
        )

    def __str__(self) -> str:
        return (
            f"{self.products:,} of {self.stored_products:,} products and {self.variants:,} of "
            f"{self.stored_variants:,} variants"
        )

    async def count(self, db: Database, *, deletes: bool) -> AsyncIterator[None]:
        """Compares the stored products with the file, before these are replaced. ``deletes``:
        whether missing products will be deleted."""
        if not deletes:
            return
        self._spool.query("CREATE INDEX by_key ON records (key, kind)")
        self._spool.query("CREATE TABLE missing (key TEXT)")
        has_variants = "SELECT 1 FROM records WHERE kind > '' LIMIT 1"
        self.removes_variants = bool(self._spool.query(has_variants).fetchone())
        after = ids.NO_UUID
        params = {"store": self._store.id, "limit": products.MAX_BULK}
        while rows := await db.read(run_statement, "export_products", **params, after=after):
            for row in rows:
                product = statements.name_columns("product_file_fields", row)
                after = product["id"]
                self._count_missing(product)
            yield

    def _count_missing(self, product: Mapping[str, Any]) -> None:
        query = "SELECT DISTINCT kind FROM records WHERE key = ?"
        variants_in_file = {kind for (kind,) in self._spool.query(query, product["product_id"])}
        stored_variants = {
            str(variant["variantId"]) for variant in msgspec.json.decode(product["variants"])
        }
        self.stored_products += 1
        self.stored_variants += len(stored_variants)
        if not variants_in_file:
            self._spool.query("INSERT INTO missing VALUES (?)", product["product_id"])
            self.products += 1
            self.variants += len(stored_variants)
        elif self.removes_variants:
            self.variants += len(stored_variants - variants_in_file)

    async def delete(self, db: Database, since: str, clock: ReferenceClock) -> AsyncIterator[None]:
        """Deletes the missing products that ``count`` found, except those put after ``since``.
        Raises ``ClockSuspect``, also if the clock was set back since."""
        for (product,) in self._spool.query("SELECT key FROM missing"):
            self.deleted += await db.write(_delete_product, self._store, product, since, clock)
            yield


# rule: clock-guard
async def _delete_product(
    tx: Writer, store: Store, product: str, since: str, clock: ReferenceClock
) -> bool:
    """Deletes a product unless it was put after ``since``. Returns whether it did."""
    await tx.begin()
    now = await clock.checked_now(tx)
    if ids.timestamp(now) < since:
        raise ClockSuspect("The clock was set back while this command ran. Run it again.")
    named = {"store": store.id, "product": product}
    if await tx.one("product_delete_missing", **named, since=since) is None:
        return False
    await tx.run("deleted_product_add", **named, now=ids.timestamp(now))
    return True
