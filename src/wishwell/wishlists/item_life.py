"""The life of an item: for each event, the functions of the features that follow it.

A use-case that changes items calls the event here, in its own transaction, and no feature. A
feature that stores rows or marks about items adds a line to each event that concerns it. It doesn't
write items itself, but returns changes; the use-case saves them and records their events.
Reservations aren't among these features, because they follow lists and shares too.
"""

from collections.abc import Iterable, Mapping, Sequence

from wishwell.contacts import addresses, queue, retention
from wishwell.contacts.queue import Notice
from wishwell.db import Writer
from wishwell.profiles import Profile
from wishwell.stores import Store
from wishwell.wishlists import purchases
from wishwell.wishlists.items import Item, Saved

PURGE_STATEMENTS = ("purge_removed_items", "purge_purchases", "purge_mails", "purge_mail_tokens")
"""Statements that remove a batch of the features' rows of purged or erased profiles. They take
``profiles`` and ``limit``, and return a row for each row that they remove."""

STORE_STATEMENTS = (
    *("erase_purchases", "erase_orders"),
    *("erase_mail_tokens", "erase_suppressions", "erase_confirmations"),
)
"""Statements that delete a batch of the features' rows of a deleted store."""

RETENTION_JOBS = (purchases.JOB, retention.JOB)
"""Background jobs that delete the features' old rows."""


def is_followed(store: Store) -> bool:
    """Returns whether a feature of the store follows items. Then saves and deletes call this module
    in a transaction, where they would otherwise be a single statement."""
    return purchases.are_on(store)


def needs_clearing(item: Item) -> bool:
    """Returns whether a feature that may be off by now has left a mark on the item, which the next
    save clears."""
    return purchases.is_marked(item)


async def saved(
    tx: Writer, profile: Profile, saves: Sequence[Saved], now: str
) -> list[tuple[Item, Item]]:
    """Follows saves: items that a save or a copy created, and existing items that were saved again.
    Returns further changes to these items."""
    saved_again = [save.item for save in saves if not save.created]
    return await purchases.clear_marks(tx, profile, saved_again, now)


async def changed_product(
    tx: Writer, profile: Profile, item: Item, now: str
) -> list[tuple[Item, Item]]:
    """Follows a change of an item's product or variant. Returns further changes to the item."""
    return await purchases.clear_marks(tx, profile, [item], now)


async def removed(tx: Writer, profile: Profile, item_ids: Sequence[str], now: str) -> None:
    """Follows a deletion of items, just before it deletes their rows."""
    await purchases.remember_removed(tx, profile, item_ids, now)


async def merged(
    tx: Writer,
    session: Profile,
    customer: Profile,
    pairs: Iterable[tuple[Item, Item | None]],
    new_ids: Mapping[str, str],
    now: str,
) -> list[tuple[Item, Item]]:
    """Follows a sign-in, which has added the session's items to the customer's and not yet deleted
    the session's rows. Returns further changes to the customer's items.

    ``pairs``: the session's items, each with the customer's item that it was merged into, as both
    were before. ``new_ids``: the ids that the session's items have now, by their old ids; items
    that didn't move are missing.
    """
    await addresses.merge(tx, session, customer)
    await queue.merge(tx, session, customer, new_ids, now)
    return await purchases.merge(tx, session, customer, pairs, new_ids)


async def noticed(
    tx: Writer, store: Store, notices: Iterable[tuple[str, str, str]], now: str
) -> None:
    """Follows notices about items, whose owners are locked. ``notices``: for each the owner's key,
    the item's id and the type of the event."""
    mail_notices = [
        Notice(owner, id, "d" if type_ == "item.price_dropped" else "s")
        for owner, id, type_ in notices
    ]
    await queue.collect(tx, store, mail_notices, now)


async def imported(
    tx: Writer, store: Store, item_rows: Mapping[str, Sequence[Mapping[str, str]]]
) -> None:
    """Follows an import's new items. ``item_rows``: their rows by their profile's key. Imports
    record no events, so the features change the rows themselves."""
    await purchases.mark_imported(tx, store, item_rows)
