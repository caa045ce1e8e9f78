"""Export of a store as JSON Lines (``file_records.py``), one profile after another."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence

import msgspec

from wishwell import ids, stores
from wishwell.db import Database, Reader, Row, mapping
from wishwell.stores import Store
from wishwell.transfer import file_records, order_records
from wishwell.transfer.file_records import (
    EndRecord,
    ItemRecord,
    ListRecord,
    ReservationRecord,
    ShareRecord,
)
from wishwell.transfer.order_records import RemovedRecord
from wishwell.transfer.record_types import Record, show_ids

_MAX_PROFILES = 1_000
_MAX_ITEMS = 2_000
"""Batch sizes: profiles read by one statement, and about how many items are in memory together.
Profiles aren't split, so a single large one may exceed the latter."""

_LIST, _PLACE, _ITEM, _SHARE, _RESERVATION, _REMOVED = range(6)
"""Values of ``kind`` in the statement ``export_records``."""

Holders = dict[tuple[str, str], tuple[str, str | None]]
"""The GID of a reservation's holder, and its ``merged_id``, by keys of the holder and the item."""

_record = msgspec.json.Decoder(list)
_list = mapping.from_columns(ListRecord, "lists_filled")
_item = mapping.from_columns(ItemRecord, "items_filled")
_removed = mapping.from_columns(RemovedRecord, "removed_item_fields")
_share = mapping.from_columns(ShareRecord, "share_fields")
_token = mapping.from_columns(file_records.AdminTokenRecord, "admin_token_file_fields")
_webhook = mapping.from_columns(file_records.WebhookRecord, "webhook_file_fields")
_product = mapping.from_columns(file_records.ProductRecord, "product_file_fields")
_profile = mapping.from_columns(file_records.ProfileRecord, "profile_file_fields")


# rule: export-whole
async def lines(db: Database, handle: str, now: str, counts: EndRecord) -> AsyncIterator[bytes]:
    """Yields a store's lines in batches of a few thousand. Raises ``NotFound``.

    Adds the numbers of records to ``counts``. All lines share one snapshot; on a cluster, only each
    profile's do. Memory use grows with the largest profile.
    """
    async with db.snapshot() as tx:
        store = await stores.by_handle(tx, handle)
        feed = await tx.one("feed_end", store=store.id)
        of = file_records.StoreFields(*msgspec.structs.astuple(store))
        yield file_records.encode(
            file_records.StoreRecord(file_records.VERSION, now, of, feed[0] if feed else 0)
        )
        async for piece in _store_lines(tx, store):
            yield piece
        async for rows in _profiles(tx, store):
            records = await _records(tx, store, rows)
            _count(counts, records)
            yield b"".join(map(file_records.encode, records))
        yield file_records.encode(counts)


async def _store_lines(tx: Reader, store: Store) -> AsyncIterator[bytes]:
    if (row := await tx.one("store_secrets", store=store.id)) is not None:
        yield file_records.encode(file_records.SecretsRecord(row[0]))
    for row in await tx.all("export_admin_tokens", store=store.id):
        yield file_records.encode(_token(row))
    for row in await tx.all("export_webhooks", store=store.id):
        yield file_records.encode(_webhook(row))
    after = ids.NO_UUID
    while rows := await tx.all("export_products", store=store.id, after=after, limit=_MAX_PROFILES):
        products = [_product(row) for row in rows]
        yield b"".join(map(file_records.encode, products))
        after = products[-1].id
    async for orders in order_records.read(tx, store):
        yield b"".join(map(file_records.encode, orders))


async def _profiles(tx: Reader, store: Store) -> AsyncIterator[Sequence[Row]]:
    """Yields the store's profiles in batches that fit into memory with all their records."""
    after = ids.NO_UUID
    while found := await tx.all(
        "export_profiles", store=store.id, after=after, limit=_MAX_PROFILES
    ):
        after, group, size = found[-1][0], [], 0
        for row in found:
            group.append(row)
            size += row[1]
            if size >= _MAX_ITEMS:
                yield group
                group, size = [], 0
        if group:
            yield group


async def _records(tx: Reader, store: Store, rows: Sequence[Row]) -> list[Record]:
    profiles = {id: _profile(columns) for id, _, *columns in rows}
    # Skips the records of closed sessions, because they are about to be purged.
    held: dict[str, list[Row]] = {
        id: [] for id, profile in profiles.items() if profile.closed_at is None
    }
    for record in await tx.all("export_records", profiles=list(held)):
        held[record[0]].append(record)
    holders = await _holders(tx, held)
    revoked: dict[str, list[Record]] = defaultdict(list)
    for id, *columns in await tx.all("export_revocations", profiles=list(profiles)):
        revoked[id].append(file_records.RevocationRecord(*columns))
    records: list[Record] = []
    for id, profile in profiles.items():
        records += [profile, *revoked[id]]
        records += _profile_records(store, held.get(id, ()), holders)
    return records


def _count(counts: EndRecord, records: Sequence[Record]) -> None:
    kinds = Counter(map(type, records))
    counts.profiles += kinds[file_records.ProfileRecord]
    counts.lists += kinds[ListRecord]
    counts.items += kinds[ItemRecord]
    counts.shares += kinds[ShareRecord]
    counts.reservations += kinds[ReservationRecord]


async def _holders(tx: Reader, held: dict[str, list[Row]]) -> Holders:
    """Returns the holders of reservations on these items.

    On a cluster some are missing, if their session was closed after ``held`` was read.
    """
    ids_ = {row[2] for records in held.values() for row in records if row[1] == _RESERVATION}
    rows = await tx.all("export_held", holders=list(ids_), owners=list(held)) if ids_ else ()
    return {(holder, item): (gid, merged) for holder, item, merged, gid in rows}


def _profile_records(store: Store, rows: Sequence[Row], holders: Holders) -> list[Record]:
    lists: dict[str, ListRecord] = {}
    places: dict[str, list[tuple[int, str]]] = defaultdict(list)
    shares, items, removed, reservations = [], [], [], []
    for _, kind, id, text in rows:
        values = _record.decode(text)
        if kind == _LIST:
            lists[id] = _list(values)
        elif kind == _PLACE:
            places[id].append(tuple(values))
        elif kind == _ITEM:
            item = _item(values)
            show_ids(store, item, "product_id", "variant_id")
            items.append(item)
        elif kind == _REMOVED:
            removed.append(_removed(values))
            show_ids(store, removed[-1], "product_id", "variant_id")
        elif kind == _SHARE:
            share = _share(values)
            share.list_id = None if share.list_id == ids.NO_UUID else share.list_id
            shares.append(share)
        elif holder := holders.get((id, values[0])):
            item_id, quantity, created = values
            record = ReservationRecord(item_id, holder[0], quantity, created, holder[1])
            reservations.append(record)
    for id, placed in places.items():
        lists[id].order = [item for _, item in sorted(placed)]
    reservations.sort(key=lambda record: (record.item_id, record.holder))
    return [*lists.values(), *shares, *items, *removed, *reservations]
