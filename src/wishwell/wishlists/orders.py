"""Orders: matches the lines of the shop's orders with wishes, and stores the matches.

Nothing is stored of other lines (rule: purchase-private). ``purchases.py`` updates the items.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import events, ids, stores
from wishwell import field_types as types
from wishwell.db import Reader, RunAgain, Writer, mapping
from wishwell.db.journal import Act
from wishwell.errors import no_record
from wishwell.profiles import Profile
from wishwell.stores import Store, reporting
from wishwell.wishlists import item_changes, items, purchases
from wishwell.wishlists.items import NO_VARIANT, Item

MAX_BULK = 250
MAX_LINES = 500
"""Maximum lines of an order."""

Key = tuple[str, str]
"""A product and a variant, as stored."""

UnitPrice = Annotated[Any, types.published("Price")]


class Line(NamedTuple):
    """A line of an order. ``amount`` and ``currency`` are empty if the price is unknown."""

    product_id: str
    variant_id: str
    quantity: int
    amount: str
    currency: str


class Order(NamedTuple):
    """A version of an order. ``lines``: empty if it is cancelled."""

    id: str
    buyer: Profile | None
    """The customer or session; ``None`` if unknown, so that new lines match nothing."""
    placed_at: str
    updated_at: str
    lines: Sequence[Line]


Result = Literal["applied", "unchanged"]


class AppliedOrder(msgspec.Struct, rename="camel"):
    """What happened to an order."""

    order_id: str
    result: Result
    """`unchanged`: a version with the same or a later `updatedAt` is known."""
    matched: types.Count
    """The number of its lines that match a wish."""


class Purchase(msgspec.Struct):
    """A stored line, as the columns ``purchase_fields``."""

    line: int
    profile_id: str | None
    product_id: str
    variant_id: str
    wish_variant_id: str
    quantity: int
    amount: str
    currency: str
    day: str
    placed_at: str

    @property
    def key(self) -> Key:
        return self.product_id, self.variant_id


from_row = mapping.from_columns(Purchase, "purchase_fields")


class PurchaseView(msgspec.Struct, rename="camel", omit_defaults=True):
    """A purchase of a wish."""

    product_id: types.ProductId
    variant_id: types.ProductId | UnsetType
    """For a purchase: the ordered variant."""
    quantity: types.Quantity
    placed_at: types.Time
    """For a purchase: when the order was placed."""
    unit_price: UnitPrice | UnsetType
    """For a purchase: what the customer paid per unit, after discounts, including tax."""
    item: Item | UnsetType = UNSET
    """For the event of a purchase: the item; omitted if it was removed before the order."""


def _view(one: Purchase, store: Store) -> PurchaseView:
    shown = store.shown_id
    price = {"amount": one.amount, "currency": one.currency} if one.amount else UNSET
    variant = shown(one.variant_id) if one.variant_id else UNSET
    return PurchaseView(shown(one.product_id), variant, one.quantity, one.placed_at, price)


# rule: profile-export
async def of_profile(tx: Reader, profile: Profile) -> list[PurchaseView]:
    """Returns a profile's purchases in the order of their orders."""
    rows = await tx.all("person_purchases", store=profile.store.id, profile=profile.id)
    return [_view(one, profile.store) for one in map(from_row, rows)]


def are_accepted(store: Store) -> bool:
    """Returns whether the store takes orders."""
    return purchases.are_on(store)


def check_accepted(store: Store) -> None:
    """Raises ``Conflict`` unless the store takes orders."""
    purchases.check_on(store)


# rule: order-versions
async def apply(tx: Writer, store: Store, order: Order, now: str) -> AppliedOrder:
    """Replaces the stored matches of an order by those of this version, unless it is older.

    Raises ``Conflict`` if purchases are turned off.
    """
    purchases.check_on(store)
    await stores.check_not_deleting(tx, store)
    params = {
        "store": store.id,
        "hash": ids.order_hash(store.id, order.id),
    }  # rule: purchase-private
    if order.updated_at <= await _open(tx, params, now):
        return AppliedOrder(order.id, "unchanged", len(await _stored(tx, params)))
    before, locked = await _lock_owners(
        tx, store, params, *([order.buyer.id] if order.buyer else [])
    )
    buyer = locked.get(order.buyer.id) if order.buyer else None
    wishes = await _wishes(tx, buyer, order, now) if buyer is not None else {}
    after = _matched(store, order, before, locked, wishes)
    await _replace(tx, params, after, order.updated_at)
    known = {one.key for one in before}
    new = [one for one in after if one.key not in known]
    products = {one.product_id for one in (*before, *after)}
    for profile in _each(locked):
        await _mark(tx, profile, products, new if profile == buyer else (), wishes, now)
    return AppliedOrder(order.id, "applied", len(after))


# rules: import-twice, order-versions
async def restore(
    tx: Writer,
    store: Store,
    hash: str,
    updated_at: str,
    after: Sequence[Purchase],
    now: str,
) -> None:
    """Replaces an order's matches by those of an import, unless its version is older. Records no
    events."""
    params = {"store": store.id, "hash": hash}
    if updated_at <= await _open(tx, params, now):
        return
    keys = {one.profile_id for one in after if one.profile_id is not None}
    before, locked = await _lock_owners(tx, store, params, *keys)
    for key in keys - locked.keys():
        if await tx.one("profile_state", profile=key) is not None:  # it is being erased
            anonymous = [one for one in after if one.profile_id == key]
            for one in anonymous:
                one.profile_id, one.placed_at = None, ""
    await _replace(tx, params, after, updated_at)
    products = {one.product_id for one in (*before, *after)}
    for profile in _each(locked):
        await item_changes.write(
            tx, profile, await purchases.compute_marks(tx, profile, products), now
        )


# rule: order-versions
async def forget(tx: Writer, store: Store, order_id: str, now: str) -> None:
    """Deletes an order with its matches. Raises ``NotFound``, and ``Conflict`` if purchases are
    turned off."""
    purchases.check_on(store)
    await forget_hash(tx, store, ids.order_hash(store.id, order_id), now)


async def forget_hash(tx: Writer, store: Store, hash: str, now: str) -> None:
    """Deletes an order by its hash. Raises ``NotFound``."""
    params = {"store": store.id, "hash": hash}
    row = await tx.one("order_lock", **params)
    if row is None:
        raise no_record("order")
    act = Act(action="order.forgotten", store=store.handle, store_id=store.id, id=hash)
    act.created = row[1]
    await tx.record(act)
    before, locked = await _lock_owners(tx, store, params)
    await tx.run("order_purchases_delete", **params)
    await tx.run("order_delete", **params)
    products = {one.product_id for one in before}
    for profile in _each(locked):
        changes = await purchases.compute_marks(tx, profile, products)
        await item_changes.apply(tx, profile, changes, now)


async def _open(tx: Writer, params: Mapping[str, str], now: str) -> str:
    """Locks an order, creating its row if needed. Returns the ``updatedAt`` of its version."""
    await tx.begin()
    await tx.run("order_open", **params, now=now)
    row = await tx.one("order_lock", **params)
    if row is None:  # deleted since
        raise RunAgain
    version: str = row[0]
    return version


async def _stored(tx: Reader, params: Mapping[str, str]) -> list[Purchase]:
    return [from_row(row) for row in await tx.all("order_purchases", **params)]


async def _replace(
    tx: Writer, params: Mapping[str, str], after: Sequence[Purchase], updated_at: str
) -> None:
    await tx.run("order_purchases_delete", **params)
    key = {"store_id": params["store"], "hash": params["hash"]}
    if after:
        await tx.fill("purchases", [msgspec.structs.asdict(one) | key for one in after])
    await tx.run("order_put", **params, updated_at=updated_at)


LockedOwners = Mapping[str, Profile]
"""The open profiles that are locked, by key; also by the key of a session that was linked."""


async def _lock_owners(
    tx: Writer, store: Store, params: Mapping[str, str], *more: str
) -> tuple[list[Purchase], LockedOwners]:
    """Locks the owners of the stored matches, and the profiles ``more``, sessions first as
    everywhere. Returns the matches and the profiles."""
    keys = {one.profile_id for one in await _stored(tx, params)} - {None} | {*more}
    found = {key: await _find(tx, store, key) for key in sorted(filter(None, keys))}
    locked = {key: profile for key, profile in found.items() if profile is not None}
    for profile in sorted(_each(locked), key=lambda one: (not one.is_session, one.id)):
        row = await tx.one("profile_lock", profile=profile.id)
        if row is None or row[0] is not None:  # linked or erased since
            raise RunAgain
    before = await _stored(tx, params)
    if not {one.profile_id for one in before} <= keys | {None}:  # a sign-in has moved one since
        raise RunAgain
    return before, locked


async def _find(tx: Reader, store: Store, key: str) -> Profile | None:
    """Returns the open profile, or the customer that it was linked to; ``None`` without one."""
    row = await tx.one("order_buyer", profile=key)
    if row is not None and row[3] is not None and row[4] is not None:
        row = await tx.one("order_buyer", profile=row[4])
    if row is None or row[3] is not None:
        return None
    id, gid, is_session, *_ = row
    return Profile(id, store, gid, bool(is_session))


def _each(locked: LockedOwners) -> Sequence[Profile]:
    return [*{profile.id: profile for profile in locked.values()}.values()]


# rule: purchase-match
async def _wishes(tx: Reader, buyer: Profile, order: Order, now: str) -> dict[Key, bool]:
    """Returns the wishes that the order may match, by key: whether the item still exists."""
    these = {"profile": buyer.id, "products": sorted({line.product_id for line in order.lines})}
    placed = ids.from_timestamp(order.placed_at)
    days = buyer.store.reporting.attribution_days
    earliest = ids.timestamp(max(0, placed - days * ids.DAY_MS))
    latest = max(placed, ids.from_timestamp(now))
    since = ids.timestamp(max(0, latest - purchases.REMEMBERED_MS))
    found: dict[Key, bool] = {}
    rows = {
        False: await tx.all("removed_of_products", **these, since=since),
        True: await tx.all("wishes_of_products", **these),
    }
    for exists, wishes in rows.items():
        for product, variant, *saved in wishes:
            if any(earliest <= at < order.placed_at for at in saved):
                found[product, variant] = exists
    return found


# rules: purchase-match, order-versions
def _matched(
    store: Store,
    order: Order,
    before: Sequence[Purchase],
    locked: LockedOwners,
    wishes: Mapping[Key, bool],
) -> list[Purchase]:
    """Returns the lines that match. A match once made stays while the order has the line."""
    known = {one.key: one for one in before}
    day = reporting.day_of(ids.from_timestamp(order.placed_at), store.reporting.zone)
    found = []
    for number, line in enumerate(order.lines):
        key = line.product_id, line.variant_id
        owner = order.buyer.id if order.buyer else None
        wish = next((v for v in (line.variant_id, NO_VARIANT) if (key[0], v) in wishes), None)
        if (old := known.get(key)) is not None:
            owner, wish = old.profile_id, old.wish_variant_id
        if wish is not None:
            profile = locked.get(owner or "")  # rule: purchase-private
            whose = (None, "") if profile is None else (profile.id, order.placed_at)
            price = line.amount, line.currency
            found.append(
                Purchase(number, whose[0], *key, wish, line.quantity, *price, day, whose[1])
            )
    return found


# rules: purchase-mark, event-transaction
async def _mark(
    tx: Writer,
    profile: Profile,
    products: set[str],
    new: Sequence[Purchase],
    wishes: Mapping[Key, bool],
    now: str,
) -> None:
    """Updates the marks of a profile's items, records the events, and removes the items of new
    purchases if the store wants that."""
    changes = await purchases.compute_marks(tx, profile, products)
    wished = {(one.product_id, one.wish_variant_id) for one in new}
    fresh = [change for change in changes if items.item_key(change[1]) in wished]
    await item_changes.apply(
        tx, profile, [change for change in changes if change not in fresh], now
    )
    await item_changes.write(tx, profile, fresh, now)
    after = {items.item_key(item): item for _, item in fresh}
    told: list[tuple[events.Type, bytes]] = []
    for one in new:
        wish = one.product_id, one.wish_variant_id
        view = _view(one, profile.store)
        if wishes[wish]:
            view.item = after[wish]
            items.show([view.item], text_ids=profile.store.has_text_ids)
        told.append(("item.purchased", msgspec.json.encode(view)))
    await events.record_events(tx, profile, now, told)
    if profile.store.reporting.purchased == "remove":
        bought = [item for item in after.values() if item.purchased is not UNSET]
        await item_changes.apply(tx, profile, [(item, None) for item in bought], now)
