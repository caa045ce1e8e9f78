"""Notices: who wishes for a product hears that its price has dropped, or that it is back in stock.

``compare`` finds at a put what there is to tell, and leaves it with the product. ``step`` tells it
to some of those who wish for the product, in the order of their items' ids, in one transaction: it
can be killed at any time, and the next step goes on where the last one ended.
"""

import random
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import events, ids, stores
from wishwell.db import Database, Reader, Row, Writer, bad_rows
from wishwell.stores import Store
from wishwell.wishes import item_record
from wishwell.wishes.item_record import NO_VARIANT, Item

_STEP = 20
"""How many wishes one transaction goes through. On SQLite a read may have to wait for what of it
is Python: 2 ms."""

_TURN = 20
"""How many steps are done between two looks at which stores have something to tell, or one for each
of these stores."""

_AGAIN_MS = 86_400_000
"""An item gets one notice of a kind in this time (contract: notice-once-a-day)."""

_SKEW_MS = 60_000
"""By this much the clocks of two machines may differ (contract: notice-later)."""


class Money(msgspec.Struct, frozen=True):
    """A price: the amount as decimal text, and the currency's three letters."""

    amount: str
    currency: str


class Said(NamedTuple):
    """What a put says of a variant. None: it is not known."""

    price: Money | None
    available: bool | None


class Known(msgspec.Struct, omit_defaults=True):
    """What is known of a variant, and what of it is still to be told.

    ``reference`` is what its next price is compared with. While a drop is told, ``dropped_from`` is
    the price before it; ``dropped_at`` and ``restocked_at`` are when the put came, or empty.
    """

    price: Money | None = None
    reference: Money | None = None
    available: bool | None = None
    dropped_from: Money | None = None
    dropped_at: str = ""
    restocked_at: str = ""


Variants = dict[str, Known]
_known = msgspec.json.Decoder(Variants)


# ------------------------------------------------------------------------------- at a put


def known_from(store: Store, product_id: str, known: str) -> Variants:
    """What is known before a put. Nothing, where it can't be read (contract: bad-row)."""
    if known:
        with bad_rows.passed_over("products", f"{product_id} of store {store.id}"):
            return _known.decode(known)
    return {}


# contract: notice-events, notice-again
def compare(
    store: Store, before: Variants, position: str, said: dict[str, Said], now: str
) -> tuple[str, str, str | None]:
    """What is known of a product after a put: with where its telling goes on, and since when.

    None if there is nothing to tell. What is new is told from the first wish on.
    """
    after: Variants = {}
    for variant, (price, available) in said.items():
        was = before.get(variant, Known())
        one = after[variant] = Known(price=price, available=available)
        _compare_price(was, one, store.price_drop_percent, now)
        _compare_stock(was, one, now)
        if store.events_since is None:
            _forget(one)
    opened = [one for one in after.values() if one.dropped_at or one.restocked_at]
    if any(now in (one.dropped_at, one.restocked_at) for one in opened):
        position = ids.NO_UUID
    return msgspec.json.encode(after).decode(), position, now if opened else None


# contract: notice-drop, notice-reference, notice-currency, notice-unknown, notice-taken-back
def _compare_price(was: Known, one: Known, percent: int, now: str) -> None:
    price, reference = one.price, was.reference
    one.reference = price
    if price is None or reference is None:
        return
    still = was.dropped_from is not None and _is_drop(was.dropped_from, price, percent)
    if still:
        one.dropped_from, one.dropped_at = was.dropped_from, was.dropped_at
    if _is_drop(reference, price, percent):
        one.dropped_from, one.dropped_at = one.dropped_from or reference, now
    elif price.currency == reference.currency and _amount(price) <= _amount(reference):
        one.reference = reference


def _is_drop(before: Money, after: Money, percent: int) -> bool:
    if before.currency != after.currency:
        return False
    old, new = _amount(before), _amount(after)
    return new < old and new * 100 <= old * (100 - percent)


def _amount(money: Money) -> Decimal:
    return Decimal(money.amount)


# contract: notice-stock, notice-unknown, notice-taken-back
def _compare_stock(was: Known, one: Known, now: str) -> None:
    if one.available:
        one.restocked_at = was.restocked_at if was.available else now * (was.available is False)


def _forget(one: Known) -> None:
    one.dropped_from, one.dropped_at, one.restocked_at = None, "", ""


# -------------------------------------------------------------------------------- telling


class Product(msgspec.Struct, omit_defaults=True):
    """What an event says of the product."""

    title: str | UnsetType = UNSET
    url: str | UnsetType = UNSET
    image: str | UnsetType = UNSET


# contract: notice-event-fields
class Told(msgspec.Struct, rename="camel", omit_defaults=True):
    """The data of an event. ``variant_id`` is left out where the product itself is meant."""

    item: Item
    variant_id: str | int | UnsetType
    product: Product
    previous_price: Money | UnsetType
    price: Money | UnsetType


async def work(db: Database, clock: Callable[[], int]) -> AsyncIterator[int]:
    """Some steps; yields after each how many events it made. Nothing, if there is nothing to tell.

    Each store with something to tell has a step in turn, of the product of its that was worked on
    the longest ago. Several processes share the work. Raises ``Unavailable``.
    """
    waiting = [row[0] for row in await db.read(_stores)]
    random.shuffle(waiting)  # so that processes rarely meet
    for _ in range(-(-_TURN // max(1, len(waiting)))):
        for store_id in [*waiting]:
            told = await _step_of(db, store_id, clock())
            if told is None:
                waiting.remove(store_id)
            else:
                yield told


async def _step_of(db: Database, store_id: str, now: int) -> int | None:
    """A step of the store's next product; None if none was done."""
    row = await db.read(_next, store_id)
    if row is None:
        return None
    product_id, *store = row
    with bad_rows.passed_over("products", f"{product_id} of store {store_id}"):
        return await db.write(step, stores.from_row(store), product_id, now)
    # It comes last from now on, or it would hold up the others of its store.
    await db.write(_put_behind, store_id, product_id, ids.timestamp(now))
    return None


async def _stores(tx: Reader) -> Sequence[Row]:
    return await tx.all("stores_noticed")


async def _next(tx: Reader, store_id: str) -> Row | None:
    return await tx.one("product_next", store_id)


async def _put_behind(tx: Writer, store_id: str, product_id: str, at: str) -> None:
    await tx.run("product_behind", store_id, product_id, at)


async def waiting(tx: Reader) -> int:
    """How many products have something to tell."""
    row = await tx.one("products_noticed_count")
    assert row is not None
    count: int = row[0]
    return count


# contract: notice-each-once, notice-steps
async def step(tx: Writer, store: Store, product_id: str, now: int) -> int:
    """Tells the next wishes for a product. Returns how many events that made.

    ``now`` in milliseconds since 1970. A wish whose owner is just being written to ends the step:
    the next one begins with it.
    """
    at = ids.timestamp(now)
    row = await tx.one("product_notice", store.id, product_id)
    if row is None:
        return 0
    document, known, position = row
    news = _News(_known.decode(known), msgspec.json.decode(document, type=Product), store, now)
    found: Sequence[Row] = ()
    if store.events_since is not None:  # contract: notice-events
        found = await tx.all("items_wishing", store.id, product_id, position, _STEP)
    due = [(id, owner) for id, owner, *rest in found if news.due(*rest)]
    told: list[tuple[str, events.Type, bytes]] = []
    marks = []
    fresh = await _lock(tx, product_id, due)
    done = len(found) < _STEP
    for id, owner, *rest in found:
        if news.due(*rest):
            if id not in fresh:
                done = False
                break
            made, mark = news.tell(fresh[id], at)
            told += [(owner, type_, data) for type_, data in made]
            marks.append((owner, id, *mark))
        position = id
    if told:
        await events.tell_each(tx, store, at, told)
        await tx.run_many("item_told", marks)
    if done:
        await tx.run("product_told", store.id, product_id, news.without(), ids.NO_UUID)
    else:
        await tx.run("product_noticed", store.id, product_id, position, at)
    return len(told)


async def _lock(tx: Writer, product_id: str, due: Sequence[tuple[str, str]]) -> dict[str, Row]:
    """Of these wishes, by id, those whose owners can be locked, as they are now."""
    if not due:
        return {}
    owners = [(owner,) for owner in {owner for _, owner in due}]
    held = [row[0] for row in await tx.all_many("owner_lock", owners)]
    found = await tx.all("items_due", held, [id for id, _ in due], product_id)
    return {row[_ITEM]: row for row in found}


_ITEM = 3
"""Where the item's columns begin in a row of ``items_due``. The first is its id."""


class _Open(NamedTuple):
    """A notice that is being told: since when, and up to when a wish may have been saved."""

    since: str
    until: str


class _News:
    """What there is to tell of a product, at this moment."""

    def __init__(self, variants: Variants, product: Product, store: Store, now: int) -> None:
        self._variants, self._product, self._store = variants, product, store
        self._last, self._ahead = (ids.timestamp(now + by) for by in (-_AGAIN_MS, _AGAIN_MS))
        self._dropped = {v: _open(one.dropped_at) for v, one in variants.items() if one.dropped_at}
        self._restocked = {
            v: _open(one.restocked_at) for v, one in variants.items() if one.restocked_at
        }

    def due(self, variant: str, created_at: str, dropped_at: str, restocked_at: str) -> bool:
        """Whether a wish has something to hear."""
        return (
            self._heard(self._dropped, variant, created_at, dropped_at) is not None
            or self._heard(self._restocked, variant, created_at, restocked_at) is not None
        )

    # contract: notice-variant, notice-once-a-day, notice-later
    def _heard(self, opened: dict[str, _Open], variant: str, saved: str, told: str) -> str | None:
        """The variant of which a wish hears; None for none. ``told`` is when it last heard."""
        if told > self._ahead:  # contract: clock-steps. A clock that was wrong told it
            told = ""
        if told > self._last:
            return None
        of: Iterable[str] = opened
        if variant != NO_VARIANT:
            of = (variant if variant in self._variants else NO_VARIANT,)
        for one in of:
            notice = opened.get(one)
            if notice is not None and told < notice.since and saved <= notice.until:
                return one
        return None

    def tell(self, row: Row, at: str) -> tuple[list[tuple[events.Type, bytes]], tuple[str, str]]:
        """The events for a wish, a row of ``items_due``, and when it heard of each kind last."""
        _, dropped_at, restocked_at, *columns = row
        item = item_record.from_row(columns)
        variant = item.variant_id or NO_VARIANT
        dropped = self._heard(self._dropped, str(variant), item.created_at, dropped_at)
        restocked = self._heard(self._restocked, str(variant), item.created_at, restocked_at)
        item_record.show([item], text_ids=self._store.has_text_ids)
        made: list[tuple[events.Type, bytes]] = []
        if dropped is not None:
            before = self._variants[dropped].dropped_from
            made.append(("item.price_dropped", self._data(item, dropped, before)))
        if restocked is not None:
            made.append(("item.back_in_stock", self._data(item, restocked, None)))
        mark = (
            dropped_at if dropped is None else at,
            restocked_at if restocked is None else at,
        )
        return made, mark

    def _data(self, item: Item, variant: str, before: Money | None) -> bytes:
        of: str | int | UnsetType = variant or UNSET
        if of is not UNSET and not self._store.has_text_ids:
            of = stores.number(of)
        price = self._variants[variant].price
        return msgspec.json.encode(Told(item, of, self._product, before or UNSET, price or UNSET))

    def without(self) -> str:
        """What is known of the product when all of this has been told."""
        for one in self._variants.values():
            _forget(one)
        return msgspec.json.encode(self._variants).decode()


def _open(since: str) -> _Open:
    return _Open(since, ids.timestamp(min(ids.from_timestamp(since) + _SKEW_MS, ids.LAST)))
