"""Adds a file's records that belong to the store itself, not to a profile."""

from collections.abc import Sequence

from msgspec.structs import asdict

from wishwell import stores
from wishwell.db import Writer
from wishwell.stores import Store
from wishwell.transfer.file_records import (
    AdminTokenRecord,
    ProductRecord,
    SuppressionRecord,
    WebhookRecord,
)
from wishwell.transfer.order_records import OrderRecord
from wishwell.transfer.record_types import Record
from wishwell.wishlists import orders

STATEMENTS: dict[type[Record], str] = {
    ProductRecord: "import_product",
    OrderRecord: "",
    SuppressionRecord: "import_suppression",
    AdminTokenRecord: "import_admin_token",
    WebhookRecord: "import_webhook",
}
"""The statement that adds a record; orders have a use-case. An existing record stays."""


async def put(tx: Writer, store: Store, records: Sequence[Record], now: str) -> None:
    """Adds records, unless the store has them. Raises ``StoreDeleted``."""
    await stores.lock(tx)
    await stores.check_not_deleting(tx, store)
    for record in records:
        if isinstance(record, OrderRecord):
            await orders.restore(
                tx, store, record.hash, record.updated_at, record.to_matches(store), now
            )
        else:
            await tx.run(STATEMENTS[type(record)], store=store.id, **asdict(record))
