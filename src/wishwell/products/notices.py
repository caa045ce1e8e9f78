"""Notices: events for the items of a product whose price dropped or that is back in stock.

During a put, ``compare`` detects the changes and stores them with the product as pending notices.
``process_batch`` records the events for a batch of the product's items, in the order of item ids,
in one transaction. So it can be killed at any time, and the next batch resumes where the last one
ended.
"""

import contextlib
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import events, ids, stores
from wishwell import field_types as types
from wishwell.db import Database, Reader, Row, Writer, bad_rows, run_statement
from wishwell.products.money import Money, amount, is_drop, is_known
from wishwell.profiles import records
from wishwell.stores import Store, placeholders
from wishwell.wishlists import item_life, items
from wishwell.wishlists.items import NO_VARIANT, Item

_BATCH_SIZE = 20
"""Batch size: items in one transaction. Its Python part takes 2 ms, for which SQLite readers may
have to wait."""

_THROTTLE_MS = ids.DAY_MS
"""Throttle: milliseconds between two notices of a kind (rule: notice-each-once)."""

_SKEW_MS = 60_000
"""Tolerated clock skew between two machines, in milliseconds (rule: notice-each-once)."""


class Offer(NamedTuple):
    """A variant's price and availability in a put. None: unknown."""

    price: Money | None
    availability: str | None


class VariantState(msgspec.Struct, omit_defaults=True):
    """The stored price and availability of a variant, and its pending notices.

    ``reference``: the price to compare the next one with, the last known one if the current one is
    unknown. ``in_stock``, ``sold_out``: whether it was in stock or out of stock when that was last
    known. ``dropped_from``: the price before a pending drop. ``dropped_at``, ``restocked_at``:
    times of the puts that caused pending notices, or empty.
    """

    price: Money | None = None
    reference: Money | None = None
    in_stock: bool | None = msgspec.field(default=None, name="available")
    sold_out: bool = False
    dropped_from: Money | None = None
    dropped_at: str = ""
    restocked_at: str = ""

    def due_since(self, notice: Literal["dropped_at", "restocked_at"]) -> str:
        """Returns the time of the put that caused the notice, or "" without a due notice. A drop
        waits while the price is unknown, or the product sold out."""
        if notice == "restocked_at":
            return self.restocked_at
        return "" if self._drop_waits() else self.dropped_at

    def clear_due(self) -> None:
        self.restocked_at = ""
        if not self._drop_waits():
            self.dropped_from, self.dropped_at = None, ""

    def _drop_waits(self) -> bool:
        return self.sold_out or not is_known(self.price)


Variants = dict[str, VariantState]
_states = msgspec.json.Decoder(Variants)


# ------------------------------------------------------------------------- during a put


def decode_states(store: Store, product_id: str, state: str) -> Variants:
    """Returns the state stored before a put, empty if unreadable (rule: bad-row)."""
    if state:
        with bad_rows.skip_bad_row("products", f"{product_id} of store {store.id}"):
            return _states.decode(state)
    return {}


# rules: events-enabled, notice-each-once
def compare(
    store: Store, before: Variants, position: str, offers: dict[str, Offer], now: str
) -> tuple[str, str, str | None]:
    """Compares a put with the stored state.

    Returns the new state as JSON, the item id after which the next batch starts, and ``now`` if
    notices are pending, else None. A new notice restarts at the first item.
    """
    after: Variants = {}
    for variant, (price, availability) in offers.items():
        old = before.get(variant, VariantState())
        new = after[variant] = VariantState(price=price)
        _compare_price(old, new, store.price_drop_percent, now)
        _compare_stock(old, new, availability, now)
        if store.events_since is None:
            new.dropped_from, new.dropped_at, new.restocked_at = None, "", ""
    pending = [
        state for state in after.values() if state.due_since("dropped_at") or state.restocked_at
    ]
    if any(now in (state.dropped_at, state.restocked_at) for state in pending):
        position = ids.NO_UUID
    return msgspec.json.encode(after).decode(), position, now if pending else None


# rules: notice-drop, notice-reference, notice-each-once
def _compare_price(old: VariantState, new: VariantState, percent: int, now: str) -> None:
    price, reference = new.price, old.reference
    if price is None or not is_known(price):
        new.reference = reference
        new.dropped_from, new.dropped_at = old.dropped_from, old.dropped_at
        return
    new.reference = price
    if reference is None:
        return
    if old.dropped_from is not None and is_drop(old.dropped_from, price, percent):
        new.dropped_from, new.dropped_at = old.dropped_from, old.dropped_at
    if is_drop(reference, price, percent):
        new.dropped_from, new.dropped_at = new.dropped_from or reference, now
    elif price.currency == reference.currency and amount(price) <= amount(reference):
        new.reference = reference


# rules: notice-drop, notice-reference, notice-each-once
def _compare_stock(
    old: VariantState, new: VariantState, availability: str | None, now: str
) -> None:
    new.in_stock = old.in_stock if availability is None else availability == "in_stock"
    new.sold_out = old.sold_out if availability is None else availability == "out_of_stock"
    if old.in_stock and new.in_stock:
        new.restocked_at = old.restocked_at
    elif old.in_stock is False and new.in_stock:
        new.restocked_at = now


# ----------------------------------------------------------------------- recording events


class NoticeProduct(msgspec.Struct, omit_defaults=True):
    """For a notice: the published data of the product."""

    title: Annotated[str, types.published("Title")] | UnsetType = UNSET
    url: Annotated[str, types.published("Url")] | UnsetType = UNSET
    image: Annotated[str, types.published("Url")] | UnsetType = UNSET


class NoticeData(msgspec.Struct, rename="camel", omit_defaults=True):
    """Data of the events ``item.price_dropped`` and ``item.back_in_stock``."""

    item: Item
    notices: records.MakesNotices
    variant_id: types.ProductId | UnsetType
    """For a notice: the variant; omitted for the product itself."""
    product: NoticeProduct
    previous_price: Money | UnsetType
    """For a price drop: the price that it is compared with. For a restock: the same, if the price
    dropped while the product was sold out."""
    price: Money | UnsetType
    """For a notice: the price."""


async def process_batches(db: Database, clock: Callable[[], int]) -> AsyncIterator[int]:
    """Processes one batch for each store with pending notices. Yields each batch's event count.

    Picks a store's least recently processed product (round-robin). Several processes may work
    concurrently. Raises ``Unavailable``.
    """
    store_rows = [*await db.read(run_statement, "stores_noticed")]
    random.shuffle(store_rows)  # so that processes rarely pick the same store
    for (store_id,) in store_rows:
        event_count = await _process_next(db, store_id, clock())
        if event_count is not None:
            yield event_count


async def _process_next(db: Database, store_id: str, now: int) -> int | None:
    """Processes a batch of notices of the store's next product.

    Returns the number of events, or None if no product is pending or its batch failed.
    """
    row = await db.read(lambda tx: tx.one("product_next", store=store_id))
    if row is None:
        return None
    product_id, *store_columns = row
    with bad_rows.skip_bad_row("products", f"{product_id} of store {store_id}"):
        return await db.write(process_batch, stores.from_row(store_columns), product_id, now)
    # Move the failed product to the end, so that it doesn't block the store's other products.
    params = {"store": store_id, "product": product_id, "noticed_at": ids.timestamp(now)}
    await db.write(run_statement, "product_requeue", **params)
    return None


async def backlog(tx: Reader) -> int:
    """Returns the backlog: the number of products with pending notices."""
    row = await tx.one("products_noticed_count")
    assert row is not None
    count: int = row[0]
    return count


# rules: notice-each-once, notice-fair
async def process_batch(tx: Writer, store: Store, product_id: str, now: int) -> int:
    """Records events for the next batch of a product's items. Returns the number of events.

    ``now``: milliseconds since 1970. An item whose owner is locked by another write ends the batch;
    the next batch starts with that item.
    """
    at = ids.timestamp(now)
    row = await tx.one("product_notice", store=store.id, product=product_id)
    if row is None:
        return 0
    document, state, position = row
    pending = PendingNotices(
        _states.decode(state), msgspec.json.decode(document, type=NoticeProduct), store, now
    )
    item_rows: Sequence[Row] = ()
    default_choice = int(store.notices == "opt-out")  # rule: notice-consent
    if store.events_since is not None:  # rule: events-enabled
        params = {"store": store.id, "product": product_id, "after": position}
        item_rows = await tx.all(
            "items_wishing", **params, default_choice=default_choice, limit=_BATCH_SIZE
        )
    due_owners = {
        id: owner
        for id, owner, *columns in item_rows
        if pending.due_variants(*columns) != (None, None)
    }
    locked_items = await _lock(tx, store, product_id, due_owners, default_choice)
    is_last = len(item_rows) < _BATCH_SIZE
    new_events: list[NewEvent] = []
    notice_times = []
    item_notices: list[tuple[str, str, str]] = []
    for id, *_ in item_rows:
        if id in due_owners:
            if id not in locked_items:
                is_last = False
                break
            choice, names_nobody, row = locked_items[id]
            if not names_nobody:  # rule: placeholder-ids
                item_events, times = pending.make_events(choice, row, at)
                new_events += item_events
                item_notices += [(owner, id, type_) for owner, type_, _ in item_events]
                notice_times.append(times)
        position = id
    if new_events:
        await events.record_store_events(tx, store, at, new_events)
        await tx.run_many("item_set_notice_times", notice_times)
        await item_life.noticed(tx, store, item_notices, at)
    await tx.run(
        "product_set_notices",
        store=store.id,
        product=product_id,
        known=pending.clear_due() if is_last else state,
        position=ids.NO_UUID if is_last else position,
        noticed_at=None if is_last else at,
    )
    return len(new_events)


async def _lock(
    tx: Writer, store: Store, product_id: str, due_owners: Mapping[str, str], default_choice: int
) -> dict[str, tuple[bool | None, bool, Row]]:
    """Locks the owners of these items, skipping owners that other transactions have locked.

    ``due_owners``: owners by item id. ``default_choice``: 1 if owners who never chose get
    notices, else 0. Returns for each item of the locked owners, by item id: the owner's choice,
    whether the owner's id is a placeholder, and the item's current row.
    """
    if not due_owners:
        return {}
    owners = [
        {"profile": owner, "default_choice": default_choice} for owner in set(due_owners.values())
    ]
    locked = {
        owner: (records.notice_choice(notices), placeholders.names_nobody(gid))
        for owner, notices, gid in await tx.all_many("owner_lock", owners)
    }
    params = {"store": store.id, "product": product_id}
    rows = await tx.all("items_due", **params, ids=list(due_owners), profiles=list(locked))
    return {row[_ITEM_INDEX]: (*locked[row[0]], row) for row in rows}


_ITEM_INDEX = 3
"""Index of the item's first column, the id, in a row of ``items_due``."""


NewEvent = tuple[str, events.Type, bytes]
"""An event: profile key, type and data."""


class PendingNotices:
    """The pending notices of a product, evaluated at the time ``now``."""

    def __init__(self, variants: Variants, product: NoticeProduct, store: Store, now: int) -> None:
        self._variants, self._product, self._store = variants, product, store
        self._day_ago = ids.timestamp(now - _THROTTLE_MS)
        self._day_ahead = ids.timestamp(now + _THROTTLE_MS)

    def due_variants(
        self, variant: str, saved_at: str, dropped_at: str, restocked_at: str
    ) -> tuple[str | None, str | None]:
        """Returns the variants whose drop and whose restock are due for an item, or ``None``.

        ``dropped_at``, ``restocked_at``: times of the item's last notices.
        """
        return (
            self._due_variant("dropped_at", variant, saved_at, dropped_at),
            self._due_variant("restocked_at", variant, saved_at, restocked_at),
        )

    # rules: notice-drop, notice-each-once
    def _due_variant(
        self,
        notice: Literal["dropped_at", "restocked_at"],
        variant: str,
        saved_at: str,
        last_at: str,
    ) -> str | None:
        # A time this far ahead was recorded during clock skew.
        if last_at > self._day_ahead:  # rule: clock-guard
            last_at = ""
        if last_at > self._day_ago:
            return None
        candidates: Iterable[str] = self._variants
        if variant != NO_VARIANT:
            candidates = (variant if variant in self._variants else NO_VARIANT,)
        for candidate in candidates:
            state = self._variants.get(candidate)
            since = state.due_since(notice) if state else ""
            if last_at < since and saved_at <= _add(since, _SKEW_MS):
                return candidate
        return None

    def make_events(
        self, choice: bool | None, row: Row, at: str
    ) -> tuple[list[NewEvent], dict[str, str]]:
        """Returns an item's events, and the arguments of ``item_set_notice_times`` to store their
        time.

        ``choice``: the owner's, about notices. ``row``: a row of ``items_due``. ``at``: the current
        time.
        """
        owner, dropped_at, restocked_at, *columns = row
        item = items.from_row(columns)
        variant = str(item.variant_id or NO_VARIANT)
        times = {"dropped_at": dropped_at, "restocked_at": restocked_at}
        dropped, restocked = self.due_variants(variant, item.created_at, **times)
        items.show([item], text_ids=self._store.has_text_ids)
        new_events: list[NewEvent] = []
        old_price = None if dropped is None else self._variants[dropped].dropped_from
        if dropped is not None and not _is_below_saved(item, self._variants[dropped].price):
            dropped = old_price = None
        if dropped is not None:
            times["dropped_at"] = at
        if dropped is not None and dropped != restocked:
            notice = self._encode(item, choice, dropped, old_price)
            new_events.append((owner, "item.price_dropped", notice))
            old_price = None
        if restocked is not None:
            notice = self._encode(item, choice, restocked, old_price)
            new_events.append((owner, "item.back_in_stock", notice))
            times["restocked_at"] = at
        return new_events, {"profile": owner, "id": item.id, **times}

    def _encode(
        self, item: Item, choice: bool | None, variant: str, old_price: Money | None
    ) -> bytes:
        """Returns the data of an event about a variant."""
        variant_id = self._store.shown_id(variant) if variant else UNSET
        price = self._variants[variant].price
        return msgspec.json.encode(
            NoticeData(item, choice, variant_id, self._product, old_price or UNSET, price or UNSET)
        )

    def clear_due(self) -> str:
        """Clears the due notices once every item is processed, and returns the state as JSON."""
        for state in self._variants.values():
            state.clear_due()
        return msgspec.json.encode(self._variants).decode()


# rule: notice-drop
def _is_below_saved(item: Item, price: Money | None) -> bool:
    """Returns whether a price is below the one at which an item was saved. True if they can't be
    compared."""
    saved_price = None
    if item.saved_price is not UNSET:
        with contextlib.suppress(msgspec.DecodeError):
            saved_price = msgspec.json.decode(item.saved_price, type=Money)
    if saved_price is None or price is None or saved_price.currency != price.currency:
        return True
    return not is_known(saved_price) or amount(price) < amount(saved_price)


def _add(time: str, milliseconds: int) -> str:
    return ids.timestamp(min(ids.from_timestamp(time) + milliseconds, ids.MAX_TIMESTAMP_MS))
