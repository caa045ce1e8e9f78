"""Purchases: the lines of a shop's orders that match wishes, and the mark that they leave on items.

A purchase names its wish by profile, product and variant, not by an item's id. So it stays when the
item is removed, and a sign-in only changes its profile. An item's mark (``Item.purchased``) always
follows from the purchases since the item was last saved, and ``compute_marks`` computes it after
every change. ``orders.py`` matches orders; ``item_life.py`` calls this module for the other events.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from wishwell import ids
from wishwell.db import Database, Reader, Writer, mapping, run_statement
from wishwell.errors import Conflict
from wishwell.jobs import Job, removal
from wishwell.profiles import Profile
from wishwell.stores import Store
from wishwell.wishlists import items
from wishwell.wishlists.items import Item, Purchased

REMEMBERED_MS = 7 * ids.DAY_MS
"""Milliseconds for which a removed item still counts, as it may have been moved to the cart."""

_MAILED_MS = 7 * ids.DAY_MS
"""Milliseconds after a mail in which a purchase of a product that it named is reported."""

_BATCH_SIZE = 1_000


# rule: purchases-on
def are_on(store: Store) -> bool:
    """Returns whether the store's orders are matched with wishes."""
    return store.reporting.purchases


# rule: purchases-on
def check_on(store: Store) -> None:
    """Raises ``Conflict`` while purchases are turned off."""
    if not are_on(store):
        raise Conflict(
            "Purchases are turned off for this store. Turn them on with "
            "`wishwell store update HANDLE --purchases on`.",
            "purchases_off",
        )


# rule: purchase-mark
async def compute_marks(
    tx: Reader, profile: Profile, products: Collection[str]
) -> list[tuple[Item, Item]]:
    """Returns the items with these products, before and after the update of their marks. The caller
    holds the profile's lock."""
    params = {"profile": profile.id, "products": sorted({*products})}
    save_times = {
        (product, variant): saved_at or created_at
        for product, variant, created_at, saved_at in await tx.all("wishes_of_products", **params)
    }
    orders: dict[tuple[str, str], list[tuple[str, int]]] = {key: [] for key in save_times}
    for product, variant, quantity, placed_at in await tx.all(
        "purchases_of", store=profile.store.id, **params
    ):
        if placed_at > save_times.get((product, variant), placed_at):
            orders[product, variant].append((placed_at, quantity))
    changes = []
    for key, item in (await items.find_by_products(tx, profile, products)).items():
        changes.append((item, replace(item, purchased=_sum_up(orders[key]))))
    return changes


def _sum_up(orders: Collection[tuple[str, int]]) -> Purchased | UnsetType:
    """Returns the mark of an item with these orders, given by their times and quantities."""
    if not orders:
        return UNSET
    return Purchased(sum(quantity for _, quantity in orders), max(orders)[0])


# rule: purchase-mailed
async def find_mailed(tx: Reader, buyer: Profile, placed_at: str) -> set[str]:
    """Returns the products that mails named to the buyer in the seven days before an order."""
    since = ids.timestamp(max(0, ids.from_timestamp(placed_at) - _MAILED_MS))
    rows = await tx.all("mails_naming", profile=buyer.id, since=since, until=placed_at)
    return {product for (products,) in rows for product in products.split()}


# ---------------------------------------------------------------- the events of item_life.py


def is_marked(item: Item) -> bool:
    return item.purchased is not UNSET


# rule: purchase-mark
async def clear_marks(
    tx: Writer, profile: Profile, saved_items: Sequence[Item], now: str
) -> list[tuple[Item, Item]]:
    """Stores that existing items were saved again. Returns the changes that clear their marks. With
    purchases off, stores it only for items with a mark."""
    item_ids = [item.id for item in saved_items if are_on(profile.store) or is_marked(item)]
    if item_ids:
        await tx.run("items_saved_again", profile=profile.id, ids=item_ids, now=now)
    return [(item, replace(item, purchased=UNSET)) for item in saved_items if is_marked(item)]


# rule: purchase-match
async def remember_removed(tx: Writer, profile: Profile, item_ids: Sequence[str], now: str) -> None:
    """Copies items that are about to be deleted, because a later order may still match them."""
    if are_on(profile.store):
        await tx.run("items_remember", profile=profile.id, ids=item_ids, now=now)


# rules: purchase-mark, link-merges-items
async def merge(
    tx: Writer,
    session: Profile,
    customer: Profile,
    pairs: Iterable[tuple[Item, Item | None]],
    new_ids: Mapping[str, str],
) -> list[tuple[Item, Item]]:
    """Moves the session's purchases and removed items to the customer. Returns the changes of the
    customer's marks. Does nothing with purchases off."""
    if not are_on(customer.store):
        return []
    await _merge_save_times(tx, session, customer, pairs, new_ids)
    await _move_rows(tx, session, customer)
    rows = await tx.all("purchased_products", store=customer.store.id, profile=customer.id)
    return await compute_marks(tx, customer, [product for (product,) in rows])


async def _merge_save_times(
    tx: Writer,
    session: Profile,
    customer: Profile,
    pairs: Iterable[tuple[Item, Item | None]],
    new_ids: Mapping[str, str],
) -> None:
    """Stores for each of the customer's merged items when either of the two was last saved."""
    saved_again = dict(map(tuple, await tx.all("link_saved_times", profile=session.id)))
    rows = []
    for item, twin in pairs:
        if item.id in new_ids:
            times = [saved_again.get(item.id, "")]
            if twin is not None:
                times += [item.created_at, twin.created_at]
            rows.append({"profile": customer.id, "id": new_ids[item.id], "now": max(times)})
    await tx.run_many("item_saved_again", [row for row in rows if row["now"]])


async def _move_rows(tx: Writer, session: Profile, customer: Profile) -> None:
    params = {"session": session.id, "customer": customer.id}
    await tx.run("link_move_purchases", **params, store=customer.store.id)
    await tx.run("link_move_removed", **params)
    await tx.run("link_leave_removed_items", profile=session.id)


# rules: purchase-mark, import-twice
async def mark_imported(
    tx: Writer, store: Store, item_rows: Mapping[str, Sequence[Mapping[str, str]]]
) -> None:
    """Sets the marks of new items. ``item_rows``: their rows by their profile's key."""
    marks = []
    for (key,) in await tx.all("import_bought", store=store.id, profiles=[*item_rows]):
        owner = Profile(key, store, "", is_session=False)
        for _, item in await compute_marks(
            tx, owner, {row["product_id"] for row in item_rows[key]}
        ):
            mark = mapping.to_columns(item, "item_fields")["purchased"]
            marks.append({"profile": key, "id": item.id, "purchased": mark})
    await tx.run_many("import_mark", marks)


# rule: purchase-match
async def forget_removed(db: Database, now: int) -> AsyncIterator[int]:
    """Deletes the records of items that were removed more than seven days ago. Yields batch
    sizes."""
    before = ids.timestamp(max(0, now - REMEMBERED_MS))
    job = "removed_forget"
    while forgotten := await db.write(run_statement, job, before=before, limit=_BATCH_SIZE):
        yield len(forgotten)


JOB = Job(
    "removed", 60.0, removal(lambda run, now: forget_removed(run.db, now)), lease_seconds=60.0
)
