"""Writes a whole store as lines (``transfer.py``), profile after profile."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from wishwell import ids, stores, transfer
from wishwell.db import Database, Reader, Row
from wishwell.stores import Store
from wishwell.transfer import Line

_PROFILES = 1_000
_ITEMS = 2_000
"""How many profiles are found at once, and about how many items are in memory at once. A profile
is never divided, so the largest one counts."""

_LIST, _PLACE, _ITEM, _SHARE, _RESERVATION = range(5)
"""Kinds of ``export_records``."""

Holders = dict[tuple[str, str], tuple[str, str | None]]
"""By the keys of a holder and an item: the holder's GID, and the ``merged_id``."""

_record = msgspec.json.Decoder(list)


class Counts(msgspec.Struct):
    """What was written so far."""

    profiles: int = 0
    lists: int = 0
    items: int = 0
    shares: int = 0
    reservations: int = 0


# contract: export-whole, export-moment
async def lines(db: Database, handle: str, now: str, counts: Counts) -> AsyncIterator[bytes]:
    """The lines of a store, a few thousand at a time; counts them. Raises ``NotFound``.

    All of it is of one moment; on a cluster each profile is. Memory holds the largest profile.
    """
    async with db.snapshot() as tx:
        store = await stores.by_handle(tx, handle)
        feed = await tx.one("feed_end", store.id)
        first = transfer.StoreRecord(transfer.VERSION, now, store, feed[0] if feed else 0)
        yield transfer.encode(Line(wishwell=first))
        async for piece in _of_store(tx, store):
            yield piece
        revoked = await _revocations(tx)
        async for rows in _profiles(tx, store):
            yield _revoked(revoked, [row[0] for row in rows])
            yield await _records(tx, store, rows, counts)
        for keys in _batches(list(revoked)):
            # Of customers who hold nothing; what is known else is another store's.
            for row in await tx.all("profiles_known", keys):
                del revoked[row[0]]
        yield _revoked(revoked, list(revoked))
        end = transfer.EndRecord(*msgspec.structs.astuple(counts))
        yield transfer.encode(Line(end=end))


async def _of_store(tx: Reader, store: Store) -> AsyncIterator[bytes]:
    if (row := await tx.one("store_secrets", store.id)) is not None:
        yield transfer.encode(Line(secrets=transfer.SecretsRecord(row[0])))
    for row in await tx.all("export_admin_tokens", store.id):
        yield transfer.encode(Line(admin_token=transfer.AdminTokenRecord(*row)))
    for row in await tx.all("export_webhooks", store.id):
        yield transfer.encode(Line(webhook=transfer.WebhookRecord(*row)))
    after = ids.NO_UUID
    while rows := await tx.all("export_products", store.id, after, _PROFILES):
        yield b"".join(transfer.encode(Line(product=transfer.ProductRecord(*row))) for row in rows)
        after = rows[-1][1]


async def _revocations(tx: Reader) -> dict[str, list[Row]]:
    """All of the database, by profile: no store is named there."""
    found: dict[str, list[Row]] = {}
    for row in await tx.all("revocations_since", "", ""):
        found.setdefault(row[0], []).append(row)
    return found


def _revoked(revoked: dict[str, list[Row]], keys: Sequence[str]) -> bytes:
    return b"".join(
        transfer.encode(Line(revocation=transfer.RevocationRecord(*row)))
        for key in keys
        for row in revoked.pop(key, ())
    )


async def _profiles(tx: Reader, store: Store) -> AsyncIterator[Sequence[Row]]:
    """The store's profiles, in groups that fit into memory with all that they hold."""
    after = ids.NO_UUID
    while found := await tx.all("export_profiles", store.id, after, _PROFILES):
        after, group, size = found[-1][0], [], 0
        for row in found:
            group.append(row)
            size += row[1]
            if size >= _ITEMS:
                yield group
                group, size = [], 0
        if group:
            yield group


async def _records(tx: Reader, store: Store, rows: Sequence[Row], counts: Counts) -> bytes:
    # What a closed session may still hold is about to be purged.
    held: dict[str, list[Row]] = {row[0]: [] for row in rows if row[5] is None}
    for record in await tx.all("export_records", list(held)):
        held[record[0]].append(record)
    holders = await _holders(tx, held)
    pieces = []
    for id, _, *columns in rows:
        profile = transfer.ProfileRecord(*columns)
        pieces.append(transfer.encode(Line(profile=profile)))
        counts.profiles += 1
        pieces += _of_profile(store, held.get(id, ()), holders, counts)
    return b"".join(pieces)


async def _holders(tx: Reader, held: dict[str, list[Row]]) -> Holders:
    """Who has reserved these records' items: on a cluster, some of them may have ended since."""
    ids_ = {row[2] for records in held.values() for row in records if row[1] == _RESERVATION}
    rows = await tx.all("export_held", list(ids_), list(held)) if ids_ else ()
    return {(holder, item): (gid, merged) for holder, item, merged, gid in rows}


def _of_profile(
    store: Store, records: Sequence[Row], holders: Holders, counts: Counts
) -> list[bytes]:
    lists: dict[str, transfer.ListRecord] = {}
    places: dict[str, list[tuple[int, str]]] = {}
    shares, items, reservations = [], [], []
    for _, kind, id, text in records:
        values = _record.decode(text)
        if kind == _LIST:
            name, created, updated, shared = values
            lists[id] = transfer.ListRecord(id, name, created, updated, shared=bool(shared))
        elif kind == _PLACE:
            places.setdefault(id, []).append(tuple(values))
        elif kind == _ITEM:
            items.append(transfer.encode(Line(item=_item(store, id, values))))
        elif kind == _SHARE:
            shares.append(transfer.encode(Line(share=_share(id, values))))
        else:
            item, quantity, created = values
            if holder := holders.get((id, item)):
                gid, merged = holder
                record = transfer.ReservationRecord(item, gid, quantity, created, merged)
                reservations.append(transfer.encode(Line(reservation=record)))
    for id, placed in places.items():
        lists[id].order = [item for _, item in sorted(placed)]
    counts.lists += len(lists)
    counts.items += len(items)
    counts.shares += len(shares)
    counts.reservations += len(reservations)
    of_lists = [transfer.encode(Line(list=record)) for record in lists.values()]
    return [*of_lists, *shares, *items, *sorted(reservations)]


def _share(id: str, values: Sequence[Any]) -> transfer.ShareRecord:
    on, token, created, reservations, notes, expires = values
    return transfer.ShareRecord(
        id, on, token, created, bool(reservations), bool(notes), expires or None
    )


def _item(store: Store, id: str, values: Sequence[Any]) -> transfer.ItemRecord:
    product, created, updated, variant, quantity, tags, note, on, dropped, restocked = values
    return transfer.ItemRecord(
        id,
        _shown(store, product),
        created,
        updated,
        _shown(store, variant) if variant else None,
        quantity,
        tags.split(),
        note,
        on.split(),
        dropped or None,
        restocked or None,
    )


def _shown(store: Store, id: str) -> int | str:
    return id if store.has_text_ids else stores.number(id)


def _batches(keys: list[str]) -> list[list[str]]:
    return [keys[at : at + _PROFILES] for at in range(0, len(keys), _PROFILES)]
