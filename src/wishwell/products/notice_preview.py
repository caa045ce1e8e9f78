"""Counts the notices that a put would cause, without the put."""

from typing import NamedTuple

import msgspec

from wishwell import ids
from wishwell.db import Database, Row, run_statement
from wishwell.products import NewProduct, notices
from wishwell.products.notices import NoticeProduct, PendingNotices, Variants
from wishwell.profiles import records
from wishwell.stores import Store, placeholders

_BATCH_SIZE = 1_000
_ID_INDEX = 5  # of the item's id in a row of items_previewed


class NoticeCounts(NamedTuple):
    """Numbers of items that would get a notice."""

    price_drops: int = 0
    restocks: int = 0


# rule: catalogue-dry-run
async def count_notices(
    db: Database, store: Store, product: NewProduct, before: Variants, now: int
) -> NoticeCounts:
    """Returns how many items would get which notice if the product was put at ``now``, in
    milliseconds since 1970. ``before``: the product's stored state."""
    at = ids.timestamp(now)
    state, _, noticed_at = notices.compare(store, before, ids.NO_UUID, product.offers, at)
    if noticed_at is None:
        return NoticeCounts()
    document, _ = product.stored
    states = notices.decode_states(store, product.product_id, state)
    published = msgspec.json.decode(document, type=NoticeProduct)
    pending = PendingNotices(states, published, store, now)
    counts_by_event = {"item.price_dropped": 0, "item.back_in_stock": 0}
    params = {"store": store.id, "product": product.product_id, "limit": _BATCH_SIZE}
    params["default_choice"] = int(store.notices == "opt-out")  # rule: notice-consent
    after = ids.NO_UUID
    while rows := await db.read(run_statement, "items_previewed", **params, after=after):
        for row in rows:
            _count(counts_by_event, pending, row, at)
        after = rows[-1][_ID_INDEX]
    return NoticeCounts(*counts_by_event.values())


def _count(counts_by_event: dict[str, int], pending: PendingNotices, row: Row, at: str) -> None:
    choice, gid, *item = row
    if not placeholders.names_nobody(gid):
        new_events, _ = pending.make_events(records.notice_choice(choice), item, at)
        for _, type_, _ in new_events:
            counts_by_event[type_] += 1
