"""Purchases: the lines of a shop's orders that match wishes, and the mark that they leave on items.

A purchase names its wish by profile, product and variant, not by an item's id. So it stays when the
item is removed, and a sign-in only changes its profile. An item's mark (``Item.purchased``) always
follows from the purchases since the item was last saved, and ``marks`` computes it after every
change. ``orders.py`` matches orders; this module has what saves, removals and sign-ins do.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from wishwell import events, ids
from wishwell import field_types as types
from wishwell.db import Database, Writer, mapping, run_statement
from wishwell.jobs import Job, removal
from wishwell.profiles import Profile
from wishwell.stores import Store
from wishwell.wishlists import items
from wishwell.wishlists.items import Item

REMEMBERED_MS = 7 * ids.DAY_MS
"""Milliseconds for which a removed item still counts, as it may have been moved to the cart."""

_BATCH_SIZE = 1_000


# rule: purchase-mark
async def marks(tx: Writer, profile: Profile, products: Collection[str]) -> list[tuple[Item, Item]]:
    """Returns the items with these products, before and after the update of their marks. The caller
    holds the profile's lock."""
    these = {"profile": profile.id, "products": sorted({*products})}
    saved = {
        (product, variant): saved_at or created_at
        for product, variant, created_at, saved_at in await tx.all("wishes_of_products", **these)
    }
    bought: dict[tuple[str, str], list[tuple[str, int]]] = {key: [] for key in saved}
    for product, variant, quantity, placed_at in await tx.all(
        "purchases_of", store=profile.store.id, **these
    ):
        if placed_at > saved.get((product, variant), placed_at):
            bought[product, variant].append((placed_at, quantity))
    changes = []
    for key, item in (await items.of_products(tx, profile, products)).items():
        since = bought[key]
        mark = types.Purchased(sum(q for _, q in since), max(since)[0]) if since else UNSET
        changes.append((item, replace(item, purchased=mark)))
    return changes


async def refresh(tx: Writer, profile: Profile, products: Collection[str], now: str) -> None:
    """Updates the marks of the items with these products, and records the events."""
    if products:
        await items.apply(tx, profile, await marks(tx, profile, products), now)


# rule: purchase-mark
async def saved_again(tx: Writer, profile: Profile, saved: Sequence[Item], now: str) -> list[Item]:
    """Notes that existing items were saved again, which clears their marks. Returns the items. With
    purchases off, notes it only for items with a mark."""
    noted = [
        item.id
        for item in saved
        if profile.store.reporting.purchases or item.purchased is not UNSET
    ]
    if not noted:
        return [*saved]
    await tx.run("items_saved_again", profile=profile.id, ids=noted, now=now)
    cleared = [(item, replace(item, purchased=UNSET)) for item in saved]
    await items.apply(tx, profile, cleared, now)
    return [item for _, item in cleared]


# rules: purchase-mark, link-merges-items
async def link(
    tx: Writer,
    session: Profile,
    customer: Profile,
    pairs: Iterable[tuple[Item, Item | None]],
    now_ids: Mapping[str, str],
    now: str,
) -> list[tuple[events.Type, bytes]]:
    """Moves the session's purchases and removed items to the customer, and updates the marks.
    Returns the events.

    ``pairs``: the session's items, each with the customer's item that it was merged into, as both
    were before. ``now_ids``: the id that each of the session's items has now.
    """
    both = {"session": session.id, "customer": customer.id}
    again = dict(map(tuple, await tx.all("link_saved_times", profile=session.id)))
    last = {
        now_ids[item.id]: max(
            again.get(item.id, ""), item.created_at if twin else "", twin.created_at if twin else ""
        )
        for item, twin in pairs
        if item.id in now_ids
    }
    saved = [{"profile": customer.id, "id": id, "now": at} for id, at in last.items() if at]
    await tx.run_many("item_saved_again", saved)
    await tx.run("link_move_purchases", **both, store=customer.store.id)
    await tx.run("link_move_removed", **both)
    await tx.run("link_leave_removed_items", profile=session.id)
    bought = await tx.all("purchased_products", store=customer.store.id, profile=customer.id)
    changes = await marks(tx, customer, [product for (product,) in bought])
    return await items.write(tx, customer, changes, now)


# rules: purchase-mark, import-twice
async def mark_imported(
    tx: Writer, store: Store, added: Mapping[str, Sequence[Mapping[str, str]]]
) -> None:
    """Sets the marks of new items. ``added``: their rows by their profile's key."""
    marked = []
    for (key,) in await tx.all("import_bought", store=store.id, profiles=[*added]):
        owner = Profile(key, store, "", is_session=False)
        for _, item in await marks(tx, owner, {row["product_id"] for row in added[key]}):
            purchased = mapping.to_columns(item, "item_fields")["purchased"]
            marked.append({"profile": key, "id": item.id, "purchased": purchased})
    await tx.run_many("import_mark", marked)


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
