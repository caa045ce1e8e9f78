"""Orders: matches the lines of the shop's orders with wishes, and stores the matches.

Nothing is stored of other lines (rule: purchase-private). ``purchases.py`` updates the items.
"""

from collections.abc import Collection, Mapping, Sequence
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


class AppliedOrder(NamedTuple):
    """What happened to an order. ``matched``: the number of its lines that match a wish."""

    order_id: str
    result: Result
    matched: int


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
    mailed: int
    """1 if a mail had named the product to the buyer in the seven days before, else 0."""

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


def _to_view(purchase: Purchase, store: Store) -> PurchaseView:
    price: UnitPrice | UnsetType = UNSET
    if purchase.amount:
        price = {"amount": purchase.amount, "currency": purchase.currency}
    return PurchaseView(
        store.shown_id(purchase.product_id),
        store.shown_id(purchase.variant_id) if purchase.variant_id else UNSET,
        purchase.quantity,
        purchase.placed_at,
        price,
    )


# rule: profile-export
async def of_profile(tx: Reader, profile: Profile) -> list[PurchaseView]:
    """Returns a profile's purchases in the order of their orders."""
    rows = await tx.all("person_purchases", store=profile.store.id, profile=profile.id)
    return [_to_view(purchase, profile.store) for purchase in map(from_row, rows)]


def are_accepted(store: Store) -> bool:
    """Returns whether the store takes orders."""
    return purchases.are_on(store)


def check_accepted(store: Store) -> None:
    """Raises ``Conflict`` unless the store takes orders."""
    purchases.check_on(store)


# rules: order-versions, purchase-private
async def apply(tx: Writer, store: Store, order: Order, now: str) -> AppliedOrder:
    """Replaces the stored matches of an order by those of this version, unless it is older.

    Raises ``Conflict`` if purchases are turned off.
    """
    check_accepted(store)
    await stores.check_not_deleting(tx, store)
    params = {"store": store.id, "hash": ids.order_hash(store.id, order.id)}
    if order.updated_at <= await _open(tx, params, now):
        return AppliedOrder(order.id, "unchanged", len(await _read_matches(tx, params)))
    buyer_ids = [order.buyer.id] if order.buyer else []
    before, locked = await _lock_owners(tx, store, params, *buyer_ids)
    buyer = locked.get(order.buyer.id) if order.buyer else None
    wishes = await _find_wishes(tx, buyer, order, now) if buyer is not None else {}
    mailed = await purchases.find_mailed(tx, buyer, order.placed_at) if wishes and buyer else set()
    after = _match(store, order, before, locked, wishes, mailed)
    await _replace_matches(tx, params, after, order.updated_at)
    old_keys = {match.key for match in before}
    new_matches = [match for match in after if match.key not in old_keys]
    products = {match.product_id for match in (*before, *after)}
    for profile in _list_profiles(locked):
        matches = new_matches if profile == buyer else ()
        await _mark(tx, profile, products, matches, wishes, now)
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
    keys = {match.profile_id for match in after if match.profile_id is not None}
    before, locked = await _lock_owners(tx, store, params, *keys)
    for key in keys - locked.keys():
        if await tx.one("profile_state", profile=key) is not None:  # it is being erased
            for match in [match for match in after if match.profile_id == key]:
                match.profile_id, match.placed_at = None, ""
    await _replace_matches(tx, params, after, updated_at)
    products = {match.product_id for match in (*before, *after)}
    for profile in _list_profiles(locked):
        changes = await purchases.compute_marks(tx, profile, products)
        await item_changes.write(tx, profile, changes, now)


# rule: order-versions
async def forget(tx: Writer, store: Store, order_id: str, now: str) -> None:
    """Deletes an order with its matches. Raises ``NotFound``, and ``Conflict`` if purchases are
    turned off."""
    check_accepted(store)
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
    products = {match.product_id for match in before}
    for profile in _list_profiles(locked):
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


async def _read_matches(tx: Reader, params: Mapping[str, str]) -> list[Purchase]:
    return [from_row(row) for row in await tx.all("order_purchases", **params)]


async def _replace_matches(
    tx: Writer, params: Mapping[str, str], after: Sequence[Purchase], updated_at: str
) -> None:
    await tx.run("order_purchases_delete", **params)
    key = {"store_id": params["store"], "hash": params["hash"]}
    if after:
        await tx.fill("purchases", [msgspec.structs.asdict(match) | key for match in after])
    await tx.run("order_put", **params, updated_at=updated_at)


LockedOwners = Mapping[str, Profile]
"""The open profiles that are locked, by key; also by the key of a session that was linked."""


async def _lock_owners(
    tx: Writer, store: Store, params: Mapping[str, str], *more_keys: str
) -> tuple[list[Purchase], LockedOwners]:
    """Locks the owners of the stored matches, and the profiles with ``more_keys``, sessions first
    as everywhere. Returns the matches and the profiles."""
    matches = await _read_matches(tx, params)
    keys = {match.profile_id for match in matches} - {None} | {*more_keys}
    open_profiles = {key: await _find_open(tx, store, key) for key in sorted(filter(None, keys))}
    locked = {key: profile for key, profile in open_profiles.items() if profile is not None}
    for profile in sorted(
        _list_profiles(locked), key=lambda owner: (not owner.is_session, owner.id)
    ):
        row = await tx.one("profile_lock", profile=profile.id)
        if row is None or row[0] is not None:  # linked or erased since
            raise RunAgain
    matches = await _read_matches(tx, params)
    if not {match.profile_id for match in matches} <= keys | {None}:  # a sign-in has moved one
        raise RunAgain
    return matches, locked


async def _find_open(tx: Reader, store: Store, key: str) -> Profile | None:
    """Returns the open profile, or the customer that it was linked to; ``None`` without one."""
    row = await tx.one("order_buyer", profile=key)
    if row is not None and row[3] is not None and row[4] is not None:
        row = await tx.one("order_buyer", profile=row[4])
    if row is None or row[3] is not None:
        return None
    id, gid, is_session, *_ = row
    return Profile(id, store, gid, bool(is_session))


def _list_profiles(locked: LockedOwners) -> Sequence[Profile]:
    return [*{profile.id: profile for profile in locked.values()}.values()]


# rule: purchase-match
async def _find_wishes(tx: Reader, buyer: Profile, order: Order, now: str) -> dict[Key, bool]:
    """Returns the wishes that the order may match, by key: whether the item still exists."""
    products = sorted({line.product_id for line in order.lines})
    params = {"profile": buyer.id, "products": products}
    placed_ms = ids.from_timestamp(order.placed_at)
    attribution_ms = buyer.store.reporting.attribution_days * ids.DAY_MS
    earliest = ids.timestamp(max(0, placed_ms - attribution_ms))
    latest_ms = max(placed_ms, ids.from_timestamp(now))
    removed_since = ids.timestamp(max(0, latest_ms - purchases.REMEMBERED_MS))
    wishes: dict[Key, bool] = {}
    rows_by_existence = {
        False: await tx.all("removed_of_products", **params, since=removed_since),
        True: await tx.all("wishes_of_products", **params),
    }
    for exists, rows in rows_by_existence.items():
        for product, variant, *save_times in rows:
            if any(earliest <= saved_at < order.placed_at for saved_at in save_times):
                wishes[product, variant] = exists
    return wishes


# rules: purchase-match, order-versions
def _match(
    store: Store,
    order: Order,
    before: Sequence[Purchase],
    locked: LockedOwners,
    wishes: Mapping[Key, bool],
    mailed: Collection[str],
) -> list[Purchase]:
    """Returns the lines that match. A match once made stays while the order has the line.

    ``mailed``: the products that mails have named to the buyer.
    """
    old_matches = {match.key: match for match in before}
    day = reporting.day_of(ids.from_timestamp(order.placed_at), store.reporting.zone)
    matches = []
    for number, line in enumerate(order.lines):
        key = line.product_id, line.variant_id
        owner_id = order.buyer.id if order.buyer else None
        variants = line.variant_id, NO_VARIANT
        wish = next((variant for variant in variants if (key[0], variant) in wishes), None)
        is_mailed = int(line.product_id in mailed)
        if (old_match := old_matches.get(key)) is not None:
            owner_id, wish = old_match.profile_id, old_match.wish_variant_id
            is_mailed = old_match.mailed
        if wish is not None:
            profile = locked.get(owner_id or "")  # rule: purchase-private
            owner, placed_at = (None, "") if profile is None else (profile.id, order.placed_at)
            price = line.amount, line.currency
            times = day, placed_at
            matches.append(
                Purchase(number, owner, *key, wish, line.quantity, *price, *times, is_mailed)
            )
    return matches


# rules: purchase-mark, event-transaction
async def _mark(
    tx: Writer,
    profile: Profile,
    products: set[str],
    new_matches: Sequence[Purchase],
    wishes: Mapping[Key, bool],
    now: str,
) -> None:
    """Updates the marks of a profile's items, records the events, and removes the items of new
    purchases if the store wants that."""
    changes = await purchases.compute_marks(tx, profile, products)
    bought_keys = {(match.product_id, match.wish_variant_id) for match in new_matches}
    bought = [change for change in changes if items.item_key(change[1]) in bought_keys]
    unaffected = [change for change in changes if change not in bought]
    await item_changes.apply(tx, profile, unaffected, now)
    await item_changes.write(tx, profile, bought, now)  # its events are those of the purchases
    bought_items = {items.item_key(item): item for _, item in bought}
    await _record_purchases(tx, profile, new_matches, wishes, bought_items, now)
    if profile.store.reporting.purchased == "remove":
        removals = [(item, None) for item in bought_items.values() if purchases.is_marked(item)]
        await item_changes.apply(tx, profile, removals, now)


async def _record_purchases(
    tx: Writer,
    profile: Profile,
    new_matches: Sequence[Purchase],
    wishes: Mapping[Key, bool],
    bought_items: Mapping[Key, Item],
    now: str,
) -> None:
    """Records the events of new purchases."""
    new_events: list[tuple[events.Type, bytes]] = []
    for match in new_matches:
        view = _to_view(match, profile.store)
        wish = match.product_id, match.wish_variant_id
        if wishes[wish]:
            view.item = bought_items[wish]
            items.show([view.item], text_ids=profile.store.has_text_ids)
        new_events.append(("item.purchased", msgspec.json.encode(view)))
    await events.record_events(tx, profile, now, new_events)
